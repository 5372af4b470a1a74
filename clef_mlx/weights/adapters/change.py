"""What one adapter does to one parameter: the stored pieces, and the arithmetic on them.

Everything works on a block of rows and in float32, so a large table never has to be in memory as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import CONV, ZERO_CENTRED_NORM


class Stored(NamedTuple):
    """Rows [start, stop) of a stored array, turned first where its writer keeps it transposed."""

    tensor: TensorHeader
    start: int
    stop: int
    turned: bool = False

    def rows(self, start: int = 0, stop: int | None = None) -> mx.array:
        """Rows counted from this piece's first one, float32, read when evaluated."""
        value = mx.load(str(self.tensor.file))[self.tensor.name]
        first, last = self.start + start, self.stop if stop is None else self.start + stop
        return (value.T if self.turned else value)[first:last].astype(mx.float32)


class LowRank(NamedTuple):
    """scale B A on `rows` rows of a parameter, from `first_row` on; DoRA also gives those rows their lengths."""

    a: Stored  # [r, in]
    b: Stored  # [rows, r]
    scale: float
    first_row: int
    magnitude: Stored | None = None  # [rows]

    @property
    def end_row(self) -> int:
        return self.first_row + self.b.stop - self.b.start

    def shared(self, start: int, stop: int) -> tuple[int, int]:
        """The rows of [start, stop) that this pair changes, as they are counted in the parameter."""
        return max(start, self.first_row), min(stop, self.end_row)

    def delta(self, start: int, stop: int) -> mx.array:
        """Rows [start, stop) of the parameter, all of them changed: scale B A."""
        return self.scale * (self.b.rows(start - self.first_row, stop - self.first_row) @ self.a.rows())

    def lengthening(self, changed: mx.array, start: int, stop: int) -> mx.array:
        """DoRA: what W + scale B A is multiplied with to have the trained lengths, [rows, 1]."""
        wanted = self.magnitude.rows(start - self.first_row, stop - self.first_row)[:, None]
        return wanted / mx.linalg.norm(changed, axis=1, keepdims=True)


class Saved(NamedTuple):
    """A parameter trained and stored whole, oriented as in the release (`released`) or as in MLX."""

    tensor: TensorHeader
    name: str
    released: bool

    def rows(self, start: int, stop: int) -> mx.array:
        value = mx.load(str(self.tensor.file))[self.tensor.name][start:stop].astype(mx.float32)
        if self.released and ZERO_CENTRED_NORM.fullmatch(self.name):
            return value + 1.0
        return value.swapaxes(1, 2) if self.released and CONV.fullmatch(self.name) else value


class Change(NamedTuple):
    """An adapter's whole effect on one parameter."""

    low_rank: tuple[LowRank, ...] = ()
    saved: Saved | None = None

    @property
    def tensors(self) -> list[TensorHeader]:
        pieces = [piece for pair in self.low_rank for piece in (pair.a, pair.b, pair.magnitude) if piece is not None]
        return [piece.tensor for piece in pieces] + ([self.saved.tensor] if self.saved else [])

    def apply(self, weight: mx.array, first_row: int) -> mx.array:
        """Rows of the parameter, float32, the first of them number `first_row` -> the rows this adapter alone gives."""
        stop = first_row + weight.shape[0]
        value = weight if self.saved is None else self.saved.rows(first_row, stop)
        for pair in self.low_rank:
            start, end = pair.shared(first_row, stop)
            if start >= end:
                continue
            own = slice(start - first_row, end - first_row)
            changed = value[own] + pair.delta(start, end)
            if pair.magnitude is not None:
                changed = changed * pair.lengthening(changed, start, end)
            value = mx.concatenate([value[: own.start], changed, value[own.stop :]])
        return value
