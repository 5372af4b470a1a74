"""Encoded records -> logits: right-padded batches, from their first token or from a prefix they share.

Padding stands on the right and is not masked: in a causal model no real token sees it. Only the head looks at whole
records, and it is given exactly the real rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

import mlx.core as mx
import numpy as np

from clef_mlx.engine.prefill import even_cuts, prefill
from clef_mlx.engine.prefix import Checkpoint, Prefix
from clef_mlx.engine.thread import stop_if_abandoned
from clef_mlx.engine.view import Tower, view_of
from clef_mlx.model.clef import ClefModel
from clef_mlx.model.paths import paths
from clef_mlx.record import EncodedRecord

LEAST_CHUNK = 64  # tokens of a row that are worth a step: the delta rule solves as many together


def batch_logits(
    model: ClefModel,
    records: Sequence[EncodedRecord],
    pad_token_id: int,
    prefix: Prefix | None = None,
    tower: Tower | None = None,
) -> list[list[mx.array]]:
    """Logits of every question of every record, float32, evaluated; the options in the record's order.

    All records must begin with the tokens of `prefix`, which are not taken in again. Records with media need `tower`.
    """
    start = 0 if prefix is None else prefix.position
    batch, length = len(records), max(len(record.input_ids) for record in records)
    done = prefill(
        model,
        padded(records, start, length, pad_token_id),
        model.language_model.empty_states(batch, length, model.dtype)
        if prefix is None
        else prefix.spread(batch, length - start),
        even_cuts(start, length, chunk_tokens(batch)),
        start=start,
        first_row=min(record.questions[0].question_span.start for record in records),
        view=view_of(records, tower),
    )
    results = []
    for row, record in enumerate(records):
        stop_if_abandoned()
        vectors = model.schema_vectors(record, done.tail[row], done.tail_start)
        memory = done.memory[row, : len(record.input_ids) - start]
        if prefix is not None:
            memory = mx.concatenate([prefix.memory[:start], memory])
        logits = per_question(model.head(memory, vectors), record)
        # Evaluated to the last view: a lazy array could not be read from another thread.
        mx.eval(logits)
        results.append(logits)
    return results


def state_prefix(
    model: ClefModel,
    record: EncodedRecord,
    known: Prefix | None,
    keep_at: Collection[int],
    tower: Tower | None = None,
) -> tuple[Prefix, list[Checkpoint]]:
    """Take a record in up to its state's end, from what is known of it. -> that prefix, and checkpoints at `keep_at`.

    Its buffers hold exactly these tokens, so that it can be kept as it is.
    """
    start, end = 0 if known is None else known.position, record.state_span.end
    done = prefill(
        model,
        np.array([record.input_ids[start:end]], dtype=np.int32),
        model.language_model.empty_states(1, end, model.dtype) if known is None else known.grow(end),
        [cut for cut in _state_cuts(end, keep_at) if cut > start],
        start=start,
        first_row=end,
        keep_at=keep_at,
        view=view_of([record], tower),
    )
    memory = done.memory[0]
    if known is not None:
        memory = mx.concatenate([known.memory[:start], memory])
        mx.eval(memory)
    return Prefix(end, done.states, memory), done.checkpoints


def _state_cuts(end: int, keep_at: Collection[int]) -> list[int]:
    """Ends of the chunks up to a state's end and at `keep_at`: the same ones, whatever is known of the record."""
    marks = sorted({0, *keep_at, end})
    return [cut for a, b in pairwise(marks) for cut in even_cuts(a, b, chunk_tokens(1))]


def chunk_tokens(batch: int) -> int:
    """Tokens of a row in one step; a batch takes as many in all as one row would."""
    return max(LEAST_CHUNK, paths().prefill_tokens // batch)


def padded(records: Sequence[EncodedRecord], start: int, length: int, pad_token_id: int) -> np.ndarray:
    """[B, length - start] int32, the pad id after each record's end."""
    padded = np.full((len(records), length - start), pad_token_id, dtype=np.int32)
    for row, record in zip(padded, records, strict=True):
        row[: len(record.input_ids) - start] = record.input_ids[start:]
    return padded


def per_question(logits: mx.array, record: EncodedRecord) -> list[mx.array]:
    """Cut logits [O] of all options of a record into its questions'."""
    ends = np.cumsum([len(question.option_ids) for question in record.questions])
    return mx.split(logits, ends[:-1].tolist())
