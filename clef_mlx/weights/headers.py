"""One safetensors file's header: names, shapes, types and sizes, checked against the file's length.

No tensor is read here. Format: https://github.com/huggingface/safetensors#format (eight bytes of header length,
the header as JSON, then the tensors without gaps).
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show

# The types MLX reads, 8-bit floats as bytes.
DTYPE_BYTES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E8M0": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "C64": 8,
}  # fmt: skip
HEADER_LIMIT_BYTES = 100_000_000  # the format's own limit
DIMENSION_LIMIT = 1 << 31
NAME_LIMIT = 300  # characters; names are repeated in messages
LFS_MAGIC = b"version https://git-lfs"
# First bytes of what people rename to .safetensors.
FOREIGN = {b"GGUF": "a GGUF file", b"PK\x03\x04": "a PyTorch pickle or a zip archive", b"\x80\x02": "a pickle"}


class TensorHeader(NamedTuple):
    """One stored tensor. `dtype` is the format's word, such as BF16; its bytes begin at byte `start` of the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: Path
    start: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.elements * DTYPE_BYTES[self.dtype]


@dataclass(frozen=True)
class WeightFile:
    """A safetensors file whose header and length agree."""

    path: Path
    tensors: dict[str, TensorHeader]
    metadata: dict[str, str]


def read_header(path: Path) -> WeightFile:
    """Read and check one header. Raises CheckpointError for a pointer, a truncated file or another format."""
    refuse_irregular(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(max(8, len(LFS_MAGIC)))
            refuse_foreign(path, start)
            length = int.from_bytes(start[:8], "little")
            if len(start) < 8:
                raise CheckpointError(f"{path.name}: file is truncated: expected at least 8 bytes, got {size}. {AGAIN}")
            if length > HEADER_LIMIT_BYTES:
                raise CheckpointError(f"{path.name}: not a safetensors file. Only safetensors weights are read.")
            if length > size - 8:
                raise CheckpointError(
                    f"{path.name}: file is truncated: expected more than {8 + length} bytes, got {size}. {AGAIN}"
                )
            file.seek(8)
            text = file.read(length)
    except OSError as error:
        raise CheckpointError(f"{path.name}: cannot be read: {error.strerror or error}.") from error
    return _check(path, size, 8 + length, text)


AGAIN = "Download it again."


def refuse_irregular(path: Path) -> None:
    """Refuse a pipe or device: to open one may wait for ever, to read one may never end."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise CheckpointError(f"{path}: must be a regular file, got a pipe or device. Put the file itself there.")


def refuse_foreign(path: Path, start: bytes) -> None:
    """Name the usual things that carry a weight file's name without being one."""
    if start.startswith(LFS_MAGIC):
        raise CheckpointError(
            f"{path.name}: this is a Git LFS pointer, not the weights. "
            "Run `git lfs pull` in its folder, or download the model again."
        )
    for magic, kind in FOREIGN.items():
        if start.startswith(magic):
            raise CheckpointError(f"{path.name}: not a safetensors file but {kind}. Only safetensors weights are read.")


def _check(path: Path, size: int, offset: int, text: bytes) -> WeightFile:
    try:
        header = json.loads(text, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        if "twice" in str(error):
            raise CheckpointError(f"{path.name}: {error}. {AGAIN}") from None
        raise CheckpointError(f"{path.name}: not a safetensors file: its header is no JSON. {AGAIN}") from None
    if not isinstance(header, dict):
        raise CheckpointError(f"{path.name}: not a safetensors file: its header is no JSON object. {AGAIN}")
    metadata = header.pop("__metadata__", {})
    tensors, ranges = {}, []
    for name, entry in header.items():
        if len(name) > NAME_LIMIT or not name.isprintable():
            raise CheckpointError(f"{path.name}: damaged header: {show(name)} is no tensor's name. {AGAIN}")
        tensors[name], span = _entry(path, name, entry, offset)
        ranges.append(span)
    expected = offset
    for begin, end in sorted(ranges):
        if begin != expected - offset:
            raise CheckpointError(f"{path.name}: damaged header: tensors overlap or leave gaps. {AGAIN}")
        expected = offset + end
    if size != expected:
        what = "file is truncated" if size < expected else "file is longer than its tensors"
        raise CheckpointError(f"{path.name}: {what}: expected {expected} bytes, got {size}. {AGAIN}")
    return WeightFile(path, tensors, metadata if isinstance(metadata, dict) else {})


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} appears twice in the header")
    return values


def _entry(path: Path, name: str, entry: Any, offset: int) -> tuple[TensorHeader, tuple[int, int]]:
    """One header entry, checked; also its byte range behind `offset`, where the header ends."""
    facts = entry if isinstance(entry, dict) else {}
    dtype, shape, span = facts.get("dtype"), facts.get("shape"), facts.get("data_offsets")
    if not isinstance(dtype, str) or not _counts(shape) or not _counts(span) or len(span) != 2:
        raise CheckpointError(f"{path.name}: damaged header: {name} lacks dtype, shape or data_offsets. {AGAIN}")
    if dtype not in DTYPE_BYTES:
        raise CheckpointError(f"{path.name}: {name} has dtype {dtype}, which is not read here.")
    if any(length >= DIMENSION_LIMIT for length in shape):
        raise CheckpointError(
            f"{path.name}: {name} has shape {shape}, MLX counts no dimension beyond {DIMENSION_LIMIT}."
        )
    tensor = TensorHeader(name, dtype, tuple(shape), path, offset + span[0])
    if span[1] - span[0] != tensor.nbytes:
        raise CheckpointError(
            f"{path.name}: damaged header: {name} must take {tensor.nbytes} bytes, got {span[1] - span[0]}. {AGAIN}"
        )
    return tensor, (span[0], span[1])


def _counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)
