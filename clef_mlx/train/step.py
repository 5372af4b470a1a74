"""One batch -> sums of losses and gradients, as one compiled graph on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_map

from clef_mlx.model.clef import ClefModel
from clef_mlx.train.batches import Batch
from clef_mlx.train.forward import batch_logits
from clef_mlx.train.losses import LossWeights, Tally, tally

Gradients = dict[str, Any]


def _compiled(step: Callable[..., Any]) -> Callable[..., Any]:
    """On a processor every new shape would call a C++ compiler for dozens of kernels; `gradients` compiles chains."""
    return mx.compile(step) if mx.default_device() == mx.gpu else step


def gradient_step(model: ClefModel, weights: LossWeights, *, checkpoint: bool) -> Callable[..., Any]:
    """(trainable parameters, *Batch) -> (loss, *Tally), gradients. Loss and gradients are sums over the questions."""

    def loss(parameters: dict, *batch: mx.array) -> tuple[mx.array, ...]:
        model.update(parameters)
        counted = tally(batch_logits(model, Batch(*batch), checkpoint=checkpoint), Batch(*batch), weights)
        return (counted.loss, *counted)

    return _compiled(mx.value_and_grad(loss))


def count_step(model: ClefModel, weights: LossWeights) -> Callable[..., Any]:
    """(trainable parameters, *Batch) -> Tally, without gradients."""

    def count(parameters: dict, *batch: mx.array) -> tuple[mx.array, ...]:
        model.update(parameters)
        return tally(batch_logits(model, Batch(*batch)), Batch(*batch), weights)

    return _compiled(count)


def summed(step: Callable[..., Any], parameters: dict, batches: Sequence[Batch]) -> tuple[Tally, Gradients]:
    """Sums over batches, each evaluated before the next, so that one batch's activations are held at a time."""
    total, gradients = Tally(*(mx.array(0.0) for _ in Tally._fields)), tree_map(mx.zeros_like, parameters)
    for batch in batches:
        (_, *counted), more = step(parameters, *batch)
        total = Tally(*(a + b for a, b in zip(total, counted, strict=True)))
        gradients = tree_map(mx.add, gradients, more)
        mx.eval(total, gradients)
    return total, gradients
