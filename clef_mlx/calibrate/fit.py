"""Log-probabilities and labels -> the temperature and bias under which the labels are likeliest. Numbers only.

The cross-entropy is convex in the inverse temperature and the bias, so Newton's steps, kept within bounds and halved
until they help, end at the one minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clef_mlx.calibration import Scale

LEAST_P = 1e-45  # the least float32; what is below came out as 0
LEAST_TEMPERATURE = 0.1
BOUNDS = np.array([[0.1, 1 / LEAST_TEMPERATURE], [-10.0, 10.0]])  # of the inverse temperature, and of the bias
MOST_STEPS, MOST_HALVINGS = 100, 40
SMALL_STEP = 1e-10


class Rows(NamedTuple):
    """Cases as arrays: `logits` and `targets` [N, O], zero beyond a question's own options, which `own` [N, O] marks.

    A noul's true stands first.
    """

    logits: np.ndarray
    targets: np.ndarray
    own: np.ndarray

    def take(self, chosen: np.ndarray) -> Rows:
        return Rows(self.logits[chosen], self.targets[chosen], self.own[chosen])


def rows_of(probabilities: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> Rows:
    """Logarithms of probabilities are logits up to a shift, which a softmax does not see."""
    width = max(map(len, probabilities))
    rows = Rows(*(np.zeros((len(probabilities), width), dtype=kind) for kind in (float, float, bool)))
    for index, (p, target) in enumerate(zip(probabilities, targets, strict=True)):
        rows.logits[index, : len(p)] = np.log(np.maximum(p, LEAST_P))
        rows.targets[index, : len(p)] = target
        rows.own[index, : len(p)] = True
    return rows


def scaled(rows: Rows, scale: Scale) -> np.ndarray:
    """Probabilities [N, O] under a scale."""
    return _softmax(rows, np.array([1 / scale.temperature, scale.bias]))


def fit(rows: Rows, *, bias: bool) -> Scale:
    """The scale of least cross-entropy; its temperature stays between 0.1 and 10."""
    point = np.array([1.0, 0.0])
    loss = _loss(rows, point)
    for _ in range(MOST_STEPS):
        step = _newton(rows, point, bias)
        for _ in range(MOST_HALVINGS):
            tried = np.clip(point + step, BOUNDS[:, 0], BOUNDS[:, 1])
            tried_loss = _loss(rows, tried)
            if tried_loss < loss:
                break
            step /= 2
        else:
            break
        moved = np.abs(tried - point).max()
        point, loss = tried, tried_loss
        if moved < SMALL_STEP:
            break
    return Scale(float(1 / point[0]), float(point[1]))


def at_lower_bound(scale: Scale) -> bool:
    """Whether a still lower temperature would have been likelier."""
    return scale.temperature <= LEAST_TEMPERATURE * (1 + 1e-6)


def _softmax(rows: Rows, point: np.ndarray) -> np.ndarray:
    logits = rows.logits * point[0]
    logits[:, 0] += point[1]
    logits = np.where(rows.own, logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def _loss(rows: Rows, point: np.ndarray) -> float:
    return float(-(rows.targets * np.log(np.maximum(_softmax(rows, point), np.finfo(float).tiny))).sum(axis=1).mean())


def _newton(rows: Rows, point: np.ndarray, bias: bool) -> np.ndarray:
    """The step to the minimum of the parabola at `point`, along what may still move."""
    p = _softmax(rows, point)
    mean = (p * rows.logits).sum(axis=1)
    true = p[:, 0]
    gradient = np.array([((p - rows.targets) * rows.logits).sum(axis=1).mean(), (true - rows.targets[:, 0]).mean()])
    curve = ((p * rows.logits**2).sum(axis=1) - mean**2).mean()
    mixed = (true * (rows.logits[:, 0] - mean)).mean()
    hessian = np.array([[curve, mixed], [mixed, (true * (1 - true)).mean()]]) + 1e-12 * np.eye(2)
    outward = np.where(gradient > 0, point <= BOUNDS[:, 0], point >= BOUNDS[:, 1])
    free = np.flatnonzero(~outward & np.array([True, bias]))
    step = np.zeros(2)
    step[free] = -np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
    return step
