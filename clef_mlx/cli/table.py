"""Answers as tables with bars, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.bar import Bar
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from clef_mlx.cli.edge import console, printable

BAR_WIDTH = 12
MOST_OPTIONS = 8  # a question may have 255; the likeliest are worth a line
NARROWEST_BAR = 4
NARROWEST = 40  # cells of a table; below, the terminal breaks its lines
# The least cells of each text column: its heading.
LEAST_QUESTION, LEAST_ANSWER, LEAST_LABEL = len("question"), len("answer"), len("options")
GAP = 2  # cells between columns, one of them the box's


class DecisionTable:
    """Prints one table a request, and a line of totals."""

    def __init__(self) -> None:
        self.console = console()
        self.console.width = max(self.console.width, NARROWEST)

    def print(self, where: str, decision: dict[str, Any]) -> None:
        """Show one answer JSON (WIRE: model, answers, usage)."""
        tokens = decision["usage"]["input_tokens"]
        title = Text.assemble(
            (printable(where), "bold"), (f"  {printable(decision['model'])} · {tokens:,} tokens", "dim")
        )
        self.console.print(title)
        rows = [(_shortened(question_id, 24), answer) for question_id, answer in decision["answers"].items()]
        table = self._table(rows)
        for question_id, answer in rows:
            _add_question(table, question_id, answer)
        self.console.print(table, Text())

    def _table(self, rows: list[tuple[str, dict[str, Any]]]) -> Table:
        """Numbers are never cut: what lacks room shrinks the labels, then the bar, then folds ids and answers."""
        question = max(cell_len(text) for text in ("question", *(question_id for question_id, _ in rows)))
        answer = max(cell_len(text) for text in ("answer", *(_answer(answer) for _, answer in rows)))
        conf = max(cell_len(text) for text in ("conf.", *(f"{_confidence(answer):.1%}" for _, answer in rows)))
        free = self.console.width - conf - len("0.000") - 5 * GAP
        bar = min(BAR_WIDTH, free - question - answer - LEAST_LABEL)
        if bar < NARROWEST_BAR:
            bar, free = 0, free + GAP
        question = min(question, max(LEAST_QUESTION, free - LEAST_LABEL - answer))
        answer = min(answer, max(LEAST_ANSWER, free - LEAST_LABEL - question))
        table = Table(box=SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False)
        table.add_column("question", width=question, overflow="fold")
        table.add_column("answer", width=answer, overflow="fold")
        table.add_column("conf.", justify="right", no_wrap=True, width=conf)
        table.add_column("options", no_wrap=True, max_width=free - question - answer - bar)
        if bar:
            table.add_column("", width=bar)
        table.add_column("p", justify="right", no_wrap=True, width=len("0.000"))
        return table

    def print_totals(self, decided: int, tokens: int, seconds: float) -> None:
        requests = "1 request" if decided == 1 else f"{decided:,} requests"
        self.console.print(Text(f"{requests} · {tokens:,} tokens · {seconds:.2f} s", "dim"))


def _add_question(table: Table, question_id: str, answer: dict[str, Any]) -> None:
    lead = [Text(question_id), Text(_answer(answer), "bold"), f"{_confidence(answer):.1%}"]
    options = list(_options(answer))
    shown = options if len(options) <= MOST_OPTIONS else sorted(options, key=lambda option: -option[1])
    has_bar = len(table.columns) > 5
    for label, probability in shown[:MOST_OPTIONS]:
        bar = [Bar(1.0, 0.0, probability, color="cyan")] if has_bar else []
        table.add_row(*lead, Text(printable(label), overflow="ellipsis"), *bar, f"{probability:.3f}")
        lead = ["", "", ""]
    if len(options) > MOST_OPTIONS:
        table.add_row(*lead, Text(f"and {len(options) - MOST_OPTIONS} less likely", "dim"))
    table.add_section()


def _shortened(text: str, width: int) -> str:
    text = printable(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _answer(answer: dict[str, Any]) -> str:
    if answer["type"] == "noul":
        return "yes" if answer["noul"] >= 0.5 else "no"
    if answer["type"] == "choice":
        return _shortened(answer["choice"], 20)
    return f"{answer['score']:.2f} of {len(answer['legend']) - 1}"


def _confidence(answer: dict[str, Any]) -> float:
    return max(answer["noul"], 1 - answer["noul"]) if answer["type"] == "noul" else answer["confidence"]


def _options(answer: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield (label, probability) in request order; a score's levels are labelled by their criteria."""
    if answer["type"] == "noul":
        yield from (("yes", answer["noul"]), ("no", 1 - answer["noul"]))
        return
    legend = answer.get("legend", {})
    for option_id, probability in answer["probabilities"].items():
        level = legend.get(option_id, "")
        level = level if isinstance(level, str) else json.dumps(level, ensure_ascii=False)
        yield f"{option_id} {level}".rstrip(), probability
