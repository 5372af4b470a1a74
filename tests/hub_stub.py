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
    """`repositories` maps hub ids to folders; `requests` are the paths asked for so far."""

    repositories: dict[str, Path]
    gated: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def repository(self, path: str) -> str | None:
        return next((name for name in self.repositories if f"/{name}/" in f"{path}/"), None)


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
            self.answer(200, {"X-Repo-Commit": COMMIT, "ETag": f'"{hashlib.sha1(content).hexdigest()}"'}, content)

        def entry(self, folder: Path, file: Path) -> dict[str, object]:
            content = file.read_bytes()
            oid = hashlib.sha1(content).hexdigest()
            return {"type": "file", "path": str(file.relative_to(folder)), "size": len(content), "oid": oid}

        def send_json(self, value: object) -> None:
            self.answer(200, {"Content-Type": "application/json"}, json.dumps(value).encode())

        def answer(self, status: int, headers: dict[str, str], content: bytes = b"") -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

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
