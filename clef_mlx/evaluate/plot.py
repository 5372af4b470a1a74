"""A report's reliability and risk-coverage curves as one picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clef_mlx.errors import RequestError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_plotting() -> None:
    """Raise RequestError where the drawing library is missing, before anything is decided."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise RequestError(
            "eval --plot: matplotlib must be installed, got no such package. Run: pip install 'clef-mlx[bench]'."
        ) from None


def plot(document: dict[str, Any], path: Path) -> None:
    """Write a PNG: on the left accuracy over confidence, on the right the error rate over the share decided alone."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for model in document["models"]:
        if model["all"] is not None:
            _reliability(left, model)
            _risk(right, model)
    _dress(left, right)
    data = document["data"]
    figure.suptitle(f"{data['labelled_questions']:,} labelled questions of {data['requests']:,} requests", fontsize=10)
    FigureCanvasAgg(figure).print_png(path)


def _reliability(axes: Axes, model: dict[str, Any]) -> None:
    bins, ece = model["reliability"], model["all"]["ece"]
    label = _name(model) if ece is None else f"{_name(model)}, ECE {ece:.3f}"
    axes.plot([part["confidence"] for part in bins], [part["accuracy"] for part in bins], marker="o", label=label)


def _risk(axes: Axes, model: dict[str, Any]) -> None:
    shares, risks = zip(*model["risk_coverage"], strict=True)
    axes.plot(shares, risks, label=f"{_name(model)}, accuracy {model['all']['accuracy']:.1%}")


def _name(model: dict[str, Any]) -> str:
    """As the legend shows it: an underscore in front would hide the line, and dollars begin a formula."""
    return " " + model["name"].replace("$", r"\$")


def _dress(left: Axes, right: Axes) -> None:
    left.plot([0, 1], [0, 1], color="0.5", linestyle="--", label="calibrated")
    left.set(xlabel="confidence", ylabel="share right, bins of equal mass", xlim=(0, 1.02), ylim=(0, 1.02))
    left.set_title("Reliability", fontsize=10)
    right.set(xlabel="share decided alone, surest first", ylabel="share wrong among them", xlim=(0, 1.02))
    right.set_ylim(bottom=0)
    right.set_title("Risk and coverage", fontsize=10)
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
