"""German, Spanish and French records: lookups, equality, presence, flags."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import records
from recipes.nano.asking import FOREIGN
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.records import Field, capital, options, question_id, wrong_value
from recipes.nano.values import several

STATUS = ("der Status", "el estado", "le statut")


def draw(random: Random, split: Split) -> Case:
    said = FOREIGN[random.choice(list(FOREIGN))]
    entries = [entry.strip().split("=") for entry in said["fields"].replace("\n   ", "").split(";")]
    lower = random.random() < 0.3

    def text(kind: str, name: str, value: str = "") -> str:
        noun = name.split(" ", 1)[1]
        return capital(pick(random, said[kind], split).format(f=name, n=noun, v=value))

    *chosen, absent = random.sample(entries, random.choice((3, 4, 5)))
    filled: list[Field] = []
    for name, kind in chosen:
        (value,) = several(random, split, kind, 1, tuple(field.said for field in filled))
        filled.append(Field(name, _key(name, lower), kind, value))
    asked: list[Asked] = []
    for field in random.sample(filled, 2):
        found = options(random, split, field, filled)
        asked.append(choice(question_id(random, field.key), text("lookup", field.name), found, field.said))
        holds = random.random() < 0.5
        value = field.said if holds else wrong_value(random, split, field, filled)
        asked.append(noul(question_id(random, field.key), text("equality", field.name, value), holds))
    name, given = random.choice(((random.choice(filled).name, True), (absent[0], False)))
    asked.append(noul(question_id(random, _key(name, lower)), text("present", name), given))
    state: Any = {field.key: field.value for field in filled}
    # A status beside it might contradict the flag.
    if random.random() < 0.4 and not any(field.name in STATUS for field in filled):
        holds = random.random() < 0.5
        for flag in random.sample(said["flags"].split(), 2):
            state[flag] = holds
            asked.append(noul(question_id(random, flag), pick(random, said["state"], split).format(v=flag), holds))
            holds = not holds
    elif random.random() < 0.3:
        state = records.as_lines(random, random.sample(list(state.items()), len(state)))
    return Case(state, tuple(asked), "facts")


def _key(name: str, lower: bool) -> str:
    noun = name.split(" ", 1)[1].replace(" ", "_")
    return noun.lower() if lower else noun
