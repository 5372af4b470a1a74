"""The name an adapter gives a module -> the rows of this port's parameters it stands for.

Adapters are written from many sides of the same model: with the wrappers of a training library around it, from the
text model alone, or for runtimes that split or join the linear-attention projections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from clef_mlx.config import TextConfig
from clef_mlx.weights.layouts import place
from clef_mlx.weights.plan import Shape

# torch.compile, activation checkpointing, FSDP and DDP put a name of their own into a module's path.
WRAPPERS = re.compile(r"(?:^|(?<=\.))(?:_orig_mod|_checkpoint_wrapped_module|_fsdp_wrapped_module|original_layer)\.")
PEFT_PREFIX = "base_model.model."
OUTER = ("module.", "model.", "language_model.", "backbone.")  # what may stand around the published model

# Where others split or join what the release does not. qkvz is q, k, v, z one after another, as SGLang has it for
# Qwen3.5 (lora.py `_normalize_in_proj_qkvz`), and ba is b, a.
SPLIT = re.compile(r"(?P<block>.+\.linear_attn)\.(?:in_proj_(?P<part>[qkv])|(?P<fla>[qkv])_proj)")
JOINED = re.compile(r"(?P<block>.+\.linear_attn)\.in_proj_(?P<parts>qkvz|ba)")
VISION_SPLIT = re.compile(r"(?P<block>.*\bblocks\.\d+\.attn)\.(?P<part>[qkv])(?:_proj)?")


class Spot(NamedTuple):
    """Rows of a parameter [start, start + rows) that come from rows [source, source + rows) of the adapter's module."""

    name: str
    start: int
    rows: int
    source: int = 0


def training_name(key: str) -> str:
    """A key as the training library's own model has it, without wrappers."""
    return WRAPPERS.sub("", key.removeprefix("module.").removeprefix(PEFT_PREFIX))


def parameter(stored: str, shapes: Mapping[str, Shape]) -> str | None:
    """The backbone's parameter of a stored name, None where there is none. The head is never meant."""
    name = stored
    while True:
        # Before the bare name: `layers.0` alone is the text model's, though the head has layers too.
        for candidate in (f"model.{name}", name):
            found = place(candidate)
            if found.room in ("text", "vision") and found.name in shapes:
                return found.name
        outer = next((prefix for prefix in OUTER if name.startswith(prefix)), None)
        if outer is None:
            return None
        name = name.removeprefix(outer)


def spots(module: str, shapes: Mapping[str, Shape], text: TextConfig) -> tuple[Spot, ...]:
    """The rows that a linear module's weight stands for; empty where the model has no such module."""

    def find(name: str) -> str | None:
        return parameter(f"{name}.weight", shapes)

    if (whole := find(module)) is not None:
        return (Spot(whole, 0, shapes[whole][0]),) if shapes[whole] else ()
    if match := SPLIT.fullmatch(module):
        return _split(find(f"{match['block']}.in_proj_qkv"), match["part"] or match["fla"], text)
    if match := JOINED.fullmatch(module):
        return _joined(match["block"], match["parts"], find, shapes)
    if (match := VISION_SPLIT.fullmatch(module)) and (fused := find(f"{match['block']}.qkv")):
        rows = shapes[fused][0] // 3
        return (Spot(fused, "qkv".index(match["part"]) * rows, rows),)
    return ()


def _split(fused: str | None, part: str, text: TextConfig) -> tuple[Spot, ...]:
    rows = {"q": (0, text.key_dim), "k": (text.key_dim, text.key_dim), "v": (2 * text.key_dim, text.value_dim)}
    return () if fused is None else (Spot(fused, *rows[part]),)


def _joined(block: str, parts: str, find: Callable[[str], str | None], shapes: Mapping[str, Shape]) -> tuple[Spot, ...]:
    leaves = ("in_proj_qkv", "in_proj_z") if parts == "qkvz" else ("in_proj_b", "in_proj_a")
    names = [find(f"{block}.{leaf}") for leaf in leaves]
    if None in names:
        return ()
    first, second = ((name, shapes[name][0]) for name in names)
    return Spot(first[0], 0, first[1]), Spot(second[0], 0, second[1], source=first[1])
