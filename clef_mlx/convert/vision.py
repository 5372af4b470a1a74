"""A tower's recipes as they are written: all as it is stored, but for the patch embedding, turned to MLX's axes."""

from __future__ import annotations

from dataclasses import replace

from clef_mlx.config import ReleaseConfig
from clef_mlx.weights.plan import Plan, Recipe
from clef_mlx.weights.vision import PATCHES, tower_recipes, vision_config


def vision_recipes(plan: Plan, release: ReleaseConfig, where: str) -> list[Recipe]:
    """In the order of the tower; nothing where a folder has none. Raises CheckpointError for one that does not fit."""
    if not plan.vision:
        return []
    config = vision_config(release)
    recipes = tower_recipes(plan.vision, config, where)
    patches = recipes[PATCHES]
    stored = patches.parts[0].weight.shape
    side = config.patch_size
    finished = (stored[0], config.temporal_patch_size, side, side, config.in_channels)
    # Flat rows are a release's, whoever wrote them.
    turned = len(stored) == 2 or patches.change == "flatten"
    recipes[PATCHES] = replace(patches, shape=finished, change="channels last" if turned else "none")
    return list(recipes.values())
