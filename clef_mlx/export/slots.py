"""An encoded record -> the fixed-shape arguments of a trace: padded ids, and slots for questions and options.

A slot is used where its span is not empty, so no masks travel with the arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clef_mlx.errors import RequestError
from clef_mlx.record import EncodedRecord

LENGTH_BOUNDS, QUESTION_BOUNDS, OPTION_BOUNDS = (64, 65536), (1, 256), (2, 4096)


class Arguments(NamedTuple):
    """What a trace takes before the weights, in this order: int32 all of them."""

    input_ids: np.ndarray  # [L]
    length: np.ndarray  # [] real tokens
    question_spans: np.ndarray  # [Q, 2] start, end-exclusive; 0, 0 in unused slots
    question_types: np.ndarray  # [Q]
    option_spans: np.ndarray  # [O, 2] those of the first question, then of the second, and so on
    option_owners: np.ndarray  # [O] question of each option


@dataclass(frozen=True)
class Slots:
    """The shapes of an export: one trace a length, each with room for so many questions and options of all of them."""

    lengths: tuple[int, ...]  # ascending
    questions: int
    options: int

    def __post_init__(self) -> None:
        if not self.lengths:
            raise RequestError("lengths: must name at least one, got none. Write 256,1024.")
        for length in self.lengths:
            _refuse_outside("lengths", length, LENGTH_BOUNDS)
        _refuse_outside("questions", self.questions, QUESTION_BOUNDS)
        _refuse_outside("options", self.options, OPTION_BOUNDS)

    def shapes(self, length: int) -> Arguments:
        """Zeros in the shapes that the trace of this length takes."""
        Q, O = self.questions, self.options  # noqa: E741 - the axis's letter
        return Arguments(*(np.zeros(shape, np.int32) for shape in ((length,), (), (Q, 2), (Q,), (O, 2), (O,))))

    def length_for(self, record: EncodedRecord) -> int:
        """The smallest length that holds the record. Raises RequestError where it or its schema fits none."""
        questions = len(record.questions)
        options = sum(len(question.option_spans) for question in record.questions)
        tokens = len(record.input_ids)
        _refuse_more("questions", questions, self.questions, "questions", "Ask fewer at once")
        _refuse_more("questions", options, self.options, "options in all", "Ask fewer questions at once")
        _refuse_more("request", tokens, self.lengths[-1], "tokens", "Shorten the state")
        return next(length for length in self.lengths if tokens <= length)

    def fill(self, record: EncodedRecord, length: int, pad_token_id: int) -> Arguments:
        """The arguments of a record that fits."""
        made = self.shapes(length)
        tokens = len(record.input_ids)
        made.input_ids[:] = pad_token_id
        made.input_ids[:tokens] = record.input_ids
        made.length[...] = tokens
        option = 0
        for index, question in enumerate(record.questions):
            made.question_spans[index] = question.question_span
            made.question_types[index] = question.question_type
            for span in question.option_spans:
                made.option_spans[option] = span
                made.option_owners[option] = index
                option += 1
        return made


def _refuse_outside(name: str, value: int, bounds: tuple[int, int]) -> None:
    if not bounds[0] <= value <= bounds[1]:
        raise RequestError(f"{name}: must be from {bounds[0]} to {bounds[1]}, got {value}. Choose another.")


def _refuse_more(where: str, value: int, most: int, what: str, remedy: str) -> None:
    if value > most:
        raise RequestError(f"{where}: must be at most {most} {what} in this export, got {value}. {remedy}.", (where,))
