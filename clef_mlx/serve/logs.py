"""What the server tells about itself: one JSON object a line on stderr.

A line about a request has its id, route, status and times. What was asked and answered, and any key, is never in it,
unless the settings ask for requests.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import sys
import time
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("clef_mlx.serve")


def start(level: str) -> None:
    """Send our lines, and the HTTP library's warnings, to stderr."""
    handler = JsonLines()
    for logger, least in ((LOGGER, level.upper()), (logging.getLogger("uvicorn.error"), "WARNING")):
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)


def say(event: str, level: int = logging.INFO, **facts: Any) -> None:
    LOGGER.log(level, event, extra={"facts": facts})


def say_failure(event: str, error: BaseException, **facts: Any) -> None:
    """A fault of ours, with the places the error passed through. Not its message: that may quote a request."""
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    say(event, logging.ERROR, error=type(error).__name__, places=places, **facts)


class LoopFaults:
    """What asyncio complains of, as lines of ours and at most one a second: when files run out, it says so thousands of
    times. Its own lines would also quote what they are about."""

    def __init__(self) -> None:
        self.said = -math.inf

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self.said >= 1:
            self.said = now
            say_failure("event loop", context.get("exception") or RuntimeError(), reason=context["message"])


class JsonLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        written = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": written, "level": record.levelname.lower(), "event": record.getMessage()}
        text = json.dumps(line | getattr(record, "facts", {}), ensure_ascii=False, default=str)
        with suppress(OSError):  # a log that nobody takes is no reason to refuse requests
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
