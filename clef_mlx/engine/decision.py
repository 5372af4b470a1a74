"""A decided request, as Python sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Answer(dict[str, Any]):
    """One answer: the wire format's JSON object, whose fields are attributes too.

    A noul has `noul`, the probability of yes; a choice has `choice`, `confidence` and `probabilities`; a score has
    `score`, `confidence`, `probabilities` and `legend`. Asking for another's field raises AttributeError.
    """

    __slots__ = ()

    @property
    def type(self) -> str:
        """noul, choice or score."""
        return self._field("type")

    @property
    def noul(self) -> float:
        """The probability of yes."""
        return self._field("noul")

    @property
    def choice(self) -> str:
        """The likeliest option."""
        return self._field("choice")

    @property
    def score(self) -> float:
        """The mean level, the lowest being 0."""
        return self._field("score")

    @property
    def confidence(self) -> float:
        """In the dialect of the options; a noul has none."""
        return self._field("confidence")

    @property
    def probabilities(self) -> dict[str, float]:
        """By option, rounded as the options say."""
        return self._field("probabilities")

    @property
    def legend(self) -> dict[str, Any]:
        """What each level of a score means."""
        return self._field("legend")

    def _field(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"a {self.get('type')} answer has no {name}; it has {', '.join(self)}", name=name)
        return self[name]


@dataclass(frozen=True)
class Decision:
    """Answers in request order.

    `answers` follow the wire format and the chosen rounding; `probabilities` are full precision, per question and
    option. `usage` counts tokens. `truncated_tokens` of the state were dropped to fit. `notes` say which pictures were
    changed beyond what the model asks for. `calibration` has the temperature and bias of each question that was
    decided calibrated. `reused_tokens` were known from earlier requests or others of the same state; what is decided
    does not depend on that.
    """

    model: str
    answers: dict[str, Answer]
    probabilities: dict[str, dict[str, float]]
    usage: dict[str, int]
    truncated_tokens: int = 0
    notes: tuple[str, ...] = ()
    calibration: dict[str, dict[str, float]] = field(default_factory=dict)
    reused_tokens: int = field(default=0, compare=False)

    def __getitem__(self, question_id: str) -> Answer:
        return self.answers[question_id]

    def to_dict(self) -> dict[str, Any]:
        """The System One response body; our own fields begin with `x_`."""
        body = {"model": self.model, "answers": self.answers, "usage": self.usage}
        if self.truncated_tokens:
            body["x_truncated_tokens"] = self.truncated_tokens
        if self.notes:
            body["x_notes"] = list(self.notes)
        if self.calibration:
            body["x_calibration"] = self.calibration
        return body
