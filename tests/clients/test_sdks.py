"""Published clients, unchanged, against the server."""

from __future__ import annotations

import pytest
from asking import KEY

pytestmark = pytest.mark.clients

LEGEND = {"0": "calm", "1": {"label": "cross"}, "2": ["furious"]}


@pytest.fixture(scope="session")
def loaded(server) -> str:
    """The id of the one model."""
    import httpx

    return httpx.get(f"{server}/v1/models").json()["data"][0]["id"]


@pytest.fixture(scope="session")
def typesafe(heard, server, pictures):
    return heard("use_typesafe.py", server, "no-key-needed", *pictures)


def test_typesafe_reads_every_answer_type(typesafe):
    answer = typesafe["text"]
    assert 0 <= answer["noul"] <= 1
    assert sum(answer["shares"].values()) == pytest.approx(1, abs=1e-5)
    assert answer["choice"] == max(answer["shares"], key=answer["shares"].get)
    assert answer["legend"] == LEGEND
    assert (answer["input_tokens"] > 0, answer["output_tokens"]) == (True, 0)
    assert answer["request_id"].startswith("req_")


def test_typesafe_lists_the_models(typesafe, loaded):
    assert [name for name, _ in typesafe["models"]][0] == loaded


def test_typesafe_compresses_with_zstd_and_gets_the_same(typesafe):
    assert typesafe["compressed"] == {"bodies": 1, "smaller": True, "same": True}


def test_typesafe_asks_eight_at_once(typesafe):
    assert len({answer["request_id"] for answer in typesafe["several"]}) == 8


def test_typesafe_sends_pictures_as_parts_of_the_body(typesafe):
    answer = typesafe["pictures"]
    assert answer["choice"] in ("billing", "shipping")
    assert answer["input_tokens"] > typesafe["text"]["input_tokens"]


def test_typesafe_names_the_field_of_a_bad_request(typesafe):
    refusal = typesafe["refusal"]
    assert (refusal["kind"], refusal["status"]) == ("TypeSafeUnprocessableEntityError", 422)
    assert "questions.q.criteria" in refusal["text"]


def test_typesafe_uses_a_key(heard, locked_server):
    assert heard("use_typesafe.py", locked_server, KEY)["text"]["choice"] in ("billing", "shipping")


def test_javascript_reads_every_answer_type(node, server):
    heard = node("use_typesafe.mjs", server, "no-key-needed")
    answers = heard["data"]["answers"]
    assert [answer["type"] for answer in answers.values()] == ["noul", "noul", "choice", "score"]
    assert answers["mood"]["legend"] == {"0": "calm", "1": {"label": "cross"}}
    assert heard["requestId"].startswith("req_")
    assert set(heard["models"][0]) == {"name", "description", "release_date"}
    assert (heard["refusal"]["kind"], heard["refusal"]["status"]) == ("UnprocessableEntityError", 422)
    assert "questions.q.criteria" in heard["refusal"]["text"]


@pytest.fixture(scope="session")
def openai(heard, server, loaded, pictures):
    return heard("use_openai.py", server, "no-key-needed", loaded, pictures[0])


def test_openai_reads_answers_in_question_order(openai):
    predicate, choice, score = openai["text"]["answers"]
    assert (predicate["type"], predicate["name"], choice["name"], score["name"]) == (
        "predicate",
        "refund",
        None,
        "mood",
    )
    assert 0 <= predicate["probability"] <= 1
    assert [option["value"] for option in choice["probabilities"]] == ["true", True, False]
    assert sum(option["probability"] for option in choice["probabilities"]) == pytest.approx(1, abs=1e-5)
    assert [(level["value"], level["label"]) for level in score["probabilities"]] == [
        (0, "calm"),
        (1, "cross"),
        (2, "furious"),
    ]
    expected = sum(level["value"] * level["probability"] for level in score["probabilities"])
    assert score["score"] == pytest.approx(expected, abs=1e-5)


def test_openai_counts_tokens(openai):
    usage = openai["text"]["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    assert usage["output_tokens_details"] == {"reasoning_tokens": 0}


def test_openai_answers_alike_when_awaited(openai):
    shares = [
        [answer.get("probability", answer.get("confidence")) for answer in openai[way]["answers"]]
        for way in ("text", "async")
    ]
    assert shares[0] == pytest.approx(shares[1], abs=2e-5)


def test_openai_takes_a_conversation_with_tools_and_json(openai):
    assert len(openai["conversation"]["answers"]) == 3
    assert openai["conversation"]["usage"]["input_tokens"] > openai["text"]["usage"]["input_tokens"]


def test_openai_sends_a_picture(openai):
    assert len(openai["picture"]["answers"]) == 3
    assert openai["picture"]["usage"]["input_tokens"] > openai["text"]["usage"]["input_tokens"]


def test_openai_lists_the_models(openai, loaded):
    assert loaded in openai["models"]


@pytest.mark.parametrize(
    "case, kind, status",
    [
        ("unknown", "BadRequestError", 400),
        ("empty", "UnprocessableEntityError", 422),
        ("fetch", "UnprocessableEntityError", 422),
    ],
)
def test_openai_shows_the_refusal(openai, case, kind, status):
    refusal = openai[case]
    assert (refusal["kind"], refusal["status"]) == (kind, status)
    assert refusal["body"]["message"]
    assert refusal["id"].startswith("req_")


def test_pydecide_hears_the_same_from_both_dialects(heard, server, loaded):
    told = heard("use_decide.py", server, "no-key-needed", loaded)
    for dialect in told.values():
        assert 0 <= dialect["noul"] <= 1
        assert sum(dialect["shares"].values()) == pytest.approx(1, abs=1e-5)
        assert dialect["score"] == pytest.approx(
            sum(level * share for level, share in enumerate(dialect["levels"])), abs=1e-5
        )


def test_systemone_client_reads_every_answer_type(heard, server):
    told = heard("use_systemone.py", server, "")
    assert told["sync"]["noul"] == pytest.approx(told["async"]["noul"], abs=2e-5)
    assert told["sync"]["legend"] == {"0": "calm", "1": "cross"}
    assert told["refusal"]["status"] == 422
    assert "questions.q.criteria" in told["refusal"]["text"]


def test_systemone_client_uses_a_key(heard, locked_server):
    assert heard("use_systemone.py", locked_server, KEY)["sync"]["tokens"] > 0


def test_clef_evals_reads_cloudflares_envelope(heard, server, pictures):
    told = heard("use_clef_evals.py", server, "no-key-needed", *pictures)
    assert told["pictures"]["tokens"][0] > told["@cf/cloudflare/clef"]["tokens"][0]
    for model in ("@cf/cloudflare/clef", "@cf/cloudflare/clef-flash"):
        assert 0 <= told[model]["noul"] <= 1
        assert told[model]["legend"] == {"0": "calm", "1": "cross"}
        assert (told[model]["tokens"][0] > 0, told[model]["tokens"][1]) == (True, 0)
    assert told["refusal"]["status"] == 422
    assert told["refusal"]["code"]
