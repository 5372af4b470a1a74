"""The one thread that owns MLX.

MLX's streams belong to the thread that made them, so a model loaded in one thread cannot run in another. Everything
that touches arrays runs here; callers may come from any thread and are served in order.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


def run(call: Callable[..., T], *args: object, **kwargs: object) -> T:
    """Run `call` in the thread, wait, and return its result or raise its error."""
    future: Future[T] = Future()
    _calls().put((future, partial(call, *args, **kwargs)))
    return future.result()


@cache
def _calls() -> SimpleQueue[tuple[Future[Any], Callable[[], Any]]]:
    """Start the thread on first use, for the life of the process.

    It must never end: MLX keeps compiled functions per thread and gives them back when the thread ends, for which it
    needs a living interpreter. A thread that ends while Python exits aborts the process. So this one is a daemon that
    waits, and the exit waits until it does.
    """
    calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
    Thread(target=_serve, args=(calls,), name="clef-mlx", daemon=True).start()
    atexit.register(run, int)
    return calls


def _serve(calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]]) -> None:
    while True:
        # A call of its own, so that nothing of the last one stays alive while this waits.
        _settle(*calls.get())


def _settle(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 - it is the caller's, and is raised there
        future.set_exception(error)
