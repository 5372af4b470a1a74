"""Answers and errors leave the program: table, json, jsonl or trace."""

from __future__ import annotations

import json
import sys
from typing import Any

from clef_mlx.cli.edge import say
from clef_mlx.cli.reading import Item
from clef_mlx.errors import ClefError, RequestError

FORMATS = ("table", "json", "jsonl", "trace")


def _json(value: Any, indent: int | None = None) -> str:
    # A stdout in another encoding still gets valid JSON.
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, indent=indent)


def error_json(item: Item, error: ClefError) -> dict[str, Any]:
    """An error in an answer's place."""
    place = {} if item.line is None else {"line": item.line}
    location = list(error.location) if isinstance(error, RequestError) else []
    return {"error": {"type": error.kind, "message": str(error), "location": location} | place}


class Lines:
    """jsonl and trace: one line a request, an error in its place."""

    errors_on_stderr = False

    def answer(self, item: Item, answer: dict[str, Any]) -> None:
        print(_json(answer), flush=True)

    def error(self, item: Item, error: ClefError) -> None:
        print(_json(error_json(item, error)), flush=True)

    def close(self, seconds: float) -> None:
        """Nothing follows the last line."""


class Document:
    """json: the answer of one request, or one array of several, whatever file or pipe they came from.

    The first is held until a second shows which; a lone error leaves stdout empty.
    """

    errors_on_stderr = False

    def __init__(self) -> None:
        self.first: dict[str, Any] | None = None
        self.several = False

    def _add(self, value: dict[str, Any]) -> None:
        if self.first is None:
            self.first = value
            return
        before = ",\n" if self.several else f"[\n{_json(self.first)},\n"
        self.several = True
        print(before + _json(value), end="", flush=True)

    def answer(self, item: Item, answer: dict[str, Any]) -> None:
        self._add(answer)

    def error(self, item: Item, error: ClefError) -> None:
        self._add(error_json(item, error))

    def close(self, seconds: float) -> None:
        if self.several:
            print("\n]")
        elif self.first and "error" not in self.first:
            print(_json(self.first, indent=2))


class Tables:
    """table: for people, errors as lines between the tables."""

    errors_on_stderr = True

    def __init__(self) -> None:
        from clef_mlx.cli.table import DecisionTable

        self.table = DecisionTable()
        self.decided = self.tokens = 0

    def answer(self, item: Item, answer: dict[str, Any]) -> None:
        self.table.print(item.where, answer)
        self.decided += 1
        self.tokens += answer["usage"]["input_tokens"]

    def error(self, item: Item, error: ClefError) -> None:
        sys.stdout.flush()
        say(str(error))

    def close(self, seconds: float) -> None:
        if self.decided:
            self.table.print_totals(self.decided, self.tokens, seconds)


Writer = Lines | Document | Tables


def writer_for(format: str | None, *, several: bool) -> Writer:
    """Choose by `--format`; without it, tables on a terminal and JSON in a pipe."""
    if format is None:
        format = "table" if sys.stdout.isatty() else "jsonl" if several else "json"
    if format == "json":
        return Document()
    return Tables() if format == "table" else Lines()
