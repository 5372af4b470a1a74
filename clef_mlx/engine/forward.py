"""Encoded records -> logits: right-padded batches, prefilled in chunks, the head record by record.

Padding stands on the right and is not masked: in a causal model no real token sees it. Only the head looks at whole
records, and it is given exactly the real rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import numpy as np

from clef_mlx.model.clef import ClefModel
from clef_mlx.model.paths import paths
from clef_mlx.model.positions import text_positions
from clef_mlx.record import EncodedRecord


def batch_logits(model: ClefModel, records: Sequence[EncodedRecord], pad_token_id: int) -> list[list[mx.array]]:
    """Logits of every question of every record, float32, evaluated; the options in the record's order."""
    input_ids = _padded(records, pad_token_id)
    first_span = min(record.questions[0].question_span.start for record in records)
    memory, tail, tail_start = _prefill(model, input_ids, first_span)
    results = []
    for row, record in enumerate(records):
        vectors = model.schema_vectors(record, tail[row], tail_start)
        logits = _per_question(model.head(memory[row, : len(record.input_ids)], vectors), record)
        # Evaluated to the last view: a lazy array could not be read from another thread.
        mx.eval(logits)
        results.append(logits)
    return results


def _padded(records: Sequence[EncodedRecord], pad_token_id: int) -> np.ndarray:
    """[B, L] int32, the pad id after each record's end."""
    padded = np.full((len(records), max(len(record.input_ids) for record in records)), pad_token_id, dtype=np.int32)
    for row, record in zip(padded, records, strict=True):
        row[: len(record.input_ids)] = record.input_ids
    return padded


def _prefill(model: ClefModel, input_ids: np.ndarray, first_span: int) -> tuple[mx.array, mx.array, int]:
    """Take a batch in chunk by chunk. -> memory [B, L, W], normed rows [B, L - s, D] and the s they begin at.

    Hidden rows before the schema are needed by nothing but the memory projection, and are dropped with their chunk.
    """
    batch, length = input_ids.shape
    step = paths().prefill_tokens
    states = model.language_model.empty_states(batch, length, model.dtype)
    memory, tail = [], []
    for start in range(0, length, step):
        end = min(start + step, length)
        positions = text_positions(start, end)[:, None]
        normed, rows, states = model.prefill(mx.array(input_ids[:, start:end]), positions, states, start)
        memory.append(rows)
        if end > first_span:
            tail.append(normed)
        mx.eval(states, rows, normed if end > first_span else [])
    return mx.concatenate(memory, axis=1), mx.concatenate(tail, axis=1), first_span // step * step


def _per_question(logits: mx.array, record: EncodedRecord) -> list[mx.array]:
    ends = np.cumsum([len(question.option_ids) for question in record.questions])
    return mx.split(logits, ends[:-1].tolist())
