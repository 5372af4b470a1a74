"""A request's `media_kwargs` -> the release's facts with some changed, and what is known of each clip.

The names are those of the publisher's processor. What it would quietly ignore is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clef_mlx.errors import RequestError
from clef_mlx.media.pictures import refusal
from clef_mlx.media.processor import PixelFacts, ProcessorConfig, VideoFacts
from clef_mlx.media.sizes import Bounds
from clef_mlx.strict_json import show

PLACE = "media_kwargs"
IMAGE_NAMES = ("size", "min_pixels", "max_pixels")
VIDEO_NAMES = ("size", "do_sample_frames", "fps", "num_frames", "video_metadata", "cap_pixels_per_frame")
METADATA_NAMES = ("total_num_frames", "fps", "width", "height", "duration", "video_backend", "frames_indices")
NAMES = (*dict.fromkeys((*VIDEO_NAMES, *IMAGE_NAMES)), "images_kwargs", "videos_kwargs")


@dataclass(frozen=True)
class Metadata:
    """What the caller knows of a clip: frames in all, frames a second, and which frames of the whole these are."""

    total: int | None = None
    rate: float | None = None
    indices: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Chosen:
    """How this request's pictures and clips are to be read; `metadata` is one a clip."""

    image: PixelFacts
    video: VideoFacts
    metadata: tuple[Metadata, ...]


def choose(processor: ProcessorConfig, kwargs: Mapping[str, Any], clips: int) -> Chosen:
    """Check `media_kwargs` and apply them. Raises RequestError naming the member."""
    given = {name: value for name, value in kwargs.items() if name not in ("images_kwargs", "videos_kwargs")}
    for name in given:
        if name not in NAMES:
            raise _broken(name, f"is not known. Known: {', '.join(NAMES)}.")
    for_images = {name: given[name] for name in IMAGE_NAMES if name in given}
    for_images |= _nested(kwargs, "images_kwargs", IMAGE_NAMES)
    for_clips = {name: given[name] for name in VIDEO_NAMES if name in given}
    for_clips |= _nested(kwargs, "videos_kwargs", VIDEO_NAMES)
    return Chosen(
        image=replace(processor.image, bounds=_bounds(for_images, processor.image.bounds)),
        video=_video(processor.video, for_clips),
        metadata=_metadata(for_clips.get("video_metadata"), clips),
    )


def _nested(kwargs: Mapping[str, Any], part: str, names: tuple[str, ...]) -> dict[str, Any]:
    values = kwargs.get(part)
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise _broken(part, f"must be an object, got {show(values)}. Leave it out for the defaults.")
    for name in values:
        if name not in names:
            raise _broken(part, f"must hold {', '.join(names)} only, got {show(name)}. Remove it.")
    return dict(values)


def _video(facts: VideoFacts, given: Mapping[str, Any]) -> VideoFacts:
    count = _optional(given, "num_frames", _is_count, "a whole number >= 1")
    rate = _optional(given, "fps", is_rate, "a number above 0")
    if count is not None and rate is not None:
        raise _broken("num_frames", "must not stand beside fps, got both. Choose one of the two.")
    return replace(
        facts,
        bounds=_bounds(given, facts.bounds),
        sample=_optional(given, "do_sample_frames", _is_flag, "true or false", facts.sample),
        cap_frames=_optional(given, "cap_pixels_per_frame", _is_flag, "true or false", facts.cap_frames),
        fps=facts.fps if rate is None else rate,
        num_frames=count if count is not None or rate is not None else facts.num_frames,
    )


def _bounds(given: Mapping[str, Any], bounds: Bounds) -> Bounds:
    if (size := given.get("size")) is not None:
        names = ("shortest_edge", "longest_edge")
        if not isinstance(size, Mapping) or set(size) != set(names):
            raise _broken("size", f"must be an object of shortest_edge and longest_edge, got {show(size)}. In pixels.")
        bounds = Bounds(*(_optional(size, name, _is_count, "a whole number >= 1", 1) for name in names))
    least = _optional(given, "min_pixels", _is_count, "a whole number >= 1", bounds.least)
    most = _optional(given, "max_pixels", _is_count, "a whole number >= 1", bounds.most)
    if least > most:
        raise _broken("size", f"must not ask for more pixels than it allows, got {least} to {most}. Swap the two.")
    return Bounds(least, most)


def _metadata(given: Any, clips: int) -> tuple[Metadata, ...]:
    if given is None:
        return (Metadata(),) * clips
    entries = list(given) if isinstance(given, list | tuple) else [given]
    entries = [one for entry in entries for one in (entry if isinstance(entry, list | tuple) else [entry])]
    if len(entries) != clips:
        raise _broken("video_metadata", f"must have one entry a clip, got {len(entries)} for {clips}. List them all.")
    return tuple(_clip_metadata(entry) for entry in entries)


def _clip_metadata(entry: Any) -> Metadata:
    if entry is None:
        return Metadata()
    if not isinstance(entry, Mapping) or set(entry) - set(METADATA_NAMES):
        rule = f"must be objects of {', '.join(METADATA_NAMES)}"
        raise _broken("video_metadata", f"{rule}, got {show(list(entry) if isinstance(entry, Mapping) else entry)}.")
    indices = entry.get("frames_indices")
    if indices is not None:
        indices = tuple(indices) if isinstance(indices, list | tuple) else (None,)
        if not all(type(index) is int and 0 <= index < 1 << 53 for index in indices):
            raise _broken("video_metadata", "frames_indices must be whole numbers >= 0. List one a frame.")
    return Metadata(
        total=_optional(entry, "total_num_frames", _is_count, "a whole number >= 1"),
        rate=_optional(entry, "fps", is_rate, "a number above 0"),
        indices=indices,
    )


def _optional(values: Mapping[str, Any], name: str, check: Any, rule: str, default: Any = None) -> Any:
    value = values.get(name)
    if value is None:
        return default
    if not check(value):
        raise _broken(name, f"must be {rule}, got {show(value)}. Leave it out for the default.")
    return value


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < 1 << 53


def is_rate(value: Any) -> bool:
    """Whether this can be a number of frames a second."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 1e-6 <= value <= 1e6


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _broken(name: Any, text: str) -> RequestError:
    return refusal((PLACE, str(name)), text)
