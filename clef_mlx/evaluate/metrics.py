"""Arrays of right and wrong answers, labels and confidences -> single figures. Numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MOST_BINS = 15
LEAST_IN_BIN = 20


class Bin(NamedTuple):
    """Cases of similar confidence: how many, their mean confidence, and the share that was right."""

    count: int
    confidence: float
    accuracy: float


def macro_f1(labels: Sequence[str], answers: Sequence[str]) -> float:
    """Mean F1 over the options that occur as a label or an answer."""
    labels, answers = np.asarray(labels), np.asarray(answers)
    scores = []
    for option in np.union1d(labels, answers):
        hits = np.sum((labels == option) & (answers == option))
        scores.append(2 * hits / (np.sum(labels == option) + np.sum(answers == option)))
    return float(np.mean(scores))


def reliability(confidences: Sequence[float], right: Sequence[bool], bins: int | None = None) -> list[Bin]:
    """Bins of equal mass, from the least confident: 15, or as many as leave 20 cases in each."""
    confidences, right = np.asarray(confidences, dtype=float), np.asarray(right, dtype=float)
    bins = bins or min(MOST_BINS, max(1, len(confidences) // LEAST_IN_BIN))
    order = np.argsort(confidences, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return [Bin(len(part), float(confidences[part].mean()), float(right[part].mean())) for part in parts]


def calibration_error(bins: Sequence[Bin]) -> float:
    """ECE: the mean distance of accuracy and confidence over the bins, weighted by their cases."""
    total = sum(part.count for part in bins)
    return sum(part.count * abs(part.accuracy - part.confidence) for part in bins) / total
