"""Facts of a release, read strictly from its JSON files.

A missing fact is an error; nothing is defaulted that the release must say.
"""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from clef_mlx.errors import CheckpointError

LAYER_TYPES = ("linear_attention", "full_attention")
# Far above any model of this kind. Beyond them modules would take hours to build, or sizes overflow.
MOST = 1 << 20
MOST_OF = {"vocab_size": 1 << 24} | dict.fromkeys(("num_hidden_layers", "routing_layers", "layers"), 1024)
MOST_OF |= dict.fromkeys(
    (
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "linear_conv_kernel_dim",
        "linear_key_head_dim",
        "linear_value_head_dim",
        "linear_num_key_heads",
        "linear_num_value_heads",
        "heads",
        "num_heads",
        "depth",
        "in_channels",
        "patch_size",
        "temporal_patch_size",
        "spatial_merge_size",
    ),
    4096,
)


def _fact(values: Mapping[str, Any], name: str, kind: type | tuple[type, ...], where: str) -> Any:
    if name not in values:
        raise CheckpointError(f"{where}: {name} is missing. The file is not this model's config, or is incomplete.")
    value = values[name]
    if isinstance(value, bool) and kind is not bool or not isinstance(value, kind):
        raise CheckpointError(f"{where}: {name} has the wrong JSON type, got {reprlib.repr(value)}.")
    return value


def _count(values: Mapping[str, Any], name: str, where: str) -> int:
    value = _fact(values, name, int, where)
    most = MOST_OF.get(name, MOST)
    if not 1 <= value <= most:
        raise CheckpointError(f"{where}: {name} must be between 1 and {most}, got {reprlib.repr(value)}.")
    return value


def _positive(values: Mapping[str, Any], name: str, where: str) -> float:
    value = _fact(values, name, (int, float), where)
    if not 0 < value <= sys.float_info.max:  # NaN is neither
        raise CheckpointError(f"{where}: {name} must be finite and above 0, got {reprlib.repr(value)}.")
    return float(value)


def _optional(values: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    """A fact that may be absent or null, but must not be of another kind."""
    return None if values.get(name) is None else _fact(values, name, kind, where)


def _divides(part: int, whole: int, part_name: str, whole_name: str, where: str) -> None:
    if whole % part:
        raise CheckpointError(f"{where}: {whole_name} must be a multiple of {part_name}, got {whole} and {part}.")


@dataclass(frozen=True)
class TextConfig:
    """The Qwen3.5 hybrid backbone (`text_config`). Source: transformers `Qwen3_5TextConfig`."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int
    rms_norm_eps: float
    layer_types: tuple[str, ...]
    linear_conv_kernel_dim: int
    linear_key_head_dim: int
    linear_value_head_dim: int
    linear_num_key_heads: int
    linear_num_value_heads: int
    rope_theta: float
    partial_rotary_factor: float
    mrope_section: tuple[int, int, int]
    attention_bias: bool
    tie_word_embeddings: bool

    @property
    def key_dim(self) -> int:
        return self.linear_num_key_heads * self.linear_key_head_dim

    @property
    def value_dim(self) -> int:
        return self.linear_num_value_heads * self.linear_value_head_dim

    @property
    def conv_dim(self) -> int:
        return 2 * self.key_dim + self.value_dim

    @property
    def rotary_dim(self) -> int:
        return int(self.head_dim * self.partial_rotary_factor)

    @classmethod
    def from_json(cls, values: Mapping[str, Any], *, tied: bool, where: str) -> TextConfig:
        counts = {
            name: _count(values, name, where)
            for name in (
                "hidden_size",
                "intermediate_size",
                "num_hidden_layers",
                "num_attention_heads",
                "num_key_value_heads",
                "head_dim",
                "vocab_size",
                "linear_conv_kernel_dim",
                "linear_key_head_dim",
                "linear_value_head_dim",
                "linear_num_key_heads",
                "linear_num_value_heads",
            )
        }
        if (act := values.get("hidden_act", "silu")) != "silu":
            raise CheckpointError(f"{where}: hidden_act must be silu, got {reprlib.repr(act)}.")
        rope = values.get("rope_parameters") or values.get("rope_scaling")
        if not isinstance(rope, Mapping):
            raise CheckpointError(f"{where}: rope_parameters is missing. The rotary embedding cannot be built.")
        if (kind := rope.get("rope_type", rope.get("type", "default"))) not in ("default", "mrope"):
            raise CheckpointError(f"{where}: rope_parameters.rope_type must be default, got {reprlib.repr(kind)}.")
        # Older configs keep two of the rotary facts beside rope_parameters instead of inside it.
        rope = {key: values[key] for key in ("rope_theta", "partial_rotary_factor") if key in values} | dict(rope)
        rope_where = f"{where}: rope_parameters"
        section = _fact(rope, "mrope_section", list, rope_where)
        config = cls(
            **counts,
            rms_norm_eps=_positive(values, "rms_norm_eps", where),
            layer_types=_layer_types(values, counts["num_hidden_layers"], where),
            rope_theta=_positive(rope, "rope_theta", rope_where),
            partial_rotary_factor=_positive(rope, "partial_rotary_factor", rope_where),
            mrope_section=tuple(section),
            attention_bias=bool(values.get("attention_bias", False)),
            tie_word_embeddings=tied,
        )
        if len(section) != 3 or not all(type(part) is int and part >= 0 for part in section):
            raise CheckpointError(f"{rope_where}: mrope_section must be three counts, got {reprlib.repr(section)}.")
        factor = config.partial_rotary_factor
        if factor > 1 or config.rotary_dim < 2 or config.rotary_dim % 2:
            rule = f"must leave an even count of at most {config.head_dim} rotary dims"
            raise CheckpointError(f"{rope_where}: partial_rotary_factor {rule}, got {factor}.")
        _divides(config.num_key_value_heads, config.num_attention_heads, "key/value heads", "heads", where)
        _divides(config.linear_num_key_heads, config.linear_num_value_heads, "linear key heads", "value heads", where)
        return config


def _layer_types(values: Mapping[str, Any], layers: int, where: str) -> tuple[str, ...]:
    if (types := values.get("layer_types")) is None:
        interval = _count(values, "full_attention_interval", where)
        return tuple(LAYER_TYPES[(index + 1) % interval == 0] for index in range(layers))
    if not isinstance(types, list) or len(types) != layers:
        raise CheckpointError(f"{where}: layer_types must list {layers} layers, got {reprlib.repr(types)}.")
    if unknown := sorted({str(kind) for kind in types} - set(LAYER_TYPES)):
        raise CheckpointError(
            f"{where}: layer_types must be among {', '.join(LAYER_TYPES)}, got {reprlib.repr(unknown[0])}."
        )
    return tuple(types)


@dataclass(frozen=True)
class HeadConfig:
    """The joint schema head (`joint_head_config.json`). Source: joint_schema_model.py `JointSchemaHead`."""

    hidden_size: int
    width: int
    routing_layers: int
    layers: int
    heads: int
    feedforward: int

    @classmethod
    def from_json(cls, values: Mapping[str, Any], *, where: str) -> HeadConfig:
        names = ("hidden_size", "width", "routing_layers", "layers", "heads", "feedforward")
        # Dropout belongs to training; it changes no decision.
        if unknown := sorted(set(values) - set(names) - {"dropout"}):
            raise CheckpointError(
                f"{where}: {reprlib.repr(unknown[0])} is not a fact of this head. Known: {', '.join(names)}."
            )
        config = cls(**{name: _count(values, name, where) for name in names})
        _divides(config.heads, config.width, "heads", "width", where)
        return config


@dataclass(frozen=True)
class VisionConfig:
    """The vision tower (`vision_config`). Source: transformers `Qwen3_5VisionConfig`."""

    depth: int
    hidden_size: int
    intermediate_size: int
    num_heads: int
    in_channels: int
    patch_size: int
    temporal_patch_size: int
    spatial_merge_size: int
    num_position_embeddings: int
    out_hidden_size: int
    rope_theta: float

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_heads

    @property
    def patch_dim(self) -> int:
        """Values of one patch: channels, then frames, rows and columns."""
        return self.in_channels * self.temporal_patch_size * self.patch_size**2

    @property
    def merged(self) -> int:
        """Patches that become one token."""
        return self.spatial_merge_size**2

    @property
    def grid_side(self) -> int:
        """Positions along a side of the learned square table."""
        return math.isqrt(self.num_position_embeddings)

    @classmethod
    def from_json(cls, values: Mapping[str, Any], *, hidden_size: int, where: str) -> VisionConfig:
        """`hidden_size` is the backbone's, whose rows the tower makes. Raises CheckpointError."""
        names = [field.name for field in fields(cls) if field.name != "rope_theta"]
        counts = {name: _count(values, name, where) for name in names}
        if (act := values.get("hidden_act", "gelu_pytorch_tanh")) != "gelu_pytorch_tanh":
            raise CheckpointError(f"{where}: hidden_act must be gelu_pytorch_tanh, got {reprlib.repr(act)}.")
        if deep := values.get("deepstack_visual_indexes"):
            raise CheckpointError(f"{where}: deepstack_visual_indexes must be empty, got {reprlib.repr(deep)}.")
        rope = _optional(values, "rope_parameters", Mapping, where) or {}
        # Absent in published files: the value transformers builds such a tower with.
        theta = _positive({"rope_theta": 10000.0} | dict(rope), "rope_theta", f"{where}: rope_parameters")
        config = cls(**counts, rope_theta=theta)
        _divides(config.num_heads, config.hidden_size, "heads", "hidden_size", where)
        if config.head_dim % 4:
            raise CheckpointError(f"{where}: a head's width must be a multiple of 4, got {config.head_dim}.")
        if config.grid_side**2 != config.num_position_embeddings:
            count = config.num_position_embeddings
            raise CheckpointError(f"{where}: num_position_embeddings must be a square number, got {count}.")
        if config.out_hidden_size != hidden_size:
            rule = f"must equal the backbone's {hidden_size}, got {config.out_hidden_size}"
            raise CheckpointError(f"{where}: out_hidden_size {rule}. Tower and backbone are from different models.")
        return config


@dataclass(frozen=True)
class ReleaseConfig:
    """What `config.json` and `joint_head_config.json` say together.

    `vision` stays the raw `vision_config` mapping until a picture is asked for.
    """

    text: TextConfig
    head: HeadConfig
    vision: Mapping[str, Any] | None
    image_token_id: int | None
    video_token_id: int | None
    vision_start_token_id: int | None
    vision_end_token_id: int | None
    quantization: Mapping[str, Any] | None

    @classmethod
    def from_json(cls, config: Mapping[str, Any], head: Mapping[str, Any], *, where: str) -> ReleaseConfig:
        """Read both files' contents; `where` names config.json in messages. Raises CheckpointError."""
        text = config.get("text_config")
        nested = isinstance(text, Mapping)
        text = text if nested else config
        tied = bool(config.get("tie_word_embeddings", text.get("tie_word_embeddings", False)))
        release = cls(
            text=TextConfig.from_json(text, tied=tied, where=f"{where}: text_config" if nested else where),
            head=HeadConfig.from_json(head, where="joint_head_config.json"),
            vision=_optional(config, "vision_config", Mapping, where),
            **{
                name: _optional(config, name, int, where)
                for name in ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
            },
            quantization=_optional(config, "quantization", Mapping, where)
            or _optional(config, "quantization_config", Mapping, where),
        )
        if release.head.hidden_size != release.text.hidden_size:
            raise CheckpointError(
                f"joint_head_config.json: hidden_size must equal the backbone's {release.text.hidden_size}, "
                f"got {release.head.hidden_size}. Head and backbone are from different models."
            )
        return release
