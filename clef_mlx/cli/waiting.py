"""Signs of life on stderr for a person who waits: a line while weights load, a bar for long files and conversions.

All appear only on a terminal and only after two seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer
from typing import TYPE_CHECKING

from clef_mlx.cli.edge import say

if TYPE_CHECKING:
    from rich.progress import Progress

    from clef_mlx.convert.watch import Watch

PATIENCE_SECONDS = 2.0
LOG_SECONDS = 30.0


@contextmanager
def status(message: str) -> Iterator[None]:
    """Show `message` with a spinner once the body has taken two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    spinner = Console(stderr=True).status(message)
    timer = Timer(PATIENCE_SECONDS, spinner.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # else the timer could start the spinner after it was stopped
        spinner.stop()


class Meter:
    """Shows how many requests are done, their rate and the time left. A context manager.

    The time left follows the bytes read, since nobody has counted the lines; `start_bytes` of them were done before.
    Where answers scroll over the terminal anyway, they are the progress. If it is `logged`, a line every half minute
    takes the place of the bar where there is no terminal.
    """

    def __init__(
        self, size_bytes: int | None, *, start_bytes: int = 0, answers_scroll: bool = True, logged: bool = False
    ) -> None:
        self.size_bytes, self.start_bytes = size_bytes, start_bytes
        self.shown = sys.stderr.isatty() and not (answers_scroll and sys.stdout.isatty())
        self.logged = logged and not sys.stderr.isatty()
        self.started = self.last_logged = time.monotonic()
        self.read_requests = self.done_requests = 0
        self.read_bytes = start_bytes
        self.bar: Progress | None = None

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def read(self, end_byte: int, requests: int = 1) -> None:
        """So many more requests were read, up to this byte of their file."""
        self.read_requests += requests
        self.read_bytes = end_byte

    def expect(self, requests: int) -> None:
        """All requests are known: the time left follows their number."""
        self.size_bytes = self.read_requests = self.read_bytes = requests

    def done(self, requests: int) -> None:
        """So many more were decided; those read ahead are not."""
        self.done_requests += requests
        now = time.monotonic()
        seconds = now - self.started
        done_bytes = (self.read_bytes - self.start_bytes) * self.done_requests / max(1, self.read_requests)
        if self.shown and seconds > PATIENCE_SECONDS:
            self.bar = self.bar or _bar(self.size_bytes, self.start_bytes)
            self.bar.update(
                self.bar.task_ids[0],
                completed=self.start_bytes + done_bytes,
                done=self.done_requests,
                rate=self.done_requests / seconds,
            )
        elif self.logged and now - self.last_logged > LOG_SECONDS:
            self.last_logged = now
            left = (self.size_bytes - self.start_bytes - done_bytes) * seconds / max(1, done_bytes)
            rate = f"{self.done_requests:,} requests at {self.done_requests / seconds:.1f}/s"
            say(f"{rate}, {timedelta(seconds=round(left))} left.")


class Phases:
    """Shows phase by phase how many bytes or steps are done, their rate and the time left. A context manager."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.started = time.monotonic()
        self.phase, self.total, self.done, self.counts_bytes = "", 0, 0, True
        self.bar: Progress | None = None

    def __enter__(self) -> Phases:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def watch(self, note: Callable[[str], None]) -> Watch:
        from clef_mlx.convert.watch import Watch

        return Watch(self.begin, self.advance, self.step, note)

    def begin(self, phase: str, total: int, counts_bytes: bool = True) -> None:
        self._stop()
        self.phase, self.total, self.done, self.counts_bytes = phase, total, 0, counts_bytes
        self._show()

    def advance(self, count: int) -> None:
        self.done += count
        self._show()

    def step(self, phase: str, done: int, total: int) -> None:
        if (phase, total) != (self.phase, self.total):
            self.begin(phase, total, counts_bytes=False)
        self.done = done
        self._show()

    def _show(self) -> None:
        if self.shown and self.bar is None and time.monotonic() - self.started > PATIENCE_SECONDS:
            self.bar = _phase_bar(self.total, self.counts_bytes)
            self.bar.add_task(self.phase, total=self.total or None)
            self.bar.start()
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], completed=self.done)

    def _stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.bar = None


def _phase_bar(total: int, counts_bytes: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.progress import TransferSpeedColumn as Speed

    columns = [TextColumn("{task.description}"), BarColumn()]
    if total:
        columns += [*([DownloadColumn(), Speed()] if counts_bytes else [MofNCompleteColumn()]), TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True), redirect_stdout=False, transient=True)


def _bar(size_bytes: int | None, start_bytes: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.fields[done]:,} requests · {task.fields[rate]:.1f}/s"),
        TimeRemainingColumn(),
    )
    # stdout is a pipe here and must stay untouched.
    bar = Progress(*columns, console=Console(stderr=True), redirect_stdout=False)
    bar.add_task("", total=size_bytes, completed=start_bytes, done=0, rate=0.0)
    bar.start()
    return bar
