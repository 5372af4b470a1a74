"""An invented record: its fields with their values, and the ways a state may write it down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from recipes.nano.case import Split, part, pick
from recipes.nano.fields import ENTITIES, FIELDS, MODIFIERS
from recipes.nano.values import several

KEY_STYLES = ("snake", "snake", "snake", "camel", "camel", "spaced", "title", "kebab", "pascal")
SENTENCES = (
    "The {f} is {v}.",
    "{F}: {v}.",
    "Its {f} is {v}.",
    "It has the {f} {v}.",
    "{v} is the {f}.",
    "As {f} we have {v}.",
    "The {f} was given as {v}.",
    "Under {f} it says {v}.",
    "The {e}'s {f} is {v}.",
    "We noted {v} as the {f}.",
    "{F} is {v}.",
    "The {f} of the {e} is {v}.",
)
OPENINGS = (
    "This is about {ae}.",
    "Notes on the {e}:",
    "We have {ae} here.",
    "{E}.",
    "Details of the {e}:",
    "Summary of {ae}.",
    "",
    "",
    "Here is what we know about the {e}.",
    "{E} record.",
)


@dataclass(frozen=True)
class Field:
    """One field: its name in words, its key as the state writes it, the value there, and the value as people say it."""

    name: str
    key: str
    kind: str
    value: Any
    said: str


def with_article(words: str) -> str:
    return f"{'an' if words[0].lower() in 'aeiou' and not words.startswith(('use', 'uni')) else 'a'} {words}"


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def key_of(words: str, style: str) -> str:
    """The name as a key: "due date" as due_date, dueDate, due-date, DueDate, Due date or due date."""
    parts = words.replace("-", " ").split()
    if style == "camel":
        return parts[0] + "".join(map(str.capitalize, parts[1:]))
    if style == "pascal":
        return "".join(map(str.capitalize, parts))
    if style == "title":
        return capital(words)
    return {"snake": "_", "kebab": "-", "spaced": " "}[style].join(parts)


def entity(random: Random, split: Split) -> str:
    return pick(random, ENTITIES, split)


def names(random: Random, split: Split, number: int) -> list[tuple[str, str]]:
    """`number` field names with their kinds; no two share a head unless both say which one they are."""
    chosen: list[tuple[str, str]] = []
    heads: set[str] = set()
    for head, kind in random.sample(part(FIELDS, split), len(part(FIELDS, split))):
        if len(chosen) >= number or any(word in heads for word in head.split()):
            continue
        heads |= set(head.split())
        if random.random() < 0.3:
            twins = random.sample(part(MODIFIERS, split), 2)
            pair = random.random() < 0.4 and len(chosen) + 1 < number
            chosen += [(f"{twin} {head}", kind) for twin in twins[: 2 if pair else 1]]
        else:
            chosen.append((head, kind))
    random.shuffle(chosen)
    return chosen


def written(random: Random, kind: str, value: Any, style: str) -> Any:
    """How the state writes a value that people say as `value`."""
    if kind == "status" and style != "plain":
        return value.replace(" ", "_").upper() if style == "upper" else value.replace(" ", "_")
    if kind in ("level", "plan", "colour", "weekday", "language") and style == "upper":
        return value.upper()
    return value


def fill(random: Random, split: Split, chosen: list[tuple[str, str]]) -> list[Field]:
    """Fields with values; values of one kind differ, except where two are made the same on purpose by the caller."""
    key_style = random.choice(KEY_STYLES)
    value_style = random.choice(("plain", "plain", "plain", "snake", "upper"))
    fields: list[Field] = []
    for name, kind in chosen:
        (value,) = several(random, split, kind, 1, tuple(field.said for field in fields))
        fields.append(Field(name, key_of(name, key_style), kind, written(random, kind, value, value_style), str(value)))
    return fields


def as_state(random: Random, split: Split, kind: str, fields: list[Field], extra: dict[str, Any]) -> Any:
    """The record as JSON, nested JSON, lines or prose; `extra` holds keys with lists, flags and nulls."""
    form = random.random()
    plain = {field.key: field.value for field in fields} | extra
    items = list(plain.items())
    random.shuffle(items)
    if form < 0.34:
        return plain
    if form < 0.46:
        return {key_of(kind, "snake"): plain}
    if form < 0.56:
        half = random.randrange(1, len(items)) if len(items) > 1 else 1
        section = random.choice(("details", "data", "info", "meta", "attributes", "fields", "extra", kind))
        return dict(items[:half]) | {section: dict(items[half:])}
    if form < 0.62:
        return json.dumps(dict(items), ensure_ascii=False, indent=random.choice((None, 2)))
    if form < 0.80 or extra:
        mark, join = random.choice(
            ((": ", "\n"), (": ", "\n"), (" = ", "\n"), (": ", "; "), ("=", " | "), (": ", ", "))
        )
        head = random.choice(("", "", f"{capital(kind)}\n", f"[{kind}]\n")) if join == "\n" else ""
        return head + join.join(f"{key}{mark}{as_text(value)}" for key, value in items)
    return prose(random, split, kind, fields)


def prose(random: Random, split: Split, kind: str, fields: list[Field]) -> str:
    """One sentence a field."""
    opening = pick(random, OPENINGS, split).format(e=kind, E=capital(kind), ae=with_article(kind))
    said = [
        pick(random, SENTENCES, split).format(f=field.name, F=capital(field.name), v=field.said, e=kind)
        for field in random.sample(fields, len(fields))
    ]
    return " ".join([*([opening] if opening else []), *map(capital, said)])


def as_text(value: Any) -> str:
    """A value in a line of text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) if value else "none"
    return str(value)
