"""Flags -> a request: `--noul 'id=question'`, `--choice 'id=question: a, b, c'`, `--score 'id=question: low, high'`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from clef_mlx.strict_json import parse_json

KINDS = ("noul", "choice", "score")
SHAPES = {"noul": "id=question", "choice": "id=question: a, b, c", "score": "id=question: low, mid, high"}


class InOrder(click.Command):
    """Remembers the order of --noul, --choice and --score, which click forgets: questions are decided jointly."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        order = self.make_parser(ctx).parse_args(list(args))[2]
        ctx.meta["kinds"] = [parameter.name for parameter in order if parameter.name in KINDS]
        return super().parse_args(ctx, args)


def quick_request(state: str | None, kinds: Iterable[str], texts: dict[str, Sequence[str]]) -> dict[str, Any]:
    """Build the request of `--state` and the question flags. Raises click.UsageError."""
    if state is None:
        raise click.UsageError("--state is missing. Questions need a text, or @file, to be about.")
    remaining = {kind: iter(texts[kind]) for kind in KINDS}
    questions: dict[str, Any] = {}
    for kind in kinds:
        question_id, question = _question(kind, next(remaining[kind]))
        if question_id in questions:
            raise click.UsageError(f"--{kind}: each id must be given once, got {question_id!r} twice.")
        questions[question_id] = question
    if not questions:
        raise click.UsageError("--state needs a question. Add --noul, --choice or --score.")
    return {"state": _state(state), "questions": questions}


def _state(text: str) -> Any:
    """Read `@file` and `@-` (stdin); a .json file is JSON. Anything else is the state itself."""
    if not text.startswith("@"):
        return text
    try:
        content = sys.stdin.buffer.read() if text == "@-" else Path(text[1:]).read_bytes()
        return parse_json(content, where=text[1:]) if text.endswith(".json") else content.decode("utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"--state: {text[1:]} cannot be read: {reason}.") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--state: {text[1:]} must be UTF-8 text, got other bytes.") from error


def _question(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    shape = f"--{kind}: must read '{SHAPES[kind]}', got {text!r}."
    question_id, equals, instructions = (part.strip() for part in text.partition("="))
    if not (question_id and equals):
        raise click.UsageError(shape)
    if kind == "noul":
        return question_id, {"type": kind, "instructions": instructions}
    # The last colon: a question may hold one, and an option that does needs a request file.
    instructions, colon, listed = (part.strip() for part in instructions.rpartition(":"))
    options = [option.strip() for option in listed.split(",")]
    if not colon or not all(options):
        raise click.UsageError(shape)
    if kind == "choice" and len(set(options)) < len(options):
        raise click.UsageError(f"--choice: options must differ, got {text!r}.")
    criteria = dict.fromkeys(options) if kind == "choice" else options
    return question_id, {"type": kind, "instructions": instructions, "criteria": criteria}
