"""README's code blocks, run in a folder that looks like a checkout after `make demo`.

`python tests/readme_blocks.py` writes what they print now into README, where it shows output.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RELEASE = ".cache/random-release"


def blocks(language: str) -> list[str]:
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    """Every `$ command` with the output shown under it."""
    parts = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown.strip()) for command, _, shown in (part.partition("\n") for part in parts)]


def exported() -> dict[str, str]:
    """What a reader who follows README from its start has in the environment."""
    return dict(re.findall(r"^\$ export (\w+)=(\S+)$", README.read_text(encoding="utf-8"), re.MULTILINE))


def lay_out_checkout(folder: Path, release: Path) -> None:
    (folder / ".cache").mkdir()
    shutil.copytree(release, folder / RELEASE)  # no link: an answer names the folder behind it
    for name in ("Makefile", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder)
    for name in ("clef_mlx", "examples"):
        (folder / name).symlink_to(ROOT / name)


def run(command: str, checkout: Path) -> tuple[int, str]:
    """Exit code and output. A make target is planned, not built; installing is a rehearsal offline."""
    command = re.sub(r"^make ", "make --dry-run ", command)
    rehearsal = f"{sys.executable} -m pip install --dry-run --no-deps --no-index --no-build-isolation"
    command = re.sub(r"^pip install", rehearsal, command)
    # Commands mean the interpreter that runs this.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=checkout,
        env=os.environ | {"PATH": path, "COLUMNS": "80"} | exported(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def answer(request: dict[str, Any], release: Path) -> dict[str, Any]:
    import clef_mlx

    with clef_mlx.load(release) as model:
        return model.systemone(request) | {"model": "random-release"}


def _answer_text(answer: dict[str, Any]) -> str:
    """One line an answer."""
    answers = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in answer["answers"].items())
    model, usage = json.dumps(answer["model"]), json.dumps(answer["usage"])
    return f'{{\n  "model": {model},\n  "answers": {{\n{answers}\n  }},\n  "usage": {usage}\n}}\n'


def rewrite() -> None:
    from clef_mlx.weights.random_release import write_random_release

    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        checkout, release = Path(folder, "checkout"), Path(folder, "release")
        checkout.mkdir()
        write_random_release(release)
        lay_out_checkout(checkout, release)
        for command, shown in commands():
            if shown:
                text = text.replace(f"$ {command}\n{shown}\n", f"$ {command}\n{run(command, checkout)[1]}\n")
        request, shown = blocks("json")
        text = text.replace(shown, _answer_text(answer(json.loads(request), release)))
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
