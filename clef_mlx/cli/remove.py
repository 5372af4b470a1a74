"""`clef-mlx remove`: delete a downloaded model."""

from __future__ import annotations

import sys

import click

from clef_mlx.cli.edge import model_name, printable


@click.command("remove")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(name: str, yes: bool) -> int:
    """Delete the downloaded model NAME: an alias, a hub id, or a hub id with a revision. Other folders stay."""
    from clef_mlx.weights.hub import configured, set_default
    from clef_mlx.weights.shelf import find, models_here, remove

    going = find(model_name(name))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody can be asked here. Give --yes to delete.")
        size = sum(model.bytes for model in going)
        click.confirm(f"Delete {printable(going[0].name)} ({size / 1e9:.2f} GB)?", abort=True, err=True)
    gone, freed = remove(name)
    told = f"{gone[0].name} was deleted, {freed / 1e9:.2f} GB are free again."
    left = {model.name for model in models_here()}
    if configured() in (name, gone[0].name, gone[0].alias) and gone[0].name not in left:
        set_default(None)
        told += " It was the default model; there is none now."
    print(printable(told))
    return 0
