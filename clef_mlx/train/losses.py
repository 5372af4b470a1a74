"""Logits of a batch -> the sum of its questions' losses, and how many answers are right."""

from __future__ import annotations

from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.train.batches import Batch

HIDDEN = -1e30


class LossWeights(NamedTuple):
    """What a question's loss is made of. `smoothing` is the share of a target spread over all its options.

    Cross-entropy in nats, plus `brier` times the squared distance of the distributions (0 to 2), plus `ordinal` times
    the squared distance of a score's expected level from the right one, levels counted from 0 to 1.
    """

    smoothing: float = 0.0
    brier: float = 0.0
    ordinal: float = 0.0


class Tally(NamedTuple):
    """Sums over the labelled questions of a batch: losses, cross-entropies, right answers, questions."""

    loss: mx.array
    cross_entropy: mx.array
    right: mx.array
    questions: mx.array


def tally(logits: mx.array, batch: Batch, weights: LossWeights) -> Tally:
    """logits [B, O] float32, unused slots far below all others -> scalars, float32."""
    Q = batch.types.shape[1]
    owned = (batch.owner[:, None] == mx.arange(Q)[:, None]) & batch.option_mask[:, None]  # [B, Q, O]
    scores = mx.where(owned, logits[:, None], HIDDEN)
    labelled = batch.targets.sum(axis=-1) > 0  # [B, Q]
    log_p = mx.where(owned, scores - mx.logsumexp(scores, axis=-1, keepdims=True), 0.0)
    p = mx.where(owned, mx.exp(log_p), 0.0)

    spread = owned / mx.maximum(owned.sum(axis=-1, keepdims=True), 1)
    wanted = (1.0 - weights.smoothing) * batch.targets + weights.smoothing * spread
    cross_entropy = -(batch.targets * log_p).sum(axis=-1)
    loss = -(wanted * log_p).sum(axis=-1)
    if weights.brier:
        loss = loss + weights.brier * mx.square(p - batch.targets).sum(axis=-1)
    if weights.ordinal:
        loss = loss + weights.ordinal * mx.square(((p - batch.targets) * batch.levels).sum(axis=-1))
    right = scores.argmax(axis=-1) == mx.where(owned, batch.targets, -1.0).argmax(axis=-1)
    return Tally(*(mx.where(labelled, part, 0.0).sum() for part in (loss, cross_entropy, right, mx.ones_like(loss))))
