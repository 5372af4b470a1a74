"""A test of the tests: each deliberate mistake must be noticed by the golden check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from golden_check import check_record, goldens

import clef_mlx
from clef_mlx import answers
from clef_mlx.model import attention, clef, head, norms, text

# Short records that touch every part; a mistake has to show on one of them.
RECORDS = [
    record
    for record in goldens("golden-128")["records"]
    if record["name"] in ("one noul", "three types", "10 levels", "nested state", "hindi")
]


@pytest.fixture(scope="module")
def model(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32") as loaded:
        yield loaded


def check_all(model: Any) -> None:
    for record in RECORDS:
        check_record(model, record)


def network(model: Any) -> clef.ClefModel:
    return model._release.model


MISTAKES: dict[str, Callable[[Any, pytest.MonkeyPatch], None]] = {}


def mistake(function: Callable[[Any, pytest.MonkeyPatch], None]) -> Callable[[Any, pytest.MonkeyPatch], None]:
    MISTAKES[function.__name__.replace("_", " ")] = function
    return function


@mistake
def norm_shift_dropped(model, patch):
    def unshifted(self, x):
        return mx.fast.rms_norm(x, self.weight - 1, self.eps)

    patch.setattr(norms.RMSNorm, "__call__", unshifted)


@mistake
def gated_norm_shifted_too(model, patch):
    right = norms.GatedRMSNorm.__call__

    def shifted(self, x, gate):
        return right(self, x, gate) * ((self.weight + 1) / self.weight)

    patch.setattr(norms.GatedRMSNorm, "__call__", shifted)


@mistake
def query_and_gate_swapped(model, patch):
    right = mx.split

    def swapped(x, parts, axis=0):
        pieces = right(x, parts, axis=axis)
        return pieces[::-1] if parts == 2 else pieces

    patch.setattr(attention.mx, "split", swapped)


@mistake
def attention_gate_left_out(model, patch):
    patch.setattr(attention, "sigmoid", mx.ones_like)


@mistake
def eps_on_the_mean(model, patch):
    def wrong(x, scale=1.0):
        return mx.fast.rms_norm(x, None, 1e-6) * (scale * x.shape[-1] ** -0.5)

    patch.setattr(text, "l2_normalize", wrong)


@mistake
def query_scale_left_out(model, patch):
    right = text.l2_normalize
    patch.setattr(text, "l2_normalize", lambda x, scale=1.0: right(x))


@mistake
def rope_on_all_dims(model, patch):
    right = clef.rotary_tables
    patch.setattr(clef, "rotary_tables", lambda ids, config: right(ids, replace(config, partial_rotary_factor=1.0)))


@mistake
def spans_off_by_one(model, patch):
    right = clef.span_means
    patch.setattr(clef, "span_means", lambda rows, spans: right(rows, [(a - 1, b - 1) for a, b in spans]))


@mistake
def lexical_rows_from_embed_tokens(model, patch):
    patch.setitem(network(model), "lm_head", network(model).language_model.embed_tokens)


@mistake
def keys_left_unsorted(model, patch):
    import json

    import clef_mlx.encoding as encoding

    def unsorted(value):
        if isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    patch.setattr(encoding, "render", unsorted)


@mistake
def tanh_gelu_in_the_head(model, patch):
    import mlx.nn as nn

    patch.setattr(head, "gelu", nn.gelu_approx)


@mistake
def decay_rounded_to_bf16(model, patch):
    right = text.gated_delta_rule

    def rounded(q, k, v, log_decay, beta, state):
        return right(q, k, v, log_decay.astype(mx.bfloat16).astype(mx.float32), beta, state)

    patch.setattr(text, "gated_delta_rule", rounded)


@mistake
def value_heads_interleaved_over_key_heads(model, patch):
    right = text.gated_delta_rule

    def interleaved(q, k, v, log_decay, beta, state):
        repeats = v.shape[2] // k.shape[2]
        return right(mx.tile(q, (1, 1, repeats, 1)), mx.tile(k, (1, 1, repeats, 1)), v, log_decay, beta, state)

    patch.setattr(text, "gated_delta_rule", interleaved)


@mistake
def conv_taps_reversed(model, patch):
    right = text.CausalConv.__call__

    def reversed_taps(self, x, before):
        flipped = text.CausalConv(*self.weight.shape[:2])
        flipped.weight = self.weight[:, ::-1]
        return right(flipped, x, before)

    patch.setattr(text.CausalConv, "__call__", reversed_taps)


@mistake
def softmax_over_all_options(model, patch):
    right = answers.probabilities

    def together(logits):
        p = right([np.concatenate(logits)])[0]
        return np.split(p, np.cumsum([len(row) for row in logits])[:-1])

    patch.setattr(answers, "probabilities", together)


@mistake
def prior_from_the_anchor_without_the_record(model, patch):
    right = head.JointSchemaHead._prior

    def alone(self, vectors, owner):
        return right(self, vectors._replace(last=mx.zeros_like(vectors.last)), owner)

    patch.setattr(head.JointSchemaHead, "_prior", alone)


@mistake
def evidence_memory_not_normed(model, patch):
    right = head.Attention.__call__
    patch.setattr(head.Attention, "__call__", lambda self, queries, memory, norm=None: right(self, queries, memory))


@mistake
def global_row_is_the_first(model, patch):
    right = clef.ClefModel.schema_vectors

    def first(self, record, normed, offset):
        return right(self, record, normed, offset)._replace(last=normed[0])

    patch.setattr(clef.ClefModel, "schema_vectors", first)


@mistake
def types_numbered_otherwise(model, patch):
    right = clef.ClefModel.schema_vectors

    def renumbered(self, record, normed, offset):
        vectors = right(self, record, normed, offset)
        return vectors._replace(types=2 - vectors.types)

    patch.setattr(clef.ClefModel, "schema_vectors", renumbered)


@mistake
def option_summary_left_out(model, patch):
    patch.setattr(head, "_summarize", lambda fields, options, counts: mx.zeros_like(fields))


def test_golden_check_passes_without_a_mistake(model):
    check_all(model)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_noticed(model, monkeypatch, name):
    MISTAKES[name](model, monkeypatch)
    with pytest.raises(AssertionError):
        check_all(model)
