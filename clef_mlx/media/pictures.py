"""One picture, however a caller holds it, to upright RGB.

Files, bytes, base64 and data URLs are read as transformers' `load_image` reads files: turned by their EXIF tag,
transparency dropped. Pillow images and arrays are taken as its `convert_to_rgb` takes them: not turned, transparency
laid on white. Nothing is fetched, and nothing is decoded before its size is known to be bearable.
Source: transformers 5.24, image_utils.py and image_transforms.py.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from clef_mlx.errors import RequestError, TooLargeError
from clef_mlx.media.sizes import Size
from clef_mlx.strict_json import show, show_place

MOST_PIXELS = 1 << 26  # of one picture before resizing; Pillow takes 4 bytes for each
MOST_FILE_BYTES = 1 << 28
# Not all that Pillow knows: EPS starts Ghostscript, and formats without a signature accept any bytes.
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "DIB", "TIFF", "PPM", "ICO", "QOI", "JPEG2000", "AVIF")
NAMED_FORMATS = "PNG, JPEG, GIF, WebP, BMP, TIFF, PPM, ICO, QOI, JPEG 2000 or AVIF"
# What Pillow's decoders raise over damaged files.
DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OverflowError,
    RuntimeError,
    AttributeError,
    struct.error,
    zlib.error,
)
CLIPPED_MODES = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")
Location = tuple[str | int, ...]


class Source(NamedTuple):
    """What may be read: files by name, from the folder `base` on (None: the current one), and how many pixels."""

    allow_paths: bool
    base: Path | None = None
    most_pixels: int = MOST_PIXELS

    def path(self, name: str | os.PathLike[str]) -> Path:
        return Path(name) if self.base is None else self.base / name


@dataclass(frozen=True)
class Picture:
    """A picture whose size is known and whose pixels may still lie in its file."""

    image: Image.Image
    from_file: bool
    location: Location

    @property
    def size(self) -> Size:
        return Size(self.image.height, self.image.width)

    def rgb(self) -> tuple[Image.Image, str]:
        """The picture in mode RGB, and a note where greys were lost. Raises RequestError for a damaged file."""
        try:
            with quiet():
                if self.from_file:
                    ImageOps.exif_transpose(self.image, in_place=True)
                return to_rgb(self.image, self.from_file), _clipped(self.image, self.location)
        except DAMAGE as error:
            raise damaged(self.location, error) from None


def refusal(location: Location, text: str) -> RequestError:
    return RequestError(f"{show_place(location)}: {text}", location)


def too_large(location: Location, text: str) -> TooLargeError:
    return TooLargeError(f"{show_place(location)}: {text}", location)


def open_picture(value: Any, location: Location, source: Source) -> Picture:
    """Find out what `value` is and how large; pixels of files are not decoded. Raises RequestError, one line."""
    match value:
        case Image.Image():
            image, from_file = value, False
        case np.ndarray():
            image, from_file = _from_array(value, location), False
        case _:
            image, from_file = _open(_content(value, location, source), location, source), True
    if not (image.width and image.height):
        raise refusal(location, f"must have at least one pixel, got {image.width}x{image.height}. Leave it out.")
    check_pixels(image.width, image.height, location, source)
    return Picture(image, from_file, location)


def check_pixels(width: int, height: int, location: Location, source: Source) -> None:
    """Raises TooLargeError before anything is decoded."""
    if width * height > source.most_pixels:
        raise too_large(location, f"must have at most {source.most_pixels:,} pixels, got {width}x{height}. Shrink it.")


def read_file(path: Path, location: Location) -> bytes:
    """A regular file's content; a pipe in its place would wait for ever."""
    try:
        if not path.is_file():
            got = "a folder" if path.is_dir() else "no such file" if not path.exists() else "a special file"
            raise refusal(location, f"must be a file, got {show(str(path))}: {got}. Check the path.")
        if (size := path.stat().st_size) > MOST_FILE_BYTES:
            raise too_large(location, f"must be a file of at most {MOST_FILE_BYTES:,} bytes, got {size:,}. Shrink it.")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise refusal(location, f"cannot be read: {reason}, at {show(str(path))}.") from None


def is_path(value: Any, source: Source) -> bool:
    """Whether text or a path object names something that exists, where it may."""
    if not source.allow_paths or not isinstance(value, str | os.PathLike) or value == "":
        return False  # no text at all would be the current folder
    try:
        return source.path(value).exists()
    except (OSError, ValueError):  # base64 text is too long for a file name
        return False


def is_picture(content: bytes) -> bool:
    """Whether these bytes begin as a picture file does."""
    try:
        with quiet(), Image.open(io.BytesIO(content), formats=_formats()):
            return True
    except UnidentifiedImageError:
        return False
    except (Image.DecompressionBombError, *DAMAGE):  # a picture, if no good one
        return True


def data_content(value: str | Mapping[str, Any], location: Location, source: Source) -> bytes:
    """The bytes of a data URL, of base64 text, or of `{"content_type": …, "base64": …}`."""
    if isinstance(value, Mapping):
        text = value.get("base64")
        if not isinstance(text, str):
            rule = 'must hold the file as base64 text, as in {"content_type": "image/png", "base64": "…"}'
            raise refusal(location, f"{rule}, got {show(text)}.")
    elif value.startswith("data:"):
        head, _, text = value.partition(",")
        if not head.endswith(";base64"):
            raise refusal(location, f"must be a data URL in base64, got one that begins {show(head[:40])}.")
    else:
        text = value
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise _no_text(value, location, source) from None


@contextmanager
def quiet() -> Iterator[None]:
    """Without Pillow's warnings: what matters becomes an error or a note. Filters are the process's, hence the lock."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_FILTERS = threading.RLock()


@cache
def _formats() -> tuple[str, ...]:
    Image.init()
    return tuple(name for name in FORMATS if name in Image.OPEN)


def _content(value: Any, location: Location, source: Source) -> bytes:
    match value:
        case bytes() | bytearray() | memoryview():
            return bytes(value)
        case os.PathLike() if source.allow_paths:
            return read_file(source.path(value), location)
        case str() if is_path(value, source):
            return read_file(source.path(value), location)
        case str() | Mapping():
            return data_content(value, location, source)
    kinds = "a Pillow image, a path, bytes, base64 text or an array" if source.allow_paths else "base64 text"
    raise refusal(location, f"must be {kinds}, got {show(value)}. Convert it first.")


def _open(content: bytes, location: Location, source: Source) -> Image.Image:
    if not content:
        raise refusal(location, "must be a picture file, got an empty one. Check how it was written.")
    try:
        with quiet():
            return Image.open(io.BytesIO(content), formats=_formats())
    except Image.DecompressionBombError:
        raise too_large(
            location, f"must have at most {source.most_pixels:,} pixels, got far more. Shrink it."
        ) from None
    except UnidentifiedImageError:
        rule = f"must be a picture in {NAMED_FORMATS}, got {len(content):,} bytes of something else"
        raise refusal(location, f"{rule}. Convert it first.") from None
    except DAMAGE as error:
        raise damaged(location, error) from None


def _no_text(value: Any, location: Location, source: Source) -> RequestError:
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return refusal(location, f"must be the picture itself, got the URL {show(value)}. Nothing is fetched.")
    shown = show(value if isinstance(value, str) else value["base64"])
    if source.allow_paths:
        return refusal(location, f"must be a file's path or its base64 text, got {shown}. There is no such file.")
    return refusal(location, f"must be base64 text or a data URL, got {shown}. Paths and URLs are not read here.")


def damaged(location: Location, error: Exception) -> RequestError:
    """What to say over an error of a decoder; our own refusals pass through."""
    if isinstance(error, RequestError):
        return error
    reason = " ".join(str(error).split()) or type(error).__name__
    return refusal(location, f"must be a whole picture, got a damaged one ({reason[:120]}). Save or send it again.")


def to_rgb(image: Image.Image, from_file: bool) -> Image.Image:
    """Mode RGB; transparency of files is dropped, of Pillow images laid on white."""
    if image.mode == "RGB" and (from_file or image.info.get("transparency") is None):
        image.load()
        return image
    if not from_file and ("A" in image.getbands() or image.info.get("transparency") is not None):
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, (255, 255, 255, 255)), image)
    return image.convert("RGB")


def _clipped(image: Image.Image, location: Location) -> str:
    if image.mode not in CLIPPED_MODES:
        return ""
    greys = image.convert("I") if image.mode.startswith("I;16") else image  # Pillow knows no extremes of I;16B
    if greys.getextrema()[1] <= 255:
        return ""
    return f"{show_place(location)}: greys above 255 became white, as in the publisher's code. Convert it to 8 bits."


def _from_array(array: np.ndarray, location: Location) -> Image.Image:
    """[H, W], [H, W, C] or [C, H, W] of 1, 3 or 4 channels; where both could be meant, channels are first."""
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim == 3 and array.shape[0] in (1, 3, 4):
        array = np.moveaxis(array, 0, -1)
    if array.ndim != 3 or array.shape[-1] not in (1, 3, 4):
        shape = "x".join(map(str, array.shape))
        raise refusal(location, f"must be an array [height, width, 1, 3 or 4 channels], got {shape}. Reorder its axes.")
    return Image.fromarray(array_to_rgb(array, location))


def array_to_rgb(array: np.ndarray, location: Location) -> np.ndarray:
    """[H, W, 1, 3 or 4] of whole numbers 0 to 255 -> uint8 [H, W, 3]; transparency is laid on white."""
    if array.size and array.dtype != np.uint8:
        if array.dtype.kind not in "iu" or array.min() < 0 or array.max() > 255:
            rule = f"must be whole numbers from 0 to 255, got {array.dtype}"
            raise refusal(location, f"{rule}. Scale it and call .astype(numpy.uint8).")
    if array.shape[-1] == 1:
        array = array.repeat(3, axis=-1)
    elif array.shape[-1] == 4:
        alpha = array[..., 3:] / 255
        array = np.round(alpha * array[..., :3] + (1 - alpha) * 255)
    return np.ascontiguousarray(array, dtype=np.uint8)
