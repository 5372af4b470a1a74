"""Which of the layouts in the wild a folder is, in a letter and in words. For people; loading does not look at it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from clef_mlx.weights.files import HEAD_FILE, ModelFolder
from clef_mlx.weights.plan import Plan


class Layout(NamedTuple):
    """`letter` A to I; `description` is one line."""

    letter: str
    description: str


def layout_of(folder: ModelFolder, plan: Plan) -> Layout:
    """Name the layout by what sets it apart; a folder that is several things gets the rarest one's letter."""
    return Layout(*_kind(folder, plan))


def _kind(folder: ModelFolder, plan: Plan) -> tuple[str, str]:
    if folder.adapter is not None:
        return "H", "release with a clef-finetune adapter, merged while loading"
    if folder.config.get("architectures") == ["ClefForDecision"]:
        return "I", "written by Ollama (ClefForDecision)"
    if (folder.path / "mlx_decision.json").is_file():
        return "F", f"mlx-decision copy, {quantization_words(plan)}"
    if all(file.path.name != HEAD_FILE for file in folder.files):
        return "E", f"mlx-vlm native (head inside the weights), {quantization_words(plan)}"
    if plan.orientation == "release":
        return "A", "the publisher's release"
    kinds = {recipe.quantization for name, recipe in plan.recipes.items() if _quantizable(name)}
    if len(kinds) > 1:
        return "G", f"MLX, mixed: {quantization_words(plan)}"
    if plan.vision:
        return "B", f"MLX with vision, {quantization_words(plan)}"
    if folder.indexed:
        return "C", f"MLX, text only, {quantization_words(plan)}"
    return "D", f"MLX in one file, text only, {quantization_words(plan)}"


def _quantizable(name: str) -> bool:
    """Text matrices, as every MLX converter takes them."""
    return not name.startswith("head.") and name.endswith(".weight") and "norm" not in name and "conv1d" not in name


def quantization_words(plan: Plan) -> str:
    """Such as "4-bit affine g64, 8-bit affine g64 and not quantized", the largest share first."""
    shares: Counter[str] = Counter()
    for name, recipe in plan.recipes.items():
        if _quantizable(name):
            shares[str(recipe.quantization or "not quantized")] += sum(part.weight.elements for part in recipe.parts)
    words = [word for word, _ in shares.most_common()]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
