"""A hub on the loopback: enough of its HTTP for the hub's own library to download a model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "c" * 40


@dataclass
class HubStub:
    """`repositories` maps hub ids to folders; `requests` are the paths asked for so far.

    A file named in `drops` breaks off in its middle, as often as its number says. One in `damaged` comes with its last
    byte changed. `ranges` are the (file, first byte) that a client continued at.
    """

    repositories: dict[str, Path]
    gated: set[str] = field(default_factory=set)
    drops: dict[str, int] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    ranges: list[tuple[str, int]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def repository(self, path: str) -> str | None:
        return next((name for name in self.repositories if f"/{name}/" in f"{path}/"), None)


def is_large(file: Path) -> bool:
    """What the hub keeps outside git, under its SHA-256."""
    return file.suffix == ".safetensors"


def etag(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if is_large(file) else git_hash(file)


def git_hash(file: Path) -> str:
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _handler(hub: HubStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            hub.requests.append(path)
            name = hub.repository(path)
            if name is None:
                return self.answer(404, {"X-Error-Code": "RepoNotFound"})
            if "nowhere" in path:
                return self.answer(404, {"X-Error-Code": "RevisionNotFound"})
            if name in hub.gated:
                return self.answer(403, {"X-Error-Code": "GatedRepo"})
            folder = hub.repositories[name]
            if "/tree/" in path:
                return self.send_json([self.entry(folder, file) for file in sorted(folder.iterdir())])
            if path.startswith("/api/"):
                return self.send_json({"id": name, "sha": COMMIT, "siblings": []})
            file = folder / path.rpartition("/")[2]
            if not file.is_file():
                return self.answer(404, {"X-Error-Code": "EntryNotFound"})
            content = file.read_bytes()
            facts = {"X-Repo-Commit": COMMIT, "ETag": f'"{etag(file)}"'}
            if file.name in hub.damaged:
                content = content[:-1] + bytes([content[-1] ^ 1])
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
            if start:
                hub.ranges.append((file.name, start))
                facts["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            if self.command == "GET" and hub.drops.get(file.name, 0) > 0:
                hub.drops[file.name] -= 1
                return self.answer(206 if start else 200, facts, content[start:], sent=(len(content) - start) // 2)
            self.answer(206 if start else 200, facts, content[start:])

        def entry(self, folder: Path, file: Path) -> dict[str, object]:
            size = file.stat().st_size
            facts = {"type": "file", "path": str(file.relative_to(folder)), "size": size, "oid": git_hash(file)}
            if is_large(file):
                facts["lfs"] = {"oid": etag(file), "size": size, "pointerSize": 134}
            return facts

        def send_json(self, value: object) -> None:
            self.answer(200, {"Content-Type": "application/json"}, json.dumps(value).encode())

        def answer(self, status: int, headers: dict[str, str], content: bytes = b"", sent: int | None = None) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content[:sent])
            if sent is not None:
                self.close_connection = True

    return Handler


@contextmanager
def hub_stub(repositories: dict[str, Path]) -> Iterator[HubStub]:
    """Serve these repositories on a free port."""
    hub = HubStub(repositories)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
