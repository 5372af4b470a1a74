"""Options with meaning for logs and gates: names in many spellings, short descriptions, and balanced yes/no questions.

The words that carry meaning belong to all splits; only the phrasings of the questions are shared out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from recipes.nano.case import Asked, Split, choice, noul, pick, score

# Mostly small letters: a word in capitals is another token, which has to be learned on its own.
STYLES: tuple[Callable[[str], str], ...] = (
    *(lambda key: key.replace(" ", "_"),) * 5,
    *(lambda key: key,) * 4,
    lambda key: key.replace(" ", "-"),
    str.capitalize,
)
IDS = ("q", "q1", "question", "answer", "field", "check", "result", "value")
YES_NO = ("yes", "no")


@dataclass(frozen=True)
class Label:
    """An answer of a choice: names that explain themselves, and words that belong to it, for descriptions."""

    keys: tuple[str, ...]
    things: tuple[str, ...]


def ask_choice(
    random: Random,
    split: Split,
    ids: Sequence[str],
    texts: Sequence[str],
    labels: Mapping[str, Label],
    right: str,
    others: Sequence[str],
) -> Asked:
    """A choice among the right label and the others; the options are in random order and spelled alike."""
    names = [right, *others]
    random.shuffle(names)
    spell, described = random.choice(STYLES), random.random() < 0.3
    given: dict[str, str | None] = {}
    for name in names:
        key = spell(random.choice(labels[name].keys))
        things = labels[name].things
        given[key] = (
            ", ".join(random.sample(things, random.randrange(1, min(3, len(things)) + 1))) if described else None
        )
        if name == right:
            label = key
    return choice(_id(random, ids), pick(random, texts, split), given, label)


def ask_yes_no(
    random: Random, split: Split, ids: Sequence[str], texts: Sequence[str], holds: bool, **slots: str
) -> Asked:
    """A yes/no question from a template; one in sixteen says what the answers mean."""
    text = pick(random, texts, split).format(**slots)
    said = YES_NO if random.random() < 0.06 else (None, None)
    return noul(_id(random, ids), text[0].upper() + text[1:], holds, *said)


def ask_score(
    random: Random, split: Split, ids: Sequence[str], texts: Sequence[str], levels: Sequence[str], level: int
) -> Asked:
    """A score on a ladder."""
    return score(_id(random, ids), pick(random, texts, split), levels, level)


def ask_name(
    random: Random, split: Split, id: str, texts: Sequence[str], right: str, others: Sequence[str], **slots: str
) -> Asked:
    """A choice among names, one of which the state holds."""
    names = list(dict.fromkeys((right, *others)))
    return choice(id, pick(random, texts, split).format(**slots), random.sample(names, len(names)), right)


def kept(random: Random, holds: bool, share: float) -> bool:
    """Whether to ask what is true in `share` of all states, so that yes and no come about as often."""
    return random.random() < (min(1, (1 - share) / share) if holds else min(1, share / (1 - share)))


def _id(random: Random, ids: Sequence[str]) -> str:
    return random.choice(ids) if random.random() < 0.85 else random.choice(IDS)
