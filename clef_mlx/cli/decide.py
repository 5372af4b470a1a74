"""`clef-mlx decide`: requests from files, a pipe or flags, answered in order."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import FAILED, named, say
from clef_mlx.cli.flags import dtype_flag, model_flag
from clef_mlx.cli.quick import KINDS, SHAPES, InOrder, quick_request
from clef_mlx.cli.reading import Item, Source, at, checked, open_source
from clef_mlx.cli.waiting import Meter, status
from clef_mlx.cli.writing import FORMATS, Writer, writer_for
from clef_mlx.errors import ClefError

if TYPE_CHECKING:
    from clef_mlx import Clef

EXAMPLE = "clef-mlx decide --state 'The heating is off.' --noul 'urgent=Is it urgent?'"
TRACED_WITHOUT = {"batch_tokens": "--batch-tokens", "isolate": "--isolate", "round": "--round"}


class Decimals(click.ParamType):
    """A number of decimals, or none."""

    name = "N|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        return value if value == "none" else click.IntRange(0).convert(value, param, ctx)


@click.command("decide", cls=InOrder)
@click.argument("files", metavar="[FILE.json|FILE.jsonl|-]...", nargs=-1)
@model_flag
@click.option(
    "--adapter",
    multiple=True,
    metavar="DIR[:WEIGHT]",
    help="LoRA adapter (PEFT, Unsloth, mlx-lm) to decide with; more may follow.",
)
@click.option("--base-head", is_flag=True, default=None, help="Keep the model's head where an adapter brings its own.")
@click.option("--format", type=click.Choice(FORMATS), help="Default: table on a terminal, json or jsonl in a pipe.")
@dtype_flag
@click.option("--batch-tokens", type=click.IntRange(1), metavar="N", help="Most tokens decided in one pass.")
@click.option("--max-length", type=click.IntRange(1), metavar="N", help="Most tokens of a record (16384).")
@click.option("--max-state-tokens", type=click.IntRange(0), metavar="N", help="Most tokens of the state.")
@click.option("--max-pixels", type=click.IntRange(1024), metavar="N", help="Most pixels of an image or a frame.")
@click.option(
    "--on-overflow", type=click.Choice(["truncate", "refuse"]), help="What a too long state meets (truncate)."
)
@click.option(
    "--control-tokens",
    type=click.Choice(["text", "publisher"]),
    help="Whether <|im_end|> and its like in a request stay text (text) or act, as in the publisher's code.",
)
@click.option("--isolate", is_flag=True, default=None, help="Decide each question alone.")
@click.option(
    "--confidence", type=click.Choice(["max", "jev", "gini", "entropy"]), help="What an answer calls confidence (max)."
)
@click.option(
    "--round", type=Decimals(), metavar="N|none", help="Decimals of probabilities (4); none keeps all digits."
)
@click.option(
    "--state",
    metavar="TEXT|@FILE",
    help="What is to be judged; @- reads stdin, a .json file is JSON, and @@ begins a text with @.",
)
@click.option("--noul", multiple=True, metavar=f"'{SHAPES['noul']}'", help="Ask a yes/no question.")
@click.option("--choice", multiple=True, metavar=f"'{SHAPES['choice']}'", help="Ask for one of some options.")
@click.option("--score", multiple=True, metavar=f"'{SHAPES['score']}'", help="Ask for a level, lowest first.")
@click.option("--image", multiple=True, metavar="PATH", help="A picture to judge, with --state or alone.")
@click.option(
    "--video", multiple=True, metavar="PATH", help="A clip: a GIF or WebP, a .npy array, a folder of frames, a video."
)
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], **given: Any) -> int:
    """Answer the questions of request files.

    A .json file holds one request, a .jsonl file one a line; "-" is stdin. A request that cannot be answered is
    reported in its place, the others are answered, and the exit code is 1.
    """
    state, texts = given.pop("state"), {kind: given.pop(kind) for kind in KINDS}
    media = {"images": given.pop("image"), "videos": given.pop("video")}
    format, options = given.pop("format"), {name: value for name, value in given.items() if value is not None}
    if format == "trace":
        _refuse_untraced(options)
    if options.get("round") == "none":
        options["round"] = None
    if state is None and not any(texts.values()) and not any(media.values()):
        files = _files(files)
        first, *rest = files
        # The rest is opened when its turn comes: there may be more than a program may hold open.
        sources = chain([opened := open_source(first)], map(open_source, rest))
    elif files:
        raise click.UsageError("Give request files, or --state with questions, not both.")
    else:
        quick = checked("request", quick_request(state, ctx.meta["kinds"], texts, media), Path())
        sources = [opened := Source(iter([quick]), one_a_line=False)]
    several = len(files) > 1 or opened.one_a_line
    meter = Meter(None if len(files) > 1 else opened.size_bytes)
    report = Report(writer_for(format, several=several))
    with report:
        _decide(chain.from_iterable(source.items for source in sources), report, meter, options, format == "trace")
    return report.exit_code()


def _refuse_untraced(options: dict[str, Any]) -> None:
    if idle := [flag for name, flag in TRACED_WITHOUT.items() if name in options]:
        raise click.UsageError(f"--format trace shows one unrounded pass a request. Leave out {' and '.join(idle)}.")


def _files(files: tuple[str, ...]) -> tuple[str, ...]:
    """Without files, a pipe is the request."""
    if not files and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError(f"Nothing to decide. Name a request file, or try: {EXAMPLE}")
    if files.count("-") > 1:
        raise click.UsageError("- must be given once: stdin can be read only once.")
    return files or ("-",)


def _decide(items: Iterator[Item], report: Report, meter: Meter, options: dict[str, Any], trace: bool) -> None:
    batch_tokens = options.pop("batch_tokens", None)
    # The weights are read when the first good request is: a file of mistakes costs no loading.
    for item in items:
        if item.error is None:
            break
        report.add(item, item.error)
    else:
        return
    with _load(**options) as model:
        report.started = meter.started = time.monotonic()
        items = chain([item], items)
        with meter:
            outcomes = _traced(model, items, meter) if trace else _decided(model, items, meter, batch_tokens)
            for item, outcome in outcomes:
                report.add(item, outcome)


class Report:
    """Hands every outcome to the writer, and remembers what stderr and the exit code must say.

    A context manager that closes the writer also when interrupted, so that what is printed stays whole JSON.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.started = time.monotonic()
        self.done = self.failed = 0
        self.first_error: ClefError | None = None

    def __enter__(self) -> Report:
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.close(time.monotonic() - self.started)

    def add(self, item: Item, outcome: dict[str, Any] | ClefError) -> None:
        self.done += 1
        if isinstance(outcome, ClefError):
            self.failed += 1
            self.first_error = self.first_error or outcome
            self.writer.error(item, outcome)
            return
        self.writer.answer(item, outcome)
        if dropped := outcome.get("x_truncated_tokens"):
            say(f"{item.where}: the state lost its last {dropped:,} tokens. --on-overflow refuse refuses instead.")
        for note in outcome.get("x_notes", ()):
            say(f"{item.where}: {note}")

    def exit_code(self) -> int:
        if self.failed and not self.writer.errors_on_stderr:
            count = f"{self.failed:,} of {self.done:,} requests failed, the first: " if self.done > 1 else ""
            say(f"{count}{self.first_error}")
        return FAILED if self.failed else 0


def _load(model: str | None = None, **options: Any) -> Clef:
    import clef_mlx

    with status(f"Loading {named(model) if model else 'the default model'} …"):
        loaded = clef_mlx.load(model, **options)
    if loaded.info.note:  # why it will be slow
        say(f"{loaded.info.note}.")
    for note in loaded.info.adapter_notes:
        say(f"{note}.")
    return loaded


def _traced(model: Clef, items: Iterator[Item], meter: Meter) -> Iterator[tuple[Item, dict[str, Any] | ClefError]]:
    for item in items:
        meter.read(item.end_byte)
        try:
            yield item, item.error or model.trace(item.request)
        except ClefError as error:
            yield item, at(item.where, error)
        meter.done(1)


def _decided(
    model: Clef, items: Iterator[Item], meter: Meter, batch_tokens: int | None
) -> Iterator[tuple[Item, dict[str, Any] | ClefError]]:
    """Pair the outcomes, which come in request order, with their places; what could not be read passes through."""
    places: deque[Item] = deque()

    def requests() -> Iterator[Any]:
        for item in items:
            places.append(item)
            meter.read(item.end_byte)
            yield item.error or item.request

    for outcome in model.decide_many(requests(), batch_tokens=batch_tokens, progress=meter.done):
        item = places.popleft()
        if isinstance(outcome, ClefError):
            yield item, item.error or at(item.where, outcome)
        else:
            yield item, outcome.to_dict()
