"""Where each token stands on the three rotary axes (time, height, width), and where each patch stands in its frame."""

from __future__ import annotations

from itertools import chain, repeat

import mlx.core as mx
import numpy as np

from clef_mlx.config import ReleaseConfig, TextConfig
from clef_mlx.record import EncodedRecord

Grid = tuple[int, int, int]  # time, height, width in patches


def text_positions(start: int, end: int) -> np.ndarray:
    """Positions of plain text tokens `start` to `end`: the three axes are equal. -> [3, L] int64."""
    return np.broadcast_to(np.arange(start, end, dtype=np.int64), (3, end - start))


def rotary_tables(position_ids: np.ndarray, config: TextConfig) -> tuple[mx.array, mx.array]:
    """cos and sin [..., L, rotary_dim / 2] float32 for positions [3, ..., L].

    Interleaved M-RoPE: frequency slot 3k+1 turns with height while below 3 * section[1], slot 3k+2 with width while
    below 3 * section[2], every other slot with time. Angles are float32 products as in the reference, whose rounding
    is visible at 16k tokens. Source: transformers `Qwen3_5TextRotaryEmbedding`.
    """
    slots = np.arange(0, config.rotary_dim, 2, dtype=np.float32) / np.float32(config.rotary_dim)
    frequencies = np.float32(1.0) / (np.float64(config.rope_theta) ** slots.astype(np.float64)).astype(np.float32)
    axis = np.zeros(len(frequencies), dtype=np.int64)
    for dim in (1, 2):
        axis[dim : 3 * config.mrope_section[dim] : 3] = dim
    angles = np.moveaxis(position_ids, 0, -1)[..., axis].astype(np.float32) * frequencies
    # Row by row: MLX keeps numpy's order of axes, and its export writes constants as they lie in memory.
    return mx.array(np.cos(angles, order="C")), mx.array(np.sin(angles, order="C"))


def media_tokens(record: EncodedRecord, config: ReleaseConfig) -> np.ndarray:
    """Places in the record whose rows the vision tower makes, ascending [n].

    Only the media's own piece is looked at: pads in a user's text are text.
    """
    if record.media is None:
        return np.empty(0, dtype=np.int64)
    ids = np.array(record.media.input_ids)
    pads = np.flatnonzero((ids == config.image_token_id) | (ids == config.video_token_id))
    return pads + record.state_span.start - len(ids)


def record_positions(record: EncodedRecord, config: ReleaseConfig, merge: int) -> np.ndarray:
    """Positions [3, L] int64 of a record. `merge` patches a side make one token.

    Text counts on by one. The tokens of a frame stand at one time, in rows and columns from there on, and what follows
    goes on after its longer side; a clip's frames have text between them, their timestamps. Source: transformers
    `Qwen3_5Model.get_rope_index`.
    """
    positions = text_positions(0, len(record.input_ids)).copy()
    if record.media is None:
        return positions
    pads, done = media_tokens(record, config), 0
    frames = chain.from_iterable(repeat((h // merge, w // merge), t) for t, h, w in record.media.grid_thw)
    for height, width in frames:
        start, end = pads[done], pads[done] + height * width
        here = positions[0, start]
        positions[1, start:end] = here + np.repeat(np.arange(height), width)
        positions[2, start:end] = here + np.tile(np.arange(width), height)
        positions[0, start:end] = here
        positions[:, end:] += here + max(height, width) - positions[0, end : end + 1]
        done += height * width
    return positions


def patch_places(grid: Grid, merge: int) -> np.ndarray:
    """Row and column [h * w, 2] of a frame's patches, the squares of `merge` by `merge` one after another.

    Source: transformers `get_vision_position_ids` of vision_utils.py.
    """
    _, height, width = grid
    places = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1)
    squares = places.reshape(height // merge, merge, width // merge, merge, 2)
    return squares.transpose(0, 2, 1, 3, 4).reshape(height * width, 2)


def resample(grid: Grid, side: int, merge: int) -> tuple[np.ndarray, np.ndarray]:
    """Which four places of a square table, `side` by `side`, make each patch of a frame, and their shares.

    Bilinear, the corners of both grids together. -> indices [h * w, 4], shares [h * w, 4] float32. Source: transformers
    `get_vision_interpolation_indices_and_weights`.
    """
    places = patch_places(grid, merge)
    spans = np.maximum(np.array(grid[1:]) - 1, 1).astype(np.float32)
    exact = places.astype(np.float32) * np.float32(side - 1) / spans
    low = np.floor(exact)
    upper_share = exact - low
    taps = np.stack([low, np.minimum(low + 1, side - 1)], axis=-1).astype(np.int64)  # [h * w, 2 axes, 2]
    shares = np.stack([1 - upper_share, upper_share], axis=-1)
    indices = taps[:, 0, :, None] * side + taps[:, 1, None, :]
    return indices.reshape(-1, 4), (shares[:, 0, :, None] * shares[:, 1, None, :]).reshape(-1, 4)
