"""Several models by name within a budget: loaded when asked for, given up for another, replaced when files change."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from threading import Event

import clef_mlx.blas
import mlx.core as mx
import pytest
from desks import SECONDS, ask, body, distance, open_desk

import clef_mlx
from clef_mlx.errors import CheckpointError, MemoryBudgetError, RequestError
from clef_mlx.serve import metrics, models, worker
from clef_mlx.serve.desk import Desk, NotReady
from clef_mlx.serve.settings import Settings
from clef_mlx.weights import load
from clef_mlx.weights.random_release import write_random_release

STATE = "the parcel is late again and nobody answers " * 3
ONE_MODEL_BYTES = 50_000_000  # room for one of the two below (28.5 MB) and its decisions


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("two")
    return tuple(write_random_release(folder / name, "golden-256", seed) for seed, name in enumerate(("one", "two")))


@pytest.fixture
def own(releases, tmp_path) -> list[Path]:
    """Copies a test may break."""
    return [Path(shutil.copytree(folder, tmp_path / folder.name)) for folder in releases]


@pytest.fixture
def tiny(tiny_release, tmp_path) -> Path:
    return Path(shutil.copytree(tiny_release, tmp_path / "tiny"))


def loaded(desk: Desk) -> dict[str, bool]:
    return {card.id: card.loaded for card in desk.models()}


def room_for_one() -> int:
    return mx.get_active_memory() + ONE_MODEL_BYTES


def spoil(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def replace_by_another(folder: Path, seed: int = 7) -> None:
    """As a careful writer would: every file is renamed into its place."""
    fresh = write_random_release(folder.parent / f"fresh-{seed}", seed=seed)
    for file in fresh.iterdir():
        os.replace(file, folder / file.name)


async def until(condition) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():
            await asyncio.sleep(0.02)


def expected(folder: Path):
    with clef_mlx.load(folder, round=None) as model:
        return model.decide(**body(STATE))


def test_models_are_loaded_on_demand_and_answer_as_themselves(releases):
    async def run():
        async with open_desk(*releases) as desk:
            before = loaded(desk)
            decided = [(await ask(desk, body(STATE), name)).decision for name in (None, "two")]
            return before, loaded(desk), decided

    before, after, decided = asyncio.run(run())
    assert before == {"one": True, "two": False}
    assert after == {"one": True, "two": True}
    for folder, decision in zip(releases, decided, strict=True):
        assert decision.model == folder.name
        assert distance(decision, expected(folder)) <= 2e-5


def test_the_least_recently_used_makes_room(releases):
    async def run():
        async with open_desk(*releases, memory_bytes=room_for_one()) as desk:
            seen, held = [], []
            for name in ("two", "one", "two"):
                await ask(desk, body(STATE), name)
                seen.append(loaded(desk))
                held.append(mx.get_active_memory())
            return seen, held

    seen, held = asyncio.run(run())
    one, two = {"one": True, "two": False}, {"one": False, "two": True}
    assert seen == [two, one, two]
    assert max(held) - min(held) < 2_000_000


def test_a_folder_is_checked_before_another_model_goes(own):
    async def run():
        async with open_desk(*own, memory_bytes=room_for_one()) as desk:
            spoil(own[1])
            with pytest.raises(NotReady, match="two cannot be loaded"):
                await ask(desk, body(STATE), "two")
            return loaded(desk), await ask(desk, body(STATE)), desk.ready()

    cards, _, readiness = asyncio.run(run())
    assert cards == {"one": True, "two": False}
    assert readiness.ready


def test_what_never_fits_is_refused_at_the_start(releases):
    async def run():
        async with open_desk(*releases, memory_bytes=mx.get_active_memory() + 20_000_000, dtype="float32"):
            raise AssertionError("it must not start")

    with pytest.raises(MemoryBudgetError, match="one"):
        asyncio.run(run())


def test_a_second_model_that_is_none_is_refused_at_the_start(tiny_release, tmp_path):
    async def run():
        async with open_desk(tiny_release, tmp_path):
            raise AssertionError("it must not start")

    with pytest.raises(CheckpointError):
        asyncio.run(run())


def test_a_start_that_failed_is_not_ready(tmp_path):
    async def run():
        desk = Desk(Settings(models=(str(tmp_path),)))
        with pytest.raises(CheckpointError):
            await desk.start()
        with pytest.raises(NotReady):
            await ask(desk, body(STATE))
        readiness = desk.ready()
        await desk.drain(1)
        return readiness

    assert not asyncio.run(run()).ready


def test_an_end_while_loading_stops_the_loading(tiny_release, monkeypatch):
    async def run():
        desk = Desk(Settings(models=(str(tiny_release),)))
        starting = asyncio.create_task(desk.start())
        await until(lambda: made)
        starting.cancel()
        ending = asyncio.create_task(desk.drain(SECONDS))
        await until(lambda: desk._worker.hurried)
        go_on.set()
        await ending
        return desk._worker.thread.is_alive()

    made, go_on, make = [], Event(), load.make

    def waiting(recipe, *others):
        made.append(recipe.name)
        go_on.wait(SECONDS)
        return make(recipe, *others)

    monkeypatch.setattr(load, "make", waiting)
    assert not asyncio.run(run())
    assert all(name.startswith("head.") for name in made)


def test_memory_is_given_back_at_the_end(releases):
    async def run():
        async with open_desk(*releases) as desk:
            await ask(desk, body(STATE), "two")

    before = mx.get_active_memory()
    asyncio.run(run())
    assert mx.get_active_memory() <= before + 100_000


def test_changed_files_are_loaded_by_themselves(tiny, monkeypatch):
    async def run():
        async with open_desk(tiny) as desk:
            first = (await ask(desk, body(STATE))).decision
            replace_by_another(tiny)
            reloads = metrics.REGISTRY.get_sample_value
            labels = {"model": "tiny", "event": "reloaded"}
            before = reloads("clef_model_events_total", labels) or 0
            await until(lambda: (reloads("clef_model_events_total", labels) or 0) > before)
            return first, (await ask(desk, body(STATE))).decision

    monkeypatch.setattr(worker, "TICK_SECONDS", 0.05)
    first, second = asyncio.run(run())
    assert distance(first, second) > 1e-3
    assert distance(second, expected(tiny)) <= 2e-5


def test_a_reload_is_made_when_asked_for(tiny):
    async def run():
        async with open_desk(tiny) as desk:
            replace_by_another(tiny)
            desk.reload()
            await until(lambda: not desk._worker.reload_asked.is_set())
            return (await ask(desk, body(STATE))).decision

    assert distance(asyncio.run(run()), expected(tiny)) <= 2e-5


def test_spoilt_files_leave_the_loaded_model_in_place(tiny):
    async def run():
        async with open_desk(tiny) as desk:
            first = (await ask(desk, body(STATE))).decision
            spoil(tiny)
            desk.reload()
            await until(lambda: not desk._worker.reload_asked.is_set())
            return first, (await ask(desk, body(STATE))).decision, desk.ready()

    first, second, readiness = asyncio.run(run())
    assert first == second
    assert readiness.ready


def test_without_its_default_model_it_is_not_ready_until_it_is_back(own, monkeypatch):
    async def run():
        async with open_desk(*own, memory_bytes=room_for_one()) as desk:
            await ask(desk, body(STATE), "two")
            away = own[0].rename(own[0].with_name("away"))
            with pytest.raises(NotReady):
                await ask(desk, body(STATE))
            seen = [desk.ready().ready]
            away.rename(own[0])
            await until(lambda: desk.ready().ready and loaded(desk)["one"])
            return [*seen, loaded(desk)["one"]]

    monkeypatch.setattr(worker, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(models, "RETRY_SECONDS", 0.1)
    assert asyncio.run(run()) == [False, True]


def test_two_models_of_one_name_are_refused(tiny, tiny_release):
    with pytest.raises(RequestError, match="must differ"):
        Desk(Settings(models=(str(tiny), str(tiny_release / ".." / tiny_release.name), str(tiny))))
