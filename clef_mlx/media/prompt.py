"""Grids and times -> the placeholder text the publisher's processor writes before the state, and its ids.

Source: transformers 5.24, Qwen3VLProcessor; joint_schema_model.py::_encode_media.
"""

from __future__ import annotations

from collections.abc import Sequence

IMAGE_PAD = "<|image_pad|>"
VIDEO_PAD = "<|video_pad|>"
DEFAULT_RATE = 24.0  # frames a second, where nobody says


def image_text(tokens: int) -> str:
    return _framed(IMAGE_PAD * tokens)


def video_text(times: Sequence[float], tokens: int) -> str:
    """One framed run of `tokens` pads for each frame pair, behind its time; the clip's own frame stays around all."""
    return _framed("".join(f"<{seconds:.1f} seconds>{_framed(VIDEO_PAD * tokens)}" for seconds in times))


def pair_times(indices: Sequence[int], rate: float, pair: int) -> list[float]:
    """Seconds of each frame pair: the middle between its first and last frame; an odd last frame is its own partner."""
    indices = [*indices, *[indices[-1]] * (-len(indices) % pair)]
    seconds = [index / rate for index in indices]
    return [(seconds[start] + seconds[start + pair - 1]) / 2 for start in range(0, len(seconds), pair)]


def _framed(text: str) -> str:
    return f"<|vision_start|>{text}<|vision_end|>"
