"""README's client blocks, run as they stand but for the address. `py` blocks are for the clients' environment."""

from __future__ import annotations

import re

import pytest
from asking import succeed
from readme_blocks import blocks

pytestmark = pytest.mark.clients

SHOWN = "http://127.0.0.1:8321"
PROBABILITY = re.compile(r"\b[01]\.\d+")


def at(block: str, server: str) -> str:
    assert SHOWN in block
    return block.replace(SHOWN, server)


@pytest.mark.parametrize("block", blocks("sh"))
def test_readme_shell_client(server, block):
    assert PROBABILITY.search(succeed(["bash", "-c", at(block, server)]))


@pytest.mark.parametrize("block", blocks("py"))
def test_readme_python_client(environment, server, block):
    assert PROBABILITY.search(succeed([environment / "bin" / "python", "-c", at(block, server)]))


@pytest.mark.parametrize("block", blocks("js"))
def test_readme_javascript_client(environment, node, server, block):
    command = ["node", "--input-type=module", "--eval", at(block, server)]
    assert PROBABILITY.search(succeed(command, environment))
