"""`clef-mlx doctor`: the diagnosis, printed."""

from __future__ import annotations

import json
from typing import Any

import click

from clef_mlx.cli.diagnosis import Advice, advice, facts
from clef_mlx.cli.edge import FAILED, console, named, printable, say


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> int:
    """Show what runs here, how fast, and what would mend it.

    The exit code is 0 unless something is broken.
    """
    try:
        found = facts()
    except ImportError as error:
        say(f"a package cannot be imported: {error}. Install again: pip install --force-reinstall clef-mlx.")
        return FAILED
    mending = advice(found)
    if as_json:
        print(json.dumps(found | {"advice": [item._asdict() for item in mending]}, indent=2))
    else:
        _print(found, mending)
    return FAILED if any(item.severity == "broken" for item in mending) else 0


def _print(found: dict[str, Any], mending: list[Advice]) -> None:
    from rich.table import Table
    from rich.text import Text

    page = console()
    table = Table.grid(padding=(0, 2))
    for name, value in _rows(found):
        table.add_row(Text(name, "dim"), Text(printable(value)))
    page.print(table)
    colours = {"broken": "bold red", "slow": "yellow", "note": "dim"}
    for item in mending:
        mend = f" Mend: {item.mend}" if item.mend else ""
        page.print(Text.assemble(f"\n{item.severity}: ", (item.what, colours[item.severity]), mend), end="")
    page.print("\n" if mending else "\nNothing to mend.")


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    device = found["device"]
    return [
        ("clef-mlx", found["clef_mlx"]),
        ("python", f"{found['python']} on {found['system']}"),
        ("packages", ", ".join(f"{name} {version}" for name, version in found["packages"].items())),
        ("device", f"{device['kind']}: {device['name']}, {device['cores']} cores"),
        ("memory", f"{found['memory_bytes'] / 1e9:.1f} GB, {found['available_bytes'] / 1e9:.1f} GB for weights"),
        ("BLAS", found["blas"] or "MLX's own reference BLAS"),
        ("float32 products", f"{found['gemm']['gflops']:,.0f} GFLOP/s"),
        ("kernels", ", ".join(f"{name} {form}" for name, form in found["paths"].items())),
        ("model", _model(found)),
    ]


def _model(found: dict[str, Any]) -> str:
    if found["model"] is None:
        return "none set"
    return named(found["model"]) + (" (cannot be used)" if found["model_fault"] else "")
