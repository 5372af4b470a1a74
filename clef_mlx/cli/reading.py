"""Request files and pipes -> requests with the place they came from.

A `.json` file holds one request, a `.jsonl` file one a line, read as it is needed; a pipe may be either. What cannot
be read becomes an error in its place. Knows no model.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from clef_mlx.cli.edge import named
from clef_mlx.errors import ClefError, RequestError
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
    error: ClefError | None
    line: int | None
    end_byte: int


@dataclass(frozen=True)
class Source:
    """A file or pipe that can be read; `size_bytes` is None where nobody can know it."""

    items: Iterator[Item]
    one_a_line: bool
    size_bytes: int | None = None


def open_source(path: str) -> Source:
    """Open a file, or stdin for "-", and look at its first lines. What cannot be read becomes an error in its place."""
    name = "stdin" if path == "-" else named(path)
    try:
        return _source(path, name)
    except RequestError as error:
        return Source(iter([Item(name, None, error, None, 0)]), one_a_line=False)


def open_lines(path: str) -> tuple[BinaryIO, int]:
    """Open a file of one request a line. -> with its size in bytes. Raises RequestError."""
    name = named(path)
    if path == "-" or Path(path).suffix.lower() == ".json":
        rule = "must be a file with one request a line, which can be read again after an interruption"
        raise RequestError(f"{'stdin' if path == '-' else name}: {rule}. Without --out it can be read too.")
    stream, size_bytes = _open(path, name)
    try:
        _refuse_binary(name, stream)
        if size_bytes is None:
            raise RequestError(f"{name}: must hold a request, got nothing. {HOLD_A_REQUEST}")
    except RequestError:
        stream.close()
        raise
    return stream, size_bytes


def standard_input() -> BinaryIO:
    """Raises RequestError where the shell closed it."""
    if sys.stdin is None:
        raise RequestError("stdin: must be open, got a closed one. Pipe the text in, or name a file.")
    return sys.stdin.buffer


def _source(path: str, name: str) -> Source:
    stream, size_bytes = (standard_input(), None) if path == "-" else _open(path, name)
    lines = _numbered(name, stream)
    looked_at = _up_to_text(lines)
    if not looked_at:
        raise RequestError(f"{name}: must hold a request, got nothing. {HOLD_A_REQUEST}")
    one_a_line = _is_one_a_line(Path(name).suffix.lower(), looked_at, lines)
    lines, base = chain(looked_at, lines), Path() if path == "-" else Path(path).parent
    if one_a_line:
        return Source(_parsed_lines(name, lines, base), one_a_line, size_bytes)
    document = b"".join(line.text for line in lines)
    return Source(iter([_parsed(name, Line(None, len(document), document), base)]), one_a_line, size_bytes)


def _open(path: str, name: str) -> tuple[BinaryIO, int | None]:
    try:
        stream = open(path, "rb")
    except IsADirectoryError as error:
        files = named(str(Path(path) / "*.json"))
        raise RequestError(f"{name}: must be a request file, got a folder. Name its files: {files}.") from error
    except OSError as error:
        hint = " A request itself is no argument: pipe it, or use --state." if path.lstrip().startswith("{") else ""
        raise RequestError(f"{name}: {_cannot_be_read(error)}{hint}") from error
    return stream, os.fstat(stream.fileno()).st_size or None


def _cannot_be_read(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or str(error)).lower()}."


def _numbered(name: str, stream: BinaryIO) -> Iterator[Line]:
    """Yield the lines. Raises RequestError for what is no text or cannot be read on."""
    end_byte = 0
    try:
        with stream:
            _refuse_binary(name, stream)
            for number, text in enumerate(stream, start=1):
                end_byte += len(text)
                yield Line(number, end_byte, text)
    except OSError as error:
        raise RequestError(f"{name}: {_cannot_be_read(error)}") from error


def _refuse_binary(name: str, stream: BinaryIO) -> None:
    # A look ahead that takes nothing: an endless binary stream has no first line to read. A file that begins as JSON is
    # text, whatever one of its lines may hold.
    head = stream.peek(4096)[:4096]
    if b"\0" in head and head.lstrip()[:1] not in (b"{", b"["):
        raise RequestError(f"{name}: must be JSON text in UTF-8, got binary data. {HOLD_A_REQUEST}")


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


def parsed(path: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[Item]:
    """Lines of a file, by their numbers."""
    for number, text in lines:
        yield _parsed(f"{named(path)}:{number}", Line(number, 0, text), Path(path).parent)


def _parsed_lines(name: str, lines: Iterator[Line], base: Path) -> Iterator[Item]:
    try:
        for line in lines:
            if line.text.strip():
                yield _parsed(f"{name}:{line.number}", line, base)
    except RequestError as error:  # the rest cannot be read
        yield Item(name, None, error, None, 0)


def _parsed(where: str, line: Line, base: Path) -> Item:
    try:
        return checked(where, parse_json(line.text, where=where), base, line.number, line.end_byte)
    except RequestError as error:
        return Item(where, None, error, line.number, line.end_byte)


def checked(where: str, request: Any, base: Path, line: int | None = None, end_byte: int = 0) -> Item:
    """Check a request here, so that a fault shows before any weights are read; names of files count from `base`."""
    try:
        parse_request(request)
        if request.get("images") or request.get("videos"):
            from clef_mlx.media.naming import with_paths

            request = with_paths(request, base)
    except RequestError as error:
        return Item(where, None, at(where, error), line, end_byte)
    return Item(where, request, None, line, end_byte)


def at(where: str, error: ClefError) -> ClefError:
    """A copy of the error, of the same class, its message saying which request it is about."""
    # Not by its constructor, which may ask for more; and several requests of a batch may share one error.
    placed = type(error).__new__(type(error), f"{where}: {error}")
    vars(placed).update(vars(error))
    return placed
