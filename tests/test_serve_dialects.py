"""What clients of OpenAI's decisions and of Cloudflare's route send and get, over real sockets."""

from __future__ import annotations

import pytest
from serving import NOUL, REQUEST, decide, served

from clef_mlx.serve.shapes import DecisionsAnswer, Envelope, FailedEnvelope

TOLERANCE = 2e-5  # float32, whatever else was in the batch
CLOUDFLARE = "/client/v4/accounts/0123abc/ai/run/@cf/cloudflare/clef-flash"


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release) as running:
        yield running


# OpenAI's decisions

QUESTIONS = [
    {"type": "predicate", "name": "urgent", "instructions": "Is it urgent?"},
    {
        "type": "choice",
        "instructions": "Is it paid?",
        "choices": [{"value": True}, {"value": "true", "description": "as text"}, {"value": False}],
    },
    {
        "type": "score",
        "name": "cold",
        "instructions": [{"type": "input_text", "text": "How cold?"}],
        "levels": [{"label": "warm"}, {"label": "cold", "description": "below zero"}],
    },
]


WORDS = {"type": "input_text", "text": "Look:"}
NO_PICTURE = {"type": "input_image", "image_url": "https://example.org/picture.png"}


def test_decisions_answer_has_the_documented_shape_and_order(server):
    response = server.ask({"model": "clef", "input": "It is cold.", "questions": QUESTIONS}, "/v1/decisions")
    body = response.json()
    DecisionsAnswer.model_validate(body, strict=True)
    assert [answer["type"] for answer in body["answers"]] == ["predicate", "choice", "score"]
    assert [answer["name"] for answer in body["answers"]] == ["urgent", None, "cold"]
    assert body["usage"]["total_tokens"] == body["usage"]["input_tokens"] > 0


def test_decisions_keep_the_types_of_choices(server):
    body = server.ask({"input": "Paid.", "questions": QUESTIONS}, "/v1/decisions").json()
    values = [item["value"] for item in body["answers"][1]["probabilities"]]
    assert values == [True, "true", False] and [type(value) for value in values] == [bool, str, bool]
    assert sum(item["probability"] for item in body["answers"][1]["probabilities"]) == pytest.approx(1, abs=1e-5)


def test_decisions_decide_as_systemone_does(server):
    asked = {"type": "predicate", "name": "urgent", "instructions": "Is it urgent?"}
    body = server.ask({"input": "The heating is off.", "questions": [asked]}, "/v1/decisions").json()
    noul = decide(server, {"urgent": NOUL})["answers"]["urgent"]["noul"]
    assert body["answers"][0]["probability"] == pytest.approx(noul, abs=TOLERANCE)


def test_decisions_may_repeat_names_and_choices(server):
    twice = QUESTIONS[1] | {"name": "n", "choices": [{"value": "a"}, {"value": "a"}, {"value": "a (2)"}]}
    body = server.ask({"input": "x", "questions": [twice, twice]}, "/v1/decisions").json()
    assert [answer["name"] for answer in body["answers"]] == ["n", "n"]
    assert [item["value"] for item in body["answers"][0]["probabilities"]] == ["a", "a", "a (2)"]


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ([{"type": "input_text", "text": "Hello"}], "Hello"),
        ([{"role": "user", "content": "Hello"}], "Hello"),
        ([{"role": "user", "content": [{"type": "input_json", "data": {"a": 1}}]}], {"a": 1}),
        (
            [{"role": "system", "content": "Be calm."}, {"role": "user", "content": "Hello"}],
            [{"role": "system", "content": "Be calm."}, {"role": "user", "content": "Hello"}],
        ),
        (
            [
                {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "1", "output": "rain"},
            ],
            [
                {"type": "function_call", "name": "look", "input": "{}"},
                {"type": "function_call_output", "output": "rain"},
            ],
        ),
    ],
)
def test_decisions_input_becomes_a_state(server, given, state):
    asked = [{"type": "predicate", "name": "q", "instructions": "Is it urgent?"}]
    body = server.ask({"input": given, "questions": asked}, "/v1/decisions").json()
    assert body["answers"][0]["probability"] == pytest.approx(
        decide(server, {"q": NOUL}, state=state)["answers"]["q"]["noul"], abs=TOLERANCE
    )


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"input": 3}, ["input"]),
        ({"questions": []}, ["questions"]),
        ({"questions": [{"type": "predicate"}]}, ["questions", 0, "instructions"]),
        ({"questions": [{"type": "rank", "instructions": "x"}]}, ["questions", 0]),
        ({"questions": [QUESTIONS[1] | {"choices": []}]}, ["questions", 0, "choices"]),
        ({"questions": [QUESTIONS[1] | {"choices": [{"value": 3}]}]}, ["questions", 0, "choices", 0, "value"]),
        ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]}, ["input", 0, "content", 0, "text"]),
        ({"input": [{"role": "user", "content": [WORDS, NO_PICTURE]}]}, ["input", 0, "content", 1, "image_url"]),
        (
            {"questions": [QUESTIONS[0] | {"instructions": [NO_PICTURE]}]},
            ["questions", 0, "instructions", 0, "image_url"],
        ),
    ],
)
def test_decisions_fault_names_its_field(server, change, place):
    response = server.ask({"input": "x", "questions": QUESTIONS} | change, "/v1/decisions")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][: len(place) + 1] == ["body", *place]
    assert response.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"input": 3}, "input: must be a string or an array."),
        ({"questions": {}}, "questions: must be an array."),
        ({"questions": []}, "questions: must have at least 1, got 0."),
        ({"questions": [{"instructions": "x"}]}, "questions[0]: must have a type."),
        (
            {"questions": [{"type": "rank", "instructions": "x"}]},
            "questions[0]: must have a type that is one of 'predicate', 'choice', 'score'.",
        ),
        (
            {"questions": [QUESTIONS[1] | {"choices": [{"value": 3}]}]},
            "questions[0].choices[0].value: must be a string.",
        ),
    ],
)
def test_decisions_fault_is_told_plainly(server, change, told):
    response = server.ask({"input": "x", "questions": QUESTIONS} | change, "/v1/decisions")
    assert response.json()["detail"][0]["msg"] == f"{told} See /openapi.json."


# Cloudflare's route


def test_cloudflare_wraps_the_answer(server):
    body = server.ask(REQUEST | {"model": "clef-flash"}, CLOUDFLARE).json()
    Envelope.model_validate(body, strict=True)
    assert body["result"]["answers"].keys() == REQUEST["questions"].keys()


def test_cloudflare_wraps_errors(server):
    for response in (server.ask({"questions": {}}, CLOUDFLARE), server.ask(REQUEST, CLOUDFLARE[:-10] + "gpt")):
        body = response.json()
        FailedEnvelope.model_validate(body, strict=True)
        assert body["errors"][0]["code"] == response.status_code in (400, 422)
