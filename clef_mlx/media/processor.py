"""A release's picture sidecars -> frozen facts, read strictly.

As transformers finds them: the parts of processor_config.json first, then preprocessor_config.json and
video_preprocessor_config.json.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from clef_mlx.errors import CheckpointError, RequestError
from clef_mlx.media.sizes import Bounds
from clef_mlx.strict_json import parse_json

BOTH_FILE = "processor_config.json"
IMAGE_FILE = "preprocessor_config.json"
VIDEO_FILE = "video_preprocessor_config.json"
BICUBIC = 3  # Pillow's number
# What other processors may do differently, and ours does always.
FIXED = {"do_resize": True, "do_rescale": True, "do_normalize": True, "do_convert_rgb": True, "resample": BICUBIC}
MOST_SIDE = 1024  # of a patch, far above any
MOST_FRAMES = 1 << 20


@dataclass(frozen=True)
class PixelFacts:
    """How pixels become patches. `mean`, `std` are per channel, after scaling by `rescale` (1/255)."""

    patch_size: int
    temporal_patch_size: int
    merge_size: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    rescale: float
    bounds: Bounds

    @property
    def factor(self) -> int:
        """The side of a token, in pixels."""
        return self.patch_size * self.merge_size

    @classmethod
    def from_json(cls, values: Mapping[str, Any], where: str) -> Self:
        return cls(**_pixel_facts(values, where))


@dataclass(frozen=True)
class VideoFacts(PixelFacts):
    """Also how frames are chosen: all, `num_frames`, or `fps` a second between two counts.

    With `cap_frames` a frame has at most `max_frame_tokens` tokens, else only the clip as a whole is bounded.
    """

    sample: bool
    fps: float
    num_frames: int | None
    min_frames: int
    max_frames: int
    cap_frames: bool
    max_frame_tokens: int

    @classmethod
    def from_json(cls, values: Mapping[str, Any], where: str) -> Self:
        # Absent in published files: the class's own values. Source: Qwen3VLVideoProcessor.
        return cls(
            **_pixel_facts(values, where),
            sample=_flag(values, "do_sample_frames", True, where),
            fps=_positive(values, "fps", 2, where),
            num_frames=None if values.get("num_frames") is None else _count(values, "num_frames", where, MOST_FRAMES),
            min_frames=_count({"min_frames": 4} | dict(values), "min_frames", where, MOST_FRAMES),
            max_frames=_count({"max_frames": 768} | dict(values), "max_frames", where, MOST_FRAMES),
            cap_frames=_flag(values, "cap_pixels_per_frame", False, where),
            max_frame_tokens=_count({"max_video_tokens": 768} | dict(values), "max_video_tokens", where, MOST_FRAMES),
        )

    def clip_bounds(self, frames: int) -> Bounds:
        """Pixels of a clip of so many frames. Source: Qwen3VLVideoProcessor.resize."""
        if not self.cap_frames:
            return self.bounds
        share = min(self.max_frame_tokens * self.factor**2, self.bounds.most // frames)
        return Bounds(self.bounds.least, max(share, int(self.bounds.least * 1.05)) * frames)


@dataclass(frozen=True)
class ProcessorConfig:
    """What a release says about pictures and about clips."""

    image: PixelFacts
    video: VideoFacts

    @classmethod
    def from_folder(cls, folder: str | Path) -> ProcessorConfig:
        """Read the sidecars. Raises CheckpointError naming the file and the fact."""
        folder = Path(folder)
        both = _read(folder / BOTH_FILE) or {}
        return cls(
            image=PixelFacts.from_json(*_part(folder, both, "image_processor", IMAGE_FILE)),
            video=VideoFacts.from_json(*_part(folder, both, "video_processor", VIDEO_FILE, IMAGE_FILE)),
        )


def _part(folder: Path, both: Mapping[str, Any], part: str, *files: str) -> tuple[Mapping[str, Any], str]:
    if part in both:
        return _mapping(both[part], f"{BOTH_FILE}: {part}"), f"{BOTH_FILE}: {part}"
    for name in files:
        if (values := _read(folder / name)) is not None:
            return values, name
    raise CheckpointError(
        f"{files[0]}: file is missing. Pictures and clips need it; copy it from the original release."
    )


def _read(path: Path) -> Mapping[str, Any] | None:
    if not path.is_file():
        return None
    try:
        return _mapping(parse_json(path.read_bytes(), where=path.name), path.name)
    except RequestError as error:
        raise CheckpointError(str(error)) from None
    except OSError as error:
        raise CheckpointError(f"{path.name}: cannot be read: {(error.strerror or str(error)).lower()}.") from None


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CheckpointError(f"{where}: must be an object, got {reprlib.repr(value)}. Download the release again.")
    return value


def _pixel_facts(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    for name, fixed in FIXED.items():
        if values.get(name) is not None and values[name] != fixed:
            raise _wrong(where, name, f"be {fixed}", values[name])
    return {
        "patch_size": _count(values, "patch_size", where),
        "temporal_patch_size": _count(values, "temporal_patch_size", where),
        "merge_size": _count(values, "merge_size", where),
        "mean": _per_channel(values, "image_mean", where),
        "std": _per_channel(values, "image_std", where),
        "rescale": _positive(values, "rescale_factor", 1 / 255, where),
        "bounds": _bounds(values, where),
    }


def _bounds(values: Mapping[str, Any], where: str) -> Bounds:
    """`size`, or the older `min_pixels` and `max_pixels` beside or inside it."""
    size = _mapping(values.get("size") or {}, f"{where}: size")
    facts = {}
    for name, older in (("shortest_edge", "min_pixels"), ("longest_edge", "max_pixels")):
        found = [edges[key] for edges, key in ((values, older), (size, name), (size, older)) if edges.get(key)]
        facts[name] = _count({name: found[0]} if found else {}, name, f"{where}: size", most=1 << 40)
    return Bounds(facts["shortest_edge"], facts["longest_edge"])


def _count(values: Mapping[str, Any], name: str, where: str, most: int = MOST_SIDE) -> int:
    value = values.get(name)
    if type(value) is not int or not 1 <= value <= most:
        raise _wrong(where, name, f"be a whole number from 1 to {most}", value)
    return value


def _positive(values: Mapping[str, Any], name: str, default: float, where: str) -> float:
    value = default if values.get(name) is None else values[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise _wrong(where, name, "be a number above 0", value)
    return value


def _flag(values: Mapping[str, Any], name: str, default: bool, where: str) -> bool:
    value = default if values.get(name) is None else values[name]
    if not isinstance(value, bool):
        raise _wrong(where, name, "be true or false", value)
    return value


def _per_channel(values: Mapping[str, Any], name: str, where: str) -> tuple[float, float, float]:
    value = values.get(name)
    numbers = isinstance(value, list) and all(isinstance(part, int | float) for part in value)
    if not numbers or len(value) != 3 or name == "image_std" and 0 in value:
        raise _wrong(where, name, "be three numbers", value)
    return tuple(float(part) for part in value)


def _wrong(where: str, name: str, rule: str, value: Any) -> CheckpointError:
    return CheckpointError(f"{where}: {name} must {rule}, got {reprlib.repr(value)}. Take the release's own file.")
