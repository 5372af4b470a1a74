"""A converted folder as a picture: the bits of every module by layer, and how far answers moved.

Drawn with matplotlib, which is an extra; a conversion without it only lacks the picture.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clef_mlx.convert.fidelity import TYPES, Fidelity
from clef_mlx.convert.recipes import LAYER
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import plan_folder
from clef_mlx.weights.plan import Plan

NAME = "conversion_report.png"
# Rows of the heat map, as the layers have them; the two tables stand in the title.
ROWS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "linear_attn.in_proj_qkv", "linear_attn.in_proj_z", "linear_attn.in_proj_a", "linear_attn.in_proj_b",
    "linear_attn.out_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
MOST_BITS = 16  # of the colours; float32 looks like bfloat16
BINS = 40
LEAST_DP = 1e-6  # what is less stands in the first bin


def draw(folder: Path, fidelity: Fidelity) -> str | None:
    """Write the picture into a converted folder. -> why there is none, in a line, or None. Raises OSError."""
    if importlib.util.find_spec("matplotlib") is None:
        return f"{NAME}: not drawn, matplotlib is not installed. Run: pip install matplotlib."
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    _, _, plan = plan_folder(read_folder(folder))
    figure = Figure(figsize=(11, 8), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(3, 2))
    _draw_bits(figure, above, plan)
    _draw_changes(below, fidelity)
    FigureCanvasAgg(figure).print_png(folder / NAME)
    return None


def bits_by_layer(plan: Plan) -> list[list[float]]:
    """Bits of a stored weight without scales, a row per module and a column per layer; NaN where there is none."""
    found = {recipe.module: recipe for recipe in plan.recipes.values()}
    layers = 1 + max(int(match[1]) for name in found if (match := LAYER.fullmatch(name)))
    grid = [[float("nan")] * layers for _ in ROWS]
    for name, recipe in found.items():
        if (match := LAYER.fullmatch(name)) and match[2] in ROWS:
            grid[ROWS.index(match[2])][int(match[1])] = recipe.quantization.bits if recipe.quantization else MOST_BITS
    return grid


def _draw_bits(figure: Any, axes: Any, plan: Plan) -> None:
    grid = bits_by_layer(plan)
    image = axes.imshow(grid, aspect="auto", cmap="viridis", vmin=2, vmax=MOST_BITS, interpolation="nearest")
    if len(grid[0]) <= 64:
        for row, values in enumerate(grid):
            for layer, bits in enumerate(values):
                if bits == bits:  # not NaN
                    colour = "white" if bits < 12 else "black"
                    axes.text(layer, row, f"{bits:g}", ha="center", va="center", fontsize=7, color=colour)
    axes.set_yticks(range(len(ROWS)), ROWS, fontsize=8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("layer")
    axes.set_title(f"bits of a weight ({_tables(plan)})", fontsize=10)
    figure.colorbar(image, ax=axes, pad=0.01)


def _tables(plan: Plan) -> str:
    words = []
    for module in ("language_model.embed_tokens", "lm_head"):
        if (recipe := plan.recipes.get(f"{module}.weight")) is not None:
            bits = recipe.quantization.bits if recipe.quantization else MOST_BITS
            words.append(f"{module.rpartition('.')[2]}: {bits}")
    return ", ".join(words)


def _draw_changes(axes: Any, fidelity: Fidelity) -> None:
    by_type = {name: [each.dp for each in fidelity.differences if each.type == name] for name in TYPES}
    shown = {name: values for name, values in by_type.items() if values}
    edges = _edges([value for values in shown.values() for value in values])
    clipped = [[max(LEAST_DP, value) for value in values] for values in shown.values()]
    axes.hist(clipped, bins=edges, stacked=True, label=list(shown))
    axes.set_xscale("log")
    axes.set_xlabel("change of an option's probability, the largest in a question")
    axes.set_ylabel("questions")
    summary = fidelity.summary()
    axes.set_title(
        f"{summary.changed} of {summary.questions} answers changed, mean dp {summary.mean_dp:.4f}, "
        f"max {summary.max_dp:.4f}",
        fontsize=10,
    )
    axes.legend(frameon=False)


def _edges(values: Sequence[float]) -> list[float]:
    """Bins even in log, from the least that is shown to the largest change."""
    highest = max(2 * LEAST_DP, *values)
    return [LEAST_DP * (highest / LEAST_DP) ** (step / BINS) for step in range(BINS + 1)]
