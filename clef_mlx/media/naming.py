"""Names of picture files in a request from a file -> paths that hold wherever the program runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clef_mlx.errors import RequestError
from clef_mlx.media.pictures import Location, Source, data_content, is_path, is_picture, refusal
from clef_mlx.strict_json import show


def with_paths(request: dict[str, Any], base: Path) -> dict[str, Any]:
    """The request with names in `images` and `videos` as absolute paths, counted from `base`.

    Raises RequestError for one that names nothing, before any model is loaded.
    """
    named = {
        field: [_named(value, (field, index), Source(True, base)) for index, value in enumerate(request[field])]
        for field in ("images", "videos")
        if request.get(field)
    }
    return request | named


def _named(value: Any, location: Location, source: Source) -> Any:
    match value:
        case str():
            return _path(value, location, source)
        case list():
            return [_named(frame, (*location, index), source) for index, frame in enumerate(value)]
        case {"frames": list() as frames}:
            return value | {"frames": _named(frames, (*location, "frames"), source)}
    return value


def _path(value: str, location: Location, source: Source) -> Path | str:
    if value.startswith("data:"):
        return value
    if is_path(value, source):
        return source.path(value).absolute()
    try:
        if is_picture(data_content(value, location, source)):
            return value
    except RequestError as error:
        if value.startswith(("http://", "https://")):
            raise error
    raise refusal(location, f"must be a file or a data URL, got {show(value)}. There is no such file; check the path.")
