"""Request bodies to bytes: read under a cap and a clock, decompressed, taken apart.

Memory is bounded by the cap at every step: a stream is counted as it comes, a compressed body is opened piece by piece.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive

from clef_mlx.errors import RequestError
from clef_mlx.schema import Problem
from clef_mlx.serve.problems import Invalid, Refused, discreet
from clef_mlx.serve.settings import Settings
from clef_mlx.strict_json import SyntaxFault, parse_json

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_LIMITS = {zstd.DecompressionParameter.window_log_max: 23}  # 8 MiB as RFC 8878 advises; a frame may ask for 2 GiB
MAX_PARTS = 128
MAX_VALUES = 1_000_000  # of JSON in one body: each costs Python far more memory than text
DRAIN_BYTES = 64 << 20
DRAIN_SECONDS = 5.0
LARGE_BYTES = 64 << 10  # parsed beside the event loop, not on it
REQUEST_PART = "request"


class Body(NamedTuple):
    """A JSON value and the files that came beside it, by part name."""

    value: Any
    files: Mapping[str, bytes]
    size_bytes: int = 0


class _Kind(NamedTuple):
    boundary: bytes | None  # of a multipart body
    encoding: str


class Room:
    """The bytes that bodies of all requests together may take, from their first chunk to their answer."""

    def __init__(self, most_bytes: int) -> None:
        self.left_bytes = most_bytes

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """One request's part, given back at the end. Asked for more than there is, it raises Refused (429)."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if size > self.left_bytes:
                rule = "must wait, since others fill the memory for bodies. Try again shortly."
                raise Refused(429, "rate_limit_error", f"body: {rule}", retry_after=1.0)
            self.left_bytes -= size
            taken += size

        try:
            yield take
        finally:
            self.left_bytes += taken


async def read_body(request: Request, settings: Settings, take: Callable[[int], None]) -> Body:
    """Read, decompress and parse; `take` is told of every byte that is held.

    Raises Refused (400, 408, 413, 415, or 429 from `take`), Invalid (422) and starlette's ClientDisconnect.
    """
    kind = _kind(request.headers)
    data = await _read(request, settings, take)
    if len(data) < LARGE_BYTES and kind.encoding == "identity":
        return _parse(data, kind)
    opened = await asyncio.to_thread(_decompressed, data, kind.encoding, settings.max_body_bytes)
    take(len(opened) - len(data))
    return await asyncio.to_thread(_parse, opened, kind)


async def drain(receive: Receive) -> None:
    """Take what a refused client still sends, within limits of bytes and time."""
    taken = 0
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while taken < DRAIN_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        return


def _kind(headers: Headers) -> _Kind:
    encoding = headers.get("content-encoding", "identity").strip().lower() or "identity"
    if encoding not in _READERS:
        rule = "must be gzip, zstd or identity. Send the body in one of these."
        raise _unsupported(f"header Content-Encoding: {rule}")
    media_type, parameters = parse_options_header(headers.get("content-type"))
    if media_type == b"multipart/form-data":
        if not parameters.get(b"boundary"):
            raise _unsupported("header Content-Type: multipart/form-data must name its boundary. Add boundary=….")
        return _Kind(parameters[b"boundary"], encoding)
    family, _, name = media_type.partition(b"/")
    if family != b"application" or not (name == b"json" or name.endswith(b"+json")):
        raise _unsupported("header Content-Type: must be application/json or multipart/form-data. Set it.")
    if parameters.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8", b"us-ascii"):
        raise _unsupported("header Content-Type: charset must be utf-8, as JSON's is. Leave it out.")
    return _Kind(None, encoding)


def _unsupported(message: str) -> Refused:
    return Refused(415, "unsupported_media_type_error", message)


async def _read(request: Request, settings: Settings, take: Callable[[int], None]) -> bytes:
    limit = settings.max_body_bytes
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > limit:  # h11 lets digits through alone
        raise _too_large(limit)
    chunks, size = [], 0
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise _too_large(limit)
                take(len(chunk))
                chunks.append(chunk)
    except TimeoutError:
        rule = f"must arrive within {settings.body_seconds:g} s. Send it faster, or in one piece."
        raise Refused(408, "timeout_error", f"body: {rule}") from None
    return b"".join(chunks)


def _too_large(limit: int) -> Refused:
    return Refused(413, "request_too_large", f"body: must be at most {limit:,} bytes, decompressed too. Send less.")


def _parse(data: bytes, kind: _Kind) -> Body:
    size = len(data)
    if kind.boundary is None:
        return Body(_json(data), {}, size)
    parts = _parts(data, kind.boundary)
    if REQUEST_PART not in parts:
        raise Refused(400, "api_usage_error", f'body: must have a part named "{REQUEST_PART}" with the JSON. Add it.')
    return Body(_json(parts.pop(REQUEST_PART)), parts, size)


def _json(data: bytes) -> Any:
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
        raise Refused(413, "request_too_large", f"body: must hold at most {MAX_VALUES:,} JSON values. Send less.")
    try:
        return parse_json(data, where="body")
    except SyntaxFault as fault:
        message = discreet(str(fault), "something else")
        raise Invalid([Problem((fault.offset,), message, "json_invalid")]) from None
    except RequestError as error:
        raise Refused(400, "api_usage_error", str(error)) from None


def _decompressed(data: bytes, encoding: str, limit: int) -> bytes:
    if encoding == "identity":
        return data
    try:
        opened = _READERS[encoding](data).read(limit + 1)
    except (OSError, EOFError, zlib.error, zstd.ZstdError):
        rule = f"must be whole {encoding} data, as Content-Encoding says. Compress it again."
        raise Refused(400, "api_usage_error", f"body: {rule}") from None
    if len(opened) > limit:
        raise _too_large(limit)
    return opened


_READERS: dict[str, Callable[[bytes], Any]] = {
    "identity": io.BytesIO,
    "gzip": lambda data: gzip.GzipFile(fileobj=io.BytesIO(data)),
    "zstd": lambda data: zstd.ZstdFile(io.BytesIO(data), options=ZSTD_LIMITS),
}


class _Parts:
    """Callbacks of the parser that collect the parts by name."""

    def __init__(self) -> None:
        self.found: dict[str, bytes] = {}
        self.ended = False

    def on_part_begin(self) -> None:
        self.headers: dict[bytes, bytes] = {}
        self.field, self.header_value, self.data = b"", b"", bytearray()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self.field += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self.header_value += data[start:end]

    def on_header_end(self) -> None:
        self.headers[self.field.lower()] = self.header_value
        self.field, self.header_value = b"", b""

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self.data += data[start:end]

    def on_part_end(self) -> None:
        _, options = parse_options_header(self.headers.get(b"content-disposition"))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        if not name or name in self.found or len(self.found) >= MAX_PARTS:
            rule = f"parts must be at most {MAX_PARTS} and each have a name of its own"
            raise Refused(400, "api_usage_error", f"body: {rule}. Rename or drop some.")
        self.found[name] = bytes(self.data)

    def on_end(self) -> None:
        self.ended = True


def _parts(data: bytes, boundary: bytes) -> dict[str, bytes]:
    parts = _Parts()
    names = [name for name in dir(parts) if name.startswith("on_")]
    try:
        parser = MultipartParser(boundary, {name: getattr(parts, name) for name in names})
        parser.write(data)
        parser.finalize()
    except FormParserError:
        parts.ended = False
    if not parts.ended:
        raise Refused(400, "api_usage_error", "body: must be whole multipart/form-data. Send it again.")
    return parts.found
