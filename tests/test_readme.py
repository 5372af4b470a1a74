"""README is run: every command, every Python block, every JSON block, and the picture of the house.

Commands run in a folder that looks like a checkout after `make demo`. Shown output must match in its words, and in its
numbers to two hundredths: a tiny random model answers a little differently on another chip. Times are not compared.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_architecture import PACKAGE, files_of, imports_of, room_of

import clef_mlx
from clef_mlx.schema import parse_request

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCKS if name == language]


def commands() -> list[tuple[str, str]]:
    """Every `$ command` with the output shown under it."""
    pairs = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            pairs.append((command, output.strip()))
    return pairs


@pytest.fixture
def checkout(tmp_path, tiny_release, monkeypatch):
    """A folder with the examples, and the tiny release where `make demo` writes it."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "random-release").symlink_to(tiny_release)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name in ("Makefile", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "clef_mlx").symlink_to(ROOT / "clef_mlx")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLEF_MLX_MODEL", ".cache/random-release")
    # Commands mean the interpreter that runs the tests.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def as_run(command: str) -> str:
    """The command as a test may run it: a target is planned, not built, and installing is a rehearsal offline."""
    command = re.sub(r"^make ", "make --dry-run ", command)
    rehearsal = f"{sys.executable} -m pip install --dry-run --no-deps --no-index --no-build-isolation"
    return re.sub(r"^pip install", rehearsal, command)


def without_numbers(text: str) -> list[str]:
    """The words; bars follow numbers and spaces follow bars."""
    return re.sub(r"[\d.█▉▊▋▌▍▎▏▐─%]+", " ", text).split()


def numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(re.sub(r"[\d.]+ s\b", "", text))]


@pytest.mark.parametrize("command, shown", commands(), ids=[command[:40] for command, _ in commands()])
def test_readme_command(checkout, command, shown):
    done = subprocess.run(
        as_run(command),
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    refused = shown.startswith("clef-mlx: ")
    assert done.returncode == (1 if refused else 0), done.stdout
    if shown:
        assert without_numbers(done.stdout) == without_numbers(shown)
        assert numbers(done.stdout) == pytest.approx(numbers(shown), abs=0.02, rel=0.02)


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python(checkout, code):
    exec(compile(code, "README.md", "exec"), {})


def test_readme_request_gets_the_answer_shown(checkout):
    request, shown = map(json.loads, blocks("json"))
    parse_request(request)
    with clef_mlx.load(".cache/random-release") as model:
        answer = model.systemone(request) | {"model": shown["model"]}
    assert without_numbers(json.dumps(answer)) == without_numbers(json.dumps(shown))
    assert numbers(json.dumps(answer)) == pytest.approx(numbers(json.dumps(shown)), abs=0.02)


def test_readme_has_no_other_blocks():
    assert {name for name, _ in BLOCKS} == {"console", "python", "json", "text"}


def drawn_rooms() -> list[str]:
    (picture,) = blocks("text")
    return [line.split()[0] for line in picture.splitlines() if line.startswith("  ")]


def test_readme_draws_the_house_as_it_is():
    rooms = {path.name + ("/" if path.is_dir() else "") for path in (ROOT / "clef_mlx").iterdir()}
    assert set(drawn_rooms()) == rooms - {"__init__.py", "__pycache__/"}


def test_readme_draws_what_is_imported_above():
    drawn = [room.removesuffix(".py").removesuffix("/") for room in drawn_rooms()]
    for file in files_of(PACKAGE):
        room = room_of(file, PACKAGE)
        lower = drawn[: drawn.index(room) + 1]
        imported = {name.split(".")[0] for name in imports_of(file)} & set(drawn)
        assert imported <= set(lower), f"{file.name} imports {imported - set(lower)}"


def test_readme_names_every_verb():
    from clef_mlx.cli import VERBS

    (listed,) = re.findall(r"^  cli/ +(.*)$", README, re.MULTILINE)
    assert listed.split(", ") == list(VERBS)


def test_every_path_named_exists():
    for path in re.findall(r"`((?:tests|examples|\.ci|benchmarks)/[\w./-]*|[A-Z]+\.md)`", README):
        assert (ROOT / path).exists(), path
