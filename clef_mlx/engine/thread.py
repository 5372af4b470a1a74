"""The one thread that owns MLX.

MLX's streams belong to the thread that made them, so a model loaded in one thread cannot run in another. Everything
that touches arrays runs here; callers may come from any thread and are served in order.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar

from clef_mlx.errors import ClefError

T = TypeVar("T")


class _Call(NamedTuple):
    work: Callable[[], Any]
    future: Future[Any]
    abandoned: Event  # set when its caller no longer waits


class Abandoned(BaseException):
    """Raised inside a call whose caller was interrupted, where nobody sees it, or that somebody else interrupted."""


_running = Event()  # the abandoned flag of the call that runs
_forked = False


def run(call: Callable[..., T], *args: object, **kwargs: object) -> T:
    """Run `call` in the thread, wait, and return its result or raise its error.

    An interrupt of the waiting caller stops the call at its next `stop_if_abandoned`.
    """
    if _forked:
        raise ClefError(
            "process: must not be forked from one that has used MLX. Start workers with the spawn method, and load the "
            "model in each."
        )
    mine = _Call(partial(call, *args, **kwargs), Future(), Event())
    _calls().put(mine)
    try:
        return mine.future.result()
    except BaseException:
        mine.abandoned.set()
        raise


def run_to_end(call: Callable[..., T], *args: object, **kwargs: object) -> T:
    """`run` whose work has stopped when it raises: nobody writes into a folder that is being removed."""
    try:
        return run(call, *args, **kwargs)
    except KeyboardInterrupt:
        run(int)  # waits in the queue behind it
        raise


def stop_if_abandoned() -> None:
    """For long calls, between steps: end here if nobody waits for the result."""
    if _running.is_set():
        raise Abandoned


def interrupt() -> None:
    """End the call that runs now at its next `stop_if_abandoned`; its caller gets Abandoned."""
    _running.set()


@cache
def _calls() -> SimpleQueue[_Call]:
    """Start the thread on first use, for the life of the process.

    It must never end: MLX keeps compiled functions per thread and gives them back when the thread ends, for which it
    needs a living interpreter. A thread that ends while Python exits aborts the process. So this one is a daemon that
    waits, and the exit waits until it does.
    """
    calls: SimpleQueue[_Call] = SimpleQueue()
    Thread(target=_serve, args=(calls,), name="clef-mlx", daemon=True).start()
    atexit.register(run, int)
    os.register_at_fork(after_in_child=_forget)
    return calls


def _forget() -> None:
    """A forked child has the queue but no thread behind it."""
    global _forked
    _forked = True
    atexit.unregister(run)


def _serve(calls: SimpleQueue[_Call]) -> None:
    while True:
        # A call of its own, so that nothing of the last one stays alive while this waits.
        _settle(calls.get())


def _settle(call: _Call) -> None:
    global _running
    _running = call.abandoned
    try:
        stop_if_abandoned()
        call.future.set_result(call.work())
    except BaseException as error:  # noqa: BLE001 - it is the caller's, and is raised there
        call.future.set_exception(error)
