"""Many records through a model layer by layer, also as it would be with some of its matrices quantized.

A layer is needed once for all records, so the weights may come and go: `PartedRelease` holds what memory allows. A
variant of the model is a choice of modules to quantize; up to its first changed layer it shares the plain model's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from clef_mlx.engine.batching import bucketed
from clef_mlx.engine.forward import chunk_tokens, padded, per_question
from clef_mlx.engine.prefill import even_cuts
from clef_mlx.engine.thread import stop_if_abandoned
from clef_mlx.model.positions import rotary_tables, text_positions
from clef_mlx.record import EncodedRecord
from clef_mlx.weights.parted import PartedRelease
from clef_mlx.weights.quantize import Quantization
from clef_mlx.weights.rounding import round_trip

BATCH_TOKENS = 4096  # padded tokens that pass a layer together
EMBEDDING = "language_model.embed_tokens"

Variant = Mapping[str, Quantization]
Logits = list[list[np.ndarray]]  # of each record, of each question, over its options


class _Batch(NamedTuple):
    indices: list[int]
    records: list[EncodedRecord]
    input_ids: np.ndarray  # [B, L]


def layered_logits(
    release: PartedRelease,
    records: Sequence[EncodedRecord],
    pad_token_id: int,
    variants: Sequence[Variant] = ({},),
    progress: Callable[[int, int], None] | None = None,
) -> list[Logits]:
    """Logits of every record under every variant (module name -> how it is quantized), float32.

    Text records only. Holds a hidden state per token, variant and no more than one layer's weights where memory is
    short. `progress` is called with layers done and layers in all.
    """
    batches = _batches(records, pad_token_id)
    model = release.model
    layers = len(model.language_model.layers)
    plain, forked = _embedded(release, batches, variants)
    for index in range(layers):
        name = f"language_model.layers.{index}"
        with release.part(name):
            for number, variant in enumerate(variants):
                changes = {module: q for module, q in variant.items() if module.startswith(f"{name}.")}
                if changes or number in forked:
                    with _quantized(model, changes):
                        forked[number] = _through(model, index, forked.get(number, plain))
            plain = _through(model, index, plain)
        if progress is not None:
            progress(index + 1, layers)
    return _heads(release, batches, variants, plain, forked)


def hidden_bytes(release: PartedRelease, records: Sequence[EncodedRecord]) -> int:
    """What one variant's hidden states take."""
    tokens = sum(batch.input_ids.size for batch in _batches(records, 0))
    return tokens * release.config.text.hidden_size * release.dtype.size


def _batches(records: Sequence[EncodedRecord], pad_token_id: int) -> list[_Batch]:
    groups = bucketed([len(record.input_ids) for record in records], BATCH_TOKENS)
    members = [[records[index] for index in group] for group in groups]
    return [
        _Batch(group, mine, padded(mine, 0, len(mine[0].input_ids), pad_token_id))
        for group, mine in zip(groups, members, strict=True)
    ]


def _embedded(
    release: PartedRelease, batches: list[_Batch], variants: Sequence[Variant]
) -> tuple[list[mx.array], dict[int, list[mx.array]]]:
    """The layers' input [B, L, D] of every batch, and that of the variants whose embedding is quantized."""
    with release.part(EMBEDDING):
        table = release.model.language_model.embed_tokens
        plain = [table(mx.array(batch.input_ids)).astype(release.dtype) for batch in batches]
        forked = {
            number: [round_trip(rows, variant[EMBEDDING]) for rows in plain]
            for number, variant in enumerate(variants)
            if EMBEDDING in variant
        }
        mx.eval(plain, forked)
    return plain, forked


def _through(model: nn.Module, index: int, hidden: list[mx.array]) -> list[mx.array]:
    """Every batch through one layer, chunk by chunk as in a prefill."""
    text = model.language_model
    out = []
    for x in hidden:
        batch, length, _ = x.shape
        state, begin, chunks = text.empty_states(batch, length, x.dtype)[index], 0, []
        for end in even_cuts(0, length, chunk_tokens(batch)):
            stop_if_abandoned()
            rotary = rotary_tables(text_positions(begin, end)[:, None], model.config.text)
            chunk, state = text.layers[index](x[:, begin:end], rotary, state, begin)
            mx.eval(chunk, state)
            chunks.append(chunk)
            begin = end
        out.append(chunks[0] if len(chunks) == 1 else mx.concatenate(chunks, axis=1))
        mx.eval(out[-1])
    return out


def _heads(
    release: PartedRelease,
    batches: list[_Batch],
    variants: Sequence[Variant],
    plain: list[mx.array],
    forked: Mapping[int, list[mx.array]],
) -> list[Logits]:
    results: list[Logits] = []
    with release.part("language_model.norm"), release.part("lm_head"), release.part("head"):
        for number, variant in enumerate(variants):
            table = release.model.lm_head
            if (q := variant.get(EMBEDDING if release.tied else "lm_head")) is not None:
                release.model.lm_head = _RoundedRows(table, q, release.dtype)
            try:
                results.append(_decided(release.model, batches, forked.get(number, plain)))
            finally:
                release.model.lm_head = table
    return results


def _decided(model: nn.Module, batches: list[_Batch], hidden: list[mx.array]) -> Logits:
    """Final norm and head, as `ClefModel.prefill` and `batch_logits` have them."""
    logits: dict[int, list[np.ndarray]] = {}
    for batch, x in zip(batches, hidden, strict=True):
        normed = model.head.hidden_norm(model.language_model.norm(x))
        memory = model.head.memory_projection(normed)
        for row, (index, record) in enumerate(zip(batch.indices, batch.records, strict=True)):
            stop_if_abandoned()
            vectors = model.schema_vectors(record, normed[row], 0)
            made = per_question(model.head(memory[row, : len(record.input_ids)], vectors), record)
            mx.eval(made)
            logits[index] = [np.array(question) for question in made]
    return [logits[index] for index in range(len(logits))]


class _RoundedRows(nn.Module):
    """A table whose rows are quantized when they are read: few of them are."""

    def __init__(self, table: nn.Module, q: Quantization, dtype: mx.Dtype) -> None:
        super().__init__()
        self.table = table
        self._q, self._dtype = q, dtype

    def __call__(self, tokens: mx.array) -> mx.array:
        return round_trip(self.table(tokens).astype(self._dtype), self._q)


@contextmanager
def _quantized(model: nn.Module, changes: Variant) -> Iterator[None]:
    """The model with some matrices rounded; they are put back afterwards."""
    modules = {name: _module(model, name) for name in changes}
    held = {name: module.weight for name, module in modules.items()}
    try:
        for name, module in modules.items():
            module.weight = round_trip(module.weight, changes[name])
        mx.eval([module.weight for module in modules.values()])
        yield
    finally:
        for name, module in modules.items():
            module.weight = held[name]


def _module(model: nn.Module, name: str) -> nn.Module:
    module = model
    for step in name.split("."):
        module = module[int(step)] if step.isdigit() else module[step]
    return module
