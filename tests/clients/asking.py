"""How the tests here serve and ask: both sides are processes of their own, as they are for users."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from serving import process, wait_until

KEY = "a-key-of-the-tests"
CLIENT_SECONDS = 240


@contextmanager
def serving(release: Path, *flags: str) -> Iterator[str]:
    """The address of a server that is ready."""
    # Nobody reads the log here, and a full pipe would stop the server.
    with process("--model", str(release), "--port", "0", "--log-level", "error", *flags) as (_, url):
        wait_until(lambda: httpx.get(f"{url}/ready").status_code == 200)
        yield url


def succeed(command: list[str], folder: Path | None = None, **variables: str) -> str:
    """What the command prints; it must end well."""
    done = run(command, folder, **variables)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
    return done.stdout


def run(command: list[str], folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    # The owner's keys and proxies are none of a test's business.
    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower() and "KEY" not in name}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=env | variables,
        capture_output=True,
        text=True,
        timeout=CLIENT_SECONDS,
        stdin=subprocess.DEVNULL,
    )
