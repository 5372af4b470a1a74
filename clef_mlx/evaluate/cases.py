"""Labelled requests -> a model's answer to every labelled question, beside the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clef_mlx.engine.clef import Clef
from clef_mlx.engine.decision import Decision
from clef_mlx.errors import ClefError
from clef_mlx.labelled import Labelled
from clef_mlx.schema import Question

LEAST_P = 1e-12  # a right answer held impossible costs -ln of this, 27.6, rather than infinity


@dataclass(frozen=True)
class Case:
    """One labelled question with what a model answered.

    `request` numbers the labelled request it stems from. `target` and `p` [O] are distributions in the order of
    `option_ids`, which is the request's own, as answers list them.
    """

    request: int
    where: str
    question_id: str
    type: str
    group: str | None
    option_ids: tuple[str, ...]
    target: np.ndarray
    p: np.ndarray

    @cached_property
    def answer(self) -> int:
        """The likeliest option, the first of equals, as in answers."""
        return int(self.p.argmax())

    @cached_property
    def label(self) -> int:
        return int(self.target.argmax())

    @cached_property
    def right(self) -> bool:
        """Whether no option is more right than the answer: of a label with equal options each will do."""
        return bool(self.target[self.answer] == self.target.max())

    @cached_property
    def confidence(self) -> float:
        return float(self.p[self.answer])

    @cached_property
    def nll(self) -> float:
        """Cross-entropy of the label's distribution, in nats."""
        return float(-(self.target * np.log(np.maximum(self.p, LEAST_P))).sum())

    @cached_property
    def brier(self) -> float:
        """Squared distance of the distributions: 0 to 2."""
        return float(((self.p - self.target) ** 2).sum())

    @cached_property
    def error(self) -> float:
        """Levels between a score's expected level and the label's."""
        return float(abs(((self.p - self.target) * np.arange(len(self.p))).sum()))


class Failure(NamedTuple):
    """A request that could not be decided; it counts nowhere else."""

    where: str
    error: ClefError


@dataclass
class Decided:
    """What came of all labelled requests, in their order."""

    cases: list[Case] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    truncated: int = 0  # requests whose state was cut


def decide_labelled(
    model: Clef,
    data: Sequence[Labelled],
    *,
    batch_tokens: int | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Decided:
    """Decide every request; one that cannot be is a failure. `progress` is called as by `decide_many`."""
    decided = Decided()
    requests = (one.request for one in data)
    outcomes = model.decide_many(requests, batch_tokens=batch_tokens, progress=progress, **options)
    for number, (one, outcome) in enumerate(zip(data, outcomes, strict=True)):
        if isinstance(outcome, ClefError):
            decided.failures.append(Failure(one.where, outcome))
            continue
        decided.cases += _cases(number, one, outcome)
        decided.truncated += outcome.truncated_tokens > 0
    return decided


def unlabelled(data: Sequence[Labelled]) -> int:
    """Questions without a label, which are decided with the others and not counted."""
    return sum(len(one.parsed.questions) - len(one.targets) for one in data)


def _cases(number: int, one: Labelled, decision: Decision) -> Iterator[Case]:
    for question in one.parsed.questions:
        if question.id in one.targets:
            yield Case(
                request=number,
                where=one.where,
                question_id=question.id,
                type=question.type,
                group=one.group,
                option_ids=question.request_order,
                target=_in_request_order(question, one.targets[question.id]),
                p=np.array([decision.probabilities[question.id][name] for name in question.request_order]),
            )


def _in_request_order(question: Question, target: tuple[float, ...]) -> np.ndarray:
    by_id = dict(zip((option.option_id for option in question.options), target, strict=True))
    return np.array([by_id[option_id] for option_id in question.request_order])
