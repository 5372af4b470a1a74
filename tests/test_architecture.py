"""The house keeps its shape: rooms import from lower floors, and starting is cheap.

The picture these rules come from is in README, "How it works".
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import clef_mlx

PACKAGE = Path(clef_mlx.__file__).parent
FLOORS = [
    {"errors", "blas"},
    {"strict_json", "config", "record"},
    {"schema"},
    {"answers", "calibration", "media", "model", "tokenizer"},
    {"encoding", "labelled", "weights"},
    {"engine"},
    {"bench", "bulk", "convert", "evaluate"},
    {"train"},
    {"calibrate", "export", "mcp", "pipe", "serve"},
    {"cli"},
]
MODEL_FLOORS = [
    {"gradients", "paths", "spans"},
    {"cores", "elementwise", "positions"},
    {"norms", "adapted"},
    {"delta", "attention"},
    {"text", "vision"},
    {"head"},
    {"masked_head"},
    {"clef"},
]
HEAVY = {"mlx", "mlx_lm", "numpy", "pydantic", "rich", "tokenizers", "huggingface_hub", "transformers", "torch", "PIL"}


def imports_of(file: Path) -> Iterator[str]:
    """Yield the dotted names of this package that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            # `from clef_mlx import cli` names a room; `from clef_mlx import load` names the top.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("clef_mlx.") for name in names if name.startswith("clef_mlx."))


def floor_of(floors: list[set[str]], room: str) -> int | None:
    return next((number for number, rooms in enumerate(floors) if room in rooms), None)


def files_of(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*.py") if file != PACKAGE / "__init__.py")


def room_of(file: Path, folder: Path) -> str:
    return file.relative_to(folder).parts[0].removesuffix(".py")


@pytest.mark.parametrize("file", files_of(PACKAGE), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_room_imports_only_from_lower_floors(file):
    room = room_of(file, PACKAGE)
    floor = floor_of(FLOORS, room)
    assert floor is not None, f"{room} stands on no floor"
    for name in imports_of(file):
        other = name.split(".")[0]
        other_floor = floor_of(FLOORS, other)
        if other_floor is None:
            assert room == "cli", f"only the command line uses the public top, not {room}: {name}"
        else:
            assert other == room or other_floor < floor, f"{room} must not import {name}"


@pytest.mark.parametrize("file", sorted((PACKAGE / "model").glob("*.py")), ids=lambda file: file.name)
def test_model_part_imports_only_from_lower_floors(file):
    part = file.stem
    if part == "__init__":
        assert not list(imports_of(file))
        return
    floor = floor_of(MODEL_FLOORS, part)
    assert floor is not None, f"model/{part} stands on no floor"
    for name in imports_of(file):
        if name.startswith("model."):
            assert floor_of(MODEL_FLOORS, name.split(".")[1]) < floor, f"model/{part} must not import {name}"


@pytest.mark.parametrize("file", sorted((PACKAGE / "model").glob("*.py")), ids=lambda file: file.name)
def test_model_knows_no_request(file):
    assert {name.split(".")[0] for name in imports_of(file)} <= {"model", "config", "record", "errors", "blas"}


def test_only_the_engine_evaluates_a_decision():
    evaluating = {
        room_of(file, PACKAGE)
        for file in files_of(PACKAGE)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("eval", "async_eval") and ast.unparse(node.value) == "mx"
    }
    # Loading evaluates weights to bound its memory, the doctor a product to time it, the bench all it times,
    # training each step.
    assert evaluating <= {"engine", "weights", "cli", "bench", "train"}


def test_public_names_exist_and_are_sorted():
    assert clef_mlx.__all__ == sorted(clef_mlx.__all__)
    assert all(getattr(clef_mlx, name).__name__ == name for name in clef_mlx.__all__)


def test_public_names_are_listed():
    assert set(clef_mlx.__all__) <= set(dir(clef_mlx))


def test_every_public_error_is_exported():
    from clef_mlx import errors

    tree = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert tree <= set(clef_mlx.__all__)


@pytest.mark.parametrize(
    "start", ["import clef_mlx", "from clef_mlx.cli import main; main(['--help'])"], ids=["import", "help"]
)
def test_start_imports_nothing_heavy(start):
    code = f"import sys; {start}; print('loaded', *{HEAVY!r}.intersection(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded"
