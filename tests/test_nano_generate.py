"""The generator of nano's training requests: legal, the same everywhere, split by vocabulary, balanced."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from clef_mlx.schema import parse_request

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))  # the recipe is run from the checkout and is no part of the package

from recipes.nano import asking, fields, generate, values  # noqa: E402
from recipes.nano.case import SPLITS, choice, part, score  # noqa: E402
from recipes.nano.families import facts_events, gates_commands, gates_tools  # noqa: E402

SHARED_OUT = (
    asking.LOOKUP, asking.EQUALITY, asking.PRESENT, asking.MEMBER, fields.FIELDS, fields.ENTITIES, fields.MODIFIERS,
    values.FIRST, values.LAST, values.CITIES, values.THINGS, values.FIRMS, gates_commands.NAMES, gates_tools.MATCHES,
)  # fmt: skip


@pytest.fixture(scope="module")
def train() -> list[dict]:
    return list(generate.lines("train", 600, 7))


def _option_ids(line: dict) -> dict[str, tuple[str, ...]]:
    request = parse_request({"state": line["state"], "questions": line["questions"]})
    return {question.id: tuple(option.option_id for option in question.options) for question in request.questions}


def _written(label: bool | str | int) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)


@pytest.mark.parametrize("split", SPLITS)
def test_nano_generate_labels_every_question_with_one_of_its_options(split):
    for line in generate.lines(split, 250, 3):
        options = _option_ids(line)
        assert line["labels"].keys() == options.keys()
        for id, label in line["labels"].items():
            assert _written(label) in options[id], (line, id)


def test_nano_generate_writes_the_same_bytes_in_another_process(train):
    command = [sys.executable, "-m", "recipes.nano.generate", "--split", "train", "--count", "60", "--seed", "7"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, env={"PYTHONHASHSEED": "5"}, timeout=60)
    assert [json.loads(line) for line in ran.stdout.splitlines()] == train[:60]


def test_nano_generate_differs_by_seed_and_split(train):
    assert list(generate.lines("train", 5, 8)) != train[:5]
    assert list(generate.lines("test", 5, 7)) != train[:5]


def test_nano_generate_asks_one_to_six_questions_of_every_family(train):
    assert {len(line["questions"]) for line in train} == {1, 2, 3, 4, 5, 6}
    assert {line["group"] for line in train} == set(generate.FAMILIES)


def test_nano_generate_answers_yes_and_no_about_as_often():
    labels = [label for line in generate.lines("train", 1500, 4) for label in line["labels"].values()]
    yes = Counter(label for label in labels if isinstance(label, bool))
    assert 0.44 < yes[True] / yes.total() < 0.56


def test_nano_generate_puts_the_right_option_at_every_place():
    """Options are read in the order of their ids; the right one must not stand out by it."""
    places: Counter[int] = Counter()
    for line in generate.lines("train", 800, 5, ("facts",)):
        options = _option_ids(line)
        for id, question in line["questions"].items():
            if question["type"] == "choice" and len(options[id]) == 3:
                places[options[id].index(line["labels"][id])] += 1
    assert min(places[place] for place in range(3)) > 0.25 * places.total()


@pytest.mark.parametrize("words", SHARED_OUT, ids=lambda words: str(words[0])[:20])
def test_nano_part_deals_out_every_item_once(words):
    shares = [part(words, split) for split in SPLITS]
    assert sorted(map(str, words)) == sorted(str(item) for share in shares for item in share)
    assert all(shares) and len(set(words)) == len(words)
    assert 0.72 < len(shares[0]) / len(words) < 0.88


def test_nano_part_refuses_a_list_too_short_to_share_out():
    with pytest.raises(ValueError, match="at least 4 items"):
        part(("a", "b", "c"), "test")


def test_nano_case_refuses_a_label_that_names_no_option():
    with pytest.raises(ValueError, match="'c' must be one of"):
        choice("q", "Which?", ("a", "b"), "c")
    with pytest.raises(ValueError, match="below 2"):
        score("q", "How much?", ("low", "high"), 2)


def test_nano_generate_keeps_held_out_names_from_training(train):
    """Invented words may repeat a name by chance; two words of the lists next to each other do not."""
    held_out = {f"{first} {last}" for first in part(values.FIRST, "test") for last in part(values.LAST, "test")}
    text = json.dumps(train, ensure_ascii=False)
    assert not [name for name in held_out if name in text]


def test_nano_events_name_every_role_in_every_sentence():
    for event in facts_events.EVENTS:
        for sentence in event.sentences:
            assert all(f"{{{role}}}" in sentence for role in event.roles), sentence


def test_nano_commands_share_programs_among_the_splits():
    """A held-out command may be new, its program may not: nobody can guess what an unknown program does."""
    programs = {
        split: {command.text.removeprefix("sudo ").split()[0] for command in commands}
        for split, commands in gates_commands.SHARES.items()
    }
    assert programs["test"] <= programs["train"]


def test_nano_several_gives_values_that_nobody_confuses():
    names = [str(name).split()[0] for name in values.several(Random(1), "valid", "person", 6)]
    assert len(set(names)) == 6
