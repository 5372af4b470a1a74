"""A checked request to token ids and spans, piece by piece as the publisher encodes it.

Pieces are tokenized one by one; joined first, they would come out differently at the seams. Knows no tensors.
Source: joint_schema_model.py::encode_record.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from clef_mlx.errors import ContextLengthError
from clef_mlx.record import EncodedQuestion, EncodedRecord, Media, Span
from clef_mlx.schema import Option, Question, Request, render
from clef_mlx.tokenizer import ReleaseTokenizer

SYSTEM = (
    "Read the complete state and schema. Decide every field jointly. Each answer must be exactly one of that field's "
    "allowed options."
)
OPENING = f"<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\nSTATE:\n"
SCHEMA_HEADER = "\n\nSCHEMA FIELDS:\n"
FIELD_HEADER = "\nFIELD {number}\nID: {id}\nTYPE: {type}\nINSTRUCTION: "
OPTIONS_HEADER = "\nALLOWED OPTIONS:\n"
OPTION_HEADER = "OPTION {number}: "
OPTION_END = "\n"
FIELD_END = "END FIELD\n"
CLOSING = "\n<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nJOINT SCHEMA DECISIONS:"
QUESTION_TYPES = {"noul": 0, "choice": 1, "score": 2}  # rows of the head's type embedding


def encode_request(
    tokenizer: ReleaseTokenizer,
    request: Request,
    *,
    max_length: int = 16384,
    max_state_tokens: int | None = None,
    on_overflow: str = "truncate",
    control_tokens: str = "text",
    media: Media | None = None,
) -> EncodedRecord:
    """Encode a request as [opening][media][state][schema][closing].

    Too long a state loses its end: first what exceeds `max_state_tokens`, then what exceeds `max_length` with
    everything else in place; the record says how many tokens went. Raises ContextLengthError instead where
    `on_overflow` is "refuse", and always where the record is too long without any state. `control_tokens` is the
    tokenizer's, for all text of the request; the frame around it is always encoded with its control tokens.
    """
    write = _Writer(tokenizer, control_tokens)
    schema = write.schema(request.questions)
    opening = [*tokenizer.fixed(OPENING), *(media.input_ids if media else ())]
    closing = tokenizer.fixed(CLOSING)
    room = max_length - len(opening) - len(schema.ids) - len(closing)
    if room < 0:
        raise _schema_too_long(max_length - room, max_length, len(media.input_ids) if media else 0)
    most = room if max_state_tokens is None else min(room, max_state_tokens)
    state, state_tokens = tokenizer.encode_start(render(request.state), most, control_tokens)
    kept = len(state)
    if kept < state_tokens and on_overflow == "refuse":
        raise _state_too_long(state_tokens, room, max_state_tokens, max_length)
    start = len(opening)
    return EncodedRecord(
        input_ids=(*opening, *state, *schema.ids, *closing),
        questions=tuple(field.at(start + kept) for field in schema.fields),
        state_span=Span(start, start + kept),
        truncated_tokens=state_tokens - kept,
        media=media,
    )


class _Field(NamedTuple):
    """One question's spans, counted from the start of the schema."""

    question: Question
    span: Span
    option_spans: list[Span]

    def at(self, offset: int) -> EncodedQuestion:
        return EncodedQuestion(
            question_id=self.question.id,
            question_type=QUESTION_TYPES[self.question.type],
            question_span=Span(self.span.start + offset, self.span.end + offset),
            option_spans=tuple(Span(start + offset, end + offset) for start, end in self.option_spans),
            option_ids=tuple(option.option_id for option in self.question.options),
        )


class _Schema(NamedTuple):
    ids: list[int]
    fields: list[_Field]


class _Writer:
    """Appends the schema's pieces. The request's own text is encoded with `control_tokens`."""

    def __init__(self, tokenizer: ReleaseTokenizer, control_tokens: str) -> None:
        self.tokenizer = tokenizer
        self.control_tokens = control_tokens
        self.ids: list[int] = []

    def schema(self, questions: tuple[Question, ...]) -> _Schema:
        self._frame(SCHEMA_HEADER)
        fields = [self._field(number, question) for number, question in enumerate(questions, start=1)]
        return _Schema(self.ids, fields)

    def _field(self, number: int, question: Question) -> _Field:
        # The id is the caller's text, and its piece also holds the lines around it.
        self._text(FIELD_HEADER.format(number=number, id=question.id, type=question.type))
        span = self._text(render(question.instructions))
        self._frame(OPTIONS_HEADER)
        option_spans = []
        for option_number, option in enumerate(question.options, start=1):
            self._frame(OPTION_HEADER.format(number=option_number))
            option_spans.append(self._text(render(_semantics(option))))
            self._frame(OPTION_END)
        self._frame(FIELD_END)
        return _Field(question, span, option_spans)

    def _frame(self, piece: str) -> None:
        self.ids += self.tokenizer.fixed(piece)

    def _text(self, piece: str) -> Span:
        start = len(self.ids)
        self.ids += self.tokenizer.encode(piece, self.control_tokens)
        return Span(start, len(self.ids))


def _semantics(option: Option) -> dict[str, Any]:
    if option.description is None:
        return {"option_id": option.option_id}
    return {"option_id": option.option_id, "description": option.description}


def _schema_too_long(needed: int, limit: int, media_tokens: int) -> ContextLengthError:
    pictures = f" ({media_tokens} of them for images and videos)" if media_tokens else ""
    remedy = "Send fewer or smaller pictures, or set max_pixels. " if 2 * media_tokens > needed else ""
    return ContextLengthError(
        f"questions: schema requires {needed} tokens before state{pictures}; maximum is {limit}. "
        f"{remedy}Ask fewer questions, shorten the options, or raise max_length.",
        ("questions",),
        needed_tokens=needed,
        limit_tokens=limit,
    )


def _state_too_long(tokens: int, room: int, max_state_tokens: int | None, max_length: int) -> ContextLengthError:
    if max_state_tokens is not None and max_state_tokens <= room:
        needed, limit = tokens, max_state_tokens
        rule, more = f"must be at most {limit} tokens, got {tokens}", "max_state_tokens"
    else:
        needed, limit = max_length - room + tokens, max_length
        rule = f"must leave the record at most {limit} tokens, got {needed} ({tokens} of them the state's)"
        more = "max_length"
    return ContextLengthError(
        f'state: {rule}. Shorten it, raise {more}, or cut it with on_overflow "truncate".',
        ("state",),
        needed_tokens=needed,
        limit_tokens=limit,
    )
