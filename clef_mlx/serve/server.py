"""The process: a socket, the HTTP server on it, and a beginning and an end that lose no request.

It listens before the model is loaded, and says so with 503; it leaves when what runs is done.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from clef_mlx.errors import ClefError
from clef_mlx.serve import logs
from clef_mlx.serve.app import build
from clef_mlx.serve.desk import Desk
from clef_mlx.serve.edge import ID_HEADERS, new_id
from clef_mlx.serve.problems import Refused, fault_of, response
from clef_mlx.serve.settings import Settings
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import POOL_VARIABLE

HEADER_SECONDS = 10.0  # for the whole head of a request to arrive
LAST_WORDS_SECONDS = 5  # for answers to reach their clients once the model rests
BACKLOG = 1024
OPEN_FILES = 4096


async def serve(settings: Settings, *, stop: asyncio.Event, listening: Callable[[str, Desk], None]) -> None:
    """Serve until `stop` is set; `listening` is told the address and the desk as soon as clients can connect.

    Raises ClefError when the address cannot be had or the default model does not load and decide.
    """
    os.environ[POOL_VARIABLE] = "false"  # so that long texts are encoded beside the event loop
    asyncio.get_running_loop().set_exception_handler(logs.LoopFaults())
    _allow_connections()
    listener = _listener(settings)
    desk = Desk(settings)
    try:
        async with _listening(settings, desk, listener):
            address = address_of(settings, listener)
            listening(address, desk)
            logs.say("listening", address=address)
            await _until(stop, desk)
            logs.say("draining", seconds=settings.drain_seconds)
            await desk.drain(settings.drain_seconds)
    finally:
        if settings.unix_socket:
            Path(settings.unix_socket).unlink(missing_ok=True)
    logs.say("stopped")


def _allow_connections() -> None:
    """Each is an open file, and a Mac's default of 256 is soon taken by clients that keep theirs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _until(stop: asyncio.Event, desk: Desk) -> None:
    """Load and warm up, then wait for the end; whichever comes first."""
    ended = asyncio.create_task(stop.wait())
    started = asyncio.create_task(desk.start())
    await asyncio.wait({ended, started}, return_when=asyncio.FIRST_COMPLETED)
    if started.done():
        started.result()
        logs.say("ready", models=[card.id for card in desk.models()])
    else:
        started.cancel()
    await ended


@asynccontextmanager
async def _listening(settings: Settings, desk: Desk, listener: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(
        build(settings, desk),
        http=_Patient,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=LAST_WORDS_SECONDS,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        yield
    finally:
        server.should_exit = True
        await running


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs us: the model is drained before connections are closed."""

    def capture_signals(self) -> AbstractContextManager[None]:
        return nullcontext()


class _Patient(H11Protocol):
    """Gives a client ten seconds for the head of a request, however slowly it trickles in."""

    head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.head_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        in_head = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if in_head and self.head_timer is None:
            self.head_timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)
        elif not in_head:
            self._head_is_here()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP reaches no route; it is still answered like all else, with an id."""
        refused = Refused(400, "api_usage_error", "request: must be HTTP/1.1. Check the address and the client.")
        answer = response(fault_of(refused), "")
        labels = dict.fromkeys(ID_HEADERS, new_id())
        headers = [*answer.raw_headers, *labels.items(), ("connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=answer.body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def _head_is_here(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None


def address_of(settings: Settings, listener: socket.socket) -> str:
    """The address as a client writes it."""
    if settings.unix_socket:
        return f"unix:{settings.unix_socket}"
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"


def _listener(settings: Settings) -> socket.socket:
    return _unix_listener(settings.unix_socket) if settings.unix_socket else _tcp_listener(settings)


def _tcp_listener(settings: Settings) -> socket.socket:
    where = f"{settings.host}:{settings.port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise _no_address(where, error) from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        return _bound(listener, address)
    except OSError as error:
        raise _no_address(where, error) from None


def _no_address(where: str, error: Exception) -> ClefError:
    reason = getattr(error, "strerror", None) or str(error)
    return ClefError(f"address: must be free and of this machine, got {where}: {reason}. Choose another.")


def _unix_listener(path: str) -> socket.socket:
    """A socket only this user can open. One left behind by a server that is gone is replaced."""
    if _is_left_behind(path):
        os.unlink(path)
    mask = os.umask(0o177)
    try:
        return _bound(socket.socket(socket.AF_UNIX), path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ClefError(f"unix-socket: must be a free path, got {show(path)}: {reason}. Choose another.") from None
    finally:
        os.umask(mask)


def _is_left_behind(path: str) -> bool:
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return False
    except OSError:
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == errno.ECONNREFUSED


def _bound(listener: socket.socket, address: Any) -> socket.socket:
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
