"""Requests from the event loop to the one thread that decides, in batches, and decisions back.

Here waits whoever asked. A deadline that passes or a client that leaves ends the waiting at once, and work that nobody
waits for is not begun, or stopped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from clef_mlx.engine import thread
from clef_mlx.engine.options import Options
from clef_mlx.schema import Request
from clef_mlx.serve import metrics
from clef_mlx.serve.line import Line, Ticket
from clef_mlx.serve.models import Models
from clef_mlx.serve.replies import Decided as Decided
from clef_mlx.serve.replies import Full as Full
from clef_mlx.serve.replies import Gone as Gone
from clef_mlx.serve.replies import ModelCard as ModelCard
from clef_mlx.serve.replies import NotReady as NotReady
from clef_mlx.serve.replies import Readiness as Readiness
from clef_mlx.serve.replies import TimedOut as TimedOut
from clef_mlx.serve.replies import UnknownModel as UnknownModel
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.worker import MOST_FAULTS, Worker

WATCH_SECONDS = 0.1  # between looks at who still waits
ENCODERS = 2  # threads that encode while the model works
LOADING_SECONDS, DRAINING_SECONDS = 2.0, 5.0  # told to those who come too early, or too late
MOST_RETRY_SECONDS = 60.0
LAST_SECONDS = 5.0  # for a pass to stop when it must
STUCK_SECONDS = 300.0  # of one round: no model takes as long


class Desk:
    """Where requests wait for the model. All methods belong to the event loop it was started in."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._models = Models(settings)
        self._line = Line(settings.queue)
        metrics.count_waiting(self._line.__len__)
        self._encoders = ThreadPoolExecutor(ENCODERS, "clef-mlx-encode")
        self._worker: Worker | None = None
        self._watching: asyncio.Task[None] | None = None
        self._not_ready: Readiness | None = Readiness(False, "is loading", LOADING_SECONDS)

    async def start(self) -> None:
        """Check all models, load the first and decide with it. Raises ClefError."""
        self._worker = Worker(self.settings, self._models, self._line, asyncio.get_running_loop())
        self._worker.thread.start()
        try:
            await self._worker.started
        except Exception:
            self._not_ready = Readiness(False, "could not load its model", LOADING_SECONDS)
            raise
        self._watching = asyncio.create_task(self._watch())
        self._not_ready = None
        metrics.observe_ready(True)

    async def submit(
        self,
        model: str | None,
        request: Request,
        options: Options,
        *,
        deadline: float | None,
        alive: Callable[[], bool],
    ) -> Decided:
        """Decide a request with a model by its id, None: the first. `deadline` is in seconds from now.

        `alive` is asked whether anybody still waits, from any thread. Raises Full, NotReady, UnknownModel, TimedOut,
        Gone, or the ClefError of the request itself.
        """
        try:
            return await self._submitted(model, request, options, deadline, alive)
        except Exception as error:
            metrics.observe_error(error)
            raise

    def models(self) -> list[ModelCard]:
        """The models in the order of the settings."""
        return self._models.cards()

    def ready(self) -> Readiness:
        """Whether decisions succeed."""
        readiness = self._not_ready or self._health()
        metrics.observe_ready(readiness.ready)
        return readiness

    def reload(self) -> None:
        """Read the loaded models' folders again, as for SIGHUP. Requests go on."""
        if self._worker is not None:
            self._worker.reload_asked.set()
            self._line.wake()

    async def drain(self, seconds: float) -> None:
        """Take nothing more, finish what waits within so many seconds, and give the models' memory back."""
        closing = self._not_ready = Readiness(False, "is shutting down", DRAINING_SECONDS)
        metrics.observe_ready(False)
        self._line.close()
        if self._worker is not None:
            loaded = self._watching is not None
            if not await self._ended(seconds if loaded else 0.0):
                self._worker.hurried = True
                for ticket in self._unfinished():
                    ticket.future.set_exception(NotReady(closing.reason, closing.retry_after))
                self._line.remove(self._line.waiting())
                thread.interrupt()
                await self._ended(LAST_SECONDS)
        if self._watching is not None:
            self._watching.cancel()
        self._encoders.shutdown(wait=False, cancel_futures=True)

    async def _submitted(
        self, model: str | None, request: Request, options: Options, deadline: float | None, alive: Callable[[], bool]
    ) -> Decided:
        model = self._models.default if model is None else model
        if model not in self._models.slots:
            raise UnknownModel(model)
        if self._not_ready is not None:
            raise NotReady(self._not_ready.reason, self._not_ready.retry_after)
        loop = asyncio.get_running_loop()
        ticket = Ticket(model, request, options, alive, loop.create_future())
        self._join(ticket)
        alarm = None if deadline is None else loop.call_later(deadline, _time_out, ticket)
        try:
            return await ticket.future
        finally:
            if alarm is not None:
                alarm.cancel()

    def _join(self, ticket: Ticket) -> None:
        if not self._line.put(ticket):
            self._sweep()
            if not self._line.put(ticket):
                raise Full(min(MOST_RETRY_SECONDS, max(1.0, self._worker.pace * len(self._line))))
        clef = self._models.current(ticket.model)
        if clef is not None and self._worker.busy_since is not None:
            self._encoders.submit(self._line.prepare_ahead, ticket, clef)

    def _health(self) -> Readiness:
        worker = self._worker
        if not worker.thread.is_alive():
            return Readiness(False, "has lost its worker", MOST_RETRY_SECONDS)
        if self._models.broken():
            return Readiness(False, "could not load its model", LOADING_SECONDS)
        if worker.faults >= MOST_FAULTS:
            return Readiness(False, f"failed at its last {worker.faults} decisions", LOADING_SECONDS)
        since = worker.busy_since
        if since is not None and time.monotonic() - since > STUCK_SECONDS:
            return Readiness(False, "has not finished a decision for minutes", MOST_RETRY_SECONDS)
        return Readiness(True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            self._sweep()

    def _sweep(self) -> None:
        """Let those go whose clients have left; stop a pass that nobody waits for."""
        for ticket in self._unfinished():
            if not ticket.alive():
                ticket.future.set_exception(Gone())
        self._line.remove(ticket for ticket in self._line.waiting() if ticket.future.done())
        running = self._worker.running
        if running and all(ticket.future.done() for ticket in running):
            thread.interrupt()

    def _unfinished(self) -> list[Ticket]:
        """Those in line and in the pass that runs; one on its way from the one to the other is met next time."""
        tickets = dict.fromkeys((*self._line.waiting(), *self._worker.running))
        return [ticket for ticket in tickets if not ticket.future.done()]

    async def _ended(self, seconds: float) -> bool:
        await asyncio.to_thread(self._worker.thread.join, seconds)
        return not self._worker.thread.is_alive()


def _time_out(ticket: Ticket) -> None:
    if not ticket.future.done():
        ticket.future.set_exception(TimedOut())
