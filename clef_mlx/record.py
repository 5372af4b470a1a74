"""One request as token ids and spans: plain data between text and tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Span(NamedTuple):
    """Token positions `start` to `end`, end-exclusive, counted from the record's first token."""

    start: int
    end: int


@dataclass(frozen=True)
class EncodedQuestion:
    """One field. `question_type` is the row of the head's type embedding: noul 0, choice 1, score 2."""

    question_id: str
    question_type: int
    question_span: Span
    option_spans: tuple[Span, ...]
    option_ids: tuple[str, ...]


@dataclass(frozen=True)
class EncodedRecord:
    """`state_span` is where the (possibly cut) state lies; what precedes it is the opening and the media."""

    input_ids: tuple[int, ...]
    questions: tuple[EncodedQuestion, ...]
    state_span: Span
    truncated_tokens: int = 0
    media: Any | None = field(default=None, compare=False, repr=False)
