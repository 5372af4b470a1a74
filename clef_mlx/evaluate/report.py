"""Cases of one or several models -> one JSON document; the tables, the Markdown and the plots are made from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from clef_mlx.evaluate.cases import Case, Decided, unlabelled
from clef_mlx.evaluate.coverage import Coverage, cases_needed, coverage_at, observed_at, risk_coverage
from clef_mlx.evaluate.intervals import RESAMPLES, SEED, bootstrap_mean, mcnemar, wilson
from clef_mlx.evaluate.metrics import LEAST_IN_BIN, MOST_BINS, calibration_error, macro_f1, reliability
from clef_mlx.labelled import Labelled

FORMAT = 1
MOST_POINTS = 200  # of a risk-coverage curve
MOST_CHANGES = 50  # changed answers that are listed one by one
FEW_LABELS = 10  # a question with fewer cases may well have one label only
TYPES = ("noul", "choice", "score")
METHODS = {
    "accuracy": "share of answers that are the label; a score's answer is its likeliest level",
    "accuracy_95": "Wilson interval, 95 %",
    "macro_f1": "mean F1 over the options of a question, then over questions",
    "nll": "cross-entropy of the label in nats, mean",
    "brier": "squared distance of answer and label over all options, 0 to 2, mean",
    "nll_95, brier_95, score_mae_95": f"bootstrap over requests, 95 %, {RESAMPLES} resamples, seed {SEED}",
    "ece": f"bins of equal mass by confidence, {MOST_BINS} or as many as hold {LEAST_IN_BIN} cases each",
    "score_mae": "levels between a score and its label, mean",
    "coverage": "one-sided exact binomial test, 95 % for all of 20 thresholds together",
    "mcnemar_p": "exact, two-sided",
}


def document(
    files: Sequence[str], data: Sequence[Labelled], models: dict[str, Decided], precisions: Sequence[float]
) -> dict[str, Any]:
    """The whole report. The first of `models` is compared with every other."""
    names = list(models)
    return {
        "format": FORMAT,
        "data": {
            "files": list(files),
            "requests": len(data),
            "labelled_questions": sum(len(one.targets) for one in data),
            "unlabelled_questions": unlabelled(data),
            "notes": one_class_notes(data),
        },
        "methods": METHODS,
        "models": [_model(name, decided, precisions) for name, decided in models.items()],
        "comparisons": [compare(names[0], models[names[0]].cases, name, models[name].cases) for name in names[1:]],
    }


def one_class_notes(data: Iterable[Labelled]) -> list[str]:
    """Questions that one answer would always get right."""
    labels: dict[str, Counter[int]] = defaultdict(Counter)
    for one in data:
        for question_id, target in one.targets.items():
            labels[question_id][int(np.argmax(target))] += 1
    return [
        f"question {question_id}: all {counts.total()} labels are the same, so its figures say little"
        for question_id, counts in labels.items()
        if len(counts) == 1 and counts.total() >= FEW_LABELS
    ]


def figures(cases: Sequence[Case], precisions: Sequence[float] = ()) -> dict[str, Any]:
    """All figures of at least one case; null where they do not apply."""
    requests = [case.request for case in cases]
    right, confidences = [case.right for case in cases], [case.confidence for case in cases]
    scores = [case for case in cases if case.type == "score"]
    bins = reliability(confidences, right)
    return {
        "cases": len(cases),
        "accuracy": sum(right) / len(cases),
        "accuracy_95": wilson(sum(right), len(cases)),
        "macro_f1": _mean_f1(cases),
        **_mean("nll", [case.nll for case in cases], requests),
        **_mean("brier", [case.brier for case in cases], requests),
        "ece": calibration_error(bins) if len(cases) >= LEAST_IN_BIN else None,
        **_mean("score_mae", [case.error for case in scores], [case.request for case in scores]),
        "coverage": [_coverage(precision, confidences, right) for precision in precisions],
    }


def compare(name_a: str, a: Sequence[Case], name_b: str, b: Sequence[Case]) -> dict[str, Any]:
    """Two models on the cases that both decided."""
    others = {(case.request, case.question_id): case for case in b}
    pairs = [(case, others[key]) for case in a if (key := (case.request, case.question_id)) in others]
    changed = [(one, other) for one, other in pairs if one.answer != other.answer]
    gained = sum(other.right and not one.right for one, other in pairs)
    lost = sum(one.right and not other.right for one, other in pairs)
    distances = [float(np.abs(one.p - other.p).max()) for one, other in pairs]
    return {
        "a": name_a,
        "b": name_b,
        "cases": len(pairs),
        "changed": len(changed),
        "gained": gained,
        "lost": lost,
        "mcnemar_p": mcnemar(gained, lost),
        "mean_abs_dp": float(np.mean(distances)) if distances else None,
        "max_abs_dp": max(distances, default=None),
        "changes": [_change(one, other) for one, other in changed[:MOST_CHANGES]],
    }


def _model(name: str, decided: Decided, precisions: Sequence[float]) -> dict[str, Any]:
    cases = decided.cases
    failures = [{"where": where, "error": str(error)} for where, error in decided.failures]
    found = {"name": name, "failures": failures, "truncated": decided.truncated}
    if not cases:
        return found | {"all": None}
    right, confidences = [case.right for case in cases], [case.confidence for case in cases]
    shares, risks = risk_coverage(confidences, right)
    thinned = np.unique(np.linspace(0, len(shares) - 1, MOST_POINTS).astype(int))
    return found | {
        "all": figures(cases, precisions),
        "by_type": _slices(cases, precisions, lambda case: case.type, TYPES),
        "by_group": _slices(cases, precisions, lambda case: case.group),
        "by_question": _slices(cases, precisions, lambda case: case.question_id),
        "reliability": [part._asdict() for part in reliability(confidences, right)],
        "risk_coverage": [[float(shares[index]), float(risks[index])] for index in thinned],
    }


def _slices(
    cases: Sequence[Case], precisions: Sequence[float], key: Callable[[Case], str | None], order: Sequence[str] = ()
) -> dict[str, Any]:
    """Figures by a property of the cases, in the given order or by first appearance; without one they are left out."""
    parts: dict[str | None, list[Case]] = {name: [] for name in order}
    for case in cases:
        parts.setdefault(key(case), []).append(case)
    return {name: figures(part, precisions) for name, part in parts.items() if part and name is not None}


def _mean_f1(cases: Sequence[Case]) -> float:
    questions: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        questions[case.question_id].append(case)
    named = [
        ([case.option_ids[case.label] for case in part], [case.option_ids[case.answer] for case in part])
        for part in questions.values()
    ]
    return float(np.mean([macro_f1(labels, answers) for labels, answers in named]))


def _mean(name: str, values: Sequence[float], requests: Sequence[int]) -> dict[str, Any]:
    if not values:
        return {name: None, f"{name}_95": None}
    return {name: float(np.mean(values)), f"{name}_95": bootstrap_mean(values, requests)}


def _coverage(precision: float, confidences: Sequence[float], right: Sequence[bool]) -> dict[str, Any]:
    def fields(found: Coverage | None) -> dict[str, Any] | None:
        return None if found is None else found._asdict()

    return {
        "precision": precision,
        "supported": fields(coverage_at(precision, confidences, right)),
        "observed": fields(observed_at(precision, confidences, right)),
        "cases_needed": cases_needed(precision),
    }


def _change(one: Case, other: Case) -> dict[str, Any]:
    return {
        "where": one.where,
        "question": one.question_id,
        "label": one.option_ids[one.label],
        "a": one.option_ids[one.answer],
        "b": other.option_ids[other.answer],
    }
