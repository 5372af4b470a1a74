"""The forward pass as one function of fixed shapes: arguments, then weights -> logits, probabilities.

The same layers as a decision, the head in its masked form. Nothing in it depends on values, so MLX can trace it.
"""

from __future__ import annotations

from collections.abc import Callable

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

from clef_mlx.model.clef import ClefModel
from clef_mlx.model.elementwise import softmax
from clef_mlx.model.head import MASKED
from clef_mlx.model.masked_head import MaskedVectors, masked_logits
from clef_mlx.model.positions import text_positions

ARGUMENTS = 6


class Weights:
    """A model's parameters as a list: each array once, in the order of their names.

    Tied parameters are one array under several names; the first stands for all.
    """

    def __init__(self, model: ClefModel) -> None:
        every = dict(tree_flatten(model.parameters()))
        first: dict[int, str] = {}
        for name in sorted(every):
            first.setdefault(id(every[name]), name)
        self._stands_for = {name: first[id(value)] for name, value in every.items()}
        self.names = sorted(first.values())
        self.values = [every[name] for name in self.names]

    def give(self, model: ClefModel, values: tuple[mx.array, ...] | list[mx.array]) -> None:
        """Put values, in the order of `names`, into a model."""
        named = dict(zip(self.names, values, strict=True))
        model.update(tree_unflatten([(name, named[first]) for name, first in self._stands_for.items()]))


def traced(model: ClefModel, weights: Weights) -> Callable[..., list[mx.array]]:
    """The function to trace. It leaves tracers in the model: `weights.give` puts the arrays back."""

    def forward(*arrays: mx.array) -> list[mx.array]:
        weights.give(model, arrays[ARGUMENTS:])
        return _decide(model, *arrays[:ARGUMENTS])

    return forward


def _decide(
    model: ClefModel,
    input_ids: mx.array,
    length: mx.array,
    question_spans: mx.array,
    question_types: mx.array,
    option_spans: mx.array,
    option_owners: mx.array,
) -> list[mx.array]:
    """For shapes see `slots.Arguments`. -> logits [O] (-1e30 in unused slots), probabilities [O] (0 there), float32."""
    L = input_ids.shape[0]
    states = model.language_model.empty_states(1, L, model.dtype)
    normed, memory, _ = model.prefill(input_ids[None], text_positions(0, L)[:, None], states, 0)
    rows = normed[0]
    vectors = MaskedVectors(
        questions=_means(rows, question_spans)[None],
        options=_means(rows, option_spans)[None],
        lexical=_means(model.lm_head(input_ids), option_spans)[None],
        last=rows[length - 1][None],
        types=question_types[None],
        owner=option_owners[None],
        question_mask=_used(question_spans)[None],
        option_mask=_used(option_spans)[None],
    )
    (logits,) = masked_logits(model.head, memory, (mx.arange(L) < length)[None], vectors)
    return [logits, _probabilities(logits, option_owners, _used(option_spans), question_spans.shape[0])]


def _used(spans: mx.array) -> mx.array:
    return spans[:, 1] > spans[:, 0]


def _means(rows: mx.array, spans: mx.array) -> mx.array:
    """Mean of rows [L, D] over each span [S, 2], zeros for empty ones. -> [S, D] float32."""
    start, end = spans[:, :1], spans[:, 1:]
    places = mx.arange(rows.shape[0])
    inside = mx.logical_and(places >= start, places < end).astype(mx.float32)
    return (inside @ rows.astype(mx.float32)) / mx.maximum(end - start, 1).astype(mx.float32)


def _probabilities(logits: mx.array, owners: mx.array, used: mx.array, questions: int) -> mx.array:
    """Softmax within each question. logits [O] -> [O] float32."""
    own = mx.logical_and(owners == mx.arange(questions)[:, None], used)  # [Q, O]
    weights = softmax(mx.where(own, logits, MASKED))
    return mx.where(own, weights, 0.0).sum(axis=0)
