"""Invented messages and the questions about them, as routing and tone make both: carriers, options, statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Split, choice, noul, pick, score
from recipes.nano.wording import fill, words
from recipes.nano.words.routing import FOREIGN_SAYING, QUESTIONING

LANGUAGES = ("en", "de", "es", "fr")
LANGUAGE_WEIGHTS = (85, 5, 5, 5)
STATEMENTS = (
    "Does {subject} {base}?", "{Subject} {third}.", "Check whether {subject} {third}.", "Does {subject} {base} here?",
    "Decide if {subject} {third}.", "True if {subject} {third}.", "{Subject} {third}?", "Does {subject} really {base}?",
    "Say yes if {subject} {third}.", "Find out if {subject} {third}.", "Does {subject} clearly {base}?",
    "Yes if {subject} {third}.", "Say whether {subject} {third}.",
)  # fmt: skip
NOUL_IDS = words("q; q1; answer; check; flag; result; question; decision; value; holds")
SLOTS: dict[str, Any] = {
    "phone": lambda random, split: random.choice(("+{} {} {}", "0{} {} {}")).format(
        random.randrange(20, 99), random.randrange(100, 999), random.randrange(1000, 99999)
    ),
    "date": values.date,
    "clock": values.clock,
    "weekday_de": lambda random, split: random.choice(("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")),
    "weekday_es": lambda random, split: random.choice(("lunes", "martes", "miércoles", "jueves", "viernes")),
    "weekday_fr": lambda random, split: random.choice(("lundi", "mardi", "mercredi", "jeudi", "vendredi")),
}
QUESTION_STARTS = frozenset(
    """how where when which what who is are do does can could would will welche welches wie wo wann was können haben
    gibt qué cuánto cuánta cuál cuándo dónde hay podemos tienen cómo quel quelle quelles combien où quand pouvons
    avez y comment""".split()
)
STYLES: tuple[Callable[[str], str], ...] = (
    lambda key: key.replace(" ", "_"),
    lambda key: key.replace(" ", "_"),
    lambda key: key,
    lambda key: key.capitalize(),
    lambda key: key.title(),
)


def language(random: Random) -> str:
    return random.choices(LANGUAGES, LANGUAGE_WEIGHTS)[0]


def sentence(random: Random, split: Split, text: str, tongue: str, carriers: Sequence[str], bare: float = 0.6) -> str:
    """A sentence that carries a signal; `bare` of them are the signal alone. `carriers` are English."""
    text = fill(text, random, split, SLOTS)
    asks = text.split()[0].lower() in QUESTION_STARTS
    carrier = "{x}."
    if random.random() >= bare:
        carrier = pick(random, FOREIGN_SAYING.get(tongue) or (QUESTIONING if asks else carriers), split)
    text = fill(carrier, random, split, SLOTS | {"x": text})
    return upper(text.rstrip(".!?") + "?" if asks else text)


def upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def options(
    random: Random, kinds: Mapping[str, Mapping[str, Any]], names: Sequence[str], ending: str = ""
) -> dict[str, tuple[str, str | None]]:
    """Names -> (key, description or None) for one question, in shuffled order; most questions have none."""
    spell = random.choice(STYLES)
    many = random.choice((0, 0, 0, 1))
    given = {}
    for name in random.sample(names, len(names)):
        key = random.choice(kinds[name]["keys"]) + ending
        said = random.sample(kinds[name]["described"], many)
        given[name] = (spell(key), ", ".join(said) or None)
    return given


def choose(random: Random, split: Split, ids: Sequence[str], asks: Sequence[str], given: Mapping, right: str) -> Asked:
    return choice(random.choice(ids), pick(random, asks, split), dict(given.values()), given[right][0])


def rate(
    random: Random, split: Split, ids: Sequence[str], asks: Sequence[str], ladders: Sequence[tuple], level: int
) -> Asked:
    """A score; a ladder says which of its levels a level is."""
    levels, places = random.choice(ladders)
    return score(random.choice(ids), pick(random, asks, split), levels, places[level])


def state(random: Random, split: Split, says: Sequence[str], subjects: Sequence[str], name: str, holds: bool) -> Asked:
    """A statement such as `ask|s for a call` as a yes/no question."""
    base, _, tail = random.choice(says).partition("|")
    ending, _, rest = tail.partition(" ")
    third = {"~": "is", "^": "has"}.get(ending, base + ending)
    frame, subject = pick(random, STATEMENTS, split), random.choice(subjects)
    if base == "be":
        frame = frame.replace("Does {subject} {base}", "Is {subject} {base}")
        for word in ("really", "clearly"):
            frame = frame.replace(f"Does {{subject}} {word} {{base}}", f"Is {{subject}} {word} {{base}}")
        base = ""
    text = frame.format(
        subject=subject, Subject=upper(subject), base=f"{base} {rest}".strip(), third=f"{third} {rest}".strip()
    )
    id = name if random.random() < 0.6 else random.choice(NOUL_IDS)
    return noul(id, text, holds)


def differing(mine: Mapping[str, bool | None], other: Mapping[str, bool | None]) -> dict[str, bool]:
    """The facts in which a message differs from an unwritten one: asking for these alone, yes is as likely as no."""
    return {
        name: holds
        for name, holds in mine.items()
        if holds is not None and other.get(name) is not None and other[name] != holds
    }


def unlike(asked: Sequence[Asked]) -> tuple[Asked, ...]:
    """The questions without those that ask in the same words as an earlier one."""
    return tuple({repr((one.question["instructions"], one.question.get("criteria"))): one for one in asked}.values())
