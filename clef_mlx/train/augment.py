"""One labelled request -> the same decision said otherwise: questions shuffled, ids renamed, descriptions dropped.

The labels go along: they stay with their options, wherever a new name sorts them.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from clef_mlx.schema import Option, Question, render
from clef_mlx.train.settings import TrainSettings

Target = tuple[float, ...] | None
SHORTEST_WORD = 3  # letters of an option id that may say what it means


class Asked(NamedTuple):
    """A question and the right distribution over its options, in their order."""

    question: Question
    target: Target


def augment(asked: Sequence[Asked], settings: TrainSettings, random: Random) -> list[Asked]:
    """Draw one variant. Noul's and score's options keep their fixed ids and order."""
    variant = list(asked)
    if random.random() < settings.shuffle:
        random.shuffle(variant)
    if random.random() < settings.rename:
        names = _fresh_names(len(variant), random)
        # Without instructions the id is the question, which schema has put in their place already.
        variant = [
            one._replace(question=replace(one.question, id=name)) for one, name in zip(variant, names, strict=True)
        ]
    return [_with_other_options(one, settings, random) for one in variant]


def _with_other_options(one: Asked, settings: TrainSettings, random: Random) -> Asked:
    """Drop descriptions where the ids alone still say what is meant, or else give a choice's options other ids."""
    question = one.question
    if random.random() < settings.drop_descriptions and _ids_speak(question):
        return one._replace(question=replace(question, options=_without_descriptions(question.options)))
    if question.type == "choice" and random.random() < settings.rename:
        return _with_other_ids(one, random)
    return one


def _ids_speak(question: Question) -> bool:
    if question.type == "score":
        return False
    return all(sum(letter.isalpha() for letter in option.option_id) >= SHORTEST_WORD for option in question.options)


def _without_descriptions(options: tuple[Option, ...]) -> tuple[Option, ...]:
    return tuple(replace(option, description=None) for option in options)


def _with_other_ids(one: Asked, random: Random) -> Asked:
    """Name options neutrally, in random order; what their ids said goes to the front of their descriptions."""
    question = one.question
    names = _fresh_names(len(question.options), random)
    random.shuffle(names)
    targets = one.target or (None,) * len(question.options)
    renamed = sorted(zip(names, question.options, targets, strict=True), key=lambda item: item[0])
    options = tuple(Option(name, _described(option)) for name, option, _ in renamed)
    new_ids = {option.option_id: name for name, option, _ in renamed}
    order = tuple(new_ids[option_id] for option_id in question.request_order)
    target = None if one.target is None else tuple(share for _, _, share in renamed)
    return Asked(replace(question, options=options, request_order=order), target)


def _described(option: Option) -> Any:
    said = option.option_id.replace("_", " ")
    return said if option.description in (None, "") else f"{said}: {render(option.description)}"


def _fresh_names(count: int, random: Random) -> list[str]:
    """Names without meaning, in their own order: q1, q2; a, b; option_4, option_5."""
    first = random.randrange(1, 4)
    style = random.choice(("letter", "capital", "q", "field_", "option_", "item"))
    if style in ("letter", "capital") and count <= len(string.ascii_lowercase):
        return list((string.ascii_lowercase if style == "letter" else string.ascii_uppercase)[:count])
    return [f"{style}{first + index}" for index in range(count)]
