"""What a family of synthetic decisions hands to the mixer: a state, questions with right labels, and the split.

A list is shared out among training, validation and test by position, so that a held-out request is made of templates,
names and values that no training request holds. Words whose meaning cannot be guessed (what `shred` does, what
"furious" says) stay out of the sharing; what can be matched or copied is shared out.

The recipe is run from the checkout's root: `python -m recipes.nano.generate`; its modules import each other as
`recipes.nano.case` and so on. A family is a module with `NAME: str` and `draw(random: Random, split: Split) -> Case`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Literal, TypeVar

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Asked:
    """One question in request form (`type`, `instructions`, `criteria`) and its label: a bool, an option, a level."""

    id: str
    question: dict[str, Any]
    label: bool | str | int


@dataclass(frozen=True)
class Case:
    """A state and 3 to 10 questions that may be asked about it; `group` names the kind of state, for people."""

    state: Any
    asked: tuple[Asked, ...]
    group: str


def part(items: Sequence[Item], split: Split) -> Sequence[Item]:
    """The items of a split: every list's positions are dealt out the same way, about 80, 8 and 12 in a hundred.

    Every split gets at least one. Items must be hashable and at least 4, else ValueError.
    """
    return _parts(items if isinstance(items, tuple) else tuple(items))[split]


def pick(random: Random, items: Sequence[Item], split: Split) -> Item:
    """One item of a split's share."""
    return random.choice(part(items, split))


def noul(id: str, instructions: Any, label: bool, true: str | None = None, false: str | None = None) -> Asked:
    """A yes/no question; `true` and `false` say what the answers mean where given."""
    question: dict[str, Any] = {"type": "noul", "instructions": instructions}
    if true is not None and false is not None:
        question["criteria"] = {"true": true, "false": false}
    return Asked(id, question, label)


def choice(id: str, instructions: Any, options: dict[str, Any] | Sequence[str], label: str) -> Asked:
    """A choice among options, given as option id -> description or None, or as ids alone; at least two."""
    criteria = dict(options) if isinstance(options, dict) else dict.fromkeys(options)
    if label not in criteria or len(criteria) < 2:
        raise ValueError(f"{id}: {label!r} must be one of two or more options, got {list(criteria)}")
    return Asked(id, {"type": "choice", "instructions": instructions, "criteria": criteria}, label)


def score(id: str, instructions: Any, levels: Sequence[str], label: int) -> Asked:
    """A score on levels from lowest to highest; the label counts from 0."""
    if not 0 <= label < len(levels):
        raise ValueError(f"{id}: {label} must be a level below {len(levels)}")
    return Asked(id, {"type": "score", "instructions": instructions, "criteria": list(levels)}, label)


@lru_cache(maxsize=4096)
def _parts(items: tuple[Item, ...]) -> dict[Split, tuple[Item, ...]]:
    count = len(items)
    if count < 4:
        raise ValueError(f"a list to be shared out must hold at least 4 items, got {items!r}")
    tests, valids = max(1, round(0.12 * count)), max(1, round(0.08 * count))
    held = tests + valids
    places = [(2 * turn + 1) * count // (2 * held) for turn in range(held)]
    # Validation takes its places evenly from among the held-out ones.
    valid = {places[(2 * turn + 1) * held // (2 * valids)] for turn in range(valids)}
    test = set(places) - valid
    return {
        "train": tuple(item for place, item in enumerate(items) if place not in valid | test),
        "valid": tuple(items[place] for place in sorted(valid)),
        "test": tuple(items[place] for place in sorted(test)),
    }
