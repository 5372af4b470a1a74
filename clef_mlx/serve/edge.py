"""Around every route: a request id, safe headers, one log line, and errors turned into answers. ASGI middleware."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clef_mlx.serve import logs, metrics
from clef_mlx.serve.bodies import drain
from clef_mlx.serve.problems import fault_of, response
from clef_mlx.serve.replies import Gone
from clef_mlx.serve.settings import Settings

CLIENT_GONE = 499  # in the log alone: nobody was there to be answered
# The page's own files and requests, pictures dropped on it, and nothing from anywhere else.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
ID_HEADERS = ("x-typesafe-request-id", "x-request-id")  # the second is where OpenAI's client looks


def new_id() -> str:
    return f"req_{secrets.token_hex(12)}"


def wrapped(app: ASGIApp, settings: Settings) -> ASGIApp:
    """`app` behind errors, named origins' CORS, and the log, from the inside out."""
    app = Answered(app)
    if settings.origins:
        app = _ForNamedOrigins(app, settings.origins)
    return Labelled(app)


class Labelled:
    """Gives every response its id and safe headers, and logs it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = new_id()
        state = scope.setdefault("state", {})
        state.update(started=time.monotonic(), facts={})
        status = CLIENT_GONE

        async def send_labelled(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers.update(SAFE_HEADERS | dict.fromkeys(ID_HEADERS, request_id))
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self.app(scope, receive, send_labelled)
        finally:
            seconds = time.monotonic() - state["started"]
            route = state.get("route", "other")
            metrics.observe_response(route, status, seconds)
            level = logging.DEBUG if route in ("health", "ready", "metrics", "page") else logging.INFO
            facts = {"request_id": request_id, "method": scope["method"], "route": route, "status": status}
            logs.say("request", level, **facts, ms=round(seconds * 1000, 3), **state["facts"])


class Answered:
    """Turns an error into the answer it means. A fault of ours is logged, and the next request finds all as it was."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self  # starlette's router then raises what it would answer in plain text
        stream = _Stream(scope, receive, send)
        try:
            await self.app(scope, stream.receive, stream.send)
        except (ClientDisconnect, Gone):
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this request's alone
            fault = fault_of(error)
            if fault.status == 500:
                logs.say_failure("fault", error)
            if not stream.started:
                scope["state"]["facts"]["error"] = fault.kind
                await stream.refuse(response(fault, scope["path"]), wait=fault.status != 408)


class _Stream:
    """A request's two directions, watched: whether its body was read and its response begun."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        self.scope = scope
        self._receive, self._send = receive, send
        self.unread = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        self.started = False

    async def receive(self) -> Message:
        message = await self._receive()
        if not message.get("more_body"):
            self.unread = False
        return message

    async def send(self, message: Message) -> None:
        self.started = True
        await self._send(message)

    async def refuse(self, answer: Any, *, wait: bool) -> None:
        """Answer at once. If the body is still coming, take some of it before the connection closes: a client that is
        cut off while it sends may never read the answer."""
        if not self.unread:
            await answer(self.scope, self.receive, self.send)
            return
        answer.headers["connection"] = "close"
        await self.send({"type": "http.response.start", "status": answer.status_code, "headers": answer.raw_headers})
        await self.send({"type": "http.response.body", "body": answer.body, "more_body": True})
        if wait:
            await drain(self.receive)
        await self.send({"type": "http.response.body", "body": b""})


class _ForNamedOrigins:
    """Starlette's CORS for the origins that are named. Others never reach it, so that they are refused like all."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        self.app = app
        self.origins = origins
        exposed = [*ID_HEADERS, "retry-after"]
        self.cors = CORSMiddleware(
            app, origins, ["GET", "POST"], ["*"], allow_private_network=True, expose_headers=exposed
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = Headers(scope=scope).get("origin") in self.origins
        await (self.cors if named else self.app)(scope, receive, send)
