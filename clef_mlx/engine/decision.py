"""A decided request, as Python sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Decision:
    """Answers in request order.

    `answers` follow the wire format and the chosen rounding; `probabilities` are full precision, per question and
    option. `usage` counts tokens. `truncated_tokens` of the state were dropped to fit. `notes` say which pictures were
    changed beyond what the model asks for. `reused_tokens` were known from earlier requests or others of the same
    state; what is decided does not depend on that.
    """

    model: str
    answers: dict[str, dict[str, Any]]
    probabilities: dict[str, dict[str, float]]
    usage: dict[str, int]
    truncated_tokens: int = 0
    notes: tuple[str, ...] = ()
    reused_tokens: int = field(default=0, compare=False)

    def __getitem__(self, question_id: str) -> dict[str, Any]:
        return self.answers[question_id]

    def to_dict(self) -> dict[str, Any]:
        """The System One response body; our own fields begin with `x_`."""
        body = {"model": self.model, "answers": self.answers, "usage": self.usage}
        if self.truncated_tokens:
            body["x_truncated_tokens"] = self.truncated_tokens
        if self.notes:
            body["x_notes"] = list(self.notes)
        return body
