"""The joint schema head over padded batches: every shape is a capacity, and masks say what is real.

`head` works on exactly one record's questions and options, so its shapes change from record to record. Training wants
batches and an exported trace fixed shapes: here padding rows of memory and unused slots weigh nothing. Same modules,
same parameters, same numbers; plain products, differentiable unless `paths().elementwise` is "polynomial".

Axes: B records, T tokens, D hidden, W head width, Q question slots, O option slots of all questions together.
"""

from __future__ import annotations

from typing import NamedTuple

import mlx.core as mx
import mlx.nn as nn

from clef_mlx.model.elementwise import gelu, softmax
from clef_mlx.model.head import MASKED, MAX_LOGIT_SCALE, Attention, JointSchemaHead


class MaskedVectors(NamedTuple):
    """`SchemaVectors` of a batch. Unused slots may hold anything finite; each record uses at least one question."""

    questions: mx.array  # [B, Q, D] float32
    options: mx.array  # [B, O, D] float32
    lexical: mx.array  # [B, O, D] float32
    last: mx.array  # [B, D]
    types: mx.array  # [B, Q] int32 row of the type embedding
    owner: mx.array  # [B, O] int32 question of each option
    question_mask: mx.array  # [B, Q] bool
    option_mask: mx.array  # [B, O] bool


def masked_logits(head: JointSchemaHead, memory: mx.array, memory_mask: mx.array, vectors: MaskedVectors) -> mx.array:
    """memory [B, T, W] (projected), memory_mask [B, T] bool -> logits [B, O] float32, -1e30 in unused slots."""
    dtype = memory.dtype
    owned = vectors.owner[..., None] == mx.arange(vectors.types.shape[1])  # [B, O, Q]
    owned = mx.logical_and(owned, vectors.option_mask[..., None])
    pick = owned.astype(mx.float32)  # a product with it gives each option what is its question's, exactly
    readable = memory_mask[:, None, None]  # [B, heads, N, T]

    questions = vectors.questions.astype(dtype)
    options = (
        head.option_context_projection(vectors.options.astype(dtype))
        + head.option_lexical_projection(vectors.lexical.astype(dtype))
        + pick.astype(dtype) @ head.option_question_projection(questions)
    )
    for layer in head.evidence_layers:
        read = _attend(layer.attention, layer.query_norm(options), layer.memory_norm(memory), readable)
        options = options + read
        options = options + layer.feedforward[3](gelu(layer.feedforward[0](layer.feedforward_norm(options))))

    fields = head.question_projection(questions)
    fields = (
        fields
        + head.option_summary_norm(_summarize(fields, options, owned))
        + head.global_projection(vectors.last.astype(dtype))[:, None]
        + head.type_embedding(vectors.types)
    )
    asked = vectors.question_mask[:, None, None]  # [B, heads, N, Q]
    for layer in head.layers:
        normed = layer.norm1(fields)
        fields = fields + _attend(layer.self_attn, normed, normed, asked)
        fields = fields + _attend(layer.multihead_attn, layer.norm2(fields), memory, readable)
        fields = fields + layer.linear2(gelu(layer.linear1(layer.norm3(fields))))
    fields, options = head.field_norm(fields), head.option_norm(options)

    gate = mx.sigmoid(head.residual_gate.astype(mx.float32))
    logits = _prior(head, vectors, pick) + gate * _joint(head, fields, options, pick)
    return mx.where(vectors.option_mask, logits, MASKED)


def _attend(attention: Attention, queries: mx.array, memory: mx.array, visible: mx.array) -> mx.array:
    """queries [B, N, W] look at the `visible` [B, 1, 1, T] rows of memory [B, T, W] -> [B, N, W]."""
    weights = mx.split(attention.in_proj_weight, 3)
    biases = mx.split(attention.in_proj_bias, 3)
    q, k, v = (
        _heads(x @ weight.T + bias, attention.heads)
        for x, weight, bias in zip((queries, memory, memory), weights, biases, strict=True)
    )
    scores = mx.where(visible, (q @ k.swapaxes(-1, -2)).astype(mx.float32) * q.shape[-1] ** -0.5, MASKED)
    attended = softmax(scores).astype(v.dtype) @ v
    return attention.out_proj(attended.swapaxes(1, 2).reshape(queries.shape))


def _heads(x: mx.array, heads: int) -> mx.array:
    """[B, N, W] -> [B, heads, N, W / heads]."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def _summarize(fields: mx.array, options: mx.array, owned: mx.array) -> mx.array:
    """Each question's own options, weighted by how they fit it. fields [B, Q, W], options [B, O, W] -> [B, Q, W]."""
    scores = (fields @ options.swapaxes(-1, -2)).astype(mx.float32) * fields.shape[-1] ** -0.5
    weights = softmax(mx.where(owned.swapaxes(-1, -2), scores, MASKED))
    return weights.astype(options.dtype) @ options


def _prior(head: JointSchemaHead, vectors: MaskedVectors, pick: mx.array) -> mx.array:
    """How well each option's own words fit question and record, in the hidden width. -> [B, O] float32."""
    anchors = _normalize(vectors.questions + vectors.last.astype(mx.float32)[:, None])
    scale = mx.exp(mx.minimum(head.prior_logit_scale.astype(mx.float32), MAX_LOGIT_SCALE))
    return scale * (_normalize(vectors.lexical) * (pick @ anchors)).sum(axis=-1)


def _joint(head: JointSchemaHead, fields: mx.array, options: mx.array, pick: mx.array) -> mx.array:
    """Scaled cosine of field and option plus a learned residual. -> [B, O] float32."""
    mine = pick.astype(fields.dtype) @ fields
    pairs = mx.concatenate([mine, options, mine * options, mx.abs(mine - options)], axis=-1)
    scorer: list[nn.Module] = head.residual_scorer
    residual = scorer[3](gelu(scorer[0](pairs))).squeeze(-1).astype(mx.float32)
    cosine = (_normalize(mine.astype(mx.float32), 1e-8) * _normalize(options.astype(mx.float32), 1e-8)).sum(axis=-1)
    scale = mx.exp(mx.minimum(head.joint_logit_scale.astype(mx.float32), MAX_LOGIT_SCALE))
    return scale * cosine + residual


def _normalize(x: mx.array, floor: float = 1e-12) -> mx.array:
    """x / max(|x|, floor) over the last axis; the gradient of a slot of zeros is zero, where that of a norm is NaN."""
    return x * mx.rsqrt(mx.maximum((x * x).sum(axis=-1, keepdims=True), floor * floor))
