"""What a conversion costs in decisions: the same requests answered by the original and by the converted release.

One is closed before the other is opened. Where one does not fit into memory, its layers come and go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from clef_mlx import answers
from clef_mlx.convert.calibration import MAX_LENGTH, encode_all
from clef_mlx.convert.distance import divergence
from clef_mlx.engine import thread
from clef_mlx.engine.clef import Clef, load
from clef_mlx.engine.layerwise import Logits, layered_logits
from clef_mlx.errors import ClefError, MemoryBudgetError
from clef_mlx.schema import Question, parse_request
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.inspect import inspect_release
from clef_mlx.weights.memory import on_gpu
from clef_mlx.weights.parted import PartedRelease

WORST = 5  # cases that a report shows
TYPES = ("noul", "choice", "score")

Progress = Callable[[str, int, int], None]  # what is done, steps done, steps in all
Probabilities = dict[str, float]  # option -> probability, in request order


@dataclass(frozen=True)
class Difference:
    """One question before and after. `number` counts requests from 1.

    `dp` is the largest change of an option's probability, `kl` the divergence in nats. `changed` says that the answer
    is another one: the likelier side of a noul, the likeliest option or level. `level` is how far a score moved, in
    levels, None for other types.
    """

    number: int
    request: str
    question: str
    type: str
    before: Probabilities
    after: Probabilities
    dp: float
    kl: float
    changed: bool
    level: float | None


class Summary(NamedTuple):
    """Over questions: `dp` and `kl` as in Difference; `max_level` and `mean_level` are None without scores."""

    questions: int
    max_dp: float
    mean_dp: float
    mean_kl: float
    changed: int
    max_level: float | None
    mean_level: float | None


@dataclass(frozen=True)
class Fidelity:
    """Every question's difference, and the bytes of each kind of module before and after.

    `streamed` names what was too large for memory and was run layer by layer.
    """

    differences: tuple[Difference, ...]
    sizes: dict[str, tuple[int, int]]
    streamed: tuple[str, ...] = ()

    def summary(self, question_type: str | None = None) -> Summary | None:
        """Of one type or of all; None where there are no such questions."""
        found = [each for each in self.differences if question_type in (None, each.type)]
        if not found:
            return None
        levels = [each.level for each in found if each.level is not None]
        return Summary(
            questions=len(found),
            max_dp=max(each.dp for each in found),
            mean_dp=sum(each.dp for each in found) / len(found),
            mean_kl=sum(each.kl for each in found) / len(found),
            changed=sum(each.changed for each in found),
            max_level=max(levels, default=None),
            mean_level=sum(levels) / len(levels) if levels else None,
        )

    @property
    def by_type(self) -> dict[str, Summary]:
        """Summaries of the types that occur, and of all questions under "all"."""
        made = {name: self.summary(name) for name in TYPES} | {"all": self.summary()}
        return {name: summary for name, summary in made.items() if summary is not None}

    @property
    def worst(self) -> list[Difference]:
        """The questions that moved most, changed answers first."""
        return sorted(self.differences, key=lambda each: (-each.changed, -each.dp))[:WORST]

    def to_dict(self) -> dict[str, Any]:
        """For conversion_report.json."""
        return {
            "requests": len({each.number for each in self.differences}),
            "summary": {name: summary._asdict() for name, summary in self.by_type.items()},
            "worst": [vars(each) for each in self.worst],
            "sizes": {kind: {"before": before, "after": after} for kind, (before, after) in self.sizes.items()},
            "dp": [round(each.dp, 6) for each in self.differences],
            "streamed": list(self.streamed),
        }


@dataclass(frozen=True)
class _Side:
    """One of the two releases; `streamed` collects the names of those that did not fit."""

    what: str
    folder: Path
    adapters: Sequence[AdapterSpec]
    base_head: bool
    memory_bytes: int | None
    progress: Progress
    streamed: list[str]

    @property
    def _phase(self) -> str:
        return f"Deciding ({self.what})"

    def answered(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Probabilities]]:
        """Probabilities of every question of every request, in full precision."""
        try:
            return self._decided(requests)
        except MemoryBudgetError:
            self.streamed.append(self.what)
            return self._streamed(requests)

    def _decided(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Probabilities]]:
        counts: list[int] = []

        def told(count: int) -> None:
            counts.append(count)
            self.progress(self._phase, sum(counts), len(requests))

        probabilities = []
        with self._load() as model:
            for decision in model.decide_many(requests, progress=told):
                if isinstance(decision, ClefError):
                    raise decision
                probabilities.append(decision.probabilities)
        return probabilities

    def _load(self) -> Clef:
        return load(
            self.folder,
            adapter=self.adapters,
            base_head=self.base_head,
            # In bfloat16 a CPU would be slower than reading the layers again, and would blur the comparison.
            dtype=None if on_gpu() else "float32",
            memory_bytes=self.memory_bytes,
            prefix_bytes=0,
            max_length=MAX_LENGTH,
        )

    def _streamed(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Probabilities]]:
        tokenizer = ReleaseTokenizer.from_folder(self.folder)
        records = encode_all(tokenizer, requests)

        def run() -> Logits:
            release = PartedRelease(
                self.folder, adapters=self.adapters, base_head=self.base_head, memory_bytes=self.memory_bytes
            )
            told = partial(self.progress, self._phase)
            return layered_logits(release, records, tokenizer.pad_token_id, progress=told)[0]

        return [
            {
                question.id: _in_request_order(question, p.tolist())
                for question, p in zip(parse_request(request).questions, answers.probabilities(logits), strict=True)
            }
            for request, logits in zip(requests, thread.run(run), strict=True)
        ]


def compare(
    original: Path,
    converted: Path,
    requests: Sequence[Mapping[str, Any]],
    *,
    adapters: Sequence[AdapterSpec] = (),
    base_head: bool = False,
    memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> Fidelity:
    """Answer `requests` (text alone) with both folders and compare. States are cut to `MAX_LENGTH` tokens in all.

    `adapters` belong to the original. Each side runs in its own stored dtype on a GPU and in float32 on a CPU.
    `memory_bytes` are all that arrays may take. Raises what loading and deciding raise.
    """
    streamed: list[str] = []
    tell = progress or (lambda what, done, total: None)
    before = _Side("original", original, adapters, base_head, memory_bytes, tell, streamed).answered(requests)
    after = _Side("converted", converted, (), False, memory_bytes, tell, streamed).answered(requests)
    return Fidelity(tuple(_differences(requests, before, after)), _sizes(original, converted), tuple(streamed))


def _in_request_order(question: Question, p: Sequence[float]) -> Probabilities:
    by_id = dict(zip((option.option_id for option in question.options), p, strict=True))
    return {option_id: by_id[option_id] for option_id in question.request_order}


def _differences(
    requests: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Probabilities]],
    after: Sequence[Mapping[str, Probabilities]],
) -> Iterator[Difference]:
    for number, (request, mine, yours) in enumerate(zip(requests, before, after, strict=True), start=1):
        for question in parse_request(request).questions:
            yield difference(number, request, question, mine[question.id], yours[question.id])


def difference(
    number: int, request: Mapping[str, Any], question: Question, before: Probabilities, after: Probabilities
) -> Difference:
    """Compare one question of request `number` before and after."""
    p, q = list(before.values()), list(after.values())
    levels = [sum(level * value for level, value in enumerate(side)) for side in (p, q)]
    return Difference(
        number=number,
        request=str(request.get("id", number)),
        question=question.id,
        type=question.type,
        before=before,
        after=after,
        dp=max(abs(a - b) for a, b in zip(p, q, strict=True)),
        kl=divergence(p, q),
        changed=_answer(question.type, before) != _answer(question.type, after),
        level=abs(levels[0] - levels[1]) if question.type == "score" else None,
    )


def _answer(question_type: str, p: Probabilities) -> str | bool:
    """What a reader of the answer acts on; the first of equals in request order."""
    return p["true"] >= 0.5 if question_type == "noul" else max(p, key=p.__getitem__)


def _sizes(original: Path, converted: Path) -> dict[str, tuple[int, int]]:
    """Stored bytes of each kind of module; what is in one folder alone has none in the other."""
    sizes: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for side, folder in enumerate((original, converted)):
        for share in inspect_release(folder).shares:
            sizes[share.kind][side] = share.stored_bytes
    return {kind: (before, after) for kind, (before, after) in sizes.items()}
