"""Encoded examples -> padded arrays of one step, cut by a token budget.

Shapes are rounded up, so that few of them occur: a compiled step is traced once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.record import EncodedRecord

LENGTH_STEP, QUESTION_STEP, OPTION_STEP = 32, 2, 8


class Example(NamedTuple):
    """A record and, per question in its order, the right distribution over its options or None."""

    record: EncodedRecord
    targets: tuple[tuple[float, ...] | None, ...]


class Batch(NamedTuple):
    """Axes: B records, T tokens, Q question slots, O option slots of all questions together."""

    input_ids: mx.array  # [B, T] int32
    token_mask: mx.array  # [B, T] bool
    pooling: mx.array  # [B, Q + O + 1, T] float32: question means, option means, the last real token
    types: mx.array  # [B, Q] int32
    owner: mx.array  # [B, O] int32 question of each option
    question_mask: mx.array  # [B, Q] bool
    option_mask: mx.array  # [B, O] bool
    targets: mx.array  # [B, Q, O] float32, zero rows where a question has no label
    levels: mx.array  # [B, Q, O] float32: 0 to 1 along a score's levels, zero elsewhere


def split(examples: Sequence[Example], tokens: int, ways: int = 1) -> list[list[list[Example]]]:
    """Cut a step's examples into batches of at most `tokens` padded tokens, and share them among `ways` processes.

    Examples of like length stand together. Each process gets about the same number of padded tokens.
    """
    ordered = sorted(examples, key=lambda example: -len(example.record.input_ids))
    # An even share is the most that one batch should hold, or some process has nothing to do.
    shared = sum(_rounded(len(example.record.input_ids), LENGTH_STEP) for example in ordered) // ways
    most = max(1, min(tokens, shared))
    batches: list[list[Example]] = []
    for example in ordered:
        width = _rounded(len(batches[-1][0].record.input_ids), LENGTH_STEP) if batches else 0
        if batches and width * (len(batches[-1]) + 1) <= most:
            batches[-1].append(example)
        else:
            batches.append([example])
    shares: list[list[list[Example]]] = [[] for _ in range(ways)]
    loads = [0] * ways
    for batch in sorted(batches, key=_padded_tokens, reverse=True):
        lightest = loads.index(min(loads))
        shares[lightest].append(batch)
        loads[lightest] += _padded_tokens(batch)
    return shares


def collate(examples: Sequence[Example], pad_token_id: int) -> Batch:
    """Lay examples out as padded arrays."""
    B = len(examples)
    T = _rounded(max(len(example.record.input_ids) for example in examples), LENGTH_STEP)
    Q = _rounded(max(len(example.record.questions) for example in examples), QUESTION_STEP)
    O = _rounded(max(_options(example) for example in examples), OPTION_STEP)  # noqa: E741 - the axis' name
    ids = np.full((B, T), pad_token_id, dtype=np.int32)
    token_mask, question_mask, option_mask = (np.zeros((B, n), dtype=bool) for n in (T, Q, O))
    pooling = np.zeros((B, Q + O + 1, T), dtype=np.float32)
    types, owner = np.zeros((B, Q), dtype=np.int32), np.zeros((B, O), dtype=np.int32)
    targets, levels = np.zeros((B, Q, O), dtype=np.float32), np.zeros((B, Q, O), dtype=np.float32)
    for row, (record, wanted) in enumerate(examples):
        length = len(record.input_ids)
        ids[row, :length] = record.input_ids
        token_mask[row, :length] = True
        pooling[row, Q + O, length - 1] = 1.0
        slot = 0
        for index, (question, target) in enumerate(zip(record.questions, wanted, strict=True)):
            types[row, index] = question.question_type
            question_mask[row, index] = True
            _mean(pooling[row, index], question.question_span)
            end = slot + len(question.option_spans)
            owner[row, slot:end] = index
            option_mask[row, slot:end] = True
            for place, span in enumerate(question.option_spans, start=slot):
                _mean(pooling[row, Q + place], span)
            if target is not None:
                targets[row, index, slot:end] = target
            if question.question_type == 2:
                levels[row, index, slot:end] = np.linspace(0.0, 1.0, end - slot)
            slot = end
    parts = (ids, token_mask, pooling, types, owner, question_mask, option_mask, targets, levels)
    return Batch(*(mx.array(part) for part in parts))


def _mean(row: np.ndarray, span: tuple[int, int]) -> None:
    row[span[0] : span[1]] = 1.0 / (span[1] - span[0])


def _options(example: Example) -> int:
    return sum(len(question.option_spans) for question in example.record.questions)


def _padded_tokens(batch: list[Example]) -> int:
    return len(batch) * _rounded(len(batch[0].record.input_ids), LENGTH_STEP)


def _rounded(count: int, step: int) -> int:
    return -(-count // step) * step
