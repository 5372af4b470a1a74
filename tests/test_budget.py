"""Memory is known before it is taken: estimates against measured peaks, refusals that say what fits, nothing leaks."""

from __future__ import annotations

import random
import re
from pathlib import Path

import mlx.core as mx
import pytest

import clef_mlx
from clef_mlx.engine import thread

QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
}
MIB = 1 << 20


def text(words: int) -> str:
    return "parcel late " * (words // 2)


def active_bytes() -> int:
    return thread.run(mx.get_active_memory)


def peak_of(call) -> int:
    """Bytes that the call takes at its peak, over what is held before it."""
    before = active_bytes()
    thread.run(mx.reset_peak_memory)
    call()
    return thread.run(mx.get_peak_memory) - before


@pytest.fixture(scope="module")
def unkept(random_release):
    with clef_mlx.load(random_release("golden-256"), dtype="float32", prefix_bytes=0) as model:
        model.decide("warm up", QUESTIONS)
        yield model


def tokens_of(model, state) -> int:
    return len(model.encode({"state": state, "questions": QUESTIONS}).input_ids)


def test_peak_memory_grows_linearly_with_the_record(unkept):
    sizes = [500, 1000, 2000]
    tokens = [tokens_of(unkept, text(words)) for words in sizes]
    peaks = [peak_of(lambda words=words: unkept.decide(text(words), QUESTIONS)) for words in sizes]
    first, second = ((b - a) / (t - s) for (a, b), (s, t) in zip(_pairs(peaks), _pairs(tokens), strict=True))
    # A matrix of tokens by tokens would double the slope.
    assert second <= 1.5 * first


def _pairs(values):
    return list(zip(values, values[1:], strict=False))


@pytest.mark.parametrize("words", [100, 500, 2000])
def test_need_is_near_the_measured_peak(unkept, words):
    peak = peak_of(lambda: unkept.decide(text(words), QUESTIONS))
    need = unkept._runner.budget.need(tokens_of(unkept, text(words)))
    assert 0.6 <= need / peak <= 1.8


@pytest.mark.parametrize("words", [500, 2000])
def test_need_of_a_state_that_is_kept_is_near_the_measured_peak(random_release, words):
    with clef_mlx.load(random_release("golden-256"), dtype="float32") as model:
        model.decide("warm up", QUESTIONS)
        record = model.encode({"state": text(words), "questions": QUESTIONS})
        peak = peak_of(lambda: model.decide(text(words), QUESTIONS))
        assert 0.6 <= model._runner._need(len(record.input_ids), 1, record.state_span.end, 0) / peak <= 1.8


def test_need_of_a_batch_is_near_the_measured_peak(unkept):
    records = [unkept.encode({"state": text(300 + n), "questions": QUESTIONS}) for n in range(6)]
    peak = peak_of(lambda: unkept.logits(records))
    need = unkept._runner.budget.need(max(len(record.input_ids) for record in records), batch=len(records))
    assert 0.5 <= need / peak <= 2.0


@pytest.fixture
def tight(random_release):
    """A model that has 20 MiB over what is held in this process; what it needs grows past that at some length."""
    folder = random_release("golden-128")
    with clef_mlx.load(folder, dtype="float32", round=None) as model:
        weights = model.memory.weights
    with clef_mlx.load(folder, dtype="float32", round=None, memory_bytes=active_bytes() + weights + 20 * MIB) as model:
        yield model


def too_long(model) -> str:
    """A state that needs more than there is."""
    words = 64
    while model._runner.budget.need(tokens_of(model, text(words))) <= 24 * MIB:
        words *= 2
    return text(words)


def test_refusal_names_need_available_and_a_length_that_fits(tight):
    state = too_long(tight)
    with pytest.raises(clef_mlx.MemoryBudgetError) as refused:
        tight.decide(state, QUESTIONS)
    said = re.fullmatch(
        r"memory: deciding (\d+) tokens needs ([\d.,]+) MB, got ([\d.,]+) MB available\. "
        r"Cut the state with max_state_tokens=(\d+), or free memory, or take a smaller model\.",
        str(refused.value),
    )
    assert said
    tokens, need, available, fits = (float(number.replace(",", "")) for number in said.groups())
    assert tokens == tokens_of(tight, state)
    assert need > available
    cut = tight.decide(state, QUESTIONS, max_state_tokens=int(fits))
    assert cut.truncated_tokens > 0


def test_refused_request_leaves_its_batch_unharmed(tight):
    bodies = [{"state": state, "questions": QUESTIONS} for state in ("late", too_long(tight), "late again")]
    outcomes = list(tight.decide_many(bodies, batch_tokens=100_000))
    assert [type(outcome).__name__ for outcome in outcomes] == ["Decision", "MemoryBudgetError", "Decision"]


def test_batch_that_does_not_fit_is_decided_in_parts(tight):
    bodies = [{"state": text(100 + n), "questions": QUESTIONS} for n in range(40)]
    assert tight._runner.budget.need(tokens_of(tight, text(139)), batch=40) > 20 * MIB
    outcomes = list(tight.decide_many(bodies, batch_tokens=1_000_000))
    assert all(isinstance(outcome, clef_mlx.Decision) for outcome in outcomes)


def test_kept_prefixes_go_before_a_request_is_refused(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32") as model:
        model.decide(text(400), QUESTIONS)
        model.decide("other " + text(400), QUESTIONS)
        assert len(model._runner.store) == 2
        # Room for the next request alone, but not beside both of them.
        need = model._runner._need(tokens_of(model, "third " + text(400)), 1, 500, 0)
        model._runner.budget.limit_bytes = active_bytes() + need - model._runner.store.nbytes // 4
        model.decide("third " + text(400), QUESTIONS)
        states = [model.decide(start + text(400), QUESTIONS).reused_tokens > 0 for start in ("third ", "other ")]
        assert states == [True, True]
        model._runner.budget.limit_bytes = active_bytes()
        with pytest.raises(clef_mlx.MemoryBudgetError):
            model.decide("fourth " + text(400), QUESTIONS)
        assert len(model._runner.store) == 0


def test_hundred_random_lengths_stay_under_the_stated_cap(random_release):
    draw = random.Random(3)
    base = active_bytes()
    with clef_mlx.load(random_release("tiny"), dtype="float32", prefix_bytes=MIB, max_length=2048) as model:
        memory = model.memory
        cap = base + memory.weights + memory.prefixes_limit + memory.deciding + memory.cache_limit
        resident = 0
        for number in range(100):
            model.decide(text(draw.randrange(2, 1000)), QUESTIONS)
            held = active_bytes() + thread.run(mx.get_cache_memory)
            assert held <= cap
            if number == 20:
                resident = resident_bytes()
        assert thread.run(mx.get_cache_memory) <= memory.cache_limit
        # What malloc keeps for the next request is bounded too.
        assert resident_bytes() - resident <= memory.deciding + memory.cache_limit


def resident_bytes() -> int:
    """0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")), 0)


def test_closing_gives_the_memory_back(random_release):
    before = active_bytes()
    model = clef_mlx.load(random_release("golden-256"), dtype="float32")
    weights = model.memory.weights
    assert active_bytes() - before >= weights > 0
    model.decide(text(400), QUESTIONS)
    model.close()
    assert active_bytes() - before <= 1024


def test_refused_request_does_not_keep_a_closed_model_alive(tight):
    (error,) = tight.decide_many([{"state": too_long(tight), "questions": QUESTIONS}])
    weights, held = tight.memory.weights, active_bytes()
    tight.close()
    assert isinstance(error, clef_mlx.MemoryBudgetError)
    assert held - active_bytes() >= weights


def test_weights_over_the_given_memory_are_refused_before_loading(random_release):
    folder = random_release("golden-128")
    with pytest.raises(clef_mlx.MemoryBudgetError, match="the weights need"):
        clef_mlx.load(folder, memory_bytes=active_bytes() + 1_000_000)


@pytest.mark.parametrize("spacing", [1, 63])
def test_checkpoints_too_close_to_be_worth_a_step_are_refused(random_release, spacing):
    with pytest.raises(clef_mlx.RequestError, match="checkpoint_tokens: must be 0 or at least 64"):
        clef_mlx.load(random_release("tiny"), checkpoint_tokens=spacing)


@pytest.mark.parametrize("name", ["prefix_bytes", "checkpoint_tokens", "memory_bytes"])
@pytest.mark.parametrize("value", [-1, 1.5, True, "1G"])
def test_impossible_limit_is_refused_by_name(random_release, name, value):
    with pytest.raises(clef_mlx.RequestError, match=name):
        clef_mlx.load(random_release("tiny"), **{name: value})
