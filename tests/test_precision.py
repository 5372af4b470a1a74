"""bf16 and fp16: every layer keeps the load dtype and stays finite; answers stay near fp32's."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

import clef_mlx
from clef_mlx.engine import thread
from clef_mlx.model.positions import rotary_tables, text_positions

REQUEST = {
    "state": "the parcel is late again and nobody answers " * 20,
    "questions": {
        "urgent": {"type": "noul"},
        "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
    },
}


@pytest.fixture(scope="module", params=["bfloat16", "float16"])
def narrow(request, random_release):
    with clef_mlx.load(random_release("golden-128"), dtype=request.param, round=None) as model:
        yield model, getattr(mx, request.param)


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 2048])
def test_layer_outputs_are_finite_and_of_the_load_dtype(narrow, length):
    model, dtype = narrow
    network = model._release.model

    def outputs():
        x = network.language_model.embed_tokens(mx.arange(length)[None] % network.config.text.vocab_size)
        x = x.astype(network.dtype)
        rotary = rotary_tables(text_positions(0, length)[:, None], network.config.text)
        states = network.language_model.empty_states(1, length, network.dtype)
        seen = []
        for layer, state in zip(network.language_model.layers, states, strict=True):
            x, state = layer(x, rotary, state, 0)
            seen.append((x.dtype, mx.isfinite(x).all().item()))
        return seen

    assert thread.run(outputs) == [(dtype, True)] * len(network.language_model.layers)


def test_head_memory_is_of_the_load_dtype(narrow):
    model, dtype = narrow
    assert model._release.model.dtype == dtype


def test_narrow_dtypes_stay_near_fp32(narrow, random_release):
    model, _ = narrow
    with clef_mlx.load(random_release("golden-128"), dtype="float32", round=None) as exact:
        expected = exact.decide(**REQUEST).probabilities
    actual = model.decide(**REQUEST).probabilities
    worst = max(abs(actual[q][o] - expected[q][o]) for q in expected for o in expected[q])
    assert worst <= 0.05


def test_decay_constants_are_never_narrowed_by_the_load_dtype(narrow, random_release):
    model, _ = narrow
    attn = model._release.model.language_model.layers[0].linear_attn
    with clef_mlx.load(random_release("golden-128"), dtype="float32") as exact:
        wide = exact._release.model.language_model.layers[0].linear_attn
        assert np.array_equal(np.array(attn.A_log.astype(mx.float32)), np.array(wide.A_log.astype(mx.float32)))
        assert np.array_equal(np.array(attn.dt_bias.astype(mx.float32)), np.array(wide.dt_bias.astype(mx.float32)))
