"""How long does a picture take beside transformers' vision tower, and how much memory do four of them?

Regime: a random release whose tower has the published shape (27 blocks of width 1152) under a small text model, in
float32. First four pictures of 1024x1024 in one decision: what arrays take at their peak, and the process, over what
both held before. Then one picture's patches through our tower and through transformers' on the same weights, in turns,
compared by their minima. The last part wants torch and transformers; without them our own seconds are all there is.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np
from setting import CACHE, finish, parser, say_machine

from clef_mlx.engine import thread
from clef_mlx.engine.clef import Clef, load
from clef_mlx.weights.random_release import write_random_release

PUBLISHED = {"hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16, "num_position_embeddings": 2304}
QUESTIONS = {"paid": {"type": "noul", "instructions": "Is it paid?"}}
PICTURES, MEGAPIXEL = 4, 1024
PATCH = 16
REST_SECONDS = 0.3  # between turns, so that the last side's threads stop spinning
HIGH_WATER, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def release(depth: int) -> Path:
    """The folder of the release, written once; a change of what draws it wants the folder deleted."""
    folder = CACHE / f"random-vision-{depth}"
    if not (folder / "config.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        write_random_release(folder, "golden-128", vision=PUBLISHED | {"depth": depth})
    return folder


def pictures(count: int, side: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.integers(0, 256, (side, side, 3), dtype=np.uint8) for _ in range(count)]


def memory(model: Clef) -> dict[str, int]:
    """Bytes that deciding about four pictures takes at its peak, over what is held before."""
    model.decide("", QUESTIONS, images=pictures(1, 64))  # reads the tower
    images = pictures(PICTURES, MEGAPIXEL)
    record = model.encode({"state": "", "questions": QUESTIONS, "images": images})
    need = model._runner._need(len(record.input_ids), 1, 0, 0) + thread.run(model._runner.tower.need, [record])
    thread.run(mx.clear_cache)
    thread.run(mx.reset_peak_memory)
    held = thread.run(mx.get_active_memory)
    before = _resident()
    if CLEAR.exists():
        CLEAR.write_text("5")
    model.decide("", QUESTIONS, images=images)
    return {
        "tokens": len(record.input_ids),
        "need_bytes": need,
        "arrays_bytes": thread.run(mx.get_peak_memory) - held,
        "process_bytes": _highest() - before,
    }


def _resident() -> int:
    return _status("VmRSS") or _highest()


def _highest() -> int:
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _status(name: str) -> int:
    lines = HIGH_WATER.read_text().splitlines() if HIGH_WATER.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


class Sides:
    """Both towers on the same pixels; a turn gives its seconds, and the rows [tokens, D] are compared at the end."""

    def __init__(self, model: Clef, folder: Path, grid: tuple[int, int, int], scratch: Path) -> None:
        self.grid, self.model, self.judge = grid, model, None
        self.pixels = np.random.default_rng(1).uniform(-1, 1, (int(np.prod(grid)), 6 * PATCH**2)).astype(np.float32)
        self.files = [str(scratch / f"{name}.npy") for name in ("pixels", "rows")]
        np.save(self.files[0], self.pixels)
        if find_spec("torch") and find_spec("transformers"):
            # -P: without this folder on the path, for the same reason as in setting.py.
            command = [sys.executable, "-P", str(Path(__file__).with_name("vision_judge.py")), str(folder)]
            command += [*self.files, json.dumps(grid)]
            self.judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ours(self) -> float:
        time.sleep(REST_SECONDS)
        started = time.perf_counter()
        self.rows = np.array(thread.run(self.model._runner.tower, self.pixels, self.grid))
        return time.perf_counter() - started

    def theirs(self) -> float:
        time.sleep(REST_SECONDS)
        self.judge.stdin.write("\n")
        self.judge.stdin.flush()
        line = self.judge.stdout.readline()
        if not line:
            sys.exit(f"vision: transformers' side ended with code {self.judge.wait()}; its last words are above.")
        return json.loads(line)

    def close(self) -> float | None:
        """End the other side. -> by how much rows differ, of the largest."""
        if self.judge is None:
            return None
        self.judge.stdin.close()
        self.judge.wait()
        theirs = np.load(self.files[1])
        return float(np.abs(self.rows - theirs).max() / np.abs(theirs).max())


def main() -> None:
    options = parser(__doc__, runs=5)
    options.add_argument("--depth", type=int, default=27, help="blocks of the tower (default 27, as published)")
    options.add_argument("--width", type=int, default=1024)
    options.add_argument("--height", type=int, default=768)
    told = options.parse_args()
    found, results = say_machine(), {}
    folder = release(told.depth)
    with load(folder, dtype="float32", prefix_bytes=0) as model, tempfile.TemporaryDirectory() as scratch:
        results["memory"] = taken = memory(model)
        print(f"{PICTURES} pictures of {MEGAPIXEL}x{MEGAPIXEL}, {taken['tokens']:,} tokens in all, over what is held:")
        for words in ("need", "arrays", "process"):
            print(f"{words:8} {taken[f'{words}_bytes'] / 1e6:9,.0f} MB")
        sides = Sides(model, folder, (1, told.height // PATCH, told.width // PATCH), Path(scratch))
        turns = {"ours": sides.ours} | ({"transformers": sides.theirs} if sides.judge else {})
        seconds = {name: [] for name in turns}
        for turn in range(told.runs + 1):
            for name, run in turns.items():
                spent = run()
                if turn:  # the first is to warm up
                    seconds[name].append(spent)
        results["difference"] = sides.close()
    print(f"\none picture of {told.width}x{told.height}, {len(sides.pixels):,} patches")
    for name, spent in seconds.items():
        print(f"{name:13} {min(spent):8.2f} s least, {sorted(spent)[len(spent) // 2]:8.2f} s median")
    if sides.judge is not None:
        results["ratio"] = min(seconds["ours"]) / min(seconds["transformers"])
        print(f"ratio {results['ratio']:.2f}, rows differ by {results['difference']:.1e} of the largest")
    finish("vision", found, told, seconds=seconds, **results)


if __name__ == "__main__":
    main()
