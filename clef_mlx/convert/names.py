"""This port's names -> those an MLX folder stores, and back nothing: reading is the business of `weights.layouts`."""

from __future__ import annotations

PREFIXES = {
    "language_model.": "language_model.model.",
    "lm_head": "language_model.lm_head",
    "visual.": "vision_tower.",
    "head.": "",  # in a file of its own, as the publisher has it
}


def stored_name(name: str) -> str:
    """The name of a parameter or module in a folder for mlx-lm and mlx-vlm."""
    for prefix, stored in PREFIXES.items():
        if name.startswith(prefix):
            return stored + name.removeprefix(prefix)
    raise ValueError(name)
