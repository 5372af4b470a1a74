"""The gated delta rule: three forms against a float64 recurrence."""

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.model import delta


def recurrence64(q, k, v, log_decay, beta, state):
    """The definition in float64: [L, heads, ...] arrays of one batch row."""
    q, k, v, log_decay, beta, state = (np.asarray(x, dtype=np.float64) for x in (q, k, v, log_decay, beta, state))
    repeats = v.shape[1] // k.shape[1]
    q, k = (np.repeat(x, repeats, axis=1) for x in (q, k))
    outs = np.empty_like(v)
    for t in range(len(v)):
        state = state * np.exp(log_decay[t])[:, None, None]
        write = beta[t][:, None] * (v[t] - np.einsum("hvk,hk->hv", state, k[t]))
        state = state + write[:, :, None] * k[t][:, None, :]
        outs[t] = np.einsum("hvk,hk->hv", state, q[t])
    return outs, state


def inputs(L, *, K=2, H=4, Dk=32, Dv=16, seed=0, case="mixed"):
    rng = np.random.default_rng(seed)
    q, k = (rng.standard_normal((L, K, Dk)) for _ in range(2))
    v = rng.standard_normal((L, H, Dv))
    beta = rng.uniform(0, 1, (L, H))
    log_decay = -np.exp(rng.uniform(-8, 2, (L, H)))
    if case == "near-identical keys":
        k = rng.standard_normal((1, K, Dk)) + 1e-3 * k
        beta = 1 - 1e-4 * beta
        log_decay = np.full((L, H), -1e-5)
    elif case == "hardly any decay":
        log_decay = np.full((L, H), -1e-5)
    elif case == "decay -60":
        log_decay = np.full((L, H), -60.0)
    elif case == "every tenth -50":
        log_decay = np.where(rng.uniform(size=(L, H)) < 0.1, -50.0, -1e-3)
    elif case == "below the floor":
        log_decay = np.where(rng.uniform(size=(L, H)) < 0.2, -1e4, -1e-3)
    q /= np.linalg.norm(q, axis=-1, keepdims=True) * Dk**0.5
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    state = rng.standard_normal((H, Dv, Dk))
    return [x.astype(np.float32) for x in (q, k, v, log_decay, beta, state)]


CASES = [
    "mixed",
    "near-identical keys",
    "hardly any decay",
    "decay -60",
    "every tenth -50",
    "below the floor",
]


def run(form, arrays):
    q, k, v, log_decay, beta, state = (mx.array(x)[None] for x in arrays)
    out, after = form(q, k, v, mx.maximum(log_decay, delta.LOG_DECAY_FLOOR), beta, state)
    return np.array(out[0]), np.array(after[0])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", [delta.delta_chunkwise, delta.delta_recurrent])
def test_delta_form_agrees_with_float64(form, case):
    arrays = inputs(200, case=case)
    expected, expected_state = recurrence64(*arrays)
    out, state = run(form, arrays)
    scale = np.abs(expected).max()
    # The recurrence rounds the state once per token, the chunkwise form once per 64.
    tolerance = 2e-6 if form is delta.delta_chunkwise else 1e-5
    assert np.abs(out - expected).max() <= tolerance * scale
    assert np.abs(state - expected_state).max() <= tolerance * np.abs(expected_state).max()


@pytest.mark.parametrize("length", [*range(1, 131), 2048])
def test_delta_chunkwise_any_length(length):
    arrays = inputs(length, K=1, H=2, Dk=16, Dv=8, seed=length)
    expected, expected_state = recurrence64(*arrays)
    out, state = run(delta.delta_chunkwise, arrays)
    assert np.abs(out - expected).max() <= 5e-6 * np.abs(expected).max()
    assert np.abs(state - expected_state).max() <= 5e-6 * max(1.0, np.abs(expected_state).max())


def test_delta_chunkwise_continues_from_its_own_state():
    q, k, v, log_decay, beta, state = inputs(300)
    whole, _ = run(delta.delta_chunkwise, [q, k, v, log_decay, beta, state])
    _, middle = run(delta.delta_chunkwise, [q[:171], k[:171], v[:171], log_decay[:171], beta[:171], state])
    rest, _ = run(delta.delta_chunkwise, [q[171:], k[171:], v[171:], log_decay[171:], beta[171:], middle])
    assert np.abs(rest - whole[171:]).max() <= 1e-5


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_unit_lower_inverse_of_near_identical_keys(size):
    keys = np.ones((size, 4)) + 1e-4 * np.random.default_rng(0).standard_normal((size, 4))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    strict = np.tril(keys @ keys.T, -1).astype(np.float32)
    inverse = np.array(delta.unit_lower_inverse(mx.array(strict)[None]))[0]
    assert np.abs(inverse @ (np.eye(size) + strict.astype(np.float64)) - np.eye(size)).max() <= 2e-5


@pytest.mark.parametrize("amplitude", [1.0, 0.1, 0.01, 0.001])
def test_l2_normalize_adds_eps_to_the_sum(amplitude):
    x = amplitude * np.random.default_rng(1).standard_normal((5, 3, 32))
    expected = x / np.sqrt((x**2).sum(-1, keepdims=True) + 1e-6)
    actual = np.array(delta.l2_normalize(mx.array(x.astype(np.float32))))
    assert np.abs(actual - expected).max() <= 2e-6


@pytest.mark.metal
def test_delta_packed_kernel_matches_the_recurrence():
    arrays = inputs(300, K=2, H=4, Dk=128, Dv=128)
    expected, expected_state = recurrence64(*arrays)
    out, state = run(delta.delta_packed, arrays)
    assert np.abs(out - expected).max() <= 1e-5 * np.abs(expected).max()
    assert np.abs(state - expected_state).max() <= 1e-5 * np.abs(expected_state).max()
