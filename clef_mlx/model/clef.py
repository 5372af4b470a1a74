"""The whole model: embedded tokens through the backbone, its memory and schema vectors through the head."""

from __future__ import annotations

from typing import NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from clef_mlx.config import ReleaseConfig
from clef_mlx.model.head import JointSchemaHead, SchemaVectors
from clef_mlx.model.positions import rotary_tables
from clef_mlx.model.spans import span_means
from clef_mlx.model.text import LayerState, TextModel
from clef_mlx.record import EncodedRecord, Span


class Seen(NamedTuple):
    """What the vision tower made of the pads of one chunk, in a batch [B, L] laid out flat."""

    places: np.ndarray  # [n] int32 of B * L
    rows: mx.array  # [n, D]


class ClefModel(nn.Module):
    """Backbone, output embedding (rows only, there is no vocabulary product) and joint schema head.

    Source: joint_schema_model.py `ClefModel`; transformers `Qwen3_5ForConditionalGeneration`.
    """

    def __init__(self, config: ReleaseConfig) -> None:
        super().__init__()
        self.config = config
        self.language_model = TextModel(config.text)
        self.lm_head = nn.Embedding(config.text.vocab_size, config.text.hidden_size)
        self.head = JointSchemaHead(config.head)
        self.activations: mx.Dtype | None = None  # set where training widens the head alone

    @property
    def dtype(self) -> mx.Dtype:
        """The dtype of activations: that of the head's memory projection, which is never quantized."""
        return self.activations or self.head.memory_projection.weight.dtype

    def prefill(
        self,
        input_ids: mx.array,
        position_ids: np.ndarray,
        states: list[LayerState],
        start: int,
        seen: Seen | None = None,
    ) -> tuple[mx.array, mx.array, list[LayerState]]:
        """Take one chunk in. input_ids [B, L]; position_ids [3, B or 1, L]; the chunk begins at token `start`.

        `seen` are rows of pictures that stand instead of their pads' embeddings.
        -> head-normed hidden states [B, L, D], memory rows [B, L, W], layer states after the chunk.
        """
        embedded = self.language_model.embed_tokens(input_ids).astype(self.dtype)
        if seen is not None:
            flat = embedded.reshape(-1, embedded.shape[-1])
            flat[mx.array(seen.places)] = seen.rows.astype(self.dtype)
            embedded = flat.reshape(embedded.shape)
        hidden, states = self.language_model(embedded, rotary_tables(position_ids, self.config.text), states, start)
        normed = self.head.hidden_norm(hidden)
        return normed, self.head.memory_projection(normed), states

    def schema_vectors(self, record: EncodedRecord, normed: mx.array, offset: int) -> SchemaVectors:
        """Collect what the head reads of a record from its normed rows [T - offset, D], which begin at `offset`."""
        options = [span for question in record.questions for span in question.option_spans]
        return SchemaVectors(
            questions=span_means(normed, [_shift(question.question_span, offset) for question in record.questions]),
            options=span_means(normed, [_shift(span, offset) for span in options]),
            lexical=self._lexical(record.input_ids, options),
            last=normed[len(record.input_ids) - 1 - offset],
            types=np.array([question.question_type for question in record.questions]),
            counts=np.array([len(question.option_spans) for question in record.questions]),
        )

    def _lexical(self, input_ids: tuple[int, ...], spans: list[Span]) -> mx.array:
        """Mean output-embedding row of each span's tokens [O, D] float32; a token's row is fetched once."""
        first = min(span.start for span in spans)
        last = max(span.end for span in spans)
        tokens, index = np.unique(np.array(input_ids[first:last]), return_inverse=True)
        rows = self.lm_head(mx.array(tokens))
        return span_means(rows[mx.array(index)], [_shift(span, first) for span in spans])


def _shift(span: Span, offset: int) -> tuple[int, int]:
    return span.start - offset, span.end - offset
