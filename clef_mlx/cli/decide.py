"""`clef-mlx decide`: requests from files, a pipe or flags, answered in order."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import FAILED, named, say
from clef_mlx.cli.flags import adapter_flags, batch_tokens_flag, chosen, dtype_flag, model_flag, option_flags
from clef_mlx.cli.quick import KINDS, SHAPES, InOrder, quick_request
from clef_mlx.cli.reading import Item, Source, at, checked, open_source
from clef_mlx.cli.waiting import Meter, status
from clef_mlx.cli.writing import FORMATS, Writer, writer_for
from clef_mlx.errors import ClefError

if TYPE_CHECKING:
    from clef_mlx import Clef

EXAMPLE = "clef-mlx decide --state 'The heating is off.' --noul 'urgent=Is it urgent?'"
TRACED_WITHOUT = {"batch_tokens": "--batch-tokens", "isolate": "--isolate", "round": "--round"}


@click.command("decide", cls=InOrder)
@click.argument("files", metavar="[FILE.json|FILE.jsonl|-]...", nargs=-1)
@model_flag
@adapter_flags
@click.option("--format", type=click.Choice(FORMATS), help="Default: table on a terminal, json or jsonl in a pipe.")
@dtype_flag
@batch_tokens_flag
@option_flags
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
@click.option(
    "--out",
    metavar="FILE.jsonl",
    help="Write the answers of one .jsonl file there; interrupted, the same command goes on. Under mlx.launch, shared.",
)
@click.option("--fresh", is_flag=True, help="With --out: drop what an interrupted run has kept.")
@click.option("--overwrite", is_flag=True, help="With --out: replace a finished file of that name at the end.")
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], out: str | None, fresh: bool, overwrite: bool, **given: Any
) -> int:
    """Answer the questions of request files.

    A .json file holds one request, a .jsonl file one a line; "-" is stdin. A request that cannot be answered is
    reported in its place, the others are answered, and the exit code is 1.
    """
    state, texts = given.pop("state"), {kind: given.pop(kind) for kind in KINDS}
    media = {"images": given.pop("image"), "videos": given.pop("video")}
    format, options = given.pop("format"), chosen(given)
    quick_given = state is not None or any(texts.values()) or any(media.values())
    if out is not None:
        from clef_mlx.cli.bulk import decide_to_file

        _refuse_with_out(files, quick_given, format)
        return decide_to_file(files[0], out, options, fresh=fresh, overwrite=overwrite)
    _refuse_without_out(fresh, overwrite)
    if format == "trace":
        _refuse_untraced(options)
    if not quick_given:
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


def _refuse_with_out(files: tuple[str, ...], quick_given: bool, format: str | None) -> None:
    if len(files) != 1 or quick_given:
        raise click.UsageError("--out is for one file with a request a line. Name that file and nothing else.")
    if format not in (None, "jsonl"):
        raise click.UsageError(f"--out writes jsonl, not {format}. Leave out --format.")


def _refuse_without_out(fresh: bool, overwrite: bool) -> None:
    for flag, given in (("--fresh", fresh), ("--overwrite", overwrite)):
        if given:
            raise click.UsageError(f"{flag} needs --out. Name the answers' file.")
    if "MLX_RANK" in os.environ:
        raise click.UsageError("Under mlx.launch, decide needs --out: the processes share one file of requests.")


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
    with load(**options) as model:
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


def load(model: str | None = None, **options: Any) -> Clef:
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
