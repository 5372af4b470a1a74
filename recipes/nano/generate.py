"""Family cases to labelled lines: mixes the families by weight and asks 1 to 6 questions of each case's pool.

`python -m recipes.nano.generate --split train --count 50000 --seed 1 > train.jsonl` writes the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from random import Random
from typing import Any, get_args

from recipes.nano.case import Asked, Split
from recipes.nano.families import compare, facts, gates, logs, routing, tone

# Share of each family in the mix, in hundredths.
WEIGHTS = {"facts": 25, "routing": 20, "tone": 15, "logs": 15, "gates": 15, "compare": 10}
QUESTIONS = (1, 2, 3, 4, 5, 6)
QUESTION_WEIGHTS = (10, 22, 26, 22, 14, 6)
FAMILIES = {family.NAME: family for family in (facts, routing, tone, logs, gates, compare)}


def lines(split: Split, count: int, seed: int, families: tuple[str, ...] = tuple(FAMILIES)) -> Iterator[dict[str, Any]]:
    """`count` labelled lines of a split; the same seed gives the same lines on every machine."""
    random = Random(f"{split} {seed}")
    weights = [WEIGHTS[name] for name in families]
    for _ in range(count):
        (name,) = random.choices(families, weights)
        case = FAMILIES[name].draw(random, split)
        (number,) = random.choices(QUESTIONS, QUESTION_WEIGHTS)
        asked = random.sample(case.asked, min(number, len(case.asked)))
        named = _distinct(asked)
        yield {
            "state": case.state,
            "questions": {id: one.question for id, one in named.items()},
            "labels": {id: one.label for id, one in named.items()},
            "group": name,
        }


def _distinct(asked: list[Asked]) -> dict[str, Asked]:
    """Questions by id; a second question of the same id gets a number."""
    named: dict[str, Asked] = {}
    for one in asked:
        id, number = one.id, 2
        while id in named:
            id, number = f"{one.id}_{number}", number + 1
        named[id] = one
    return named


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes labelled lines of invented decisions to standard output.")
    parser.add_argument("--split", choices=get_args(Split), required=True)
    parser.add_argument("--count", type=int, required=True, help="at least 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    given = parser.parse_args()
    if given.count < 1:
        parser.error(f"--count: must be at least 1, got {given.count}")
    for line in lines(given.split, given.count, given.seed, tuple(given.families)):
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
