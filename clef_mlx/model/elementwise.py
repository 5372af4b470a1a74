"""exp, sigmoid, SiLU and GELU, each in the form that is fast on this device.

MLX's transcendentals are one scalar library call per element on x86, 16 to 45 ns each. The polynomial forms use only
adds, multiplies and the exponent bits of a float32, keep float32's precision near zero, and cost 4 to 6 ns.
"""

from __future__ import annotations

import math

import mlx.core as mx

from clef_mlx.model.paths import paths

LOG2_E = math.log2(math.e)
# Adding 1.5 * 2^23 to a small float32 leaves its rounded integer in the low mantissa bits.
ROUNDING_SHIFT = 12582912.0
# exp underflows below this; float32's smallest normal is 2^-126.
EXP_FLOOR = -87.0
# 2^r - 1 on [-1/2, 1/2], fitted for the least relative error (9e-8), constant term 0.
EXP2_COEFFICIENTS = (
    0.6931469775990241,
    0.24022242082805476,
    0.05550733743823838,
    0.00967151275762352,
    0.0013264726985942193,
)


def _exp_polynomial(x: mx.array) -> mx.array:
    """e^x for float32 x <= 88; anything below EXP_FLOOR gives about 1e-38."""
    scaled = mx.maximum(x, EXP_FLOOR) * LOG2_E
    shifted = scaled + ROUNDING_SHIFT
    rest = scaled - (shifted - ROUNDING_SHIFT)
    power = EXP2_COEFFICIENTS[-1] * rest
    for coefficient in EXP2_COEFFICIENTS[-2::-1]:
        power = (power + coefficient) * rest
    # Adding n << 23 to the bits of a float multiplies it by 2^n.
    exponent = mx.left_shift(shifted.view(mx.int32), mx.array(23, mx.int32))
    return ((power + 1.0).view(mx.int32) + exponent).view(mx.float32)


def exp(x: mx.array) -> mx.array:
    """e^x for float32 x that is never far above zero (decays, shifted scores)."""
    return _exp_polynomial(x) if paths().elementwise == "polynomial" else mx.exp(x)


def sigmoid(x: mx.array) -> mx.array:
    """1 / (1 + e^-x), computed in float32, in the dtype of x."""
    if paths().elementwise == "builtin":
        return mx.sigmoid(x.astype(mx.float32)).astype(x.dtype)
    # The floor of the exponent keeps e^-x finite; sigmoid(-80) is already below 2e-35.
    decay = _exp_polynomial(mx.minimum(-x.astype(mx.float32), 80.0))
    return mx.reciprocal(1.0 + decay).astype(x.dtype)


def silu(x: mx.array) -> mx.array:
    """x * sigmoid(x), the sigmoid in float32, in the dtype of x."""
    if paths().elementwise == "builtin":
        wide = x.astype(mx.float32)
        return (wide * mx.sigmoid(wide)).astype(x.dtype)
    wide = x.astype(mx.float32)
    return (wide / (1.0 + _exp_polynomial(mx.minimum(-wide, 80.0)))).astype(x.dtype)


def gelu(x: mx.array) -> mx.array:
    """The exact GELU, x * Phi(x) with erf, in the dtype of x. Source: torch.nn.GELU()."""
    wide = x.astype(mx.float32)
    return (0.5 * wide * (1.0 + mx.erf(wide * math.sqrt(0.5)))).astype(x.dtype)


def softmax(x: mx.array) -> mx.array:
    """Softmax over the last axis, in float32 whatever the dtype of x."""
    wide = x.astype(mx.float32)
    if paths().elementwise == "builtin":
        return mx.softmax(wide, axis=-1)
    weights = _exp_polynomial(wide - wide.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
