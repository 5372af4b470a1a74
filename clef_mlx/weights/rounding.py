"""A matrix as it would be after being stored quantized: what the rounding alone does to it."""

from __future__ import annotations

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.weights.quantize import Quantization


def round_trip(weight: mx.array, q: Quantization) -> mx.array:
    """Quantize rows [..., W] as a conversion does, in bfloat16, and unpack them as loading does, in float32.

    -> the same shape and dtype.
    """
    rows = weight.reshape(-1, weight.shape[-1]).astype(mx.bfloat16)
    packed, scales, *biases = mx.quantize(rows, q.group_size, q.bits, q.mode)
    if biases:
        scales, biases = scales.astype(mx.float32), [biases[0].astype(mx.float32)]
    restored = mx.dequantize(packed, scales, *(biases or [None]), q.group_size, q.bits, q.mode, dtype=mx.float32)
    return restored.astype(weight.dtype).reshape(weight.shape)
