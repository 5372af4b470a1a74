"""RMS norms of the backbone. Arithmetic in float32, result in the dtype of the input."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from clef_mlx.model.elementwise import gated


class RMSNorm(nn.Module):
    """x / rms(x) * weight. `weight` is the effective gain: release files store it minus one, loading adds it.

    Source: transformers `Qwen3_5RMSNorm`.
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = mx.ones((width,))
        self.eps = eps

    def __call__(self, x: mx.array) -> mx.array:
        # A float32 gain would promote the result, and with it the whole network.
        return mx.fast.rms_norm(x, self.weight, self.eps).astype(x.dtype)


class GatedRMSNorm(nn.Module):
    """x / rms(x) * weight * silu(gate), for the delta rule's float32 output; the gain is stored as it is.

    Source: transformers `Qwen3_5RMSNormGated`.
    """

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = mx.ones((width,))
        self.eps = eps

    def __call__(self, x: mx.array, gate: mx.array) -> mx.array:
        """x [..., D] float32, gate [..., D] -> [..., D] in the dtype of the gate."""
        return gated(mx.fast.rms_norm(x, self.weight.astype(mx.float32), self.eps), gate)
