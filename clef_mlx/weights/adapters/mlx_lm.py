"""A folder as mlx-lm or mlx-vlm writes it -> changes by parameter.

Their factors lie the other way round, a [in, r] and b [r, out], and the scale is stored as it is applied.
Source: mlx-lm `tuner/lora.py`, `tuner/dora.py`; mlx-vlm `trainer/peft/lora.py` for the older names A and B.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from clef_mlx.errors import AdapterError
from clef_mlx.strict_json import show
from clef_mlx.weights.adapters.change import Change
from clef_mlx.weights.adapters.gather import Gather, Orientation
from clef_mlx.weights.adapters.keys import parameter, training_name
from clef_mlx.weights.headers import TensorHeader

WEIGHTS = "adapters.safetensors"
KINDS = ("lora", "dora", "full")
SIDES = {"lora_a": "a", "lora_b": "b", "A": "a", "B": "b", "m": "m"}
KEY = re.compile(rf"(?P<module>.+)\.(?P<side>{'|'.join(SIDES)})")


def read_mlx(config: Mapping[str, Any], tensors: Mapping[str, TensorHeader], gather: Gather) -> dict[str, Change]:
    """Changes by parameter. Raises AdapterError with a line per key that has no place or no fitting shape."""
    kind = config.get("fine_tune_type", "lora")
    if kind not in KINDS:
        raise AdapterError(f"adapter_config.json: fine_tune_type must be one of {', '.join(KINDS)}, got {show(kind)}.")
    sides: dict[str, dict[str, TensorHeader]] = {}
    for key, tensor in tensors.items():
        if kind != "full" and (match := KEY.fullmatch(key)):
            sides.setdefault(training_name(match["module"]), {})[SIDES[match["side"]]] = tensor
        elif kind == "full" and (name := parameter(key, gather.shapes)):
            gather.save(name, tensor, Orientation.MLX)
        else:
            gather.unknown(tensor, None)
    if sides:
        rank, scale = rank_and_scale(config)
    for module, pair in sides.items():
        if (kind == "dora") != ("m" in pair):
            stray = (
                "is missing beside it and fine_tune_type is dora"
                if kind == "dora"
                else f"is beside it and fine_tune_type is {kind}"
            )
            gather.problem(next(iter(pair.values())), f"m {stray}. Copy the adapter again.")
            continue
        table = module.endswith("embed_tokens")
        gather.pair(module, pair, scale, rank, Orientation.MLX_EMBEDDING if table else Orientation.MLX)
    return gather.changes()


def rank_and_scale(config: Mapping[str, Any]) -> tuple[int, float]:
    """The rank and the factor of B A. mlx-vlm's older folders have alpha instead, its newer ones are mlx-lm's."""
    facts = config.get("lora_parameters") or config
    if not isinstance(facts, Mapping):
        raise AdapterError(f"adapter_config.json: lora_parameters must be an object, got {show(facts)}.")
    rank, scale = facts.get("rank"), facts.get("scale")
    if type(rank) is not int or rank < 1:
        raise AdapterError(f"adapter_config.json: rank must be a whole number >= 1, got {show(rank)}.")
    if scale is None and type(alpha := facts.get("alpha")) in (int, float):
        scale = alpha / rank
    if type(scale) not in (int, float) or not abs(scale) < math.inf:
        raise AdapterError(f"adapter_config.json: scale must be a number, got {show(scale)}.")
    return rank, float(scale)
