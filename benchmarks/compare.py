"""How fast is this port beside the publisher's torch code and mlx-vlm, and do all three say the same?

Regime: one random release in float32, one long-lived process a side, one request at a time, the sides taking turns;
compared by the minima of at least five turns. Seconds go from request body to probabilities, tokenizer included.
Nothing is kept between requests. `torch` and `mlx-vlm` each need an environment: give its Python, or let --build-env
make both in .cache/ (about 2 GB; on Linux, pip's own index holds a torch with CUDA, which is larger still).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from setting import CACHE, ROOT, finish, numbers, parser, release, say_machine

from clef_mlx.bench.measure import Timing
from clef_mlx.bench.workload import questions, request_of
from clef_mlx.encoding import encode_request
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.random_release import SIZES

# What each environment is made of, in the order of installing.
ENVIRONMENTS = {
    "torch": [["torch==2.13.0"], ["--no-deps", "clef-finetune==0.1.0"], ["transformers==5.24.0", "safetensors"]],
    "mlx-vlm": [["mlx-vlm==0.7.10", "mlx[cpu]==0.32.4" if sys.platform == "linux" else "mlx==0.32.4"]],
}
REST_SECONDS = 0.2  # between turns, so that the last side's threads stop spinning


class Side:
    """A worker process; `decide` sends it one request and waits."""

    def __init__(self, name: str, python: str, folder: Path) -> None:
        self.name = name
        # -P: without this folder on the path, for the same reason as in setting.py.
        command = [python, "-P", str(Path(__file__).with_name("worker.py")), name, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.versions = self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"compare: the {self.name} side ended with code {self.process.wait()}; its last words are above.")
        return json.loads(line)


def build(name: str, cache: Path) -> str:
    """Make the environment of a side and return its Python; one that is complete is kept."""
    folder = cache / "compare" / name
    python, finished = folder / "bin" / "python", folder / "finished"
    if not finished.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        for packages in ENVIRONMENTS[name]:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        finished.touch()
    return str(python)


def pythons(told: argparse.Namespace) -> dict[str, str]:
    """The Python of each side that can take part."""
    sides = {"ours": sys.executable}
    for name, given, module in (("torch", told.torch_python, "torch"), ("mlx-vlm", told.vlm_python, "mlx_vlm")):
        if given:
            sides[name] = str(given)
        elif told.build_env:
            sides[name] = build(name, told.cache)
        elif find_spec(module) is not None:
            sides[name] = sys.executable
        else:
            print(f"{name} is left out: not installed here. Give its Python, or --build-env.")
    return sides


def mlx_folder(folder: Path) -> Path:
    """The same release in the layout mlx-vlm reads."""
    sys.path.insert(0, str(ROOT / "tests"))
    from layout_writers import write_e

    written = folder.with_name(f"{folder.name}-mlx-vlm")
    if not written.exists() or written.stat().st_mtime < folder.stat().st_mtime:
        unfinished = written.with_name(f"{written.name}.{os.getpid()}")
        write_e(folder, unfinished)
        shutil.rmtree(written, ignore_errors=True)
        unfinished.rename(written)
    return written


def in_turns(sides: list[Side], request: dict[str, Any], runs: int) -> dict[str, Any]:
    """One row: each side's times, their ratios by minima, and how far each is from ours."""
    seconds: dict[str, list[float]] = {side.name: [] for side in sides}
    said: dict[str, dict[str, Any]] = {}
    for turn in range(runs + 1):
        for side in sides:
            answer = side.decide(request)
            said[side.name] = answer
            if turn > 0:
                seconds[side.name].append(answer["seconds"])
            time.sleep(REST_SECONDS)
    timings = {name: Timing.of(values) for name, values in seconds.items()}
    others = [side.name for side in sides if side.name != "ours"]
    return {
        "tokens": {name: answer["tokens"] for name, answer in said.items()},
        "seconds": {name: timing.to_dict() for name, timing in timings.items()},
        "ratio": {name: timings["ours"].min_s / timings[name].min_s for name in others},
        "max_dp": {name: distance(said["ours"], said[name]) for name in others},
    }


def distance(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    pairs = ((q, option, p) for q, row in ours["probabilities"].items() for option, p in row.items())
    return max(abs(p - theirs["probabilities"][q][option]) for q, option, p in pairs)


def main() -> None:
    options = parser(__doc__, runs=5)
    options.add_argument("--size", default="bench", choices=SIZES, help="size of the random release")
    options.add_argument("--tokens", type=numbers, default=[753, 2585, 7475, 15145], metavar="N,N")
    options.add_argument("--questions", type=int, default=3)
    options.add_argument("--torch-python", type=Path, metavar="PATH", help="Python that has torch and clef-finetune")
    options.add_argument("--vlm-python", type=Path, metavar="PATH", help="Python that has mlx-vlm")
    options.add_argument("--vlm-most", type=int, default=2585, metavar="N", help="longest record for mlx-vlm")
    options.add_argument("--build-env", action="store_true", help="make the environments that are not given")
    options.add_argument("--cache", type=Path, default=CACHE, help="where releases and environments are made (.cache)")
    told = options.parse_args()
    found = say_machine()
    folder = release(told.size, "float32", told.cache)
    tokenizer = ReleaseTokenizer.from_folder(folder)

    def count(request: dict[str, Any]) -> int:
        return len(encode_request(tokenizer, parse_request(request)).input_ids)

    rows = []
    with ExitStack() as stack:
        sides = [
            stack.enter_context(Side(name, python, mlx_folder(folder) if name == "mlx-vlm" else folder))
            for name, python in pythons(told).items()
        ]
        for tokens in told.tokens:
            request = request_of(tokens, questions(told.questions), count)
            taking_part = [side for side in sides if side.name != "mlx-vlm" or tokens <= told.vlm_most]
            rows.append(in_turns(taking_part, request, told.runs))
            say(rows[-1])
    finish("compare", found, told, versions={side.name: side.versions for side in sides}, rows=rows)


def say(row: dict[str, Any]) -> None:
    print(f"{row['tokens']['ours']:,} tokens: ours min {row['seconds']['ours']['min_s']:.3f}s", end="")
    for name, ratio in row["ratio"].items():
        least = row["seconds"][name]["min_s"]
        print(f"; {name} {least:.3f}s, ratio {ratio:.3f}x, max |dp| {row['max_dp'][name]:.1e}", end="")
    print(flush=True)


if __name__ == "__main__":
    main()
