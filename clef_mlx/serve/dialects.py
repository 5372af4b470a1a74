"""System One bodies to requests and decisions to System One bodies; also Cloudflare's envelope around them.

Field rules are schema.py's; here stands only what HTTP adds: pictures as assets, and the names clients call models by.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, WithJsonSchema

from clef_mlx.errors import RequestError
from clef_mlx.schema import Problem, Request, RequestBody, find_problems, parse_request
from clef_mlx.serve.bodies import Body
from clef_mlx.serve.problems import Invalid, Refused, unknown_model
from clef_mlx.serve.replies import Decided, ModelCard
from clef_mlx.serve.settings import Settings
from clef_mlx.strict_json import render, show_place

Place = tuple[str | int, ...]

# What clients of other hosts send unasked; each means the model that is served.
ALIASES = ("jev-latest", "jev-preview", "clef", "clef-flash")
CLOUDFLARE_MODELS = "@cf/cloudflare/"
FIELDS = ("model", "state", "questions", "images", "videos", "assets")

# The formats are ours: what JSON Schema cannot say of a text, that it holds a picture.
_BASE64 = {"type": "string", "contentEncoding": "base64", "format": "picture"}
_BARE = _BASE64 | {"format": "bare-picture"}
IMAGE_SCHEMA = {
    "description": "A data URL, bare base64, or an object with both. Never a URL to fetch, never a path.",
    "anyOf": [
        {"type": "string", "format": "picture"},
        {
            "type": "object",
            "properties": {"content_type": {"description": "Ignored."}, "base64": _BASE64},
            "required": ["base64"],
        },
    ],
}
VIDEO_SCHEMA = {
    "description": "Frames in order, or a data URL of an animated GIF or WebP.",
    "anyOf": [
        {"type": "string", "format": "animation"},
        {
            "type": "object",
            "properties": {
                "frames": {"type": "array", "items": IMAGE_SCHEMA, "minItems": 1},
                "fps": {"type": ["number", "null"], "exclusiveMinimum": 0},
            },
            "required": ["frames"],
        },
    ],
}
# What a JSON body can say; `part` is for multipart/form-data.
ASSET_SCHEMA = {
    "type": "object",
    "description": "A picture, named by a text that may stand anywhere in the state. In multipart/form-data, `part` "
    "may name a part of the body instead of `data_base64`.",
    "properties": {"type": {"const": "image"}, "format": {"type": ["string", "null"]}, "data_base64": _BARE},
    "required": ["data_base64"],
}


class Asset(BaseModel):
    """A picture, named by a text that may stand anywhere in the state. Give `data_base64`, or a `part` of the body."""

    model_config = ConfigDict(strict=True)
    type: Literal["image"] = "image"
    format: str | None = None  # a hint; the bytes say what they are
    data_base64: str | None = None
    part: str | None = None


class SystemOneBody(RequestBody):
    """A request as clients send it. Fields not listed are ignored."""

    images: Annotated[
        list[Any] | None, WithJsonSchema({"anyOf": [{"type": "array", "items": IMAGE_SCHEMA}, {"type": "null"}]})
    ] = None
    videos: Annotated[
        list[Any] | None, WithJsonSchema({"anyOf": [{"type": "array", "items": VIDEO_SCHEMA}, {"type": "null"}]})
    ] = None
    assets: dict[str, Annotated[Asset, WithJsonSchema(ASSET_SCHEMA)]] | None = None


class Asked(NamedTuple):
    """A checked request, and where in the body each of its images was."""

    request: Request
    image_places: tuple[Place, ...]


def read_request(body: Body, settings: Settings) -> Asked:
    """Raises Invalid (422) naming every broken field, and Refused (413) for too many of anything."""
    value = body.value
    check_counts(value, settings)
    if isinstance(value, dict):  # the publisher's further fields are for files, not for strangers
        value = {name: value[name] for name in FIELDS if name in value}
    try:
        request = parse_request(value, SystemOneBody)
    except RequestError:
        raise Invalid(find_problems(value, SystemOneBody)) from None
    if body.size_bytes > settings.max_characters:
        _check_length(value, settings.max_characters)
    assets = value.get("assets") or {}
    files = dict(body.files)
    pictures = tuple(_picture(name, asset, files) for name, asset in assets.items())
    if files:
        raise _invalid(("assets",), "part", "must name every part of the body, got one it does not. Name or drop it.")
    places = [("images", index) for index in range(len(request.images))] + [("assets", name) for name in assets]
    return Asked(replace(request, images=request.images + pictures), tuple(places))


def relocated(error: RequestError, places: Sequence[Place]) -> RequestError:
    """An error about one of the request's images, at the place where the client put it."""
    match error.location:
        case ("images", int(index), *rest) if index < len(places):
            # Changed in place: it may be of a class that takes more than a message.
            error.args = (str(error).replace(show_place(("images", index)), show_place(places[index]), 1),)
            error.location = (*places[index], *rest)
    return error


def choose_model(name: str | None, cards: Sequence[ModelCard]) -> str | None:
    """The id of the model a request means; None is the default one. Raises Refused (400)."""
    ids = [card.id for card in cards]
    if name is None or name in ids:
        return name
    if name.startswith(f"{CLOUDFLARE_MODELS}clef"):
        name = name.removeprefix(CLOUDFLARE_MODELS)
        return name if name in ids else None
    if name in ALIASES:
        return None
    raise unknown_model(name)


def answer_body(decided: Decided, total_ms: float) -> dict[str, Any]:
    """The System One answer, our own facts under names with x_."""
    decision = decided.decision
    return decision.to_dict() | {
        "answers": {question_id: _legible(answer) for question_id, answer in decision.answers.items()},
        "x_timing_ms": timing(decided, total_ms),
        "x_cache": "hit" if decision.reused_tokens else "miss",
        "x_reused_tokens": decision.reused_tokens,
    }


def timing(decided: Decided, total_ms: float) -> dict[str, float]:
    phases = {"queue": decided.queue_ms, "model": decided.model_ms, "total": total_ms}
    return {phase: round(ms, 3) for phase, ms in phases.items()}


def envelope(result: dict[str, Any]) -> dict[str, Any]:
    """Cloudflare's, around a System One answer."""
    return {"result": result, "success": True, "errors": [], "messages": []}


def _legible(answer: dict[str, Any]) -> dict[str, Any]:
    """Levels that are numbers or null as text in the legend: the official SDK reads strings, objects and arrays."""
    if "legend" not in answer:
        return answer
    legend = {
        level: criterion if isinstance(criterion, str | dict | list) else render(criterion)
        for level, criterion in answer["legend"].items()
    }
    return answer | {"legend": legend}


def _picture(name: str, asset: dict[str, Any], files: dict[str, bytes]) -> bytes:
    """The bytes of an asset; a part of the body is taken out of `files`, since each belongs to one asset."""
    if (part := asset.get("part")) is not None:
        if part not in files:
            raise _invalid(("assets", name, "part"), "part", "must name a part of the body, and no other's. Send it.")
        return files.pop(part)
    try:
        # Line breaks are common in base64, and harmless.
        picture = b64decode("".join((asset.get("data_base64") or "").split()), validate=True)
    except ValueError:
        picture = b""
    if not picture:
        rule = "must be bare base64 of a picture, not a data URL. Or send the picture as a part of the body."
        raise _invalid(("assets", name, "data_base64"), "base64", rule)
    return picture


def _invalid(place: Place, kind: str, rule: str) -> Invalid:
    return Invalid([Problem(place, f"{show_place(place)}: {rule}", kind)])


def _check_length(value: dict[str, Any], most: int) -> None:
    """The model reads some ten thousand words, but all words of a text become tokens first, and everyone waits."""
    for field in ("state", "questions"):
        count = len(render(value[field]))
        if count > most:
            rule = f"must be at most {most:,} characters, got {count:,}. Send the part that matters."
            raise Refused(413, "request_too_large", f"{field}: {rule}")


def check_counts(value: Any, settings: Settings) -> None:
    """Before the fields are looked at: a million of them would be looked at one by one."""
    if not isinstance(value, dict):
        return
    counts = {
        "questions": (_length(value.get("questions")), settings.max_questions),
        "images": (_length(value.get("images")) + _length(value.get("assets")), settings.max_images),
        "videos": (sum(_frames(value.get("videos"))), settings.max_frames),
    }
    for field, (count, most) in counts.items():
        if count > most:
            what = "frames in all" if field == "videos" else field
            rule = f"must be at most {most} {what}, got {count}. Send fewer, or ask for a higher cap."
            raise Refused(413, "request_too_large", f"{field}: {rule}")


def _length(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _frames(videos: Any) -> Iterator[int]:
    for video in videos if isinstance(videos, list) else ():
        yield max(1, _length(video.get("frames"))) if isinstance(video, dict) else 1
