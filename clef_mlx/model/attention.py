"""Gated full attention with partial rotary positions, over the keys kept so far."""

from __future__ import annotations

from typing import NamedTuple

import mlx.core as mx
import mlx.nn as nn

from clef_mlx.config import TextConfig
from clef_mlx.model.elementwise import LOG2_E, differentiable_polynomials, exp2, sigmoid, trained
from clef_mlx.model.norms import RMSNorm
from clef_mlx.model.paths import paths

SCORE_BYTES = 256 << 20  # the most that one block of attention scores may take where no fused kernel applies
KEY_BLOCK = 1024  # keys a step of the blocked form looks at


class AttentionState(NamedTuple):
    """What a full-attention layer carries forward: buffers with room for the whole record.

    keys, values [B, K, capacity, head_dim]; only the leading rows already written count. A batch whose rows all begin
    with the same P tokens keeps those once, `prefix` = keys, values [1, K, P, head_dim], and the buffers begin there.
    """

    keys: mx.array
    values: mx.array
    prefix: tuple[mx.array, mx.array] | None = None

    def grow(self, rows: int, capacity: int) -> AttentionState:
        """A copy of the first `rows` tokens in buffers with room for `capacity`."""
        batch, heads, _, width = self.keys.shape
        room = mx.zeros((batch, heads, capacity - rows, width), self.keys.dtype)
        return AttentionState(*(mx.concatenate([part[:, :, :rows], room], axis=2) for part in self[:2]))

    def spread(self, rows: int, batch: int, capacity: int) -> AttentionState:
        """For `batch` rows that share the first `rows` tokens of this one, and room for `capacity` more each."""
        _, heads, _, width = self.keys.shape
        room = mx.zeros((batch, heads, capacity, width), self.keys.dtype)
        return AttentionState(room, room, (self.keys[:, :, :rows], self.values[:, :, :rows]))


def rotate(x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
    """Turn the leading rotary dims of x [B, heads, L, head_dim] by tables [B or 1, L, half], halves rotated as one.

    Computed in float32, returned in the dtype of x. Source: transformers `apply_rotary_pos_emb`.
    """
    half = cos.shape[-1]
    cos, sin = cos[:, None], sin[:, None]
    first, second = x[..., :half].astype(mx.float32), x[..., half : 2 * half].astype(mx.float32)
    turned = [first * cos - second * sin, second * cos + first * sin]
    return mx.concatenate([part.astype(x.dtype) for part in turned] + [x[..., 2 * half :]], axis=-1)


def causal_attention(q: mx.array, keys: mx.array, values: mx.array, scale: float) -> mx.array:
    """Attention of the last L positions of keys [B, K, T, D] over all of them. q [B, H, L, D] -> [B, H, L, D].

    Memory stays linear in T: no T x T matrix is built.
    """
    if differentiable_polynomials():
        return _trained_attention(q, keys, values, scale)
    if paths().attention == "blocked":
        return _blocked_attention(q, keys, values, scale)
    L, T = q.shape[2], keys.shape[2]
    rows = max(128, SCORE_BYTES // max(1, q.shape[0] * q.shape[1] * T * q.itemsize))
    outs = [
        mx.fast.scaled_dot_product_attention(
            q[:, :, start : start + rows],
            keys[:, :, : T - L + min(start + rows, L)],
            values[:, :, : T - L + min(start + rows, L)],
            scale=scale,
            mask="causal",
        )
        for start in range(0, L, rows)
    ]
    return outs[0] if len(outs) == 1 else mx.concatenate(outs, axis=2)


def _trained_attention(q: mx.array, keys: mx.array, values: mx.array, scale: float) -> mx.array:
    """The same with a gradient; scores are held whole, for training's shorter records."""
    B, H, L, D = q.shape
    K, T = keys.shape[1:3]
    folded = (q.astype(mx.float32) * (scale * LOG2_E)).reshape(B, K, H // K * L, D)
    hidden = mx.triu(mx.full((L, T), -1e30), T - L + 1)
    bias = mx.concatenate([hidden] * (H // K))  # [R * L, T]
    out = trained.attention(folded, keys.astype(mx.float32), values.astype(mx.float32), bias)
    return out.astype(q.dtype).reshape(B, H, L, D)


def _blocked_attention(q: mx.array, keys: mx.array, values: mx.array, scale: float) -> mx.array:
    """The same in plain ops: blocks of keys, the softmax's maximum and sum carried along (float32).

    Heads that share keys are folded into rows, so each block is one product. Source: Milakov & Gimelshein 2018,
    "Online normalizer calculation for softmax".
    """
    B, H, L, D = q.shape
    K, T = keys.shape[1:3]
    # Scores in powers of two: the change of base rides on the scale.
    folded = (q.astype(mx.float32) * (scale * LOG2_E)).reshape(B, K, H // K * L, D)
    first = T - L  # the first query's own position
    highest = total = out = None
    for start in range(0, T, KEY_BLOCK):
        end = min(start + KEY_BLOCK, T)
        block_keys, block_values = (x[:, :, start:end].astype(mx.float32) for x in (keys, values))
        scores = folded @ block_keys.swapaxes(-1, -2)  # [B, K, R*L, block]
        if end > first + 1:
            visible = mx.arange(start, end) <= mx.arange(first, T)[:, None]  # [L, block]
            scores = mx.where(visible, scores.reshape(B, K, H // K, L, -1), -1e30).reshape(scores.shape)
        # What is subtracted everywhere cancels, and needs no gradient.
        block_highest = mx.stop_gradient(scores.max(axis=-1, keepdims=True))
        if out is None:
            highest = block_highest
            weights = exp2(scores - highest)
            total, out = weights.sum(axis=-1, keepdims=True), weights @ block_values
            continue
        # A block that a query cannot see at all comes after ones it can, so its weights vanish: 2^(-1e30).
        block_highest = mx.maximum(highest, block_highest)
        weights, keep = exp2(scores - block_highest), exp2(highest - block_highest)
        total = total * keep + weights.sum(axis=-1, keepdims=True)
        out = out * keep + weights @ block_values
        highest = block_highest
    return (out / total).astype(q.dtype).reshape(B, H, L, D)


class GatedAttention(nn.Module):
    """Full attention whose output passes a sigmoid gate. Source: transformers `Qwen3_5Attention`."""

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = (
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
        )
        bias = config.attention_bias
        # q_proj gives [query | gate] per head.
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.head_dim * 2, bias=bias)
        self.k_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=bias)
        self.v_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=bias)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=bias)
        self.q_norm = RMSNorm(self.head_dim, config.rms_norm_eps)
        self.k_norm = RMSNorm(self.head_dim, config.rms_norm_eps)

    def empty_state(self, batch: int, capacity: int, dtype: mx.Dtype) -> AttentionState:
        shape = (batch, self.kv_heads, capacity, self.head_dim)
        return AttentionState(mx.zeros(shape, dtype), mx.zeros(shape, dtype))

    def __call__(
        self, x: mx.array, rotary: tuple[mx.array, mx.array], state: AttentionState, start: int
    ) -> tuple[mx.array, AttentionState]:
        """x [B, L, D] at positions `start` onwards -> [B, L, D] and the state with these tokens' rows written."""
        B, L, _ = x.shape
        q, gate = mx.split(self.q_proj(x).reshape(B, L, self.heads, 2 * self.head_dim), 2, axis=-1)
        keys = self.k_norm(self.k_proj(x).reshape(B, L, self.kv_heads, -1)).swapaxes(1, 2)
        values = self.v_proj(x).reshape(B, L, self.kv_heads, -1).swapaxes(1, 2)
        q = rotate(self.q_norm(q).swapaxes(1, 2), *rotary)
        shared = 0 if state.prefix is None else state.prefix[0].shape[2]
        at = mx.array([start - shared])
        state = AttentionState(
            mx.slice_update(state.keys, rotate(keys, *rotary), at, [2]),
            mx.slice_update(state.values, values, at, [2]),
            state.prefix,
        )
        keys, values = (part[:, :, : start - shared + L] for part in state[:2])
        if state.prefix is not None:
            # Joined for one layer at a time: the prefix is not held once per row of the batch and layer.
            first = [mx.broadcast_to(part, (B, *part.shape[1:])) for part in state.prefix]
            keys, values = (mx.concatenate(parts, axis=2) for parts in zip(first, (keys, values), strict=True))
        out = causal_attention(q, keys, values, self.head_dim**-0.5)
        out = out.swapaxes(1, 2) * sigmoid(gate)
        return self.o_proj(out.reshape(B, L, -1)), state
