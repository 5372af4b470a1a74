"""The requests that a conversion is measured on: those shipped with the package, or a user's file.

Text alone: pictures and clips pass a tower that is never quantized. The shipped set holds invented texts, JSON states,
logs, chats, code and commands in several languages, with every type of question; it carries no right answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from clef_mlx.encoding import encode_request
from clef_mlx.errors import RequestError
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import Request, parse_request
from clef_mlx.strict_json import parse_json
from clef_mlx.tokenizer import ReleaseTokenizer

SHIPPED = "calibration.jsonl"
MAX_LENGTH = 4096  # tokens of a record; a longer state is cut


def read_requests(path: Path | None = None) -> list[dict[str, Any]]:
    """The requests of a JSONL file, or the shipped ones. Raises RequestError that names the file and line."""
    if path is None:
        return list(_requests(SHIPPED, resources.files(__package__).joinpath(SHIPPED).read_bytes()))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RequestError(f"calibration: {path} cannot be read: {(error.strerror or str(error)).lower()}.") from None
    requests = list(_requests(path.name, content))
    if not requests:
        raise RequestError(f"calibration: {path} must hold a request a line, got none. The shipped set needs no file.")
    return requests


def encode_all(tokenizer: ReleaseTokenizer, requests: Sequence[Mapping[str, Any]]) -> list[EncodedRecord]:
    """The records of at most `MAX_LENGTH` tokens that a model sees. Raises RequestError, ContextLengthError."""
    return [encode_request(tokenizer, _text_alone(request), max_length=MAX_LENGTH) for request in requests]


def thinned(records: Sequence[EncodedRecord], most_tokens: int) -> list[EncodedRecord]:
    """Records from the whole of a list, evenly spaced, of about `most_tokens` in all; one at least."""
    tokens = sum(len(record.input_ids) for record in records)
    return list(records[:: max(1, -(-tokens // most_tokens))])


def _requests(name: str, content: bytes) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield _checked(f"{name}:{number}", line)


def _checked(where: str, line: bytes) -> dict[str, Any]:
    value = parse_json(line, where=where)
    try:
        _text_alone(value)
    except RequestError as error:
        raise RequestError(f"{where}: {error}", error.location) from None
    return value


def _text_alone(value: Any) -> Request:
    request = parse_request(value)
    for kind in ("images", "videos"):
        if given := getattr(request, kind):
            rule = f"calibration requests must be text alone, got {len(given)} of them. Leave the request out"
            raise RequestError(f"{kind}: {rule}.", (kind,))
    return request
