"""A file of request lines -> chunks of it that are decided together, the same ones wherever a run begins.

What is decided together may change the last bits of an answer. Chunks follow from the file's content alone, and a run
is only ever interrupted between two of them, so that a run that went on answers as one that never stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, NamedTuple

LINES = 128  # more sort better into batches, fewer are made again after an interruption
BYTES = 64 << 20  # of lines with pictures in them; a longer line is a chunk of its own
BLOCK_BYTES = 1 << 20


class Chunk(NamedTuple):
    """Lines as they stand in the file, and the number of the first."""

    first_line: int
    text: bytes

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and text of each line that is not blank."""
        for number, text in enumerate(BytesIO(self.text), start=self.first_line):
            if text.strip():
                yield number, text


def chunks(stream: BinaryIO, first_line: int) -> Iterator[Chunk]:
    """Cut what is left of a file, whose next line has this number."""
    taken: list[bytes] = []
    requests = size = 0
    for line in stream:
        if taken and size + len(line) > BYTES:
            yield Chunk(first_line, b"".join(taken))
            first_line, taken, requests, size = first_line + len(taken), [], 0, 0
        taken.append(line)
        requests += bool(line.strip())
        size += len(line)
        if requests == LINES:
            yield Chunk(first_line, b"".join(taken))
            first_line, taken, requests, size = first_line + len(taken), [], 0, 0
    if taken:
        yield Chunk(first_line, b"".join(taken))


def blocks(stream: BinaryIO, count: int) -> Iterator[bytes]:
    """The next `count` bytes of a file, or what there is of them."""
    while count and (block := stream.read(min(count, BLOCK_BYTES))):
        count -= len(block)
        yield block
