"""The joint schema head's own rules, on a small random head."""

from __future__ import annotations

import math

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map

from clef_mlx.config import HeadConfig
from clef_mlx.model.head import Attention, JointSchemaHead, SchemaVectors

CONFIG = HeadConfig(hidden_size=48, width=32, routing_layers=2, layers=2, heads=4, feedforward=64)


@pytest.fixture
def head():
    rng = np.random.default_rng(0)
    head = JointSchemaHead(CONFIG)
    head.update(tree_map(lambda x: mx.array(0.3 * rng.standard_normal(x.shape).astype(np.float32)), head.parameters()))
    return head


def vectors(counts, seed=1) -> SchemaVectors:
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return mx.array(rng.standard_normal(shape).astype(np.float32))

    D = CONFIG.hidden_size
    options = sum(counts)
    types = np.arange(len(counts)) % 3
    return SchemaVectors(draw(len(counts), D), draw(options, D), draw(options, D), draw(D), types, np.array(counts))


def memory(tokens=70):
    return mx.array(np.random.default_rng(2).standard_normal((tokens, CONFIG.width)).astype(np.float32))


@pytest.mark.parametrize("name", ["prior_logit_scale", "joint_logit_scale"])
def test_logit_scales_are_capped_at_a_hundred(head, name):
    head[name] = mx.array(math.log(100.0))
    capped = head(memory(), vectors([2, 3]))
    head[name] = mx.array(9.0)
    assert np.array_equal(np.array(head(memory(), vectors([2, 3]))), np.array(capped))
    head[name] = mx.array(4.0)
    assert not np.array_equal(np.array(head(memory(), vectors([2, 3]))), np.array(capped))


@pytest.mark.parametrize("counts", [[1], [2, 1, 10], [255], [3] * 64])
def test_one_logit_an_option(head, counts):
    logits = head(memory(), vectors(counts))
    assert logits.shape == (sum(counts),)
    assert logits.dtype == mx.float32


@pytest.mark.parametrize("with_norm", [True, False])
@pytest.mark.parametrize("queries", [1, 5])
def test_folded_attention_equals_projected_keys_and_values(head, queries, with_norm):
    layer = head.evidence_layers[0]
    attention: Attention = layer.attention
    norm = layer.memory_norm if with_norm else None
    x = mx.array(np.random.default_rng(3).standard_normal((queries, CONFIG.width)).astype(np.float32))
    rows = memory()
    folded = attention._fold(x, rows, norm)
    projected = attention._project(x, rows if norm is None else norm(rows))
    assert np.abs(np.array(folded - projected)).max() <= 2e-6 * np.abs(np.array(projected)).max()


def test_questions_of_other_sizes_do_not_blur_a_summary(head):
    """Padding slots of a short question must weigh nothing."""
    from clef_mlx.model.head import _summarize

    rng = np.random.default_rng(4)
    fields = mx.array(rng.standard_normal((2, 32)).astype(np.float32))
    options = mx.array(rng.standard_normal((12, 32)).astype(np.float32))
    both = np.array(_summarize(fields, options, np.array([2, 10])))
    first = np.array(_summarize(fields[:1], options[:2], np.array([2])))
    second = np.array(_summarize(fields[1:], options[2:], np.array([10])))
    assert np.abs(both - np.concatenate([first, second])).max() <= 1e-6
