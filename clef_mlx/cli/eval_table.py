"""An evaluation's report as tables, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clef_mlx.cli.edge import console, printable
from clef_mlx.evaluate.wording import (
    COLUMNS,
    cells,
    comparison_line,
    coverage_lines,
    data_line,
    model_notes,
    shown_questions,
)

LEAST_WIDTH = 100  # where the lines of a narrower terminal may break, figures may not


def print_report(report: dict[str, Any]) -> None:
    page = console()
    page.width = max(page.width, LEAST_WIDTH)
    _say(page, data_line(report["data"]))
    for note in report["data"]["notes"]:
        _say(page, note, "yellow")
    models = report["models"]
    if len(models) > 1:
        page.print(_table("model", [(model["name"], model["all"]) for model in models]))
        for found in report["comparisons"]:
            _say(page, comparison_line(found))
    for model in models:
        _print_model(page, model)


def _print_model(page: Console, model: dict[str, Any]) -> None:
    _say(page, f"\n{printable(model['name'])}", "bold")
    for note in model_notes(model):
        _say(page, note, "yellow")
    if model["all"] is None:
        return
    page.print(_table("", [("all", model["all"]), *model["by_type"].items()]))
    if model["by_group"]:
        page.print(_table("group", list(model["by_group"].items())))
    questions, others = shown_questions(model["by_question"])
    if questions:
        page.print(_table("question", list(questions.items())))
    if others:
        _say(page, others, "dim")
    for line in coverage_lines(model["all"]):
        _say(page, line)


def _table(heading: str, rows: Sequence[tuple[str, dict[str, Any] | None]]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column(heading, overflow="fold")
    for column in COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for name, figures in rows:
        row = cells(figures) if figures else ["0", *["–"] * (len(COLUMNS) - 1)]
        table.add_row(Text(printable(name)), *row)
    return table


def _say(page: Console, line: str, style: str = "") -> None:
    page.print(Text("\n".join(map(printable, line.split("\n"))), style), soft_wrap=True)
