"""A PEFT adapter's low-rank pairs, matched with the parameters they change.

merged = W + (alpha / r) B A, in float32, rounded once. What this cannot do exactly is refused, never skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.errors import AdapterError
from clef_mlx.weights.headers import TensorHeader, read_header
from clef_mlx.weights.layouts import place
from clef_mlx.weights.plan import Recipe
from clef_mlx.weights.refusals import read_json

WEIGHTS = "adapter_model.safetensors"
KEY = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<side>[AB])(?:\.default)?\.weight")
# These start A and B so that B A is all there is to add; others (pissa, olora, corda) change the base as well.
PLAIN_STARTS = (None, True, False, "gaussian", "eva", "orthogonal")


class LoraPair(NamedTuple):
    """A [r, in], B [out, r] and alpha / r (alpha / sqrt(r) for rank-stabilized adapters)."""

    a: TensorHeader
    b: TensorHeader
    scale: float


def read_adapter(folder: Path, recipes: Mapping[str, Recipe]) -> dict[str, LoraPair]:
    """Pairs by parameter name. Raises AdapterError for an unknown key, a shape that does not fit, another kind."""
    config = read_json(folder / "adapter_config.json")
    _refuse_other_kinds(config)
    if not (folder / WEIGHTS).is_file():
        raise AdapterError(f"{folder.name}/{WEIGHTS}: file is missing. Copy the whole adapter folder.")
    sides: dict[str, dict[str, TensorHeader]] = {}
    modules: dict[str, str] = {}
    for key, tensor in read_header(folder / WEIGHTS).tensors.items():
        match = KEY.fullmatch(key)
        found = place(f"{match['module']}.weight") if match else None
        if match is None or found is None or found.room != "text" or found.name not in recipes:
            raise AdapterError(f"{key}: changes nothing in this model. The adapter belongs to another model.")
        sides.setdefault(found.name, {})[match["side"]] = tensor
        modules[found.name] = match["module"]
    return {name: _pair(recipes[name], pair, _scale(config, modules[name])) for name, pair in sides.items()}


def _refuse_other_kinds(config: Mapping[str, Any]) -> None:
    rules = {
        "peft_type": ("LORA",),
        "use_dora": (None, False),
        "fan_in_fan_out": (None, False),
        "bias": (None, "none"),
        "lora_bias": (None, False),
        "modules_to_save": (None, []),
        "init_lora_weights": PLAIN_STARTS,
    }
    for key, allowed in rules.items():
        if (value := config.get(key)) not in allowed:
            raise AdapterError(
                f"adapter_config.json: {key} must be {allowed[-1]!r}, got {value!r}. Merge it with PEFT."
            )


def _scale(config: Mapping[str, Any], module: str) -> float:
    """alpha / r as PEFT has it: patterns match the end of a module's name at a dot."""

    def pattern(key: str, default: Any) -> Any:
        patterns = config.get(key) or {}
        return next((value for part, value in patterns.items() if re.match(rf"(.*\.)?({part})$", module)), default)

    rank, alpha = pattern("rank_pattern", config.get("r")), pattern("alpha_pattern", config.get("lora_alpha"))
    if not isinstance(rank, int) or rank < 1 or not isinstance(alpha, (int, float)):
        raise AdapterError(f"adapter_config.json: r and lora_alpha must be numbers, got {rank!r} and {alpha!r}.")
    return alpha / math.sqrt(rank) if config.get("use_rslora") else alpha / rank


def _pair(recipe: Recipe, sides: Mapping[str, TensorHeader], scale: float) -> LoraPair:
    if set(sides) != {"A", "B"}:
        raise AdapterError(f"{next(iter(sides.values())).name}: its other half is missing. Copy the adapter again.")
    a, b = sides["A"], sides["B"]
    rows, columns = recipe.shape
    if a.shape != (b.shape[-1], columns) or b.shape != (rows, a.shape[0]):
        got = f"{list(b.shape)} and {list(a.shape)}"
        raise AdapterError(f"{b.name}: B and A must give [{rows}, {columns}], got {got}. It is for another base.")
    return LoraPair(a, b, scale)


def merge(weight: mx.array, a: mx.array, b: mx.array, scale: float) -> mx.array:
    """weight [out, in] + scale * b [out, r] @ a [r, in], float32."""
    return weight.astype(mx.float32) + scale * (b.astype(mx.float32) @ a.astype(mx.float32))
