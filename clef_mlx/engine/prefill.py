"""Tokens into the backbone, chunk by chunk: the one loop that evaluates it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import mlx.core as mx
import numpy as np

from clef_mlx.engine.prefix import Checkpoint
from clef_mlx.engine.thread import stop_if_abandoned
from clef_mlx.engine.view import View
from clef_mlx.model.clef import ClefModel
from clef_mlx.model.positions import text_positions
from clef_mlx.model.text import LayerState

SMALL_REST = 4  # less than this part of a chunk is not worth a step of its own, which reads all weights again


class Prefilled(NamedTuple):
    """What is left of the chunks taken in: evaluated arrays."""

    states: list[LayerState]
    memory: mx.array  # [B, L, W]
    tail: mx.array | None  # [B, T - tail_start, D] head-normed rows, None where none were asked for
    tail_start: int
    checkpoints: list[Checkpoint]


def prefill(
    model: ClefModel,
    input_ids: np.ndarray,
    states: list[LayerState],
    cuts: Sequence[int],
    *,
    start: int = 0,
    first_row: int,
    keep_at: Collection[int] = (),
    view: View | None = None,
) -> Prefilled:
    """Take in input_ids [B, L], the tokens from `start` on, in chunks that end at `cuts`.

    Cuts count from the record's first token; the last is the end. Hidden rows before `first_row` are needed by nothing
    but the memory projection, and are dropped with their chunk. The caller must hold no reference to `states`, or
    their buffers are copied instead of written. `view` has the positions and rows of records with media.
    """
    memory, tail, checkpoints = [], [], []
    begin, tail_start = start, cuts[-1]
    for end in cuts:
        stop_if_abandoned()
        positions = text_positions(begin, end)[:, None] if view is None else view.positions(begin, end)
        chunk = mx.array(input_ids[:, begin - start : end - start])
        seen = None if view is None else view.seen(begin, end)
        normed, rows, states = model.prefill(chunk, positions, states, begin, seen)
        memory.append(rows)
        if end > first_row:
            tail.append(normed)
            tail_start = min(tail_start, begin)
        mx.eval(states, rows, normed if end > first_row else [])
        if end in keep_at:
            checkpoints.append(Checkpoint.of(end, states))
        begin = end
    return Prefilled(states, _joined(memory), _joined(tail) if tail else None, tail_start, checkpoints)


def even_cuts(start: int, end: int, step: int) -> list[int]:
    """Ends of chunks of `step` tokens from `start` to `end`; a small rest joins the chunk before it."""
    return [*range(start + step, end - max(1, step // SMALL_REST) + 1, step), end]


def _joined(chunks: list[mx.array]) -> mx.array:
    joined = mx.concatenate(chunks, axis=1)
    mx.eval(joined)
    return joined
