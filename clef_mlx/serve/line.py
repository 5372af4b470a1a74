"""The line in front of the model: requests that wait, first come first served, never more than may."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Condition, Lock

from clef_mlx.engine.clef import Clef, Prepared
from clef_mlx.engine.options import Options
from clef_mlx.schema import Request
from clef_mlx.serve import metrics
from clef_mlx.serve.replies import Decided

AHEAD_BYTES = 256 << 20  # of encoded pictures that may wait; what comes after is encoded in its turn


@dataclass(eq=False)
class Ticket:
    """One request on its way. `future` belongs to the event loop; `alive` may be asked from any thread."""

    model: str
    request: Request
    options: Options
    alive: Callable[[], bool]
    future: asyncio.Future[Decided]
    arrived: float = field(default_factory=time.monotonic)
    _made: tuple[Clef, Prepared] | None = None
    _making: Lock = field(default_factory=Lock)

    @property
    def waits(self) -> bool:
        """Whether anybody still wants the answer."""
        return not self.future.done() and self.alive()

    @property
    def held_bytes(self) -> int:
        """Of its encoded pictures."""
        return 0 if self._made is None else self._made[1].pixel_bytes

    def prepare(self, clef: Clef) -> Prepared:
        """Encode it for a model, once; whoever comes second waits for the first. Raises the request's ClefError."""
        with self._making:
            if self._made is None or self._made[0] is not clef:
                started = time.monotonic()
                self._made = clef, clef.prepare(self.request, self.options, allow_paths=False)
                metrics.observe_phase("encode", time.monotonic() - started)
            return self._made[1]


class Line:
    """Tickets put by the event loop and taken by the worker."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.closed = self._woken = False
        self._tickets: deque[Ticket] = deque()
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._tickets)

    def put(self, ticket: Ticket) -> bool:
        """Join the line, if it has room."""
        with self._changed:
            if len(self._tickets) >= self.most:
                return False
            self._tickets.append(ticket)
            self._changed.notify()
            return True

    def waiting(self) -> list[Ticket]:
        with self._changed:
            return list(self._tickets)

    def prepare_ahead(self, ticket: Ticket, clef: Clef) -> None:
        """Encode a ticket while the model works on others. If this fails, the worker meets the same error."""
        if ticket.waits and sum(waiting.held_bytes for waiting in self.waiting()) < AHEAD_BYTES:
            ticket.prepare(clef)

    def remove(self, leaving: Iterable[Ticket]) -> None:
        """Take them out, wherever they stand."""
        gone = set(leaving)
        with self._changed:
            self._tickets = deque(ticket for ticket in self._tickets if ticket not in gone)

    def model(self, timeout: float) -> str | None:
        """The model the first of the line asks for. None when nobody came in time, when woken, or at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._tickets or self.closed or self._woken, timeout)
            self._woken = False
            return self._tickets[0].model if self._tickets else None

    def company(self, count: int, wait: float) -> None:
        """Wait until `count` stand in line, but no longer than `wait` seconds since the first came."""
        with self._changed:
            if self._tickets:
                left = self._tickets[0].arrived + wait - time.monotonic()
                self._changed.wait_for(lambda: len(self._tickets) >= count or self.closed, max(0.0, left))

    def next(self, model: str) -> Ticket | None:
        """Take the first that asks for this model."""
        with self._changed:
            ticket = next((ticket for ticket in self._tickets if ticket.model == model), None)
            if ticket is not None:
                self._tickets.remove(ticket)
            return ticket

    def put_back(self, ticket: Ticket) -> None:
        with self._changed:
            self._tickets.appendleft(ticket)

    def wake(self) -> None:
        """Let the worker look up, though nobody came."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def close(self) -> None:
        """Nobody comes any more: the worker ends when the line is empty."""
        with self._changed:
            self.closed = True
            self._changed.notify()
