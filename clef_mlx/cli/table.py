"""Answers as tables with bars, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.bar import Bar
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clef_mlx.cli.edge import printable

BAR_WIDTH = 12
MOST_OPTIONS = 8  # a question may have 255; the likeliest are worth a line
NARROWEST_LABEL = 8
GAP = 2  # cells between columns, one of them the box's


class DecisionTable:
    """Prints one table a request, and a line of totals."""

    def __init__(self) -> None:
        self.console = Console(highlight=False)

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
            self._add_question(table, question_id, answer)
        self.console.print(table, Text())

    def _table(self, rows: list[tuple[str, dict[str, Any]]]) -> Table:
        """Give the option labels what the other columns leave, since they are the ones that may be cut."""
        questions = max(cell_len(text) for text in ("question", *(question_id for question_id, _ in rows)))
        answers = max(cell_len(text) for text in ("answer", *(_answer(answer) for _, answer in rows)))
        taken = questions + answers + len("conf.") + BAR_WIDTH + len("0.000") + 5 * GAP
        table = Table(box=SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False)
        table.add_column("question", no_wrap=True)
        table.add_column("answer", no_wrap=True)
        table.add_column("conf.", justify="right", no_wrap=True)
        table.add_column("options", no_wrap=True, max_width=max(self.console.width - taken, NARROWEST_LABEL))
        table.add_column("", width=BAR_WIDTH)
        table.add_column("p", justify="right", no_wrap=True)
        return table

    def _add_question(self, table: Table, question_id: str, answer: dict[str, Any]) -> None:
        lead = [Text(question_id), Text(_answer(answer), "bold"), f"{_confidence(answer):.1%}"]
        options = list(_options(answer))
        shown = options if len(options) <= MOST_OPTIONS else sorted(options, key=lambda option: -option[1])
        for label, probability in shown[:MOST_OPTIONS]:
            bar = Bar(1.0, 0.0, probability, width=BAR_WIDTH, color="cyan")
            table.add_row(*lead, Text(printable(label), overflow="ellipsis"), bar, f"{probability:.3f}")
            lead = ["", "", ""]
        if len(options) > MOST_OPTIONS:
            table.add_row(*lead, Text(f"and {len(options) - MOST_OPTIONS} less likely", "dim"), "", "")
        table.add_section()

    def print_totals(self, decided: int, tokens: int, seconds: float) -> None:
        requests = "1 request" if decided == 1 else f"{decided:,} requests"
        self.console.print(Text(f"{requests} · {tokens:,} tokens · {seconds:.2f} s", "dim"))


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
