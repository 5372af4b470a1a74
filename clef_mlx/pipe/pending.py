"""Requests between reading and writing, in the order of their lines, never more than may wait.

Three threads meet here: one adds, one decides, one writes. What is answered waits for what came before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from threading import Condition

from clef_mlx.engine import thread
from clef_mlx.engine.batching import Pass
from clef_mlx.engine.clef import Prepared
from clef_mlx.pipe.protocol import Id, cancelled

MOST_BYTES = 64 << 20  # of lines and pictures that wait; one larger than that waits alone


@dataclass(eq=False)
class Slot:
    """One line's place in the order. `answer` is the line out, once there is one."""

    id: Id
    line: int
    held_bytes: int
    asked: Prepared | None = None
    answer: bytes | None = None


class Pending:
    """All methods may be called from any thread."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._slots: deque[Slot] = deque()
        self._held_bytes = 0
        self._running: list[Slot] = []
        self._ended = self._stopped = False
        self._changed = Condition()

    def wait_for_room(self, size_bytes: int) -> bool:
        """Wait until one more line of this size may be added. False: nobody may any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._has_room(size_bytes))
            return not self._stopped

    def add(self, slot: Slot) -> None:
        with self._changed:
            self._slots.append(slot)
            self._held_bytes += slot.held_bytes
            if self._stopped and slot.answer is None:
                slot.answer = cancelled(slot.id, slot.line)
            self._changed.notify_all()

    def holds(self, id: Id) -> bool:
        """Whether a request of this id waits for its answer, or its answer to be written."""
        with self._changed:
            return id is not None and any(slot.id == id for slot in self._slots)

    def cancel(self, id: Id) -> None:
        with self._changed:
            self._cancel([slot for slot in self._slots if slot.id == id])

    def end(self) -> None:
        """Nothing more is added."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Take all back that is not decided; nothing more is read."""
        with self._changed:
            self._ended = self._stopped = True
            self._cancel(self._slots)

    def batch(self, tokens: int) -> list[Slot]:
        """The first requests without an answer, as many as one pass holds. Waits for one; empty at the end."""
        with self._changed:
            self._running = []
            self._changed.wait_for(lambda: self._ended or any(self._unanswered()))
            room = Pass(tokens)
            self._running = list(takewhile(lambda slot: room.takes(slot.asked.records), self._unanswered()))
            return self._running

    def settle(self, slot: Slot, answer: bytes) -> None:
        """Answer a request, unless it was taken back meanwhile."""
        with self._changed:
            slot.answer = slot.answer or answer
            slot.asked = None
            self._changed.notify_all()

    def answered(self) -> list[bytes]:
        """The next lines out, in order. Waits for one; empty when all are out and no more can come."""
        with self._changed:
            self._changed.wait_for(lambda: self._slots[0].answer if self._slots else self._ended)
            out = list(takewhile(lambda slot: slot.answer, self._slots))
            for slot in out:
                self._slots.popleft()
                self._held_bytes -= slot.held_bytes
            self._changed.notify_all()
            return [slot.answer for slot in out]

    def interrupt_unwanted(self) -> bool:
        """Ask a pass that nobody waits for to stop. -> whether there was one."""
        with self._changed:  # no other pass can begin meanwhile
            unwanted = bool(self._running) and all(slot.answer for slot in self._running)
            if unwanted:
                thread.interrupt()
            return unwanted

    def _has_room(self, size_bytes: int) -> bool:
        fits = not self._slots or self._held_bytes + size_bytes <= MOST_BYTES
        return len(self._slots) < self.most and fits

    def _unanswered(self) -> Iterator[Slot]:
        return (slot for slot in self._slots if slot.answer is None)

    def _cancel(self, slots: list[Slot] | deque[Slot]) -> None:
        for slot in slots:
            if slot.answer is None:
                slot.answer = cancelled(slot.id, slot.line)
        self._changed.notify_all()
