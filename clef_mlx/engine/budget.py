"""How much memory a decision may take: its need is known before it starts, and refused with the length that fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mlx.core as mx

from clef_mlx.engine.forward import chunk_tokens
from clef_mlx.engine.prefill import SMALL_REST
from clef_mlx.errors import MemoryBudgetError
from clef_mlx.record import EncodedRecord
from clef_mlx.weights.footprint import Footprint
from clef_mlx.weights.memory import available_bytes, on_gpu

KEPT_SHARE = 0.25  # of what the weights leave, for kept prefixes
# Freed buffers that MLX may hold for the next request: enough for what recurs, a chunk's intermediate results.
LEAST_CACHE_BYTES, MOST_CACHE_BYTES = 64 << 20, 2 << 30
JOINED_BYTES = 1 << 30  # a shared prefix is laid out once per row of a batch, for one layer at a time


class Memory(NamedTuple):
    """What a loaded model holds and may hold, in bytes.

    `prefixes` are held now, at most `prefixes_limit`. `deciding` is the estimate for one record of the longest length.
    `cache_limit` bounds the freed buffers that MLX keeps for all models of the process. `available` is what arrays may
    still take now.
    """

    weights: int
    prefixes: int
    prefixes_limit: int
    deciding: int
    cache_limit: int
    available: int


class Budget:
    """The memory of this machine, or of it `limit_bytes` for all arrays of the process."""

    def __init__(self, footprint: Footprint, limit_bytes: int | None) -> None:
        self.footprint = footprint
        self.limit_bytes = limit_bytes
        self.cache_limit = self._set_cache_limit()

    def available(self) -> int:
        """Bytes that new arrays may take now."""
        return available_now(self.limit_bytes)

    def need(self, tokens: int, *, batch: int = 1, shared: int = 0, known: int = 0, checkpoints: int = 0) -> int:
        """Bytes that deciding such a batch takes at its peak; see `Footprint.deciding`."""
        chunk = chunk_tokens(batch) + chunk_tokens(batch) // SMALL_REST
        return self.footprint.deciding(
            tokens, batch=batch, chunk=chunk, shared=shared, known=known, checkpoints=checkpoints
        )

    def most_rows(self, tokens: int) -> int:
        """How many records of `tokens` may share a prefix in one batch."""
        return max(1, JOINED_BYTES // (tokens * self.footprint.layer_rows + 1))

    def spacing_tokens(self) -> int:
        """Checkpoints so far apart that their states take no more than the rows between them."""
        chunk = chunk_tokens(1)
        return -(-self.footprint.states // (self.footprint.rows * chunk)) * chunk

    def _set_cache_limit(self) -> int:
        wanted = 2 * self.need(chunk_tokens(1))
        limit = min(max(wanted, LEAST_CACHE_BYTES), MOST_CACHE_BYTES, self.available() // 8)
        mx.set_cache_limit(limit)
        return limit


def available_now(limit_bytes: int | None) -> int:
    """Bytes that new arrays may take now, where all of the process may take `limit_bytes`."""
    active = mx.get_active_memory()
    machine = available_bytes()
    # A Mac says what its GPU may use in all, others what is free beside MLX's own freed buffers.
    machine += -active if on_gpu() and mx.metal.is_available() else mx.get_cache_memory()
    return max(0, machine if limit_bytes is None else min(machine, limit_bytes - active))


def refusal(record: EncodedRecord, need: Callable[[int], int], available: int) -> MemoryBudgetError:
    """The error for a record that does not fit alone, with the state's length that would. `need` grows with tokens."""
    tokens = len(record.input_ids)
    fits, beyond = 0, tokens
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        fits, beyond = (middle, beyond) if need(middle) <= available else (fits, middle)
    state = fits - (tokens - (record.state_span.end - record.state_span.start))
    advice = "Free memory" if record.media is None else "Shrink the pictures with max_pixels, or free memory"
    advice = f"Cut the state with max_state_tokens={state}, or free memory" if state > 0 else advice
    return MemoryBudgetError(
        f"memory: deciding {tokens} tokens needs {_mb(need(tokens))}, got {_mb(available)} available. "
        f"{advice}, or take a smaller model."
    )


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
