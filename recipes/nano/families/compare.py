"""Numbers, dates and lists to questions that compare: above a limit, larger, enough, before, how many."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from recipes.nano import records
from recipes.nano.asking import FOREIGN
from recipes.nano.case import Asked, Case, Split, choice, noul, part, pick
from recipes.nano.fields import LISTS, MODIFIERS
from recipes.nano.records import capital, key_of
from recipes.nano.values import date, person, several, thing

NAME = "compare"
MEASURES: tuple[tuple[str, str], ...] = (
    # name, unit
    ("price", "EUR"), ("amount", "EUR"), ("total", "USD"), ("budget", "EUR"), ("balance", "CHF"), ("salary", "USD"),
    ("rent", "EUR"), ("weight", "kg"), ("height", "cm"), ("length", "m"), ("distance", "km"), ("temperature", "C"),
    ("age", "years"), ("duration", "minutes"), ("waiting time", "hours"), ("speed", "km/h"), ("disk usage", "GB"),
    ("memory", "MB"), ("latency", "ms"), ("error count", ""), ("visitors", ""), ("seats", ""), ("stock", "pieces"),
    ("quantity", ""), ("score", "points"), ("pages", ""), ("attempts", ""), ("retries", ""), ("fee", "USD"),
    ("deposit", "EUR"), ("tax", "EUR"), ("volume", "liters"), ("power", "W"), ("voltage", "V"), ("members", ""),
    ("orders", ""), ("points", ""), ("downloads", ""), ("rating", ""), ("invoice amount", "EUR"), ("refund", "USD"),
    ("order value", "EUR"), ("cpu load", "%"), ("battery level", "%"), ("discount", "%"), ("humidity", "%"),
)  # fmt: skip
ABOVE = (
    "Is the {f} above {n}?", "Is the {f} more than {n}?", "Is the {f} greater than {n}?", "Does the {f} exceed {n}?",
    "Is the {f} higher than {n}?", "Is the {f} over {n}?", "Does the {f} lie above {n}?", "The {f} is above {n}.",
    "Is it more than {n}?", "Is {k} > {n}?", "Is the {f} larger than {n}?", "Did the {f} go over {n}?",
)  # fmt: skip
BELOW = (
    "Is the {f} below {n}?", "Is the {f} less than {n}?", "Is the {f} under {n}?", "Is the {f} smaller than {n}?",
    "Is the {f} lower than {n}?", "Does the {f} stay below {n}?", "The {f} is below {n}.", "Is it less than {n}?",
    "Is {k} < {n}?", "Does the {f} lie under {n}?",
)  # fmt: skip
AT_LEAST = (
    "Is the {f} at least {n}?", "Does the {f} reach {n}?", "Is the {f} {n} or more?", "Has the {f} reached {n}?",
    "The {f} is {n} or higher.", "Is the {f} not below {n}?",
)  # fmt: skip
AT_MOST = (
    "Is the {f} at most {n}?", "Is the {f} {n} or less?", "Is the {f} not above {n}?", "The {f} is {n} at most.",
    "Is the {f} no more than {n}?", "Does the {f} stay within {n}?",
)  # fmt: skip
LIMITS = ("limit", "maximum", "max", "threshold", "cap", "ceiling", "upper limit", "allowed maximum", "quota")
OVER_LIMIT = (
    "Is the {f} over the {l}?", "Does the {f} exceed the {l}?", "Is the {l} exceeded?", "Is the {f} above the {l}?",
    "Is the {f} higher than the {l}?", "Has the {l} been passed?", "Is the {f} too high?", "The {l} is exceeded.",
)  # fmt: skip
WITHIN_LIMIT = (
    "Is the {f} within the {l}?", "Does the {f} stay below the {l}?", "Is the {l} respected?",
    "Is the {f} under the {l}?",
    "Is the {f} lower than the {l}?", "Does the {f} keep to the {l}?",
)  # fmt: skip
LARGER = (
    "Which has the larger {f}?", "Which has the highest {f}?", "Which one has the most {f}?",
    "Who or what leads in {f}?",
    "Which {f} is the largest, whose is it?", "Where is the {f} highest?", "Which entry has the greatest {f}?",
    "Pick the one with the highest {f}.", "For which one is the {f} largest?", "Maximum {f}?",
)  # fmt: skip
SMALLER = (
    "Which has the smaller {f}?", "Which has the lowest {f}?", "Which one has the least {f}?", "Minimum {f}?",
    "Where is the {f} lowest?", "Which entry has the smallest {f}?", "Pick the one with the lowest {f}.",
    "For which one is the {f} smallest?",
)  # fmt: skip
IS_LARGER = (
    "Is the {f} of {a} higher than that of {b}?", "Does {a} have a larger {f} than {b}?", "Is {a} ahead of {b} in {f}?",
    "Is {a}'s {f} above {b}'s?", "Does {a} exceed {b} in {f}?", "{a} has more {f} than {b}.",
    "Is {f} larger for {a} than for {b}?",
)  # fmt: skip
BEFORE = (
    "Is the {f} before {n}?", "Is the {f} earlier than {n}?", "Does the {f} come before {n}?", "The {f} is before {n}.",
    "Does the {f} lie before {n}?", "Was the {f} before {n}?",
)  # fmt: skip
AFTER = (
    "Is the {f} after {n}?", "Is the {f} later than {n}?", "Does the {f} come after {n}?", "The {f} is after {n}.",
    "Does the {f} lie after {n}?", "Was the {f} after {n}?",
)  # fmt: skip
FIRST_DATE = (
    "Which is earlier?", "Which date comes first?", "What happens first?", "Which of the dates is the earliest?",
    "Which comes first?", "Pick the earlier date.",
)  # fmt: skip
DATES = (
    "start date", "end date", "due date", "delivery date", "order date", "payment date", "birthday", "expiry date",
    "release date", "hire date", "departure", "arrival", "last login", "renewal date", "inspection date", "deadline",
    "signature date", "purchase date", "creation date", "last update",
)  # fmt: skip
LATE = (
    "Is it overdue?", "Has the due date passed?", "Is it late?", "Is the deadline over?",
    "Is the due date in the past?",
    "Has the deadline been missed?", "Is it past due?", "Are we too late?",
)  # fmt: skip
TODAYS = ("today", "current date", "now", "date today")
HOW_MANY = (
    "How many {l} are there?", "How many {l} are listed?", "Count the {l}.", "What is the number of {l}?",
    "How long is the list of {l}?", "How many entries does {k} have?", "Number of {l}?",
)  # fmt: skip
MORE_THAN = (
    "Are there more than {n} {l}?", "Does the list have more than {n} {l}?", "Are more than {n} {l} listed?",
    "Do we count over {n} {l}?", "Is the number of {l} above {n}?", "There are more than {n} {l}.",
)  # fmt: skip
HAS_ENTRIES = (
    "Is the list of {l} empty?", "Are there no {l}?", "Is {k} empty?", "Are the {l} missing?", "Is no {o} listed?",
    "Do we have zero {l}?",
)  # fmt: skip
# Wordings of German, Spanish and French tests; `{f}` comes with its article.
FOREIGN_TESTS: dict[str, dict[str, Any]] = {
    "de": {
        "name": "grenze",
        "above": ("Ist {f} größer als {n}?", "Liegt {f} über {n}?", "Ist {f} höher als {n}?", "Übersteigt {f} {n}?",
                  "Ist {f} mehr als {n}?"),
        "below": ("Ist {f} kleiner als {n}?", "Liegt {f} unter {n}?", "Ist {f} weniger als {n}?", "Ist {f} unter {n}?",
                  "Bleibt {f} unter {n}?"),
        "limit": ("Liegt {f} über der Grenze?", "Ist die Grenze überschritten?", "Überschreitet {f} die Grenze?",
                  "Ist {f} größer als die Grenze?"),
    },
    "es": {
        "name": "límite",
        "above": ("¿Es {f} mayor que {n}?", "¿Supera {f} {n}?", "¿Está {f} por encima de {n}?", "¿Es {f} más de {n}?"),
        "below": ("¿Es {f} menor que {n}?", "¿Está {f} por debajo de {n}?", "¿Es {f} menos de {n}?",
                  "¿Es {f} inferior a {n}?"),
        "limit": ("¿Supera {f} el límite?", "¿Se supera el límite?", "¿Es {f} mayor que el límite?",
                  "¿Está {f} por encima del límite?"),
    },
    "fr": {
        "name": "limite",
        "above": ("Est-ce que {f} dépasse {n} ?", "Est-ce que {f} est supérieur à {n} ?", "{f} est-il plus que {n} ?",
                  "Est-ce que {f} est au-dessus de {n} ?"),
        "below": ("Est-ce que {f} est inférieur à {n} ?", "Est-ce que {f} est sous {n} ?", "{f} est-il moins que {n} ?",
                  "Est-ce que {f} reste sous {n} ?"),
        "limit": ("Est-ce que {f} dépasse la limite ?", "La limite est-elle dépassée ?",
                  "Est-ce que {f} est au-dessus de la limite ?", "Est-ce que {f} est supérieur à la limite ?"),
    },
}  # fmt: skip
Wordings = tuple[str, ...]
TESTS: tuple[tuple[Wordings, Callable[[int, int], bool]], ...] = (
    (ABOVE, lambda value, limit: value > limit),
    (BELOW, lambda value, limit: value < limit),
    (ABOVE, lambda value, limit: value > limit),
    (BELOW, lambda value, limit: value < limit),
    (AT_LEAST, lambda value, limit: value >= limit),
    (AT_MOST, lambda value, limit: value <= limit),
)


def draw(random: Random, split: Split) -> Case:
    form = random.choices((_against, _limit, _ranking, _dates, _counting, _foreign), (26, 20, 20, 12, 11, 11))[0]
    return form(random, split)


def near(random: Random, value: int, above: bool) -> int:
    """A number above or below `value`: a share of them far away, a share close by. Both are at least 1."""
    turn = random.random()
    if turn < 0.35:
        factor = random.choice((10, 20, 50, 100))
        return value * factor if above else max(1, value // factor)
    if turn < 0.75:
        return (
            value * random.randrange(120, 400) // 100 + 1 if above else max(1, value * random.randrange(20, 85) // 100)
        )
    step = max(1, value * random.randrange(1, 12) // 100)
    return value + step if above else max(1, value - step)


def _number(random: Random) -> int:
    return random.randrange(3, 10 ** random.choice((1, 2, 2, 3, 3, 4)) + 1)


def _measure(random: Random, split: Split) -> tuple[str, str]:
    name, unit = pick(random, MEASURES, split)
    return (f"{pick(random, MODIFIERS, split)} {name}" if random.random() < 0.2 else name), unit


def _with_unit(value: int, unit: str) -> str:
    return f"{value} {unit}".strip()


def _context(random: Random, split: Split, held: dict[str, Any]) -> dict[str, Any]:
    """Other fields around the numbers, one or two, none of them numbers or dates."""
    words = {word for key in held for word in key.lower().split("_")}
    kinds = ("person", "city", "status", "team", "colour", "thing", "firm", "tag")
    names = [name for name in records.names(random, split, 6) if name[1] in kinds and not words & set(name[0].split())]
    extra = {field.key: field.value for field in records.fill(random, split, names[: random.choice((0, 1, 1, 2))])}
    items = list((extra | held).items())
    random.shuffle(items)
    return dict(items)


def _write(random: Random, split: Split, kind: str, held: dict[str, Any]) -> Any:
    held = _context(random, split, held)
    form = random.random()
    if form < 0.4:
        return held
    if form < 0.5:
        return {key_of(kind, "snake"): held}
    if form < 0.75:
        return "\n".join(f"{key}: {records.as_text(value)}" for key, value in held.items())
    said = [
        f"the {key.replace('_', ' ')} {'are' if isinstance(value, list) else 'is'} {records.as_text(value)}"
        for key, value in held.items()
    ]
    return " ".join(f"{capital(sentence)}." for sentence in said)


def _against(random: Random, split: Split) -> Case:
    """Numbers of a record against numbers in the questions."""
    kind = records.entity(random, split)
    names: dict[str, str] = {}
    while len(names) < random.choice((1, 2, 2)):
        name, unit = _measure(random, split)
        if not any(set(name.split()) & set(other.split()) for other in names):
            names[name] = unit
    held, asked = {}, []
    for name, unit in names.items():
        value = _number(random)
        key = key_of(name, "snake")
        with_unit = unit and random.random() < 0.5
        held[key] = _with_unit(value, unit) if with_unit else value
        for wordings, holds in random.sample(TESTS, 3):
            limit = near(random, value, random.random() < 0.5)
            said = _with_unit(limit, unit) if with_unit or random.random() < 0.3 else str(limit)
            usable = [text for text in part(wordings, split) if len(names) == 1 or "{f}" in text or "{k}" in text]
            text = random.choice(usable or part(wordings, split)).format(f=name, k=key, n=said)
            if len(names) > 1 and name not in text and key not in text:
                continue
            asked.append(noul(random.choice((key, "compare", "q", "check")), text, holds(value, limit)))
        text = pick(random, ("Where does the {f} lie?", "How does the {f} compare with {n}?", "The {f} against {n}",
                             "Compare the {f} with {n}."), split)  # fmt: skip
        limit = near(random, value, random.random() < 0.5)
        options = {f"above {limit}": None, f"at most {limit}": None}
        label = f"above {limit}" if value > limit else f"at most {limit}"
        asked.append(choice("range", text.format(f=name, n=limit), options, label))
    return Case(_write(random, split, kind, held), tuple(asked), NAME)


def _limit(random: Random, split: Split) -> Case:
    """A number against a limit that the state gives."""
    kind = records.entity(random, split)
    name, unit = _measure(random, split)
    limit_name = random.choice(LIMITS)
    value = _number(random)
    limit = near(random, value, random.random() < 0.5)
    over = value > limit
    if value == limit:
        limit, over = value + 1, False
    with_unit = random.random() < 0.5
    held = {
        key_of(name, "snake"): _with_unit(value, unit) if with_unit else value,
        key_of(limit_name, "snake"): _with_unit(limit, unit) if with_unit else limit,
    }
    words = {"f": name, "l": limit_name}
    asked = [
        noul("over", pick(random, OVER_LIMIT, split).format(**words), over),
        noul("within", pick(random, WITHIN_LIMIT, split).format(**words), not over),
    ]
    good, bad = random.choice((("approve", "reject"), ("ok", "too_high"), ("pass", "alert"), ("accept", "escalate"),
                               ("fine", "over"), ("allow", "deny")))  # fmt: skip
    text = pick(random, ("Check the {f} against the {l}.", "Does the {f} keep to the {l}?", "Judge the {f} by the {l}.",
                         "What follows from the {l}?", "Decide: {f} and {l}."), split).format(**words)  # fmt: skip
    options = {good: f"the {name} is within the {limit_name}", bad: f"the {name} is over the {limit_name}"}
    asked.append(choice("result", text, options, bad if over else good))
    larger = name if over else limit_name
    text = pick(
        random, ("Which number is larger?", "Which is higher?", "Which of the two is greater?", "What is more?"), split
    )
    asked.append(choice("larger", text, random.sample((name, limit_name), 2), larger))
    return Case(_write(random, split, kind, held), tuple(asked), NAME)


def _ranking(random: Random, split: Split) -> Case:
    """One number for each of two to four names."""
    name, unit = _measure(random, split)
    size = random.choice((2, 2, 2, 3, 3, 4))
    draw_name = random.choice((person, thing))
    who = list(dict.fromkeys(draw_name(random, split) for _ in range(12)))[:size]
    first = _number(random)
    numbers = [first]
    while len(numbers) < len(who):
        number = near(random, first, random.random() < 0.5)
        if number not in numbers:
            numbers.append(number)
    random.shuffle(numbers)
    held = dict(zip(who, numbers, strict=True))
    high, low = max(held, key=held.__getitem__), min(held, key=held.__getitem__)
    asked = [
        choice("highest", pick(random, LARGER, split).format(f=name), random.sample(who, len(who)), high),
        choice("lowest", pick(random, SMALLER, split).format(f=name), random.sample(who, len(who)), low),
    ]
    for _ in range(2):
        a, b = random.sample(who, 2)
        text = pick(random, IS_LARGER, split).format(f=name, a=a, b=b)
        asked.append(noul(random.choice(("more", "compare", "q")), capital(text), held[a] > held[b]))
    said = {one: _with_unit(number, unit) if unit and random.random() < 0.5 else number for one, number in held.items()}
    form = random.random()
    if form < 0.35:
        return Case({key_of(name, "snake"): said}, tuple(asked), NAME)
    if form < 0.6:
        rows = [{"name": one, key_of(name, "snake"): value} for one, value in said.items()]
        return Case(rows, tuple(asked), NAME)
    if form < 0.8:
        return Case("\n".join(f"{one}: {name} {value}" for one, value in said.items()), tuple(asked), NAME)
    text = " ".join(f"The {name} of {one} is {value}." for one, value in said.items())
    return Case(text, tuple(asked), NAME)


def _dates(random: Random, split: Split) -> Case:
    """Two dates of a record, and dates in the questions."""
    kind = records.entity(random, split)
    names = random.sample(DATES, 2)
    found = [str(value) for value in several(random, split, "date", 2)]
    held: dict[str, Any] = {key_of(name, "snake"): value for name, value in zip(names, found, strict=True)}
    asked: list[Asked] = []
    for name, value in zip(names, found, strict=True):
        before, other = random.random() < 0.5, _other_date(random, split, value)
        text = pick(random, BEFORE if before else AFTER, split).format(f=name, n=other)
        asked.append(noul(random.choice(("before", "date", "q")), text, (value < other) == before))
    earlier = names[0] if found[0] < found[1] else names[1]
    asked.append(choice("first", pick(random, FIRST_DATE, split), random.sample(names, 2), earlier))
    if {"due date", "deadline"} & set(names):
        due = held["due_date"] if "due date" in names else held["deadline"]
        today = _other_date(random, split, due)
        held[key_of(random.choice(TODAYS), "snake")] = today
        asked.append(noul("overdue", pick(random, LATE, split), today > due))
    return Case(_write(random, split, kind, held), tuple(asked), NAME)


def _other_date(random: Random, split: Split, value: str) -> str:
    """Another date: in another year, another month of the year, or another day of the month."""
    year, month, day = map(int, value.split("-"))
    turn = random.random()
    while True:
        if turn < 0.4:
            other = date(random, split)
        elif turn < 0.75:
            other = f"{year}-{random.randrange(1, 13):02}-{day:02}"
        else:
            other = f"{year}-{month:02}-{random.randrange(1, 29):02}"
        if other != value:
            return other


def _foreign(random: Random, split: Split) -> Case:
    """German, Spanish and French numbers against numbers in the questions and against a limit."""
    language = random.choice(("de", "de", "es", "fr"))
    names = [full for full, kind in FOREIGN[language]["fields"] if kind in ("amount", "count")]
    full, wordings = random.choice(names), FOREIGN_TESTS[language]
    bare, value = full.split(" ", 1)[1], _number(random)
    limit = near(random, value, random.random() < 0.5)
    limit = value + 1 if limit == value else limit
    asked = []
    for above in (True, False, True, False):
        other = near(random, value, random.random() < 0.5)
        text = pick(random, wordings["above" if above else "below"], split).format(f=full, n=other)
        asked.append(noul(random.choice(("q", "a", "test")), capital(text), value > other if above else value < other))
    text = pick(random, wordings["limit"], split).format(f=full)
    asked.append(noul("limit", capital(text), value > limit))
    held = {key_of(bare, "snake"): value, wordings["name"]: limit}
    state = held if random.random() < 0.6 else "\n".join(f"{capital(key)}: {number}" for key, number in held.items())
    return Case(state, tuple(asked), NAME)


def _counting(random: Random, split: Split) -> Case:
    """How many entries a list has."""
    kind = records.entity(random, split)
    name, one, value_kind = pick(random, LISTS, split)
    number = random.choice((0, 1, 2, 2, 3, 3, 4, 5))
    key = key_of(name, "snake")
    values = [str(value) for value in several(random, split, value_kind, number)]
    words = {"l": name, "k": key, "o": one}
    near_numbers = [str(other) for other in range(max(0, number - 2), number + 3) if other != number]
    options = [str(number), *random.sample(near_numbers, random.choice((1, 2, min(3, len(near_numbers)))))]
    limit = number + random.choice((-2, -1, 0, 1)) if number > 2 else number + random.choice((-1, 0)) if number else 0
    asked = [
        choice(
            "count", pick(random, HOW_MANY, split).format(**words), random.sample(options, len(options)), str(number)
        ),
        noul("more", pick(random, MORE_THAN, split).format(n=limit, **words), number > limit),
    ]
    if not number or random.random() < 0.15:
        asked.append(noul("empty", pick(random, HAS_ENTRIES, split).format(**words), not number))
    return Case(_write(random, split, kind, {key: values}), tuple(asked), NAME)
