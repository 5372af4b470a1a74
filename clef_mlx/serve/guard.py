"""Who may ask: the Host and Origin of a request, and its key. ASGI middleware, outside of every route.

A page from anywhere can make a browser send requests to this machine, also under a name that resolves to it. The Host
header gives the name away, the Origin header the page. The key is compared in constant time; guesses wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import socket
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from clef_mlx.serve.problems import Refused
from clef_mlx.serve.settings import Settings, is_address, is_loopback

# Nothing here tells about models or requests: signs of life, and files anyone can read in the repository.
OPEN_PATHS = ("/", "/health", "/ready")
PAGE_PREFIX = "/page/"
FREE_GUESSES = 8
LONGEST_WAIT_SECONDS = 0.01  # one guess at a time waits, so this is at most 100 a second
FORGIVEN_AFTER_SECONDS = 60.0


class Guard:
    """Raises Refused for foreign hosts and origins (403) and for wrong keys (401)."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.names = _names(settings)
        self.any_address = not is_loopback(settings.host)
        self.lock = Lock(settings.key) if settings.key else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        self._check_host(headers)
        self._check_origin(headers)
        if self.lock and not _is_open(scope["path"]):
            await self.lock.check(headers)
        await self.app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        if self.settings.unix_socket:  # no browser can open one, and clients write any name
            return
        name = _host_name(headers.get("host", ""))
        # A name can be made to point here; an address cannot.
        if name in self.names or (is_address(name) and (self.any_address or is_loopback(name))):
            return
        raise Refused(403, "permission_error", "header Host: must be a name of this server. See --allow-host.")

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin in self.settings.origins:
            return
        if urlsplit(origin).netloc == headers.get("host") and not self.settings.unix_socket:
            return
        raise Refused(403, "permission_error", "header Origin: must be this server's own. See --origin.")


class Lock:
    """The key. A wrong one waits its turn, longer each time; the right one never does."""

    def __init__(self, key: str) -> None:
        self.digest = _digest(key.encode())
        self.failures = 0
        self.last_failure = 0.0
        self.turn = asyncio.Lock()

    async def check(self, headers: Headers) -> None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if hmac.compare_digest(_digest(given.strip().encode("latin-1")), self.digest) and scheme.lower() == "bearer":
            return
        await self._back_off()
        what = "must be right" if given else "must be given as Authorization: Bearer"
        raise Refused(401, "authentication_error", f"key: {what}. Ask whoever runs this server.")

    async def _back_off(self) -> None:
        async with self.turn:
            now = time.monotonic()
            self.failures = self.failures + 1 if now - self.last_failure < FORGIVEN_AFTER_SECONDS else 1
            self.last_failure = now
            if self.failures > FREE_GUESSES:
                await asyncio.sleep(min(LONGEST_WAIT_SECONDS, 0.001 * 2 ** (min(self.failures, 20) - FREE_GUESSES)))


def _digest(key: bytes) -> bytes:
    """Equal lengths, so that not even the length of the key shows in the time."""
    return hashlib.sha256(key).digest()


def _names(settings: Settings) -> frozenset[str]:
    names = {"localhost", settings.host, *settings.hosts}
    if not is_loopback(settings.host):
        own = socket.gethostname().lower()
        names |= {own, f"{own.removesuffix('.local')}.local"}
    return frozenset(name.lower() for name in names)


def _host_name(host: str) -> str:
    """`[::1]:8321` and `localhost:8321` without brackets and port; what is no host at all becomes ""."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(PAGE_PREFIX)
