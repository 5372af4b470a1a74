"""German, Spanish and French records to questions about what they hold."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from recipes.nano.asking import FOREIGN
from recipes.nano.case import Asked, Case, Split, choice, noul, part, pick
from recipes.nano.records import capital, key_of
from recipes.nano.values import near_code, several


class _Entry(NamedTuple):
    full: str
    bare: str
    kind: str
    said: str


def draw(random: Random, split: Split) -> Case:
    speech = FOREIGN[random.choice(("de", "de", "es", "fr"))]
    entries = _entries(random, split, speech, random.choice((4, 5, 6)))
    absent = entries.pop()
    asked: list[Asked] = []
    for entry in entries[:3]:
        asked.append(_lookup(random, split, speech, entry, entries))
        asked.append(_equality(random, split, speech, entry, entries))
    for entry, there in random.sample(((absent, False), (entries[0], True)), 2):
        negated = random.random() < 0.35
        text = _say(pick(random, speech["absent" if negated else "present"], split), entry)
        asked.append(noul(_id(random, entry), text, there != negated))
    state = _state(random, random.sample(entries, len(entries)), absent)
    return Case(state, tuple(asked), "facts")


def _entries(random: Random, split: Split, speech: dict[str, Any], number: int) -> list[_Entry]:
    names = [*part(speech["fields"], split), *((name, name) for name in speech["values"])]
    entries: list[_Entry] = []
    for full, kind in random.sample(names, min(number, len(names))):
        taken = tuple(entry.said for entry in entries)
        entries.append(_Entry(full, full.split(" ", 1)[1], kind, _value(random, split, speech, kind, taken)))
    return entries


def _value(random: Random, split: Split, speech: dict[str, Any], kind: str, taken: tuple[str, ...]) -> str:
    if kind in speech["values"]:
        return random.choice([word for word in speech["values"][kind].split() if word not in taken])
    return str(several(random, split, kind, 1, taken)[0])


def _say(text: str, entry: _Entry, value: str = "") -> str:
    return capital(text.format(f=entry.full, n=entry.bare, v=value))


def _id(random: Random, entry: _Entry) -> str:
    return random.choice(("q", "a", "frage", "campo", "dato")) if random.random() < 0.3 else key_of(entry.bare, "snake")


def _wrong(random: Random, split: Split, speech: dict[str, Any], entry: _Entry, entries: list[_Entry]) -> str:
    near = [other.said for other in entries if other.kind == entry.kind and other.said != entry.said]
    if near and random.random() < 0.5:
        return random.choice(near)
    if entry.kind in ("code", "date") and random.random() < 0.3:
        return near_code(random, entry.said)
    return _value(random, split, speech, entry.kind, (entry.said,))


def _lookup(random: Random, split: Split, speech: dict[str, Any], entry: _Entry, entries: list[_Entry]) -> Asked:
    wordings = speech["who"] if entry.kind == "person" and random.random() < 0.6 else speech["lookup"]
    wrong = {_wrong(random, split, speech, entry, entries) for _ in range(random.choice((1, 2, 3, 4)))}
    ids = sorted({entry.said, *wrong})
    random.shuffle(ids)
    return choice(_id(random, entry), _say(pick(random, wordings, split), entry), ids, entry.said)


def _equality(random: Random, split: Split, speech: dict[str, Any], entry: _Entry, entries: list[_Entry]) -> Asked:
    same = random.random() < 0.5
    value = entry.said if same else _wrong(random, split, speech, entry, entries)
    return noul(_id(random, entry), _say(pick(random, speech["equality"], split), entry, value), same)


def _state(random: Random, entries: list[_Entry], absent: _Entry) -> Any:
    style = random.choice(("snake", "snake", "title", "spaced", "camel"))
    held: dict[str, Any] = {key_of(entry.bare, style): entry.said for entry in entries}
    form = random.random()
    if form < 0.5:
        if random.random() < 0.5:
            held[key_of(absent.bare, style)] = None
        return held
    if form < 0.8:
        mark, join = random.choice(((": ", "\n"), (" = ", "\n"), (": ", "; ")))
        return join.join(f"{key}{mark}{value}" for key, value in held.items())
    return ". ".join(f"{capital(entry.full)}: {entry.said}" for entry in entries) + "."
