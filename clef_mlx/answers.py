"""Logits to probabilities, probabilities to typed answers; knows no model and no tokens.

Source: joint_schema_model.py::systemone and systemone_answer. The defaults are the publisher's: four decimals, and the
top probability as confidence. The other confidences are those of hosts that speak the same protocol.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clef_mlx.errors import ModelFault, RequestError
from clef_mlx.schema import Question
from clef_mlx.strict_json import show

MAX_DECIMALS = 17  # enough to tell any two doubles between 0 and 1 apart


def probabilities(logits: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Softmax within each question: logits [O] of any float dtype -> float32 [O].

    Raises ModelFault for NaN or infinity. Computed in double and rounded once to float32, where the publisher's softmax
    lives: options that tie there tie here.
    """
    return [_softmax(np.asarray(row, dtype=np.float64), index) for index, row in enumerate(logits)]


def answer(
    question: Question,
    probabilities: np.ndarray,
    *,
    confidence: str = "max",
    round: int | None = 4,
) -> dict[str, Any]:
    """One typed answer from the question's probabilities [O], which are in the order of `question.options`.

    `round` is a number of decimals, or None for full precision. Score and confidence come from unrounded probabilities.
    """
    check_options(confidence, round)
    if question.type == "noul":
        p_true, _ = probabilities.tolist()
        return {"type": "noul", "noul": _rounded(p_true, round)}
    by_option = dict(zip((option.option_id for option in question.options), probabilities.tolist(), strict=True))
    by_option = {option_id: by_option[option_id] for option_id in question.request_order}
    p = list(by_option.values())
    common = {
        "confidence": _rounded(_CONFIDENCES[confidence](p, question.type), round),
        "probabilities": {option_id: _rounded(value, round) for option_id, value in by_option.items()},
    }
    if question.type == "choice":
        # `max` keeps the first of equals, in request order
        return {"type": "choice", "choice": max(by_option, key=by_option.__getitem__), **common}
    return {
        "type": "score",
        "score": _rounded(sum(level * value for level, value in enumerate(p)), round),
        "confidence": common["confidence"],
        "legend": dict(zip(question.request_order, question.legend, strict=True)),
        "probabilities": common["probabilities"],
    }


def check_options(confidence: str, round: int | None) -> None:
    """Raises RequestError unless `answer` knows these options; lets a caller ask before anything is computed."""
    if confidence not in CONFIDENCE_DIALECTS:
        rule = f"must be {', '.join(CONFIDENCE_DIALECTS[:-1])} or {CONFIDENCE_DIALECTS[-1]}, got {show(confidence)}"
        raise RequestError(f"confidence: {rule}. The publisher's is max.", ("confidence",))
    if round is None:
        return
    if not isinstance(round, int) or isinstance(round, bool) or not 0 <= round <= MAX_DECIMALS:
        rule = f"must be null or a whole number of decimals from 0 to {MAX_DECIMALS}, got {show(round)}"
        raise RequestError(f"round: {rule}. The publisher's is 4.", ("round",))


def _softmax(logits: np.ndarray, index: int) -> np.ndarray:
    if not np.isfinite(logits).all():
        option = int(np.flatnonzero(~np.isfinite(logits))[0])
        rule = f"must be finite, got {logits[option]} for option {option}"
        raise ModelFault(f"logits of question {index}: {rule}. Check the weights, or load with dtype float32.")
    weights = np.exp(logits - logits.max())
    return (weights / weights.sum()).astype(np.float32)


def _rounded(value: float, decimals: int | None) -> float:
    return value if decimals is None else round(value, decimals)


def _top(p: list[float], question_type: str) -> float:
    return max(p)


def _jev(p: list[float], question_type: str) -> float:
    """Jev's: a choice by how far the top is above chance, a score by how close the rest lies to the mode."""
    n = len(p)
    if n == 1:
        return 1.0
    if question_type == "choice":
        return _clamped((n * max(p) - 1) / (n - 1))
    mode = p.index(max(p))
    spread = sum(value * abs(level - mode) for level, value in enumerate(p))
    spread_of_chance = sum(abs(level - (n - 1) / 2) for level in range(n)) / n
    return _clamped(1 - spread / spread_of_chance)


def _gini(p: list[float], question_type: str) -> float:
    """Hosted Clef's: the sum of squares, 0 at chance and 1 when certain."""
    n = len(p)
    return 1.0 if n == 1 else _clamped((n * sum(value * value for value in p) - 1) / (n - 1))


def _entropy(p: list[float], question_type: str) -> float:
    """Ollama's: one minus the entropy over that of chance."""
    if len(p) == 1:
        return 1.0
    entropy = -sum(value * math.log(value) for value in p if value > 0)
    return _clamped(1 - entropy / math.log(len(p)))


def _clamped(value: float) -> float:
    """Rounding can leave the unit interval by a last bit."""
    return min(1.0, max(0.0, value))


_CONFIDENCES: dict[str, Callable[[list[float], str], float]] = {
    "max": _top,
    "jev": _jev,
    "gini": _gini,
    "entropy": _entropy,
}
CONFIDENCE_DIALECTS = tuple(_CONFIDENCES)
