"""An invented record: its fields with their values, how a state may write it down, and what questions may offer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Any

from recipes.nano.asking import SENTENCES
from recipes.nano.case import Split, pick
from recipes.nano.fields import FIELDS, MODIFIERS
from recipes.nano.values import coin, several

HEADS: dict[str, list[str]] = {}
for _head, _kind in FIELDS:
    HEADS.setdefault(_kind, []).append(_head)
KEY_STYLES = ("snake", "snake", "snake", "snake", "snake", "snake", "camel", "spaced", "title")


@dataclass(frozen=True)
class Field:
    """One field: its name in words, its key as the state writes it, its kind and its value."""

    name: str
    key: str
    kind: str
    value: Any

    @property
    def said(self) -> str:
        return str(self.value)


def with_article(words: str) -> str:
    return f"{'an' if words[0].lower() in 'aeiou' and not words.startswith(('use', 'uni')) else 'a'} {words}"


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def key_of(words: str, style: str) -> str:
    """The name as a key: "due date" as due_date, dueDate, Due date or due date."""
    parts = words.replace("-", " ").split()
    if style == "camel":
        return parts[0] + "".join(map(str.capitalize, parts[1:]))
    if style == "title":
        return capital(words)
    return {"snake": "_", "spaced": " "}[style].join(parts)


def names(
    random: Random, split: Split, number: int, without: Collection[str] = (), first: str | None = None
) -> list[tuple[str, str]]:
    """`number` field names with their kinds, none of `without`; often two of one kind, so that the name must decide.

    No two share a word, unless both say which one they are, as billing city and shipping city do.
    """
    kinds = [kind for kind in HEADS if kind not in without]
    weights = [len(HEADS[kind]) ** 0.5 for kind in kinds]
    chosen: dict[str, str] = {}
    while len(chosen) < number:
        if first:
            name, kind, first = first, dict(FIELDS)[first], None
        else:
            (kind,) = random.choices(kinds, weights)
            name = _name(random, kind)
        if _shares(name, chosen):
            continue
        chosen[name] = kind
        if len(chosen) < number and random.random() < 0.65:
            modifier, *head = name.split()
            if head and modifier in MODIFIERS and random.random() < 0.6:
                other = random.choice([word for word in MODIFIERS if word != modifier])
                chosen.setdefault(" ".join((other, *head)), kind)
            elif not _shares(other := _name(random, kind), chosen):
                chosen[other] = kind
    return random.sample(list(chosen.items()), number)


def _shares(name: str, chosen: Collection[str]) -> bool:
    return bool(set(name.split()) & {word for other in chosen for word in other.split()})


def _name(random: Random, kind: str) -> str:
    turn = random.random()
    if turn < 0.15:
        return coin(random)
    head = random.choice(HEADS[kind])
    return f"{random.choice(MODIFIERS)} {head}" if turn < 0.35 and " " not in head else head


def fill(random: Random, split: Split, chosen: list[tuple[str, str]], style: str | None = None) -> list[Field]:
    """Fields with values that all differ."""
    style = style or random.choice(KEY_STYLES)
    fields: list[Field] = []
    for name, kind in chosen:
        (value,) = several(random, split, kind, 1, tuple(field.said for field in fields))
        fields.append(Field(name, key_of(name, style), kind, value))
    return fields


def as_state(random: Random, split: Split, kind: str, fields: list[Field], extra: dict[str, Any]) -> Any:
    """The record as JSON, nested JSON, lines or prose; `extra` holds keys with lists, flags and nulls."""
    form = random.random()
    plain = {field.key: field.value for field in fields} | extra
    if form < 0.5:
        return plain
    items = random.sample(list(plain.items()), len(plain))
    if form < 0.6:
        return {key_of(kind, "snake"): plain}
    if form < 0.67:
        half = random.randrange(1, len(items))
        return dict(items[:half]) | {random.choice(("details", "data", "info", kind)): dict(items[half:])}
    if form < 0.82 or extra:
        return as_lines(random, items)
    kind = f"{kind} {several(random, split, 'code', 1)[0]}" if random.random() < 0.4 else kind
    said = [
        pick(random, SENTENCES, split).format(f=field.name, F=capital(field.name), v=field.said, e=kind)
        for field in random.sample(fields, len(fields))
    ]
    return " ".join(map(capital, said))


def as_lines(random: Random, items: list[tuple[str, Any]]) -> str:
    """One line a field; keys as they are, or as people write them."""
    shown = random.choice((str, lambda key: key.replace("_", " "), lambda key: capital(key.replace("_", " "))))
    join = random.choice(("\n", "\n", ", ", "; "))
    return join.join(f"{shown(key)}: {as_text(value)}" for key, value in items)


def as_text(value: Any) -> str:
    """A value in a line of text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) if value else "none"
    return str(value)


def question_id(random: Random, words: str) -> str:
    """A question's id: mostly telling, sometimes not."""
    if random.random() < 0.3:
        return random.choice(("q", "q1", "answer", "check", "question", "value"))
    return words.lower().replace(" ", "_").replace("-", "_")


def wrong_value(random: Random, split: Split, field: Field, filled: list[Field]) -> str:
    """A value the field does not have, often one that another field of its kind holds."""
    others = [other for other in filled if other.said != field.said]
    near = [other.said for other in others if other.kind == field.kind]
    if near and random.random() < 0.7:
        return random.choice(near)
    if others and random.random() < 0.2:
        return random.choice(others).said
    return str(several(random, split, field.kind, 1, tuple(one.said for one in filled))[0])


def options(random: Random, split: Split, field: Field, filled: list[Field]) -> list[str]:
    """Two to five options; the wrong ones are other values of the state, or new ones of the field's kind."""
    number = random.choice((1, 2, 2, 3, 4))
    others = [other for other in filled if other.said != field.said]
    others = sorted(random.sample(others, len(others)), key=lambda other: other.kind != field.kind)
    wrong = list(dict.fromkeys(other.said for other in others))[:number]
    if not wrong or random.random() < 0.35:
        held = tuple(one.said for one in filled)
        wrong = [str(value) for value in several(random, split, field.kind, number, held)]
    return random.sample((field.said, *wrong), len(wrong) + 1)
