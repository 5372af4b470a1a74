"""What OpenAI's client sends to its decisions, field by field, and what is said of a broken field.

Shapes are those of the `openai` package's `client.decisions.create`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag
from pydantic_core import ErrorDetails

from clef_mlx.schema import MAX_LEVELS, MAX_OPTIONS, Problem
from clef_mlx.strict_json import show_place

STRICT = ConfigDict(strict=True)
TEXT, PARTS = "(text)", "(parts)"  # tags of unions; they show in pydantic's paths and are taken out


class TextPart(BaseModel):
    model_config = STRICT
    type: Literal["input_text", "output_text"]
    text: str


class ImagePart(BaseModel):
    """A data URL; nothing is ever fetched."""

    model_config = STRICT
    type: Literal["input_image"]
    image_url: Annotated[str, Field(json_schema_extra={"format": "picture-url"})]


class JsonPart(BaseModel):
    model_config = STRICT
    type: Literal["input_json"]
    data: Any


class RefusalPart(BaseModel):
    model_config = STRICT
    type: Literal["refusal"]
    refusal: str


Part = Annotated[TextPart | ImagePart | JsonPart | RefusalPart, Field(discriminator="type")]


def _text_or_parts(value: Any) -> str:
    return TEXT if isinstance(value, str) else PARTS


Content = Annotated[
    Annotated[str, Tag(TEXT)] | Annotated[list[Part], Tag(PARTS)],
    Discriminator(_text_or_parts),
]


class Message(BaseModel):
    model_config = STRICT
    type: Literal["message"] = "message"
    role: Literal["user", "developer", "system", "assistant"]
    content: Content


class Call(BaseModel):
    """What a tool was asked."""

    model_config = STRICT
    type: Literal["function_call", "custom_tool_call"]
    call_id: str
    name: str
    arguments: str = ""
    input: str = ""


class CallOutput(BaseModel):
    """What a tool said."""

    model_config = STRICT
    type: Literal["function_call_output", "custom_tool_call_output"]
    call_id: str
    output: Content


def _typed(value: Any) -> Any:
    """Messages may leave their type out."""
    return {"type": "message"} | value if isinstance(value, dict) and "role" in value else value


Item = Annotated[
    Annotated[Message | Call | CallOutput | TextPart | ImagePart | JsonPart | RefusalPart, Field(discriminator="type")],
    BeforeValidator(_typed),
]


class Named(BaseModel):
    """What all questions have: a name that the answer repeats, and what is asked."""

    model_config = STRICT
    name: Annotated[str, Field(min_length=1)] | None = None
    instructions: Content


class Predicate(Named):
    type: Literal["predicate"]


class ChoiceOption(BaseModel):
    """One allowed answer. A boolean and a string of the same letters are two."""

    model_config = STRICT
    value: str | bool
    description: str | None = None


class Choice(Named):
    type: Literal["choice"]
    choices: Annotated[list[ChoiceOption], Field(min_length=1, max_length=MAX_OPTIONS)]


class Level(BaseModel):
    model_config = STRICT
    label: str
    description: str | None = None


class Score(Named):
    type: Literal["score"]
    levels: Annotated[list[Level], Field(min_length=1, max_length=MAX_LEVELS)]


Question = Annotated[Predicate | Choice | Score, Field(discriminator="type")]


class DecisionsBody(BaseModel):
    """A request as OpenAI's client sends it. Fields not listed are ignored."""

    model_config = STRICT
    model: str | None = None
    input: Annotated[
        Annotated[str, Tag(TEXT)] | Annotated[list[Item], Tag(PARTS)],
        Discriminator(_text_or_parts),
    ]
    questions: Annotated[list[Question], Field(min_length=1)]


TYPES = (Predicate, Choice, Score, Message, Call, CallOutput, TextPart, ImagePart, JsonPart, RefusalPart)
TAGS = {TEXT, PARTS, "str", "bool"}.union(*(get_args(one.model_fields["type"].annotation) for one in TYPES))
# Pydantic's own words are for programmers. None of these repeats a value.
_RULES = {
    "missing": "must be given",
    "list_type": "must be an array",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "must have at least {min_length}, got {actual_length}",
    "too_long": "must have at most {max_length}, got {actual_length}",
    "string_too_short": "must not be empty. Leave it out",
    "union_tag_not_found": "must have a type",
    "union_tag_invalid": "must have a type that is one of {expected_tags}",
}


def problem(details: ErrorDetails) -> Problem:
    """What is wrong with a field, at the place where the client put it."""
    kind, steps = details["type"], details["loc"]
    place = tuple(step for step in steps if step not in TAGS)
    rule = _RULES.get(kind, details["msg"]).format_map(details.get("ctx", {}))
    if kind == "list_type" and steps[-1:] == (PARTS,):
        rule = "must be a string or an array"
    return Problem(place, f"{show_place(place)}: {rule}. See /openapi.json.", kind)
