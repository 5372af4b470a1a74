"""A measurement as one line of the table that people fill for their machines. It names no folder and no person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COLUMNS = (
    "chip",
    "memory",
    "system",
    "mlx",
    "clef-mlx",
    "model",
    "weights",
    "questions",
    "median seconds at tokens",
    "tokens/s",
    "peak over weights",
    "of the products' rate",
)


def header() -> str:
    """The table's first two lines."""
    return f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def shared_row(machine: dict[str, Any], model: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """One Markdown row: the curve for the fewest questions, rates and peak at its longest record."""
    fewest = min(row["questions"] for row in rows)
    line = sorted((row for row in rows if row["questions"] == fewest), key=lambda row: row["tokens"])
    longest = line[-1]
    cells = (
        f"{machine['chip']}, {machine['cores']} cores",
        f"{machine['memory_bytes'] / 1e9:.0f} GB",
        machine["system"],
        machine["mlx"],
        f"{machine['clef_mlx']} ({machine['commit'] or 'released'})",
        model["name"],
        f"{model['weight_bytes'] / 1e9:.3g} GB, {model['dtype']}",
        str(fewest),
        ", ".join(f"{row['tokens']:,}: {row['median_s']:.3g}" for row in line),
        f"{longest['tokens_s']:,.0f}",
        f"{longest['peak_bytes'] / 1e9:.2f} GB",
        f"{longest['of_roof']:.0%}",
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
