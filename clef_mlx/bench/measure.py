"""Times and memory of a call: warmed up first, repeated, the smallest, the median and the 90th percentile kept.

On a machine that does other things too, the minimum is the least disturbed run; two things are compared by the minima
of runs that alternate, so that a slow minute hurts both.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.errors import RequestError


@dataclass(frozen=True)
class Timing:
    """Seconds of some runs; p90 is the smallest run that 90 % do not exceed."""

    min_s: float
    median_s: float
    p90_s: float
    runs: int

    @classmethod
    def of(cls, seconds: list[float]) -> Timing:
        ordered = sorted(seconds)
        p90 = ordered[math.ceil(0.9 * len(ordered)) - 1]
        return cls(ordered[0], statistics.median(ordered), p90, len(ordered))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def time_call(call: Callable[[], Any], runs: int, warmup: int = 1) -> Timing:
    """Time `call`, which must wait for its own results."""
    return alternate({"": call}, runs, warmup)[""]


def alternate(calls: Mapping[str, Callable[[], Any]], runs: int, warmup: int = 1) -> dict[str, Timing]:
    """Time several calls in turns: one run of each, then the next run of each."""
    if runs < 1:
        raise RequestError(f"runs: must be at least 1, got {runs}. More runs make steadier numbers.")
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(warmup + runs):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if turn >= warmup:
                seconds[name].append(time.perf_counter() - start)
    return {name: Timing.of(values) for name, values in seconds.items()}


def peak_bytes(call: Callable[[], Any]) -> int:
    """The most memory MLX held during `call`, over what it held before: for a loaded model, over its weights."""
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    call()
    return max(0, mx.get_peak_memory() - before)


def product_rate(dtype: str, seconds: float = 0.5) -> float:
    """FLOP/s of large matrix products in `dtype` here and now: the roof that this machine really has."""
    size = 4096 if mx.default_device() == mx.gpu else 1024
    a = mx.random.normal((size, size)).astype(getattr(mx, dtype))
    b = mx.random.normal((size, size)).astype(getattr(mx, dtype))
    mx.eval(a, b, a @ b)
    best, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end or best == math.inf:
        start = time.perf_counter()
        mx.eval(a @ b)
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best
