"""The latency curve as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clef_mlx.errors import RequestError


def check_plotting() -> None:
    """Raise RequestError where the drawing library is missing, before anything is measured."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise RequestError(
            "bench --plot: matplotlib must be installed, got no such package. Run: pip install matplotlib."
        ) from None


def plot_latency(rows: Sequence[dict[str, Any]], title: str, path: Path) -> None:
    """Write a PNG: median latency over tokens, a line per number of questions, and the least time by product rate."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for count in sorted({row["questions"] for row in rows}):
        line = [row for row in rows if row["questions"] == count]
        tokens = [row["tokens"] for row in line]
        label = f"{count} question{'s' * (count > 1)}, median"
        (drawn,) = axes.plot(tokens, [row["median_s"] for row in line], marker="o", label=label)
        spread = [row["min_s"] for row in line], [row["p90_s"] for row in line]
        axes.fill_between(tokens, *spread, color=drawn.get_color(), alpha=0.15, linewidth=0)
    floor = sorted({(row["tokens"], row["floor_s"]) for row in rows})
    axes.plot(*zip(*floor, strict=True), color="0.5", linestyle="--", label="products alone, at the measured rate")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    marks = sorted({row["tokens"] for row in rows})
    axes.set_xticks(marks, [f"{mark:,}" for mark in marks])
    axes.minorticks_off()
    seconds = [value for row in rows for value in (row["floor_s"], row["p90_s"])]
    steps = [step for step in _steps() if min(seconds) * 0.7 <= step <= max(seconds) * 1.4]
    axes.set_yticks(steps, [f"{step:g}" for step in steps])
    axes.set_xlabel("tokens of the record")
    axes.set_ylabel("seconds for a decision (min to p90 shaded)")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    try:
        FigureCanvasAgg(figure).print_png(path)
    except OSError as error:
        raise RequestError(f"bench --plot: {path} must be writable, got: {error.strerror}. Name another.") from None


def _steps() -> list[float]:
    """1, 2, 5, 10 … from a tenth of a millisecond to a thousand seconds."""
    return [digit * 10.0**power for power in range(-4, 4) for digit in (1, 2, 5)]
