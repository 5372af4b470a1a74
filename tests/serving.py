"""A real server on loopback for tests: in a thread of this process, or a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from clef_mlx.serve.desk import Desk
from clef_mlx.serve.server import serve
from clef_mlx.serve.settings import Settings
from clef_mlx.serve.shapes import Error

PATIENCE_SECONDS = 60
NOUL = {"type": "noul", "instructions": "Is it urgent?"}
CHOICE = {
    "type": "choice",
    "instructions": "Who mends it?",
    "criteria": {"plumber": "Water, heat", "electrician": None},
}
SCORE = {"type": "score", "instructions": "How cold?", "criteria": ["warm", "cool", "freezing"]}
REQUEST = {"state": "The heating is off.", "questions": {"urgent": NOUL, "who": CHOICE, "cold": SCORE}}


@dataclass(frozen=True)
class Served:
    """A running server; `client` speaks to it."""

    url: str
    client: httpx.Client
    settings: Settings
    desk: Desk

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def ask(self, body: Any = REQUEST, path: str = "/v1/systemone", **kwargs: Any) -> httpx.Response:
        return self.client.post(path, json=body, **kwargs)


@contextmanager
def served(model: Path, **settings: Any) -> Iterator[Served]:
    """Serve `model` in a thread until the block ends."""
    chosen = Settings(models=(str(model),), port=0, log_level="error", **settings)
    loop, stop, told = asyncio.new_event_loop(), asyncio.Event(), []
    serving = serve(chosen, stop=stop, listening=lambda *facts: told.append(facts))
    thread = Thread(target=lambda: loop.run_until_complete(serving))
    thread.start()
    try:
        wait_until(lambda: told or not thread.is_alive())
        address, desk = told[0]
        headers = {"Authorization": f"Bearer {chosen.key}"} if chosen.key else {}
        with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE_SECONDS) as client:
            wait_until(lambda: client.get("/ready").status_code == 200)
            yield Served(address, client, chosen, desk)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_SECONDS)
        loop.close()
    assert not thread.is_alive()


@contextmanager
def process(*arguments: str, log: Path | None = None, **environment: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """`clef-mlx serve` as users run it, and the address it prints. Its stderr may go to a file."""
    command = [sys.executable, "-c", "from clef_mlx.cli import main; raise SystemExit(main())", "serve", *arguments]
    with open(log or os.devnull, "w") as errors:
        running = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "CLEF_MLX_KEY": "", **environment},
        )
    try:
        line = running.stdout.readline()
        yield running, re.match(r"Listening on (\S+)", line)[1] if line else ""
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE_SECONDS)


def wait_until(true: Any) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def decide(
    server: Served, questions: dict[str, Any], state: Any = "The heating is off.", **more: Any
) -> dict[str, Any]:
    response = server.ask({"state": state, "questions": questions, **more})
    assert response.status_code == 200, response.text
    return response.json()


def expect(response: httpx.Response, status: int, kind: str) -> str:
    assert response.status_code == status, response.text
    Error.model_validate(response.json(), strict=True)
    assert response.json()["detail"]["error_type"] == kind
    return response.json()["detail"]["message"]
