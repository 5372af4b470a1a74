"""Flags -> a request: `--noul 'id=question'`, `--choice 'id=question: a, b, c'`, `--score 'id=question: low, high'`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from clef_mlx.cli.edge import named
from clef_mlx.cli.reading import standard_input
from clef_mlx.strict_json import parse_json, show

KINDS = ("noul", "choice", "score")
SHAPES = {"noul": "id=question", "choice": "id=question: a, b, c", "score": "id=question: low, mid, high"}


class InOrder(click.Command):
    """Remembers the order of --noul, --choice and --score, which click forgets: questions are decided jointly."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        order = self.make_parser(ctx).parse_args(list(args))[2]
        ctx.meta["kinds"] = [parameter.name for parameter in order if parameter.name in KINDS]
        return super().parse_args(ctx, args)


def quick_request(
    state: str | None, kinds: Iterable[str], texts: dict[str, Sequence[str]], media: dict[str, Sequence[str]]
) -> dict[str, Any]:
    """Build the request of `--state`, the question flags and the paths in `media`. Raises click.UsageError."""
    given = {name: list(paths) for name, paths in media.items() if paths}
    if state is None and not given:
        raise click.UsageError("--state is missing. Questions need a text, or @file, or an --image to be about.")
    remaining = {kind: iter(texts[kind]) for kind in KINDS}
    questions: dict[str, Any] = {}
    for kind in kinds:
        question_id, question = _question(kind, next(remaining[kind]))
        if question_id in questions:
            raise click.UsageError(f"--{kind}: each id must be given once, got {show(question_id)} twice.")
        questions[question_id] = question
    if not questions:
        subject = "--state" if state is not None else "--image" if "images" in given else "--video"
        raise click.UsageError(f"{subject} needs a question. Add --noul, --choice or --score.")
    return {"state": "" if state is None else _state(state), "questions": questions} | given


def _state(text: str) -> Any:
    """Read `@file` and `@-` (stdin); a .json file is JSON. Anything else is the state itself, `@@` its first @."""
    if not text.startswith("@") or text.startswith("@@"):
        return _text("state", text[1:] if text.startswith("@@") else text)
    try:
        content = standard_input().read() if text == "@-" else Path(text[1:]).read_bytes()
        return parse_json(content, where=named(text[1:])) if text.endswith(".json") else content.decode("utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"--state: {named(text[1:])} cannot be read: {reason}.") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--state: {named(text[1:])} must be UTF-8 text, got other bytes.") from error


def _text(flag: str, text: str) -> str:
    """An argument as UTF-8, also where the locale made halves of characters of its bytes."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        pass
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError as error:
        raise click.UsageError(f"--{flag}: must be UTF-8 text, got other bytes. Put it in a file.") from error


def _question(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    text = _text(kind, text)
    shape = f"--{kind}: must read '{SHAPES[kind]}', got {show(text)}."
    question_id, equals, instructions = (part.strip() for part in text.partition("="))
    if not (question_id and equals):
        raise click.UsageError(shape)
    if kind == "noul":
        return question_id, {"type": kind, "instructions": instructions}
    # The last colon with a space: a question may hold one, and an option that does needs a request file.
    instructions, colon, listed = (part.strip() for part in instructions.rpartition(": "))
    options = [option.strip() for option in listed.split(",")]
    if not colon or not all(options):
        raise click.UsageError(shape)
    if len(options) < 2:
        raise click.UsageError(f"{shape[:-1]}. After ': ' two or more must stand, with commas between.")
    if kind == "choice" and len(set(options)) < len(options):
        raise click.UsageError(f"--choice: options must differ, got {show(text)}.")
    criteria = dict.fromkeys(options) if kind == "choice" else options
    return question_id, {"type": kind, "instructions": instructions, "criteria": criteria}
