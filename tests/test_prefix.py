"""Kept prefixes: the same answers for less work, within the bytes they may take."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from requests_bank import requests

import clef_mlx
from clef_mlx.engine import thread
from clef_mlx.engine.prefix import LEAST_TOKENS, TAIL_TOKENS, Prefix, PrefixStore
from clef_mlx.model.paths import override_paths

MAX_DP = 2e-5  # fp32, as between this code and the publisher's
QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
}
OTHERS = {
    "anger": {"type": "score", "criteria": ["calm", "annoyed", "furious"]},
    "late": {"type": "noul"},
    "colour": {"type": "choice", "criteria": {"red": None, "green": "like grass"}},
}


def log(lines: int, changed: int | None = None) -> dict:
    """A state of about 22 tokens a line; `changed` is the line that says something else."""
    return {
        "lines": [
            {"at": at, "text": "nobody answers" if at == changed else "the parcel is late again"} for at in range(lines)
        ]
    }


@pytest.fixture(scope="module")
def loaded(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", round=None) as model:
        yield model


@pytest.fixture
def model(loaded):
    """The module's model, with nothing kept."""
    loaded.forget()
    return loaded


def store(model) -> PrefixStore:
    return model._runner.store


def state_end(model, state) -> int:
    return model.encode({"state": state, "questions": QUESTIONS}).state_span.end


def plain(model, state, questions) -> np.ndarray:
    """Probabilities without any reuse."""
    return flat(model.trace({"state": state, "questions": questions})["probabilities"])


def flat(probabilities) -> np.ndarray:
    return np.array([p for question in probabilities.values() for p in question.values()])


def assert_like_plain(model, state, questions, decision) -> None:
    assert np.abs(flat(decision.probabilities) - plain(model, state, questions)).max() <= MAX_DP


def active_bytes() -> int:
    return thread.run(mx.get_active_memory)


# What is reused, and that it changes nothing


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_repeated_request_is_bit_equal_and_reuses_its_whole_state(random_release, dtype):
    with clef_mlx.load(random_release("golden-128"), dtype=dtype, round=None) as model:
        first = model.decide(log(40), QUESTIONS)
        again = model.decide(log(40), QUESTIONS)
        assert again == first and first.reused_tokens == 0
        assert again.reused_tokens == state_end(model, log(40))


def test_other_questions_reuse_the_whole_state(model):
    model.decide(log(40), QUESTIONS)
    decision = model.decide(log(40), OTHERS)
    assert decision.reused_tokens == state_end(model, log(40))
    assert_like_plain(model, log(40), OTHERS, decision)


def test_first_answer_is_the_one_without_reuse(model):
    assert_like_plain(model, log(40), QUESTIONS, model.decide(log(40), QUESTIONS))


@pytest.mark.parametrize("at", range(0, 60, 4))
def test_any_kind_of_request_is_answered_as_without_reuse(model, at):
    body = requests()[at]
    first = model.decide(body["state"], body["questions"])
    assert_like_plain(model, body["state"], body["questions"], first)
    assert model.decide(body["state"], body["questions"]) == first


def test_grown_text_reuses_all_of_the_old_state_but_its_last_word(model):
    text = "the parcel is late again and nobody answers " * 20
    model.decide(text, QUESTIONS)
    decision = model.decide(text + "so she calls once more", QUESTIONS)
    assert decision.reused_tokens >= state_end(model, text) - TAIL_TOKENS
    assert_like_plain(model, text + "so she calls once more", QUESTIONS, decision)


def test_grown_json_reuses_all_but_the_closing_brackets(model):
    model.decide(log(40), QUESTIONS)
    decision = model.decide(log(45), QUESTIONS)
    assert decision.reused_tokens == state_end(model, log(40)) - TAIL_TOKENS
    assert_like_plain(model, log(45), QUESTIONS, decision)


def test_state_grown_many_times_does_not_drift(model):
    for lines in range(30, 60, 3):
        decision = model.decide(log(lines), QUESTIONS)
    assert_like_plain(model, log(57), QUESTIONS, decision)


def test_edited_state_reuses_up_to_the_last_checkpoint_before_the_edit(model):
    spacing = store(model).spacing_tokens
    model.decide(log(40), QUESTIONS)
    before_edit = state_end(model, log(28)) - TAIL_TOKENS
    decision = model.decide(log(40, changed=30), QUESTIONS)
    assert decision.reused_tokens == before_edit // spacing * spacing > 0
    assert_like_plain(model, log(40, changed=30), QUESTIONS, decision)


def test_shortened_state_reuses_a_checkpoint(model):
    model.decide(log(60), QUESTIONS)
    decision = model.decide(log(40), QUESTIONS)
    assert 0 < decision.reused_tokens < state_end(model, log(40))
    assert_like_plain(model, log(40), QUESTIONS, decision)


def test_state_repeated_after_it_grew_is_still_bit_equal(model):
    first = model.decide(log(40), QUESTIONS)
    model.decide(log(45), QUESTIONS)
    assert model.decide(log(40), QUESTIONS) == first


def test_another_state_reuses_nothing(model):
    model.decide(log(40), QUESTIONS)
    assert model.decide("something else " * 60, QUESTIONS).reused_tokens == 0


def test_short_state_is_not_kept(model):
    record = model.encode({"state": "late", "questions": QUESTIONS})
    assert record.state_span.end < LEAST_TOKENS
    model.decide("late", QUESTIONS)
    assert not store(model)


def test_nothing_is_kept_where_no_bytes_may_be(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", prefix_bytes=0) as model:
        model.decide(log(40), QUESTIONS)
        assert model.decide(log(40), QUESTIONS).reused_tokens == 0
        assert model.memory.prefixes == 0


def test_other_kernel_forms_are_never_mixed(model):
    model.decide(log(40), QUESTIONS)
    with override_paths(attention="fused"):
        assert model.decide(log(40), QUESTIONS).reused_tokens == 0


def test_media_of_another_content_or_grid_share_nothing(model):
    record = model.encode({"state": log(40), "questions": QUESTIONS})
    shown = replace(record, media=SimpleNamespace(key=("sha", (1, 16, 24))))
    turned = replace(record, media=SimpleNamespace(key=("sha", (1, 24, 16))))
    kept = PrefixStore(1 << 30, 0)
    thread.run(kept.put, shown, *prefix_of(model, record))
    assert kept.find(turned) is None and kept.find(record) is None
    assert kept.find(shown).position == record.state_span.end


def test_trace_reuses_and_keeps_nothing(model):
    model.trace({"state": log(40), "questions": QUESTIONS})
    assert not store(model)


# How much is held


def prefix_of(model, record):
    """A prefix computed for a record, and its checkpoints."""
    from clef_mlx.engine.forward import state_prefix

    return thread.run(state_prefix, model._runner.model, record, None, store(model).positions(record.state_span.end))


def fill(model, states: int) -> None:
    for number in range(states):
        model.decide(f"customer {number} " + "writes that the parcel is late " * (20 + number), QUESTIONS)


def test_accounted_bytes_are_what_is_held(model):
    model.decide("warm up", QUESTIONS)
    empty = active_bytes()
    fill(model, 5)
    model.decide(log(60), QUESTIONS)
    model.decide(log(64), QUESTIONS)
    held = active_bytes() - empty
    assert len(store(model)) == 7
    # MLX rounds small arrays up: at most a few kilobytes for each of them.
    assert 0 <= held - model.memory.prefixes <= 0.05 * held
    thread.run(store(model).clear)
    assert active_bytes() <= empty


def test_checkpoints_that_records_share_count_once(model):
    model.decide(log(60), QUESTIONS)
    model.decide(log(64), QUESTIONS)
    earlier, later = store(model)._kept
    both = set(earlier.checkpoints) & set(later.checkpoints)
    assert both
    apart = sum(kept.row_bytes + sum(point.nbytes for point in kept.checkpoints) for kept in (earlier, later))
    assert store(model).nbytes == apart - sum(point.nbytes for point in both)


def test_oldest_goes_first_and_the_limit_holds(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", prefix_bytes=2_000_000) as model:
        empty = active_bytes()
        model.decide(log(20), QUESTIONS)
        for number in range(8):
            model.decide(f"customer {number} " + "writes that the parcel is late " * 30, QUESTIONS)
            model.decide(log(20), QUESTIONS)  # stays, for it is used
            assert model.memory.prefixes <= 2_000_000
            assert active_bytes() - empty <= 2_100_000
        assert model.decide(log(20), QUESTIONS).reused_tokens == state_end(model, log(20))
        assert model.decide("customer 0 " + "writes that the parcel is late " * 30, QUESTIONS).reused_tokens == 0
        assert model.decide("customer 7 " + "writes that the parcel is late " * 30, QUESTIONS).reused_tokens > 0


def test_state_that_grew_is_the_next_to_go(model):
    model.decide("something else " * 60, QUESTIONS)
    model.decide(log(40), QUESTIONS)
    model.decide(log(45), QUESTIONS)
    store(model).drop_oldest()
    assert model.decide("something else " * 60, QUESTIONS).reused_tokens > 0
    assert model.decide(log(45), QUESTIONS).reused_tokens == state_end(model, log(45))


def test_record_too_large_for_all_its_checkpoints_keeps_the_last(model):
    record = model.encode({"state": log(60), "questions": QUESTIONS})
    prefix, checkpoints = prefix_of(model, record)
    rows = sum(s.keys.nbytes + s.values.nbytes for s in prefix.states if hasattr(s, "keys")) + prefix.memory.nbytes
    small = PrefixStore(rows + 2 * checkpoints[-1].nbytes, 256)
    small.put(record, prefix, checkpoints)
    assert [point.position for point in small._kept[0].checkpoints] == [
        record.state_span.end - TAIL_TOKENS,
        record.state_span.end,
    ]
    smaller = PrefixStore(rows, 256)
    smaller.put(record, prefix, checkpoints)
    assert len(smaller) == 0


@pytest.mark.parametrize(("spacing", "expected"), [(0, []), (300, [300, 600, 900]), (512, [512])])
def test_checkpoints_stand_where_the_option_says(random_release, spacing, expected):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", checkpoint_tokens=spacing, round=None) as model:
        decision = model.decide(log(42), QUESTIONS)
        end = state_end(model, log(42))
        assert 900 < end - TAIL_TOKENS < 1024
        assert [p.position for p in store(model)._kept[0].checkpoints] == [*expected, end - TAIL_TOKENS, end]
        assert model.decide(log(42), QUESTIONS) == decision
        assert_like_plain(model, log(42), QUESTIONS, decision)


def test_closing_gives_kept_prefixes_back(random_release):
    before = active_bytes()
    model = clef_mlx.load(random_release("golden-128"), dtype="float32")
    fill(model, 3)
    model.close()
    assert active_bytes() - before <= 1024


# One state, many requests


def test_requests_of_one_state_pay_for_it_once(model):
    bodies = [{"state": log(30), "questions": {name: question}} for name, question in (QUESTIONS | OTHERS).items()]
    decisions = list(model.decide_many(bodies))
    end = state_end(model, log(30))
    assert sorted(decision.reused_tokens for decision in decisions) == [0] + [end] * (len(bodies) - 1)
    for body, decision in zip(bodies, decisions, strict=True):
        assert list(decision.answers) == list(body["questions"])
        assert_like_plain(model, body["state"], body["questions"], decision)


def test_shared_and_different_states_mix_in_request_order(model):
    states = [log(30), "a" * 50, log(12), log(30), "another state " * 30, log(12), log(30), ""]
    bodies = [
        {"state": state, "questions": (QUESTIONS, OTHERS)[at % 2]} | ({"model": f"m{at}"})
        for at, state in enumerate(states)
    ]
    done = []
    decisions = list(model.decide_many(bodies, batch_tokens=700, progress=done.append))
    assert sum(done) == len(bodies)
    assert [decision.model for decision in decisions] == [body["model"] for body in bodies]
    for body, decision in zip(bodies, decisions, strict=True):
        assert_like_plain(model, body["state"], body["questions"], decision)


def test_sharing_needs_no_store(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", round=None, prefix_bytes=0) as model:
        bodies = [{"state": log(30), "questions": questions} for questions in (QUESTIONS, OTHERS)]
        for body, decision in zip(bodies, model.decide_many(bodies), strict=True):
            assert_like_plain(model, body["state"], body["questions"], decision)
        assert model.memory.prefixes == 0


@pytest.mark.parametrize("state", [log(30), "late", ""], ids=["long", "short", "empty"])
def test_isolated_questions_share_their_state(model, state):
    questions = QUESTIONS | OTHERS
    together = model.decide(state, questions, isolate=True)
    assert together.reused_tokens == (len(questions) - 1) * state_end(model, state)
    for name, question in questions.items():
        asked = question if question.get("instructions") else question | {"instructions": name}
        alone = model.decide(state, {"one": asked}, isolate=True)
        expected = list(alone.probabilities["one"].values())
        assert list(together.probabilities[name].values()) == pytest.approx(expected, abs=MAX_DP)


def test_isolated_questions_cut_differently_are_still_answered(model):
    questions = QUESTIONS | OTHERS
    decision = model.decide(log(60), questions, isolate=True, max_length=600)
    assert decision.usage["input_tokens"] == 600 * len(questions)
    assert list(decision.answers) == list(questions)


def test_kept_state_serves_a_batch(model):
    model.decide(log(30), QUESTIONS)
    bodies = [{"state": state, "questions": OTHERS} for state in ("late", log(30), "late again")]
    decisions = list(model.decide_many(bodies))
    assert decisions[1].reused_tokens == state_end(model, log(30))
    assert_like_plain(model, log(30), OTHERS, decisions[1])


def test_states_that_pass_in_a_batch_are_not_kept(model):
    list(model.decide_many({"state": f"customer {n} " + "is late " * 40, "questions": QUESTIONS} for n in range(4)))
    assert not store(model)


def test_prefix_spread_over_a_batch_copies_no_rows_until_used(model):
    prefix, _ = prefix_of(model, model.encode({"state": log(40), "questions": QUESTIONS}))
    before = active_bytes()
    states = Prefix.spread(prefix, 64, 16)
    assert all(state.prefix[0].shape[0] == 1 for state in states if hasattr(state, "keys"))
    assert active_bytes() - before < prefix.memory.nbytes


# What it is for


def seconds(call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def test_new_questions_on_a_kept_state_cost_a_fraction(model):
    state = log(92)
    assert 1900 < state_end(model, state) < 2200
    cold, warm = [], []
    for _ in range(4):
        thread.run(store(model).clear)
        cold.append(seconds(lambda: model.decide(state, QUESTIONS)))
        warm.append(seconds(lambda: model.decide(state, OTHERS)))
    assert min(warm) <= 0.5 * min(cold)
