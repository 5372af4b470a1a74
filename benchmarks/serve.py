"""What does the server cost, and does it last?

`--overhead`: one client, one short request at a time; the server's p50 over `model.decide` of the same request, both in
alternating blocks. `--load`: clients at once with mixed requests, three rounds, every answer compared with one by one.
`--soak`: the same for minutes, with the server's memory over time. The server is a process of its own on loopback.
"""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import httpx
from setting import finish, load_model, model_named, model_parser, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.workload import questions, request_of

SERVE = "import sys; from clef_mlx.cli import main; sys.exit(main())"
READY_SECONDS = 600
BLOCKS = 20  # alternating, so that a slow minute hits both sides
LENGTHS = (150, 1200)  # tokens of the mixed requests
SAMPLE_SECONDS = 10


def main() -> None:
    options = model_parser(__doc__, runs=400)
    options.add_argument("--overhead", action="store_true")
    options.add_argument("--load", action="store_true")
    options.add_argument("--soak", action="store_true")
    options.add_argument("--minutes", type=float, default=10, help="of the soak (default 10)")
    options.add_argument("--clients", type=int, default=4)
    options.add_argument("--requests", type=int, default=200, help="of each client in a round (default 200)")
    told = options.parse_args()
    if not (told.overhead or told.load or told.soak):
        options.error("choose --overhead, --load or --soak")
    found, results = say_machine(), {}
    with server(told) as http:
        if told.overhead:
            results["overhead"] = overhead(told, http)
        if told.load:
            results["load"] = load(told, http)
        if told.soak:
            results["soak"] = soak(told, http)
    finish("serve", found, told, **results)


@contextmanager
def server(told: Any) -> Iterator[httpx.Client]:
    """A server with the model asked for, ready, that keeps no prefixes but for the load."""
    command = [sys.executable, "-c", SERVE, "serve", "--model", model_named(told), "--dtype", told.dtype]
    command += ["--port", "0", "--log-level", "error"] + ([] if told.load or told.soak else ["--prefix-bytes", "0"])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = re.match(r"Listening on (\S+)", process.stdout.readline())[1]
        with httpx.Client(base_url=address, timeout=600) as http:
            end = time.monotonic() + READY_SECONDS
            while http.get("/ready").status_code != 200 and time.monotonic() < end:
                time.sleep(0.1)
            yield http
    finally:
        process.terminate()
        process.wait()


def overhead(told: Any, http: httpx.Client) -> dict[str, Any]:
    """Milliseconds from request to answer, as the client sees them and as `model.decide` takes in this process."""
    with load_model(told, round=None) as model:
        request = request_of(150, questions(1), counter(model))

        def direct() -> None:
            model.decide(request["state"], request["questions"])

        def served() -> float:
            """Of that, what the server spends beside the model's pass: reading, waiting, encoding."""
            timing = http.post("/v1/systemone", json=request).json()["x_timing_ms"]
            return timing["total"] - timing["model"]

        times: dict[str, list[float]] = {"direct": [], "served": [], "beside": []}
        for _ in range(20):
            direct(), served()
        for _ in range(BLOCKS):
            for _ in range(told.runs // BLOCKS):
                began = time.perf_counter()
                direct()
                times["direct"].append((time.perf_counter() - began) * 1000)
            for _ in range(told.runs // BLOCKS):
                began = time.perf_counter()
                times["beside"].append(served())
                times["served"].append((time.perf_counter() - began) * 1000)
    shown = {name: {"p50_ms": percentile(ms, 50), "p90_ms": percentile(ms, 90)} for name, ms in times.items()}
    extra = shown["served"]["p50_ms"] - shown["direct"]["p50_ms"]
    for name, row in shown.items():
        print(f"{name:8} p50 {row['p50_ms']:8.3f} ms   p90 {row['p90_ms']:8.3f} ms")
    print(f"the server takes {extra:.3f} ms more at the median (httpx client included)")
    return {**shown, "extra_p50_ms": extra}


def load(told: Any, http: httpx.Client) -> dict[str, Any]:
    """Rounds of the same requests; answers against one by one, memory after each round."""
    work = [mixed(told, seed) for seed in range(told.clients)]
    with load_model(told, round=None) as model:
        expected = [[model.systemone(request)["answers"] for request in requests] for requests in work]
    statuses: Counter[int] = Counter()
    held, seconds, max_dp = [], [], 0.0
    for number in range(1, 4):
        began = time.monotonic()
        with ThreadPoolExecutor(told.clients) as clients:
            rounds = list(clients.map(lambda requests: client(http.base_url, requests), work))
        seconds.append(time.monotonic() - began)
        held.append(memory_of(http))
        for wanted, (answers, seen) in zip(expected, rounds, strict=True):
            statuses += seen
            max_dp = max([max_dp, *(distance(*pair) for pair in zip(wanted, answers, strict=True))])
        rate = told.clients * told.requests / seconds[-1]
        print(f"round {number}: {rate:,.1f} requests/s, {held[-1] / 2**20:,.0f} MiB, max |dp| {max_dp:.1e}")
    print(f"statuses {dict(statuses)}")
    return {"statuses": dict(statuses), "max_dp": max_dp, "seconds": seconds, "memory_bytes": held}


def soak(told: Any, http: httpx.Client) -> dict[str, Any]:
    """Clients that never rest; the server's memory now and then."""
    end = time.monotonic() + told.minutes * 60
    began, held, latencies = time.monotonic(), [], []
    statuses: Counter[int] = Counter()

    def rest_not(seed: int) -> Counter[int]:
        seen: Counter[int] = Counter()
        with httpx.Client(base_url=http.base_url, timeout=600) as mine:
            for request in cycle(mixed(told, seed)):
                if time.monotonic() >= end:
                    return seen
                start = time.perf_counter()
                status = mine.post("/v1/systemone", json=request).status_code
                seen[status] += 1
                latencies.append((time.perf_counter() - start) * 1000)
        return seen

    with ThreadPoolExecutor(told.clients) as clients:
        running = [clients.submit(rest_not, seed) for seed in range(told.clients)]
        while time.monotonic() < end:
            time.sleep(min(SAMPLE_SECONDS, max(0.1, end - time.monotonic())))
            held.append({"seconds": time.monotonic() - began, "memory_bytes": memory_of(http)})
        for one in running:
            statuses += one.result()
    early = max(row["memory_bytes"] for row in held[: max(1, len(held) // 3)])
    late = max(row["memory_bytes"] for row in held[-max(1, len(held) // 3) :])
    p50, p99 = percentile(latencies, 50), percentile(latencies, 99)
    print(f"{sum(statuses.values()):,} requests, statuses {dict(statuses)}, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    print(f"memory {early / 2**20:,.0f} MiB at most in the first third, {late / 2**20:,.0f} MiB in the last")
    return {"statuses": dict(statuses), "p50_ms": p50, "p99_ms": p99, "early": early, "late": late, "memory": held}


def mixed(told: Any, seed: int) -> list[dict[str, Any]]:
    """Requests of several lengths and numbers of questions; a quarter asks about a state that others ask about too."""
    draw = random.Random(seed)
    words = "parcel late again nobody answers invoice twice refund please account locked error timeout thanks".split()
    shared = " ".join(draw.choices(words, k=LENGTHS[1] // 2))
    return [
        {
            "state": shared if index % 4 == 0 else " ".join(draw.choices(words, k=draw.randint(*LENGTHS) // 2)),
            "questions": questions(draw.randint(1, 3)),
        }
        for index in range(told.requests)
    ]


def client(address: httpx.URL, requests: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Counter[int]]:
    answers: list[dict[str, Any]] = []
    statuses: Counter[int] = Counter()
    with httpx.Client(base_url=address, timeout=600) as http:
        for request in requests:
            while (response := http.post("/v1/systemone", json=request)).status_code == 429:
                statuses[429] += 1
                time.sleep(float(response.headers["retry-after"]))
            statuses[response.status_code] += 1
            answers.append(response.json()["answers"])
    return answers, statuses


def distance(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The largest difference of two answers' probabilities."""
    differences = [0.0]
    for question, answer in one.items():
        if answer["type"] == "noul":
            differences.append(abs(answer["noul"] - other[question]["noul"]))
        else:
            theirs = other[question]["probabilities"]
            differences += [abs(p - theirs[option]) for option, p in answer["probabilities"].items()]
    return max(differences)


def memory_of(http: httpx.Client) -> float:
    """Resident bytes of the server where the system tells, else what its arrays hold."""
    text = http.get("/metrics").text
    names = ("process_resident_memory_bytes", 'clef_mlx_bytes{kind="active"}')
    found = (re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE) for name in names)
    return float(next(match[1] for match in found if match))


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


if __name__ == "__main__":
    main()
