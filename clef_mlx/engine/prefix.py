"""Kept prefixes: what the model made of a record's first tokens, so that the next record need not pay for them again.

A record's layout is opening, media, state, schema, closing, so everything up to the state's end serves every question
about that state. Kept are the layer states there and the head's projected memory. Keys, values and memory of a record
are one copy; the recurrent states, which cannot be cut, are kept at some positions (`Checkpoint`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import mlx.core as mx
import numpy as np

from clef_mlx.model.attention import AttentionState
from clef_mlx.model.paths import paths
from clef_mlx.model.text import DeltaState, LayerState
from clef_mlx.record import EncodedRecord

LEAST_TOKENS = 128  # a shorter prefix is cheaper to take in again than to cut a record for
# A growing state rewrites its last tokens (closing brackets, a merged word), so its exact end is seldom met again.
TAIL_TOKENS = 32


@dataclass(frozen=True)
class Prefix:
    """The first `position` tokens of a record: layer states for one row, and at least as many rows of keys, values and
    memory [T, W]."""

    position: int
    states: list[LayerState]
    memory: mx.array

    def grow(self, capacity: int) -> list[LayerState]:
        """States of one row to continue from, with room for `capacity` tokens in all. Copies keys and values."""
        return [state.grow(self.position, capacity) for state in self.states]

    def spread(self, batch: int, capacity: int) -> list[LayerState]:
        """States of `batch` rows that share this prefix, with room for `capacity` more tokens each."""
        return [state.spread(self.position, batch, capacity) for state in self.states]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The linear-attention states after `position` tokens; None where a layer keeps rows instead."""

    position: int
    states: tuple[DeltaState | None, ...]

    @classmethod
    def of(cls, position: int, states: list[LayerState]) -> Checkpoint:
        return cls(position, tuple(state if isinstance(state, DeltaState) else None for state in states))

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for state in self.states if state is not None for part in (state.conv, state.delta))


@dataclass(frozen=True, eq=False)
class Kept:
    """One record's tokens up to its state's end, their rows, and the checkpoints among them, ascending."""

    key: Hashable
    ids: np.ndarray  # [T] int32
    rows: tuple[AttentionState | None, ...]
    memory: mx.array  # [T, W]
    checkpoints: tuple[Checkpoint, ...]

    @property
    def row_bytes(self) -> int:
        parts = [part for state in self.rows if state is not None for part in (state.keys, state.values)]
        return sum(part.nbytes for part in parts) + self.memory.nbytes

    def at(self, checkpoint: Checkpoint) -> Prefix:
        states = [row if delta is None else delta for row, delta in zip(self.rows, checkpoint.states, strict=True)]
        return Prefix(checkpoint.position, states, self.memory)

    def last_shared(self, ids: np.ndarray) -> Checkpoint | None:
        """The last checkpoint up to which the tokens are equal."""
        common = min(len(ids), len(self.ids))
        differs = self.ids[:common] != ids[:common]
        common = int(differs.argmax()) if differs.any() else common
        return next((point for point in reversed(self.checkpoints) if point.position <= common), None)


@dataclass
class PrefixStore:
    """The kept prefixes of one model, never more than `limit_bytes`; the least recently used go first.

    `limit_bytes` 0 keeps nothing. `spacing_tokens` lies between the checkpoints of a long state; 0 sets none.
    """

    limit_bytes: int
    spacing_tokens: int
    _kept: list[Kept] = field(default_factory=list)  # the least recently used first

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays held, each once: records that share a beginning share its checkpoints."""
        points = {id(point): point.nbytes for kept in self._kept for point in kept.checkpoints}
        return sum(kept.row_bytes for kept in self._kept) + sum(points.values())

    def positions(self, end: int, media_end: int = 0) -> list[int]:
        """Where a record is cut to keep its states, ascending, the last at `end`, its state's end; none: not worth it.

        One is at `media_end`, where its pictures end: they serve other states, and cost more than text. A matter
        of the record alone, never of what is kept: a first answer and a repeated one take the same steps.
        """
        if not self.limit_bytes or end < LEAST_TOKENS:
            return []
        near = end - TAIL_TOKENS
        even = range(self.spacing_tokens, near, self.spacing_tokens) if self.spacing_tokens else ()
        return sorted({*even, near, end, *([media_end] if media_end >= LEAST_TOKENS else [])})

    def find(self, record: EncodedRecord) -> Prefix | None:
        """The longest kept prefix of the record's tokens up to its state's end; becomes the most recently used."""
        best = self._find(record)
        if best is None:
            return None
        kept, point = best
        self._kept.remove(kept)
        self._kept.append(kept)
        return kept.at(point)

    def shared_tokens(self, record: EncodedRecord) -> int:
        """The length of what `find` would return."""
        best = self._find(record)
        return 0 if best is None else best[1].position

    def put(self, record: EncodedRecord, prefix: Prefix, checkpoints: list[Checkpoint]) -> None:
        """Keep a record's prefix up to its state's end; checkpoints that do not fit are left out, the early ones first.

        It takes over checkpoints of the record it continues. That one, where it was the same state before it grew, is
        the next to go.
        """
        rows = tuple(state if isinstance(state, AttentionState) else None for state in prefix.states)
        kept = Kept(key_of(record), _ids(record), rows, prefix.memory, ())
        points = {point.position: point for point in checkpoints}
        if (earlier := self._find(record)) is not None:
            points = {p.position: p for p in self._inherited(*earlier, end_of_media(record))} | points
            if len(earlier[0].ids) - earlier[1].position <= 2 * TAIL_TOKENS:
                self._kept.remove(earlier[0])
                self._kept.insert(0, earlier[0])
        fitting = list(_fitting(points, self.limit_bytes - kept.row_bytes))
        if fitting:
            self._kept.append(Kept(kept.key, kept.ids, kept.rows, kept.memory, tuple(fitting[::-1])))
            while self.nbytes > self.limit_bytes:
                self.drop_oldest()

    def drop_oldest(self) -> None:
        del self._kept[0]

    def clear(self) -> None:
        self._kept.clear()

    def _find(self, record: EncodedRecord) -> tuple[Kept, Checkpoint] | None:
        if not self._kept:
            return None
        key, ids = key_of(record), _ids(record)
        found = [(kept, point) for kept in self._kept if kept.key == key and (point := kept.last_shared(ids))]
        return max(reversed(found), key=lambda pair: pair[1].position, default=None)

    def _inherited(self, kept: Kept, last: Checkpoint, media_end: int) -> list[Checkpoint]:
        """Of the record continued: where it was left, and what comes before: evenly spaced, and its pictures' end."""
        spacing = self.spacing_tokens or last.position
        points = [point for point in kept.checkpoints if point.position <= last.position]
        marks = (last.position, media_end)
        return [point for point in points if point.position in marks or point.position % spacing == 0]


def key_of(record: EncodedRecord) -> Hashable:
    """What must be equal besides the tokens: the forms of the kernels, and the media's content and grid.

    Placeholder ids are the same for every picture.
    """
    return paths(), None if record.media is None else record.media.key


def end_of_media(record: EncodedRecord) -> int:
    """Tokens up to the end of a record's pictures and clips; 0 where it has none."""
    return 0 if record.media is None else record.state_span.start


def _ids(record: EncodedRecord) -> np.ndarray:
    return np.array(record.input_ids[: record.state_span.end], dtype=np.int32)


def _fitting(points: dict[int, Checkpoint], room: int) -> Iterator[Checkpoint]:
    """Checkpoints from the last to the first while there is room."""
    for position in sorted(points, reverse=True):
        room -= points[position].nbytes
        if room < 0:
            return
        yield points[position]
