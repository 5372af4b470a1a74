"""`clef-mlx pipe` as other programs start it: a child process, its first line read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 60
PIPE = "from clef_mlx.cli import main; raise SystemExit(main())"
NOUL = {"type": "noul", "instructions": "Is it urgent?"}
LONG_STATE = "the pump by the river is loud and the cellar is dry. " * 150  # much work, for a tiny model


class Child(subprocess.Popen):
    """Lines in and out are JSON values; `hello` is the first."""

    hello: dict[str, Any]

    def send(self, *values: Any) -> None:
        self.send_bytes(b"".join(json.dumps(value).encode() + b"\n" for value in values))

    def send_bytes(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def answer(self) -> dict[str, Any]:
        return json.loads(self.stdout.readline())

    def ask(self, *values: Any) -> list[dict[str, Any]]:
        """Send requests and read as many answers."""
        self.send(*values)
        return [self.answer() for _ in values]

    def end(self) -> tuple[int, list[dict[str, Any]], str]:
        """Close stdin. -> exit code, the answers left, stderr."""
        out, err = self.communicate(timeout=PATIENCE_SECONDS)
        return self.returncode, [json.loads(line) for line in out.splitlines()], err.decode()


@contextmanager
def piped(model: Path, *arguments: str, before: str = "") -> Iterator[Child]:
    """A child that is ready; `before` is code that runs in it first."""
    command = [sys.executable, "-c", f"{before}\n{PIPE}", "pipe", "--model", str(model), *arguments]
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Child(command, **ends) as child:
        try:
            child.hello = child.answer()
            yield child
        finally:
            if child.poll() is None:
                child.kill()


def request(id: Any = None, state: Any = "The heating is off.", **fields: Any) -> dict[str, Any]:
    return {"id": id, "state": state, "questions": {"urgent": NOUL}, **fields}
