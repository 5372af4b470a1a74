"""Pictures and clips of one request -> `Media`: placeholder ids, pixel values and grids, and what was resized.

Source: joint_schema_model.py::_encode_media, over transformers 5.24's Qwen3VLProcessor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from clef_mlx.errors import ContextLengthError
from clef_mlx.media.clips import choose_frames, open_clip
from clef_mlx.media.kwargs import Metadata, choose
from clef_mlx.media.patches import Patches, image_table, media_key, patches, pixel_values, video_table
from clef_mlx.media.pictures import MOST_PIXELS, Location, Source, open_picture, refusal
from clef_mlx.media.processor import PixelFacts, ProcessorConfig, VideoFacts
from clef_mlx.media.prompt import image_text, pair_times, video_text
from clef_mlx.media.resample import resize_frame
from clef_mlx.media.sizes import MOST_ASPECT, Size, frame_size, image_size, is_too_long
from clef_mlx.record import Media
from clef_mlx.strict_json import show_place


def prepare(
    images: Sequence[Any],
    videos: Sequence[Any],
    media_kwargs: Mapping[str, Any],
    *,
    processor: ProcessorConfig,
    encode: Callable[[str], Sequence[int]],
    max_tokens: int,
    max_pixels: int | None = None,
    allow_paths: bool = False,
    base: Path | None = None,
    most_pixels: int = MOST_PIXELS,
) -> Media | None:
    """Read, resize and cut to patches everything before the state; None where there is nothing.

    `encode` makes ids of the placeholder text with its control tokens. Pads beyond `max_tokens` are refused before
    they are decoded, which bounds memory too. An image or a frame is resized to `max_pixels` at most; one that has more
    than `most_pixels` is refused. With `allow_paths` text may name files, from `base` on. Raises RequestError with
    `.location`, of it TooLargeError and ContextLengthError.
    """
    if not images and not videos:
        return None
    chosen = choose(processor, media_kwargs, len(videos))
    work = _Work(Source(allow_paths, base, most_pixels), max_tokens, max_pixels)
    for index, value in enumerate(images):
        work.image(value, ("images", index), chosen.image)
    for index, (value, metadata) in enumerate(zip(videos, chosen.metadata, strict=True)):
        work.clip(value, ("videos", index), chosen.video, metadata)
    return work.media(encode, len(images))


@dataclass
class _Work:
    """What the pictures so far have become."""

    source: Source
    max_tokens: int
    max_pixels: int | None
    parts: list[Patches] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tokens: int = 0

    def image(self, value: Any, location: Location, facts: PixelFacts) -> None:
        picture = open_picture(value, location, self.source)
        # A picture that its EXIF tag turns has the same tokens either way.
        self._take(self._image_size(picture.size, location, facts), 1, location, facts)
        image, note = picture.rgb()
        size = Size(image.height, image.width)
        target = self._image_size(size, location, facts)
        frames = np.asarray(image.resize((target.width, target.height), Image.Resampling.BICUBIC))[None]
        self.parts.append(patches(frames, facts, image_table(facts)))
        self.texts.append(image_text(_tokens(target, facts)))
        self.notes += [note, self._note(location, size, target, image_size(size, facts.factor, facts.bounds))]

    def clip(self, value: Any, location: Location, facts: VideoFacts, metadata: Metadata) -> None:
        clip = open_clip(value, location, self.source)
        read, places, rate = choose_frames(clip, metadata, facts)
        if len(read) < facts.temporal_patch_size:  # the publisher's code refuses them; its own pairing repeats the last
            read, places = ([*some, *some[-1:] * (facts.temporal_patch_size - len(some))] for some in (read, places))
        count, pair, factor = len(read), facts.temporal_patch_size, facts.factor
        _refuse_long(clip.size, location)
        bounds = facts.clip_bounds(count)
        capped = bounds.capped(None if self.max_pixels is None else self.max_pixels * count)
        target = frame_size(clip.size, count, pair, factor, capped)
        self._take(target, -(-count // pair), location, facts)
        frames = np.empty((count, *target, 3), dtype=np.uint8)
        for frame, image in zip(frames, clip.read(read), strict=True):
            frame[:] = resize_frame(np.asarray(image), target)
        self.parts.append(patches(frames, facts, video_table(facts)))
        self.texts.append(video_text(pair_times(places, rate, pair), _tokens(target, facts)))
        self.notes.append(self._note(location, clip.size, target, frame_size(clip.size, count, pair, factor, bounds)))

    def media(self, encode: Callable[[str], Sequence[int]], image_count: int) -> Media:
        input_ids = tuple(encode("".join(self.texts) + "\n"))
        return Media(
            input_ids=input_ids,
            pixel_values=pixel_values(self.parts),
            grid_thw=tuple(part.grid for part in self.parts),
            image_count=image_count,
            key=media_key(self.parts, input_ids, image_count),
            notes=tuple(note for note in self.notes if note),
        )

    def _image_size(self, size: Size, location: Location, facts: PixelFacts) -> Size:
        _refuse_long(size, location)
        return image_size(size, facts.factor, facts.bounds.capped(self.max_pixels))

    def _take(self, size: Size, times: int, location: Location, facts: PixelFacts) -> None:
        self.tokens += times * _tokens(size, facts)
        if self.tokens > self.max_tokens:
            rule = (
                f"images and videos must fit in max_length {self.max_tokens} tokens, got {self.tokens} up to this one"
            )
            raise ContextLengthError(
                f"{show_place(location)}: {rule}. Send fewer or smaller ones, or set max_pixels.",
                location,
                needed_tokens=self.tokens,
                limit_tokens=self.max_tokens,
            )

    def _note(self, location: Location, size: Size, target: Size, otherwise: Size) -> str:
        if target == otherwise:
            return ""
        return (
            f"{show_place(location)}: {size} became {target} instead of {otherwise}, for max_pixels {self.max_pixels}."
        )


def _refuse_long(size: Size, location: Location) -> None:
    if is_too_long(size):
        rule = f"must have sides that differ by at most {MOST_ASPECT} times, got {size}"
        raise refusal(location, f"{rule}. Crop it or cut it in parts.")


def _tokens(size: Size, facts: PixelFacts) -> int:
    return size.height * size.width // facts.factor**2
