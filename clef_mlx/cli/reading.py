"""Request files and pipes -> requests with the place they came from.

A `.json` file holds one request, a `.jsonl` file one a line, read as it is needed; a pipe may be either. What cannot
be read becomes an error in its place. Knows no model.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from clef_mlx.cli.edge import printable
from clef_mlx.errors import RequestError
from clef_mlx.schema import parse_request
from clef_mlx.strict_json import parse_json

LINES_SUFFIXES = (".jsonl", ".ndjson")
HOLD_A_REQUEST = 'Write {"state": ..., "questions": {...}}, as in examples/.'


class Line(NamedTuple):
    number: int | None  # None: the line is a whole document
    end_byte: int
    text: bytes


@dataclass(frozen=True)
class Item:
    """One request, or why it could not be read. `end_byte` is how far its file has been read."""

    where: str
    request: Any
    error: RequestError | None
    line: int | None
    end_byte: int


@dataclass(frozen=True)
class Source:
    """A file or pipe that can be read; `size_bytes` is None where nobody can know it."""

    items: Iterator[Item]
    one_a_line: bool
    size_bytes: int | None = None


def open_source(path: str) -> Source:
    """Open a file, or stdin for "-", and look at its first lines. Raises RequestError if it holds no text."""
    name = "stdin" if path == "-" else printable(path)
    stream, size_bytes = (sys.stdin.buffer, None) if path == "-" else _open(path)
    # A look ahead that takes nothing: an endless binary stream has no first line to read.
    if b"\0" in stream.peek(4096)[:4096]:
        stream.close()
        raise RequestError(f"{name}: must be JSON text in UTF-8, got binary data. {HOLD_A_REQUEST}")
    lines = _numbered(stream)
    looked_at = _up_to_text(lines)
    if not looked_at:
        raise RequestError(f"{name}: must hold a request, got nothing. {HOLD_A_REQUEST}")
    one_a_line = _is_one_a_line(Path(name).suffix.lower(), looked_at, lines)
    lines = chain(looked_at, lines)
    if one_a_line:
        items = (_parsed(f"{name}:{line.number}", line) for line in lines if line.text.strip())
        return Source(items, one_a_line, size_bytes)
    document = b"".join(line.text for line in lines)
    return Source(iter([_parsed(name, Line(None, len(document), document))]), one_a_line, size_bytes)


def _open(path: str) -> tuple[BinaryIO, int | None]:
    if Path(path).is_dir():
        raise RequestError(f"{path}: must be a request file, got a folder. Name its files: {Path(path) / '*.json'}.")
    try:
        stream = open(path, "rb")
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}.") from error
    return stream, os.fstat(stream.fileno()).st_size or None


def _numbered(stream: BinaryIO) -> Iterator[Line]:
    end_byte = 0
    with stream:
        for number, text in enumerate(stream, start=1):
            end_byte += len(text)
            yield Line(number, end_byte, text)


def _up_to_text(lines: Iterator[Line]) -> list[Line]:
    """Take lines up to the first that is not blank; nothing if there is none."""
    taken = []
    for line in lines:
        taken.append(line)
        if line.text.strip():
            return taken
    return []


def _is_one_a_line(suffix: str, looked_at: list[Line], lines: Iterator[Line]) -> bool:
    """Say whether each line is a request of its own; what is read to tell is added to `looked_at`.

    A suffix decides. In a pipe a first line that is a whole value does, so that its answer need not wait for another;
    or two lines that both open an object, so that a damaged first line stays one bad line.
    """
    if suffix in LINES_SUFFIXES or suffix == ".json":
        return suffix != ".json"
    first = looked_at[-1].text
    try:
        parse_json(first, where="")
    except RequestError:
        more = _up_to_text(lines)
        looked_at += more
        return bool(more) and all(text.startswith(b"{") for text in (first, more[-1].text))
    return True


def _parsed(where: str, line: Line) -> Item:
    try:
        return checked(where, parse_json(line.text, where=where), line.number, line.end_byte)
    except RequestError as error:
        return Item(where, None, error, line.number, line.end_byte)


def checked(where: str, request: Any, line: int | None = None, end_byte: int = 0) -> Item:
    """Check a request here, so that a fault shows before any weights are read."""
    try:
        parse_request(request)
    except RequestError as error:
        return Item(where, None, at(where, error), line, end_byte)
    return Item(where, request, None, line, end_byte)


def at(where: str, error: Exception) -> RequestError:
    """The same error, its message saying which request it is about."""
    location = error.location if isinstance(error, RequestError) else ()
    return RequestError(f"{where}: {error}", location)
