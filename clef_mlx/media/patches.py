"""Resized frames -> patches in the order the vision tower merges them, and those to float32.

Source: transformers 5.24, `patchify` of Qwen2VLImageProcessorPil and Qwen3VLVideoProcessor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clef_mlx.media.processor import PixelFacts

Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Patches:
    """One image or clip. `values` uint8 [patches, channels, 1 or pair, patch, patch]; an image has its one frame once.

    `table` float32 [channels, 256] is what each grey level becomes.
    """

    values: np.ndarray
    grid: Grid
    table: np.ndarray
    pair: int


def patches(frames: np.ndarray, facts: PixelFacts, table: np.ndarray) -> Patches:
    """uint8 [frames, H, W, 3] -> patches; one frame is an image, an odd last frame of a clip is paired with itself."""
    pair, patch, merge = facts.temporal_patch_size, facts.patch_size, facts.merge_size
    count, height, width, channels = frames.shape
    if count > 1 and (missing := -count % pair):
        frames = np.concatenate([frames, frames[-1:].repeat(missing, axis=0)])
    depth = 1 if count == 1 else pair
    grid = (len(frames) // depth, height // patch, width // patch)
    blocks = frames.reshape(
        grid[0], depth, grid[1] // merge, merge, patch, grid[2] // merge, merge, patch, channels
    )  # [t, pair, h, merge, patch, w, merge, patch, channels]
    ordered = blocks.transpose(0, 2, 5, 3, 6, 8, 1, 4, 7)
    return Patches(ordered.reshape(-1, channels, depth, patch, patch), grid, table, pair)


def image_table(facts: PixelFacts) -> np.ndarray:
    """Grey levels as the image processor makes them: scaled in float64, rounded, then normalized in float32."""
    scaled = (np.arange(256, dtype=np.float64) * facts.rescale).astype(np.float32)
    mean, std = (np.array(values, dtype=np.float32)[:, None] for values in (facts.mean, facts.std))
    return (scaled[None, :] - mean) / std


def video_table(facts: PixelFacts) -> np.ndarray:
    """Grey levels as the video processor makes them: mean and deviation carry the scale, all in float32."""
    scale = np.float32(1.0 / facts.rescale)
    mean, std = (np.array(values, dtype=np.float32)[:, None] * scale for values in (facts.mean, facts.std))
    return (np.arange(256, dtype=np.float32)[None, :] - mean) / std


def pixel_values(parts: Sequence[Patches]) -> np.ndarray:
    """float32 [patches, channels * pair * patch * patch] of all parts in order.

    Filled part by part: bytes become floats only here, so that nothing large exists twice.
    """
    _, channels, _, patch, _ = parts[0].values.shape
    pair = parts[0].pair
    total = sum(len(part.values) for part in parts)
    filled = np.empty((total, channels, pair, patch, patch), dtype=np.float32)
    start = 0
    for part in parts:
        rows = filled[start : start + len(part.values)]
        for channel, table in enumerate(part.table):
            rows[:, channel] = table[part.values[:, channel]]
        start += len(part.values)
    return filled.reshape(total, -1)


def media_key(parts: Sequence[Patches], input_ids: Sequence[int], image_count: int) -> bytes:
    """A hash of pixels, grids and ids: a turned picture has the same pixels in another grid."""
    digest = hashlib.sha256(repr((image_count, [part.grid for part in parts], tuple(input_ids))).encode())
    for part in parts:
        digest.update(np.ascontiguousarray(part.values))
    return digest.digest()
