"""A made release -> what it can and cannot do: calibration, accuracy by family, what bits cost, agreement with torch.

    python -m recipes.nano.report RELEASE   prints the tables of its card and of benchmarks/RESULTS.md as Markdown

Calibrated on validation requests, which leaves calibration.json in the release; judged on the test split and on the
hand-written set, neither of which it was trained or calibrated on. The last stdout line is one JSON document.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recipes.nano.generate import lines

HANDWRITTEN = Path(__file__).with_name("handwritten.jsonl")
SEED = 2  # another draw than the training's validation requests
CALIBRATED_ON, TESTED_ON = 2_000, 2_000
RECIPES = ("8bit", "mixed-4bit", "4bit")


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibrates a made release and says what it can do.")
    parser.add_argument("release", type=Path)
    release = parser.parse_args().release
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        valid = _written(work / "valid.jsonl", lines("valid", CALIBRATED_ON, SEED))
        test = _written(work / "test.jsonl", lines("test", TESTED_ON, SEED))
        _run("calibrate", valid, "--model", release, "--bias")
        figures = {
            "test": _evaluated(test, [release]),
            "test, calibrated": _evaluated(test, [release], "--calibrated"),
            "hand-written": _evaluated(HANDWRITTEN, [release]),
            "hand-written, calibrated": _evaluated(HANDWRITTEN, [release], "--calibrated"),
        }
        smaller = []
        for recipe in RECIPES:
            smaller.append(work / recipe)
            _run("convert", "--model", release, "--out", smaller[-1], "--recipe", recipe, "--no-report")
        bits = {name: _evaluated(data, [release, *smaller]) for name, data in (("test", test), ("hand", HANDWRITTEN))}
        sizes = {folder.name: _size(folder) for folder in (release, *smaller)}
    _print_families(figures)
    _print_bits(bits, sizes)
    sys.stdout.write(json.dumps({"figures": figures, "bits": bits, "bytes": sizes}) + "\n")


def _written(path: Path, made: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in made), encoding="utf-8")
    return path


def _run(*words: object) -> str:
    command = [sys.executable, "-c", "import sys; from clef_mlx.cli import main; sys.exit(main())", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:  # it has said why
        raise SystemExit(done.returncode)
    return done.stdout


def _evaluated(data: Path, models: list[Path], *flags: str) -> dict[str, Any]:
    named = [word for model in models for word in ("--model", model)]
    return json.loads(_run("eval", data, *named, *flags, "--json"))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.suffix == ".safetensors")


def _print_families(figures: Mapping[str, dict[str, Any]]) -> None:
    test, hand = (figures[name]["models"][0] for name in ("test", "hand-written"))
    sys.stdout.write("| | test split | 95 % | hand-written | 95 % |\n|---|---|---|---|---|\n")
    for family in (*test["by_group"], None):
        cells = [family or "all"]
        for model in (test, hand):
            part = model["all"] if family is None else model["by_group"].get(family)
            cells += ["", ""] if part is None else [_share(part), "{:.2f} to {:.2f}".format(*part["accuracy_95"])]
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.write("\n| | NLL | ECE | ECE, calibrated |\n|---|---|---|---|\n")
    for name in ("test", "hand-written"):
        plain, calibrated = (figures[key]["models"][0]["all"] for key in (name, f"{name}, calibrated"))
        sys.stdout.write(f"| {name} | {plain['nll']:.3f} | {plain['ece']:.3f} | {calibrated['ece']:.3f} |\n")


def _share(part: Mapping[str, Any]) -> str:
    return f"{part['accuracy']:.3f} of {part['cases']:,}"


def _print_bits(bits: Mapping[str, dict[str, Any]], sizes: Mapping[str, int]) -> None:
    sys.stdout.write("\n| weights | MB | accuracy, test | changed, test | accuracy, hand-written | changed |\n")
    sys.stdout.write("|---|---|---|---|---|---|\n")
    for index, (name, size) in enumerate(sizes.items()):
        cells = [name, f"{size / 1e6:.2f}"]
        for report in bits.values():
            changed = report["comparisons"][index - 1]["changed"] if index else 0
            cells += [_share(report["models"][index]["all"]), str(changed)]
        sys.stdout.write(f"| {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
