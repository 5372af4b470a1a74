"""Resizes a clip's frame as torchvision does on a CPU: bicubic with antialiasing, in whole numbers, to the bit.

Images go through Pillow instead, as the publisher's image processor does; the two differ by up to two grey levels.
Source: torch 2.14, ATen/native/cpu/UpSampleKernel.cpp (`compute_index_ranges_int16_weights`, uint8 with antialias).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from clef_mlx.media.sizes import Size

CUBIC = -0.5  # the filter's one parameter
REACH = 2  # source pixels to either side, before they are widened for shrinking
MOST_SHIFT = 22


def resize_frame(frame: np.ndarray, size: Size) -> np.ndarray:
    """uint8 [H, W, C] -> uint8 [size.height, size.width, C]; first along the width, then along the height."""
    height, width, channels = frame.shape
    # Rows of [W * C], so that every step below runs over long rows.
    rows = frame.reshape(height, width * channels)
    if width != size.width:
        indices, weights, shift = _taps(width, size.width)
        spread = indices[..., None] * channels + np.arange(channels)  # [out, taps, C]
        columns = spread.transpose(1, 0, 2).reshape(len(indices[0]), -1)
        rows = _weighted(rows, 1, columns, weights.T.repeat(channels, axis=1)[:, None, :], shift)
    if height != size.height:
        indices, weights, shift = _taps(height, size.height)
        rows = _weighted(rows, 0, indices.T, weights.T[:, :, None], shift)
    return rows.reshape(*size, channels)


def _weighted(rows: np.ndarray, axis: int, indices: np.ndarray, weights: np.ndarray, shift: int) -> np.ndarray:
    """Sum over taps of what each index takes along `axis`, weighted, as uint8; both lists are one entry a tap."""
    total = product = None
    for index, weight in zip(indices, weights, strict=True):
        product = np.multiply(rows.take(index, axis), weight, out=product, dtype=np.int32)
        total = product + (1 << (shift - 1)) if total is None else np.add(total, product, out=total)
    return np.clip(np.right_shift(total, shift, out=total), 0, 255, out=total).astype(np.uint8)


@lru_cache(maxsize=16)
def _taps(before: int, after: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Source indices and int32 weights, both [after, taps], and by how many bits the weights are scaled."""
    scale = before / after
    stretch = max(scale, 1.0)
    centre = scale * (np.arange(after) + 0.5)
    first = np.maximum((centre - REACH * stretch + 0.5).astype(np.int64), 0)
    last = np.minimum((centre + REACH * stretch + 0.5).astype(np.int64), before)
    tap = np.arange((last - first).max())
    indices = first[:, None] + tap
    weights = _cubic((indices - centre[:, None] + 0.5) / stretch)
    weights[indices >= last[:, None]] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    shift = _shift(weights.max())
    scaled = weights * (1 << shift)
    whole = np.trunc(np.where(scaled < 0, scaled - 0.5, scaled + 0.5)).astype(np.int32)
    return np.minimum(indices, before - 1), whole, shift


def _shift(largest: float) -> int:
    """The most bits with which every weight still is an int16."""
    return next((bits for bits in range(MOST_SHIFT) if int(0.5 + largest * (1 << (bits + 1))) >= 1 << 15), MOST_SHIFT)


def _cubic(distance: np.ndarray) -> np.ndarray:
    x = np.abs(distance)
    near = ((CUBIC + 2.0) * x - (CUBIC + 3.0)) * x * x + 1.0
    far = (((x - 5.0) * x + 8.0) * x - 4.0) * CUBIC
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))
