"""How large a picture or a clip's frames become: multiples of a patch's merged side, between two bounds.

Source: transformers 5.24, `smart_resize` of image_processing_pil_qwen2_vl.py and of video_processing_qwen3_vl.py. Their
rounding, ties to even included, decides how many tokens a picture has, so every step is theirs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

MOST_ASPECT = 200  # longer side over shorter side


class Size(NamedTuple):
    """Pixels."""

    height: int
    width: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


class Bounds(NamedTuple):
    """The least and the most pixels: of an image, or of all frames of a clip together."""

    least: int
    most: int

    def capped(self, most: int | None) -> Bounds:
        """These bounds with no more than `most`; the lower one gives way."""
        return self if most is None else Bounds(min(self.least, most), min(self.most, most))


def image_size(size: Size, factor: int, bounds: Bounds) -> Size:
    """The size an image is resized to."""
    return _fit(size, 1, _to_multiples(size, factor), 1, factor, bounds)


def frame_size(size: Size, frames: int, pair: int, factor: int, bounds: Bounds) -> Size:
    """The size that each of `frames` frames is resized to; `pair` frames make one patch in time."""
    if size.height < factor or size.width < factor:
        scale = max(factor / size.height, factor / size.width)
        size = Size(int(size.height * scale), int(size.width * scale))
    rounded_frames = round(frames / pair) * pair
    return _fit(size, frames, _to_multiples(size, factor), rounded_frames, factor, bounds)


def is_too_long(size: Size) -> bool:
    """Whether the sides differ by more than the model is meant for."""
    return max(size) / min(size) > MOST_ASPECT


def _to_multiples(size: Size, factor: int) -> Size:
    return Size(*(round(side / factor) * factor for side in size))


def _fit(size: Size, frames: int, rounded: Size, rounded_frames: int, factor: int, bounds: Bounds) -> Size:
    pixels = rounded_frames * rounded.height * rounded.width
    if pixels > bounds.most:
        shrink = math.sqrt((frames * size.height * size.width) / bounds.most)
        return Size(*(max(factor, math.floor(side / shrink / factor) * factor) for side in size))
    if pixels < bounds.least:
        grow = math.sqrt(bounds.least / (frames * size.height * size.width))
        return Size(*(math.ceil(side * grow / factor) * factor for side in size))
    return rounded
