"""OpenAI's decisions to System One requests and back: questions and answers as arrays, states as conversations.

Shapes are those of the `openai` package's `client.decisions.create`. Pictures stand before the state, as the model's
publisher trained it, whichever message they came in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from clef_mlx.serve.bodies import Body
from clef_mlx.serve.decisions_form import (
    Call,
    CallOutput,
    Choice,
    DecisionsBody,
    ImagePart,
    JsonPart,
    Message,
    Predicate,
    RefusalPart,
    Score,
    TextPart,
    problem,
)
from clef_mlx.serve.dialects import Asked, Place, check_counts, read_request, timing
from clef_mlx.serve.problems import Invalid
from clef_mlx.serve.replies import Decided
from clef_mlx.serve.settings import Settings


class AskedDecisions(NamedTuple):
    """A checked request with the questions as they came, to shape the answers after."""

    asked: Asked
    questions: list[Predicate | Choice | Score]


def read_decisions(body: Body, settings: Settings) -> AskedDecisions:
    """Raises Invalid (422) naming every broken field, and Refused (413) for too many of anything."""
    check_counts(body.value, settings)
    try:
        form = DecisionsBody.model_validate(body.value)
    except ValidationError as error:
        raise Invalid([problem(details) for details in error.errors(include_url=False)]) from None
    names = _distinct(question.name or f"question {number}" for number, question in enumerate(form.questions, start=1))
    images: list[str] = []
    state = _state(form.input, images)
    questions = {name: _question(question, images) for name, question in zip(names, form.questions, strict=True)}
    value = {"model": form.model, "state": state, "questions": questions, "images": images}
    asked = read_request(Body(value, body.files, body.size_bytes), settings)
    return AskedDecisions(asked._replace(image_places=tuple(_image_places(form))), form.questions)


def decisions_body(decided: Decided, questions: list[Predicate | Choice | Score], total_ms: float) -> dict[str, Any]:
    """OpenAI's answer, our own facts under names with x_."""
    decision = decided.decision
    total = decision.usage["input_tokens"]
    usage = {
        "input_tokens": total,
        "input_tokens_details": {"cached_tokens": decision.reused_tokens, "cache_write_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": total,
    }
    answers = [_answer(question, answer) for question, answer in zip(questions, decision.answers.values(), strict=True)]
    body = {"model": decision.model, "answers": answers, "usage": usage, "x_timing_ms": timing(decided, total_ms)}
    if decision.truncated_tokens:
        body["x_truncated_tokens"] = decision.truncated_tokens
    if decision.calibration:
        body["x_calibration"] = decision.calibration
    return body


def _answer(question: Predicate | Choice | Score, answer: dict[str, Any]) -> dict[str, Any]:
    lead = {"type": question.type, "name": question.name}
    if isinstance(question, Predicate):
        return lead | {"probability": answer["noul"]}
    lead["confidence"] = answer["confidence"]
    probabilities = answer["probabilities"]
    if isinstance(question, Choice):
        values = _option_values(question)
        listed = [{"value": value, "probability": probabilities[name]} for name, value in values.items()]
        return lead | {"choice": values[answer["choice"]], "probabilities": listed}
    listed = [
        {"value": level, "label": question.levels[level].label, "probability": p}
        for level, p in enumerate(probabilities.values())
    ]
    return lead | {"score": answer["score"], "probabilities": listed}


def _question(question: Predicate | Choice | Score, images: list[str]) -> dict[str, Any]:
    asked = {"instructions": _content(question.instructions, images)}
    if isinstance(question, Predicate):
        return asked | {"type": "noul"}
    if isinstance(question, Score):
        levels = [
            level.label if level.description is None else {"label": level.label, "description": level.description}
            for level in question.levels
        ]
        return asked | {"type": "score", "criteria": levels}
    descriptions = (option.description for option in question.choices)
    return asked | {"type": "choice", "criteria": dict(zip(_option_values(question), descriptions, strict=True))}


def _option_values(question: Choice) -> dict[str, str | bool]:
    """Option id -> value. True and "true" are two options."""
    values = [option.value for option in question.choices]
    names = _distinct(value if isinstance(value, str) else str(value).lower() for value in values)
    return dict(zip(names, values, strict=True))


def _distinct(names: Iterable[str]) -> list[str]:
    """Arrays may repeat a name, objects may not: the second `a` becomes `a (2)`."""
    taken: dict[str, None] = {}
    for name in names:
        number, distinct = 1, name
        while distinct in taken:
            number += 1
            distinct = f"{name} ({number})"
        taken[distinct] = None
    return list(taken)


def _state(given: str | list[Any], images: list[str]) -> Any:
    """A lone text or message is the state itself; more become an array that says who spoke."""
    if isinstance(given, str):
        return given
    lone = len(given) == 1
    return _lone([_item(item, images, lone) for item in given if not _is_image(item, images)])


def _item(item: Any, images: list[str], lone: bool) -> Any:
    if isinstance(item, Message):
        content = _content(item.content, images)
        return content if lone and item.role == "user" else {"role": item.role, "content": content}
    if isinstance(item, Call):
        return {"type": item.type, "name": item.name, "input": item.arguments or item.input}
    if isinstance(item, CallOutput):
        return {"type": item.type, "output": _content(item.output, images)}
    return _part(item)


def _content(content: str | list[Any], images: list[str]) -> Any:
    if isinstance(content, str):
        return content
    return _lone([_part(part) for part in content if not _is_image(part, images)])


def _is_image(part: Any, images: list[str]) -> bool:
    """Whether it is one; it is then moved to `images`."""
    if isinstance(part, ImagePart):
        images.append(part.image_url)
    return isinstance(part, ImagePart)


def _image_places(form: DecisionsBody) -> Iterator[Place]:
    """Where the pictures were, in the order in which they are moved to `images`."""
    yield from _images_in(("input",), form.input)
    for index, question in enumerate(form.questions):
        yield from _images_in(("questions", index, "instructions"), question.instructions)


def _images_in(place: Place, content: Any) -> Iterator[Place]:
    for index, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, ImagePart):
            yield (*place, index, "image_url")
        elif isinstance(part, Message):
            yield from _images_in((*place, index, "content"), part.content)
        elif isinstance(part, CallOutput):
            yield from _images_in((*place, index, "output"), part.output)


def _part(part: TextPart | JsonPart | RefusalPart) -> Any:
    if isinstance(part, JsonPart):
        return part.data
    return part.text if isinstance(part, TextPart) else {"refusal": part.refusal}


def _lone(values: list[Any]) -> Any:
    return (values[0] if values else "") if len(values) < 2 else values
