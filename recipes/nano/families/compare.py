"""Numbers and dates to questions that compare: above, below, larger, earlier."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import records
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.fields import MODIFIERS
from recipes.nano.records import Field, capital, key_of, question_id
from recipes.nano.values import coin, date

NAME = "compare"
MEASURES = tuple(
    """price amount total budget balance salary rent weight height length distance temperature age duration speed memory
    latency stock quantity score fee deposit tax volume power rating discount width depth floor cost credit limit count
    size area load capacity target level refund tip fine bonus income debt""".split()
)
DATES = tuple("start end deadline arrival departure birthday expiry delivery release checkout payment review".split())
ABOVE = (
    "Is the {f} above {n}?", "Is the {f} more than {n}?", "Is the {f} greater than {n}?", "Is the {f} over {n}?",
    "Is the {f} higher than {n}?", "Does the {f} exceed {n}?", "Is the {f} larger than {n}?", "The {f} is above {n}.",
)  # fmt: skip
BELOW = (
    "Is the {f} below {n}?", "Is the {f} less than {n}?", "Is the {f} smaller than {n}?", "Is the {f} under {n}?",
    "Is the {f} lower than {n}?", "The {f} is below {n}.", "Does the {f} lie below {n}?", "The {f} is under {n}.",
)  # fmt: skip
LARGER = (
    "Which is larger, the {f} or the {g}?", "Which is greater, the {f} or the {g}?", "Which is higher, {f} or {g}?",
    "Which is more, the {f} or the {g}?", "What is larger, {f} or {g}?", "Which of {f} and {g} is larger?",
)  # fmt: skip
SMALLER = (
    "Which is smaller, the {f} or the {g}?", "Which is less, the {f} or the {g}?", "Which is lower, {f} or {g}?",
    "What is smaller, {f} or {g}?",
)  # fmt: skip
EARLIER = (
    "Which is earlier, the {f} or the {g}?", "Which comes first, the {f} or the {g}?", "Which is first, {f} or {g}?",
    "What comes earlier, {f} or {g}?",
)  # fmt: skip
LATER = (
    "Which is later, the {f} or the {g}?", "Which comes last, the {f} or the {g}?", "Which is last, {f} or {g}?",
    "What comes later, {f} or {g}?",
)  # fmt: skip
BEFORE = ("Is the {f} before {n}?", "Is the {f} earlier than {n}?", "Does the {f} come before {n}?", "{F} before {n}?")
AFTER = ("Is the {f} after {n}?", "Is the {f} later than {n}?", "Does the {f} come after {n}?", "{F} after {n}?")


def draw(random: Random, split: Split) -> Case:
    dates = random.random() < 0.2
    number = random.choice((2, 2, 3, 4))
    words = random.sample(DATES if dates else MEASURES, number)
    words = [coin(random) if random.random() < 0.15 else word for word in words]
    # Two of one measure, told apart by a word before it.
    if random.random() < 0.3:
        words[:2] = [f"{modifier} {words[0]}" for modifier in random.sample(MODIFIERS, 2)]
    values: list[Any] = [date(random, split) if dates else _near(random, None)]
    while len(values) < number:
        value = date(random, split) if dates else _near(random, values[0])
        if value not in values:
            values.append(value)
    style = random.choice(records.KEY_STYLES)
    shown = list(zip(words, random.sample(values, number), strict=True))
    filled = [Field(word, key_of(word, style), "date" if dates else "count", value) for word, value in shown]
    asked = [one for field in random.sample(filled, 2) for one in _against(random, split, field)]
    asked += _pair(random, split, *random.sample(filled, 2))
    return Case(records.as_state(random, split, "record", filled, {}), tuple(asked), NAME)


def _near(random: Random, value: int | None) -> int:
    """A number of one to four digits; where one is given, one third of its length that differs in the first digit."""
    if value is None or random.random() < 0.6:
        digits = random.choice((1, 2, 2, 3, 3, 4))
    else:
        digits = len(str(value))
    return random.randrange(10 ** (digits - 1), 10**digits)


def _against(random: Random, split: Split, field: Field) -> list[Asked]:
    """The field against a number or a day."""
    wordings = random.choice((BEFORE, AFTER) if field.kind == "date" else (BELOW, ABOVE))
    above = wordings in (ABOVE, AFTER)
    # The side is chosen first: both are as frequent for every value.
    limit = _beside(random, split, field.value, random.random() < 0.5)
    if limit is None:
        return []
    text = pick(random, wordings, split).format(f=field.name, F=capital(field.name), n=limit)
    return [noul(question_id(random, field.name), text, (field.value > limit) == above)]


def _beside(random: Random, split: Split, value: Any, below: bool) -> Any:
    """Another number or day below or above the value; None if there is hardly any."""
    for _ in range(30):
        limit = date(random, split) if isinstance(value, str) else _near(random, value)
        if limit != value and (limit < value) == below:
            return limit
    return None


def _pair(random: Random, split: Split, a: Field, b: Field) -> list[Asked]:
    words = {"f": a.name, "F": capital(a.name), "g": b.name, "n": f"the {b.name}"}
    dates, more = a.kind == "date", random.random() < 0.5
    wordings = (LATER if more else EARLIER) if dates else (LARGER if more else SMALLER)
    right = a if (a.value > b.value) == more else b
    named = random.sample((a.name, b.name), 2)
    asked = [choice(question_id(random, "which"), pick(random, wordings, split).format(**words), named, right.name)]
    above = random.random() < 0.5
    wordings = (AFTER if above else BEFORE) if dates else (ABOVE if above else BELOW)
    text = pick(random, wordings, split).format(**words)
    return [*asked, noul(question_id(random, a.name), text, (a.value > b.value) == above)]
