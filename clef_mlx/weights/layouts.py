"""Whose names are these: any layout's tensor name -> this port's parameter name.

Canonical names are `language_model.…`, `lm_head.…` and `head.…` with the release's own attribute names behind them.
A name that is already canonical stays as it is. Nothing is decided here from a tensor's shape or content.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Room = Literal["text", "head", "vision", "mtp", "unknown"]

# Longest first: "model." is also the start of the others.
TEXT_PREFIXES = ("model.language_model.", "language_model.model.", "language_model.", "model.")
TEXT_PARTS = ("embed_tokens.", "layers.", "norm.")
LM_HEAD_PREFIXES = ("language_model.lm_head.", "model.lm_head.", "lm_head.")
VISION_PREFIXES = (
    "model.visual.", "visual.", "vision_tower.", "model.vision_tower.",
    "language_model.visual.", "language_model.vision_tower.",
)  # fmt: skip
HEAD_PARTS = re.compile(
    r"(hidden_norm|(memory|question|option_question|global|option_context|option_lexical)_projection|type_embedding"
    r"|evidence_layers|layers|option_summary_norm|field_norm|option_norm|residual_scorer|prior_logit_scale"
    r"|joint_logit_scale|residual_gate)(\.|$)"
)

# mlx-vlm keeps the head's attention as three projections, torch as one: rows q, then k, then v.
SPLIT_PROJECTION = re.compile(
    r"(?P<attention>.+\.(?:attention|self_attn|multihead_attn))\.(?P<part>query|key|value|q|k|v)_proj\.(?P<leaf>.+)"
)
IN_PROJ_PARTS = {"query": 0, "q": 0, "key": 1, "k": 1, "value": 2, "v": 2}
# torch counts GELU and dropout as places 1 and 2 of its Sequential, mlx-vlm counts linear layers only.
SEQUENTIAL = re.compile(
    r"(?P<block>(?:.+\.)?(?:feedforward|residual_scorer))\.(?:layers\.)?(?P<place>[013])\.(?P<leaf>.+)"
)

# Norm weights that a release stores as w - 1; `linear_attn.norm` is not among them.
ZERO_CENTRED_NORM = re.compile(
    r"language_model\.(?:norm|layers\.\d+\.(?:input_layernorm|post_attention_layernorm|self_attn\.[qk]_norm))\.weight"
)
CONV = re.compile(r"language_model\.layers\.\d+\.linear_attn\.conv1d\.weight")
NEVER_NARROWED = re.compile(r"language_model\.layers\.\d+\.linear_attn\.(?:A_log|dt_bias)")
HEAD_SCALARS = ("head.prior_logit_scale", "head.joint_logit_scale", "head.residual_gate")


class Place(NamedTuple):
    """Where a stored tensor belongs. `part` is its place among the rows of a split in_proj, else None."""

    room: Room
    name: str
    part: int | None = None


def place(stored: str) -> Place:
    """The canonical place of a stored name."""
    if stored.startswith("mtp.") or ".mtp." in stored:
        return Place("mtp", stored)
    for prefix in VISION_PREFIXES:
        if stored.startswith(prefix):
            return Place("vision", "visual." + stored.removeprefix(prefix))
    for prefix in LM_HEAD_PREFIXES:
        if stored.startswith(prefix):
            return Place("text", "lm_head." + stored.removeprefix(prefix))
    for prefix in TEXT_PREFIXES:
        if stored.startswith(prefix) and stored.removeprefix(prefix).startswith(TEXT_PARTS):
            return Place("text", "language_model." + stored.removeprefix(prefix))
    if HEAD_PARTS.match(name := stored.removeprefix("head.")):
        return _head_place(name)
    return Place("unknown", stored)


def _head_place(name: str) -> Place:
    if match := SPLIT_PROJECTION.fullmatch(name):
        part = IN_PROJ_PARTS[match["part"]]
        # `in_proj_weight` is a bare array, so a quantized part's scales become `in_proj_weight.scales`.
        leaf = match["leaf"] if match["leaf"] in ("weight", "bias") else f"weight.{match['leaf']}"
        return Place("head", f"head.{match['attention']}.in_proj_{leaf}", part)
    if match := SEQUENTIAL.fullmatch(name):
        place = {"0": "0", "1": "3", "3": "3"}[match["place"]]
        return Place("head", f"head.{match['block']}.{place}.{match['leaf']}")
    return Place("head", f"head.{name}")


def module_names(key: str) -> tuple[str, ...]:
    """The canonical modules that a key of `quantization` may mean, with or without any of the prefixes."""
    candidates = (key, f"model.{key}")
    places = [place(f"{candidate}.weight") for candidate in candidates]
    return tuple(found.name.removesuffix(".weight") for found in places if found.room == "text")
