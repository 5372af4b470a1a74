"""Bytes from a pipe -> lines, none of them ever held beyond a cap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

CHUNK_BYTES = 1 << 16


class Line(NamedTuple):
    """`text` is None for a line of more bytes than may be: it was let go as it came."""

    number: int
    text: bytes | None
    size_bytes: int


def read_lines(fd: int, most_bytes: int) -> Iterator[Line]:
    """Yield the lines as they come, without their newlines; blank ones are counted and left out.

    What follows the last newline is a line too. Raises OSError.
    """
    # Not through Python's own buffer, whose lock a thread that waits here would hold while the interpreter ends.
    number, held, size = 1, bytearray(), 0
    while chunk := os.read(fd, CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            size += len(part)
            yield from _line(number, held + part, size, most_bytes)
            number, held, size = number + 1, bytearray(), 0
        size += len(rest)
        if size <= most_bytes:
            held += rest
        else:
            held = bytearray()
    yield from _line(number, held, size, most_bytes)


def _line(number: int, text: bytearray, size: int, most_bytes: int) -> Iterator[Line]:
    if size > most_bytes:
        yield Line(number, None, size)
    elif text.strip():
        yield Line(number, bytes(text), size)
