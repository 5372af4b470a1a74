"""One request as token ids and spans: plain data between text and tensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


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
class Media:
    """A record's pictures and clips, ready for the vision tower.

    `input_ids` are the placeholder piece before the state. `grid_thw` is (time, height, width) in patches of each
    picture, then of each clip; the first `image_count` are pictures. `pixel_values` [patches, channels * 2 * patch *
    patch] float32 are all their patches in that order, the four of a merged token next to each other. `key` is a hash
    of all three: equal keys, equal media. `notes` say what was resized.
    """

    input_ids: tuple[int, ...]
    pixel_values: np.ndarray = field(compare=False, repr=False)
    grid_thw: tuple[tuple[int, int, int], ...]
    image_count: int
    key: bytes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class EncodedRecord:
    """`state_span` is where the (possibly cut) state lies; what precedes it is the opening and the media."""

    input_ids: tuple[int, ...]
    questions: tuple[EncodedQuestion, ...]
    state_span: Span
    truncated_tokens: int = 0
    media: Media | None = field(default=None, compare=False, repr=False)
