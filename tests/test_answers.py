"""Probabilities and typed answers: the publisher's values, and every confidence recomputed from its formula."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clef_mlx.answers import CONFIDENCE_DIALECTS, answer, check_options, probabilities
from clef_mlx.errors import ModelFault, RequestError
from clef_mlx.schema import Question, parse_request

# A busy machine is no failure.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def question(**fields) -> Question:
    return parse_request({"state": None, "questions": {"q": fields}}).questions[0]


NOUL = question(type="noul")
CHOICE = question(type="choice", criteria={"b": None, "a": None, "c": None})
LEVELS = ["low", {"mid": 1}, 7]
SCORE = question(type="score", criteria=LEVELS)
P = np.array([0.2, 0.5, 0.3])  # in encoding order: a, b, c


def of_size(kind: str, size: int) -> Question:
    options = [str(i) for i in range(size)]
    return question(type=kind, criteria=dict.fromkeys(options) if kind == "choice" else options)


def test_softmax_is_within_each_question():
    got = probabilities([np.log([1.0, 3.0]).astype(np.float32), np.zeros(4, np.float32), np.array([5.0])])
    np.testing.assert_allclose(got[0], [0.25, 0.75], rtol=1e-6)
    np.testing.assert_array_equal(got[1], [0.25] * 4)
    np.testing.assert_array_equal(got[2], [1.0])
    assert {row.dtype for row in got} == {np.dtype(np.float32)}


def test_softmax_survives_large_logits():
    np.testing.assert_array_equal(probabilities([np.array([-3e38, 3e38, 0], np.float32)])[0], [0, 1, 0])


def test_options_that_tie_in_float32_tie():
    first, second = probabilities([np.array([0.0, 1e-9])])[0]
    assert first == second


def test_255_probabilities_sum_to_one():
    logits = np.random.default_rng(0).normal(0, 3, 255).astype(np.float32)
    got = answer(of_size("choice", 255), probabilities([logits])[0], round=None)
    assert abs(sum(got["probabilities"].values()) - 1) < 1e-6


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_fault_names_the_question_and_the_option(bad):
    with pytest.raises(ModelFault, match=f"logits of question 1: must be finite, got {bad} for option 2"):
        probabilities([np.zeros(2), np.array([0, 1, bad], np.float32)])


def test_noul_answer_is_the_probability_of_true():
    assert answer(NOUL, np.array([0.97126, 0.02874])) == {"type": "noul", "noul": 0.9713}


def test_choice_answer_is_in_request_order():
    got = answer(CHOICE, P)
    assert got == {
        "type": "choice",
        "choice": "b",
        "confidence": 0.5,
        "probabilities": {"b": 0.5, "a": 0.2, "c": 0.3},
    }
    assert list(got) == ["type", "choice", "confidence", "probabilities"]
    assert list(got["probabilities"]) == ["b", "a", "c"]


def test_choice_tie_goes_to_the_first_in_the_request():
    assert answer(CHOICE, np.array([0.4, 0.4, 0.2]))["choice"] == "b"
    assert (
        answer(question(type="choice", criteria={"a": 0, "b": 0, "c": 0}), np.array([0.4, 0.4, 0.2]))["choice"] == "a"
    )


def test_score_answer_has_the_criteria_as_legend():
    got = answer(SCORE, P)
    assert got == {
        "type": "score",
        "score": 1.1,
        "confidence": 0.5,
        "legend": {"0": "low", "1": {"mid": 1}, "2": 7},
        "probabilities": {"0": 0.2, "1": 0.5, "2": 0.3},
    }
    assert list(got) == ["type", "score", "confidence", "legend", "probabilities"]


def test_score_comes_from_unrounded_probabilities():
    p = np.array([0.44, 0.56])
    assert answer(of_size("score", 2), p, round=1)["score"] == 0.6
    levels = np.array([0.26, 0.26, 0.48])  # rounded first, they would give 0.3 + 2 * 0.5 = 1.3
    assert answer(SCORE, levels, round=1)["score"] == 1.2


def test_full_precision_rounds_nothing():
    p = probabilities([np.array([0.1, 0.2, 0.35], np.float32)])[0]
    got = answer(SCORE, p, round=None)
    values = list(got["probabilities"].values())
    assert values == p.tolist()
    assert got["score"] == values[1] + 2 * values[2]
    assert got["confidence"] == values[2]


def test_four_decimals_are_pythons_rounding():
    p = np.array([0.00005, 0.12345, 0.8765])
    assert list(answer(SCORE, p)["probabilities"].values()) == [round(float(value), 4) for value in p]


def test_answer_is_plain_json():
    p = probabilities([np.array([0.1, 0.2, 0.35], np.float32)])[0]
    for confidence in CONFIDENCE_DIALECTS:
        for kind in (CHOICE, SCORE):
            json.dumps(answer(kind, p, confidence=confidence, round=None), allow_nan=False)


@pytest.mark.parametrize(
    ("confidence", "kind", "p", "expected"),
    [
        ("max", CHOICE, [0.2, 0.5, 0.3], 0.5),
        ("max", SCORE, [0.2, 0.5, 0.3], 0.5),
        ("jev", CHOICE, [0.2, 0.5, 0.3], (3 * 0.5 - 1) / 2),
        # D = (1 + 0 + 1) / 3; spread about the mode 1 is 0.2 + 0.3
        ("jev", SCORE, [0.2, 0.5, 0.3], 1 - 0.5 / (2 / 3)),
        # mode 0: spread 0.35 + 2 * 0.3 = 0.95 > D
        ("jev", SCORE, [0.35, 0.35, 0.3], 0.0),
        ("gini", CHOICE, [0.2, 0.5, 0.3], (3 * 0.38 - 1) / 2),
        ("gini", SCORE, [0.2, 0.5, 0.3], (3 * 0.38 - 1) / 2),
        (
            "entropy",
            CHOICE,
            [0.2, 0.5, 0.3],
            1 - (0.2 * np.log(5) + 0.5 * np.log(2) + 0.3 * np.log(10 / 3)) / np.log(3),
        ),
        ("entropy", SCORE, [0.0, 0.5, 0.5], 1 - np.log(2) / np.log(3)),
    ],
)
def test_confidence_value(confidence, kind, p, expected):
    got = answer(kind, np.array(p), confidence=confidence, round=None)
    assert got["confidence"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("confidence", CONFIDENCE_DIALECTS)
@pytest.mark.parametrize("kind", ["choice", "score"])
def test_one_option_is_certain(confidence, kind):
    got = answer(of_size(kind, 1), np.array([1.0], np.float32), confidence=confidence, round=None)
    assert got["confidence"] == 1.0


@pytest.mark.parametrize("confidence", [name for name in CONFIDENCE_DIALECTS if name != "max"])
@pytest.mark.parametrize("size", [2, 3, 10, 255])
def test_chance_has_no_confidence_and_certainty_has_all(confidence, size):
    kind = of_size("choice", size)
    chance = np.full(size, 1 / size, np.float32)
    certain = np.eye(size, dtype=np.float32)[size // 2]
    assert answer(kind, chance, confidence=confidence, round=None)["confidence"] == pytest.approx(0, abs=1e-6)
    assert answer(kind, certain, confidence=confidence, round=None)["confidence"] == 1.0


@calm
@given(st.sampled_from(CONFIDENCE_DIALECTS), st.lists(st.floats(-80, 80, width=32), min_size=1, max_size=10))
def test_confidence_stays_in_the_unit_interval(confidence, logits):
    p = probabilities([np.array(logits)])[0]
    for kind in ("choice", "score"):
        assert 0 <= answer(of_size(kind, len(logits)), p, confidence=confidence, round=None)["confidence"] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": "foo"}, 'confidence: must be max, jev, gini or entropy, got "foo".'),
        ({"confidence": None}, "confidence: must be max, jev, gini or entropy, got null."),
        ({"round": -1}, "round: must be null or a whole number of decimals from 0 to 17, got -1."),
        ({"round": 18}, "round: must be null or a whole number of decimals from 0 to 17, got 18."),
        ({"round": True}, "round: must be null or a whole number of decimals from 0 to 17, got true."),
        ({"round": "4"}, 'round: must be null or a whole number of decimals from 0 to 17, got "4".'),
    ],
    ids=repr,
)
def test_unknown_option_is_refused(options, message):
    with pytest.raises(RequestError) as caught:
        answer(NOUL, np.array([0.5, 0.5]), **options)
    assert str(caught.value).startswith(message)
    assert caught.value.location == tuple(options)


def test_known_options_pass_the_check():
    for confidence in CONFIDENCE_DIALECTS:
        assert check_options(confidence, None) is None


@pytest.mark.live
@pytest.mark.parametrize("kind", ["noul", "choice", "score"])
def test_answer_is_the_publishers(kind):
    torch = pytest.importorskip("torch", reason="the publisher's code runs on torch, which is not installed here")
    publisher = pytest.importorskip(
        "clef_finetune._vendor.joint_schema_model",
        reason="clef-finetune, which carries the publisher's code, is missing",
    )
    # ids whose order in the request is neither that of the text nor of the numbers
    size = {"noul": 2, "choice": 40, "score": 10}[kind]
    ids = [str(7 * i % 41) for i in range(size)]
    fields = {"type": kind, "criteria": {"noul": None, "choice": dict.fromkeys(ids), "score": ids}[kind]}

    @calm
    @given(st.lists(st.integers(-400, 400).map(lambda n: n / 50), min_size=size, max_size=size))
    def check(logits):
        ours = probabilities([np.array(logits, np.float32)])[0]
        theirs = torch.tensor(logits).float().softmax(-1)
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)
        option_ids = [option_id for option_id, _ in publisher.question_options(fields)]
        expected = publisher.systemone_answer(fields, dict(zip(option_ids, theirs.tolist(), strict=True)))
        got = answer(question(**fields), theirs.numpy())
        assert json.dumps(got) == json.dumps(expected)
        # through our own softmax, a last bit may move the fourth decimal
        assert answer(question(**fields), ours).get("choice") == expected.get("choice")

    check()
