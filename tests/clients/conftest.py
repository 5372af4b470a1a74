"""Other projects' clients in their own environment, and one server for all of them."""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from asking import KEY, serving, succeed
from PIL import Image

ROOT = Path(__file__).parent.parent.parent
# `make clients` builds it and may have been told another place.
ENVIRONMENT = Path(os.environ.get("CLEF_MLX_CLIENTS", ROOT / ".cache" / "clients")).absolute()
MISSING = f"other projects' clients are not in {ENVIRONMENT}; `make clients` installs them"


@pytest.fixture(scope="session")
def environment() -> Path:
    if not (ENVIRONMENT / "bin" / "python").exists():
        pytest.skip(MISSING)
    return ENVIRONMENT


@pytest.fixture(scope="session")
def server(environment, tiny_release) -> str:
    with serving(tiny_release) as url:
        yield url


@pytest.fixture(scope="session")
def locked_server(environment, tiny_release) -> str:
    """Asks for KEY."""
    with serving(tiny_release, "--key", KEY) as url:
        yield url


@pytest.fixture(scope="session")
def heard(environment) -> Callable[..., Any]:
    """Run a script of this folder in the clients' environment; what it prints, as JSON."""

    def run(script: str, *args: str) -> Any:
        return json.loads(succeed([str(environment / "bin" / "python"), str(Path(__file__).parent / script), *args]))

    return run


@pytest.fixture(scope="session")
def node(environment) -> Callable[..., Any]:
    if not (environment / "node_modules" / "@typesafe-ai").exists():
        pytest.skip(f"the JavaScript client is not in {environment}; it needs npm when `make clients` runs")
    node = shutil.which("node") or pytest.skip("needs node")

    def run(script: str, *args: str) -> Any:
        return json.loads(succeed([node, str(Path(__file__).parent / script), *args, str(environment)]))

    return run


@pytest.fixture(scope="session")
def pictures() -> list[str]:
    """Two small PNG files in base64."""
    return [_png((200, 30, 30)), _png((30, 30, 200))]


def _png(colour: tuple[int, int, int]) -> str:
    file = BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, "PNG")
    return b64encode(file.getvalue()).decode()
