"""How far a figure from so many cases can be trusted: intervals and exact tests. Numbers only."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z95 = 1.959963984540054  # of the normal distribution: 95 % lie within
RESAMPLES = 2000
DRAWS = 1 << 20
SEED = 0


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    share, spread = hits / total, Z95**2 / total
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap_mean(values: Sequence[float], requests: Sequence[int], seed: int = SEED) -> tuple[float, float]:
    """The 95 % interval of a mean by drawing whole requests anew: questions of one request err together."""
    _, owners = np.unique(requests, return_inverse=True)
    sums, counts = np.bincount(owners, weights=values), np.bincount(owners)
    rng = np.random.default_rng(seed)
    means = np.concatenate([_drawn_means(sums, counts, rng, size) for size in _portions(len(sums))])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _portions(requests: int) -> list[int]:
    """All resamples, in portions whose draws fit in a few megabytes."""
    size = max(1, min(RESAMPLES, DRAWS // requests))
    return [min(size, RESAMPLES - start) for start in range(0, RESAMPLES, size)]


def _drawn_means(sums: np.ndarray, counts: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    drawn = rng.integers(0, len(sums), (size, len(sums)))
    return sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)


def tail(hits: int, total: int, p: float) -> float:
    """The probability of at least so many hits in `total` independent trials of probability `p`."""
    if hits <= 0:
        return 1.0
    k = np.arange(hits, total + 1)
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, total + 1)))])
    logs = log_factorials[total] - log_factorials[k] - log_factorials[total - k]
    logs += k * math.log(p) + (total - k) * math.log1p(-p)
    return min(1.0, float(np.exp(logs).sum()))


def lower_bound(hits: int, total: int, alpha: float) -> float:
    """Clopper and Pearson's: the share whose chance of so many hits is `alpha`; the true one is hardly below it."""
    low, high = 0.0, hits / total
    if hits == 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(hits, total, middle) < alpha else (low, middle)
    return low


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p of McNemar's test: that so unequal a split of the cases with a change is chance."""
    changed = gained + lost
    fewer = ways = 1
    for count in range(min(gained, lost)):  # each binomial from the one before: minutes become a moment
        ways = ways * (changed - count) // (count + 1)
        fewer += ways
    return min(1.0, 2 * fewer / 2**changed)
