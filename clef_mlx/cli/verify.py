"""`clef-mlx verify`: is this folder what it should be?"""

from __future__ import annotations

import json

import click

from clef_mlx.cli.edge import FAILED, check_model_name, console, printable

WORDS = {True: ("ok", "green"), False: ("wrong", "red bold"), None: ("skipped", "yellow")}


@click.command("verify")
@click.argument("model", callback=check_model_name)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(model: str, as_json: bool) -> int:
    """Check MODEL, a folder, hub id or alias: files, shapes, values and a decision.

    Hashes are compared where `clef-mlx convert` left a record. Every tensor is searched for NaN and infinity, and the
    norms for a shift applied twice or never. The exit code is 1 if anything is wrong.
    """
    from rich.text import Text

    from clef_mlx.cli.waiting import Phases
    from clef_mlx.convert.check import verify
    from clef_mlx.weights.hub import resolve

    folder = resolve(model)
    with Phases() as bar:
        found = verify(folder, bar.watch(lambda text: None))
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
    else:
        page = console()
        for check in found.checks:
            word, style = WORDS[check.passed]
            page.print(Text.assemble((f"{word:8}", style), f"{check.name}: {printable(check.detail)}"), soft_wrap=True)
    return 0 if found.passed else FAILED
