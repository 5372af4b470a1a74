"""Stored parameters -> bytes to be written, a block of rows at a time, from memory-mapped files.

Only a block is ever in memory, whatever the tensor's size; pages of the files are the system's to keep or drop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.convert.target import Item
from clef_mlx.errors import CheckpointError
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.plan import Part

BLOCK_ELEMENTS = 1 << 24  # 64 MiB of float32
COPY_BYTES = 1 << 26
STORED = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "U32": np.uint32, "U8": np.uint8}
DTYPES = {"F32": mx.float32, "F16": mx.float16, "BF16": mx.bfloat16}

# A parameter's name, rows of it in float32 and the number of the first -> the same with an adapter's difference in it.
Merge = Callable[[str, mx.array, int], mx.array]


class Block(NamedTuple):
    """Bytes of the item's tensor number `tensor`, to be written `offset` bytes behind its start."""

    tensor: int
    offset: int
    content: np.ndarray


class MappedFiles:
    """Memory maps of weight files, opened when first read.

    safetensors' own slices know no bfloat16 without torch, and MLX reads whole tensors.
    """

    def __init__(self) -> None:
        self._maps: dict[Path, np.memmap] = {}

    def raw(self, tensor: TensorHeader) -> np.ndarray:
        """A tensor's bytes [nbytes] uint8, not yet read."""
        if tensor.file not in self._maps:
            self._maps[tensor.file] = np.memmap(tensor.file, dtype=np.uint8, mode="r")
        return self._maps[tensor.file][tensor.start : tensor.start + tensor.nbytes]

    def rows(self, tensor: TensorHeader, start: int, stop: int) -> mx.array:
        """Rows [start, stop) as an array of the stored dtype; a scalar counts as one row."""
        raw, shape = self.raw(tensor), tensor.shape or (1,)
        width = tensor.nbytes // shape[0]
        values = np.frombuffer(raw[start * width : stop * width].tobytes(), STORED[tensor.dtype])
        array = mx.array(values)
        array = array.view(mx.bfloat16) if tensor.dtype == "BF16" else array
        return array.reshape(stop - start, *shape[1:]) if tensor.shape else array.reshape(())


def blocks(item: Item, files: MappedFiles, merge: Merge | None) -> Iterator[Block]:
    """What has to be written of one parameter. `merge` is given where an adapter changes it."""
    if item.verbatim and merge is None:
        for number, tensor in enumerate(item.recipe.parts[0].tensors):
            raw = files.raw(tensor)
            for start in range(0, tensor.nbytes, COPY_BYTES):
                yield Block(number, start, raw[start : start + COPY_BYTES])
        return
    shape = item.recipe.shape or (1,)
    step = shape[0] if len(item.recipe.parts) > 1 else max(1, BLOCK_ELEMENTS * shape[0] // max(1, item.recipe.elements))
    for start in range(0, shape[0], step):
        stop = min(start + step, shape[0])
        for number, content in enumerate(_finished(item, files, merge, start, stop)):
            tensor = item.tensors[number]
            yield Block(number, start * (tensor.nbytes // shape[0]), content)


def _finished(item: Item, files: MappedFiles, merge: Merge | None, start: int, stop: int) -> list[np.ndarray]:
    """Rows as they are stored: values, or packed values with scales and biases."""
    value = values(item, files, start, stop)
    if merge is not None:
        value = merge(item.recipe.name, value.astype(mx.float32), start)
    value = value.astype(DTYPES[item.dtype])
    if not mx.isfinite(value).all().item():
        tensor = item.recipe.parts[0].weight
        raise CheckpointError(
            f"{tensor.file.name}: {tensor.name} must be finite as {item.dtype}, got NaN or infinity. "
            "Download the model again, or choose a wider dtype."
        )
    if (q := item.quantization) is None:
        return [_bytes(value)]
    return [_bytes(part) for part in mx.quantize(value, q.group_size, q.bits, q.mode)]


def values(item: Item, files: MappedFiles, start: int, stop: int) -> mx.array:
    """Rows of a parameter unpacked, shifted and turned, before any rounding. Several parts are read whole."""
    recipe = item.recipe
    if len(recipe.parts) > 1:
        parts = [_unpacked(part, files, 0, part.weight.shape[0]) for part in recipe.parts]
        return mx.concatenate(parts)[start:stop]
    value = _unpacked(recipe.parts[0], files, start, stop)
    match recipe.change:
        case "add one":
            return value.astype(mx.float32) + 1.0
        case "swap axes":
            return value.swapaxes(1, 2)
        case "channels last":
            side, channels = recipe.shape[1:4], recipe.shape[4]
            return mx.moveaxis(value.reshape(-1, channels, *side), 1, 4)
    return value.reshape(-1, *recipe.shape[1:]) if recipe.shape else value


def _unpacked(part: Part, files: MappedFiles, start: int, stop: int) -> mx.array:
    """The stored rows, in float32 where they were quantized: with bfloat16 scales MLX would round every product."""
    weight = files.rows(part.weight, start, stop)
    if (q := part.quantization) is None:
        return weight
    scales = files.rows(part.scales, start, stop)
    if part.biases is None:
        return mx.dequantize(weight, scales, None, q.group_size, q.bits, q.mode, dtype=mx.float32)
    biases = files.rows(part.biases, start, stop).astype(mx.float32)
    return mx.dequantize(weight, scales.astype(mx.float32), biases, q.group_size, q.bits, q.mode, dtype=mx.float32)


def _bytes(value: mx.array) -> np.ndarray:
    return np.array(mx.contiguous(value).reshape(-1).view(mx.uint8), copy=False)
