"""A folder as PEFT writes it -> changes by parameter. Unsloth and clef-finetune write the same.

Only the config and headers are read. What this cannot add exactly is refused, never skipped.
Source: peft 0.21 `LoraConfig`, `check_target_module_exists`, `get_pattern_key`, `get_peft_model_state_dict`.
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

WEIGHTS = "adapter_model.safetensors"
PICKLE = "adapter_model.bin"
SIDES = {"lora_A": "a", "lora_B": "b", "lora_embedding_A": "a", "lora_embedding_B": "b", "lora_magnitude_vector": "m"}
# The adapter's own name ("default") is in the key or not, depending on who saved it.
KEY = re.compile(rf"(?P<module>.+)\.(?P<side>{'|'.join(SIDES)})(?:\.(?!weight$|bias$)[^.]+)?(?:\.weight)?")
SAVED = re.compile(r"(?P<module>.+?)(?:\.modules_to_save(?:\.[^.]+(?=\.))?|\.base_layer)?\.(?P<leaf>[^.]+)")
BASE_LAYER = ".base_layer."

# These start A and B so that B A is all there is to add; others (pissa, olora, corda) change the base as well.
PLAIN_STARTS = (None, True, False, "gaussian", "eva", "orthogonal")
# Fields whose other values mean another arithmetic than W + scale B A (and DoRA's lengths).
RULES: dict[str, tuple[Any, ...]] = {
    "peft_type": ("LORA",),
    "fan_in_fan_out": (None, False),
    "bias": (None, "none"),
    "lora_bias": (None, False),
    "init_lora_weights": PLAIN_STARTS,
    "use_qalora": (None, False),
} | dict.fromkeys(
    ("alora_invocation_tokens", "arrow_config", "kasa_config", "layer_replication", "lora_ga_config",
     "monteclora_config", "target_parameters", "trainable_token_indices", "use_bdlora", "velora_config"),
    (None, [], {}, False),
)  # fmt: skip


def read_peft(config: Mapping[str, Any], tensors: Mapping[str, TensorHeader], gather: Gather) -> dict[str, Change]:
    """Changes by parameter. Raises AdapterError with a line per key that has no place or no fitting shape."""
    for key, allowed in RULES.items():
        if (value := config.get(key)) not in allowed:
            wanted = "null" if allowed[-1] in ({}, False, None) else show(allowed[-1])
            raise AdapterError(f"adapter_config.json: {key} must be {wanted}, got {show(value)}. Merge it with PEFT.")
    _check_kinds(config)
    sides: dict[str, dict[str, TensorHeader]] = {}
    for key, tensor in tensors.items():
        if match := KEY.fullmatch(key):
            sides.setdefault(training_name(match["module"]), {})[match["side"]] = tensor
        else:
            _saved(config, key, tensor, gather)
    for module, found in sides.items():
        _pair(config, module, found, gather)
    for part in _names(config, "modules_to_save"):
        if not gather.saved_in(part.rpartition(".")[2]):
            gather.missing(f"adapter_config.json: modules_to_save names {part}, which has no weights in {WEIGHTS}.")
    return gather.changes()


def _check_kinds(config: Mapping[str, Any]) -> None:
    for key in ("rank_pattern", "alpha_pattern"):
        if (value := config.get(key)) is not None and not isinstance(value, dict):
            raise AdapterError(f"adapter_config.json: {key} must be an object, got {show(value)}. Copy it again.")
    for key in ("target_modules", "exclude_modules", "modules_to_save", "layers_pattern"):
        value = config.get(key)
        names = value is None or isinstance(value, list) and all(isinstance(name, str) for name in value)
        if not (names or isinstance(value, str)):
            raise AdapterError(f"adapter_config.json: {key} must be text or a list of names, got {show(value)}.")


def _saved(config: Mapping[str, Any], key: str, tensor: TensorHeader, gather: Gather) -> None:
    """A parameter that was trained whole, or the base of an embedding, which PEFT stores beside its pair."""
    match = SAVED.fullmatch(key)
    module = training_name(match["module"]) if match else key
    name = parameter(f"{module}.{match['leaf']}", gather.shapes) if match else None
    listed = any(module == part or f".{part}." in f".{module}." for part in _names(config, "modules_to_save"))
    if name is None or not (listed or BASE_LAYER in key):
        gather.unknown(tensor, "modules_to_save" if name else None)
        return
    gather.save(name, tensor, Orientation.RELEASE)


def _pair(config: Mapping[str, Any], module: str, found: dict[str, TensorHeader], gather: Gather) -> None:
    first = next(iter(found.values()))
    if not targeted(config, module):
        gather.unknown(first, "target_modules" if gather.knows(module) else None)
        return
    pair = {SIDES[side]: tensor for side, tensor in found.items()}
    embedding = "lora_embedding_A" in found or "lora_embedding_B" in found
    dora = bool(config.get("use_dora"))
    if dora and embedding:
        gather.problem(first, "DoRA of an embedding is not read here. Merge it with PEFT.")
    elif dora != ("m" in pair):
        stray = "is missing beside it and use_dora is true" if dora else "is beside it and use_dora is false"
        gather.problem(first, f"lora_magnitude_vector {stray}. Copy the adapter again.")
    else:
        rank, scale = rank_and_scale(config, module)
        gather.pair(module, pair, scale, rank, Orientation.EMBEDDING if embedding else Orientation.RELEASE)


def rank_and_scale(config: Mapping[str, Any], module: str) -> tuple[int, float]:
    """r, and alpha / r or alpha / sqrt(r). Patterns match the end of a module's name at a dot."""

    def pattern(key: str, default: Any) -> Any:
        patterns = config.get(key) or {}
        return next((value for part, value in patterns.items() if _fits(rf"(.*\.)?({part})", module)), default)

    rank, alpha = pattern("rank_pattern", config.get("r")), pattern("alpha_pattern", config.get("lora_alpha"))
    if type(rank) is not int or rank < 1:
        raise AdapterError(f"adapter_config.json: r must be a whole number >= 1, got {show(rank)} for {module}.")
    if type(alpha) not in (int, float) or not abs(alpha) < math.inf:
        raise AdapterError(f"adapter_config.json: lora_alpha must be a number, got {show(alpha)} for {module}.")
    return rank, alpha / math.sqrt(rank) if config.get("use_rslora") else alpha / rank


def targeted(config: Mapping[str, Any], module: str) -> bool:
    """Whether PEFT, loading this adapter, would put a pair on this module; without target_modules any will do."""
    targets = config.get("target_modules")
    if _matches(config.get("exclude_modules") or [], module):
        return False
    if targets is None or targets == "all-linear":
        return True
    return _matches(targets, module) and (isinstance(targets, str) or _in_layers(config, module))


def _matches(targets: Any, module: str) -> bool:
    """A string is a pattern for the whole name, a list holds names and ends of names."""
    if isinstance(targets, str):
        return _fits(targets, module)
    return any(module == target or module.endswith(f".{target}") for target in targets)


def _in_layers(config: Mapping[str, Any], module: str) -> bool:
    layers = config.get("layers_to_transform")
    if layers is None or layers == []:
        return True
    patterns = _names(config, "layers_pattern") or [r"[^.]*"]
    match = next((found for part in patterns if (found := re.match(rf"(?:.*?\.)?{part}\.(\d+)\.", module))), None)
    return match is not None and int(match[1]) in (layers if isinstance(layers, list) else [layers])


def _names(config: Mapping[str, Any], key: str) -> list[str]:
    value = config.get(key) or []
    return [value] if isinstance(value, str) else list(value)


def _fits(pattern: str, module: str) -> bool:
    try:
        return re.fullmatch(pattern, module) is not None
    except re.error as error:
        raise AdapterError(f"adapter_config.json: {show(pattern)} is no pattern: {error}.") from None
