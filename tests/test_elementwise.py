"""The polynomial exp, sigmoid, SiLU and softmax against float64."""

import math

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.model import elementwise
from clef_mlx.model.paths import override_paths

X = np.linspace(-86, 20, 200_001).astype(np.float32)


def test_exp_polynomial_keeps_float32_precision():
    with override_paths(elementwise="polynomial"):
        actual = np.array(elementwise.exp(mx.array(X)))
    # log2(e) and its product with x are rounded to float32, each moving the result by up to |x| 2^-24.
    allowed = 3e-7 + np.abs(X) * 2.0**-23
    assert np.all(np.abs(actual / np.exp(X.astype(np.float64)) - 1) <= allowed)


def test_exp_polynomial_of_far_below_is_no_more_than_tiny():
    with override_paths(elementwise="polynomial"):
        actual = np.array(elementwise.exp(mx.array([-100.0, -1e4, -1e30, -np.inf])))
    assert np.all((actual >= 0) & (actual <= 2e-38))


@pytest.mark.parametrize("form", ["polynomial", "builtin"])
def test_sigmoid_and_silu_over_the_whole_range(form):
    x = np.linspace(-120, 120, 100_001).astype(np.float32)
    wide = x.astype(np.float64)
    expected = np.where(wide < 0, np.exp(np.minimum(wide, 0)), 1) / (1 + np.exp(-np.abs(wide)))
    with override_paths(elementwise=form):
        assert np.abs(np.array(elementwise.sigmoid(mx.array(x))) - expected).max() <= 3e-7
        assert np.abs(np.array(elementwise.silu(mx.array(x))) - wide * expected).max() <= 1e-5
        small = np.abs(x) < 10
        assert np.abs(np.array(elementwise.silu(mx.array(x[small]))) - (wide * expected)[small]).max() <= 2e-6


@pytest.mark.parametrize("form", ["polynomial", "builtin"])
def test_softmax_of_spread_scores(form):
    scores = 30 * np.random.default_rng(0).standard_normal((50, 300))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    with override_paths(elementwise=form):
        actual = np.array(elementwise.softmax(mx.array(scores.astype(np.float32))))
    assert np.abs(actual - weights / weights.sum(-1, keepdims=True)).max() <= 5e-6


def test_gelu_is_the_exact_one():
    x = np.linspace(-8, 8, 10_001)
    expected = x * 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))
    assert np.abs(np.array(elementwise.gelu(mx.array(x.astype(np.float32)))) - expected).max() <= 1e-6


@pytest.mark.parametrize("dtype", [mx.bfloat16, mx.float16, mx.float32])
@pytest.mark.parametrize("function", ["sigmoid", "silu", "gelu"])
@pytest.mark.parametrize("form", ["polynomial", "builtin"])
def test_elementwise_keeps_the_dtype(form, function, dtype):
    with override_paths(elementwise=form):
        assert getattr(elementwise, function)(mx.ones((3,), dtype)).dtype == dtype
