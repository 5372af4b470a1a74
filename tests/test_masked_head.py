"""The masked head is the head: every record of a padded batch as alone, and what pads it weighs nothing."""

from __future__ import annotations

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map

from clef_mlx.config import HeadConfig
from clef_mlx.model.head import JointSchemaHead, SchemaVectors
from clef_mlx.model.masked_head import MaskedVectors, masked_logits
from clef_mlx.model.paths import override_paths

CONFIG = HeadConfig(hidden_size=48, width=32, routing_layers=2, layers=2, heads=4, feedforward=64)
RECORDS = [([2, 3], 70), ([1], 5), ([2, 1, 10], 41), ([4, 4, 4, 2], 64)]  # options of each question, tokens
SLOTS = (5, 20, 80)  # questions, options, tokens: more than any record needs


@pytest.fixture
def head():
    rng = np.random.default_rng(0)
    head = JointSchemaHead(CONFIG)
    head.update(tree_map(lambda x: mx.array(0.3 * rng.standard_normal(x.shape).astype(np.float32)), head.parameters()))
    return head


def draw(rng, *shape) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def records():
    """Each record's memory and vectors, as the head takes them."""
    rng, D = np.random.default_rng(1), CONFIG.hidden_size
    for counts, tokens in RECORDS:
        Q, O = len(counts), sum(counts)  # noqa: E741 - the axis's letter
        types = np.arange(Q) % 3
        read = [mx.array(draw(rng, *shape)) for shape in ((Q, D), (O, D), (O, D), (D,))]
        yield mx.array(draw(rng, tokens, CONFIG.width)), SchemaVectors(*read, types, np.array(counts))


def batch(poison: float) -> tuple[mx.array, mx.array, MaskedVectors]:
    """The records padded to SLOTS, every unused place filled with `poison`."""
    Q, O, T = SLOTS  # noqa: E741
    rows = []
    for memory, vectors in records():
        q, o, t = len(vectors.counts), int(vectors.counts.sum()), memory.shape[0]
        owner = np.repeat(np.arange(q), vectors.counts)
        rows.append(
            [
                padded(memory, T, poison),
                np.arange(T) < t,
                padded(vectors.questions, Q, poison),
                padded(vectors.options, O, poison),
                padded(vectors.lexical, O, poison),
                np.array(vectors.last),
                padded(vectors.types, Q, 0).astype(np.int32),
                padded(owner, O, 0).astype(np.int32),
                np.arange(Q) < q,
                np.arange(O) < o,
            ]
        )
    memory, mask, *rest = (mx.array(np.stack(column)) for column in zip(*rows, strict=True))
    return memory, mask, MaskedVectors(*rest)


def padded(rows, length: int, value: float) -> np.ndarray:
    rows = np.array(rows)
    room = np.full((length - len(rows), *rows.shape[1:]), value, dtype=rows.dtype)
    return np.concatenate([rows, room])


@pytest.mark.parametrize("poison", [0.0, 1e3])
def test_masked_logits_are_the_heads(head, poison):
    logits = np.array(masked_logits(head, *batch(poison)))
    for row, (memory, vectors) in zip(logits, records(), strict=True):
        alone = np.array(head(memory, vectors))
        assert row[: len(alone)] == pytest.approx(alone, rel=1e-5, abs=1e-5)
        assert (row[len(alone) :] == np.float32(-1e30)).all()


def test_masked_logits_are_the_heads_under_bfloat16(head):
    head.set_dtype(mx.bfloat16)
    memory, mask, vectors = batch(0.0)
    logits = np.array(masked_logits(head, memory.astype(mx.bfloat16), mask, vectors))
    for row, (memory, vectors) in zip(logits, records(), strict=True):
        alone = np.array(head(memory.astype(mx.bfloat16), vectors))
        # Two orders of the same bfloat16 sums: a few of its last bits apart.
        assert row[: len(alone)] == pytest.approx(alone, abs=0.05 * float(np.abs(alone).max()))


def test_masked_gradients_are_the_sum_of_the_records_own(head):
    def batched(parameters):
        head.update(parameters)
        memory, mask, vectors = batch(0.0)
        logits = masked_logits(head, memory, mask, vectors)
        return mx.where(vectors.option_mask, mx.sin(logits), 0).sum()

    def one_by_one(parameters):
        head.update(parameters)
        return sum(mx.sin(head(memory, vectors)).sum() for memory, vectors in records())

    parameters = head.parameters()
    with override_paths(elementwise="builtin"):
        found = dict(tree_flatten(mx.grad(batched)(parameters)))
        expected = dict(tree_flatten(mx.grad(one_by_one)(parameters)))
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        scale = max(1.0, np.abs(np.array(gradient)).max())
        assert np.abs(np.array(found[name] - gradient)).max() <= 2e-5 * scale, name


def test_masked_slots_of_zeros_have_finite_gradients(head):
    def loss(head):
        memory, mask, vectors = batch(0.0)
        return mx.where(vectors.option_mask, masked_logits(head, memory, mask, vectors), 0).sum()

    with override_paths(elementwise="builtin"):
        gradients = nn.value_and_grad(head, loss)(head)[1]
    assert all(np.isfinite(np.array(gradient)).all() for _, gradient in tree_flatten(gradients))
