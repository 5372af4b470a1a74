"""`clef-mlx decide FILE.jsonl --out ANSWERS.jsonl`: a long file of requests, one answer line each, interrupted or not.

Under `mlx.launch` every process decides its share; rank 0 alone reads the requests and writes the answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from clef_mlx.bulk.chunks import Chunk, blocks, chunks
from clef_mlx.bulk.journal import Journal, Tally, refuse_finished
from clef_mlx.cli.edge import FAILED, named, say
from clef_mlx.cli.reading import at, open_lines, parsed
from clef_mlx.cli.waiting import Meter
from clef_mlx.cli.writing import error_json
from clef_mlx.errors import ClefError

if TYPE_CHECKING:
    from clef_mlx import Clef
    from clef_mlx.engine.ranks import Ranks

REMEDY = "--fresh begins again"
IDLE = b"-"  # the part of a rank for which no chunk is left


class Made(NamedTuple):
    """The answer lines of a chunk, and what they come to."""

    lines: bytes
    tally: Tally

    def packed(self) -> bytes:
        return json.dumps(asdict(self.tally)).encode() + b"\n" + self.lines

    @classmethod
    def unpacked(cls, text: bytes) -> Made:
        tally, _, lines = text.partition(b"\n")
        return cls(lines, Tally(**json.loads(tally)))


class Work(NamedTuple):
    """How chunks are decided: one after another, and none knows of those before it."""

    model: Clef
    path: str
    batch_tokens: int | None
    made_with: dict[str, Any]
    meter: Meter | None = None

    def __call__(self, chunk: Chunk) -> Made:
        items = list(parsed(self.path, chunk.lines()))
        self.model.forget()  # what is reused changes last bits, and another run may not have it
        outcomes = self.model.decide_many(
            [item.error or item.request for item in items],
            batch_tokens=self.batch_tokens,
            window=max(1, len(items)),
            progress=None if self.meter is None else self.meter.done,
        )
        lines, tally = [], Tally()
        for item, outcome in zip(items, outcomes, strict=True):
            if isinstance(outcome, ClefError):
                error = item.error or at(item.where, outcome)
                lines.append(error_json(item, error))
                tally += Tally(1, failed=1, first_error=str(error))
            else:
                lines.append(outcome.to_dict())
                tally += Tally(1, truncated=int(outcome.truncated_tokens > 0))
        return Made("".join(map(_line, lines)).encode(), tally)


def decide_to_file(path: str, out: str, options: dict[str, Any], *, fresh: bool, overwrite: bool) -> int:
    """Answer every request line of a file in another. -> the exit code: 1 if a request failed. Raises ClefError."""
    from clef_mlx.engine.ranks import join, launched

    ranks = join() if launched() else None
    if ranks is not None and ranks.rank:
        return _assist(path, options, ranks)
    stream, size_bytes = open_lines(path)
    target = Path(os.path.realpath(out))
    with stream:
        if target.exists() and os.path.samestat(os.fstat(stream.fileno()), os.stat(target)):
            raise click.UsageError("--out must name another file than the requests.")
        refuse_finished(target, overwrite=overwrite)
        started = time.monotonic()
        with Journal(target, fresh=fresh, remedy=REMEDY) as journal:
            if os.path.samestat(os.fstat(stream.fileno()), os.stat(journal.partial)):
                raise click.UsageError("--out must name another file than the requests.")
            first_line = _go_on(journal, stream)
            before = journal.kept.tally.answers
            _decide(journal, stream, first_line, size_bytes, _loaded(path, options), ranks)
            journal.finish(overwrite=overwrite)
    return _report(target, journal.kept.tally, before, time.monotonic() - started)


def _go_on(journal: Journal, stream: BinaryIO) -> int:
    """Pass over the requests that are answered. -> the number of the next line."""
    lines = 1
    if journal.kept.tally.answers:
        say(f"{named(journal.partial.name)}: going on after {journal.kept.tally.answers:,} answers.")

        def passed() -> Iterator[bytes]:
            nonlocal lines
            for block in blocks(stream, journal.kept.input_bytes):
                lines += block.count(b"\n")
                yield block

        journal.replay(passed())
    return lines


def _loaded(path: str, options: dict[str, Any]) -> Work:
    from clef_mlx.bulk.made_with import made_with
    from clef_mlx.cli.decide import load

    batch_tokens = options.get("batch_tokens")
    model = load(**{name: value for name, value in options.items() if name != "batch_tokens"})
    return Work(model, path, batch_tokens, made_with(model, model.options, batch_tokens))


def _decide(
    journal: Journal, stream: BinaryIO, first_line: int, size_bytes: int, work: Work, ranks: Ranks | None
) -> None:
    with work.model:
        if ranks is not None and not _agree(ranks, work.made_with):
            raise ClefError("mlx.launch: all hosts must have one version, model and options. Look at each of them.")
        journal.begin(work.made_with)
        meter = Meter(size_bytes, start_bytes=journal.kept.input_bytes, answers_scroll=False, logged=True)
        work = work._replace(meter=meter)
        pieces = _read(chunks(stream, first_line), journal.kept.input_bytes, meter, named(work.path))
        try:
            with meter:
                for chunk, made in _alone(pieces, work) if ranks is None else _shared(pieces, work, ranks):
                    journal.add(made.lines, chunk.text, made.tally)
        except BaseException:
            if kept := journal.kept.tally.answers:
                say(f"{named(journal.partial.name)} keeps {kept:,} answers. The same command goes on after them.")
            raise


def _read(pieces: Iterator[Chunk], end_byte: int, meter: Meter, name: str) -> Iterator[Chunk]:
    """Chunks as they are needed. Raises ClefError where the file cannot be read on."""
    try:
        for chunk in pieces:
            end_byte += len(chunk.text)
            meter.read(end_byte, sum(1 for _ in chunk.lines()))
            yield chunk
    except OSError as error:
        raise ClefError(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}.") from error


def _alone(pieces: Iterator[Chunk], work: Work) -> Iterator[tuple[Chunk, Made]]:
    for chunk in pieces:
        yield chunk, work(chunk)


def _shared(pieces: Iterator[Chunk], work: Work, ranks: Ranks) -> Iterator[tuple[Chunk, Made]]:
    """Rank 0: rounds of a chunk for every rank, its own the first."""
    while parts := list(islice(pieces, ranks.size)):
        ranks.share([_packed(chunk) for chunk in parts] + [IDLE] * (ranks.size - len(parts)))
        mine = work(parts[0])
        for chunk, text in zip(parts, ranks.gather(mine.packed()), strict=False):  # idle ranks give nothing
            made = Made.unpacked(text)
            if chunk is not parts[0]:
                work.meter.done(made.tally.answers)
            yield chunk, made
    ranks.share([])


def _assist(path: str, options: dict[str, Any], ranks: Ranks) -> int:
    """Any other rank: decide what comes until nothing does. What is wrong is said by rank 0."""
    work = _loaded(path, options)
    with work.model:
        if not _agree(ranks, work.made_with):
            return FAILED
        while part := ranks.share([]):
            ranks.gather(b"" if part == IDLE else work(_unpacked(part)).packed())
    return 0


def _agree(ranks: Ranks, made_with: dict[str, Any]) -> bool:
    mine = hashlib.sha256(json.dumps(made_with, sort_keys=True).encode()).digest()
    return set(ranks.gather(mine)) == {mine}


def _packed(chunk: Chunk) -> bytes:
    return b"%d\n%b" % chunk


def _unpacked(part: bytes) -> Chunk:
    number, _, text = part.partition(b"\n")
    return Chunk(int(number), text)


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _report(target: Path, tally: Tally, before: int, seconds: float) -> int:
    done = tally.answers - before
    rate = f", {done:,} of them now at {done / seconds:.1f}/s" if before else f" at {done / seconds:.1f}/s"
    say(f"{named(target.name)}: {tally.answers:,} answers{rate}.")
    if tally.truncated:
        say(f"{tally.truncated:,} states lost tokens, see x_truncated_tokens. --on-overflow refuse refuses instead.")
    if tally.failed:
        count = f"{tally.failed:,} of {tally.answers:,} requests failed, the first: " if tally.answers > 1 else ""
        say(f"{count}{tally.first_error}")
    return FAILED if tally.failed else 0
