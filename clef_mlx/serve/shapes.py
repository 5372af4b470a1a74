"""What answers look like, dialect by dialect: for /openapi.json, and for tests that hold us to it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
CLOSED = ConfigDict(extra="forbid")


class NoulAnswer(BaseModel):
    """The probability of yes."""

    model_config = CLOSED
    type: Literal["noul"]
    noul: Probability


class ChoiceAnswer(BaseModel):
    """The most probable option."""

    model_config = CLOSED
    type: Literal["choice"]
    choice: str
    confidence: Probability
    probabilities: dict[str, Probability]


class ScoreAnswer(BaseModel):
    """The expected level, counted from 0."""

    model_config = CLOSED
    type: Literal["score"]
    score: Annotated[float, Field(ge=0)]
    confidence: Probability
    legend: dict[str, str | dict[str, Any] | list[Any]]
    probabilities: dict[str, Probability]


class Usage(BaseModel):
    model_config = CLOSED
    input_tokens: Count
    output_tokens: Count


class Timing(BaseModel):
    """Milliseconds in the queue, in the model, and in all."""

    queue: float
    model: float
    total: float


class SystemOneAnswer(BaseModel):
    """Answers in the order of the questions; fields with x_ are this server's own."""

    model: str
    answers: dict[str, Annotated[NoulAnswer | ChoiceAnswer | ScoreAnswer, Field(discriminator="type")]]
    usage: Usage
    x_timing_ms: Timing
    x_cache: Literal["hit", "miss"]
    x_reused_tokens: Count
    x_truncated_tokens: Annotated[int, Field(ge=1)] = Field(
        default=1, description="Tokens of the state that were dropped to fit; absent when none were."
    )
    x_calibration: dict[str, dict[str, float]] = Field(
        default={}, description="Temperature and bias by question; absent unless served calibrated."
    )


class Envelope(BaseModel):
    """Cloudflare's, around an answer."""

    result: SystemOneAnswer
    success: Literal[True]
    errors: Annotated[list[Any], Field(max_length=0)]
    messages: Annotated[list[Any], Field(max_length=0)]


class EnvelopeError(BaseModel):
    code: int
    message: str


class FailedEnvelope(BaseModel):
    """Cloudflare's, around errors."""

    result: None
    success: Literal[False]
    errors: Annotated[list[EnvelopeError], Field(min_length=1)]
    messages: Annotated[list[Any], Field(max_length=0)]


class PredicateDecision(BaseModel):
    type: Literal["predicate"]
    name: str | None
    probability: Probability


class ValueProbability(BaseModel):
    value: str | bool
    probability: Probability


class ChoiceDecision(BaseModel):
    type: Literal["choice"]
    name: str | None
    choice: str | bool
    confidence: Probability
    probabilities: list[ValueProbability]


class LevelProbability(BaseModel):
    value: Count
    label: str
    probability: Probability


class ScoreDecision(BaseModel):
    type: Literal["score"]
    name: str | None
    score: Annotated[float, Field(ge=0)]
    confidence: Probability
    probabilities: list[LevelProbability]


class CachedTokens(BaseModel):
    cached_tokens: Count
    cache_write_tokens: Count


class ReasoningTokens(BaseModel):
    reasoning_tokens: Count


class DecisionsUsage(BaseModel):
    input_tokens: Count
    input_tokens_details: CachedTokens
    output_tokens: Count
    output_tokens_details: ReasoningTokens
    total_tokens: Count


class DecisionsAnswer(BaseModel):
    """Answers in the order of the questions."""

    model: str
    answers: list[Annotated[PredicateDecision | ChoiceDecision | ScoreDecision, Field(discriminator="type")]]
    usage: DecisionsUsage
    x_timing_ms: Timing


class Model(BaseModel):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelDescription(BaseModel):
    name: str
    description: str
    release_date: str


class Models(BaseModel):
    """OpenAI's list and TypeSafe's, in one."""

    object: Literal["list"]
    data: list[Model]
    models: list[ModelDescription]


class Status(BaseModel):
    status: Literal["ok", "ready"]


class FieldError(BaseModel):
    """`loc` begins with body and leads to the field."""

    loc: list[str | int]
    msg: str
    type: str


class ErrorDetail(BaseModel):
    error_type: str
    message: str
    needed_tokens: int = Field(default=0, description="With max_tokens_exceeded alone.")
    limit_tokens: int = Field(default=0, description="With max_tokens_exceeded alone.")


class OpenAIError(BaseModel):
    message: str
    type: str
    param: None
    code: str


class Error(BaseModel):
    """What went wrong. `error` repeats it on OpenAI's route."""

    detail: ErrorDetail | list[FieldError]
    error: OpenAIError = Field(default=None)
