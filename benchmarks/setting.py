"""What every script here is told and says: a release, a number of runs, the machine first, one JSON document last.

Random releases are written once into .cache/ of the checkout, and again when the code that draws them has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from clef_mlx.bench.machine import machine
from clef_mlx.engine.clef import Clef, load
from clef_mlx.weights import random_release, random_tokenizer, random_weights

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache"
# A script's folder stands first on the path, where kernels.py would pass for a package that transformers looks for.
sys.path = [folder for folder in sys.path if Path(folder).resolve() != ROOT / "benchmarks"]


def parser(doc: str | None, *, runs: int) -> argparse.ArgumentParser:
    """What all scripts are told; the script's docstring is its help."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=runs, help=f"timed runs of each (default {runs})")
    return options


def model_parser(doc: str | None, *, runs: int) -> argparse.ArgumentParser:
    """The same, and which model."""
    options = parser(doc, runs=runs)
    options.add_argument("--model", help="folder, hub id or alias of a release (default: a random one of --size)")
    options.add_argument("--size", default="bench", choices=random_release.SIZES, help="size of the random release")
    options.add_argument("--dtype", default="float32", choices=["float32", "bfloat16", "float16"])
    return options


def numbers(text: str) -> list[int]:
    """`512,2048` as a list, for argparse."""
    return [int(part) for part in text.split(",")]


def release(size: str, dtype: str = "bfloat16", cache: Path = CACHE) -> Path:
    """The folder of the random release of this size, stored as `dtype`."""
    folder = cache / f"random-{size}-{dtype}"
    drawn_by = [Path(module.__file__) for module in (random_release, random_tokenizer, random_weights)]
    written = folder / "config.json"
    if not written.exists() or written.stat().st_mtime < max(file.stat().st_mtime for file in drawn_by):
        unfinished = cache / f"{folder.name}.{os.getpid()}"
        random_release.write_random_release(unfinished, size, dtype=dtype)
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    return folder


def model_named(options: argparse.Namespace) -> str:
    return options.model or str(release(options.size))


def load_model(options: argparse.Namespace, **changes: Any) -> Clef:
    """The release asked for. No prefix is kept unless said otherwise: every run does all its work."""
    return load(model_named(options), dtype=options.dtype, **({"prefix_bytes": 0} | changes))


def say_machine() -> dict[str, Any]:
    """Print where this runs, and return it for the document."""
    found = machine()
    print(f"{found['chip']}, {found['cores']} cores, {found['memory_bytes'] / 1e9:.0f} GB, {found['system']}")
    print(
        f"Python {found['python']}, mlx {found['mlx']} on {found['device']}, BLAS {found['blas'] or 'its own'}, "
        f"clef_mlx {found['clef_mlx']} at {found['commit'] or 'no commit'}\n"
    )
    return found


def finish(name: str, found: dict[str, Any], options: argparse.Namespace, **results: Any) -> None:
    """Print the document: one line of JSON, the last. Paths are nobody's business and stay out."""
    told = {name: value for name, value in vars(options).items() if not isinstance(value, Path)}
    print()
    print(json.dumps({"benchmark": name, "machine": found, "options": told, **results}))
