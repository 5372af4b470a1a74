"""How long does loading take and how much memory at its peak, by layout and dtype?

Regime: every load in a fresh process, the files in the system's cache. `peak` is the process's largest resident size,
over what it was when MLX had been imported; `over` is what MLX held at most beyond the weights themselves.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from setting import ROOT, finish, model_named, model_parser, say_machine

from clef_mlx.bench.measure import Timing, peak_bytes

LAYOUTS = ("A", "B", "C", "D", "E", "F", "G")  # H is A with an adapter, I is A under another name
AFFINE_4 = {"group_size": 64, "bits": 4, "mode": "affine"}
KIBIBYTES = 1 if sys.platform == "darwin" else 1024  # ru_maxrss counts bytes on macOS


def load_once(folder: Path, dtype: str) -> dict[str, Any]:
    """Load here, in this process, and say what it took."""
    from clef_mlx.weights.load import load_release

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    held: list[Any] = []
    start = time.perf_counter()
    peak = peak_bytes(lambda: held.append(load_release(folder, dtype=dtype)))
    seconds = time.perf_counter() - start
    weights = held[0].info.weight_bytes
    resident = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * KIBIBYTES
    return {"seconds": seconds, "weight_bytes": weights, "peak_bytes": resident, "over_bytes": max(0, peak - weights)}


def load_apart(folder: Path, dtype: str) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, __file__, "--once", str(folder), "--dtype", dtype]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def written(layout: str, source: Path, folder: Path) -> Path:
    """`source` in another layout; 4-bit ones carry a digit in their name."""
    sys.path.insert(0, str(ROOT / "tests"))
    from layout_writers import PLAIN

    if layout == "A":
        return source
    writer, quantized = PLAIN[layout[0]], layout.endswith("4")
    return writer(source, folder / layout, AFFINE_4) if quantized else writer(source, folder / layout)


def main() -> None:
    options = model_parser(__doc__, runs=3)
    options.add_argument("--layouts", default=",".join((*LAYOUTS, "B4")), help="letters; B4 is B in 4 bits")
    options.add_argument("--dtypes", default="float32,bfloat16")
    options.add_argument("--once", type=Path, metavar="FOLDER", help="load this folder as --dtype, print and stop")
    told = options.parse_args()
    if told.once:
        print(json.dumps(load_once(told.once, told.dtype)))
        return
    found = say_machine()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for layout in told.layouts.split(","):
            folder = written(layout, Path(model_named(told)), Path(temporary))
            for dtype in told.dtypes.split(","):
                runs = [load_apart(folder, dtype) for _ in range(told.runs)]
                timing = Timing.of([run["seconds"] for run in runs])
                row = runs[0] | {"peak_bytes": max(run["peak_bytes"] for run in runs)}
                del row["seconds"]
                rows.append({"layout": layout, "dtype": dtype, **timing.to_dict(), **row})
                print(
                    f"{layout:3} as {dtype:9} min {timing.min_s:.3f}s, median {timing.median_s:.3f}s, weights "
                    f"{row['weight_bytes'] / 2**20:,.0f} MiB, peak {row['peak_bytes'] / 2**20:,.0f} MiB, "
                    f"over {row['over_bytes'] / 2**20:,.0f} MiB"
                )
    finish("load", found, told, rows=rows)


if __name__ == "__main__":
    main()
