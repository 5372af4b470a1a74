"""What the server answers to requests that must not be, over real sockets."""

from __future__ import annotations

import json

import pytest
from serving import CHOICE, NOUL, REQUEST, SCORE, decide, expect, served

from clef_mlx.serve.problems import discreet
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.shapes import Error


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release, max_questions=40, max_images=2, max_frames=3) as running:
        yield running


@pytest.mark.parametrize(
    "text",
    [
        '{"state": 1, "state": 2, "questions": {"q": {"type": "noul"}}}',
        '{"state": 1, "questions": {"q": {"type": "noul"}}} junk',
        '{"state": NaN, "questions": {"q": {"type": "noul"}}}',
        '{"state": 1e400, "questions": {"q": {"type": "noul"}}}',
        '{"state": "\\ud800", "questions": {"q": {"type": "noul"}}}',
        '{"state": ' + "[" * 100_000 + "]" * 100_000 + ', "questions": {"q": {"type": "noul"}}}',
        '{"state": ' + "9" * 5_000 + ', "questions": {"q": {"type": "noul"}}}',
    ],
    ids=["duplicate", "junk", "NaN", "1e400", "surrogate", "deep", "digits"],
)
def test_json_that_must_not_be_is_400(server, text):
    response = server.client.post("/v1/systemone", content=text, headers={"content-type": "application/json"})
    assert expect(response, 400, "api_usage_error").startswith("body: ")
    assert server.ask().status_code == 200


@pytest.mark.parametrize(
    "text", ["", "{", '{"model": "jev-latest", "state": "x", "questions": {', "not json", "{'a': 1}"]
)
def test_text_that_is_no_json_is_422_with_its_place(server, text):
    response = server.client.post("/v1/systemone", content=text, headers={"content-type": "application/json"})
    assert response.status_code == 422
    (problem,) = response.json()["detail"]
    assert problem["type"] == "json_invalid" and problem["loc"][0] == "body" and problem["loc"][1] <= len(text)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"state": ...}, ["state"]),
        ({"questions": ...}, ["questions"]),
        ({"questions": {}}, ["questions"]),
        ({"questions": []}, ["questions"]),
        ({"questions": {"": NOUL}}, ["questions"]),
        ({"questions": {"q": {}}}, ["questions", "q", "type"]),
        ({"questions": {"q": {"type": "boolean"}}}, ["questions", "q", "type"]),
        ({"questions": {"q": {"type": "box"}}}, ["questions", "q", "type"]),
        ({"questions": {"q": NOUL | {"criteria": {"maybe": "x"}}}}, ["questions", "q", "criteria"]),
        ({"questions": {"q": CHOICE | {"criteria": {}}}}, ["questions", "q", "criteria"]),
        ({"questions": {"q": CHOICE | {"criteria": ["a", "b"]}}}, ["questions", "q", "criteria"]),
        (
            {"questions": {"q": CHOICE | {"criteria": dict.fromkeys(map(str, range(256)))}}},
            ["questions", "q", "criteria"],
        ),
        ({"questions": {"q": SCORE | {"criteria": []}}}, ["questions", "q", "criteria"]),
        ({"questions": {"q": SCORE | {"criteria": "low"}}}, ["questions", "q", "criteria"]),
        ({"questions": {"q": SCORE | {"criteria": {"0": "low"}}}}, ["questions", "q", "criteria"]),
        ({"questions": {"q": SCORE | {"criteria": ["x"] * 11}}}, ["questions", "q", "criteria"]),
        ({"model": 3}, ["model"]),
        ({"images": "x"}, ["images"]),
    ],
)
def test_field_fault_is_422_and_names_the_field(server, change, place):
    body = {name: value for name, value in (REQUEST | change).items() if value is not ...}
    response = server.ask(body)
    assert response.status_code == 422
    Error.model_validate(response.json(), strict=True)
    assert response.json()["detail"][0]["loc"] == ["body", *place]


def test_every_broken_field_is_named(server):
    detail = server.ask({"questions": {"a": {"type": "box"}, "b": {}}}).json()["detail"]
    assert [problem["loc"] for problem in detail] == [
        ["body", "state"],
        ["body", "questions", "a", "type"],
        ["body", "questions", "b", "type"],
    ]


def test_box_is_named_as_unsupported(server):
    message = server.ask(REQUEST | {"questions": {"q": {"type": "box"}}}).json()["detail"][0]["msg"]
    assert '"box"' in message and "unsupported" in message


@pytest.mark.parametrize("value", [[], "x", 3, False, True])
def test_body_that_is_no_object_is_422(server, value):
    assert server.ask(value).json()["detail"][0]["loc"] == ["body"]


def test_unknown_key_is_named(server):
    response = server.ask({"state": 1, "questions": {"q": NOUL | {"criteria": {"yes": "x"}}}})
    assert 'got "yes"' in response.json()["detail"][0]["msg"]


def test_unknown_model_is_400(server):
    assert expect(server.ask(REQUEST | {"model": "gpt-6"}), 400, "api_usage_error") == "Unknown model: gpt-6"


def test_fields_are_checked_before_the_model(server):
    assert server.ask({"model": "gpt-6"}).status_code == 422


def test_too_long_record_is_refused_when_asked_to(tiny_release):
    options = Settings().options.with_(on_overflow="refuse", max_length=200)
    with served(tiny_release, options=options) as server:
        response = server.ask(REQUEST | {"state": "word " * 1000})
        expect(response, 400, "max_tokens_exceeded")
    detail = response.json()["detail"]
    assert detail["needed_tokens"] > detail["limit_tokens"] == 200


def test_cut_state_is_told(tiny_release):
    with served(tiny_release, options=Settings().options.with_(max_length=300)) as server:
        body = decide(server, {"q": NOUL}, state="word " * 1000)
    assert body["x_truncated_tokens"] > 0 and body["usage"]["input_tokens"] <= 300


def test_questions_over_their_cap_are_413(server):
    questions = {str(number): NOUL for number in range(41)}
    assert expect(server.ask(REQUEST | {"questions": questions}), 413, "request_too_large").startswith("questions: ")


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": ""},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/json", "content-encoding": "br"},
        {"content-type": "application/json", "content-encoding": "gzip, zstd"},
        {"content-type": "multipart/form-data"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/systemone", "/v1/decisions"])
def test_other_media_types_and_encodings_are_415(server, headers, path):
    response = server.client.post(path, content=json.dumps(REQUEST), headers=headers)
    expect(response, 415, "unsupported_media_type_error")


@pytest.mark.parametrize(
    "headers", [{"content-type": "application/json; charset=UTF-8"}, {"content-type": "Application/vnd.x+json"}]
)
def test_json_by_other_names_is_read(server, headers):
    assert server.client.post("/v1/systemone", content=json.dumps(REQUEST), headers=headers).status_code == 200


def test_unknown_route_is_404_and_wrong_method_405(server):
    expect(server.client.get("/v1/nothing"), 404, "not_found_error")
    expect(server.client.get("/v1/models/"), 404, "not_found_error")
    response = server.client.get("/v1/systemone")
    expect(response, 405, "method_not_allowed_error")
    assert response.headers["allow"] == "POST"


def test_error_never_repeats_the_body(server):
    secret = "hunter2 and more"
    bodies = [
        f'{{"state": "{secret}" "questions": 1}}',
        f'{{"state": {secret}}}',
        f'{{"{secret}": 1, "{secret}": 2}}',
        json.dumps({"state": secret}),
        json.dumps({"state": secret, "questions": secret}),
        json.dumps({"state": 1, "questions": {"q": secret}}),
        json.dumps({"state": 1, "questions": {"q": CHOICE | {"criteria": secret}}}),
        json.dumps({"state": 1, "questions": {"q": NOUL}, "images": [secret]}),
        json.dumps({"state": 1, "questions": {"q": NOUL}, "images": secret}),
    ]
    for body in bodies:
        response = server.client.post("/v1/systemone", content=body, headers={"content-type": "application/json"})
        assert 400 <= response.status_code < 500
        assert "hunter2" not in response.text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ('a: must be b, got "c \\" d". Do e.', "a: must be b, got a string. Do e."),
        ('a: must be b, got "ccc" … (900 characters). Do e.', "a: must be b, got a string. Do e."),
        ("a: must be b, got 3. Do e.", "a: must be b, got 3. Do e."),
    ],
)
def test_message_is_told_without_the_text_it_quotes(message, told):
    assert discreet(message) == told
