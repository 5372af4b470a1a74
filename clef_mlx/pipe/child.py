"""The process: one thread reads, one decides, one writes, and the main one waits for the end or a signal."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread

from clef_mlx.engine.clef import Clef
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.pipe.decider import decide_pending, told
from clef_mlx.pipe.lines import Line, read_lines
from clef_mlx.pipe.pending import Pending, Slot
from clef_mlx.pipe.protocol import Cancel, Limits, Refused, failure, hello, read

SIGNALS = (signal.SIGTERM, signal.SIGINT)
TICK_SECONDS = 0.02  # between askings of a pass to stop; it may just be changing hands
LAST_SECONDS = 2.0  # for answers to leave after a signal

# What the main thread is told: a signal, an error, that something was taken back (True), or that all is written (None).
Bell = SimpleQueue


@contextmanager
def protocol_stdout() -> Iterator[int]:
    """Yield a descriptor of stdout that nobody else has: what libraries print goes to stderr meanwhile."""
    sys.stdout.flush()
    number = sys.stdout.fileno()
    mine = os.dup(number)
    os.dup2(sys.stderr.fileno(), number)
    try:
        yield mine
    finally:
        sys.stdout.flush()
        os.dup2(mine, number)
        os.close(mine)


def serve(model: Clef, source: int, sink: int, limits: Limits, batch_tokens: int) -> int:
    """Answer the lines of one descriptor on another until the first ends. -> 0, or the number of a signal.

    The model must have decided already. Raises OSError where an answer cannot be written.
    """
    bell: Bell = SimpleQueue()
    pending = Pending(limits.pending)
    write(sink, hello(model, limits))
    with _heard(bell):
        _start("read", bell, lambda: _read(model, source, pending, limits, bell))
        _start("decide", bell, lambda: decide_pending(model, pending, batch_tokens))
        _start("write", bell, lambda: _write(sink, pending, bell))
        try:
            return _wait(bell, pending)
        finally:
            _let_go(pending)


def write(sink: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(sink, left) :]


def _read(model: Clef, source: int, pending: Pending, limits: Limits, bell: Bell) -> None:
    try:
        for line in read_lines(source, limits.line_bytes):
            if not pending.wait_for_room(0 if line.text is None else line.size_bytes):
                return
            if slot := _slot(model, line, pending, limits, bell):
                pending.add(slot)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(f"stdin: cannot be read: {reason}. Give a pipe or a file.") from error
    finally:
        pending.end()


def _slot(model: Clef, line: Line, pending: Pending, limits: Limits, bell: Bell) -> Slot | None:
    """A line's place in the order; a good cancel has none. Encodes, so that the model need not wait for it."""
    if line.text is None:
        rule = f"must have at most {limits.line_bytes} bytes, got {line.size_bytes}"
        error = RequestError(f"line: {rule}. Send less, or raise --max-line-bytes.")
        return Slot(None, line.number, 0, answer=failure(None, error, line.number))
    meant = read(line.text, f"stdin:{line.number}", model.options)
    if isinstance(meant, Cancel):
        pending.cancel(meant.id)
        bell.put(True)
        return None
    slot = Slot(meant.id, line.number, line.size_bytes)
    try:
        if isinstance(meant, Refused):
            raise meant.error
        if pending.holds(meant.id):
            slot.id = None  # the answer that has the id is the other's
            raise RequestError("id: must differ from those that wait, got one of them. Count requests.", ("id",))
        slot.asked = model.prepare(meant.request, meant.options)
        slot.held_bytes += slot.asked.pixel_bytes
    except ClefError as error:
        slot.answer = failure(slot.id, error, line.number)
    except Exception as error:  # noqa: BLE001 - the process lives
        slot.answer = failure(slot.id, told(error), line.number)
    return slot


def _write(sink: int, pending: Pending, bell: Bell) -> None:
    while lines := pending.answered():
        write(sink, b"".join(lines))
    bell.put(None)


def _wait(bell: Bell, pending: Pending) -> int:
    """Until all is written, or so long after a signal as answers may take to leave."""
    number, end = 0, float("inf")
    while time.monotonic() < end:
        busy = pending.interrupt_unwanted()
        try:
            told = bell.get(timeout=TICK_SECONDS if busy or number else None)
        except Empty:
            continue
        match told:
            case None:
                break
            case OSError() | ClefError() if number:
                break  # nobody reads what is left
            case BaseException():
                raise told
            case signal.Signals() if number:
                break  # asked twice: at once
            case signal.Signals():
                number, end = int(told), time.monotonic() + LAST_SECONDS
                pending.stop()
    return number


def _let_go(pending: Pending) -> None:
    """Nothing may decide any more when the model is closed."""
    pending.stop()
    end = time.monotonic() + LAST_SECONDS
    while pending.interrupt_unwanted() and time.monotonic() < end:
        time.sleep(TICK_SECONDS)


def _start(name: str, bell: Bell, work: Callable[[], None]) -> None:
    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised by whoever waits
            bell.put(error)

    Thread(target=run, name=f"clef-mlx-{name}", daemon=True).start()


@contextmanager
def _heard(bell: Bell) -> Iterator[None]:
    """Signals ring the bell: its `put` is the one thing that is safe wherever they come."""
    before = {number: signal.signal(number, lambda given, _: bell.put(signal.Signals(given))) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
