"""Templates, question phrasings and option names to text: what routing, tone and logs share.

A template holds `[a|b]` (one of them) and `{slot}` (an invented value). A phrasing `ask|s for help` becomes a question
or a statement by a frame; one that starts with `-` says the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Split, noul, pick

_HOLES = re.compile(r"\[([^\[\]]*)\]|\{(\w+)\}")
MARKS = "!+$#"
FRAMES = (
    "Does {subject} {base}?",
    "{subject} {third}.",
    "Does {subject} {base}? Answer yes or no.",
    "True if {subject} {third}.",
    "Check whether {subject} {third}.",
    "Decide if {subject} {third}.",
    "Is it true that {subject} {third}?",
    "Would you say that {subject} {third}?",
    "whether {subject} {third}",
    "Tell me if {subject} {third}.",
    "Answer true when {subject} {third}, false otherwise.",
    "Determine whether {subject} {third}.",
    "{subject} {third}: true or false?",
    "Say yes if {subject} {third}.",
    "From what is written here, does {subject} {base}?",
    "Find out whether {subject} {third}.",
    "Does {subject} clearly {base}?",
    "Is it the case that {subject} {third}?",
    "Flag this if {subject} {third}.",
    "Yes if {subject} {third}, else no.",
)
TEXTS = ("the message", "the text", "this message", "this text")
DENIALS = (
    "{subject} does not {base}.",
    "It is not true that {subject} {third}.",
    "True if {subject} does not {base}.",
    "{subject} never {third}.",
    "Answer yes when {subject} does not {base}.",
)
YES_NO = (
    ("yes", "no"),
    ("It does.", "It does not."),
    ("This is the case.", "This is not the case."),
    ("Clearly said in the text", "Not said in the text"),
    ("The text says so.", "The text says nothing of the kind."),
    ("the statement holds", "the statement does not hold"),
)
BARE_IDS = (
    "q",
    "q1",
    "question",
    "answer",
    "field",
    "check",
    "a",
    "decision",
    "result",
    "x",
    "value",
    "item_1",
    "output",
)


def lines(text: str) -> tuple[str, ...]:
    """The lines of a word list, without blank ones."""
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


def words(text: str) -> tuple[str, ...]:
    """The entries of a word list written with semicolons."""
    return tuple(entry.strip() for entry in text.replace("\n", " ").split(";") if entry.strip())


@dataclass(frozen=True)
class Told:
    """A sentence, the marks of its template and the slots that were filled."""

    text: str
    marks: str = ""
    slots: frozenset[str] = field(default_factory=frozenset)


Maker = Callable[[Random, Split], str]


def _amount(random: Random, split: Split) -> str:
    number = random.choice((f"{random.randrange(5, 999)}", f"{random.randrange(2, 400)}.{random.randrange(10, 99)}"))
    return random.choice(("{} euros", "${}", "{} €", "{} EUR", "£{}", "{} dollars")).format(number)


def _email(random: Random, split: Split) -> str:
    end = random.choice(("com", "org", "net", "example"))
    return f"{values.first_name(random, split).lower()}@{values.coin(random)}.{end}"


def _product(random: Random, split: Split) -> str:
    return pick(random, values.THINGS, split) if random.random() < 0.7 else values.coin(random).capitalize()


def _ip(random: Random, split: Split) -> str:
    return ".".join(str(random.randrange(1, 255)) for _ in range(4))


SLOTS: dict[str, Maker] = {
    "amount": _amount,
    "amount2": _amount,
    "order": lambda random, split: random.choice(("", "#", "no. ", "number ")) + values.code(random, split).upper(),
    "code": lambda random, split: random.choice(("E{}", "{}", "ERR-{}", "0x{}")).format(random.randrange(100, 999)),
    "n": lambda random, split: str(random.choice((random.randrange(5, 100), random.randrange(10, 60)))),
    "n2": lambda random, split: str(random.randrange(3, 12)),
    "name": values.person,
    "company": values.firm,
    "city": values.city,
    "product": _product,
    "email": _email,
    "ip": _ip,
    "domain": lambda random, split: (
        f"{values.coin(random)}-{values.coin(random)}.{random.choice(('xyz', 'info', 'biz'))}"
    ),
    "weekday": lambda random, split: random.choice(values.WEEKDAYS),
}


def worded(random: Random, asks: Sequence[str], split: Split) -> str | None:
    """The wording of a choice; one in twenty has none, and its id must do."""
    return None if random.random() < 0.05 else pick(random, asks, split)


def fill(
    template: str, random: Random, split: Split, slots: Mapping[str, Any] | None = None, used: set[str] | None = None
) -> str:
    """A template's text. `slots` holds further values or makers of values; `used` collects the slots written."""
    out = []
    for kind, piece in _pieces(template):
        if kind == "text":
            out.append(piece)
        elif kind == "or":
            out.append(fill(random.choice(piece), random, split, slots, used))
        else:
            value = slots[piece] if slots and piece in slots else SLOTS[piece]
            out.append(value(random, split) if callable(value) else str(value))
            if used is not None:
                used.add(piece)
    return "".join(out)


def tell(template: str, random: Random, split: Split, slots: Mapping[str, Any] | None = None) -> Told:
    """A sentence from a marked template; its first letter is made a capital."""
    body = template.lstrip(MARKS)
    used: set[str] = set()
    text = fill(body, random, split, slots, used)
    return Told(text[:1].upper() + text[1:], template[: len(template) - len(body)], frozenset(used))


@dataclass(frozen=True)
class Fact:
    """A yes/no question in many wordings: ids, English phrasings, and full questions in other languages."""

    ids: tuple[str, ...]
    phrasings: tuple[str, ...]
    native: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    says: tuple[tuple[str, str], ...] = YES_NO


def ask(fact: Fact, holds: bool, random: Random, split: Split, subjects: Sequence[str], language: str = "en") -> Asked:
    """The fact as a noul question; one in ten is put the other way round."""
    id = random.choice(fact.ids) if random.random() < 0.7 else random.choice(BARE_IDS)
    native = fact.native.get(language, ())
    if native and random.random() < 0.4:
        return noul(id, _native(random, split, native), holds)
    phrasing = pick(random, fact.phrasings, split)
    if phrasing.startswith("-"):
        return noul(id, phrasing[1:], not holds)
    if "|" not in phrasing:
        return _described(id, phrasing, holds, random, fact)
    base, third, rest = _verb(phrasing)
    denied = random.random() < 0.12
    frame = random.choice(DENIALS) if denied else pick(random, FRAMES, split)
    subjects = TEXTS if base in ("contain", "come") else subjects
    text = _framed(frame, random.choice(subjects), base, third, rest)
    text = text[0].upper() + text[1:] if random.random() < 0.93 else text
    return noul(id, text, not holds) if denied else _described(id, text, holds, random, fact)


def _verb(phrasing: str) -> tuple[str, str, str]:
    """`ask|s for help` -> ask, asks, for help; `be|~ angry` -> be, is, angry."""
    base, tail = phrasing.split("|", 1)
    ending, _, rest = tail.partition(" ")
    return base, {"~": "is", "^": "has"}.get(ending, base + ending), rest


def _framed(frame: str, subject: str, base: str, third: str, rest: str) -> str:
    if base == "be":
        frame = frame.replace("Does {subject} clearly {base}", "Is {subject} clearly {rest}")
        frame = frame.replace("does {subject} {base}", "is {subject} {rest}").replace(
            "does not {base}", "is not {rest}"
        )
        frame = frame.replace("Does {subject} {base}", "Is {subject} {rest}")
    text = frame.replace("{base}", "{base} {rest}").replace("{third}", "{third} {rest}")
    return text.format(subject=subject, base=base, third=third, rest=rest).replace(" ?", "?").replace(" .", ".")


def _described(id: str, text: str, holds: bool, random: Random, fact: Fact) -> Asked:
    if random.random() < 0.2:
        return noul(id, text, holds, *random.choice(fact.says))
    return noul(id, text, holds)


def _native(random: Random, split: Split, native: tuple[str, ...]) -> str:
    return pick(random, native, split)


@dataclass(frozen=True)
class Kind:
    """One possible answer of a choice: key names, and things that belong to it, of which descriptions are made.

    The first four names can be understood without a description. The things of a plain kind say the same in other
    words, so that one of them is the description.
    """

    keys: tuple[str, ...]
    things: tuple[str, ...]
    plain: bool = False


LISTS = (
    "{a}, {b} and {c}",
    "{a}, {b}",
    "{a} or {b}",
    "{a}",
    "{a}, {b}, {c}",
    "Anything about {a} or {b}",
    "Handles {a}, {b} and {c}",
    "Cases of {a}, {b}",
    "For {a} and {b}",
    "Responsible for {a}, {b}, {c}",
    "{a}; {b}; {c}",
    "{a}, for example {b}",
    "Use this for {a} and {b}.",
    "Everything that has to do with {a}, {b} and {c}.",
)
STYLES: tuple[Callable[[str], str], ...] = (
    lambda key: key.replace(" ", "_"),
    lambda key: key.replace(" ", "_"),
    lambda key: key.replace(" ", "_"),
    lambda key: key,
    lambda key: key.replace(" ", "-"),
    lambda key: key.capitalize(),
    lambda key: key.title(),
    lambda key: key.upper().replace(" ", "_"),
)


def style(random: Random) -> Callable[[str], str]:
    """How one question spells its option keys."""
    return random.choice(STYLES)


def options(
    kinds: Mapping[str, Kind], names: Sequence[str], random: Random, split: Split, endings: Sequence[str] = ("",)
) -> dict[str, tuple[str, str | None]]:
    """Names -> (key, description or None) for one question, in the given order; keys are distinct."""
    spell, ending = style(random), random.choice(endings)
    described = random.random()
    chosen: dict[str, tuple[str, str | None]] = {}
    for name in names:
        kind = kinds[name]
        some = described > 0.45 and (described > 0.6 or random.random() < 0.7)
        key = random.choice(kind.keys if some else kind.keys[:4])
        chosen[name] = (
            spell(key + ("" if kind.plain or ending in key else ending)),
            describe(kind, random, split) if some else None,
        )
    return chosen


def describe(kind: Kind, random: Random, split: Split) -> str:
    """A description of an option, made of things that belong to it."""
    if kind.plain:
        text = random.choice(kind.things)
    else:
        a, b, c = random.sample(kind.things, 3)
        text = pick(random, LISTS, split).format(a=a, b=b, c=c)
    return text[0].upper() + text[1:] if random.random() < 0.5 else text


@cache
def _pieces(template: str) -> tuple[tuple[str, Any], ...]:
    pieces: list[tuple[str, Any]] = []
    end = 0
    for hole in _HOLES.finditer(template):
        pieces.append(("text", template[end : hole.start()]))
        pieces.append(("or", tuple(hole[1].split("|"))) if hole[1] is not None else ("slot", hole[2]))
        end = hole.end()
    pieces.append(("text", template[end:]))
    return tuple(pieces)
