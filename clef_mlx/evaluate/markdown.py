"""A report as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clef_mlx.evaluate.wording import (
    COLUMNS,
    cells,
    comparison_line,
    coverage_lines,
    data_line,
    model_notes,
    shown_questions,
)

MOST_CHANGES = 20


def markdown(document: dict[str, Any]) -> str:
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    data, models = document["data"], document["models"]
    yield from ("# Evaluation", "", f"{', '.join(map(_safe, data['files']))}: {data_line(data)}.", "")
    yield from (f"- {_safe(note)}." for note in data["notes"])
    yield from _table("model", [(model["name"], model["all"]) for model in models])
    for found in document["comparisons"]:
        yield from _comparison(found)
    for model in models:
        yield from _model(model)
    yield from ("## How the figures are made", "")
    yield from (f"- {name}: {method}." for name, method in document["methods"].items())


def _model(model: dict[str, Any]) -> Iterator[str]:
    yield from (f"## {_safe(model['name'])}", "")
    notes = [f"- {_safe(note)}." for note in model_notes(model)]
    if model["all"] is None:
        yield from (*notes, "")
        return
    yield from (*notes, *(f"- {line}." for line in coverage_lines(model["all"])), "")
    questions, others = shown_questions(model["by_question"])
    for heading, rows in (("type", model["by_type"]), ("group", model["by_group"]), ("question", questions)):
        yield from _table(heading, list(rows.items()))
    if others:
        yield from (f"{others}.", "")


def _table(heading: str, rows: Sequence[tuple[str, dict[str, Any] | None]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {heading} | {' | '.join(COLUMNS)} |"
    yield "|---" + "|---:" * len(COLUMNS) + "|"
    for name, figures in rows:
        row = cells(figures) if figures else ["0", *["–"] * (len(COLUMNS) - 1)]
        yield f"| {_safe(name)} | {' | '.join(row)} |"
    yield ""


def _comparison(found: dict[str, Any]) -> Iterator[str]:
    yield from (f"{_safe(comparison_line(found))}.", "")
    if found["changes"]:
        yield from ("| where | question | label | before | after |", "|---|---|---|---|---|")
        for change in found["changes"][:MOST_CHANGES]:
            yield f"| {' | '.join(_safe(change[key]) for key in ('where', 'question', 'label', 'a', 'b'))} |"
        yield ""


def _safe(text: str) -> str:
    """Ids and names come from strangers; a bar or a line break would end a cell."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
