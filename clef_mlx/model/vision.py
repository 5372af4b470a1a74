"""The vision tower: patches of one picture or clip -> rows for the backbone, one per merged token.

Frames never see each other, so a clip may be given frame by frame. Source: transformers `Qwen3_5VisionModel`.
"""

from __future__ import annotations

from collections.abc import Iterator

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from clef_mlx.config import VisionConfig
from clef_mlx.model.attention import SCORE_BYTES
from clef_mlx.model.cores import attend, gelu_tanh
from clef_mlx.model.elementwise import fused, gelu
from clef_mlx.model.paths import paths
from clef_mlx.model.positions import Grid, patch_places, resample

NORM_EPS = 1e-6
MLP_ROWS = 8192  # patches whose widened rows are held at a time
FUSED_DIMS = (64, 80, 128)  # heads of these widths have a kernel of their own in MLX


class PatchEmbed(nn.Module):
    """A convolution that moves by its own size, so one product. Columns are channels, frames, rows, columns."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.proj = nn.Linear(config.patch_dim, config.hidden_size)

    def __call__(self, pixel_values: mx.array) -> mx.array:
        return self.proj(pixel_values)


class VisionAttention(nn.Module):
    """Attention among the patches of a frame, with rotary positions over rows and columns."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.heads = config.num_heads
        self.qkv = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.proj = nn.Linear(config.hidden_size, config.hidden_size)

    def __call__(self, x: mx.array, rotary: tuple[mx.array, mx.array], frames: int) -> mx.array:
        """x [N, D], `frames` of equal size one after another; tables [N, 1, head_dim / 2] -> [N, D]."""
        q, k, v = (part.squeeze(1) for part in mx.split(self.qkv(x).reshape(len(x), 3, self.heads, -1), 3, axis=1))
        q, k = _rotate(q, *rotary), _rotate(k, *rotary)
        return self.proj(frame_attention(q, k, v, frames))


class VisionMLP(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.linear_fc1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.linear_fc2 = nn.Linear(config.intermediate_size, config.hidden_size)

    def __call__(self, x: mx.array) -> mx.array:
        outs = [
            self.linear_fc2(approximate_gelu(self.linear_fc1(x[start : start + MLP_ROWS])))
            for start in range(0, len(x), MLP_ROWS)
        ]
        return outs[0] if len(outs) == 1 else mx.concatenate(outs)


class VisionBlock(nn.Module):
    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.hidden_size, eps=NORM_EPS)
        self.norm2 = nn.LayerNorm(config.hidden_size, eps=NORM_EPS)
        self.attn = VisionAttention(config)
        self.mlp = VisionMLP(config)

    def __call__(self, x: mx.array, rotary: tuple[mx.array, mx.array], frames: int) -> mx.array:
        x = x + self.attn(self.norm1(x), rotary, frames)
        return x + self.mlp(self.norm2(x))


class PatchMerger(nn.Module):
    """The patches of a square become one row. Source: transformers `Qwen3_5VisionPatchMerger`."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.width = config.hidden_size * config.merged
        self.norm = nn.LayerNorm(config.hidden_size, eps=NORM_EPS)
        self.linear_fc1 = nn.Linear(self.width, self.width)
        self.linear_fc2 = nn.Linear(self.width, config.out_hidden_size)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_fc2(gelu(self.linear_fc1(self.norm(x).reshape(-1, self.width))))


class VisionModel(nn.Module):
    """The whole tower.

    Weights in float16 are computed with in float32: what the MLPs add up goes beyond float16's range.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embed = PatchEmbed(config)
        self.pos_embed = nn.Embedding(config.num_position_embeddings, config.hidden_size)
        self.blocks = [VisionBlock(config) for _ in range(config.depth)]
        self.merger = PatchMerger(config)

    @property
    def dtype(self) -> mx.Dtype:
        """The dtype of activations."""
        stored = self.pos_embed.weight.dtype
        return mx.float32 if stored == mx.float16 else stored

    def __call__(self, pixel_values: mx.array, grid: Grid) -> mx.array:
        """pixel_values [t * h * w, patch_dim] of one grid (t, h, w), squares of patches together -> [tokens, D]."""
        *_, rows = self.steps(pixel_values, grid)
        return rows

    def steps(self, pixel_values: mx.array, grid: Grid) -> Iterator[mx.array]:
        """The same, block by block, for who evaluates between them; the rows come last."""
        frames, rotary = grid[0], self._rotary(grid)
        x = self.patch_embed(pixel_values.astype(self.dtype))
        x = x + mx.tile(self._positions(grid), (frames, 1)).astype(x.dtype)
        for block in self.blocks:
            x = block(x, rotary, frames)
            yield x
        yield self.merger(x)

    def _positions(self, grid: Grid) -> mx.array:
        """The learned table at the places of one frame's patches [h * w, D] float32, between its own places linear."""
        taps, weights = resample(grid, self.config.grid_side, self.config.spatial_merge_size)
        table = self.pos_embed.weight
        return sum(table[mx.array(taps[:, n])] * mx.array(weights[:, n : n + 1]) for n in range(taps.shape[1]))

    def _rotary(self, grid: Grid) -> tuple[mx.array, mx.array]:
        """cos and sin [t * h * w, 1, head_dim / 2] float32: the first half turns with the row, the other the column."""
        half = self.config.head_dim // 2
        slots = np.arange(0, half, 2, dtype=np.float32) / np.float32(half)
        frequencies = np.float32(1.0) / (np.float64(self.config.rope_theta) ** slots).astype(np.float32)
        places = np.tile(patch_places(grid, self.config.spatial_merge_size), (grid[0], 1))
        angles = (places[:, :, None].astype(np.float32) * frequencies).reshape(len(places), 1, half)
        return mx.array(np.cos(angles)), mx.array(np.sin(angles))


def _rotate(x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
    """Turn all of a head, halves as one; x [N, H, head_dim], in float32, back in its dtype."""
    first, second = mx.split(x.astype(mx.float32), 2, axis=-1)
    return mx.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1).astype(x.dtype)


def frame_attention(q: mx.array, k: mx.array, v: mx.array, frames: int) -> mx.array:
    """Attention within each of `frames` equal runs of rows. q, k, v [N, H, D] -> [N, H * D] in their dtype."""
    if paths().attention == "blocked":
        parts = [np.asarray(part.astype(mx.float32)) for part in (q, k, v)]
        outs = [mx.array(attend(*(part[run] for part in parts), q.shape[-1] ** -0.5)) for run in _runs(len(q), frames)]
        return (outs[0] if frames == 1 else mx.concatenate(outs)).astype(q.dtype)
    N, H, D = q.shape
    parts = [_widened(part).reshape(frames, N // frames, H, -1).swapaxes(1, 2) for part in (q, k, v)]
    out = _fused_attention(*parts, D**-0.5)[..., :D]
    return out.swapaxes(1, 2).reshape(N, H * D)


def _runs(rows: int, frames: int) -> list[slice]:
    size = rows // frames
    return [slice(start, start + size) for start in range(0, rows, size)]


def _widened(x: mx.array) -> mx.array:
    """Heads filled with zeros up to a width that has a kernel; that changes no product."""
    wide = next((width for width in FUSED_DIMS if width >= x.shape[-1]), x.shape[-1])
    return mx.pad(x, [(0, 0), (0, 0), (0, wide - x.shape[-1])])


def _fused_attention(q: mx.array, k: mx.array, v: mx.array, scale: float) -> mx.array:
    """q, k, v [B, H, N, D]; by blocks of queries, since without a kernel MLX makes all of their scores at once."""
    rows = max(128, SCORE_BYTES // (4 * q.shape[0] * q.shape[1] * k.shape[2]))
    outs = [
        mx.fast.scaled_dot_product_attention(q[:, :, start : start + rows], k, v, scale=scale)
        for start in range(0, q.shape[2], rows)
    ]
    return outs[0] if len(outs) == 1 else mx.concatenate(outs, axis=2)


def approximate_gelu(x: mx.array) -> mx.array:
    """The GELU with tanh, in float32, in the dtype of x [N, F]."""
    if paths().elementwise == "polynomial":
        return mx.array(gelu_tanh(np.asarray(x.astype(mx.float32)))).astype(x.dtype)
    return _gelu_tanh(x)


@fused
def _gelu_tanh(x: mx.array) -> mx.array:
    return nn.gelu_approx(x.astype(mx.float32)).astype(x.dtype)
