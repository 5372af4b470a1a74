"""README is run: every command, every Python block, every JSON block, and the picture of the house.

The clients' blocks (sh, py, js) are run in tests/clients.

Shown output must match in its words, and in its numbers to two hundredths: a tiny random model answers a little
differently on another chip. Times are not compared.
"""

from __future__ import annotations

import json
import re

import pytest
from readme_blocks import README, ROOT, answer, blocks, commands, lay_out_checkout, run
from test_architecture import PACKAGE, files_of, imports_of, room_of

from clef_mlx.cli import VERBS

TEXT = README.read_text(encoding="utf-8")
OUTDATED = "README shows other output; see it, then write it: python tests/readme_blocks.py"


@pytest.fixture
def checkout(tmp_path, tiny_release):
    lay_out_checkout(tmp_path, tiny_release)
    return tmp_path


def without_numbers(text: str) -> list[str]:
    """The words; bars follow numbers and spaces follow bars."""
    return re.sub(r"[\d.█▉▊▋▌▍▎▏▐─%]+", " ", text).split()


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", re.sub(r"[\d.]+ s\b", "", text))]


def assert_same_output(output: str, shown: str) -> None:
    assert without_numbers(output) == without_numbers(shown), OUTDATED
    assert numbers(output) == pytest.approx(numbers(shown), abs=0.02, rel=0.02), OUTDATED


@pytest.mark.parametrize("command, shown", commands(), ids=[command[:40] for command, _ in commands()])
def test_readme_command(checkout, command, shown):
    code, output = run(command, checkout)
    refused = shown.startswith("clef-mlx: ")
    assert code == (1 if refused else 0), output
    if shown:
        assert_same_output(output, shown)


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python(checkout, monkeypatch, code):
    monkeypatch.chdir(checkout)
    exec(compile(code, "README.md", "exec"), {})


def test_readme_request_gets_the_answer_shown(tiny_release):
    request, shown = blocks("json")
    assert_same_output(json.dumps(answer(json.loads(request), tiny_release)), json.dumps(json.loads(shown)))


def test_readme_has_no_other_blocks():
    assert set(re.findall(r"^```(\w+)$", TEXT, re.MULTILINE)) == {
        "console",
        "python",
        "json",
        "text",
        "sh",
        "py",
        "js",
        "mjs",
    }


def drawn_rooms() -> list[str]:
    (picture,) = blocks("text")
    return [line.split()[0] for line in picture.splitlines() if line.startswith("  ")]


def test_readme_draws_the_house_as_it_is():
    rooms = {path.name + ("/" if path.is_dir() else "") for path in PACKAGE.iterdir()}
    assert set(drawn_rooms()) == rooms - {"__init__.py", "__pycache__/"}


def test_readme_draws_what_is_imported_above():
    drawn = [room.removesuffix(".py").removesuffix("/") for room in drawn_rooms()]
    for file in files_of(PACKAGE):
        above = drawn[: drawn.index(room_of(file, PACKAGE)) + 1]
        below = {name.split(".")[0] for name in imports_of(file)} & set(drawn) - set(above)
        assert not below, f"{file.name} imports {below}"


def test_readme_names_every_verb():
    (listed,) = re.findall(r"^  cli/ +(.*)$", TEXT, re.MULTILINE)
    assert listed.split(", ") == list(VERBS)


def test_every_path_named_exists():
    for path in re.findall(r"`((?:tests|examples|\.ci|benchmarks)/[\w./-]*|[A-Z]+\.md)`", TEXT):
        assert (ROOT / path).exists(), path
