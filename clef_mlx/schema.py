"""Request JSON to a checked `Request`: the only place that knows what a request may be.

The pydantic models say the rules, also to the server's API description. What leaves here is plain frozen data that the
rest of the package trusts. Nothing here knows tokens, models or HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from clef_mlx.errors import RequestError
from clef_mlx.strict_json import find_fault, show, show_place
from clef_mlx.strict_json import render as render

MAX_OPTIONS = 255
MAX_LEVELS = 10
NEUTRAL_ID = "q"
NOUL_DESCRIPTIONS = {
    "true": "The proposition is true or the answer is yes.",
    "false": "The proposition is false or the answer is no.",
}


@dataclass(frozen=True)
class Option:
    """One allowed answer. A description of None is left out of the text; an empty one is kept."""

    option_id: str
    description: Any | None


@dataclass(frozen=True)
class Question:
    """One field: `options` in the order the model reads them, `request_order` in the order the answer lists them.

    `legend` holds the criteria of a score, unchanged, and is empty otherwise.
    """

    id: str
    type: Literal["noul", "choice", "score"]
    instructions: Any
    options: tuple[Option, ...]
    request_order: tuple[str, ...]
    legend: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Request:
    """A checked request. Images and videos are as the caller gave them."""

    state: Any
    questions: tuple[Question, ...]
    model: str | None = None
    id: str = "unknown"
    images: tuple[Any, ...] = ()
    videos: tuple[Any, ...] = ()
    media_kwargs: dict[str, Any] = field(default_factory=dict)


class Problem(NamedTuple):
    """One broken rule: path into the request, one line for people, a word for programs."""

    location: tuple[str | int, ...]
    message: str
    kind: str


def parse_request(value: Any, form: type[RequestBody] | None = None) -> Request:
    """Check a request and put it in order. Raises RequestError with the first problem and the number of others.

    `form` may be a RequestBody with further fields; the request knows nothing of them.
    """
    try:
        body = (form or RequestBody).model_validate(value)
    except ValidationError as error:
        problems = _problems(error)
    else:
        return _request(body)
    more = len(problems) - 1
    tail = f" And {more} more {'problem' if more == 1 else 'problems'}." if more else ""
    raise RequestError(problems[0].message + tail, problems[0].location)


def find_problems(value: Any, form: type[RequestBody] | None = None) -> list[Problem]:
    """Every broken rule of a request, in request order; empty for a good one."""
    try:
        (form or RequestBody).model_validate(value)
    except ValidationError as error:
        return _problems(error)
    return []


def isolate(request: Request) -> list[Request]:
    """One request a question, each under the same neutral id, so that neither names nor neighbours can matter.

    A question without instructions keeps its own id as its instructions.
    """
    return [replace(request, questions=(replace(question, id=NEUTRAL_ID),)) for question in request.questions]


def _broken(kind: str, rule: str, path: tuple[str | int, ...] = ()) -> PydanticCustomError:
    return PydanticCustomError(kind, "{rule}", {"rule": rule, "path": path})


def _json_value(value: Any) -> Any:
    if fault := find_fault(value):
        raise _broken("not_json", fault.rule, fault.path)
    return value


def _items(value: Any) -> Any:
    """Python callers may write a tuple. A string is no list of its letters."""
    return list(value) if isinstance(value, tuple) else value


def _noul_keys(value: Any) -> Any:
    for key in value if isinstance(value, dict) else ():
        if key not in NOUL_DESCRIPTIONS:
            raise _broken("extra_forbidden", f'keys must be "true" or "false", got {show(key)}. Remove it.')
    return value


def _option_ids(value: Any) -> Any:
    """Option ids are text; a Python caller's numbers become what the publisher's `str` makes of them."""
    if not isinstance(value, dict):
        return value
    options = {}
    for key, description in value.items():
        if not isinstance(key, str | int | float | None):
            raise _broken("option_id", f"option ids must be strings, got {show(key)}. Convert them first.")
        if fault := find_fault(key):
            raise _broken("option_id", f"option ids {fault.rule}")
        if str(key) in options:
            raise _broken("option_id", f"option ids must be unique as text, got {show(str(key))} twice. Rename one.")
        options[str(key)] = description
    return options


def _question_ids(value: Any) -> Any:
    for question_id in value if isinstance(value, dict) else ():
        if not isinstance(question_id, str) or not question_id:
            rule = f"question ids must be non-empty strings, got {show(question_id)}. Name each question."
            raise _broken("question_id", rule)
        if fault := find_fault(question_id):
            raise _broken("question_id", f"question ids {fault.rule}")
    return value


def _question_object(value: Any) -> Any:
    if not isinstance(value, dict):
        rule = f'must be an object, got {show(value)}. Write {{"type": "noul", "instructions": "…"}}.'
        raise _broken("dict_type", rule)
    return value


JsonValue = Annotated[Any, AfterValidator(_json_value)]
Items = Annotated[list[Any] | None, BeforeValidator(_items)]


class NoulCriteria(BaseModel):
    """What yes and no mean. Null drops a description, leaving a key out keeps the default one."""

    model_config = ConfigDict(strict=True, extra="forbid")
    true: JsonValue = None
    false: JsonValue = None


class NoulQuestion(BaseModel):
    """A yes/no question; the answer is the probability of yes."""

    model_config = ConfigDict(strict=True)
    type: Literal["noul"]
    instructions: JsonValue = None
    criteria: Annotated[NoulCriteria | None, BeforeValidator(_noul_keys)] = None


class ChoiceQuestion(BaseModel):
    """One of 1 to 255 options, given as option id -> description or null."""

    model_config = ConfigDict(strict=True)
    type: Literal["choice"]
    instructions: JsonValue = None
    criteria: Annotated[dict[str, JsonValue], Field(min_length=1, max_length=MAX_OPTIONS), BeforeValidator(_option_ids)]


class ScoreQuestion(BaseModel):
    """1 to 10 levels from lowest to highest; the answer is the expected level, counted from 0."""

    model_config = ConfigDict(strict=True)
    type: Literal["score"]
    instructions: JsonValue = None
    criteria: Annotated[list[JsonValue], Field(min_length=1, max_length=MAX_LEVELS), BeforeValidator(_items)]


AnyQuestion = Annotated[
    Annotated[NoulQuestion | ChoiceQuestion | ScoreQuestion, Field(discriminator="type")],
    BeforeValidator(_question_object),
]


class RequestBody(BaseModel):
    """A request as JSON. Fields not listed are ignored, here and in questions, as the publisher does."""

    model_config = ConfigDict(strict=True)
    model: Annotated[str | None, AfterValidator(_json_value)] = None
    state: JsonValue
    questions: Annotated[
        dict[Annotated[str, Field(min_length=1)], AnyQuestion], Field(min_length=1), BeforeValidator(_question_ids)
    ]
    id: JsonValue = None
    images: Items = None
    videos: Items = None
    media_kwargs: dict[Any, Any] | None = None


def _request(body: RequestBody) -> Request:
    return Request(
        state=body.state,
        questions=tuple(_question(question_id, question) for question_id, question in body.questions.items()),
        model=body.model,
        id="unknown" if body.id is None else str(body.id),
        images=tuple(body.images or ()),
        videos=tuple(body.videos or ()),
        media_kwargs=dict(body.media_kwargs or {}),
    )


def _question(question_id: str, question: NoulQuestion | ChoiceQuestion | ScoreQuestion) -> Question:
    """Options as the publisher orders them. Source: joint_schema_model.py::question_options."""
    legend: tuple[Any, ...] = ()
    match question:
        case NoulQuestion(criteria=criteria):
            given = {key: getattr(criteria, key) for key in criteria.model_fields_set} if criteria else {}
            options = NOUL_DESCRIPTIONS | given
            request_order = tuple(options)
        case ChoiceQuestion(criteria=criteria):
            options = {option_id: criteria[option_id] for option_id in sorted(criteria)}
            request_order = tuple(criteria)
        case ScoreQuestion(criteria=criteria):
            options = {str(level): description for level, description in enumerate(criteria)}
            request_order, legend = tuple(options), tuple(criteria)
    # Other falsy instructions, such as 0 or [], are content and are rendered.
    unnamed = question.instructions is None or question.instructions == ""
    return Question(
        id=question_id,
        type=question.type,
        instructions=question_id if unnamed else question.instructions,
        options=tuple(Option(option_id, description) for option_id, description in options.items()),
        request_order=request_order,
        legend=legend,
    )


# Field -> (rule, what to do). Criteria are listed by the type of their question.
_RULES = {
    "request": ("must be an object", 'Write {"state": …, "questions": {…}}.'),
    "model": ("must be a string", "Name a model or leave it out."),
    "state": ("must be given", "Any JSON value will do, null included."),
    "questions": ("must be an object of at least one question", 'Write {"id": {"type": "noul"}}.'),
    "images": ("must be an array", "Put a single image in an array."),
    "videos": ("must be an array", "Put a single video in an array."),
    "media_kwargs": ("must be an object", "Leave it out for the defaults."),
    "assets": ("must be an object of pictures", 'Write {"name": {"type": "image", "data_base64": "…"}}.'),
    "noul": ('must be null or an object with "true" and "false"', "Leave it out for the defaults."),
    "choice": (f"must be an object of 1 to {MAX_OPTIONS} options", 'Write {"option": "description"}.'),
    "score": (f"must be an array of 1 to {MAX_LEVELS} levels", 'Write ["lowest", "highest"].'),
}
_TYPE_HINTS = {
    "bool": "Yes/no questions are noul.",
    "boolean": "Yes/no questions are noul.",
    "predicate": "Yes/no questions are noul.",
    "box": "Box questions are unsupported: Clef points at nothing in a picture.",
    "enum": "Questions with named options are choice.",
    "select": "Questions with named options are choice.",
    "multiple_choice": "Questions with named options are choice.",
    "rating": "Questions with ordered levels are score.",
    "scale": "Questions with ordered levels are score.",
}


def _problems(error: ValidationError) -> list[Problem]:
    return [_problem(details) for details in error.errors(include_url=False)]


def _problem(details: ErrorDetails) -> Problem:
    location, kind, value = details["loc"], details["type"], details["input"]
    subject = str(location[0]) if location else "request"
    if subject == "questions" and len(location) > 2:
        # pydantic puts the question's type into the path; the request has no such step
        subject, location = str(location[2]), location[:2] + location[3:]
    if "rule" in details.get("ctx", {}):
        location, message = location + details["ctx"]["path"], details["ctx"]["rule"]
    elif kind.startswith("union_tag"):
        location, message = location + ("type",), _type_message(value)
    else:
        rule, remedy = _RULES[subject]
        message = f"{rule}, got {'nothing' if kind == 'missing' else show(value)}. {remedy}"
    return Problem(location, f"{show_place(location)}: {message}", kind)


def _type_message(question: dict[str, Any]) -> str:
    given = question.get("type")
    hint = _TYPE_HINTS.get(given.lower(), "") if isinstance(given, str) else ""
    got = show(given) if "type" in question else "nothing"
    return f"must be noul, choice or score, got {got}. {hint or 'Choose one of the three.'}"
