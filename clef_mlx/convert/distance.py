"""How far apart two distributions over the same options are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clef_mlx import answers

FLOOR = 1e-12  # float32 softmax may give an option nothing at all


def divergence(before: np.ndarray, after: np.ndarray) -> float:
    """Kullback-Leibler divergence in nats of probabilities [O] `after` from `before`."""
    p = np.asarray(before, dtype=np.float64)
    q = np.maximum(np.asarray(after, dtype=np.float64), FLOOR)
    seen = p > 0
    # Not below zero: rounded probabilities sum to one only nearly.
    return max(0.0, float((p[seen] * np.log(p[seen] / q[seen])).sum()))


def mean_divergence(before: Sequence[Sequence[np.ndarray]], after: Sequence[Sequence[np.ndarray]]) -> float:
    """The mean over all questions of all records. Logits in, of each record and question."""
    pairs = [
        divergence(p, q)
        for mine, yours in zip(before, after, strict=True)
        for p, q in zip(answers.probabilities(mine), answers.probabilities(yours), strict=True)
    ]
    return sum(pairs) / len(pairs)
