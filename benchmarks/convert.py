"""How fast is a conversion and how much memory does it take, on tables as large as clef-flash's?

Regime: a random release with clef-flash's dims and its whole vocabulary of 248,320 rows but two layers (one of each
kind) and no vision, about 5 GB in bfloat16, streamed to a temporary folder and deleted afterwards. Each recipe runs in
a fresh process: hashing, writing, checking and a decision, the report only with --report. Its anonymous pages are
sampled, since mapped pages of files are the system's to drop. MB/s counts the source's bytes while writing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from setting import finish, parser, say_machine

from clef_mlx.weights import random_release
from clef_mlx.weights.random_weights import Draw, head_tensors, text_tensors

FLASH = {
    "hidden_size": 4096,
    "num_hidden_layers": 2,
    "intermediate_size": 12288,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "full_attention_interval": 2,
    "vocab_size": 248320,
    "layer_types": ["linear_attention", "full_attention"],
}
HEAD = {"width": 1024, "routing_layers": 2, "layers": 4, "heads": 16, "feedforward": 4096}
SAMPLE_SECONDS = 0.05
BLOCK_ROWS = 4096


def write_flash(folder: Path) -> Path:
    """The release, a tensor at a time; of the two tables a block of rows at a time."""
    folder.mkdir(parents=True)
    small = random_release.write_random_release(folder.parent / "small", "bench")
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        shutil.copy(small / name, folder)
    config = json.loads((small / "config.json").read_text())
    text = config["text_config"] | FLASH
    del config["vision_config"]
    (folder / "config.json").write_text(json.dumps(config | {"text_config": text}))
    head = {"hidden_size": text["hidden_size"]} | HEAD
    (folder / "joint_head_config.json").write_text(json.dumps(head))
    weights = dict(head_tensors(head, Draw(0), 3.0))
    random_release.write_safetensors(folder / "joint_head.safetensors", weights, "bfloat16")
    tables = {"model.language_model.embed_tokens.weight": 0.7, "lm_head.weight": 1.0}
    tiny = dict(text_tensors(text | {"vocab_size": 1}, Draw(0)))
    layers = {name: value for name, value in tiny.items() if name not in tables}
    random_release.write_safetensors(folder / "model-layers.safetensors", layers, "bfloat16")
    for number, (name, std) in enumerate(tables.items()):
        _write_table(folder / f"model-table-{number}.safetensors", name, (text["vocab_size"], text["hidden_size"]), std)
    return folder


def _write_table(path: Path, name: str, shape: tuple[int, int], std: float) -> None:
    rows, columns = shape
    entry = {"dtype": "BF16", "shape": list(shape), "data_offsets": [0, 2 * rows * columns]}
    header = json.dumps({"__metadata__": {"format": "pt"}, name: entry}).encode()
    header += b" " * (-len(header) % 8)
    random = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for start in range(0, rows, BLOCK_ROWS):
            values = random.standard_normal((min(BLOCK_ROWS, rows - start), columns), np.float32) * np.float32(std)
            file.write(random_release.bfloat16_bits(values).tobytes())


def anonymous_bytes() -> int:
    """Memory of this process that no file backs; on macOS there is no such figure, and the whole is told."""
    status = Path("/proc/self/status")
    if not status.is_file():
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(line for line in status.read_text().splitlines() if line.startswith("RssAnon"))
    return 1024 * int(line.split()[1])


def convert_once(folder: Path, out: Path, recipe: str, report: bool) -> dict[str, Any]:
    """Convert here, in this process, and say what it took."""
    from clef_mlx.convert.convert import convert
    from clef_mlx.convert.settings import Settings

    peak, done = [0], threading.Event()

    def sample() -> None:
        while not done.wait(SAMPLE_SECONDS):
            peak[0] = max(peak[0], anonymous_bytes())

    sampler = threading.Thread(target=sample)
    sampler.start()
    start = time.perf_counter()
    try:
        made = convert(folder, out, Settings(recipe=recipe, report=report))
    finally:
        total = time.perf_counter() - start
        done.set()
        sampler.join()
    facts = {name: getattr(made, name) for name in ("seconds", "mb_per_s", "source_bytes", "nbytes", "bits")}
    return facts | {"total_seconds": total, "peak_bytes": peak[0]}


def convert_apart(folder: Path, out: Path, recipe: str, report: bool) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, __file__, "--once", str(folder), "--out", str(out), "--recipes", recipe]
    command += ["--report"] * report
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    options = parser(__doc__, runs=1)
    options.add_argument("--recipes", default="mixed-4bit", metavar="NAME,NAME")
    options.add_argument("--folder", type=Path, help="where the temporary 5 GB and the results are written")
    options.add_argument("--report", action="store_true", help="measure the report too")
    options.add_argument("--once", type=Path, metavar="FOLDER", help="convert this folder, print and stop")
    options.add_argument("--out", type=Path, help="destination of --once")
    told = options.parse_args()
    if told.once:
        print(json.dumps(convert_once(told.once, told.out, told.recipes, told.report)))
        return
    found = say_machine()
    rows = []
    with tempfile.TemporaryDirectory(dir=told.folder) as temporary:
        folder = write_flash(Path(temporary) / "flash")
        for recipe in told.recipes.split(","):
            for run in range(told.runs):
                out = Path(temporary) / f"out-{run}"
                rows.append({"recipe": recipe} | convert_apart(folder, out, recipe, told.report))
                shutil.rmtree(out)
                row = rows[-1]
                print(
                    f"{recipe:12} {row['source_bytes'] / 1e9:.2f} GB to {row['nbytes'] / 1e9:.2f} GB, written in "
                    f"{row['seconds']:.1f} s at {row['mb_per_s']:,.0f} MB/s, {row['total_seconds']:.1f} s in all, "
                    f"peak {row['peak_bytes'] / 1e9:.2f} GB anonymous",
                    flush=True,
                )
    finish("convert", found, told, rows=rows)


if __name__ == "__main__":
    main()
