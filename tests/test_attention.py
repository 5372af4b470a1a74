"""Causal attention in blocks against the definition in float64, and the rotary embedding."""

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.model import attention
from clef_mlx.model.paths import override_paths


def attention64(q, keys, values, scale):
    """[H, L, D] queries at the end of [K, T, D] keys."""
    L, T = q.shape[1], keys.shape[1]
    repeats = q.shape[0] // keys.shape[0]
    keys, values = (np.repeat(x.astype(np.float64), repeats, axis=0) for x in (keys, values))
    scores = q.astype(np.float64) @ keys.swapaxes(-1, -2) * scale
    scores = np.where(np.arange(T) <= np.arange(T - L, T)[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ values


def arrays(L, T, *, H=4, K=2, D=32, gain=1.0):
    rng = np.random.default_rng(L * 10_000 + T)
    shapes = [(H, L, D), (K, T, D), (K, T, D)]
    q, keys, values = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    return gain * q, gain * keys, values


@pytest.mark.parametrize("form", ["blocked", "fused"])
@pytest.mark.parametrize("gain", [1.0, 8.0])
@pytest.mark.parametrize(("L", "T"), [(1, 1), (7, 7), (1, 2500), (256, 256), (200, 1024), (256, 1025), (130, 2177)])
def test_attention_form_agrees_with_float64(form, gain, L, T):
    q, keys, values = arrays(L, T, gain=gain)
    with override_paths(attention=form):
        out = attention.causal_attention(*(mx.array(x)[None] for x in (q, keys, values)), scale=32**-0.5)
    # Scores of the sharp case reach 300, where float32 itself resolves 3e-5.
    tolerance = 2e-6 if gain == 1.0 else 2e-4
    assert np.abs(np.array(out[0]) - attention64(q, keys, values, 32**-0.5)).max() <= tolerance


def test_fused_attention_in_query_blocks_equals_one_call(monkeypatch):
    q, keys, values = (mx.array(x)[None] for x in arrays(700, 900))
    with override_paths(attention="fused"):
        whole = attention.causal_attention(q, keys, values, 0.2)
        monkeypatch.setattr(attention, "SCORE_BYTES", 128 * 900 * 4 * 4)
        parts = attention.causal_attention(q, keys, values, 0.2)
    assert np.abs(np.array(whole - parts)).max() <= 1e-6


def test_attention_never_looks_ahead():
    q, keys, values = (mx.array(x)[None] for x in arrays(300, 1300))
    poison = mx.arange(1300)[:, None] > 1200
    with override_paths(attention="blocked"):
        clean = attention.causal_attention(q, keys, values, 0.2)
        dirty = attention.causal_attention(q, mx.where(poison, 1e3, keys), mx.where(poison, 1e3, values), 0.2)
    assert np.array_equal(np.array(clean[:, :, :200]), np.array(dirty[:, :, :200]))


def test_rotate_turns_only_the_rotary_dims():
    x = mx.random.normal((1, 2, 5, 16), key=mx.random.key(0))
    angles = np.random.default_rng(0).uniform(0, 6, (1, 5, 2))
    turned = np.array(attention.rotate(x, mx.array(np.cos(angles)), mx.array(np.sin(angles))))
    x = np.array(x)
    assert np.array_equal(turned[..., 4:], x[..., 4:])
    # Halves are rotated against each other: dim i with dim i + 2.
    z = (x[..., :2] + 1j * x[..., 2:4]) * np.exp(1j * angles[:, None])
    assert np.abs(turned[..., :4] - np.concatenate([z.real, z.imag], -1)).max() <= 1e-6
