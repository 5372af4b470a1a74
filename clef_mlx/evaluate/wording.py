"""Figures of a report -> the cells and sentences that tables and Markdown share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

COLUMNS = ("cases", "accuracy", "95 % of it", "macro-F1", "NLL", "Brier", "ECE", "score MAE")


MOST_ROWS = 20  # of a table of questions
LEAST_CASES = 10  # of a question in a table, unless there are few of them


def shown_questions(by_question: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The questions worth a row, and a line about the others; a file may ask a thousand different ones."""
    if len(by_question) <= MOST_ROWS:
        return by_question, ""
    most = sorted(by_question, key=lambda name: -by_question[name]["cases"])[:MOST_ROWS]
    shown = {name: by_question[name] for name in most if by_question[name]["cases"] >= LEAST_CASES}
    return shown, f"{_counted(len(by_question) - len(shown), 'question')} with fewer cases: see --json"


def cells(figures: dict[str, Any]) -> list[str]:
    """One row under COLUMNS."""
    low, high = figures["accuracy_95"]
    return [
        f"{figures['cases']:,}",
        f"{figures['accuracy']:.1%}",
        f"{low:.1%} – {high:.1%}",
        *(
            "–" if figures[name] is None else f"{figures[name]:.3f}"
            for name in ("macro_f1", "nll", "brier", "ece", "score_mae")
        ),
    ]


def data_line(data: dict[str, Any]) -> str:
    left_out = data["unlabelled_questions"]
    tail = f"; {_counted(left_out, 'question')} without a label not counted" if left_out else ""
    return f"{_counted(data['requests'], 'request')}, {_counted(data['labelled_questions'], 'labelled question')}{tail}"


def model_notes(model: dict[str, Any]) -> Iterator[str]:
    """What the figures leave out or rest on."""
    if failures := model["failures"]:
        yield f"{_counted(len(failures), 'request')} could not be decided, the first: {failures[0]['error']}"
    if model["truncated"]:
        yield f"{_counted(model['truncated'], 'request')} lost the end of a state that was too long"


def coverage_lines(figures: dict[str, Any]) -> Iterator[str]:
    """Where a model may decide alone; never more than the cases support."""
    for found in figures["coverage"]:
        wanted = f"decide alone at {_percent(found['precision'])}: "
        if step := found["supported"]:
            sure = math.floor(step["at_least"] * 1000) / 10
            yield (
                f"{wanted}{step['share']:.0%} of cases, those with confidence {_threshold(step)} or more "
                f"({_seen(step)}; at least {sure:.1f} % with 95 % confidence)"
            )
            continue
        seen = found["observed"]
        shown = f"{_seen(seen)} from {_threshold(seen)} on" if seen else "no threshold reached it"
        yield (
            f"{wanted}{figures['cases']:,} cases do not support it ({shown}); even without an error it takes "
            f"{found['cases_needed']:,} above one threshold"
        )


def _seen(step: dict[str, Any]) -> str:
    return f"{step['right']:,} of {step['count']:,} right"


def comparison_line(found: dict[str, Any]) -> str:
    if not found["cases"]:
        return f"{found['a']} → {found['b']}: no case that both decided"
    p = found["mcnemar_p"]
    return (
        f"{found['a']} → {found['b']}: {found['changed']:,} of {found['cases']:,} answers changed, "
        f"{found['gained']:,} became right and {found['lost']:,} wrong (McNemar exact p = {p:.3g}); "
        f"probabilities moved by {found['mean_abs_dp']:.4f} on average, {found['max_abs_dp']:.4f} at most"
    )


def _threshold(step: dict[str, Any]) -> str:
    # Rounded up, so that what it lets through was counted.
    return f"{min(1.0, math.ceil(step['threshold'] * 10000) / 10000):.4f}"


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
