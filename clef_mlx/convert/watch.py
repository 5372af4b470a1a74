"""Who is told how far a conversion is. Without anybody listening, nothing is computed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Watch:
    """`begin` a phase of so many bytes (0: nobody knows), `advance` in it by some, `note` a sentence.

    `step` is for phases that count steps: what, steps done, steps in all. All are called from any thread.
    """

    begin: Callable[[str, int], None] = lambda phase, total_bytes: None
    advance: Callable[[int], None] = lambda nbytes: None
    step: Callable[[str, int, int], None] = lambda phase, done, total: None
    note: Callable[[str], None] = lambda text: None
