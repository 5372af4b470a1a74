"""Tensors whose sizes are known -> a safetensors file, written piece by piece in any order.

Own code since the safetensors package and MLX both want all tensors of a file in memory at once.
Format: https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.convert.source import MappedFiles, blocks
from clef_mlx.convert.target import Tensor
from clef_mlx.convert.watch import Watch
from clef_mlx.engine import thread
from clef_mlx.weights.headers import DTYPE_BYTES

if TYPE_CHECKING:
    from clef_mlx.convert.job import Job

ALIGNMENT_BYTES = 8


class ShardFile:
    """An open file with its header written. A context manager; what is complete is on the disk when it ends.

    `form` tells readers whose names and axes these are: mlx, or pt as in a release.
    """

    def __init__(self, path: Path, tensors: Iterable[Tensor], form: str = "mlx") -> None:
        # The widest types first, as the package does, so that every tensor lies on a multiple of its width.
        ordered = sorted(tensors, key=lambda tensor: -DTYPE_BYTES[tensor.dtype])
        header: dict[str, object] = {"__metadata__": {"format": form}}
        self._starts: dict[str, int] = {}
        offset = 0
        for tensor in ordered:
            span = [offset, offset + tensor.nbytes]
            header[tensor.name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": span}
            self._starts[tensor.name] = offset
            offset += tensor.nbytes
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % ALIGNMENT_BYTES)
        self._base = 8 + len(text)
        self._file = path.open("wb", buffering=0)
        self._put(np.frombuffer(len(text).to_bytes(8, "little") + text, np.uint8), 0)

    def write(self, name: str, offset: int, content: np.ndarray) -> None:
        """Write bytes of a tensor, `offset` behind its start."""
        self._put(content, self._base + self._starts[name] + offset)

    def _put(self, content: np.ndarray, place: int) -> None:
        left = memoryview(content)
        while left:
            written = os.pwrite(self._file.fileno(), left, place)
            left, place = left[written:], place + written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._file:
            if kind is None:
                os.fsync(self._file.fileno())


def write_shards(folder: Path, job: Job, watch: Watch) -> None:
    """Write every file of a job, one parameter after another. To be called in MLX's thread; stops when abandoned."""
    files = MappedFiles()
    for shard in job.shards:
        with ShardFile(folder / shard.name, shard.tensors) as file:
            for item in shard.items:
                merge = job.adapters.merge if job.adapters.touches(item.recipe.name) else None
                for block in blocks(item, files, merge):
                    thread.stop_if_abandoned()
                    file.write(item.tensors[block.tensor].name, block.offset, block.content)
                    watch.advance(len(block.content))
                mx.clear_cache()  # buffers of one tensor's shapes are of no use to the next


def header_bytes(tensors: Iterable[Tensor]) -> int:
    """At most what the header of these takes."""
    return 256 + sum(len(tensor.name) + 160 for tensor in tensors)
