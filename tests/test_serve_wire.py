"""What clients of the server send and get: answers, model names, numbers and headers, over real sockets."""

from __future__ import annotations

import pytest
from serving import CHOICE, NOUL, REQUEST, SCORE, decide, served

import clef_mlx
from clef_mlx.answers import CONFIDENCE_DIALECTS
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.shapes import Models, SystemOneAnswer

TOLERANCE = 2e-5  # float32, whatever else was in the batch


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release) as running:
        yield running


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release) as loaded:
        yield loaded


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
