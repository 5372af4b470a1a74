"""Decisions awaited in event loops share the engine's batches, and leave nothing behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from threading import Thread

import pytest

import clef_mlx
from clef_mlx.engine import stream

QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "money", "repair": None}},
}
STATES = [f"Ticket {number}: {'the lift is stuck ' * (number % 5)}" for number in range(24)]


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release) as loaded:
        yield loaded


@pytest.fixture
def passes(monkeypatch):
    """How many requests each call of the engine was given."""
    sizes = []
    plain = stream.decide_all

    def spy(runner, name, requests, batch_tokens):
        sizes.append(len(requests))
        return plain(runner, name, requests, batch_tokens)

    monkeypatch.setattr("clef_mlx.engine.clef.decide_all", spy)
    return sizes


def serving() -> list[Thread]:
    return [one for one in threading.enumerate() if one.name == "clef-mlx-awaited"]


async def settled() -> None:
    """Wait until no thread serves; bounded."""
    for _ in range(500):
        if not serving():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("a thread still serves")


def test_adecide_answers_like_decide(model):
    async def both():
        return await asyncio.gather(*(model.adecide(state, QUESTIONS, round=None) for state in STATES))

    for state, decision in zip(STATES, asyncio.run(both()), strict=True):
        alone = model.decide(state, QUESTIONS, round=None)
        for question in QUESTIONS:
            assert decision.probabilities[question] == pytest.approx(alone.probabilities[question], abs=2e-5)


def test_awaits_of_one_moment_are_decided_together(model, passes):
    async def burst():
        await asyncio.gather(*(model.adecide(state, QUESTIONS) for state in STATES))

    asyncio.run(burst())
    assert passes == [len(STATES)]


def test_each_await_has_its_own_options_and_error(model):
    async def three():
        return await asyncio.gather(
            model.adecide("a", QUESTIONS, round=1),
            model.adecide("word " * 500, QUESTIONS, max_length=200, on_overflow="refuse"),
            model.adecide("a", {"x": {"type": "bool"}}),
            return_exceptions=True,
        )

    good, long, wrong = asyncio.run(three())
    assert good["urgent"].noul == round(good.probabilities["urgent"]["true"], 1)
    assert isinstance(long, clef_mlx.ContextLengthError)
    assert isinstance(wrong, clef_mlx.RequestError)


def test_cancelled_await_is_not_begun(model, passes):
    async def leave():
        tasks = [asyncio.create_task(model.adecide(state, QUESTIONS)) for state in STATES[:4]]
        tasks[1].cancel()
        tasks[2].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    outcomes = asyncio.run(leave())
    assert [isinstance(outcome, asyncio.CancelledError) for outcome in outcomes] == [False, True, True, False]
    assert sum(passes) == 2


def test_cancelled_in_line_leaves_the_others_waiting(model, passes):
    async def leave():
        tasks = [asyncio.create_task(model.adecide(state, QUESTIONS)) for state in STATES[:4]]
        await asyncio.sleep(0)  # all have joined the line
        tasks[0].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, *rest = asyncio.run(leave())
    assert isinstance(first, asyncio.CancelledError)
    assert all(isinstance(outcome, clef_mlx.Decision) for outcome in rest)
    assert sum(passes) == 3


def test_loops_of_several_threads_are_served(model):
    answers = {}

    def loop(number):
        async def ask():
            decisions = await asyncio.gather(*(model.adecide(f"{number} {state}", QUESTIONS) for state in STATES[:6]))
            answers[number] = [decision["team"].choice for decision in decisions]

        asyncio.run(ask())

    threads = [Thread(target=loop, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert sorted(answers) == [0, 1, 2, 3]
    assert answers[2] == [model.decide(f"2 {state}", QUESTIONS)["team"].choice for state in STATES[:6]]


def test_loop_that_ends_early_holds_nobody_up(model):
    async def begin():
        task = asyncio.ensure_future(model.adecide("a", QUESTIONS))
        await asyncio.sleep(0)
        return task

    loop = asyncio.new_event_loop()
    left = loop.run_until_complete(begin())
    left._log_destroy_pending = False  # it is left pending on purpose
    loop.close()
    assert asyncio.run(asyncio.wait_for(model.adecide("b", QUESTIONS), 60))["team"].type == "choice"


def test_no_thread_stays_when_nobody_waits(model):
    async def once():
        await model.adecide("a", QUESTIONS)
        await settled()

    asyncio.run(once())


def test_closed_model_says_so(tiny_release):
    model = clef_mlx.load(tiny_release)
    model.close()
    with pytest.raises(clef_mlx.ClefError, match="is closed"):
        asyncio.run(model.adecide("a", QUESTIONS))


def test_program_that_drops_its_awaits_ends_cleanly(tiny_release):
    code = f"""
import asyncio, clef_mlx
model = clef_mlx.load({str(tiny_release)!r})
questions = {QUESTIONS!r}
async def main():
    tasks = [asyncio.create_task(model.adecide(f"{{n}} " * 50, questions)) for n in range(300)]
    await tasks[0]
asyncio.run(main())
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_answer_is_the_wire_object_with_attributes(model):
    decision = model.decide("a", QUESTIONS | {"heat": {"type": "score", "criteria": ["cold", "hot"]}})
    team, heat, urgent = decision["team"], decision["heat"], decision["urgent"]
    assert (team.type, team.choice, team.confidence) == ("choice", team["choice"], team["confidence"])
    assert team.probabilities == team["probabilities"]
    assert (heat.score, heat.legend) == (heat["score"], {"0": "cold", "1": "hot"})
    assert urgent == {"type": "noul", "noul": urgent.noul}


def test_answer_without_a_field_says_which_it_has(model):
    with pytest.raises(AttributeError, match="a noul answer has no choice; it has type, noul"):
        _ = model.decide("a", QUESTIONS)["urgent"].choice
