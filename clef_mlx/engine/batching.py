"""Many requests as few batches: similar lengths together, under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from clef_mlx.record import EncodedRecord

T = TypeVar("T")

WINDOW_REQUESTS = 128  # read ahead this many; more sorts better, fewer answers sooner


def windows(items: Iterable[T], first: int = 1, most: int = WINDOW_REQUESTS) -> Iterator[list[T]]:
    """Cut a stream into lists, never reading further ahead than one of them.

    The first holds one item and each next one twice as many, so that a slow stream has its first answers soon.
    """
    stream, size = iter(items), first
    while window := list(islice(stream, size)):
        yield window
        size = min(2 * size, most)


def bucketed(lengths: Sequence[int], budget_tokens: int, most: int | None = None) -> list[list[int]]:
    """Group indices so that each group, padded to its longest, stays within the budget; a longer one goes alone.

    No group has more than `most` members.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        last = groups[-1] if groups else []
        if last and lengths[last[0]] * (len(last) + 1) <= budget_tokens and len(last) != most:
            last.append(index)
        else:
            groups.append([index])
    return groups


class Pass:
    """What one pass of the model still holds, in tokens. A state that several requests share counts once."""

    def __init__(self, budget_tokens: int) -> None:
        self.left_tokens = budget_tokens
        self._states: set[tuple[int, ...]] = set()

    def takes(self, records: Sequence[EncodedRecord]) -> bool:
        """Take a request's records in, if they fit; the first request may be larger than the budget."""
        states, cost = set(self._states), 0
        for record in records:
            state = record.input_ids[: record.state_span.end]
            cost += len(record.input_ids) - (len(state) if state in states else 0)
            states.add(state)
        if self._states and cost > self.left_tokens:
            return False
        self.left_tokens, self._states = self.left_tokens - cost, states
        return True
