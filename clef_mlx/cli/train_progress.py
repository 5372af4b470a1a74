"""How far a training run is, on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from clef_mlx.cli.edge import say
from clef_mlx.cli.waiting import LOG_SECONDS, Phases

if TYPE_CHECKING:
    from rich.progress import Progress

    from clef_mlx.train.loop import Report
    from clef_mlx.train.train import Watch

MEMORY = 0.95  # of the means shown, per step; single steps jump about


class Training:
    """Shows loss and share of right answers (means over the last steps), tokens a second and the time left.

    A context manager.
    """

    def __init__(self) -> None:
        self.phases = Phases()
        self.shown = sys.stderr.isatty()
        self.bar: Progress | None = None
        self.started = self.last_said = time.monotonic()
        self.first_step, self.tokens, self.weight, self.loss, self.right = 0, 0, 0.0, 0.0, 0.0
        self.valid = ""

    def __enter__(self) -> Training:
        return self

    def __exit__(self, *_: object) -> None:
        self.phases.__exit__()
        if self.bar is not None:
            self.bar.stop()

    def watch(self) -> Watch:
        from clef_mlx.train.train import Watch

        return Watch(lambda text: say(text), self._begin, self.phases.advance, self.step)

    def _begin(self, phase: str, total: int) -> None:
        self.phases.begin(phase, total, counts_bytes=False)

    def step(self, report: Report) -> None:
        """A step is done."""
        now = time.monotonic()
        if self.tokens == 0:  # loading is over
            self.phases.__exit__()
            self.started, self.first_step = now - report.seconds, report.step - 1
        self._count(report)
        seconds = now - self.started
        rate, left = self.tokens / seconds, (report.steps - report.step) * seconds / (report.step - self.first_step)
        words = f"loss {self.loss:.3f} · {self.right:.1%} right · {rate:,.0f} tokens/s{self.valid}"
        if self.shown:
            self._draw(report, words)
        elif report.valid is not None or now - self.last_said > LOG_SECONDS:
            self.last_said = now
            say(f"step {report.step:,} of {report.steps:,} · {words} · {timedelta(seconds=round(left))} left")

    def _count(self, report: Report) -> None:
        self.tokens += report.tokens
        self.weight = MEMORY * self.weight + 1.0
        self.loss += (report.score.loss - self.loss) / self.weight
        self.right += (report.score.accuracy - self.right) / self.weight
        if report.valid is not None:
            self.valid = f" · held out {report.valid.cross_entropy:.3f}, {report.valid.accuracy:.1%} right"

    def _draw(self, report: Report, words: str) -> None:
        if self.bar is None:
            self.bar = _bar(report.steps)
        self.bar.update(self.bar.task_ids[0], completed=report.step, words=words)


def _bar(steps: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("{task.fields[words]}"), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), redirect_stdout=False, transient=True)
    bar.add_task("", total=steps, words="")
    bar.start()
    return bar
