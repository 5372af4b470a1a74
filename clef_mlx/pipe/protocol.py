"""Protocol 1 of `clef-mlx pipe`: what a line in means, and what a line out says.

Every line is one JSON value, in as UTF-8, out as ASCII, ended by a newline. Blank lines in are ignored, and stdout
carries nothing else.

The first line out comes when the model has decided once:

    {"hello": "clef-mlx", "version": "0.1.0", "protocol": 1, "model": "clef-nano",
     "limits": {"line_bytes": 16777216, "pending": 256}, "options": {"max_length": 16384, ...}}

A model that cannot be loaded is {"id": null, "error": {...}} in its place, and exit code 1.

A line in is a request, or takes one back:

    {"id": ID, "state": ..., "questions": {...}, "images": [...], "options": {"isolate": true, ...}}
    {"cancel": ID}

ID is a string or a number that no waiting request has; left out or null, nothing can cancel the request. `options` are
those of `clef_mlx.Options`, for this request alone. Other fields are those of a System One request; unknown ones are
refused. Pictures are data URLs or paths.

Every line in but a good `cancel` is answered by exactly one line, in the order of the lines:

    {"id": ID, "model": "clef-nano", "answers": {...}, "usage": {...}}
    {"id": ID, "error": {"type": "RequestError", "message": "...", "location": ["questions", "a"], "line": 3}}

`type` is the class of the error in Python, or `cancelled`. A line whose id cannot be read is answered with id null;
`line` counts lines in from 1. A `cancel` that comes too late, or names nothing, does nothing.

As many requests wait as `limits.pending` says; then nothing is read until one is answered, cancels included. So a
program must read answers while it writes requests. At the end of stdin what waits is answered, and the exit code is 0.
SIGTERM and Ctrl-C answer what waits as cancelled and end with 143 and 130; a closed stdout ends with 141.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import clef_mlx
from clef_mlx.engine.clef import Clef
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.options import Options
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.media.naming import with_paths
from clef_mlx.schema import Request, RequestBody, parse_request
from clef_mlx.strict_json import parse_json, show

PROTOCOL = 1
FIELDS = ("id", *(name for name in RequestBody.model_fields if name != "id"), "options")

Id = str | int | float | None


class Limits(NamedTuple):
    """Most bytes of a line, and most requests that wait; more are left unread."""

    line_bytes: int = 16 << 20
    pending: int = 256


class Ask(NamedTuple):
    """A checked request, to be answered under its id."""

    id: Id
    request: Request
    options: Options


class Cancel(NamedTuple):
    """Nobody waits for this request any more."""

    id: Id


class Refused(NamedTuple):
    """A line that asks for nothing, or for what cannot be."""

    id: Id
    error: ClefError


def read(text: bytes, where: str, defaults: Options) -> Ask | Cancel | Refused:
    """What a line means. `where` names it in messages about its JSON."""
    id: Id = None
    try:
        value = parse_json(text, where=where)
        if isinstance(value, dict) and "cancel" in value:
            return _cancel(value)
        id = _id(value.get("id"), "id") if isinstance(value, dict) else None
        return _ask(id, value, defaults)
    except RequestError as error:
        return Refused(id, error)


def hello(model: Clef, limits: Limits) -> bytes:
    facts = {"version": clef_mlx.__version__, "protocol": PROTOCOL, "model": model.name}
    return _line({"hello": "clef-mlx", **facts, "limits": limits._asdict(), "options": asdict(model.options)})


def answer(id: Id, decision: Decision) -> bytes:
    return _line({"id": id, **decision.to_dict()})


def failure(id: Id, error: ClefError, line: int | None = None) -> bytes:
    location = list(error.location) if isinstance(error, RequestError) else []
    return _failure(id, error.kind, str(error), location, line)


def cancelled(id: Id, line: int) -> bytes:
    return _failure(id, "cancelled", "request: was taken back before it was decided.", [], line)


def _cancel(value: dict[str, Any]) -> Cancel:
    if len(value) > 1:
        other = next(name for name in value if name != "cancel")
        raise RequestError(f"cancel: must stand alone, got {show(other)} beside it. Send two lines.", (other,))
    if (id := _id(value["cancel"], "cancel")) is None:
        raise RequestError("cancel: must be the id of a request, got null. Give requests ids.", ("cancel",))
    return Cancel(id)


def _ask(id: Id, value: Any, defaults: Options) -> Ask:
    for name in value if isinstance(value, dict) else ():
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            raise RequestError(f"request: {show(name)} is unknown. Known: {known}, or cancel alone.", (name,))
    request = parse_request(value)
    if request.images or request.videos:
        request = parse_request(with_paths(value, Path()))
    return Ask(id, request, _options(value.get("options"), defaults))


def _options(given: Any, defaults: Options) -> Options:
    if not isinstance(given, dict | None):
        raise RequestError(f"options: must be an object, got {show(given)}. Or leave it out.", ("options",))
    try:
        return defaults.with_(**given or {})
    except RequestError as error:
        raise RequestError(str(error), ("options",)) from None


def _id(value: Any, name: str) -> Id:
    if isinstance(value, bool) or not isinstance(value, Id):
        raise RequestError(f"{name}: must be a string or a number, got {show(value)}. Choose another.", (name,))
    return value


def _failure(id: Id, kind: str, message: str, location: list[str | int], line: int | None) -> bytes:
    place = {} if line is None else {"line": line}
    return _line({"id": id, "error": {"type": kind, "message": message, "location": location} | place})


def _line(value: dict[str, Any]) -> bytes:
    # ASCII, since many line readers also end lines at U+2028 and its like.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"
