"""Between the event loop and the model: batches answer like one by one, and a request's trouble stays its own."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from desks import (
    FULL_PRECISION,
    POISON,
    QUESTIONS,
    SECONDS,
    ask,
    ask_all,
    body,
    distance,
    flat,
    open_desk,
    plant,
    write_poisoned,
)

import clef_mlx
from clef_mlx.errors import ModelFault, RequestError
from clef_mlx.serve import metrics, worker
from clef_mlx.serve.desk import Decided, Desk, Full, Gone, NotReady, TimedOut, UnknownModel
from clef_mlx.serve.settings import Settings

TEXT = "the parcel is late again and nobody answers "
LONG = TEXT * 1500  # seconds of work
PLANTED = "kettle"


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release, round=None) as loaded:
        yield loaded


@pytest.fixture
def poisoned(tmp_path) -> Path:
    return write_poisoned(tmp_path / "poisoned")


def mixed(count: int) -> list[dict]:
    """Requests of different lengths, some of which share a state."""
    return [body(f"{TEXT * (1 + 7 * (index % 5))} {index - index % 3}", id=str(index)) for index in range(count)]


def sample(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def is_marked(record) -> bool:
    return record.questions[0].question_id == PLANTED


def marked() -> dict:
    return {"state": TEXT, "questions": {PLANTED: {"type": "noul"}}}


async def started(desk: Desk, request: dict, **options) -> asyncio.Task:
    """A task whose request runs by now."""
    task = asyncio.create_task(ask(desk, request, **options))
    for _ in range(int(SECONDS / 0.005)):
        await asyncio.sleep(0.005)
        if desk._worker.running:
            return task
    raise AssertionError("the request did not begin")


def test_requests_at_once_are_answered_in_batches_as_one_by_one(tiny_release, model):
    async def run():
        async with open_desk(tiny_release) as desk:
            return await ask_all(desk, requests)

    requests = mixed(16)
    decided = asyncio.run(run())
    assert max(one.batch for one in decided) > 1
    for request, one in zip(requests, decided, strict=True):
        assert distance(one.decision, model.decide(request["state"], request["questions"])) <= 2e-5


def test_each_request_has_its_own_options(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            rounded = FULL_PRECISION.with_(round=2)
            return await asyncio.gather(ask(desk, body(TEXT), options=rounded), ask(desk, body(TEXT)))

    short, long = (one.decision.answers["urgent"]["noul"] for one in asyncio.run(run()))
    assert short == round(long, 2) != long


def test_one_after_another_waits_for_nobody(tiny_release):
    async def run():
        async with open_desk(tiny_release, wait_ms=5000) as desk:
            return [await ask(desk, body(TEXT)) for _ in range(3)]

    assert max(one.queue_ms for one in asyncio.run(run())) < 5000


def test_a_state_seen_before_is_not_computed_again(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            first = await ask(desk, body(TEXT * 40))
            other = {"state": TEXT * 40, "questions": {"other": {"type": "noul"}}}
            return first.decision, (await ask(desk, other)).decision

    first, second = asyncio.run(run())
    assert first.reused_tokens == 0 < second.reused_tokens


def test_a_bad_request_is_its_own(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            tight = FULL_PRECISION.with_(max_length=100, on_overflow="refuse")
            good = asyncio.gather(*(ask(desk, request) for request in mixed(4)))
            with pytest.raises(RequestError, match="state"):
                await ask(desk, body(TEXT * 40), options=tight)
            return await good

    assert len(asyncio.run(run())) == 4


def test_work_of_a_client_that_left_is_not_begun(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            before = sample("clef_tokens_total", kind="input")
            with pytest.raises(Gone):
                await ask(desk, body(TEXT), alive=lambda: False)
            after = sample("clef_tokens_total", kind="input")
            await ask(desk, body(TEXT))
            return after - before

    assert asyncio.run(run()) == 0


def test_work_stops_when_its_client_leaves(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            before = sample("clef_tokens_total", kind="input")
            there = [True]
            task = await started(desk, body(LONG), alive=lambda: bool(there))
            there.clear()
            with pytest.raises(Gone):
                await task
            short = await ask(desk, body(TEXT))
            return sample("clef_tokens_total", kind="input") - before - short.decision.usage["input_tokens"]

    assert asyncio.run(run()) == 0


def test_a_cancelled_request_leaves_the_line(tiny_release):
    async def run():
        async with open_desk(tiny_release, queue=1) as desk:
            running = await started(desk, body(LONG))
            waiting = asyncio.create_task(ask(desk, body(TEXT)))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.sleep(0)
            later = asyncio.create_task(ask(desk, body(TEXT)))  # takes its place
            await asyncio.sleep(0)
            assert not later.done()
            running.cancel()
            return await later

    assert isinstance(asyncio.run(run()), Decided)


def test_a_deadline_ends_the_waiting(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            running = await started(desk, body(LONG))
            begun = time.monotonic()
            with pytest.raises(TimedOut):
                await ask(desk, body(TEXT), deadline=0.05)
            assert not running.done()
            running.cancel()
            return time.monotonic() - begun

    assert asyncio.run(run()) < 5


def test_a_full_line_says_when_to_come_again(tiny_release):
    async def run():
        async with open_desk(tiny_release, queue=2) as desk:
            running = await started(desk, body(LONG))
            waiting = [asyncio.create_task(ask(desk, body(TEXT))) for _ in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(Full) as full:
                await ask(desk, body(TEXT))
            running.cancel()
            await asyncio.gather(*waiting)
            return full.value.retry_after

    assert 1 <= asyncio.run(run()) <= 60


def test_a_planted_exception_is_that_requests_alone(tiny_release, model, monkeypatch):
    async def run():
        async with open_desk(tiny_release) as desk:
            return await ask_all(desk, requests), await ask(desk, body(TEXT))

    plant(monkeypatch, is_marked)
    requests = mixed(6)
    requests.insert(3, marked())
    decided, after = asyncio.run(run())
    assert isinstance(decided.pop(3), ModelFault)
    requests.pop(3)
    for request, one in zip([*requests, body(TEXT)], [*decided, after], strict=True):
        assert distance(one.decision, model.decide(request["state"], request["questions"])) <= 2e-5


@pytest.mark.parametrize("words", [3, 60], ids=["in a batch", "as a kept prefix"])
def test_nan_in_one_request_is_that_requests_alone(poisoned, words):
    async def run():
        async with open_desk(poisoned) as desk:
            return await ask_all(desk, requests), await ask(desk, requests[0])

    requests = [body(f"{TEXT * words} {index}") for index in range(4)]
    requests[2]["state"] += POISON
    decided, after = asyncio.run(run())
    assert isinstance(decided.pop(2), ModelFault)
    with clef_mlx.load(poisoned, round=None) as model:
        for request, one in zip([*requests[:2], requests[3], requests[0]], [*decided, after], strict=True):
            assert distance(one.decision, model.decide(request["state"], request["questions"])) <= 2e-5


def test_readiness_follows_decisions(tiny_release, monkeypatch):
    async def run():
        async with open_desk(tiny_release) as desk:
            seen = [desk.ready().ready]
            with monkeypatch.context() as planted:
                plant(planted, lambda record: True)
                for _ in range(worker.MOST_FAULTS):
                    with pytest.raises(ModelFault):
                        await ask(desk, body(TEXT))
                seen.append(desk.ready().ready)
            await ask(desk, body(TEXT))
            return [*seen, desk.ready().ready]

    assert asyncio.run(run()) == [True, False, True]


def test_readiness_comes_back_without_a_request(tiny_release, monkeypatch):
    async def run():
        async with open_desk(tiny_release) as desk:
            with monkeypatch.context() as planted:
                plant(planted, is_marked)
                await ask_all(desk, [marked()] * worker.MOST_FAULTS)
            async with asyncio.timeout(SECONDS):
                while not desk.ready().ready:
                    await asyncio.sleep(0.02)

    monkeypatch.setattr(worker, "TICK_SECONDS", 0.05)
    asyncio.run(run())


def test_a_lost_worker_is_not_ready(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            desk._line.close()
            desk._worker.thread.join(SECONDS)
            return desk.ready()

    assert not asyncio.run(run()).ready


def test_what_waits_is_finished_before_the_end(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            waiting = [asyncio.create_task(ask(desk, request)) for request in mixed(8)]
            await asyncio.sleep(0)
            await desk.drain(SECONDS)
            with pytest.raises(NotReady) as refused:
                await ask(desk, body(TEXT))
            return await asyncio.gather(*waiting), refused.value.retry_after

    decided, retry_after = asyncio.run(run())
    assert len(decided) == 8 and retry_after > 0


def test_the_end_does_not_wait_longer_than_it_may(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            running = await started(desk, body(LONG))
            waiting = asyncio.create_task(ask(desk, body(TEXT)))
            await asyncio.sleep(0)
            await desk.drain(0)
            return await asyncio.gather(running, waiting, return_exceptions=True)

    assert [type(one) for one in asyncio.run(run())] == [NotReady, NotReady]


def test_before_the_start_nothing_is_decided(tiny_release):
    async def run():
        desk = Desk(Settings(models=(str(tiny_release),)))
        assert not desk.ready().ready
        with pytest.raises(NotReady):
            await ask(desk, body(TEXT))
        await desk.drain(1)

    asyncio.run(run())


def test_an_unknown_model_is_named(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            await ask(desk, body(TEXT), "elsewhere")

    with pytest.raises(UnknownModel, match="elsewhere"):
        asyncio.run(run())


def test_memory_does_not_grow_with_requests(tiny_release):
    async def run():
        async with open_desk(tiny_release, prefix_bytes=2_000_000) as desk:
            held = []
            for _ in range(3):
                await ask_all(desk, mixed(12))
                held.append(sample("clef_mlx_bytes", kind="active"))
            return held

    first, _, third = asyncio.run(run())
    assert third <= first + 2_100_000


def test_metrics_tell_what_happened(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            await ask_all(desk, mixed(5))
            return metrics.render()

    text, media_type = asyncio.run(run())
    assert media_type.startswith("text/plain")
    for phase in ("queue", "encode", "model"):
        assert sample("clef_phase_seconds_count", phase=phase) >= 5
    assert b"clef_batch_requests_bucket" in text and b"clef_waiting_requests 0.0" in text


def test_a_path_is_never_read(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            await ask(desk, body(TEXT, images=[str(tiny_release / "config.json")]))

    with pytest.raises(RequestError) as refused:
        asyncio.run(run())
    assert refused.value.location[0] == "images"


def test_answers_have_the_order_of_their_questions(tiny_release):
    async def run():
        async with open_desk(tiny_release) as desk:
            return await ask(desk, {"state": TEXT, "questions": dict(reversed(QUESTIONS.items()))})

    decided = asyncio.run(run())
    assert list(decided.decision.answers) == list(reversed(QUESTIONS))
    assert flat(decided.decision).shape == (8,)
