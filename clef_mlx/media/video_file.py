"""Video files -> frames, with PyAV where the `video` extra is installed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from clef_mlx.media.pictures import Location, Source, check_pixels, refusal
from clef_mlx.media.sizes import Size


class VideoFile(NamedTuple):
    """`count` frames of one upright `size`, `rate` a second if the file says so."""

    count: int
    size: Size
    rate: float | None


def open_video(video: Path | bytes, location: Location, source: Source) -> VideoFile:
    """Count the frames and decode the first. Raises RequestError, also where the decoder is not installed."""
    with _stream(video, location) as (container, stream):
        check_pixels(stream.width, stream.height, location, source)
        rate = float(stream.average_rate) if stream.average_rate else None
        count = sum(1 for packet in container.demux(stream) if packet.size and not packet.is_discard)
    first = next(_decoded(video, location), None)
    if first is None or not count:
        raise refusal(location, "must hold at least one frame, got a video without any. Leave the clip out.")
    return VideoFile(count, Size(first.height, first.width), rate)


def video_frames(
    video: Path | bytes, facts: VideoFile, location: Location, indices: Sequence[int]
) -> Iterator[Image.Image]:
    """Yield the frames of rising indices, an index that comes twice twice."""
    wanted = iter(indices)
    index = next(wanted, None)
    for place, image in enumerate(_decoded(video, location)):
        if index is None:
            return
        if (size := Size(image.height, image.width)) != facts.size:
            raise refusal(location, f"must keep one frame size, got {size} after {facts.size}. Cut or convert it.")
        while index == place:
            yield image
            index = next(wanted, None)
    if index is not None:
        raise refusal(location, f"must hold {facts.count} frames, got fewer. The file is damaged; convert it again.")


def _decoded(video: Path | bytes, location: Location) -> Iterator[Image.Image]:
    with _stream(video, location) as (container, stream):
        stream.thread_type = "AUTO"
        for frame in container.decode(stream):
            image = frame.to_image()
            # Phones film sideways and say so beside the frames.
            yield image.rotate(frame.rotation, expand=True) if frame.rotation else image


@contextmanager
def _stream(video: Path | bytes, location: Location) -> Iterator[tuple[Any, Any]]:
    try:
        import av
    except ImportError:
        rule = "must be frames, an array, an animated GIF or WebP; other video files need a decoder"
        raise refusal(location, f"{rule}. pip install 'clef-mlx[video]'.") from None
    try:
        with av.open(io.BytesIO(video) if isinstance(video, bytes) else str(video)) as container:
            if not container.streams.video:
                raise refusal(location, "must be a video, got a file without pictures. Check the path.")
            if container.streams.video[0].codec_context is None:
                raise refusal(location, "must be in a codec the decoder knows, got another. Convert it to H.264.")
            yield container, container.streams.video[0]
    except (av.FFmpegError, OSError, UnicodeDecodeError) as error:  # the last over damaged metadata
        reason = " ".join((getattr(error, "strerror", None) or str(error)).split())
        raise refusal(location, f"must be a video file, got one that cannot be read ({reason[:120]}).") from None
