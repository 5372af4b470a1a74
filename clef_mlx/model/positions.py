"""Where each token stands on the three rotary axes (time, height, width), and the rotary tables for it."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from clef_mlx.config import TextConfig


def text_positions(start: int, end: int) -> np.ndarray:
    """Positions of plain text tokens `start` to `end`: the three axes are equal. -> [3, L] int64."""
    return np.broadcast_to(np.arange(start, end, dtype=np.int64), (3, end - start))


def rotary_tables(position_ids: np.ndarray, config: TextConfig) -> tuple[mx.array, mx.array]:
    """cos and sin [..., L, rotary_dim / 2] float32 for positions [3, ..., L].

    Interleaved M-RoPE: frequency slot 3k+1 turns with height while below 3 * section[1], slot 3k+2 with width while
    below 3 * section[2], every other slot with time. Angles are float32 products as in the reference, whose rounding
    is visible at 16k tokens. Source: transformers `Qwen3_5TextRotaryEmbedding`.
    """
    slots = np.arange(0, config.rotary_dim, 2, dtype=np.float32) / np.float32(config.rotary_dim)
    frequencies = np.float32(1.0) / (np.float64(config.rope_theta) ** slots.astype(np.float64)).astype(np.float32)
    axis = np.zeros(len(frequencies), dtype=np.int64)
    for dim in (1, 2):
        axis[dim : 3 * config.mrope_section[dim] : 3] = dim
    angles = np.moveaxis(position_ids, 0, -1)[..., axis].astype(np.float32) * frequencies
    return mx.array(np.cos(angles)), mx.array(np.sin(angles))
