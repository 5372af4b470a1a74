"""What a request may be: each rule, the order of options, and one clear line for each broken rule."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clef_mlx.errors import RequestError
from clef_mlx.schema import (
    NOUL_DESCRIPTIONS,
    Option,
    Question,
    RequestBody,
    find_problems,
    isolate,
    parse_request,
    render,
)

NOUL = {"type": "noul", "instructions": "Is it?"}
TRUE, FALSE = NOUL_DESCRIPTIONS["true"], NOUL_DESCRIPTIONS["false"]

# A busy machine is no failure.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
characters = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | characters,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(characters, inner, max_size=3),
    max_leaves=8,
)
noul_questions = st.fixed_dictionaries(
    {"type": st.just("noul")},
    optional={
        "instructions": json_values,
        "criteria": st.none() | st.dictionaries(st.sampled_from(["true", "false"]), json_values),
        "note": json_values,
    },
)
choice_questions = st.fixed_dictionaries(
    {"type": st.just("choice"), "criteria": st.dictionaries(characters, json_values, min_size=1, max_size=12)},
    optional={"instructions": json_values},
)
score_questions = st.fixed_dictionaries(
    {"type": st.just("score"), "criteria": st.lists(json_values, min_size=1, max_size=10)},
    optional={"instructions": json_values},
)
questions = st.one_of(noul_questions, choice_questions, score_questions)


def request(*, state=None, **changes):
    return {"state": state, "questions": {"q1": NOUL}, **changes}


def parse_question(question: dict, question_id: str = "q1") -> Question:
    return parse_request(request(questions={question_id: question})).questions[0]


def refusal(value) -> RequestError:
    with pytest.raises(RequestError) as caught:
        parse_request(value)
    return caught.value


@pytest.mark.parametrize(
    ("criteria", "descriptions"),
    [
        ({}, (TRUE, FALSE)),
        ({"criteria": None}, (TRUE, FALSE)),
        ({"criteria": {}}, (TRUE, FALSE)),
        ({"criteria": {"true": "yes"}}, ("yes", FALSE)),
        ({"criteria": {"false": "no"}}, (TRUE, "no")),
        ({"criteria": {"false": ["no"], "true": ""}}, ("", ["no"])),
        ({"criteria": {"true": None}}, (None, FALSE)),
    ],
    ids=repr,
)
def test_noul_criteria_override_the_defaults(criteria, descriptions):
    question = parse_question({"type": "noul", **criteria})
    assert question.options == (Option("true", descriptions[0]), Option("false", descriptions[1]))
    assert question.request_order == ("true", "false")


def test_choice_options_are_sorted_as_text_and_answered_in_request_order():
    question = parse_question({"type": "choice", "criteria": {"b": "B", "10": None, "2": "", "a": {"x": 1}}})
    assert question.options == (Option("10", None), Option("2", ""), Option("a", {"x": 1}), Option("b", "B"))
    assert question.request_order == ("b", "10", "2", "a")
    assert question.legend == ()


def test_choice_keys_from_python_become_text():
    question = parse_question({"type": "choice", "criteria": {10: "x", 2: "y", True: "z", None: "w"}})
    assert [option.option_id for option in question.options] == ["10", "2", "None", "True"]
    assert question.request_order == ("10", "2", "True", "None")


def test_score_levels_keep_their_order_and_are_the_legend():
    question = parse_question({"type": "score", "criteria": ("low", None, 3)})
    assert question.options == (Option("0", "low"), Option("1", None), Option("2", 3))
    assert question.request_order == ("0", "1", "2")
    assert question.legend == ("low", None, 3)


@pytest.mark.parametrize("size", [1, 255])
def test_choice_takes_1_to_255_options(size):
    question = parse_question({"type": "choice", "criteria": {str(i): None for i in range(size)}})
    assert len(question.options) == size


@pytest.mark.parametrize("size", [1, 10])
def test_score_takes_1_to_10_levels(size):
    assert len(parse_question({"type": "score", "criteria": ["x"] * size}).options) == size


@pytest.mark.parametrize("given_instructions", [{}, {"instructions": None}, {"instructions": ""}], ids=repr)
def test_missing_instructions_become_the_question_id(given_instructions):
    assert parse_question({"type": "noul", **given_instructions}, "🎯 urgent").instructions == "🎯 urgent"


@pytest.mark.parametrize("value", [0, 0.0, False, [], {}, " ", ["x"], {"a": 1}], ids=repr)
def test_other_instructions_are_kept(value):
    kept = parse_question({"type": "noul", "instructions": value}).instructions
    assert kept == value
    assert type(kept) is type(value)


@pytest.mark.parametrize("question_id", ["with space", "질문", "🎯", "noul", "0", "a.b", "\n"])
def test_question_id_is_any_text(question_id):
    assert parse_question(NOUL, question_id).id == question_id


@pytest.mark.parametrize("state", [None, "", 0, False, [], {}, "text", {"a": [1]}, (1, 2)], ids=repr)
def test_state_is_any_json_value(state):
    assert parse_request(request(state=state)).state is state


def test_questions_keep_their_order():
    value = request(questions={"z": NOUL, "a": NOUL, "m": NOUL})
    assert [question.id for question in parse_request(value).questions] == ["z", "a", "m"]


def test_unknown_fields_are_ignored():
    value = request(questions={"q1": {**NOUL, "weight": b"1", "x": {1}}}, temperature=0, assets=None)
    assert parse_request(value) == parse_request(request())


def test_optional_fields_have_plain_defaults():
    parsed = parse_request(request(model=None, images=None, videos=None, media_kwargs=None, id=None))
    assert (parsed.model, parsed.id, parsed.images, parsed.videos, parsed.media_kwargs) == (None, "unknown", (), (), {})


def test_media_are_kept_as_given():
    picture = np.zeros((2, 2, 3), dtype=np.uint8)
    value = request(images=(picture, "a.png"), videos=[{"frames": [1]}], media_kwargs={"fps": 2}, id=7, model="clef")
    parsed = parse_request(value)
    assert parsed.images[0] is picture
    assert parsed.images[1:] == ("a.png",)
    assert parsed.videos == ({"frames": [1]},)
    assert (parsed.media_kwargs, parsed.id, parsed.model) == ({"fps": 2}, "7", "clef")


def test_parsed_request_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        parse_request(request()).state = "other"


def test_later_changes_to_the_callers_criteria_do_not_reach_the_question():
    criteria = {"a": None, "b": None}
    question = parse_question({"type": "choice", "criteria": criteria})
    criteria["c"] = None
    assert question.request_order == ("a", "b")


@pytest.mark.parametrize(
    ("value", "message", "location"),
    [
        (None, "request: must be an object, got null.", ()),
        ([request()], "request: must be an object, got an array of 1 item.", ()),
        ({"questions": {"q1": NOUL}}, "state: must be given, got nothing.", ("state",)),
        ({"state": 1}, "questions: must be an object of at least one question, got nothing.", ("questions",)),
        (request(questions={}), "questions: must be an object of at least one question, got an", ("questions",)),
        (request(questions=[NOUL]), "questions: must be an object of at least one question, got an", ("questions",)),
        (request(questions={"": NOUL}), 'questions: question ids must be non-empty strings, got "".', ("questions",)),
        (request(questions={1: NOUL}), "questions: question ids must be non-empty strings, got 1.", ("questions",)),
        (request(questions={"\ud800": NOUL}), "questions: question ids must be whole characters,", ("questions",)),
        (request(questions={"q": "Is it?"}), 'questions.q: must be an object, got "Is it?".', ("questions", "q")),
        (request(model=5), "model: must be a string, got 5.", ("model",)),
        (request(model="\ud800"), "model: must be whole characters,", ("model",)),
        (request(images="a.png"), 'images: must be an array, got "a.png".', ("images",)),
        (request(videos={"frames": []}), "videos: must be an array, got an object of 1 member.", ("videos",)),
        (request(media_kwargs=[]), "media_kwargs: must be an object, got an array of 0 items.", ("media_kwargs",)),
        (request(state={"a": float("nan")}), "state.a: must be finite, got nan.", ("state", "a")),
        (request(state=["\udc00"]), "state[0]: must be whole characters,", ("state", 0)),
        (request(state=np.int64(1)), "state: must be a string, number, true,", ("state",)),
    ],
    ids=lambda value: str(value)[:40].encode("ascii", "backslashreplace").decode(),
)
def test_bad_request_names_the_field(value, message, location):
    error = refusal(value)
    assert str(error).startswith(message)
    assert error.location == location


@pytest.mark.parametrize(
    ("question", "message", "path"),
    [
        ({"type": "bool"}, '.type: must be noul, choice or score, got "bool". Yes/no questions are noul.', ("type",)),
        ({"type": "box"}, '.type: must be noul, choice or score, got "box". Box questions are unsupp', ("type",)),
        ({"type": "Noul"}, '.type: must be noul, choice or score, got "Noul".', ("type",)),
        ({"type": ["noul"]}, ".type: must be noul, choice or score, got an array of 1 item.", ("type",)),
        ({"type": None}, ".type: must be noul, choice or score, got null.", ("type",)),
        ({}, ".type: must be noul, choice or score, got nothing.", ("type",)),
        ({**NOUL, "criteria": {"maybe": 1}}, '.criteria: keys must be "true" or "false", got "maybe".', ()),
        ({**NOUL, "criteria": {True: 1}}, '.criteria: keys must be "true" or "false", got true.', ()),
        ({**NOUL, "criteria": ["yes"]}, '.criteria: must be null or an object with "true" and "false", got', ()),
        ({**NOUL, "criteria": ""}, '.criteria: must be null or an object with "true" and "false", got "".', ()),
        ({**NOUL, "criteria": {"true": {1}}}, ".criteria.true: must be a string, number,", ("true",)),
        ({**NOUL, "instructions": b"x"}, ".instructions: must be a string, number,", ("instructions",)),
        ({"type": "choice"}, ".criteria: must be an object of 1 to 255 options, got nothing.", ()),
        ({"type": "choice", "criteria": None}, ".criteria: must be an object of 1 to 255 options, got null.", ()),
        ({"type": "choice", "criteria": ["a"]}, ".criteria: must be an object of 1 to 255 options, got an array", ()),
        ({"type": "choice", "criteria": "a"}, '.criteria: must be an object of 1 to 255 options, got "a".', ()),
        ({"type": "choice", "criteria": {}}, ".criteria: must be an object of 1 to 255 options, got an obj", ()),
        (
            {"type": "choice", "criteria": {str(i): None for i in range(256)}},
            ".criteria: must be an object of 1 to 255 options, got an object of 256 members.",
            (),
        ),
        (
            {"type": "choice", "criteria": {1: "a", "1": "b"}},
            '.criteria: option ids must be unique as text, got "1"',
            (),
        ),
        ({"type": "choice", "criteria": {"\ud800": 1}}, ".criteria: option ids must be whole characters,", ()),
        ({"type": "choice", "criteria": {(1,): 1}}, ".criteria: option ids must be strings, got an array of 1", ()),
        ({"type": "choice", "criteria": {"a": [0, float("inf")]}}, ".criteria.a[1]: must be finite,", ("a", 1)),
        ({"type": "score"}, ".criteria: must be an array of 1 to 10 levels, got nothing.", ()),
        ({"type": "score", "criteria": []}, ".criteria: must be an array of 1 to 10 levels, got an array of 0", ()),
        ({"type": "score", "criteria": ["x"] * 11}, ".criteria: must be an array of 1 to 10 levels, got an arr", ()),
        ({"type": "score", "criteria": "low"}, '.criteria: must be an array of 1 to 10 levels, got "low".', ()),
        ({"type": "score", "criteria": {"0": "x"}}, ".criteria: must be an array of 1 to 10 levels, got an obj", ()),
        ({"type": "score", "criteria": {"x", "y"}}, ".criteria: must be an array of 1 to 10 levels, got a set.", ()),
        ({"type": "score", "criteria": ["x", b""]}, ".criteria[1]: must be a string, number,", (1,)),
    ],
    ids=lambda value: str(value)[:40].encode("ascii", "backslashreplace").decode(),
)
def test_bad_question_names_the_field(question, message, path):
    error = refusal(request(questions={"q1": NOUL, "urgent": question}))
    assert str(error).startswith(f"questions.urgent{message}")
    # an empty path in the table stands for the criteria themselves
    steps = path if path and path[0] in ("type", "instructions") else ("criteria", *path)
    assert error.location == ("questions", "urgent", *steps)


def test_question_named_like_a_type_keeps_its_name_in_the_path():
    assert refusal(request(questions={"noul": {"type": "score"}})).location == ("questions", "noul", "criteria")


def test_first_problem_is_told_and_the_others_counted():
    value = {"questions": {"a": {"type": "score"}, "b": {"type": "bool"}}}
    assert str(refusal(value)) == "state: must be given, got nothing. Any JSON value will do, null included." + (
        " And 2 more problems."
    )
    assert [(problem.location, problem.kind) for problem in find_problems(value)] == [
        (("state",), "missing"),
        (("questions", "a", "criteria"), "missing"),
        (("questions", "b", "type"), "union_tag_invalid"),
    ]


def test_good_request_has_no_problems():
    assert find_problems(request()) == []


def test_message_is_short_and_printable_whatever_the_request_holds():
    noise = "\x1b[31m\n\u202e" * 100_000
    for value in (
        noise,
        request(questions={noise: {"type": noise}}),
        request(questions={"q": {"type": "score", "criteria": noise}}),
        request(questions={"q": {"type": "choice", "criteria": {noise: b""}}}),
    ):
        message = str(refusal(value))
        assert message.isprintable()
        assert len(message) < 700


def test_isolated_questions_stand_alone_under_a_neutral_name():
    value = request(state="s", questions={"urgent": {"type": "noul"}, "team": {"type": "score", "criteria": ["x"]}})
    alone = isolate(parse_request(value))
    assert [[question.id for question in one.questions] for one in alone] == [["q"], ["q"]]
    assert [one.questions[0].instructions for one in alone] == ["urgent", "team"]
    assert {one.state for one in alone} == {"s"}


@calm
@given(st.dictionaries(characters.filter(bool), questions, min_size=1, max_size=3), json_values)
def test_any_well_formed_request_is_accepted(given_questions, state):
    parsed = parse_request({"state": state, "questions": given_questions})
    assert [question.id for question in parsed.questions] == list(given_questions)
    for question in parsed.questions:
        assert sorted(question.request_order) == sorted(option.option_id for option in question.options)


def test_api_description_carries_the_limits():
    schema = RequestBody.model_json_schema()
    choice = schema["$defs"]["ChoiceQuestion"]["properties"]["criteria"]
    score = schema["$defs"]["ScoreQuestion"]["properties"]["criteria"]
    assert (choice["type"], choice["minProperties"], choice["maxProperties"]) == ("object", 1, 255)
    assert (score["type"], score["minItems"], score["maxItems"]) == ("array", 1, 10)
    assert schema["required"] == ["state", "questions"]


@pytest.fixture(scope="module")
def publisher():
    pytest.importorskip("torch", reason="the publisher's code runs on torch, which is not installed here")
    return pytest.importorskip(
        "clef_finetune._vendor.joint_schema_model",
        reason="clef-finetune, which carries the publisher's code, is missing",
    )


@pytest.mark.live
def test_options_are_the_publishers(publisher):
    @calm
    @given(questions)
    def check(question):
        ours = [(option.option_id, option.description) for option in parse_question(question).options]
        assert render(ours) == publisher.render(publisher.question_options(question))

    check()


@pytest.mark.live
def test_rendered_text_is_the_publishers(publisher):
    @calm
    @given(json_values | st.dictionaries(st.integers(), json_values))
    def check(value):
        assert render(value) == publisher.render(value)

    check()
