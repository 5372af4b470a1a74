"""Does `clef-mlx decide --out` hold its memory over a long file, and how fast is it?

Regime: short requests of one question, each with its own state, a damaged line among every thousand; a process of its
own, whose resident memory is looked at as its answers grow.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from setting import finish, model_named, model_parser, say_machine

LOOK_SECONDS = 0.5
SETTLED = 0.1  # of the lines: what a process takes once it has seen every length


def main() -> None:
    options = model_parser(__doc__, runs=1)
    options.set_defaults(size="tiny")
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--points", type=int, default=20, help="looks at the memory (default 20)")
    told = options.parse_args()
    found = say_machine()
    with tempfile.TemporaryDirectory() as folder:
        requests, answers = Path(folder, "big.jsonl"), Path(folder, "answers.jsonl")
        write_requests(requests, told.lines)
        started = time.monotonic()
        points = list(watched(command(told, requests, answers), answers, told.lines // told.points))
        seconds = time.monotonic() - started
        count = sum(1 for _ in open(answers, "rb"))
        nbytes = requests.stat().st_size
    settled = [mib for done, mib in points if done >= SETTLED * told.lines]
    for done, mib in points:
        print(f"{done:>9,} answers  {mib:,.0f} MiB")
    print(f"{count:,} answers to {nbytes / 1e6:.0f} MB in {seconds:.0f} s, {count / seconds:.1f}/s")
    print(f"from {SETTLED:.0%} on between {min(settled):,.0f} and {max(settled):,.0f} MiB")
    finish("bulk", found, told, answers=count, seconds=seconds, points=points, settled_mib=[min(settled), max(settled)])


def write_requests(path: Path, lines: int) -> None:
    with open(path, "w") as out:
        for number in range(lines):
            request = {"state": f"{number} " + "pump " * (number % 17), "questions": {"late": {"type": "noul"}}}
            out.write("{damaged\n" if number % 1000 == 500 else json.dumps(request) + "\n")


def command(told, requests: Path, answers: Path) -> list[str]:
    code = "import sys; from clef_mlx.cli import main; sys.exit(main())"
    verb = [sys.executable, "-c", code, "decide"]
    return [*verb, str(requests), "--out", str(answers), "--model", model_named(told), "--dtype", told.dtype]


def watched(command: list[str], answers: Path, step: int) -> Iterator[tuple[int, float]]:
    """Run it. -> (answers, MiB) whenever so many more answers are on the disk."""
    record, due = answers.with_name(answers.name + ".partial.json"), step
    with subprocess.Popen(command) as running:
        while running.poll() is None:
            time.sleep(LOOK_SECONDS)
            try:
                done = json.loads(record.read_bytes())["tally"]["answers"]
            except FileNotFoundError:
                continue
            if done >= due:
                yield done, resident_mib(running.pid)
                due = done + step


def resident_mib(pid: int) -> float:
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True).stdout
    return int(shown or 0) / 1024


if __name__ == "__main__":
    main()
