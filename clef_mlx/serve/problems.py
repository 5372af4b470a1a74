"""Errors to HTTP statuses and bodies, in the shape each dialect's clients parse.

The one place that knows which error is which status. What a client sent is never repeated to it, apart from the names
it chose for models, fields and question types: an answer may end up in somebody's log.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from clef_mlx.errors import ClefError, ContextLengthError, MemoryBudgetError, ModelFault, RequestError, TooLargeError
from clef_mlx.schema import Problem
from clef_mlx.serve.replies import Full, NotReady, TimedOut, UnknownModel
from clef_mlx.strict_json import show

CLOUDFLARE_PREFIX = "/client/v4/"
DECISIONS_PATH = "/v1/decisions"
MOST_PROBLEMS = 20  # told of one request
HTTP_KINDS = {404: "not_found_error", 405: "method_not_allowed_error"}
# A quoted value as `show` writes it.
_SHOWN_STRING = re.compile(r'got "(?:[^"\\]|\\.)*+"(?: … \(\d+ characters\))?')


class Refused(ClefError):
    """A request that is not answered: status, a word for programs, one line for people."""

    kind = ""  # each has its own, where other errors have their class's name

    def __init__(self, status: int, kind: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.retry_after = retry_after


class Invalid(ClefError):
    """A request whose fields break rules; the first of them are named."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = problems[:MOST_PROBLEMS]


class Fault(NamedTuple):
    """What a client is told. `detail` is an object with `error_type` and `message`, or a list of field errors."""

    status: int
    detail: dict[str, Any] | list[dict[str, Any]]
    retry_after: float | None = None
    headers: Mapping[str, str] = {}

    @property
    def kind(self) -> str:
        return "invalid_request_error" if isinstance(self.detail, list) else self.detail["error_type"]

    @property
    def message(self) -> str:
        return self.detail["message"] if isinstance(self.detail, dict) else "; ".join(one["msg"] for one in self.detail)


def unknown_model(name: str) -> Refused:
    shown = name if 0 < len(name) <= 60 and name.isprintable() else show(name)
    return Refused(400, "api_usage_error", f"Unknown model: {shown}")


def fault_of(error: Exception) -> Fault:
    """The answer an error becomes. What is none of ours is a fault of the server and says nothing about itself."""
    match error:
        case Refused():
            return _fault(error.status, error.kind, str(error), error.retry_after)
        case Invalid():
            return Fault(422, [_field(*problem) for problem in error.problems])
        case ContextLengthError():
            fault = _fault(400, "max_tokens_exceeded", str(error))
            fault.detail.update(needed_tokens=error.needed_tokens, limit_tokens=error.limit_tokens)
            return fault
        case TooLargeError():
            return _fault(413, "request_too_large", str(error))
        case RequestError():
            return Fault(422, [_field(error.location, str(error), "value_error")])
        case MemoryBudgetError():
            return _fault(413, "request_too_large", str(error))
        case UnknownModel():
            return fault_of(unknown_model(str(error)))
        case Full():
            return _fault(429, "rate_limit_error", "queue: is full. Try again shortly.", error.retry_after)
        case NotReady():
            return _fault(503, "unavailable_error", str(error), error.retry_after)
        case TimedOut():
            return _fault(503, "timeout_error", "request: took longer than the server allows. Try again.", 1.0)
        case ModelFault():
            return _fault(500, "model_error", str(error))
        case HTTPException():
            kind = HTTP_KINDS.get(error.status_code, "api_usage_error")
            fault = _fault(error.status_code, kind, f"request: {error.detail}. See /openapi.json.")
            return fault._replace(headers=error.headers or {})
        case ClefError():
            return _fault(500, "model_error", "model: cannot answer. The server's log says why.")
    return _fault(500, "internal_error", "server: failed at this request. Its log says where.")


def response(fault: Fault, path: str) -> JSONResponse:
    """The fault as the clients of this path read it."""
    headers = dict(fault.headers)
    if fault.retry_after is not None:
        headers["retry-after"] = str(max(1, math.ceil(fault.retry_after)))
    if fault.status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse(_body(fault, path), fault.status, headers)


def _body(fault: Fault, path: str) -> dict[str, Any]:
    if path.startswith(CLOUDFLARE_PREFIX):
        errors = [{"code": fault.status, "message": fault.message}]
        return {"result": None, "success": False, "errors": errors, "messages": []}
    if path == DECISIONS_PATH:
        error = {"message": fault.message, "type": fault.kind, "param": None, "code": fault.kind}
        return {"detail": fault.detail, "error": error}
    return {"detail": fault.detail}


def _fault(status: int, kind: str, message: str, retry_after: float | None = None) -> Fault:
    return Fault(status, {"error_type": kind, "message": discreet(message)}, retry_after)


def _field(location: tuple[str | int, ...], message: str, kind: str) -> dict[str, Any]:
    # A question's type is a word of the protocol, and an unknown key is a name; telling them helps.
    message = message if location[-1:] == ("type",) or kind == "extra_forbidden" else discreet(message)
    return {"loc": ["body", *location], "msg": message, "type": kind}


def discreet(message: str, instead: str = "a string") -> str:
    """The message without the text it quotes."""
    return _SHOWN_STRING.sub(f"got {instead}", message)
