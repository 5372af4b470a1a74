"""What a chip could do at best, and what a forward must do at least: their quotient is the time no code can beat.

Prefill is bound by products, so the roof that counts is FLOP/s; memory only matters for very short records.
"""

from __future__ import annotations

from dataclasses import dataclass

from clef_mlx.config import ReleaseConfig

FP32_SOURCE = "huggingface.js packages/tasks/src/hardware.ts at 2c3c6c2"
ULTRA_SOURCE = "huggingface.co/hardware/apple-m5-ultra"


@dataclass(frozen=True)
class Chip:
    """Public figures of the largest GPU sold under a name, never measured here; None is unknown.

    `fp32_tflops` is the rate of the shader units. From the M5 on each GPU core also has a matrix unit, whose rate
    Apple does not publish: products in 16 bits may run above the roof drawn here.
    """

    fp32_tflops: float
    bandwidth_gb_s: float | None
    bandwidth_source: str | None = None
    fp32_source: str = FP32_SOURCE
    matrix_units: bool = False


BOOK = "akunu.prabod.rathnayaka.me/part1/ch05-chip-generations.html"
GIST = "gist.github.com/kellyshephard (chips_table.md)"
M4_CARDS = "gpuhunter.io/gpu/m4-pro and /m4-max"
M3_NEWS = "techpowerup.com/news-tags/Mac Studio, from Apple's announcement"
M5_NEWS = "lowyat.net/2026/385170/apple-m5-pro-m5-max, from Apple's announcement"
CHIPS = {
    "Apple M1": Chip(2.6, 68.0, BOOK),
    "Apple M1 Pro": Chip(5.2, 200.0, BOOK),
    "Apple M1 Max": Chip(10.4, 400.0, BOOK),
    "Apple M1 Ultra": Chip(21.0, 800.0, BOOK),
    "Apple M2": Chip(3.6, 100.0, GIST),
    "Apple M2 Pro": Chip(6.8, None),
    "Apple M2 Max": Chip(13.49, None),
    "Apple M2 Ultra": Chip(27.2, None),
    "Apple M3": Chip(4.1, 100.0, GIST),
    "Apple M3 Pro": Chip(7.4, None),
    "Apple M3 Max": Chip(14.2, None),
    "Apple M3 Ultra": Chip(28.4, 819.0, M3_NEWS),
    "Apple M4": Chip(4.6, 120.0, GIST),
    "Apple M4 Pro": Chip(9.2, 273.0, M4_CARDS),
    "Apple M4 Max": Chip(18.4, 546.0, M4_CARDS),
    "Apple M5": Chip(5.7, 153.0, GIST, matrix_units=True),
    "Apple M5 Pro": Chip(11.4, 307.0, M5_NEWS, matrix_units=True),
    "Apple M5 Max": Chip(22.8, 614.0, M5_NEWS, matrix_units=True),
    "Apple M5 Ultra": Chip(45.6, None, fp32_source=ULTRA_SOURCE, matrix_units=True),
}


def chip_named(name: str) -> Chip | None:
    """The public figures of a chip as MLX names it; None for one that is not in the table."""
    return CHIPS.get(name.strip())


def forward_flops(config: ReleaseConfig, tokens: int) -> float:
    """FLOPs that deciding one record of `tokens` tokens needs: the products of backbone and memory projection.

    Two per weight and token, 4 T^2 / 2 per query head and dim of causal attention, and the delta rule's own 8 per
    entry of its state and token (decay, read, write, read). Embedding rows are looked up; the head's few rows and the
    elementwise work are left out.
    """
    c = config.text
    D = c.hidden_size
    mlp = 3 * D * c.intermediate_size
    heads = c.num_attention_heads * c.head_dim
    delta = D * (c.conv_dim + 2 * c.value_dim + 2 * c.linear_num_value_heads)
    attention = D * (3 * heads + 2 * c.num_key_value_heads * c.head_dim)
    full = sum(kind == "full_attention" for kind in c.layer_types)
    linear = len(c.layer_types) - full
    weights = len(c.layer_types) * mlp + linear * delta + full * attention + D * config.head.width
    state = c.linear_num_value_heads * c.linear_key_head_dim * c.linear_value_head_dim
    return tokens * (2.0 * weights + 8.0 * linear * state) + 2.0 * full * heads * tokens**2
