"""One clip, however a caller holds it, to frames that can be counted first and read later.

Arrays and lists of pictures, .npy files, animated GIF and WebP, folders of frames; other video files with the `video`
extra. Only the frames asked for are decoded, one at a time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from clef_mlx.media.kwargs import Metadata, is_rate
from clef_mlx.media.pictures import (
    DAMAGE,
    Location,
    Picture,
    Source,
    array_to_rgb,
    damaged,
    data_content,
    is_path,
    is_picture,
    open_picture,
    quiet,
    read_file,
    refusal,
    to_rgb,
    too_large,
)
from clef_mlx.media.processor import VideoFacts
from clef_mlx.media.prompt import DEFAULT_RATE
from clef_mlx.media.sizes import Size
from clef_mlx.media.video_file import open_video, video_frames
from clef_mlx.strict_json import show

FRAME_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".avif", ".jp2", ".qoi")
KINDS = "a list of frames, an array, an animated GIF or WebP, a .npy file, a folder of frames or a video file"
MOST_FRAMES = 1 << 20
MOST_ANIMATION_PIXELS = 1 << 30  # of all frames; every one is decoded to know the times


@dataclass(frozen=True)
class Clip:
    """`read` yields the frames of rising indices as RGB pictures of one `size`; `rate` is frames a second if known."""

    count: int
    size: Size
    rate: float | None
    read: Callable[[Sequence[int]], Iterator[Image.Image]]
    location: Location


def open_clip(value: Any, location: Location, source: Source) -> Clip:
    """Find out what `value` is, how many frames it has and how large. Raises RequestError, one line."""
    match value:
        case np.ndarray():
            clip = _from_array(value, location)
        case list() | tuple():
            clip = _from_frames(value, location, source)
        case {"frames": list() | tuple() as frames}:
            clip = _from_frames(frames, (*location, "frames"), source)
            clip = replace(clip, rate=_rate(value.get("fps"), (*location, "fps")))
        case Image.Image():
            clip = _from_animation(open_picture(value, location, source))
        case str() | os.PathLike() if is_path(value, source):
            clip = _from_path(source.path(value), location, source)
        case bytes() | bytearray() | memoryview():
            clip = _from_content(bytes(value), location, source)
        case str() | Mapping():
            clip = _from_content(data_content(value, location, source), location, source)
        case os.PathLike() if source.allow_paths:
            clip = _from_content(read_file(source.path(value), location), location, source)  # says what is missing
        case _:
            raise refusal(location, f"must be {KINDS}, got {show(value)}. Convert it first.")
    if not clip.count:
        raise refusal(location, "must hold at least one frame, got none. Leave the clip out.")
    if clip.count > MOST_FRAMES:
        raise too_large(location, f"must have at most {MOST_FRAMES:,} frames, got {clip.count:,}. Cut it.")
    return clip


def choose_frames(clip: Clip, metadata: Metadata, facts: VideoFacts) -> tuple[list[int], list[int], float]:
    """Frames to read, their places in the whole video, and the rate for their times.

    Source: transformers 5.24, Qwen3VLVideoProcessor.sample_frames and video_processing_utils.py.
    """
    place, known = ("media_kwargs", "video_metadata"), metadata.rate if metadata.rate is not None else clip.rate
    rate = DEFAULT_RATE if known is None else known
    if facts.sample:
        total = clip.count if metadata.total is None else metadata.total
        if total > clip.count:
            rule = f"total_num_frames must be at most the clip's {clip.count} frames to sample from, got {total}"
            raise refusal(place, f"{rule}. Frames sampled before need do_sample_frames false.")
        chosen = _sampled(total, rate, facts)
        return chosen, chosen, rate
    chosen = list(range(clip.count))
    if metadata.indices is None:
        return chosen, chosen, rate
    if len(metadata.indices) != clip.count:
        rule = f"frames_indices must list one index a frame, got {len(metadata.indices)} for {clip.count} frames"
        raise refusal(place, f"{rule}. Leave it out where the frames are all there are.")
    return chosen, list(metadata.indices), rate


def _sampled(total: int, rate: float, facts: VideoFacts) -> list[int]:
    count = facts.num_frames
    if count is None:
        wanted = int(min(total / rate * facts.fps, facts.max_frames))
        count = min(max(wanted, facts.min_frames), facts.max_frames, total)
    return np.linspace(0, total - 1, count).round().astype(int).tolist()


def _rate(value: Any, location: Location) -> float | None:
    if value is not None and not is_rate(value):
        raise refusal(location, f"must be a number above 0, got {show(value)}. Leave it out.")
    return value


def _from_array(array: np.ndarray, location: Location) -> Clip:
    """[frames, H, W, C] or [frames, C, H, W]; where both could be meant, channels are first."""
    shape = array.shape
    if array.ndim == 4 and (shape[1] in (1, 3) or shape[1] == 4 and shape[3] not in (1, 3, 4)):
        array = np.moveaxis(array, 1, -1)
    if array.ndim != 4 or array.shape[-1] not in (1, 3, 4):
        got = "x".join(map(str, shape))
        raise refusal(location, f"must be an array [frames, height, width, 3], got {got}. Reorder its axes.")
    size = Size(*array.shape[1:3])
    if not all(size):
        raise refusal(location, f"must have frames of at least one pixel, got {size}. Leave the clip out.")

    def read(indices: Sequence[int]) -> Iterator[Image.Image]:
        for index in indices:
            yield Image.fromarray(array_to_rgb(array[index], location))

    return Clip(len(array), size, None, read, location)


def _from_frames(frames: Sequence[Any], location: Location, source: Source) -> Clip:
    if not frames:
        return Clip(0, Size(0, 0), None, lambda _: iter(()), location)
    size = _upright(open_picture(frames[0], (*location, 0), source))

    def read(indices: Sequence[int]) -> Iterator[Image.Image]:
        for index in indices:
            image, _ = open_picture(frames[index], (*location, index), source).rgb()
            if (found := Size(image.height, image.width)) != size:
                rule = f"must be as large as the first frame, {size}, got {found}"
                raise refusal((*location, index), f"{rule}. Give all frames one size.")
            yield image

    return Clip(len(frames), size, None, read, location)


def _upright(picture: Picture) -> Size:
    """The size a frame has once it is turned by its EXIF tag."""
    image, _ = picture.rgb()
    return Size(image.height, image.width)


def _from_path(path: Path, location: Location, source: Source) -> Clip:
    if path.is_dir():
        frames = sorted((file for file in path.iterdir() if _is_frame(file)), key=_natural)
        if not frames:
            raise refusal(location, f"must be a folder of frames, got {show(str(path))} without any. Check the path.")
        return _from_frames(frames, location, source._replace(base=None))
    if path.suffix.lower() == ".npy":
        return _from_array(_mapped(path, location), location)
    if path.suffix.lower() in FRAME_SUFFIXES or not path.is_file():
        return _from_content(read_file(path, location), location, source)
    return _from_video(path, location, source)


def _is_frame(file: Path) -> bool:
    return file.suffix.lower() in FRAME_SUFFIXES and not file.name.startswith(".")


def _natural(file: Path) -> list[tuple[str, int]]:
    """frame2 before frame10, however they are padded."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]*)", file.name)]


def _mapped(path: Path, location: Location) -> np.ndarray:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise refusal(location, f"must be a .npy array, got {show(str(path))} ({reason}). Save it again.") from None


def _from_content(content: bytes, location: Location, source: Source) -> Clip:
    """An animation that Pillow reads, or else what the video decoder makes of it."""
    if is_picture(content):
        return _from_animation(open_picture(content, location, source))
    return _from_video(content, location, source)


def _from_video(video: Path | bytes, location: Location, source: Source) -> Clip:
    facts = open_video(video, location, source)
    return Clip(facts.count, facts.size, facts.rate, partial(video_frames, video, facts, location), location)


def _from_animation(picture: Picture) -> Clip:
    """Frame times are averaged to one rate, as video decoders state it."""
    size, location = picture.size, picture.location
    try:
        with quiet():
            count = getattr(picture.image, "n_frames", 1)
            if count * size.height * size.width > MOST_ANIMATION_PIXELS:
                rule = f"must have at most {MOST_ANIMATION_PIXELS:,} pixels in all frames, got {count:,} of {size}"
                raise too_large(location, f"{rule}. Shorten or shrink it.")
            milliseconds = sum(_duration(picture.image, index) for index in range(count)) if count > 1 else 0
    except DAMAGE as error:
        raise damaged(location, error) from None
    rate = 1000 * count / milliseconds if milliseconds > 0 else None
    return Clip(count, size, rate, partial(_animation_frames, picture), location)


def _duration(image: Image.Image, index: int) -> float:
    image.seek(index)
    image.load()  # WebP knows it only then
    return image.info.get("duration", 0)


def _animation_frames(picture: Picture, indices: Sequence[int]) -> Iterator[Image.Image]:
    for index in indices:
        try:
            with quiet():
                picture.image.seek(index)
                frame = to_rgb(picture.image, picture.from_file)
        except DAMAGE as error:
            raise damaged(picture.location, error) from None
        yield frame
