"""A desk in this process, and questions for it, for tests of what stands behind the routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from clef_mlx.engine.options import Options
from clef_mlx.engine.runner import Runner
from clef_mlx.schema import parse_request
from clef_mlx.serve.desk import Decided, Desk
from clef_mlx.serve.settings import Settings
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.random_release import write_random_release

FULL_PRECISION = Options(round=None)
QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
    "anger": {"type": "score", "criteria": ["calm", "annoyed", "furious"]},
}
POISON = " ☂"
SECONDS = 60  # nothing here takes as long; a test that hangs ends


@asynccontextmanager
async def open_desk(*folders: Path, **settings: Any) -> AsyncIterator[Desk]:
    """A desk that has started, drained at the end."""
    desk = Desk(Settings(models=tuple(map(str, folders)), **settings))
    try:
        async with asyncio.timeout(SECONDS):
            await desk.start()
            yield desk
    finally:
        await desk.drain(SECONDS)


def body(state: Any, **fields: Any) -> dict[str, Any]:
    return {"state": state, "questions": QUESTIONS, **fields}


async def ask(
    desk: Desk,
    request: dict[str, Any],
    model: str | None = None,
    *,
    options: Options = FULL_PRECISION,
    deadline: float | None = SECONDS,
    alive: Callable[[], bool] = lambda: True,
) -> Decided:
    return await desk.submit(model, parse_request(request), options, deadline=deadline, alive=alive)


async def ask_all(desk: Desk, requests: list[dict[str, Any]]) -> list[Decided | BaseException]:
    """All at once; what is raised stands in its place."""
    return await asyncio.gather(*(ask(desk, request) for request in requests), return_exceptions=True)


def flat(decision: Any) -> np.ndarray:
    return np.array([p for question in decision.probabilities.values() for p in question.values()])


def distance(a: Any, b: Any) -> float:
    """The largest difference of two decisions' probabilities."""
    assert a.probabilities.keys() == b.probabilities.keys()
    return float(np.abs(flat(a) - flat(b)).max())


def write_poisoned(folder: Path) -> Path:
    """A release whose embedding is NaN for tokens that only POISON has."""
    write_random_release(folder, dtype="float32")
    tokenizer = ReleaseTokenizer.from_folder(folder)
    harmless = set(tokenizer.encode("".join(map(chr, range(32, 127)))))
    file = folder / "model.safetensors"
    weights = load_file(file)
    (name,) = [name for name in weights if name.endswith("embed_tokens.weight")]
    weights[name][sorted(set(tokenizer.encode(POISON)) - harmless)] = float("nan")
    save_file(weights, file, metadata={"format": "pt"})
    return folder


def plant(monkeypatch: Any, when: Callable[[Any], bool]) -> None:
    """Let the model break at the records of which `when` is true."""
    run = Runner.run

    def planted(self: Runner, records: Any, family: bool, batch_tokens: int) -> Any:
        if any(when(record) for record in records):
            raise RuntimeError("planted")
        return run(self, records, family, batch_tokens)

    monkeypatch.setattr(Runner, "run", planted)
