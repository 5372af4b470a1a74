"""A real server under load: every request is answered as one by one, or told to come again, and nothing piles up."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from serving import process, wait_until

import clef_mlx

CLIENTS = 4
KEPT_BYTES = 4_000_000
WORDS = "parcel late again nobody answers invoice twice refund please account locked error timeout thanks angry".split()
QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
    "anger": {"type": "score", "criteria": ["calm", "annoyed", "furious"]},
}


def mixed(count: int, seed: int) -> list[dict]:
    """Requests of 10 to 300 words, of which every fourth asks about a state that others ask about too."""
    draw = random.Random(seed)
    shared = " ".join(draw.choices(WORDS, k=200))
    requests = []
    for index in range(count):
        state = shared if index % 4 == 0 else " ".join(draw.choices(WORDS, k=draw.randint(10, 300)))
        asked = draw.sample(list(QUESTIONS), draw.randint(1, 3))
        requests.append({"state": state, "questions": {name: QUESTIONS[name] for name in asked}})
    return requests


def probabilities(answers: dict) -> np.ndarray:
    flat = []
    for answer in answers.values():
        flat += [answer["noul"]] if answer["type"] == "noul" else answer["probabilities"].values()
    return np.array(flat)


def client(address: str, requests: list[dict]) -> tuple[list[dict], set[int]]:
    """Ask one after another, again after a 429. -> the answers and every status seen."""
    answers, statuses = [], set()
    with httpx.Client(base_url=address, timeout=60) as http:
        for request in requests:
            for _ in range(100):
                response = http.post("/v1/systemone", json=request)
                statuses.add(response.status_code)
                if response.status_code != 429:
                    break
                assert int(response.headers["retry-after"]) >= 1
                time.sleep(0.05)
            answers.append(response.json()["answers"])
    return answers, statuses


def memory_of(address: str) -> float:
    """Resident bytes of the server where the system tells, else what its arrays hold."""
    text = httpx.get(f"{address}/metrics", timeout=60).text
    names = ("process_resident_memory_bytes", 'clef_mlx_bytes{kind="active"}')
    found = (re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE) for name in names)
    return float(next(match[1] for match in found if match))


def load(release, each: int, rounds: int, check: Callable[[list[dict]], list[np.ndarray]]) -> list[float]:
    """Let clients ask at once in rounds, compare every answer; -> the server's memory after each round."""
    work = [mixed(each, seed) for seed in range(CLIENTS)]
    expected = [check(requests) for requests in work]
    held = []
    options = ("--port", "0", "--log-level", "error", "--queue", "2", "--prefix-bytes", str(KEPT_BYTES))
    with process("--model", str(release), *options) as (_, address), ThreadPoolExecutor(CLIENTS) as clients:
        wait_until(lambda: httpx.get(f"{address}/ready").status_code == 200)
        for _ in range(rounds):
            for wanted, (answers, statuses) in zip(
                expected, clients.map(client, [address] * CLIENTS, work), strict=True
            ):
                assert statuses <= {200, 429}
                for one, other in zip(wanted, answers, strict=True):
                    assert np.abs(one - probabilities(other)).max() <= 2e-5
            held.append(memory_of(address))
    return held


@pytest.fixture
def release(random_release):
    """Larger than tiny, whose draw has single tokens that amplify float32's own noise to 3e-5, torch's as well."""
    return random_release("golden-128")


@pytest.fixture
def serially(release):
    def decide(requests: list[dict]) -> list[np.ndarray]:
        with clef_mlx.load(release, round=None) as model:
            return [probabilities(model.systemone(request)["answers"]) for request in requests]

    return decide


def test_clients_at_once_are_answered_as_one_by_one(release, serially):
    load(release, 6, 1, serially)


@pytest.mark.slow
def test_memory_does_not_grow_under_load(release, serially):
    held = load(release, 40, 3, serially)  # `benchmarks/serve.py --load` asks 200 each
    assert held[2] <= held[0] + KEPT_BYTES + 16e6
