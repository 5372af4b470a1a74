"""Cases -> a scale per type or question, kept only where it helps on requests it was not fitted to.

Every case is judged by a scale fitted to the other folds, and requests of one state share a fold: a figure from the
data that a scale was fitted to would flatter it.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clef_mlx.calibrate.fit import LEAST_TEMPERATURE, Rows, at_lower_bound, fit, rows_of, scaled
from clef_mlx.calibration import Scale
from clef_mlx.evaluate.cases import LEAST_P, Case
from clef_mlx.evaluate.metrics import LEAST_IN_BIN, calibration_error, reliability
from clef_mlx.labelled import Labelled
from clef_mlx.strict_json import render

FOLDS = 5
LEAST_GAIN = 1e-4  # nats of held-out cross-entropy; less is not worth another set of probabilities
LEAST_CASES = 30  # labelled questions that a scale is fitted to
Key = tuple[str, str | None]


class Figures(NamedTuple):
    """Of some cases: mean cross-entropy, ECE (None where too few), and the share of right answers."""

    nll: float
    ece: float | None
    accuracy: float


class Fitted(NamedTuple):
    """What came of one key. Without `scale` nothing is kept, and `reason` says why."""

    key: Key
    cases: int
    scale: Scale | None
    reason: str
    before: Figures | None = None
    after: Figures | None = None

    def to_dict(self) -> dict[str, Any]:
        type, question_id = self.key
        return {
            "type": type,
            "question": question_id,
            "cases": self.cases,
            "stored": None if self.scale is None else self.scale.to_dict(),
            "reason": self.reason,
            "held_out_before": None if self.before is None else self.before._asdict(),
            "held_out_after": None if self.after is None else self.after._asdict(),
        }


def folds_of(data: Sequence[Labelled]) -> np.ndarray:
    """A fold per request: states in the order of their hash take turns, so neither order nor chance matters.

    Pictures and clips are part of a state.
    """
    states = [hashlib.sha256(_shown(one).encode()).digest() for one in data]
    turns = {state: turn % FOLDS for turn, state in enumerate(sorted(set(states)))}
    return np.array([turns[state] for state in states])


def _shown(one: Labelled) -> str:
    media = [one.request[name] for name in ("images", "videos") if one.request.get(name)]
    return render([one.parsed.state, *media] if media else one.parsed.state)


def crossfit(cases: Sequence[Case], folds: np.ndarray, *, per: str, bias: bool) -> list[Fitted]:
    """Fit a scale per "type" or "question"; `bias` moves nouls as well. `folds` are by request."""
    parts: dict[Key, list[Case]] = defaultdict(list)
    for case in cases:
        parts[case.type, case.question_id if per == "question" else None].append(case)
    return [_fitted(key, part, folds, bias and key[0] == "noul") for key, part in parts.items()]


def figures(p: np.ndarray, rows: Rows) -> Figures:
    answers = p.argmax(axis=1)
    each = np.arange(len(p))
    right = rows.targets[each, answers] == rows.targets.max(axis=1)
    nll = -(rows.targets * np.log(np.maximum(p, LEAST_P))).sum(axis=1).mean()
    ece = calibration_error(reliability(p[each, answers], right)) if len(p) >= LEAST_IN_BIN else None
    return Figures(float(nll), ece, float(right.mean()))


def _fitted(key: Key, cases: Sequence[Case], folds: np.ndarray, bias: bool) -> Fitted:
    if len(cases) < LEAST_CASES:
        return Fitted(key, len(cases), None, f"fewer than {LEAST_CASES} labelled questions")
    rows = rows_of([case.p for case in cases], [case.target for case in cases])
    mine = folds[[case.request for case in cases]]
    if len(np.unique(mine)) < 2:
        return Fitted(key, len(cases), None, "a single state, so nothing could be held out")
    before, after = figures(scaled(rows, Scale(1.0)), rows), _held_out(rows, mine, bias)
    if bias and (not _gains(before, after) or after.accuracy < before.accuracy):
        bias, after = False, _held_out(rows, mine, False)
        kept = "kept without bias, which did not help"
    else:
        kept = "kept"
    if not _gains(before, after):
        return Fitted(key, len(cases), None, "no gain on held-out requests", before, after)
    scale = fit(rows, bias=bias)
    if at_lower_bound(scale):
        # All answers right, as where all labels are alike: the likelier the lower, so nothing was found.
        return Fitted(
            key, len(cases), None, f"no temperature down to {LEAST_TEMPERATURE:g} is low enough", before, after
        )
    return Fitted(key, len(cases), scale, kept, before, after)


def _gains(before: Figures, after: Figures) -> bool:
    return after.nll <= before.nll - LEAST_GAIN


def _held_out(rows: Rows, folds: np.ndarray, bias: bool) -> Figures:
    p = np.zeros_like(rows.logits)
    for fold in np.unique(folds):
        out = folds == fold
        p[out] = scaled(rows.take(out), fit(rows.take(~out), bias=bias))
    return figures(p, rows)
