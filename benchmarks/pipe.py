"""How long until `clef-mlx pipe` is ready, and what does it add to a decision?

Regime: a tiny random release, nothing kept between requests. Start-up is from the start of the process to its first
line, warm-up included. The rest is one short request at a time from a waiting program, over `model.decide` of the same
request, in alternating blocks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from setting import finish, load_model, model_named, model_parser, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.measure import Timing
from clef_mlx.bench.workload import questions, request_of

PIPE = "import sys; from clef_mlx.cli import main; sys.exit(main())"
BLOCKS = 20  # alternating, so that a slow minute hits both sides


def main() -> None:
    options = model_parser(__doc__, runs=400)
    options.add_argument("--starts", type=int, default=10, help="timed starts (default 10)")
    options.set_defaults(size="tiny")
    told = options.parse_args()
    found = say_machine()
    starts = [started(told) for _ in range(told.starts + 1)][1:]  # the first reads the files
    decided, piped = alternating(told)
    rows = {"start": Timing.of(starts), "decide": Timing.of(decided), "pipe": Timing.of(piped)}
    for name, timing in rows.items():
        print(f"{name:8} min {timing.min_s * 1e3:8.2f} ms   median {timing.median_s * 1e3:8.2f} ms", end="   ")
        print(f"p90 {timing.p90_s * 1e3:8.2f} ms")
    extra_ms = (rows["pipe"].median_s - rows["decide"].median_s) * 1e3
    print(f"the pipe takes {extra_ms:.2f} ms more at the median")
    finish("pipe", found, told, **{name: row.to_dict() for name, row in rows.items()}, extra_median_ms=extra_ms)


@contextmanager
def child(told: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A pipe whose first line is read."""
    command = [sys.executable, "-c", PIPE, "pipe", "--model", model_named(told), "--dtype", told.dtype]
    with subprocess.Popen([*command, "--prefix-bytes", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert json.loads(process.stdout.readline())["hello"] == "clef-mlx"
        yield process
        process.stdin.close()


def started(told: Any) -> float:
    began = time.perf_counter()
    with child(told):
        return time.perf_counter() - began


def alternating(told: Any) -> tuple[list[float], list[float]]:
    """Seconds of a request in this process, and through the pipe."""
    decided: list[float] = []
    piped: list[float] = []
    with load_model(told) as model, child(told) as process:
        request = request_of(150, questions(1), counter(model))

        def decide() -> None:
            model.decide(request["state"], request["questions"])

        def ask() -> None:
            process.stdin.write(json.dumps({"id": 1, **request}).encode() + b"\n")
            process.stdin.flush()
            assert "answers" in json.loads(process.stdout.readline())

        for _ in range(20):
            decide(), ask()
        for _ in range(BLOCKS):
            for call, times in ((decide, decided), (ask, piped)):
                for _ in range(told.runs // BLOCKS):
                    began = time.perf_counter()
                    call()
                    times.append(time.perf_counter() - began)
    return decided, piped


if __name__ == "__main__":
    main()
