"""The nano recipe's families of messages, tone and logs: legal questions, legal labels, splits that share nothing."""

import json
import re
from collections import Counter
from random import Random

import pytest

from clef_mlx.schema import parse_request
from recipes.nano import messages
from recipes.nano.case import SPLITS, part
from recipes.nano.families import gates, gates_tools, logs, routing, tone
from recipes.nano.wording import FRAMES, LISTS
from recipes.nano.words import logs as log_words
from recipes.nano.words import routing as routing_words
from recipes.nano.words import tone as tone_words
from recipes.nano.words.topics import TOPICS

FAMILIES = (routing, tone, logs)


def _cases(family, split, count=50, seed=4):
    random = Random(seed)
    return [family.draw(random, split) for _ in range(count)]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.NAME)
def test_nano_families_ask_legal_questions_with_legal_labels(family):
    for split in SPLITS:
        for case in _cases(family, split):
            questions = {f"{place}": one.question for place, one in enumerate(case.asked)}
            request = parse_request({"state": case.state, "questions": questions})
            for one, question in zip(case.asked, request.questions, strict=True):
                name = str(one.label).lower() if isinstance(one.label, bool) else str(one.label)
                assert name in {option.option_id for option in question.options}
                assert question.type != "noul" or isinstance(one.label, bool)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.NAME)
def test_nano_families_repeat_for_a_seed(family):
    assert _cases(family, "train", 40) == _cases(family, "train", 40)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.NAME)
def test_nano_families_leave_no_slot_open(family):
    for case in _cases(family, "train", 150) + _cases(family, "test", 100):
        for one in case.asked:
            assert "{" not in str(one.question["instructions"]) and "|" not in str(one.question["instructions"])
        assert not re.search(r"\{\w+\}|\w\|\w", str(case.state))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.NAME)
def test_nano_families_balance_yes_and_no(family):
    labels = Counter(
        one.label for case in _cases(family, "train", 250) for one in case.asked if one.question["type"] == "noul"
    )
    assert 0.38 < labels[True] / labels.total() < 0.62


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.NAME)
def test_nano_families_give_no_place_away(family):
    places = [0, 0]
    for case in _cases(family, "train", 250):
        for one in case.asked:
            if one.question["type"] == "choice":
                keys = sorted(one.question["criteria"])
                places[0] += keys.index(one.label) / (len(keys) - 1)
                places[1] += 1
    assert 0.42 < places[0] / places[1] < 0.58


def test_nano_families_share_no_template_between_splits():
    lists = [
        FRAMES,
        LISTS,
        messages.STATEMENTS,
        routing_words.TEAM_ASKS,
        tone_words.SENTIMENT_ASKS,
        tone_words.URGENCY_ASKS,
    ]
    lists += [routing_words.ASKING, routing_words.FAILING, routing_words.ABOUT, routing_words.SAYING]
    lists += [routing_words.QUESTIONING, routing_words.GREETINGS, tone_words.JUDGING, tone_words.OPINING]
    lists += [tone_words.FEELING, *routing_words.FOREIGN_SAYING.values()]
    lists += [log_words.WRAPS, log_words.FORMATS, log_words.AREA_ASKS, log_words.ABOUT, log_words.CLAUSE_FRAMES]
    lists += [logs.SERVICES, logs.TABLES, gates.SAID, gates.FRAMES, gates.RISK_TEXTS]
    lists += [gates_tools.FORMS, gates_tools.DOES]
    for templates in lists:
        train, valid, test = (set(part(templates, split)) for split in SPLITS)
        assert not train & valid and not train & test and not valid & test


def test_nano_families_hold_out_whole_states():
    for family in FAMILIES:
        train = {json.dumps(case.state) for case in _cases(family, "train", 300)}
        test = {json.dumps(case.state) for case in _cases(family, "test", 100)}
        assert not train & test


def test_nano_families_reach_every_topic():
    labels = {one.label for case in _cases(routing, "train", 400) for one in case.asked}
    spelled = {re.sub(r"[-_]", " ", str(label)).lower() for label in labels}
    for topic in TOPICS.values():
        assert any(label.startswith(key) for label in spelled for key in topic["keys"])


def test_nano_families_signal_the_same_words_in_every_split():
    """A held-out message has new sentences around words that training has met."""
    text = " ".join(str(case.state).lower() for case in _cases(routing, "train", 3000))
    held_out = " ".join(str(case.state).lower() for case in _cases(routing, "test", 300))
    said = [one.lower() for topic in TOPICS.values() for one in topic["trouble"] + topic["other"] if "{" not in one]
    unseen = [sentence for sentence in said if sentence in held_out and sentence not in text]
    assert sum(sentence in held_out for sentence in said) > 50
    assert len(unseen) < 3


def test_nano_families_reach_every_kind_of_log():
    groups = {case.group for case in _cases(logs, "train", 100)}
    assert groups == {f"logs/{kind}" for kind in ("info", "warning", "error", "critical", "recovered")}
