"""A padded batch through backbone and head, differentiable in every parameter.

Padding stands on the right, where a causal backbone does not see it; the head masks its memory and unused slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn

from clef_mlx.model.clef import ClefModel
from clef_mlx.model.masked_head import MaskedVectors, masked_logits
from clef_mlx.model.paths import override_paths
from clef_mlx.model.positions import rotary_tables, text_positions
from clef_mlx.train.batches import Batch


@contextmanager
def differentiable() -> Iterator[None]:
    """Run the forms of each kernel that have gradients."""
    with override_paths(delta="chunkwise", fuse=False, trained=True):
        yield


def batch_logits(model: ClefModel, batch: Batch, *, checkpoint: bool = False) -> mx.array:
    """Logits [B, O] float32. `checkpoint` computes each layer again in the backward pass instead of keeping it."""
    hidden = backbone(model, batch.input_ids, checkpoint)
    # A head that is trained is float32 whatever the backbone is.
    normed = model.head.hidden_norm(hidden.astype(model.head.memory_projection.weight.dtype))
    Q, O = batch.types.shape[1], batch.owner.shape[1]  # noqa: E741 - the axis' name
    pooled = batch.pooling @ normed.astype(mx.float32)  # [B, Q + O + 1, D]
    rows = _output_rows(model)(batch.input_ids).astype(mx.float32)
    vectors = MaskedVectors(
        questions=pooled[:, :Q],
        options=pooled[:, Q : Q + O],
        lexical=batch.pooling[:, Q : Q + O] @ rows,
        last=pooled[:, Q + O],
        types=batch.types,
        owner=batch.owner,
        question_mask=batch.question_mask,
        option_mask=batch.option_mask,
    )
    return masked_logits(model.head, model.head.memory_projection(normed), batch.token_mask, vectors)


def _output_rows(model: ClefModel) -> nn.Embedding:
    """Where input and output rows are one matrix, loading holds it twice; only the one returned is trained."""
    return model.language_model.embed_tokens if model.config.text.tie_word_embeddings else model.lm_head


def backbone(model: ClefModel, input_ids: mx.array, checkpoint: bool = False) -> mx.array:
    """Final-norm hidden states [B, T, D] of ids [B, T]."""
    text = model.language_model
    B, T = input_ids.shape
    x = text.embed_tokens(input_ids).astype(model.dtype)
    rotary = rotary_tables(text_positions(0, T)[:, None], model.config.text)
    for layer, state in zip(text.layers, text.empty_states(B, T, model.dtype), strict=True):
        run = nn.utils.checkpoint(layer) if checkpoint else layer
        x = run(x, rotary, state, 0)[0]
    return text.norm(x)
