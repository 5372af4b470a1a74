"""Confidences and right answers -> how many cases a model may decide alone at a wanted precision.

The threshold is chosen and tested on the same cases. So that luck does not pass for precision, a threshold counts only
where an exact binomial test says so with 95 % confidence, divided by the number of thresholds tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from clef_mlx.evaluate.intervals import lower_bound, tail

STEPS = 20  # thresholds tried: those that keep the surest 5 %, 10 % … of the cases
ALPHA = 0.05


class Coverage(NamedTuple):
    """`share` of the cases have at least the `threshold` confidence; `right` of those `count` were right.

    The precision on new cases is at least `at_least`, with 95 % confidence for all thresholds tried; None: not known.
    """

    threshold: float
    count: int
    share: float
    right: int
    at_least: float | None = None


def coverage_at(precision: float, confidences: Sequence[float], right: Sequence[bool]) -> Coverage | None:
    """The most cases that can be decided alone; None where the cases support no threshold."""
    for step in _steps(confidences, right):
        if tail(step.right, step.count, precision) <= ALPHA / STEPS:
            return step._replace(at_least=lower_bound(step.right, step.count, ALPHA / STEPS))
    return None


def observed_at(precision: float, confidences: Sequence[float], right: Sequence[bool]) -> Coverage | None:
    """As `coverage_at` by the plain share of right answers: what these cases show, and new ones need not."""
    return next((step for step in _steps(confidences, right) if step.right >= precision * step.count), None)


def cases_needed(precision: float) -> int:
    """Cases above one threshold without a single error that it takes to support a precision."""
    return math.ceil(math.log(ALPHA / STEPS) / math.log(precision))


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> tuple[np.ndarray, np.ndarray]:
    """Shares [K] of the cases kept, surest first, and error rates [K] among them. Equal confidences come together."""
    confidences, right = np.asarray(confidences, dtype=float), np.asarray(right, dtype=float)
    order = np.argsort(-confidences, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(confidences[order]) != 0, True))
    kept = ends + 1
    return kept / len(order), 1 - np.cumsum(right[order])[ends] / kept


def _steps(confidences: Sequence[float], right: Sequence[bool]) -> Iterator[Coverage]:
    """From all cases down to the surest."""
    confidences, right = np.asarray(confidences, dtype=float), np.asarray(right, dtype=bool)
    ordered = np.sort(confidences)[::-1]
    total = len(ordered)
    wanted = [math.ceil(total * step / STEPS) for step in range(STEPS, 0, -1)]
    for threshold in dict.fromkeys(float(ordered[count - 1]) for count in wanted):
        kept = confidences >= threshold
        yield Coverage(threshold, int(kept.sum()), float(kept.mean()), int(right[kept].sum()))
