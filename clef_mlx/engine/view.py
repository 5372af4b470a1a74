"""Records with media -> where their tokens stand, and the rows that the vision tower makes, when a prefill gets there.

One picture, or a few frames of a clip, is in work at a time, and nothing is made of what a prefill does not reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from clef_mlx.engine.thread import stop_if_abandoned
from clef_mlx.model.clef import Seen
from clef_mlx.model.positions import Grid, media_tokens, record_positions
from clef_mlx.model.vision import VisionModel
from clef_mlx.record import EncodedRecord, Media
from clef_mlx.weights.footprint import seeing_bytes
from clef_mlx.weights.vision import VisionSource

STEP_PATCHES = 4096  # frames of a clip go through the tower together up to so many


class Tower:
    """A release's vision tower, read on first use."""

    def __init__(self, source: VisionSource) -> None:
        self.source = source
        self.model: VisionModel | None = None

    @property
    def nbytes(self) -> int:
        """What it holds now."""
        return 0 if self.model is None else sum(value.nbytes for _, value in tree_flatten(self.model.parameters()))

    def need(self, records: Sequence[EncodedRecord]) -> int:
        """Bytes that seeing these records' media takes at its peak: the tower if it is not read yet, and its work."""
        media = {record.media.key: record.media for record in records if record.media is not None}
        if not media:
            return 0
        largest = [max(t * h * w for t, h, w in _parts(one.grid_thw)) for one in media.values()]
        weights = self.source.nbytes if self.model is None else 0
        return weights + seeing_bytes(self.source.config, largest, self.source.width)

    def __call__(self, pixel_values: np.ndarray, grid: Grid) -> mx.array:
        """Rows [tokens, D] of pixel_values [patches, values], evaluated."""
        if self.model is None:
            self.model = self.source.load()
        for rows in self.model.steps(mx.array(pixel_values), grid):
            mx.eval(rows)
            stop_if_abandoned()
        return rows


def view_of(records: Sequence[EncodedRecord], tower: Tower | None) -> View | None:
    """The view of a batch; None where it is all text."""
    if all(record.media is None for record in records):
        return None
    assert tower is not None, "records with media come from a release with a tower"
    return View(records, tower)


class View:
    """A batch [B, L] with media in some of its rows; rows of equal media share what is made of it."""

    def __init__(self, records: Sequence[EncodedRecord], tower: Tower) -> None:
        config, merge = tower.source.release, tower.source.config.spatial_merge_size
        self._positions = [record_positions(record, config, merge) for record in records]
        shared = {
            record.media.key: _Media(record.media, media_tokens(record, config), tower)
            for record in records
            if record.media is not None
        }
        self._media = [None if record.media is None else shared[record.media.key] for record in records]

    def positions(self, begin: int, end: int) -> np.ndarray:
        """[3, B, end - begin]; zeros after a record's end, where nobody looks."""
        positions = np.zeros((3, len(self._positions), end - begin), dtype=np.int64)
        for row, own in enumerate(self._positions):
            part = own[:, begin:end]
            positions[:, row, : part.shape[1]] = part
        return positions

    def seen(self, begin: int, end: int) -> Seen | None:
        """The rows among tokens `begin` to `end`; what lies before `begin` is let go."""
        places, rows = [], []
        for row, media in enumerate(self._media):
            if media is not None and (found := media.between(begin, end)) is not None:
                places.append(row * (end - begin) + found[0] - begin)
                rows.append(found[1])
        if not places:
            return None
        return Seen(np.concatenate(places).astype(np.int32), rows[0] if len(rows) == 1 else mx.concatenate(rows))


class _Media:
    """One record's media as parts that go through the tower together, and the rows made of those now needed."""

    def __init__(self, media: Media, tokens: np.ndarray, tower: Tower) -> None:
        self._pixels = media.pixel_values
        self._tokens = tokens  # places in the record
        self._tower = tower
        self._grids = list(_parts(media.grid_thw))
        sizes = np.array([t * h * w for t, h, w in self._grids])
        self._patches = np.concatenate([[0], np.cumsum(sizes)])
        self._ends = self._patches // tower.source.config.merged
        self._made: dict[int, mx.array] = {}

    def between(self, begin: int, end: int) -> tuple[np.ndarray, mx.array] | None:
        """Places [n] of pads from token `begin` to `end`, and their rows [n, D]."""
        first, last = np.searchsorted(self._tokens, (begin, end))
        if first == last:
            return None
        start = int(np.searchsorted(self._ends, first, side="right")) - 1
        stop = int(np.searchsorted(self._ends, last, side="left"))
        self._made = {part: rows for part, rows in self._made.items() if part >= start}
        rows = [self._rows(part) for part in range(start, stop)]
        joined = rows[0] if len(rows) == 1 else mx.concatenate(rows)
        return self._tokens[first:last], joined[first - self._ends[start] : last - self._ends[start]]

    def _rows(self, part: int) -> mx.array:
        if part not in self._made:
            start, end = self._patches[part : part + 2]
            self._made[part] = self._tower(self._pixels[start:end], self._grids[part])
        return self._made[part]


def _parts(grids: Sequence[Grid]) -> Iterator[Grid]:
    """Pictures whole, clips in runs of frames."""
    for times, height, width in grids:
        step = max(1, STEP_PATCHES // (height * width))
        for start in range(0, times, step):
            yield min(step, times - start), height, width
