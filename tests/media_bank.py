"""Pictures and clips of every kind the model must agree on, drawn by arithmetic: the same pixels on every machine.

`cases()` is what goldens/record_media.py records with the publisher's code and what the tests hold ours against.
A case makes its inputs in a folder, as our code takes them and as the publisher's does where that differs. Files are
PNG, TIFF or GIF, whose decoding is exact; JPEG has tests of its own.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

QUESTIONS = {
    "total": {"type": "noul", "instructions": "Is a total amount shown?"},
    "kind": {"type": "choice", "criteria": {"receipt": "A till receipt", "photo": None, "chart": "A chart"}},
    "sharpness": {"type": "score", "criteria": ["unreadable", "readable", "sharp"]},
}
ORIENTATION = 0x0112  # the EXIF tag
ALL_FRAMES = {"do_sample_frames": False}
Inputs = Callable[[Path], list[Any]]


def nothing(folder: Path) -> list[Any]:
    return []


@dataclass(frozen=True)
class Case:
    """One record. `options` are max_length and max_state_tokens.

    `publisher_videos` stands where the publisher's code refuses what we take.
    """

    name: str
    images: Inputs = nothing
    videos: Inputs = nothing
    media_kwargs: dict[str, Any] = field(default_factory=dict)
    state: Any = "A till receipt of a small shop."
    options: dict[str, int] = field(default_factory=dict)
    publisher_videos: Inputs | None = None

    def request(self, folder: Path) -> dict[str, Any]:
        """The request body as ours takes it; files are made in `folder`."""
        return self._request(self.images(folder), self.videos(folder))

    def publisher_request(self, folder: Path) -> dict[str, Any]:
        """The same pictures as the publisher's code takes them."""
        videos = (self.publisher_videos or self.videos)(folder)
        return self._request([_for_publisher(image) for image in self.images(folder)], videos)

    def _request(self, images: list[Any], videos: list[Any]) -> dict[str, Any]:
        media = {"images": images, "videos": videos, "media_kwargs": dict(self.media_kwargs)}
        return {"state": self.state, "questions": QUESTIONS} | {key: value for key, value in media.items() if value}


def _for_publisher(image: Any) -> Any:
    """Files by their path as text, bytes as base64 text, grey arrays as pictures."""
    if isinstance(image, Path):
        return str(image)
    if isinstance(image, bytes):
        return base64.b64encode(image).decode()
    if isinstance(image, np.ndarray) and image.ndim == 2:
        return Image.fromarray(image)
    return image


def pixels(width: int, height: int, seed: int = 0, channels: int = 3) -> np.ndarray:
    """uint8 [height, width, channels]: slopes, fine moiré and hard edges, so that every filter has work."""
    x, y = np.arange(width, dtype=np.int32)[None, :], np.arange(height, dtype=np.int32)[:, None]
    planes = (
        x * 3 + y * 5 + seed * 37,
        x * y // 7 + seed * 11,
        (x // 16 + y // 16 + seed) % 2 * 200 + x % 56,
        x * 2 + y + seed * 5,
    )
    return np.stack([plane % 256 for plane in planes[:channels]], axis=-1).astype(np.uint8)


def picture(width: int, height: int, seed: int = 0, mode: str = "RGB") -> Image.Image:
    """A drawing in any mode of Pillow's."""
    if mode == "RGBA":
        return Image.fromarray(pixels(width, height, seed, 4))
    image = Image.fromarray(pixels(width, height, seed))
    if mode == "LA":
        image = image.convert("L")
        image.putalpha(Image.fromarray(pixels(width, height, seed, 4)[..., 3].copy()))
        return image
    if mode == "CMYK":
        return _cmyk(width, height, seed)
    if mode == "I;16":
        wide = pixels(width, height, seed).astype(np.uint16)
        return Image.fromarray(wide[..., 0] * 3)  # about two thirds above 255
    if mode == "P":
        return image.quantize(64, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    return image.convert(mode)


def _cmyk(width: int, height: int, seed: int) -> Image.Image:
    planes = pixels(width, height, seed, 4)
    return Image.merge("CMYK", [Image.fromarray(planes[..., channel].copy()) for channel in range(4)])


def transparent_palette(width: int, height: int) -> Image.Image:
    image = picture(width, height, mode="P")
    image.info["transparency"] = 3
    return image


def saved(image: Image.Image, path: Path, **facts: Any) -> Path:
    image.save(path, **facts)
    return path


def png(image: Image.Image, **facts: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG", **facts)
    return stream.getvalue()


def data_url(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def turned(orientation: int = 6) -> dict[str, Any]:
    """What `save` needs to mark a picture as taken sideways."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return {"exif": exif}


def clip(frames: int, width: int, height: int, seed: int = 0) -> np.ndarray:
    """uint8 [frames, height, width, 3]."""
    return np.stack([pixels(width, height, seed + frame) for frame in range(frames)])


def clip_frames(frames: int, width: int, height: int, seed: int = 0) -> list[Image.Image]:
    return [picture(width, height, seed + frame) for frame in range(frames)]


def animation(folder: Path, frames: int = 3, width: int = 96, height: int = 64) -> Path:
    """An animated GIF of 10 frames a second."""
    first, *rest = (picture(width, height, frame, "P") for frame in range(frames))
    return saved(first, folder / "animation.gif", save_all=True, append_images=rest, duration=100, loop=0, disposal=2)


def cases() -> list[Case]:
    """At least 25, each about one thing that can go wrong."""
    return _sizes() + _modes() + _several() + _clips() + _long()


def _sizes() -> list[Case]:
    sizes = [(28, 28), (64, 64), (256, 256), (640, 480), (1600, 300), (300, 1600), (6400, 32), (3000, 2000)]
    return [
        Case(f"image {width}x{height}", lambda _, size=(width, height): [picture(*size)]) for width, height in sizes
    ]


def _modes() -> list[Case]:
    size = (300, 200)
    cases = [
        Case(f"picture {mode}", lambda _, mode=mode: [picture(*size, mode=mode)])
        for mode in ("RGBA", "LA", "L", "1", "P", "CMYK", "I;16")
    ]
    cases += [
        Case(f"file {mode}", lambda folder, mode=mode, suffix=suffix: [_file(folder, mode, suffix)])
        for mode, suffix in (("RGBA", "png"), ("LA", "png"), ("P", "png"), ("CMYK", "tif"), ("I;16", "png"))
    ]
    sideways = picture(200, 300)
    return cases + [
        Case("picture P with transparency", lambda _: [transparent_palette(*size)]),
        Case("file turned by EXIF", lambda folder: [saved(sideways, folder / "turned.png", **turned())]),
        Case("picture turned by EXIF", lambda _: [Image.open(io.BytesIO(png(sideways, **turned())))]),
        Case("animated GIF", lambda folder: [animation(folder)]),
        Case("bytes", lambda _: [png(picture(*size))]),
        Case("data URL", lambda _: [data_url(png(picture(*size, 4)))]),
        Case("array", lambda _: [pixels(*size)]),
        Case("array, channels first", lambda _: [np.moveaxis(pixels(*size), -1, 0)]),
        Case("array RGBA", lambda _: [pixels(*size, 0, 4)]),
        Case("array grey", lambda _: [pixels(*size)[..., 0]]),
    ]


def _file(folder: Path, mode: str, suffix: str) -> Path:
    return saved(picture(300, 200, mode=mode), folder / f"{mode.replace(';', '')}.{suffix}")


def _several() -> list[Case]:
    return [
        Case("two images", lambda _: [picture(320, 256), picture(500, 375, 1)]),
        Case("three images", lambda _: [picture(256, 256, seed) for seed in range(3)]),
        Case(
            "four images", lambda _: [picture(64, 900), picture(900, 64, 1), picture(333, 251, 2), pixels(480, 270, 3)]
        ),
    ]


def _clips() -> list[Case]:
    metadata = {"total_num_frames": 40, "fps": 12.5, "frames_indices": [0, 7, 13, 20, 26, 33, 39]}
    return [
        Case(
            "clip of 1", videos=lambda _: [clip(1, 96, 64)], publisher_videos=lambda _: [clip(1, 96, 64).repeat(2, 0)]
        ),
        Case("clip of 2", videos=lambda _: [clip(2, 64, 64)]),
        Case("clip of 3", videos=lambda _: [clip_frames(3, 96, 64)]),
        Case("clip of 4", videos=lambda _: [clip(4, 128, 128)]),
        Case("clip of 5, all frames", videos=lambda _: [clip_frames(5, 128, 96)], media_kwargs=ALL_FRAMES),
        Case("clip of 9, sampled", videos=lambda _: [clip(9, 96, 96)]),
        Case("clip of 9, all frames", videos=lambda _: [clip(9, 96, 96)], media_kwargs=ALL_FRAMES),
        Case("clip by fps", videos=lambda _: [clip(9, 64, 96)], media_kwargs={"fps": 15}),
        Case("clip by count", videos=lambda _: [clip(9, 64, 96)], media_kwargs={"num_frames": 5, "fps": None}),
        Case(
            "clip with its rate",
            videos=lambda _: [clip(8, 64, 96)],
            media_kwargs={"video_metadata": [{"total_num_frames": 8, "fps": 3.0}]},
        ),
        Case(
            "clip sampled before",
            videos=lambda _: [clip(7, 64, 64)],
            media_kwargs=ALL_FRAMES | {"video_metadata": [metadata]},
        ),
        Case("grey clip", videos=lambda _: [clip(4, 64, 64)[..., :1]]),
        Case("clip, channels first", videos=lambda _: [np.moveaxis(clip(4, 96, 64), -1, 1)]),
        Case("small frames", videos=lambda _: [clip(2, 24, 20)]),
        Case("frames 100x70", videos=lambda _: [clip(4, 100, 70)]),
        Case("frames 321x243", videos=lambda _: [clip(3, 321, 243)], media_kwargs=ALL_FRAMES),
        Case("two clips", videos=lambda _: [clip(4, 96, 64), clip(6, 64, 64, 9)]),
        Case(
            "images and clips",
            lambda _: [picture(300, 200), picture(256, 256)],
            lambda _: [clip(4, 64, 64), clip(3, 96, 64)],
        ),
    ]


def _long() -> list[Case]:
    state = "The customer writes that the parcel is late and asks for the money back. " * 60
    image = [picture(300, 200)]
    return [
        Case("image and a long state", lambda _: image, state=state),
        Case("image and a cut state", lambda _: image, state=state, options={"max_length": 700}),
        Case("image and a state cut first", lambda _: image, state=state, options={"max_state_tokens": 33}),
        Case("image and no state", lambda _: image, state=""),
        Case(
            "clip and a cut state",
            videos=lambda _: [clip(4, 96, 64)],
            state={"text": state},
            options={"max_length": 600},
        ),
    ]
