"""The generator of nano's training requests: legal, the same everywhere, split by vocabulary, balanced."""

from __future__ import annotations

import json
import re
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
from recipes.nano.families import facts, gates_commands, gates_tools  # noqa: E402

SHARED_OUT = (
    asking.LOOKUP, asking.EQUALITY, asking.PRESENT, asking.STATE, asking.MEMBER, asking.RECORD_LOOKUP, asking.SENTENCES,
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


def test_nano_facts_offer_right_values_of_the_state_and_as_many_others_that_are_not_the_answer():
    """A right option must not stand out as the only one that can be read in the state, nor be missing from it."""
    stands: Counter[bool] = Counter()
    for line in generate.lines("train", 600, 6, ("facts",)):
        state = json.dumps(line["state"], ensure_ascii=False)
        for id, question in line["questions"].items():
            if question["type"] != "choice" or line["labels"][id] in facts.NOT_GIVEN:
                continue
            assert line["labels"][id] in state, line
            stands.update(option in state for option in question["criteria"] if option != line["labels"][id])
    assert 0.4 < stands[True] / stands.total() < 0.65


def test_nano_facts_answer_what_a_flat_record_says():
    """The same yes/no questions, answered from the state anew."""
    asked = re.compile(r"Is the ([a-z ]+) set to (.+)\?|Is there an? ([a-z ]+)\?")
    checked: Counter[str] = Counter()
    for line in generate.lines("train", 4000, 8, ("facts",)):
        state = line["state"]
        if not isinstance(state, dict) or any(isinstance(value, dict | list) for value in state.values()):
            continue
        said = {key.replace("_", " ").lower().removeprefix("has "): value for key, value in state.items()}
        for id, question in line["questions"].items():
            if (found := asked.fullmatch(question["instructions"])) is None or any(key != key.lower() for key in state):
                continue
            field, value, given = found.groups()
            if value:
                assert line["labels"][id] == (str(said.get(field)) == value), line
            else:
                assert line["labels"][id] == bool(said.get(given)), line
            checked["value" if value else "given"] += 1
    assert min(checked.values()) > 20 and len(checked) == 2


def test_nano_verbs_ask_for_fields_that_records_have():
    assert fields.VERBS.keys() <= dict(fields.FIELDS).keys()


def test_nano_commands_are_as_often_under_a_flag_as_said():
    """The share with which yes/no questions about commands are balanced is the one in which they are drawn."""
    drawn = Random(3).choices(gates_commands.COMMANDS, gates_commands.WEIGHTS, k=4000)
    for flag, share in gates_commands.SHARES.items():
        clear = [held for command in drawn if (held := gates_commands.holds(command, flag)) is not None]
        assert abs(sum(clear) / len(clear) - share) < 0.04


def test_nano_several_gives_values_that_nobody_confuses():
    names = [str(name).split()[0] for name in values.several(Random(1), "valid", "person", 6)]
    assert len(set(names)) == 6
