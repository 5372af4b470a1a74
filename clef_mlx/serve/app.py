"""The routes: an HTTP request becomes a question to the desk, and what comes back an answer of the client's dialect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp

from clef_mlx.errors import RequestError
from clef_mlx.serve import metrics
from clef_mlx.serve.bodies import LARGE_BYTES, Body, Room, read_body
from clef_mlx.serve.decisions import decisions_body, read_decisions
from clef_mlx.serve.desk import Desk
from clef_mlx.serve.dialects import (
    CLOUDFLARE_MODELS,
    Asked,
    answer_body,
    choose_model,
    envelope,
    read_request,
    relocated,
    timing,
)
from clef_mlx.serve.edge import wrapped
from clef_mlx.serve.guard import PAGE_PREFIX, Guard
from clef_mlx.serve.openapi import description
from clef_mlx.serve.replies import Decided, ModelCard, NotReady
from clef_mlx.serve.settings import Settings

T = TypeVar("T")
PAGE = Path(__file__).parent / "page"
OWNER = "clef-mlx"
BODIES_HELD = 4  # of the largest size at once, by all who wait; usual ones are thousands of times smaller


def build(settings: Settings, desk: Desk) -> ASGIApp:
    """The whole application."""
    routes = Routes(settings, desk)
    return wrapped(Guard(Router(routes.all(), redirect_slashes=False), settings), settings)


class Routes:
    def __init__(self, settings: Settings, desk: Desk) -> None:
        self.settings = settings
        self.desk = desk
        self.room = Room(BODIES_HELD * settings.max_body_bytes)

    def all(self) -> list[BaseRoute]:
        posts = {
            "systemone": ("/v1/systemone", self.systemone),
            "decisions": ("/v1/decisions", self.decisions),
            "cloudflare": (f"/client/v4/accounts/{{account}}/ai/run/{CLOUDFLARE_MODELS}{{model}}", self.cloudflare),
        }
        gets = {
            "models": ("/v1/models", self.models),
            "model": ("/v1/models/{id:path}", self.model),
            "health": ("/health", self.health),
            "ready": ("/ready", self.ready),
            "metrics": ("/metrics", self.metrics),
            "openapi": ("/openapi.json", self.openapi),
        }
        listed = [
            Route(path, self._named(name, endpoint), methods=[method])
            for method, group in (("POST", posts), ("GET", gets))
            for name, (path, endpoint) in group.items()
        ]
        return [*listed, *self._page()]

    def _page(self) -> list[BaseRoute]:
        """One route a file: what is not in the folder at start has no route, whatever a path spells."""
        files = {f"{PAGE_PREFIX}{file.name}": file for file in sorted(PAGE.iterdir()) if file.is_file()}
        files = {"/": PAGE / "index.html"} | files
        return [Route(path, self._named("page", _file(file))) for path, file in files.items()]

    def _named(self, name: str, endpoint: Callable[[Request], Any]) -> Callable[[Request], Any]:
        """The endpoint with its share of memory, and its route's name left for the log and the metrics."""

        async def run(request: Request) -> Response:
            request.state.route = name
            with self.room.share() as request.state.take:
                return await endpoint(request)

        return run

    async def systemone(self, request: Request) -> Response:
        body = await self._body(request)
        asked = await _beside(body, read_request, body, self.settings)
        return JSONResponse(answer_body(*await self._decided(request, asked, asked.request.model)))

    async def decisions(self, request: Request) -> Response:
        body = await self._body(request)
        asked, questions = await _beside(body, read_decisions, body, self.settings)
        decided, total_ms = await self._decided(request, asked, asked.request.model)
        return JSONResponse(decisions_body(decided, questions, total_ms))

    async def cloudflare(self, request: Request) -> Response:
        body = await self._body(request)
        asked = await _beside(body, read_request, body, self.settings)
        choose_model(asked.request.model, self.desk.models())  # a copy of the path's, which decides
        named = CLOUDFLARE_MODELS + request.path_params["model"]
        return JSONResponse(envelope(answer_body(*await self._decided(request, asked, named))))

    async def models(self, request: Request) -> Response:
        cards = self.desk.models()
        described = [
            {"name": card.id, "description": card.description, "release_date": _date(card.created)} for card in cards
        ]
        return JSONResponse({"object": "list", "data": [_card(card) for card in cards], "models": described})

    async def model(self, request: Request) -> Response:
        for card in self.desk.models():
            if card.id == request.path_params["id"]:
                return JSONResponse(_card(card))
        raise HTTPException(404)

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        readiness = self.desk.ready()
        if not readiness.ready:
            raise NotReady(readiness.reason, readiness.retry_after)
        return JSONResponse({"status": "ready"})

    async def metrics(self, request: Request) -> Response:
        content, media_type = metrics.render()
        return Response(content, media_type=media_type)

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(description(self.settings, [card.id for card in self.desk.models()]))

    async def _body(self, request: Request) -> Body:
        body = await read_body(request, self.settings, request.state.take)
        metrics.observe_phase("read", time.monotonic() - request.state.started)
        if self.settings.log_states:
            request.state.facts["request"] = body.value
        return body

    async def _decided(self, request: Request, asked: Asked, name: str | None) -> tuple[Decided, float]:
        """What the desk makes of it, and the milliseconds since the request came."""
        model = choose_model(name, self.desk.models())
        async with _Caller(request) as caller:
            try:
                decided = await self.desk.submit(
                    model,
                    asked.request,
                    self.settings.options,
                    deadline=self.settings.deadline_seconds,
                    alive=caller.is_there,
                )
            except RequestError as error:
                raise relocated(error, asked.image_places) from None
        total_ms = (time.monotonic() - request.state.started) * 1000
        request.state.facts |= {
            "model": decided.decision.model,
            "tokens": decided.decision.usage["input_tokens"],
            "batch": decided.batch,
            "phases_ms": timing(decided, total_ms),
        }
        return decided, total_ms


class _Caller:
    """Whether a client still waits; once its body is read, the only thing it can send is its goodbye."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.gone = False

    async def __aenter__(self) -> _Caller:
        self.watch = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.watch.cancel()
        with suppress(asyncio.CancelledError):
            await self.watch

    def is_there(self) -> bool:
        return not self.gone

    async def _watch(self) -> None:
        while (await self.request.receive())["type"] != "http.disconnect":
            pass
        self.gone = True


def _file(file: Path) -> Callable[[Request], Any]:
    async def send(request: Request) -> Response:
        return FileResponse(file, headers={"cache-control": "no-cache"})

    return send


async def _beside(body: Body, call: Callable[..., T], *args: Any) -> T:
    """Call it here, or beside the event loop if the body is large enough to hold others up."""
    return call(*args) if body.size_bytes < LARGE_BYTES else await asyncio.to_thread(call, *args)


def _card(card: ModelCard) -> dict[str, Any]:
    return {"id": card.id, "object": "model", "created": card.created, "owned_by": OWNER}


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
