"""Invented records to questions about what they hold: lookups, equality, presence, states, flags, lists."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import asking, fields, records
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.families import facts_foreign, facts_lists
from recipes.nano.records import Field, capital, key_of, options, question_id, with_article, wrong_value
from recipes.nano.values import coin, several

NAME = "facts"
NOT_GIVEN = ("not given", "unknown", "none")
ADJECTIVES = ("colour", "level", "period", "size")
# Of these one record may hold several, and "where?" would not say which is meant.
ONE_OF_A_KIND = ("city", "country", "day", "weekday", "colour", "team", "level", "firm")
STATELESS = tuple(flag for flag in fields.FLAGS if not any(flag in group for group in fields.STATES))
PARTICIPLES = ("Has it been {v}?", "Has the {e} been {v}?", "Was it {v}?", "Was the {e} {v}?")


def draw(random: Random, split: Split) -> Case:
    form = random.random()
    if form < 0.10:
        return facts_lists.draw(random, split)
    if form < 0.25:
        return facts_foreign.draw(random, split)
    return _record(random, split)


def _record(random: Random, split: Split) -> Case:
    kind = random.choice(fields.ENTITIES)
    extra: dict[str, Any] = {}
    asked: list[Asked] = []
    state = random.random() < 0.55
    if random.random() < 0.6:
        asked += _flags(random, split, kind, extra, STATELESS if state else fields.FLAGS)
    # "Is it paid?" must have one place to look at.
    without = ("status", "level") if state or extra else ()
    number = max(2, random.choice((2, 3, 3, 4, 4, 5)) - len(extra) - state)
    verb = random.choice(list(fields.VERBS)) if random.random() < 0.5 else None
    verb = None if verb == "priority" and without else verb
    *chosen, absent = records.names(random, split, number + 1, without, verb)
    style = "snake" if extra else random.choice(records.KEY_STYLES)
    filled = _twin(random, records.fill(random, split, chosen, style))
    for field in random.sample(filled, 2):
        asked.append(_lookup(random, split, kind, field, filled))
        asked.append(_equality(random, split, kind, field, filled))
    asked += _verb(random, split, kind, filled) + _same(random, split, filled)
    asked.append(_present(random, split, kind, random.choice(filled).name, True))
    asked.append(_present(random, split, kind, absent[0], False))
    del asked[random.choice((-2, -1))]
    if random.random() < 0.15:
        extra[key_of(absent[0], style)] = None
    elif random.random() < 0.15:
        asked.append(_not_given(random, split, kind, absent[0], filled))
    if random.random() < 0.2:
        asked += _list(random, split, kind, filled, extra)
    asked += _state(random, split, kind, filled) if state else _adjective(random, split, kind, filled)
    return Case(records.as_state(random, split, kind, filled, extra), tuple(_once(asked)), NAME)


def _once(asked: list[Asked]) -> list[Asked]:
    return list({str(one.question["instructions"]): one for one in asked}.values())


def _twin(random: Random, filled: list[Field]) -> list[Field]:
    """Some records with two fields of one kind give both the same value."""
    for at, field in enumerate(filled):
        for other in filled[:at]:
            if other.kind == field.kind and random.random() < 0.2:
                return [*filled[:at], Field(field.name, field.key, field.kind, other.value), *filled[at + 1 :]]
    return filled


def _words(kind: str, name: str, **more: str) -> dict[str, str]:
    return {"e": kind, "f": name, "F": capital(name), "af": with_article(name)} | more


def _lookup(random: Random, split: Split, kind: str, field: Field, filled: list[Field]) -> Asked:
    text = pick(random, asking.LOOKUP, split).format(**_words(kind, field.name))
    found = options(random, split, field, filled)
    if random.random() < 0.06:
        found[found.index(field.said) - 1] = random.choice(NOT_GIVEN)
    return choice(question_id(random, field.name), text, found, field.said)


def _not_given(random: Random, split: Split, kind: str, name: str, filled: list[Field]) -> Asked:
    text = pick(random, asking.LOOKUP, split).format(**_words(kind, name))
    none = random.choice(NOT_GIVEN)
    found = {field.said: None for field in random.sample(filled, random.choice((1, 2)))} | {none: None}
    return choice(question_id(random, name), text, random.sample(list(found), len(found)), none)


def _equality(random: Random, split: Split, kind: str, field: Field, filled: list[Field]) -> Asked:
    holds = random.random() < 0.5
    value = field.said if holds else wrong_value(random, split, field, filled)
    text = pick(random, asking.EQUALITY, split).format(**_words(kind, field.name, v=value))
    return noul(question_id(random, field.name), text, holds)


def _present(random: Random, split: Split, kind: str, name: str, given: bool) -> Asked:
    text = pick(random, asking.PRESENT, split).format(**_words(kind, name))
    return noul(question_id(random, f"has {name}"), text, given)


def _verb(random: Random, split: Split, kind: str, filled: list[Field]) -> list[Asked]:
    """Who owns it, where is it: the question names the field by another word."""
    kinds = [field.kind for field in filled]
    for field in filled:
        if field.name in fields.VERBS and (field.kind not in ONE_OF_A_KIND or kinds.count(field.kind) == 1):
            what, whether = fields.VERBS[field.name]
            holds = random.random() < 0.5
            value = field.said if holds else wrong_value(random, split, field, filled)
            it = random.random() < 0.4
            what, whether = (text.replace("the {e}", "it") if it else text for text in (what, whether))
            found = options(random, split, field, filled)
            return [
                choice(question_id(random, field.name), what.format(e=kind), found, field.said),
                noul(question_id(random, field.name), whether.format(e=kind, v=value), holds),
            ]
    return []


def _same(random: Random, split: Split, filled: list[Field]) -> list[Asked]:
    pairs = [(a, b) for at, a in enumerate(filled) for b in filled[:at] if a.kind == b.kind]
    equal = [pair for pair in pairs if pair[0].value == pair[1].value]
    # As many pairs that differ as are equal.
    if not pairs or (not equal and random.random() > 0.32):
        return []
    a, b = random.sample(random.choice(equal or pairs), 2)
    text = pick(random, asking.SAME, split).format(f=a.name, F=capital(a.name), g=b.name)
    return [noul(question_id(random, f"same {a.kind}"), text, bool(equal))]


def _is(random: Random, split: Split, kind: str, word: str, holds: bool) -> Asked:
    done = word.endswith(("ed", "paid", "sent", "sold")) and random.random() < 0.3
    text = pick(random, PARTICIPLES if done else asking.STATE, split).format(e=kind, v=word)
    return noul(question_id(random, word if random.random() < 0.5 else "status"), text, holds)


def _state(random: Random, split: Split, kind: str, filled: list[Field]) -> list[Asked]:
    """Adds a state to the record and asks for it and for its opposite, without the field's name."""
    if random.random() < 0.3:
        word, other = coin(random), coin(random)
        value = word
    else:
        group = random.choice(fields.STATES)
        at = random.randrange(2)
        word, other = group[at], group[1 - at]
        value = word if random.random() < 0.75 else group[2 + at]
    name = random.choice(records.HEADS["status"])
    filled.append(Field(name, name, "status", value))
    return [_is(random, split, kind, word, True), _is(random, split, kind, other, False)]


def _adjective(random: Random, split: Split, kind: str, filled: list[Field]) -> list[Asked]:
    """Is it red, is it monthly?"""
    kinds = [field.kind for field in filled]
    for field in filled:
        if field.kind in ADJECTIVES and kinds.count(field.kind) == 1:
            holds = random.random() < 0.5
            value = field.said if holds else str(several(random, split, field.kind, 1, (field.said,))[0])
            return [_is(random, split, kind, value, holds)]
    return []


def _flags(random: Random, split: Split, kind: str, extra: dict[str, Any], flags: tuple[str, ...]) -> list[Asked]:
    """Adds booleans; where there are two, they mostly differ, so that the name must decide."""
    asked: list[Asked] = []
    holds = random.random() < 0.5
    for _ in range(random.choice((1, 2, 2, 3))):
        turn = random.random()
        if turn < 0.25:
            word = random.choice(fields.HAVINGS)
            text = pick(random, asking.HAVING, split).format(e=kind, a=with_article(word))
            key, one = random.choice((word, f"has_{word}")), noul(question_id(random, word), text, holds)
        else:
            word = coin(random) if turn < 0.4 else random.choice(flags)
            key, one = key_of(word, "snake"), _is(random, split, kind, word, holds)
        if not {key, word, f"has_{word}"} & extra.keys():
            extra[key] = holds
            asked.append(one)
        holds = not holds if random.random() < 0.75 else holds
    return asked


def _list(random: Random, split: Split, kind: str, filled: list[Field], extra: dict[str, Any]) -> list[Asked]:
    """Adds a list and asks for something in it and something that is not."""
    name, one, values = random.choice(fields.LISTS)
    if any(name in (field.key, f"{field.key}s") for field in filled) or name in extra:
        return []
    held = tuple(field.said for field in filled)
    *listed, new = map(str, several(random, split, values, random.choice((3, 4)), held))
    extra[name] = listed
    asked = []
    for holds in (True, False):
        value = random.choice(listed if holds else (new, random.choice(held)))
        text = pick(random, asking.MEMBER, split)
        text = text.format(v=value, l=name, o=one, ao=with_article(one), e=kind)
        asked.append(noul(question_id(random, name), text, holds))
    return asked
