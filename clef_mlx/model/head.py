"""The joint schema head: spans and hidden states -> one logit per allowed option.

Every option of every question reads the whole record (evidence routing), a question summarizes its options, all
questions are decided together, and each option is scored against its question. Vectorized over both.

Axes: T tokens, D hidden, W head width, Q questions, O options of all questions together.
Source: joint_schema_model.py `JointSchemaHead`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from clef_mlx.config import HeadConfig
from clef_mlx.model.elementwise import gelu, softmax

MAX_LOGIT_SCALE = math.log(100.0)  # joint_schema_model.py caps both scales
LAYER_NORM_EPS = 1e-5
MASKED = -1e30


class SchemaVectors(NamedTuple):
    """What the head reads of one record besides its memory; all from `hidden_norm`-ed rows except `lexical`."""

    questions: mx.array  # [Q, D] mean over each question span, float32
    options: mx.array  # [O, D] mean over each option span, float32
    lexical: mx.array  # [O, D] mean of the output-embedding rows of each option's tokens, float32
    last: mx.array  # [D] the record's last real row
    types: np.ndarray  # [Q] row of the type embedding
    counts: np.ndarray  # [Q] options of each question, in order


class Attention(nn.Module):
    """torch's MultiheadAttention, unmasked. `in_proj` rows are q | k | v."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = mx.zeros((3 * width, width))
        self.in_proj_bias = mx.zeros((3 * width,))
        self.out_proj = nn.Linear(width, width)

    def _projections(self) -> tuple[list[mx.array], list[mx.array]]:
        return mx.split(self.in_proj_weight, 3), mx.split(self.in_proj_bias, 3)

    def _split(self, x: mx.array) -> mx.array:
        return x.reshape(x.shape[0], self.heads, -1).swapaxes(0, 1)  # [heads, N, W / heads]

    def __call__(self, queries: mx.array, memory: mx.array, norm: nn.LayerNorm | None = None) -> mx.array:
        """queries [N, W] look at memory [T, W], `norm`-ed first where given -> [N, W]."""
        N, W = queries.shape
        # Few queries are cheaper to bring to the memory than the memory to the queries.
        if self.heads * N < W:
            attended = self._fold(queries, memory, norm)
        else:
            attended = self._project(queries, memory if norm is None else norm(memory))
        return self.out_proj(attended.astype(queries.dtype))

    def _project(self, queries: mx.array, memory: mx.array) -> mx.array:
        (wq, wk, wv), (bq, bk, bv) = self._projections()
        q, k, v = (self._split(x @ w.T + b) for x, w, b in ((queries, wq, bq), (memory, wk, bk), (memory, wv, bv)))
        weights = softmax(q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5)
        return (weights.astype(v.dtype) @ v).swapaxes(0, 1).reshape(queries.shape)

    def _fold(self, queries: mx.array, memory: mx.array, norm: nn.LayerNorm | None) -> mx.array:
        """The same, with W_k, W_v and the norm's gain and bias moved to the query side.

        (q W_k + q.b_k) . m shifts all scores of a query alike, so b_k and the norm's bias cancel in the softmax; the
        weights sum to one, so b_v and W_v bias are added once, after the sum over memory.
        """
        (wq, wk, wv), (bq, _, bv) = self._projections()
        N, W = queries.shape
        wk, wv = (w.reshape(self.heads, -1, W) for w in (wk, wv))  # [heads, W / heads, W]
        q = self._split(queries @ wq.T + bq) * (W // self.heads) ** -0.5
        folded = q @ wk  # [heads, N, W]
        rows = memory
        if norm is not None:
            folded = folded * norm.weight
            rows = mx.fast.layer_norm(memory, None, None, norm.eps)
        weights = softmax(folded.reshape(-1, W) @ rows.T).astype(rows.dtype)
        seen = (weights @ rows).reshape(self.heads, N, W)
        if norm is not None:
            seen = seen * norm.weight + norm.bias
        return (seen @ wv.swapaxes(-1, -2)).swapaxes(0, 1).reshape(N, W) + bv


def _feed_forward(width: int, inner: int) -> list[nn.Module]:
    # Positions as in torch's Sequential (linear, GELU, dropout, linear), so that checkpoint keys match.
    return [nn.Linear(width, inner), nn.Identity(), nn.Identity(), nn.Linear(inner, width)]


class EvidenceRoutingLayer(nn.Module):
    """Let every option read the whole record. Source: joint_schema_model.py `EvidenceRoutingLayer`."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.query_norm = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
        self.memory_norm = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
        self.attention = Attention(config.width, config.heads)
        self.feedforward_norm = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
        self.feedforward = _feed_forward(config.width, config.feedforward)

    def __call__(self, options: mx.array, memory: mx.array) -> mx.array:
        """options [O, W], memory [T, W] -> [O, W]."""
        options = options + self.attention(self.query_norm(options), memory, self.memory_norm)
        return options + self.feedforward[3](gelu(self.feedforward[0](self.feedforward_norm(options))))


class JointDecoderLayer(nn.Module):
    """Pre-norm decoder layer over fields. Source: torch `TransformerDecoderLayer(norm_first=True)`."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config.width, config.heads)
        self.multihead_attn = Attention(config.width, config.heads)
        self.linear1 = nn.Linear(config.width, config.feedforward)
        self.linear2 = nn.Linear(config.feedforward, config.width)
        self.norm1 = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
        self.norm2 = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)
        self.norm3 = nn.LayerNorm(config.width, eps=LAYER_NORM_EPS)

    def __call__(self, fields: mx.array, memory: mx.array) -> mx.array:
        """fields [Q, W], memory [T, W] -> [Q, W]; no mask among fields."""
        normed = self.norm1(fields)
        fields = fields + self.self_attn(normed, normed)
        fields = fields + self.multihead_attn(self.norm2(fields), memory)
        return fields + self.linear2(gelu(self.linear1(self.norm3(fields))))


class JointSchemaHead(nn.Module):
    """Reads a record's memory and schema vectors, writes its logits. Source: joint_schema_model.py."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        D, W = config.hidden_size, config.width
        self.hidden_norm = nn.LayerNorm(D, eps=LAYER_NORM_EPS)
        self.memory_projection = nn.Linear(D, W, bias=False)
        self.question_projection = nn.Linear(D, W, bias=False)
        self.option_question_projection = nn.Linear(D, W, bias=False)
        self.global_projection = nn.Linear(D, W, bias=False)
        self.option_context_projection = nn.Linear(D, W, bias=False)
        self.option_lexical_projection = nn.Linear(D, W, bias=False)
        self.type_embedding = nn.Embedding(3, W)
        self.evidence_layers = [EvidenceRoutingLayer(config) for _ in range(config.routing_layers)]
        self.option_summary_norm = nn.LayerNorm(W, eps=LAYER_NORM_EPS)
        self.layers = [JointDecoderLayer(config) for _ in range(config.layers)]
        self.field_norm = nn.LayerNorm(W, eps=LAYER_NORM_EPS)
        self.option_norm = nn.LayerNorm(W, eps=LAYER_NORM_EPS)
        self.residual_scorer = [nn.Linear(4 * W, W), nn.Identity(), nn.Identity(), nn.Linear(W, 1)]
        self.prior_logit_scale = mx.zeros(())
        self.joint_logit_scale = mx.zeros(())
        self.residual_gate = mx.zeros(())

    def __call__(self, memory: mx.array, vectors: SchemaVectors) -> mx.array:
        """memory [T, W] (projected, of exactly the record's real positions) -> logits [O] float32."""
        dtype = memory.dtype
        owner = mx.array(np.repeat(np.arange(len(vectors.counts)), vectors.counts))  # [O] question of each option
        questions = vectors.questions.astype(dtype)
        options = (
            self.option_context_projection(vectors.options.astype(dtype))
            + self.option_lexical_projection(vectors.lexical.astype(dtype))
            + self.option_question_projection(questions)[owner]
        )
        for layer in self.evidence_layers:
            options = layer(options, memory)

        fields = self.question_projection(questions)
        fields = (
            fields
            + self.option_summary_norm(_summarize(fields, options, vectors.counts))
            + self.global_projection(vectors.last.astype(dtype))
            + self.type_embedding(mx.array(vectors.types))
        )
        for layer in self.layers:
            fields = layer(fields, memory)
        fields, options = self.field_norm(fields), self.option_norm(options)

        prior = self._prior(vectors, owner)
        joint = self._joint(fields, options, owner)
        return prior + mx.sigmoid(self.residual_gate.astype(mx.float32)) * joint

    def _prior(self, vectors: SchemaVectors, owner: mx.array) -> mx.array:
        """How well each option's own words fit question and record, in the hidden width. -> [O] float32."""
        anchors = _normalize(vectors.questions + vectors.last.astype(mx.float32))
        scale = mx.exp(mx.minimum(self.prior_logit_scale.astype(mx.float32), MAX_LOGIT_SCALE))
        return scale * (_normalize(vectors.lexical) * anchors[owner]).sum(axis=-1)

    def _joint(self, fields: mx.array, options: mx.array, owner: mx.array) -> mx.array:
        """Scaled cosine of field and option plus a learned residual. -> [O] float32."""
        # The scorer's input is [field, option, product, distance]; its four column blocks are applied separately.
        blocks = mx.split(self.residual_scorer[0].weight, 4, axis=1)
        mine = fields[owner]
        hidden = (
            (fields @ blocks[0].T + self.residual_scorer[0].bias)[owner]
            + options @ blocks[1].T
            + (mine * options) @ blocks[2].T
            + mx.abs(mine - options) @ blocks[3].T
        )
        residual = self.residual_scorer[3](gelu(hidden)).squeeze(-1).astype(mx.float32)
        mine, options = mine.astype(mx.float32), options.astype(mx.float32)
        # torch's cosine_similarity floors each norm at 1e-8.
        cosine = (_normalize(mine, 1e-8) * _normalize(options, 1e-8)).sum(axis=-1)
        scale = mx.exp(mx.minimum(self.joint_logit_scale.astype(mx.float32), MAX_LOGIT_SCALE))
        return scale * cosine + residual


def _normalize(x: mx.array, floor: float = 1e-12) -> mx.array:
    """x / max(|x|, floor) over the last axis. Source: torch.nn.functional.normalize."""
    return x / mx.maximum(mx.linalg.norm(x, axis=-1, keepdims=True), floor)


def _summarize(fields: mx.array, options: mx.array, counts: np.ndarray) -> mx.array:
    """Each question's options, weighted by how they fit it. fields [Q, W], options [O, W] -> [Q, W]."""
    Q, most = len(counts), int(counts.max())
    first = np.cumsum(counts) - counts
    slots = np.arange(most)
    real = slots < counts[:, None]  # [Q, most]
    index = mx.array(np.where(real, first[:, None] + slots, 0))
    padded = options[index]  # [Q, most, W]
    scores = (padded @ fields[:, :, None]).squeeze(-1).astype(mx.float32) * fields.shape[-1] ** -0.5
    weights = softmax(mx.where(mx.array(real), scores, MASKED)).astype(options.dtype)
    return (weights[:, None, :] @ padded).reshape(Q, -1)
