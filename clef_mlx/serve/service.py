"""The server as a service of the system: a launchd property list on a Mac, a systemd unit elsewhere.

Only text is made here; the user decides where it goes.
"""

from __future__ import annotations

import plistlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

LABEL = "clef-mlx"
KINDS = ("launchd", "systemd")


def default_kind() -> str:
    return "launchd" if sys.platform == "darwin" else "systemd"


def service(kind: str, arguments: Sequence[str]) -> str:
    """The definition that runs `clef-mlx serve` with these arguments at every start of the system or login."""
    command = [*_program(), "serve", *arguments]
    return _launchd(command) if kind == "launchd" else _systemd(command)


def _program() -> list[str]:
    """The program as it was started, by its full path: services have no PATH worth the name."""
    started_as = Path(sys.argv[0]).absolute()
    if started_as.name == LABEL and started_as.exists():
        return [str(started_as)]
    return [sys.executable, "-c", "from clef_mlx.cli import main; raise SystemExit(main())"]


def _launchd(command: list[str]) -> str:
    logs = Path.home() / "Library" / "Logs" / f"{LABEL}.log"
    properties = {
        "Label": LABEL,
        "ProgramArguments": command,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 60,
        "StandardOutPath": str(logs),
        "StandardErrorPath": str(logs),
    }
    return plistlib.dumps(properties, sort_keys=False).decode()


def _systemd(command: list[str]) -> str:
    start = " ".join(_systemd_word(word) for word in command)
    return f"""[Unit]
Description=Typed decisions on this machine
After=network.target

[Service]
ExecStart={start}
Restart=on-failure
RestartSec=5
TimeoutStopSec=60
NoNewPrivileges=true
PrivateTmp=true

[Install]
WantedBy=default.target
"""


def _systemd_word(word: str) -> str:
    """Quoted for ExecStart, where % and $ mean something and quotes are C's."""
    word = word.replace("%", "%%").replace("$", "$$")
    if word == shlex.quote(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
