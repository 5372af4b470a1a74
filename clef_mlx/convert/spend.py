"""Bytes where they help most: one candidate per group, the least damage that a number of bytes can buy.

Pure arithmetic. A larger budget never buys more damage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple


class Candidate(NamedTuple):
    """One way to store a group: `bits` a weight (None: not quantized), its bytes, and what it does to decisions."""

    bits: int | None
    nbytes: int
    damage: float


class _Step(NamedTuple):
    group: str
    better: Candidate
    nbytes: int
    gain: float


def spend(groups: Mapping[str, Sequence[Candidate]], room: int) -> dict[str, Candidate]:
    """Choose a candidate per group of at most `room` bytes in all, which the smallest of each must fit.

    Groups start at their smallest; steps up the lower convex hull of bytes and damage are bought by gain per byte, and
    a step that no longer fits ends its group's. That is the best choice but for what the last step leaves over.
    """
    hulls = {name: _hull(_monotone(candidates)) for name, candidates in groups.items()}
    chosen = {name: hull[0] for name, hull in hulls.items()}
    left = room - sum(candidate.nbytes for candidate in chosen.values())
    steps = [
        _Step(name, better, better.nbytes - worse.nbytes, worse.damage - better.damage)
        for name, hull in hulls.items()
        for worse, better in pairwise(hull)
    ]
    ended = set()
    for step in sorted(steps, key=lambda step: -step.gain / step.nbytes):
        if step.group in ended or step.nbytes > left:
            ended.add(step.group)
            continue
        chosen[step.group] = step.better
        left -= step.nbytes
    return chosen


def _monotone(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By size; more bytes never do more damage, whatever the noise of a measurement says."""
    ordered = sorted(candidates, key=lambda candidate: candidate.nbytes)
    worst, smoothed = 0.0, []
    for candidate in reversed(ordered):
        worst = max(worst, candidate.damage)
        smoothed.append(candidate._replace(damage=worst))
    return smoothed[::-1]


def _hull(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates between which gain per byte falls; those that gain nothing are left out."""
    hull: list[Candidate] = []
    for candidate in candidates:
        if hull and candidate.damage >= hull[-1].damage:
            continue
        while len(hull) > 1 and _rate(hull[-2], hull[-1]) <= _rate(hull[-1], candidate):
            hull.pop()
        hull.append(candidate)
    return hull


def _rate(worse: Candidate, better: Candidate) -> float:
    return (worse.damage - better.damage) / (better.nbytes - worse.nbytes)
