"""Which form of each kernel this machine runs: one small table.

`paths()` is read by the layers, shown by `clef-mlx doctor`, and overridden by measurements and tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx


@dataclass(frozen=True)
class Paths:
    """`prefill_tokens` is the default chunk of a record; the rest name forms, each tested against its slow twin."""

    delta: str  # packed (mlx-lm's Metal kernel) | chunkwise (plain ops) | recurrent (token by token, the slow twin)
    attention: str  # fused (mx.fast) | blocked (plain ops over blocks of keys, softmax carried along)
    elementwise: str  # builtin (MLX's own exp) | polynomial (x86, where that is one scalar call an element)
    fuse: bool  # compile chains of elementwise ops to one kernel; on a CPU that would need a C++ compiler at run time
    prefill_tokens: int
    trained: bool = False  # forms that can be differentiated, and cheaply


@cache
def _detected() -> Paths:
    if mx.default_device() == mx.gpu:
        delta = "packed" if mx.metal.is_available() else "chunkwise"
        return Paths(delta=delta, attention="fused", elementwise="builtin", fuse=True, prefill_tokens=4096)
    # Small chunks keep a layer's activations inside the processor's cache.
    return Paths(delta="chunkwise", attention="blocked", elementwise="polynomial", fuse=False, prefill_tokens=256)


_overrides: list[Paths] = []


def paths() -> Paths:
    """Return the table in force."""
    return _overrides[-1] if _overrides else _detected()


@contextmanager
def override_paths(**changes: str | int | bool) -> Iterator[Paths]:
    """Run with other forms, `override_paths(delta="recurrent")`; for tests and measurements."""
    _overrides.append(replace(paths(), **changes))
    try:
        yield _overrides[-1]
    finally:
        _overrides.pop()
