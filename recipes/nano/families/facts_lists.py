"""Lists of two or three records to questions about one of them."""

from __future__ import annotations

import json
from random import Random

from recipes.nano import asking, records
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.records import Field, capital, options, question_id, wrong_value
from recipes.nano.values import several

NAMED = ("person", "person", "person", "firm", "thing", "city")


def draw(random: Random, split: Split) -> Case:
    number = random.choice((2, 2, 3))
    named, kind = ("id", "code") if random.random() < 0.3 else ("name", random.choice(NAMED))
    called = [str(value) for value in several(random, split, kind, number)]
    chosen = records.names(random, split, random.choice((1, 1, 2)))
    style = random.choice(records.KEY_STYLES)
    rows: list[list[Field]] = []
    for _ in called:
        held = [field.said for row in rows for field in row]
        row: list[Field] = []
        for name, kind in chosen:
            taken = (*called, *held, *(field.said for field in row))
            (value,) = several(random, split, kind, 1, taken)
            row.append(Field(name, records.key_of(name, style), kind, value))
        rows.append(row)
    asked: list[Asked] = []
    every = [field for row in rows for field in row]
    for at in random.sample(range(number), 2):
        field = random.choice(rows[at])
        words = {"i": called[at], "f": field.name, "F": capital(field.name)}
        text = pick(random, asking.RECORD_LOOKUP, split).format(**words)
        asked.append(choice(question_id(random, field.name), text, options(random, split, field, every), field.said))
        holds = random.random() < 0.5
        value = field.said if holds else wrong_value(random, split, field, every)
        text = pick(random, asking.RECORD_EQUALITY, split).format(v=value, **words)
        asked.append(noul(question_id(random, field.name), text, holds))
    text = pick(random, asking.WHICH_RECORD, split).format(f=field.name, v=field.said)
    asked.append(choice(question_id(random, named), text, random.sample(called, number), called[at]))
    table = [{named: name} | {field.key: field.value for field in row} for name, row in zip(called, rows, strict=True)]
    return Case(_written(random, table), tuple(asked), "facts")


def _written(random: Random, table: list[dict[str, str]]) -> object:
    form = random.random()
    if form < 0.5:
        return table
    if form < 0.65:
        return {random.choice(("items", "records", "entries", "list", "rows")): table}
    if form < 0.75:
        return json.dumps(table, ensure_ascii=False)
    return "\n".join(", ".join(f"{key}: {value}" for key, value in row.items()) for row in table)
