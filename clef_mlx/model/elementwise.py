"""exp, sigmoid, SiLU and GELU, each in the form that is fast on this device.

MLX's transcendentals are one scalar library call per element on x86, 16 to 45 ns each. The polynomial forms use only
adds, multiplies and the exponent bits of a float32, keep float32's precision near zero, and cost 4 to 6 ns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

import mlx.core as mx

from clef_mlx.model.gradients import with_gradients
from clef_mlx.model.paths import paths

Chain = Callable[..., mx.array]


def fused(chain: Chain) -> Chain:
    """One kernel for a chain of elementwise ops where `paths().fuse`; op by op elsewhere. Shapes may vary."""
    compiled = mx.compile(chain, shapeless=True)

    @wraps(chain)
    def call(*arrays: mx.array) -> mx.array:
        return compiled(*arrays) if paths().fuse else chain(*arrays)

    return call


LOG2_E = math.log2(math.e)
# Adding 1.5 * 2^23 to a small float32 leaves its rounded integer in the low mantissa bits.
ROUNDING_SHIFT = 12582912.0
# 2^x leaves float32's normal numbers beyond these.
EXP2_FLOOR, EXP2_CEILING = -126.0, 126.0
# 2^r - 1 on [-1/2, 1/2], fitted for the least relative error (9e-8), constant term 0.
EXP2_COEFFICIENTS = (
    0.6931469775990241,
    0.24022242082805476,
    0.05550733743823838,
    0.00967151275762352,
    0.0013264726985942193,
)


def _exp2_polynomial(x: mx.array) -> mx.array:
    """2^x for float32 x <= EXP2_CEILING; anything below EXP2_FLOOR gives about 1e-38."""
    x = mx.maximum(x, EXP2_FLOOR)
    shifted = x + ROUNDING_SHIFT
    rest = x - (shifted - ROUNDING_SHIFT)
    power = EXP2_COEFFICIENTS[-1] * rest
    for coefficient in EXP2_COEFFICIENTS[-2::-1]:
        power = (power + coefficient) * rest
    # Adding n << 23 to the bits of a float multiplies it by 2^n.
    exponent = mx.left_shift(shifted.view(mx.int32), mx.array(23, mx.int32))
    return ((power + 1.0).view(mx.int32) + exponent).view(mx.float32)


trained = with_gradients(_exp2_polynomial)


def differentiable_polynomials() -> bool:
    """Whether `trained` is what runs."""
    return paths().trained and paths().elementwise == "polynomial"


def exp(x: mx.array) -> mx.array:
    """e^x for float32 x that is never far above zero (decays, shifted scores)."""
    return mx.exp(x) if paths().elementwise == "builtin" else exp2(x * LOG2_E)


def exp2(x: mx.array) -> mx.array:
    """2^x, as `exp`: for who can fold log2(e) into a scale that is applied anyway."""
    if paths().elementwise == "builtin":
        return mx.exp(x * math.log(2.0))
    return trained.exp2(x) if paths().trained else _exp2_polynomial(x)


def _exp_of_minus(x: mx.array) -> mx.array:
    """e^-x for any float32 x, held within the normal numbers."""
    return _exp2_polynomial(mx.minimum(x * -LOG2_E, EXP2_CEILING))


def sigmoid(x: mx.array) -> mx.array:
    """1 / (1 + e^-x), computed in float32, in the dtype of x."""
    wide = x.astype(mx.float32)
    if paths().elementwise == "builtin":
        return mx.sigmoid(wide).astype(x.dtype)
    if paths().trained:
        return trained.sigmoid(wide).astype(x.dtype)
    return mx.reciprocal(1.0 + _exp_of_minus(wide)).astype(x.dtype)


def silu(x: mx.array) -> mx.array:
    """x * sigmoid(x), the sigmoid in float32, in the dtype of x."""
    wide = x.astype(mx.float32)
    if paths().elementwise == "builtin":
        return (wide * mx.sigmoid(wide)).astype(x.dtype)
    if paths().trained:
        return trained.silu(wide).astype(x.dtype)
    return (wide / (1.0 + _exp_of_minus(wide))).astype(x.dtype)


def gated(x: mx.array, gate: mx.array) -> mx.array:
    """x * silu(gate), both widened to float32, in the dtype of the gate."""
    if differentiable_polynomials():
        return trained.gated(x.astype(mx.float32), gate.astype(mx.float32)).astype(gate.dtype)
    return _gated(x, gate)


@fused
def _gated(x: mx.array, gate: mx.array) -> mx.array:
    return (x.astype(mx.float32) * silu(gate.astype(mx.float32))).astype(gate.dtype)


def gelu(x: mx.array) -> mx.array:
    """The exact GELU, x * Phi(x) with erf, in the dtype of x. Source: torch.nn.GELU()."""
    wide = x.astype(mx.float32)
    if differentiable_polynomials():
        return trained.gelu(wide).astype(x.dtype)
    return (0.5 * wide * (1.0 + mx.erf(wide * math.sqrt(0.5)))).astype(x.dtype)


def softmax(x: mx.array) -> mx.array:
    """Softmax over the last axis, in float32 whatever the dtype of x."""
    wide = x.astype(mx.float32)
    if paths().elementwise == "builtin":
        return mx.softmax(wide, axis=-1)
    if paths().trained:
        return trained.softmax(wide)
    weights = exp(wide - wide.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def weighted_sum_silu(inputs: mx.array, taps: mx.array) -> mx.array:
    """silu of the causal sum of inputs [B, L + k - 1, C] times taps [k, C] -> [B, L, C] float32."""
    if differentiable_polynomials():
        return trained.weighted_sum_silu(inputs.astype(mx.float32), taps)
    length = inputs.shape[1] - len(taps) + 1
    shifted = [inputs[:, tap : tap + length] for tap in range(len(taps))]
    return _weighted_sum_silu(*shifted, *taps)


@fused
def _weighted_sum_silu(*inputs_and_taps: mx.array) -> mx.array:
    """All inputs first, then all taps [C]."""
    kernel = len(inputs_and_taps) // 2
    inputs, taps = inputs_and_taps[:kernel], inputs_and_taps[kernel:]
    out = inputs[0].astype(mx.float32) * taps[0]
    for x, tap in zip(inputs[1:], taps[1:], strict=True):
        out = out + x.astype(mx.float32) * tap
    return silu(out)
