"""`clef-mlx inspect`: what a model folder holds and needs, from its headers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import check_model_name, console, printable

if TYPE_CHECKING:
    from clef_mlx.weights.inspect import Inspection


@click.command("inspect")
@click.argument("model", envvar="CLEF_MLX_MODEL", callback=check_model_name)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(model: str, as_json: bool) -> int:
    """Show what MODEL holds and needs: a folder, hub id or alias.

    A model that could not be loaded is refused here with the same words. No weights are read, so that the values of
    the head are checked only when it is loaded.
    """
    from clef_mlx.tokenizer import ReleaseTokenizer
    from clef_mlx.weights.files import read_folder
    from clef_mlx.weights.hub import resolve
    from clef_mlx.weights.inspect import inspect_release

    folder = resolve(model)
    # In the order of `clef_mlx.load`, for the same first words.
    read_folder(folder)
    ReleaseTokenizer.from_folder(folder)
    found = inspect_release(folder)
    if as_json:
        facts = asdict(found) | {"folder": str(found.folder), "layout": found.layout._asdict()}
        print(json.dumps(facts, indent=2))
    else:
        _print(found)
    return 0


def _print(found: Inspection) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    page = console()
    facts = Table.grid(padding=(0, 2))
    for name, value in _facts(found):
        facts.add_row(Text(name, "dim"), Text(printable(value)))
    page.print(facts)
    modules = Table(box=SIMPLE_HEAD, pad_edge=False)
    modules.add_column("modules")
    modules.add_column("parameters", justify="right")
    modules.add_column("on disk", justify="right")
    modules.add_column("stored as")
    for share in found.shares:
        several = len(share.storage) > 1
        stored = ", ".join(
            f"{word} ({count / share.parameters:.0%})" if several else word for word, count in share.storage.items()
        )
        modules.add_row(share.kind, f"{share.parameters:,}", _size(share.stored_bytes), stored)
    page.print(modules)


def _facts(found: Inspection) -> list[tuple[str, str]]:
    parts = ", ".join(f"{part} {count:,}" for part, count in found.parameters.items() if part != "total" and count)
    deciding = ", ".join(f"{_size(size)} at {tokens:,} tokens" for tokens, size in found.deciding_bytes.items())
    rows: list[tuple[str, Any]] = [
        ("folder", found.folder),
        ("layout", f"{found.layout.letter}: {found.layout.description}"),
        ("source", found.source),
        ("revision", found.revision),
        ("parameters", f"{found.parameters['total']:,} ({parts})"),
        ("on disk", _size(found.disk_bytes)),
        ("memory here", f"{_size(found.weight_bytes)} as {found.load_dtype}, and about {deciding}"),
        ("does not fit", found.load_note),
        ("vision", "present" if found.vision else "absent"),
        ("adapter", "present, merged when loaded" if found.adapter else None),
        ("skipped", f"{found.skipped_mtp_tensors} mtp tensors" if found.skipped_mtp_tensors else None),
        ("unused files", ", ".join(found.unused_files)),
    ]
    return [(name, str(value)) for name, value in rows if value]


def _size(size_bytes: int) -> str:
    """Decimal units, as disks and the model pages count."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.1f} {unit}"
    return f"{size_bytes / 1e3:.1f} kB"
