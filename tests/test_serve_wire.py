"""What clients of the server send and get: dialects, names, numbers and errors, over real sockets."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import httpx
import pytest
from PIL import Image
from serving import CHOICE, NOUL, REQUEST, SCORE, Served, served

import clef_mlx
from clef_mlx.answers import CONFIDENCE_DIALECTS
from clef_mlx.serve.bodies import Body
from clef_mlx.serve.dialects import read_request
from clef_mlx.serve.problems import Invalid, Refused, discreet
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.shapes import DecisionsAnswer, Envelope, Error, FailedEnvelope, Models, SystemOneAnswer

TOLERANCE = 2e-5  # float32, whatever else was in the batch
CLOUDFLARE = "/client/v4/accounts/0123abc/ai/run/@cf/cloudflare/clef-flash"
PICTURE = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release, max_questions=40, max_images=2, max_frames=3) as running:
        yield running


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release) as loaded:
        yield loaded


def decide(
    server: Served, questions: dict[str, Any], state: Any = "The heating is off.", **more: Any
) -> dict[str, Any]:
    response = server.ask({"state": state, "questions": questions, **more})
    assert response.status_code == 200, response.text
    return response.json()


# Answers


def test_systemone_answers_as_the_model_does(server, model):
    served_answers, own = (
        decide(server, REQUEST["questions"])["answers"],
        model.systemone(REQUEST, round=None)["answers"],
    )
    assert served_answers["urgent"]["noul"] == pytest.approx(own["urgent"]["noul"], abs=TOLERANCE)
    for name in ("who", "cold"):
        assert served_answers[name]["probabilities"] == pytest.approx(own[name]["probabilities"], abs=TOLERANCE)
    assert served_answers["cold"]["score"] == pytest.approx(own["cold"]["score"], abs=3 * TOLERANCE)
    assert served_answers["who"]["choice"] == own["who"]["choice"]


def test_systemone_keeps_the_order_of_questions_and_options(server):
    criteria = {"zebra": None, "ant": "small", "moth": None}
    questions = {"z": NOUL, "a": CHOICE | {"criteria": criteria}, "m": SCORE}
    answers = decide(server, questions)["answers"]
    assert list(answers) == ["z", "a", "m"]
    assert list(answers["a"]["probabilities"]) == ["zebra", "ant", "moth"]


def test_systemone_answer_has_the_documented_shape(server):
    body = decide(server, REQUEST["questions"])
    SystemOneAnswer.model_validate(body, strict=True)
    assert body["usage"]["output_tokens"] == 0
    assert isinstance(body["usage"]["input_tokens"], int)


def test_systemone_counts_tokens_as_the_model_does(server, model):
    assert decide(server, REQUEST["questions"])["usage"] == model.systemone(REQUEST)["usage"]


def test_systemone_says_whether_a_state_was_known(server):
    first = decide(server, {"q": NOUL}, state="A state nobody has sent before. " * 40)
    again = decide(server, {"q": NOUL}, state="A state nobody has sent before. " * 40)
    assert (first["x_cache"], first["x_reused_tokens"]) == ("miss", 0)
    assert again["x_cache"] == "hit" and again["x_reused_tokens"] > 0
    assert again["answers"]["q"]["noul"] == pytest.approx(first["answers"]["q"]["noul"], abs=TOLERANCE)


def test_systemone_times_its_phases(server):
    timing = decide(server, {"q": NOUL})["x_timing_ms"]
    assert timing["total"] >= timing["model"] > 0 and timing["queue"] >= 0


def test_255_options_sum_to_one(server):
    options = {f"option {number}": None for number in range(255)}
    answer = decide(server, {"q": CHOICE | {"criteria": options}})["answers"]["q"]
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert answer["probabilities"][answer["choice"]] == max(answer["probabilities"].values())


def test_score_is_the_expectation_of_its_probabilities(server):
    levels = [f"level {number}" for number in range(10)]
    answer = decide(server, {"q": SCORE | {"criteria": levels}})["answers"]["q"]
    expectation = sum(level * p for level, p in enumerate(answer["probabilities"].values()))
    assert answer["score"] == pytest.approx(expectation, abs=1e-5)


def test_legend_is_text_where_the_sdk_reads_no_numbers(server):
    levels = ["low", {"label": "mid"}, ["high"], 3, None, True]
    legend = decide(server, {"q": SCORE | {"criteria": levels}})["answers"]["q"]["legend"]
    assert legend == {"0": "low", "1": {"label": "mid"}, "2": ["high"], "3": "3", "4": "null", "5": "true"}


@pytest.mark.parametrize("state", [None, "", "text", 0, True, 1.5, [], {}, {"a": [1, None, {"b": "c"}]}, "배송 😡"])
def test_state_may_be_any_json(server, state):
    assert 0 <= decide(server, {"q": NOUL}, state=state)["answers"]["q"]["noul"] <= 1


@pytest.mark.parametrize("question_id", ["ticket-1", "q.2", "with space", "질문", "🎯"])
def test_question_id_may_be_any_text(server, question_id):
    assert list(decide(server, {question_id: NOUL})["answers"]) == [question_id]


@pytest.mark.parametrize(
    "criteria",
    [{}, None, {"true": "a"}, {"false": "b"}, {"true": "a", "false": None}, {"true": {"x": 1}, "false": [2]}],
)
def test_noul_criteria_may_be_one_sided(server, criteria):
    decide(server, {"q": NOUL | {"criteria": criteria}})


@pytest.mark.parametrize("instructions", [None, "", "text", {"task": "x"}, ["a", "b"]])
def test_instructions_may_be_structured_or_absent(server, instructions):
    decide(server, {"q": {"type": "noul", "instructions": instructions}, "r": {"type": "noul"}})


def test_unknown_fields_are_ignored(server):
    assert decide(server, {"q": NOUL | {"labels": ["x"]}}, x_trace="t", seed=7)["answers"].keys() == {"q"}


@pytest.mark.parametrize("confidence", CONFIDENCE_DIALECTS)
def test_confidence_dialect_can_be_recomputed(tiny_release, confidence):
    options = Settings().options.with_(confidence=confidence)
    with served(tiny_release, options=options) as server:
        answers = decide(server, REQUEST["questions"])["answers"]
    for name in ("who", "cold"):
        p = list(answers[name]["probabilities"].values())
        assert answers[name]["confidence"] == pytest.approx(recomputed(confidence, answers[name]["type"], p), abs=1e-5)


def recomputed(confidence: str, kind: str, p: list[float]) -> float:
    """The formulas of the wire contract, written a second time."""
    import math

    n, top = len(p), max(p)
    if confidence == "max":
        return top
    if confidence == "gini":
        return (n * sum(x * x for x in p) - 1) / (n - 1)
    if confidence == "entropy":
        return 1 + sum(x * math.log(x) for x in p if x) / math.log(n)
    if kind == "choice":
        return (n * top - 1) / (n - 1)
    mean = sum(abs(level - (n - 1) / 2) for level in range(n)) / n
    return max(0, 1 - sum(x * abs(level - p.index(top)) for level, x in enumerate(p)) / mean)


def test_rounding_to_four_places_can_be_asked_for(tiny_release):
    with served(tiny_release, options=Settings().options.with_(round=4)) as server:
        noul = decide(server, {"q": NOUL})["answers"]["q"]["noul"]
    assert noul == round(noul, 4)


# Models


def test_models_is_both_lists(server, tiny_release):
    body = server.client.get("/v1/models").json()
    Models.model_validate(body, strict=True)
    assert [model["id"] for model in body["data"]] == [model["name"] for model in body["models"]] == [tiny_release.name]


def test_one_model_can_be_asked_for(server, tiny_release):
    assert server.client.get(f"/v1/models/{tiny_release.name}").json()["id"] == tiny_release.name
    assert server.client.get("/v1/models/other").status_code == 404


@pytest.mark.parametrize(
    "name", ["jev-latest", "jev-preview", "clef", "clef-flash", "@cf/cloudflare/clef", "@cf/cloudflare/clef-flash"]
)
def test_known_model_names_mean_the_loaded_model_and_are_echoed(server, name):
    assert decide(server, {"q": NOUL}, model=name)["model"] == name


def test_absent_model_is_answered_with_the_loaded_id(server, tiny_release):
    assert decide(server, {"q": NOUL})["model"] == tiny_release.name
    assert decide(server, {"q": NOUL}, model=tiny_release.name)["model"] == tiny_release.name


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


# Pictures


def asked(value: dict[str, Any], **files: bytes) -> Any:
    body = {"state": "x", "questions": {"q": NOUL}, **value}
    return read_request(Body(body, files), Settings(max_images=3, max_frames=3)).request


def test_assets_follow_images_in_order():
    text = base64.b64encode(PICTURE).decode()
    given = {
        "images": ["data:image/png;base64,AAAA"],
        "assets": {"<a>": {"type": "image", "format": "png", "data_base64": text}, "<b>": {"part": "asset-0"}},
    }
    assert asked(given, **{"asset-0": b"bytes"}).images == ("data:image/png;base64,AAAA", PICTURE, b"bytes")


def test_multipart_brings_pictures_as_the_sdk_sends_them(server):
    request = REQUEST | {"assets": {"<image:1>": {"type": "image", "part": "asset-0"}}}
    parts = {
        "request": (None, json.dumps(request), "application/json"),
        "asset-0": ("asset-0", b"no picture", "image/png"),
    }
    response = server.client.post("/v1/systemone", files=parts)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["body", "assets", "<image:1>"]


def test_multipart_without_pictures_is_answered(server):
    parts = {"request": (None, json.dumps(REQUEST), "application/json")}
    assert server.client.post("/v1/systemone", files=parts).json()["answers"].keys() == REQUEST["questions"].keys()


@pytest.mark.parametrize(
    ("assets", "place"),
    [
        ({"a": {"part": "absent"}}, ("assets", "a", "part")),
        ({"a": {"data_base64": "!"}}, ("assets", "a", "data_base64")),
        ({"a": {}}, ("assets", "a", "data_base64")),
        ({"a": {"type": "video"}}, ("assets", "a", "type")),
        ([], ("assets",)),
    ],
)
def test_asset_fault_names_its_field(assets, place):
    with pytest.raises(Invalid) as caught:
        asked({"assets": assets})
    assert caught.value.problems[0].location == place


def test_part_that_no_asset_names_is_refused():
    with pytest.raises(Invalid, match="every part"):
        asked({}, stray=b"x")


@pytest.mark.parametrize(
    "value",
    [
        {"images": ["x"] * 4},
        {"images": ["x"] * 2, "assets": {"a": {}, "b": {}}},
        {"videos": [{"frames": ["x"] * 4}]},
        {"videos": ["x"] * 4},
        {"questions": {str(number): NOUL for number in range(257)}},
    ],
)
def test_count_over_its_cap_is_413(value):
    with pytest.raises(Refused) as caught:
        asked(value)
    assert caught.value.status == 413


def picture(width: int = 40, height: int = 30, color: str = "red", mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.new(mode, (width, height), color).save(file, "PNG")
    return file.getvalue()


def test_every_form_of_a_picture_is_the_same_picture(server):
    content = picture()
    text = base64.b64encode(content).decode()
    forms = [
        {"images": [f"data:image/png;base64,{text}"]},
        {"images": [{"content_type": "image/png", "base64": text}]},
        {"images": [text]},
        {"assets": {"<image:1>": {"type": "image", "format": "png", "data_base64": text}}},
    ]
    answers = [decide(server, {"q": NOUL}, **form)["answers"]["q"]["noul"] for form in forms]
    request = REQUEST | {"questions": {"q": NOUL}, "assets": {"<image:1>": {"part": "asset-0"}}}
    parts = {"request": (None, json.dumps(request), "application/json"), "asset-0": ("asset-0", content, "image/png")}
    answers.append(server.client.post("/v1/systemone", files=parts).json()["answers"]["q"]["noul"])
    part = [
        {"type": "input_text", "text": REQUEST["state"]},
        {"type": "input_image", "image_url": forms[0]["images"][0]},
    ]
    asked = {"input": [{"role": "user", "content": part}], "questions": [NOUL | {"type": "predicate", "name": "q"}]}
    answers.append(server.ask(asked, "/v1/decisions").json()["answers"][0]["probability"])
    assert answers == pytest.approx([answers[0]] * len(answers), abs=TOLERANCE)
    assert abs(answers[0] - decide(server, {"q": NOUL})["answers"]["q"]["noul"]) > TOLERANCE


def test_frames_of_a_clip_are_read(server):
    frames = [base64.b64encode(picture(color=color)).decode() for color in ("red", "blue")]
    seen = decide(server, {"q": NOUL}, videos=[{"frames": frames, "fps": 2}])
    assert seen["usage"]["input_tokens"] > decide(server, {"q": NOUL})["usage"]["input_tokens"]


def test_picture_of_too_many_pixels_is_413(server):
    text = base64.b64encode(picture(20_000, 20_000, 1, "1")).decode()
    assert len(text) < 1 << 20
    assert expect(server.ask(REQUEST | {"images": [text]}), 413, "request_too_large").startswith("images[0]: ")


def test_url_of_a_picture_is_never_fetched(server):
    for image in ("http://127.0.0.1:9/x.png", "file:///etc/passwd", "/etc/passwd"):
        response = server.ask(REQUEST | {"images": [image]})
        assert response.status_code == 422
        assert response.json()["detail"][0]["loc"][:2] == ["body", "images"]


# Errors


def expect(response: httpx.Response, status: int, kind: str) -> str:
    assert response.status_code == status, response.text
    Error.model_validate(response.json(), strict=True)
    assert response.json()["detail"]["error_type"] == kind
    return response.json()["detail"]["message"]


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


# Headers and descriptions


def test_every_response_has_an_id_of_its_own(server):
    responses = [
        server.ask(),
        server.ask({}),
        server.client.get("/health"),
        server.client.get("/nothing"),
        server.client.get("/v1/systemone"),
        server.client.post("/v1/systemone", content="x"),
        server.client.get("/", headers={"host": "evil.example"}),
    ]
    ids = [response.headers["x-typesafe-request-id"] for response in responses]
    assert len(set(ids)) == len(ids) and all(len(one) == 28 and one.startswith("req_") for one in ids)
    assert all(response.headers["x-request-id"] == one for response, one in zip(responses, ids, strict=True))


def test_health_and_ready_are_200(server):
    assert server.client.get("/health").json() == {"status": "ok"}
    assert server.client.get("/ready").json() == {"status": "ready"}


def test_metrics_are_prometheus_text(server):
    server.ask()
    response = server.client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert "clef_responses_total" in response.text


def test_description_names_what_is_served(server, tiny_release):
    document = server.client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    names = document["components"]["schemas"]["SystemOneBody"]["properties"]["model"]["anyOf"][0]["enum"]
    assert names[0] == tiny_release.name and "jev-latest" in names
    assert {"/v1/systemone", "/v1/decisions", "/v1/models", "/health", "/ready", "/metrics"} <= set(document["paths"])


def test_page_is_served_with_a_strict_policy(server):
    response = server.client.get("/")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/..%2fapp.py",
        "/page//etc/passwd",
        "/../app.py",
        "/page/",
        "/page",
    ],
)
def test_page_folder_cannot_be_left(server, path):
    import socket

    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        head = connection.makefile("rb").readline()
    assert head.split()[1] == b"404"
