"""Invented records to questions about what they hold: lookups, equality, presence, lists, flags, same or different."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import asking, fields, records
from recipes.nano.case import Asked, Case, Split, choice, noul, part, pick
from recipes.nano.families import facts_events, facts_foreign, facts_lists
from recipes.nano.records import Field, capital, with_article
from recipes.nano.values import near_code, several

NAME = "facts"
NONE_OPTIONS = ("none of these", "not given", "unknown", "not stated", "none", "missing", "no value", "other")


def draw(random: Random, split: Split) -> Case:
    form = random.random()
    if form < 0.43:
        return _record(random, split)
    if form < 0.5:
        return _told(random, split)
    if form < 0.62:
        return facts_events.draw(random, split)
    if form < 0.82:
        return facts_lists.draw(random, split)
    return facts_foreign.draw(random, split)


def _record(random: Random, split: Split) -> Case:
    kind = records.entity(random, split)
    chosen = records.names(random, split, random.choice((4, 5, 6, 7, 8)))
    absent = [chosen.pop() for _ in range(random.choice((1, 2)))]
    filled = _twin(random, records.fill(random, split, chosen))
    style = random.choice(records.KEY_STYLES)
    extra: dict[str, Any] = {}
    asked: list[Asked] = []
    asked += _about_absent(random, split, kind, absent, extra, style)
    for parts, chance in ((_flag, 0.35), (_list, 0.3), (_meaning, 0.35)):
        if parts is _meaning and any(field.kind == "status" for field in filled):
            continue  # two states would make its question ambiguous
        if random.random() < chance:
            asked += parts(random, split, kind, extra, style, {field.key for field in filled})
    for field in random.sample(filled, min(3, len(filled))):
        asked.append(_lookup(random, split, kind, field, filled))
        asked.append(_equality(random, split, kind, field, filled))
    asked.append(_present(random, split, kind, random.choice(filled)))
    asked += _same(random, split, filled)
    asked.append(_which_field(random, split, filled))
    return Case(records.as_state(random, split, kind, filled, extra), tuple(asked), NAME)


def _told(random: Random, split: Split) -> Case:
    """A sentence on one record's state, as people write it, and what follows from it."""
    kind = records.entity(random, split)
    _, meanings, questions = random.choice(fields.MEANINGS[:11])
    truth = random.random() < 0.5
    word = random.choice([word for word, meant in meanings.items() if meant == truth])
    other = random.choice([word for word, meant in meanings.items() if meant != truth])
    number, stranger = map(str, several(random, split, "code", 2))
    owner, helper, third = map(str, several(random, split, "person", 3))
    words = {"e": kind, "E": capital(kind), "i": number, "p": owner, "h": helper, "w": word}
    texts = {pick(random, questions, split).format(e=kind) for _ in range(2)}
    asked = [yes_no(random, "state", text, truth) for text in sorted(texts)]
    for said in random.sample((word, other), 2):
        text = pick(random, asking.SAID_STATE, split).format(e=kind, v=said)
        asked.append(yes_no(random, "status", text, said == word))
    text = pick(random, asking.WHOSE, split).format(e=kind)
    asked.append(choice(_id(random, "owner"), text, random.sample((owner, helper, third), 3), owner))
    value = random.choice((owner, owner, helper, third))
    text = pick(random, asking.IS_WHOSE, split).format(e=kind, v=value)
    asked.append(yes_no(random, "owner", text, value == owner))
    text = pick(random, asking.WHICH_NUMBER, split).format(e=kind)
    asked.append(choice(_id(random, "number"), text, random.sample((number, stranger), 2), number))
    return Case(pick(random, asking.TOLD, split).format(**words), tuple(asked), NAME)


def _twin(random: Random, filled: list[Field]) -> list[Field]:
    """Half of the records with two fields of one kind give both the same value."""
    for at, field in enumerate(filled):
        for other in filled[:at]:
            if other.kind == field.kind and random.random() < 0.5:
                same = Field(field.name, field.key, field.kind, other.value, other.said)
                return [*filled[:at], same, *filled[at + 1 :]]
    return filled


def _words(kind: str, field: Field, **more: str) -> dict[str, str]:
    return {
        "e": kind,
        "f": field.name,
        "F": capital(field.name),
        "k": field.key,
        "af": with_article(field.name),
        "v": field.said,
    } | more


def _id(random: Random, *words: str) -> str:
    """A question's id: mostly telling, sometimes not."""
    if random.random() < 0.25:
        return random.choice(("q", "a", "b", "x", "field", "q1", "q2", "answer", "check", "question", "item"))
    return "_".join(words).replace(" ", "_").replace("-", "_")


def wrong_value(random: Random, split: Split, field: Field, filled: list[Field]) -> str:
    """A value the field does not have: often one that another field holds, or the right one with a changed digit."""
    near = [other.said for other in filled if other.kind == field.kind and other.said != field.said]
    any_other = [other.said for other in filled if other.said != field.said]
    turn = random.random()
    if near and turn < 0.5:
        return random.choice(near)
    if any_other and turn < 0.15:
        return random.choice(any_other)
    if field.kind in ("code", "phone", "date") and turn > 0.75:
        return near_code(random, field.said)
    return str(several(random, split, field.kind, 1, (field.said,))[0])


def options(random: Random, split: Split, field: Field, filled: list[Field], said: str | None) -> list[str]:
    """Two to six options of the field's kind, `said` among them unless None; the field's value is in no other way."""
    number = random.choice((1, 2, 2, 3, 3, 4, 5))
    near = [other.said for other in filled if other.kind == field.kind and other.said != field.said]
    found = list(dict.fromkeys(near))[: number - 1] if random.random() < 0.8 else []
    taken = (field.said, *found)
    found += [str(value) for value in several(random, split, field.kind, number - len(found), taken)]
    return found if said is None else [*found, said]


def worded(random: Random, ids: list[str], label: str, f: str) -> tuple[dict[str, Any], str]:
    """Options as ids alone, with descriptions, or as letters that the descriptions explain."""
    ids = random.sample(ids, len(ids))
    turn = random.random()
    if turn < 0.72:
        return dict.fromkeys(ids), label
    if turn < 0.84:
        form = random.choice(("The {f} is {v}.", "{v} as {f}", "{f}: {v}", "It is {v}.", "{v}"))
        return {id: form.format(f=f, v=id) for id in ids}, label
    mark = random.choice(("option_{}", "{}", "o{}", "choice {}", "opt{}"))
    letters = [mark.format(letter) for letter in random.choice(("abcdefgh", "12345678"))]
    named = dict(zip(letters, ids, strict=False))
    return named, next(letter for letter, id in named.items() if id == label)


def _lookup(random: Random, split: Split, kind: str, field: Field, filled: list[Field]) -> Asked:
    wordings = {"person": asking.WHO, "city": asking.WHERE, "date": asking.WHEN}.get(field.kind)
    wordings = wordings if wordings and random.random() < 0.45 else asking.LOOKUP
    text = pick(random, wordings, split).format(**_words(kind, field))
    found = options(random, split, field, filled, field.said)
    if random.random() < 0.15:
        found = [*found, pick(random, NONE_OPTIONS, split)]
    ids, label = worded(random, found, field.said, field.name)
    return choice(_id(random, field.name), text, ids, label)


def _equality(random: Random, split: Split, kind: str, field: Field, filled: list[Field]) -> Asked:
    same, negated = random.random() < 0.5, random.random() < 0.12
    value = field.said if same else wrong_value(random, split, field, filled)
    text = pick(random, asking.DIFFERENCE if negated else asking.EQUALITY, split)
    if random.random() < 0.12:
        value = value.upper() if random.random() < 0.3 else value.capitalize()
    id = _id(random, random.choice(("is", "check", "has", "same")), field.name)
    return yes_no(random, id, text.format(**_words(kind, field, v=value)), same != negated)


def yes_no(random: Random, id: str, text: str, label: bool) -> Asked:
    said = random.choice(asking.YES_NO) if random.random() < 0.12 else (None, None)
    return noul(id, text, label, *said)


def _about_absent(
    random: Random, split: Split, kind: str, absent: list[tuple[str, str]], extra: dict[str, Any], style: str
) -> list[Asked]:
    """Fields that are not there at all, or null, or empty."""
    asked = []
    for name, value_kind in absent:
        key = records.key_of(name, style)
        field = Field(name, key, value_kind, None, "")
        if random.random() < 0.5:
            extra[key] = random.choice((None, None, ""))
        negated = random.random() < 0.4
        text = pick(random, asking.ABSENT if negated else asking.PRESENT, split).format(**_words(kind, field))
        asked.append(yes_no(random, _id(random, "has", name), text, negated))
    if random.random() < 0.4:
        text = pick(random, asking.LOOKUP, split).format(**_words(kind, field))
        none = pick(random, NONE_OPTIONS, split)
        ids, label = worded(random, [*options(random, split, field, [], None), none], none, name)
        asked.append(choice(_id(random, name), text, ids, label))
    return asked


def _present(random: Random, split: Split, kind: str, field: Field) -> Asked:
    negated = random.random() < 0.4
    text = pick(random, asking.ABSENT if negated else asking.PRESENT, split).format(**_words(kind, field))
    return yes_no(random, _id(random, "has", field.name), text, not negated)


def _flag(random: Random, split: Split, kind: str, extra: dict[str, Any], style: str, taken: set[str]) -> list[Asked]:
    """Yes/no fields: active, is_active, has_warranty."""
    asked = []
    for word in random.sample(part(fields.FLAGS, split), random.choice((1, 2, 2))):
        key = records.key_of(f"{random.choice(('', '', 'is '))}{word}", style)
        value, negated = random.random() < 0.5, random.random() < 0.12
        if key in taken:
            continue
        extra[key] = value
        text = pick(random, asking.NO_FLAG if negated else asking.FLAG, split)
        text = text.format(e=kind, a=word, aa=with_article(word), k=key)
        asked.append(yes_no(random, _id(random, "is", word), text, value != negated))
    if random.random() < 0.5:
        word = pick(random, fields.HAVINGS, split)
        key = records.key_of(f"has {word}", style)
        extra[key] = random.random() < 0.5
        text = pick(random, asking.HAVING, split).format(e=kind, a=with_article(word))
        asked.append(yes_no(random, _id(random, "has", word), text, extra[key]))
    return asked


def _list(random: Random, split: Split, kind: str, extra: dict[str, Any], style: str, taken: set[str]) -> list[Asked]:
    """A list of values: what is in it, what is not, whether it is empty."""
    name, one, value_kind = pick(random, fields.LISTS, split)
    key = records.key_of(name, style)
    if key in taken:
        return []
    values = [str(value) for value in several(random, split, value_kind, 7)]
    inside, outside = values[: random.choice((1, 2, 3, 4))], values[5:]
    extra[key] = inside
    words = {"l": name, "o": one, "ao": with_article(one), "k": key, "e": kind}
    asked = []
    for label in random.sample((True, False), 2):
        value = random.choice(inside if label else outside)
        text = pick(random, asking.MEMBER, split).format(v=value, **words)
        asked.append(yes_no(random, _id(random, random.choice(("has", "in", "includes")), one), text, label))
    value = random.choice(inside)
    text = pick(random, asking.WHICH_MEMBER, split).format(**words)
    ids, label = worded(random, [*outside[: random.choice((1, 2, 3))], value], value, one)
    asked.append(choice(_id(random, one), text, ids, label))
    if len(inside) > 1:
        text = pick(random, asking.WHICH_NO_MEMBER, split).format(**words)
        ids, label = worded(random, [*inside[:3], outside[0]], outside[0], one)
        asked.append(choice(_id(random, "missing", one), text, ids, label))
    return asked


def _meaning(
    random: Random, split: Split, kind: str, extra: dict[str, Any], style: str, taken: set[str]
) -> list[Asked]:
    """A state word whose meaning answers the question."""
    names, meanings, questions = random.choice(fields.MEANINGS)
    key = records.key_of(random.choice(names), style)
    if key in taken:
        return []
    truth = random.random() < 0.5
    word = random.choice([word for word, meant in meanings.items() if meant == truth])
    shape = random.random()
    extra[key] = word if shape < 0.6 else word.upper() if shape < 0.7 else word.replace(" ", "_")
    number = random.choice((1, 1, 2))
    texts = {pick(random, questions, split).format(e=kind) for _ in range(number)}
    return [yes_no(random, _id(random, "is", random.choice(names)), text, truth) for text in sorted(texts)]


def _same(random: Random, split: Split, filled: list[Field]) -> list[Asked]:
    """Two fields of one kind: do they agree?"""
    pairs = [(a, b) for at, b in enumerate(filled) for a in filled[:at] if a.kind == b.kind]
    if not pairs:
        return []
    a, b = random.choice([pair for pair in pairs if pair[0].said == pair[1].said] or pairs)
    a, b = random.sample((a, b), 2)
    negated = random.random() < 0.35
    text = pick(random, asking.DIFFERENT if negated else asking.SAME, split)
    text = text.format(f=a.name, F=capital(a.name), g=b.name, k=a.key, h=b.key)
    return [yes_no(random, _id(random, "same", a.kind), text, (a.said == b.said) != negated)]


def _which_field(random: Random, split: Split, filled: list[Field]) -> Asked:
    """From the value back to the field."""
    single = [a for a in filled if sum(a.said == b.said for b in filled) == 1]
    if not single or len(filled) < 2:
        return _present(random, split, "record", filled[0])
    field = random.choice(single)
    others = [other.name for other in filled if other is not field]
    wrong = random.sample(others, min(len(others), random.choice((1, 2, 3))))
    text = pick(random, asking.WHICH_FIELD, split).format(v=field.said)
    ids, label = worded(random, [field.name, *wrong], field.name, "answer")
    return choice(_id(random, "field", "of"), text, ids, label)
