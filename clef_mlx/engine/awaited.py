"""Requests awaited in event loops -> decided together, in a thread that lives no longer than somebody waits."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from clef_mlx.engine.batching import WINDOW_REQUESTS
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.options import Options
from clef_mlx.engine.records import Prepared
from clef_mlx.engine.stream import MOST_PIXEL_BYTES
from clef_mlx.schema import Request

if TYPE_CHECKING:
    from clef_mlx.engine.clef import Clef

ROUND_SECONDS = 0.05  # a loop that ended meanwhile must not hold the others up


@dataclass(eq=False)
class Asked:
    """One request, and the loop that waits for it. `future` is touched in that loop; `done()` may be asked anywhere."""

    model: Clef
    request: Request
    options: Options
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Decision]

    def settle(self, outcome: Decision | BaseException) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self.loop.call_soon_threadsafe(self._settle, outcome)

    def _settle(self, outcome: Decision | BaseException) -> None:
        if not self.future.done():
            (self.future.set_exception if isinstance(outcome, BaseException) else self.future.set_result)(outcome)


class Awaited:
    """Those who wait for one model, from any number of loops."""

    def __init__(self) -> None:
        self._line: deque[Asked] = deque()
        self._lock = Lock()
        self._served = False  # a thread is at work, and will look at the line again before it ends

    async def decide(self, model: Clef, request: Request, options: Options) -> Decision:
        """Raises what `Clef.decide` does."""
        loop = asyncio.get_running_loop()
        asked = Asked(model, request, options, loop, loop.create_future())
        with self._lock:
            self._line.append(asked)
            begin, self._served = not self._served, True
        if begin:
            round_over = Event()
            loop.call_soon(round_over.set)
            Thread(target=self._serve, args=(round_over,), name="clef-mlx-awaited").start()
        return await asked.future

    def _serve(self, round_over: Event) -> None:
        # Whoever is awaited in the same round of the loop has joined the line at its end.
        round_over.wait(ROUND_SECONDS)
        while waiting := self._take():
            _decide(waiting)

    def _take(self) -> list[Asked]:
        """The next of the line; at its end the thread's end is settled under the same lock."""
        with self._lock:
            taken = [self._line.popleft() for _ in range(min(len(self._line), WINDOW_REQUESTS))]
            self._served = bool(taken)
            return taken


def _decide(waiting: list[Asked]) -> None:
    """Answer each; an error in one is its own. Those who left are not begun."""
    part: list[tuple[Asked, Prepared]] = []
    pixels = 0
    for asked in waiting:
        if asked.future.done():
            continue
        try:
            prepared = asked.model.prepare(asked.request, asked.options)
        except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
            asked.settle(error)
            continue
        part.append((asked, prepared))
        pixels += prepared.pixel_bytes
        if pixels > MOST_PIXEL_BYTES:
            _pass(part)
            part, pixels = [], 0
    if part:
        _pass(part)


def _pass(part: list[tuple[Asked, Prepared]]) -> None:
    left = {index: asked for index, (asked, _) in enumerate(part)}
    try:
        for finished in part[0][0].model.decide_together([prepared for _, prepared in part]):
            for index, outcome in finished.items():
                left.pop(index).settle(outcome)
            if all(asked.future.done() for asked in left.values()):
                return
    except BaseException as error:  # noqa: BLE001 - it is raised where the answers are awaited
        for asked in left.values():
            asked.settle(error)
