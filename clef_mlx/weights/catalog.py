"""The public Clef checkpoints: what each takes to download and to run, by arithmetic from the published shapes.

Nothing is asked of the hub. Sizes leave out tokenizers and configs.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_flatten

from clef_mlx.config import HeadConfig, ReleaseConfig, TextConfig
from clef_mlx.model.clef import ClefModel
from clef_mlx.model.paths import paths
from clef_mlx.weights.footprint import Footprint
from clef_mlx.weights.memory import available_bytes, on_gpu
from clef_mlx.weights.precision import SPARE

LENGTHS = (1024, 4096, 16384)  # tokens of a record
GROUP_BITS = 0.5  # a group of 64 has a scale and a bias of 16 bits each


class Backbone(NamedTuple):
    """Published shapes. `parameters` counts backbone and vision tower, without the head."""

    parameters: int
    hidden: int
    layers: int
    intermediate: int
    heads: int
    value_heads: int


BACKBONES = {
    "clef-flash": Backbone(9_409_813_744, 4096, 32, 12288, 16, 32),
    "clef": Backbone(27_356_728_560, 5120, 64, 17408, 24, 48),
}


class Public(NamedTuple):
    """`bits` are those of the text's matrices; 16 is the release itself."""

    name: str
    alias: str | None
    backbone: str
    bits: float


CHECKPOINTS = (
    Public("Cloudflare/clef-flash", None, "clef-flash", 16),
    Public("mlx-community/clef-flash-8bit", "clef-flash-8bit", "clef-flash", 8),
    Public("mlx-community/clef-flash-4bit", "clef-flash", "clef-flash", 4),
    Public("Cloudflare/clef", None, "clef", 16),
    Public("mlx-community/clef-8bit", "clef-8bit", "clef", 8),
    Public("mlx-community/clef-4bit", "clef", "clef", 4),
)


class Offer(NamedTuple):
    """One checkpoint on this machine, in bytes; `memory` by record length.

    `fits` is yes, no, or slowly: on a CPU, where the weights fit as they are stored but not in float32.
    """

    checkpoint: Public
    download: int
    memory: dict[int, int]
    fits: Literal["yes", "slowly", "no"]


def offers() -> list[Offer]:
    """Every known checkpoint, sized for this machine as it is now."""
    available = available_bytes() * (1 - SPARE)
    return [_offer(checkpoint, available) for checkpoint in CHECKPOINTS]


def _offer(checkpoint: Public, available: float) -> Offer:
    config, text, head = _shapes(checkpoint.backbone)
    vision = BACKBONES[checkpoint.backbone].parameters - text
    stored = _packed(text, checkpoint.bits)
    rest = 2 * head
    download = stored + 2 * vision + rest
    # As `weights.precision` chooses: on a GPU as stored, on a CPU float32 if that fits.
    fast = (stored + rest, 2) if on_gpu() else (4 * (text + head), 4)
    memory = _memory(config, *fast)
    if memory[LENGTHS[0]] <= available:
        return Offer(checkpoint, download, memory, "yes")
    memory = memory if on_gpu() else _memory(config, stored + 2 * rest, 4)
    return Offer(checkpoint, download, memory, "slowly" if memory[LENGTHS[0]] <= available else "no")


def _packed(parameters: int, bits: float) -> int:
    return int(parameters * (bits if bits >= 16 else bits + GROUP_BITS) / 8)


def _memory(config: ReleaseConfig, weights: int, width: int) -> dict[int, int]:
    """Weights and what a record of each length takes beside them, activations of `width` bytes."""
    deciding = Footprint.of(config, width).deciding
    return {tokens: weights + deciding(tokens, chunk=paths().prefill_tokens) for tokens in LENGTHS}


@cache
def _shapes(backbone: str) -> tuple[ReleaseConfig, int, int]:
    """Config, and the parameters of text and head. MLX allocates nothing for a model that is never evaluated."""
    facts = BACKBONES[backbone]
    config = ReleaseConfig(
        _text(facts), HeadConfig(facts.hidden, 1024, 2, 4, 16, 4096), None, None, None, None, None, None
    )
    counts = {"text": 0, "head": 0}
    for name, value in tree_flatten(ClefModel(config).parameters()):
        counts["head" if name.startswith("head.") else "text"] += value.size
    mx.clear_cache()
    return config, counts["text"], counts["head"]


def _text(facts: Backbone) -> TextConfig:
    return TextConfig(
        hidden_size=facts.hidden,
        intermediate_size=facts.intermediate,
        num_hidden_layers=facts.layers,
        num_attention_heads=facts.heads,
        num_key_value_heads=4,
        head_dim=256,
        vocab_size=248320,
        rms_norm_eps=1e-6,
        layer_types=("linear_attention", "linear_attention", "linear_attention", "full_attention")
        * (facts.layers // 4),
        linear_conv_kernel_dim=4,
        linear_key_head_dim=128,
        linear_value_head_dim=128,
        linear_num_key_heads=16,
        linear_num_value_heads=facts.value_heads,
        rope_theta=1e7,
        partial_rotary_factor=0.25,
        mrope_section=(11, 11, 10),
        attention_bias=False,
        tie_word_embeddings=False,
    )
