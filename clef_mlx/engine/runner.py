"""Records -> logits with as little work as possible: shared states once, kept prefixes again, the rest in batches.

Everything here runs in the thread that owns MLX.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from clef_mlx.blas import release_heap  # first: OpenBLAS must be in place before MLX

# isort: split
import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from clef_mlx.engine.batching import bucketed
from clef_mlx.engine.budget import KEPT_SHARE, Budget, Memory, refusal
from clef_mlx.engine.forward import batch_logits, state_prefix
from clef_mlx.engine.options import Limits
from clef_mlx.engine.prefix import Prefix, PrefixStore, end_of_media, key_of
from clef_mlx.engine.view import Tower
from clef_mlx.errors import MemoryBudgetError
from clef_mlx.model.clef import ClefModel
from clef_mlx.record import EncodedRecord
from clef_mlx.weights.footprint import Footprint
from clef_mlx.weights.load import LoadedRelease


class Outcome(NamedTuple):
    """What became of one record: logits per question, or why there are none; `reused_tokens` were not computed anew."""

    logits: list[np.ndarray]
    reused_tokens: int = 0
    error: MemoryBudgetError | None = None


class Job(NamedTuple):
    """Records that run together. `family`: all begin with the same state, which is taken in once."""

    indices: list[int]
    family: bool


class Runner:
    """A model with its kept prefixes and its memory budget."""

    def __init__(self, model: ClefModel, tower: Tower, pad_token_id: int, store: PrefixStore, budget: Budget) -> None:
        self.model = model
        self.tower = tower
        self.pad_token_id = pad_token_id
        self.store = store
        self.budget = budget

    @classmethod
    def start(cls, release: LoadedRelease, pad_token_id: int, limits: Limits) -> Runner:
        """A runner for a release just loaded; limits not given are chosen from what the weights leave."""
        budget = Budget(Footprint.of(release.config, release.model.dtype.size), limits.memory_bytes)
        kept, spacing = limits.prefix_bytes, limits.checkpoint_tokens
        store = PrefixStore(
            limit_bytes=int(budget.available() * KEPT_SHARE) if kept is None else kept,
            spacing_tokens=budget.spacing_tokens() if spacing is None else spacing,
        )
        return cls(release.model, Tower(release.vision), pad_token_id, store, budget)

    def memory(self, longest: int) -> Memory:
        """What is held and may be held, for records of at most `longest` tokens."""
        return Memory(
            weights=sum(value.nbytes for _, value in tree_flatten(self.model.parameters())) + self.tower.nbytes,
            prefixes=self.store.nbytes,
            prefixes_limit=self.store.limit_bytes,
            deciding=self.budget.need(longest),
            cache_limit=self.budget.cache_limit,
            available=self.budget.available(),
        )

    def plan(self, records: Sequence[EncodedRecord], batch_tokens: int) -> list[Job]:
        """Group records: those of one state together, the others in batches of similar lengths.

        A record without company goes by its state where that is kept already, or where it fills a batch alone. States
        that pass in a batch are not kept: a batch has no cut at their ends.
        """
        families = defaultdict(list)
        for index, record in enumerate(records):
            families[key_of(record), record.input_ids[: record.state_span.end]].append(index)
        jobs, loners = [], []
        for members in families.values():
            record = records[members[0]]
            if len(members) > 1 or 2 * self.store.shared_tokens(record) >= len(record.input_ids):
                jobs.append(Job(members, family=True))
            else:
                loners += members
        for group in bucketed([len(records[index].input_ids) for index in loners], batch_tokens):
            members = [loners[position] for position in group]
            alone = len(members) == 1 and self._positions(records[members[0]])
            jobs.append(Job(members, family=bool(alone)))
        return jobs

    def run(self, records: Sequence[EncodedRecord], family: bool, batch_tokens: int) -> list[Outcome]:
        """Outcomes of one job's records, in their order."""
        if family:
            return self._family(records, batch_tokens)
        try:
            return [Outcome(logits) for logits in _as_numpy(self.batch(records))]
        except MemoryBudgetError as error:
            if len(records) == 1:
                return [_refused(error)]
            return [outcome for record in records for outcome in self.run([record], False, batch_tokens)]

    def batch(self, records: Sequence[EncodedRecord]) -> list[list[mx.array]]:
        """Logits of records as one batch that reuses nothing and keeps nothing. Raises MemoryBudgetError."""
        self._make_room(records, shared=0)
        return batch_logits(self.model, records, self.pad_token_id, tower=self.tower)

    def _family(self, records: Sequence[EncodedRecord], batch_tokens: int) -> list[Outcome]:
        """Records of one state: its prefix once, then their schemas in batches on it."""
        shared = records[0].state_span.end
        lengths = [len(record.input_ids) for record in records]
        groups = bucketed([n - shared for n in lengths], batch_tokens, most=self.budget.most_rows(max(lengths)))
        outcomes: dict[int, Outcome] = {}
        prefix, reused = None, 0
        while groups:
            group = groups.pop()
            members = [records[index] for index in group]
            try:
                self._make_room(members, shared, held=prefix is not None)
            except MemoryBudgetError as error:
                if len(group) > 1:
                    groups += [[index] for index in group]
                else:
                    outcomes[group[0]] = _refused(error)
                continue
            if prefix is None:
                prefix, reused = self._prefix(members[0])
            logits = _as_numpy(batch_logits(self.model, members, self.pad_token_id, prefix, self.tower))
            for index, mine in zip(group, logits, strict=True):
                outcomes[index] = Outcome(mine, reused)
                reused = shared  # whoever comes later pays nothing for the state
        return [outcomes[index] for index in range(len(records))]

    def _prefix(self, record: EncodedRecord) -> tuple[Prefix, int]:
        """The record's prefix up to its state's end, kept if that is worth it. -> with the tokens that were known."""
        known, end = self.store.find(record), record.state_span.end
        if known is not None and known.position == end:
            return known, end
        prefix, checkpoints = state_prefix(self.model, record, known, self._positions(record), self.tower)
        if checkpoints:
            self.store.put(record, prefix, checkpoints)
        return prefix, 0 if known is None else known.position

    def _make_room(self, records: Sequence[EncodedRecord], shared: int, held: bool = False) -> None:
        """Let kept prefixes go until this batch fits. Raises MemoryBudgetError where it does not even then."""
        self.store.find(records[0])  # what these records continue goes last
        tokens = max(len(record.input_ids) for record in records)
        while True:
            reused = shared if held else self.store.shared_tokens(records[0]) if shared else 0
            known = shared if reused == shared else 0
            seeing = 0 if reused and reused >= end_of_media(records[0]) else self.tower.need(records)
            available = self.budget.available()
            if self._need(tokens, len(records), shared, known, end_of_media(records[0])) + seeing <= available:
                return
            if not self.store:
                schema = tokens - records[0].state_span.end
                need = partial(self._need_alone, schema=schema, cut=shared > 0, seeing=seeing)
                raise refusal(records[0], need, available)
            self.store.drop_oldest()
            mx.clear_cache()
            release_heap()

    def _positions(self, record: EncodedRecord) -> list[int]:
        return self.store.positions(record.state_span.end, end_of_media(record))

    def _need(self, tokens: int, batch: int, shared: int, known: int, media_end: int = 0) -> int:
        checkpoints = 0 if known else len(self.store.positions(shared, media_end))
        return self.budget.need(tokens, batch=batch, shared=shared, known=known, checkpoints=checkpoints)

    def _need_alone(self, tokens: int, *, schema: int, cut: bool, seeing: int) -> int:
        return self._need(tokens, 1, max(0, tokens - schema) if cut else 0, 0) + seeing


def _refused(error: MemoryBudgetError) -> Outcome:
    """Without the frames it came through: they would keep the model alive as long as someone holds the error."""
    return Outcome([], error=error.with_traceback(None))


def _as_numpy(logits: list[list[mx.array]]) -> list[list[np.ndarray]]:
    return [[np.array(question) for question in record] for record in logits]
