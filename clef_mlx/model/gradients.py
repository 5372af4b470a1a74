"""Elementwise functions, softmax and the causal convolution with gradients written out, for training on a processor.

Working on the bits of a float32, as `elementwise` does, leaves nothing that could be differentiated; MLX's own forms
can be, but cost one scalar library call an element on x86. Where a C++ compiler is at hand, each function and each
gradient is one compiled pass over memory. All are float32 in and out.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

LN_2 = math.log(2.0)
LOG2_E = math.log2(math.e)
SQRT_HALF, DENSITY_AT_ZERO = math.sqrt(0.5), 1.0 / math.sqrt(2.0 * math.pi)
Function = Callable[..., mx.array]


class Trained(NamedTuple):
    """Differentiable functions of float32 arrays; `gated` is x * silu(gate), `softmax` goes over the last axis."""

    exp2: Function
    sigmoid: Function
    silu: Function
    gated: Function
    gelu: Function
    softmax: Function
    attention: Function  # q in powers of two [B, K, N, D], keys, values [B, K, T, D], bias [N, T] -> [B, K, N, D]
    weighted_sum_silu: Function  # inputs [B, L + k - 1, C], taps [k, C] -> [B, L, C]


@cache
def _has_compiler() -> bool:
    """MLX compiles for a processor with this program, at run time."""
    return shutil.which("g++") is not None


def _one_pass(chain: Function) -> Function:
    compiled = mx.compile(chain)
    return lambda *arrays: compiled(*arrays) if _has_compiler() else chain(*arrays)


def _with_gradient(value: Function, gradient: Function) -> Function:
    """`value` of arrays; `gradient` of (its arrays..., its cotangent) gives one array per array, or one for one."""
    function = mx.custom_function(_one_pass(value))
    backward = _one_pass(gradient)

    @function.vjp
    def _(primals: mx.array | tuple[mx.array, ...], cotangent: mx.array, _: mx.array) -> mx.array | tuple:
        return backward(*(primals if isinstance(primals, (tuple, list)) else (primals,)), cotangent)

    return function


def with_gradients(exp2: Function) -> Trained:
    """Build all on `exp2`: 2^x for x up to 126."""

    def sigmoid(x: mx.array) -> mx.array:
        return mx.reciprocal(1.0 + exp2(mx.minimum(x * -LOG2_E, 126.0)))

    def sigmoid_gradient(x: mx.array, cotangent: mx.array) -> mx.array:
        share = sigmoid(x)
        return cotangent * share * (1.0 - share)

    def silu_gradient(x: mx.array, cotangent: mx.array) -> mx.array:
        share = sigmoid(x)
        return cotangent * share * (1.0 + x * (1.0 - share))

    def gated_gradient(x: mx.array, gate: mx.array, cotangent: mx.array) -> tuple[mx.array, mx.array]:
        share = sigmoid(gate)
        return cotangent * gate * share, cotangent * x * share * (1.0 + gate * (1.0 - share))

    def gelu_gradient(x: mx.array, cotangent: mx.array) -> mx.array:
        density = exp2(x * x * (-0.5 * LOG2_E)) * DENSITY_AT_ZERO
        return cotangent * (0.5 * (1.0 + mx.erf(x * SQRT_HALF)) + x * density)

    power = _with_gradient(exp2, lambda x, cotangent: cotangent * exp2(x) * LN_2)
    raised = _one_pass(lambda x, highest: exp2((x - highest) * LOG2_E))

    @mx.custom_function
    def softmax(x: mx.array) -> mx.array:
        weights = raised(x, x.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    @softmax.vjp
    def _(x: mx.array, cotangent: mx.array, out: mx.array) -> mx.array:
        weighted = cotangent * out
        return weighted - out * weighted.sum(axis=-1, keepdims=True)

    return Trained(
        exp2=power,
        sigmoid=_with_gradient(sigmoid, sigmoid_gradient),
        silu=_with_gradient(lambda x: x * sigmoid(x), silu_gradient),
        gated=_with_gradient(lambda x, gate: x * gate * sigmoid(gate), gated_gradient),
        gelu=_with_gradient(lambda x: 0.5 * x * (1.0 + mx.erf(x * SQRT_HALF)), gelu_gradient),
        softmax=softmax,
        attention=_attention(exp2),
        weighted_sum_silu=_convolution(sigmoid, silu_gradient),
    )


def _attention(exp2: Function) -> Function:
    raised = _one_pass(lambda scores, bias, highest: exp2(scores + bias - highest))
    shares = _one_pass(lambda scores, bias, highest, total: exp2(scores + bias - highest) / total)
    into_scores = _one_pass(lambda share, into_share, kept: share * (into_share - kept) * LN_2)
    biased = _one_pass(lambda scores, bias: scores + bias)

    def attention(q: mx.array, keys: mx.array, values: mx.array, bias: mx.array) -> mx.array:
        @mx.custom_function
        def attend(q: mx.array, keys: mx.array, values: mx.array) -> mx.array:
            scores = q @ keys.swapaxes(-1, -2)
            weights = raised(scores, bias, biased(scores, bias).max(axis=-1, keepdims=True))
            return (weights @ values) / weights.sum(axis=-1, keepdims=True)

        @attend.vjp
        def _(primals: tuple[mx.array, ...], cotangent: mx.array, out: mx.array) -> tuple[mx.array, ...]:
            q, keys, values = primals
            # Computed again: kept, they would be most of what a step holds.
            scores = q @ keys.swapaxes(-1, -2)
            highest = biased(scores, bias).max(axis=-1, keepdims=True)
            total = raised(scores, bias, highest).sum(axis=-1, keepdims=True)
            share = shares(scores, bias, highest, total)
            kept = (cotangent * out).sum(axis=-1, keepdims=True)
            change = into_scores(share, cotangent @ values.swapaxes(-1, -2), kept)
            return change @ keys, change.swapaxes(-1, -2) @ q, share.swapaxes(-1, -2) @ cotangent

        return attend(q, keys, values)

    return attention


def _convolution(sigmoid: Function, silu_gradient: Function) -> Function:
    def weighted_sum(*inputs_and_taps: mx.array) -> mx.array:
        kernel = len(inputs_and_taps) // 2
        inputs, taps = inputs_and_taps[:kernel], inputs_and_taps[kernel:]
        total = inputs[0] * taps[0]
        for x, tap in zip(inputs[1:], taps[1:], strict=True):
            total = total + x * tap
        return total

    def value(*inputs_and_taps: mx.array) -> mx.array:
        total = weighted_sum(*inputs_and_taps)
        return total * sigmoid(total)

    value = _one_pass(value)
    inner = _one_pass(lambda cotangent, *rest: silu_gradient(weighted_sum(*rest), cotangent))
    spread = _one_pass(weighted_sum)

    @mx.custom_function
    def convolve(inputs: mx.array, taps: mx.array) -> mx.array:
        return value(*_shifted(inputs, len(taps)), *taps)

    @convolve.vjp
    def _(primals: tuple[mx.array, mx.array], cotangent: mx.array, _: mx.array) -> tuple[mx.array, mx.array]:
        inputs, taps = primals
        kernel = len(taps)
        shifted = _shifted(inputs, kernel)
        total = inner(cotangent, *shifted, *taps)
        around = mx.pad(total, [(0, 0), (kernel - 1, kernel - 1), (0, 0)])
        into_inputs = spread(*_shifted(around, kernel), *reversed(list(taps)))
        return into_inputs, mx.stack([(total * x).sum(axis=(0, 1)) for x in shifted])

    return convolve


def _shifted(inputs: mx.array, kernel: int) -> list[mx.array]:
    length = inputs.shape[1] - kernel + 1
    return [inputs[:, tap : tap + length] for tap in range(kernel)]
