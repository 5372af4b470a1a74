"""Many requests as few batches: similar lengths together, under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

WINDOW_REQUESTS = 128  # read ahead this many; more sorts better, fewer answers sooner


def windows(items: Iterable[T]) -> Iterator[list[T]]:
    """Cut a stream into lists, never reading further ahead than one of them.

    The first holds one item and each next one twice as many, so that a slow stream has its first answers soon.
    """
    stream, size = iter(items), 1
    while window := list(islice(stream, size)):
        yield window
        size = min(2 * size, WINDOW_REQUESTS)


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
