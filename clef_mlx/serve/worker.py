"""The thread between the line and the model: takes tickets, forms batches, decides, and keeps faults apart.

It does not touch MLX itself; what it asks of a model runs in the thread that owns MLX.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Event, Thread

from clef_mlx.engine.batching import Pass
from clef_mlx.engine.clef import Clef, Prepared
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.thread import Abandoned
from clef_mlx.engine.warm_up import decide_once
from clef_mlx.errors import ClefError, MemoryBudgetError, ModelFault
from clef_mlx.serve import logs, metrics
from clef_mlx.serve.line import Line, Ticket
from clef_mlx.serve.models import Models
from clef_mlx.serve.replies import Decided, Gone, NotReady
from clef_mlx.serve.settings import Settings

TICK_SECONDS = 2.0  # between looks at the models' files
MOST_FAULTS = 3  # one after another, before the model is no longer called ready
PACE_SHARE = 0.2  # of the last pass in the mean time a request takes

Batch = Sequence[tuple[Ticket, Prepared]]


class Worker:
    """One thread. `busy_since`, `running`, `faults` and `pace` may be read from others."""

    def __init__(self, settings: Settings, models: Models, line: Line, loop: asyncio.AbstractEventLoop) -> None:
        self.settings, self.models, self.line, self.loop = settings, models, line, loop
        self.running: tuple[Ticket, ...] = ()
        self.busy_since: float | None = None
        self.faults = 0
        self.pace = 0.0  # seconds a request takes
        self.reload_asked = Event()
        self.hurried = False  # at the end: nothing is tried again
        self._company = 1  # decided in the last round: so many may come again
        self._looked = 0.0
        self.started: asyncio.Future[None] = loop.create_future()
        self.thread = Thread(target=self._run, name="clef-mlx-desk", daemon=True)

    def _run(self) -> None:
        try:
            self.models.check()
            self.models.load(self.models.slots[self.models.default])
        except (Exception, Abandoned) as error:  # noqa: BLE001 - it is raised by the desk's start
            self._settle([(self.started, error)])
            return
        self._settle([(self.started, None)])
        while not (self.line.closed and not self.line):
            with suppress(Abandoned):
                self._turn()
        self.models.close()

    def _turn(self) -> None:
        model = self.line.model(TICK_SECONDS)
        if model is not None:
            self.line.company(self._company, self.settings.wait_ms / 1000)
            self.busy_since = time.monotonic()
            try:
                self._serve(model)
            finally:
                self.busy_since, self.running = None, ()
        if self.reload_asked.is_set() or time.monotonic() - self._looked >= TICK_SECONDS:
            self._tick()

    def _serve(self, model: str) -> None:
        """Decide the first of the line, and those after it that fit in one pass with it."""
        try:
            clef = self.models.get(model)
        except Exception as error:  # noqa: BLE001 - it is the answer to whoever asked for this model
            while (ticket := self.line.next(model)) is not None:
                self._refuse(ticket, error)
            return
        try:
            if batch := self._batch(model, clef):
                self._decide(clef, batch)
            self._company = max(1, len(batch))
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the thread, or nobody is served
            for ticket in self.running:
                self._fail(ticket, clef, error)

    def _batch(self, model: str, clef: Clef) -> list[tuple[Ticket, Prepared]]:
        """Tickets from the front of the line, up to the budget."""
        batch: list[tuple[Ticket, Prepared]] = []
        room = Pass(self.settings.batch_tokens)
        while room.left_tokens > 0 and (ticket := self.line.next(model)) is not None:
            if not ticket.waits:
                self._refuse(ticket, Gone())
                continue
            self.running += (ticket,)
            try:
                prepared = ticket.prepare(clef)
            except Exception as error:  # noqa: BLE001 - a fault in one request is that request's own
                self._refuse(ticket, error)
                continue
            if not room.takes(prepared.records):
                self.line.put_back(ticket)
                self.running = self.running[:-1]
                break
            batch.append((ticket, prepared))
        return batch

    def _decide(self, clef: Clef, batch: Batch, spared: bool = False) -> None:
        """Answer every ticket of a batch; where it fails as a whole, its members are tried one by one.

        `spared`: other models have given up what they can spare already.
        """
        left = dict(enumerate(batch))
        begun = began = time.monotonic()
        fault: Exception | None = None
        try:
            for finished in clef.decide_together(
                [asked for _, asked in batch], batch_tokens=self.settings.batch_tokens
            ):
                now = time.monotonic()
                if not spared and any(isinstance(outcome, MemoryBudgetError) for outcome in finished.values()):
                    spared = self.models.forget(batch[0][0].model)
                    finished = {} if spared else finished  # these are tried again
                self._answer([(left.pop(index)[0], outcome) for index, outcome in finished.items()], clef, begun, now)
                begun = now
        except Abandoned:
            pass  # nobody waits for some of these, or the end is near
        except Exception as error:  # noqa: BLE001 - whatever the model threw, it is kept from all others
            fault = error
        self.pace += PACE_SHARE * ((time.monotonic() - began) / len(batch) - self.pace)
        if fault is not None and len(batch) == 1:
            self._fail(batch[0][0], clef, fault)
            return
        for ticket, asked in left.values():
            if ticket.waits and not self.hurried:
                self._decide(clef, [(ticket, asked)], spared)

    def _answer(
        self, outcomes: list[tuple[Ticket, Decision | ClefError]], clef: Clef, begun: float, now: float
    ) -> None:
        """Send what a pass finished, in one go."""
        if not outcomes:
            return
        metrics.observe_pass(len(outcomes))
        replies, faults = [], 0
        for ticket, outcome in outcomes:
            metrics.observe_phase("queue", begun - ticket.arrived)
            metrics.observe_phase("model", now - begun)
            if isinstance(outcome, Decision):
                self.faults = 0
                metrics.observe_decision(outcome)
                waited = (begun - ticket.arrived) * 1000
                outcome = Decided(outcome, waited, (now - begun) * 1000, len(outcomes))
            elif isinstance(outcome, ModelFault):
                faults += 1
                self.faults += 1
            replies.append((ticket.future, outcome))
        self._settle(replies)
        if faults:
            clef.forget()  # a kept prefix may be what is wrong

    def _fail(self, ticket: Ticket, clef: Clef, error: Exception) -> None:
        """The model broke at this request. Its client is told no more than that, the log where."""
        self.faults += 1
        logs.say_failure("model failed", error, model=ticket.model)
        with suppress(Exception):  # the model may be beyond even that; readiness will tell
            clef.forget()
        self._refuse(ticket, ModelFault("model: failed at this request. The server's log says where."))

    def _refuse(self, ticket: Ticket, error: Exception) -> None:
        self._settle([(ticket.future, error)])

    def _tick(self) -> None:
        """Between requests: look at the models' files, and try to decide again after faults."""
        self._looked = time.monotonic()
        try:
            if self.reload_asked.is_set():
                self.reload_asked.clear()
                for slot in self.models.loaded():
                    self.models.reload(slot)
            self.models.look()
            if self.faults >= MOST_FAULTS or self.models.broken():
                decide_once(self.models.get(self.models.default))
                self.faults = 0
        except NotReady:
            pass  # it has been said why
        except Exception as error:  # noqa: BLE001 - requests go on; readiness stays as it is
            logs.say_failure("look failed", error)

    def _settle(self, replies: list[tuple[asyncio.Future, Decided | BaseException | None]]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self.loop.call_soon_threadsafe(_settle, replies)


def _settle(replies: list[tuple[asyncio.Future, Decided | BaseException | None]]) -> None:
    """In the event loop."""
    for future, reply in replies:
        if not future.done():
            (future.set_exception if isinstance(reply, BaseException) else future.set_result)(reply)
