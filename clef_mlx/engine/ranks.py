"""Several processes that `mlx.launch` started, on one machine or on many, as one: who shares work and hands it back.

Rank 0 gives every rank its part and gets back what each made of it. Nothing else travels, so that files are only where
rank 0 runs. Everything here runs in the thread that owns MLX.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.engine import thread
from clef_mlx.errors import ClefError

T = TypeVar("T")

VARIABLE = "MLX_RANK"  # set by mlx.launch


class Ranks:
    """This process among the others. A lost one ends the run of all: every method raises ClefError then."""

    def __init__(self, group: mx.distributed.Group) -> None:
        self._group = group
        self.rank, self.size = group.rank(), group.size()

    def share(self, parts: Sequence[bytes]) -> bytes:
        """Give every rank its part, which this rank gets in return. Only those of rank 0 count; others give none."""
        mine = np.zeros(self.size, dtype=np.int32)
        mine[: len(parts)] = [len(part) for part in parts]
        lengths = self._together(mx.distributed.all_sum, mine)
        if not lengths.sum():
            return b""
        # Where there are no parts, zeros are added to those of rank 0.
        text = np.frombuffer(b"".join(parts), dtype=np.uint8) if parts else np.zeros(lengths.sum(), dtype=np.uint8)
        whole = self._together(mx.distributed.all_sum, text)
        start = int(lengths[: self.rank].sum())
        return whole[start : start + int(lengths[self.rank])].tobytes()

    def gather(self, part: bytes) -> list[bytes]:
        """What every rank gives, in their order."""
        lengths = self._together(mx.distributed.all_gather, np.array([len(part)], dtype=np.int32))
        longest = int(lengths.max())
        padded = np.zeros((1, max(1, longest)), dtype=np.uint8)
        padded[0, : len(part)] = np.frombuffer(part, dtype=np.uint8)
        rows = self._together(mx.distributed.all_gather, padded)
        return [row[:length].tobytes() for row, length in zip(rows, lengths, strict=True)]

    def _together(self, exchange: Callable[..., mx.array], values: np.ndarray) -> np.ndarray:
        return _run(_exchanged, exchange, values, self._group)


def launched() -> bool:
    """Whether `mlx.launch` started this process."""
    return VARIABLE in os.environ


def join() -> Ranks:
    """Meet the other processes; returns when all are there. Raises ClefError."""
    return Ranks(join_group())


def join_group() -> mx.distributed.Group:
    """The same, for work that sums arrays over all of them."""
    return _run(mx.distributed.init)


def _exchanged(exchange: Callable[..., mx.array], values: np.ndarray, group: mx.distributed.Group) -> np.ndarray:
    result = exchange(mx.array(values), group=group)
    mx.eval(result)
    return np.array(result)


def _run(call: Callable[..., T], *args: object) -> T:
    try:
        return thread.run(call, *args)
    except RuntimeError as error:
        raise lost(error) from error


def lost(error: RuntimeError) -> ClefError:
    """What to say when MLX cannot reach another process."""
    return ClefError(f"mlx.launch: a process of this run was lost: {error}. Run the same again.")
