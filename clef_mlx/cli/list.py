"""`clef-mlx list`: the models on this machine, and which one is the default."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from clef_mlx.cli.edge import console, printable, say

if TYPE_CHECKING:
    from clef_mlx.weights.shelf import Shelved


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> int:
    """Show the models on this machine: the hub's cache, and the one that comes with the package."""
    from clef_mlx.weights.shelf import models_here

    default, models = _default(), models_here()
    if as_json:
        facts = [model._asdict() | {"folder": str(model.folder)} for model in models]
        print(json.dumps({"default": default, "models": facts}, indent=2))
        return 0
    if models:
        _print(models, default)
    else:
        print("No model here yet. See what there is: clef-mlx pull")
    if default and not any(_is(model, default) for model in models):
        print(printable(f"The default is {default}."))
    return 0


def _default() -> str | None:
    from clef_mlx.errors import CheckpointError
    from clef_mlx.weights.hub import default_model

    try:
        return default_model().name
    except CheckpointError as error:  # none, or a broken file; the list is of use all the same
        if "there is no default" not in str(error):
            say(str(error))
        return None


def _is(model: Shelved, name: str) -> bool:
    hub_id, _, revision = name.partition("@")
    return hub_id in (model.name, model.alias) and (not revision or (model.revision or "").startswith(revision))


def _print(models: list[Shelved], default: str | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, justify in (
        ("model", "left"),
        ("alias", "left"),
        ("revision", "left"),
        ("size", "right"),
        ("used", "left"),
    ):
        table.add_column(name, justify=justify, no_wrap=name == "model")
    table.add_column("")
    for model in models:
        used = datetime.fromtimestamp(model.last_used, UTC).date().isoformat() if model.last_used else ""
        marks = ["default"] if default and _is(model, default) else []
        marks += ["incomplete"] if model.missing else []
        cells = (model.name, model.alias or "", (model.revision or "")[:12], f"{model.bytes / 1e9:.2f} GB", used)
        table.add_row(*(Text(printable(cell)) for cell in (*cells, ", ".join(marks))))
    page = console()
    page.print(table)
    for model in models:
        if model.missing:
            page.print(Text(printable(f"Complete {model.name} with: clef-mlx pull {model.name}")))
