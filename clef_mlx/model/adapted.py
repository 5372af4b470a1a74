"""Quantized matrices with an adapter's change computed beside them: y = gain * (W x) + B (A x).

The quantized matrix keeps its bits and its parameters their names. Several adapters, and adapters of single rows, are
one pair of factors: their ranks lie side by side.
"""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

KEPT = ("weight", "scales", "biases", "bias")


class AdaptedLinear(nn.QuantizedLinear):
    """a [R, in], b [out, R]; gain [out] float32 scales the rows of W, or is None."""

    def __init__(self, base: nn.QuantizedLinear, a: mx.array, b: mx.array, gain: mx.array | None) -> None:
        _take(self, base, gain)
        self.lora_a = mx.contiguous(a.T)
        self.lora_b = mx.contiguous(b.T)

    def __call__(self, x: mx.array) -> mx.array:
        """x [..., in] -> [..., out] in the dtype of x."""
        out = super().__call__(x)
        beside = (x @ self.lora_a) @ self.lora_b
        if "gain" not in self:
            return out + beside
        # A gain near one, rounded to bfloat16, would bend whole rows.
        bias = self.bias.astype(mx.float32) if "bias" in self else 0.0
        changed = (out.astype(mx.float32) - bias) * self.gain + beside.astype(mx.float32) + bias
        return changed.astype(out.dtype)


class AdaptedEmbedding(nn.QuantizedEmbedding):
    """a [R, D], b [V, R]; gain [V] float32 scales the rows of the table, or is None."""

    def __init__(self, base: nn.QuantizedEmbedding, a: mx.array, b: mx.array, gain: mx.array | None) -> None:
        _take(self, base, gain)
        self.lora_a = a
        self.lora_b = b

    def __call__(self, ids: mx.array) -> mx.array:
        """ids [...] -> rows [..., D]."""
        rows = super().__call__(ids)
        beside = self.lora_b[ids] @ self.lora_a
        if "gain" not in self:
            return rows + beside
        changed = rows.astype(mx.float32) * self.gain[ids][..., None] + beside.astype(mx.float32)
        return changed.astype(rows.dtype)


def _take(
    module: nn.QuantizedLinear | nn.QuantizedEmbedding,
    base: nn.QuantizedLinear | nn.QuantizedEmbedding,
    gain: mx.array | None,
) -> None:
    """Make a module of the base's arrays; its own constructor would draw and quantize random ones."""
    nn.Module.__init__(module)
    module.group_size, module.bits, module.mode = base.group_size, base.bits, base.mode
    for name in KEPT:
        if name in base:
            module[name] = base[name]
    if gain is not None:
        module.gain = gain
