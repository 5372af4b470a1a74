"""What folders of weights hold, as a short hash that is the same on every machine.

Large files are sampled: a training step or a quantization changes every part of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Iterable
from pathlib import Path

READ = (".json", ".safetensors", ".jinja")  # what of a folder makes the model
WHOLE_BYTES = 32 << 20  # a file up to here is read to its end: configs, tokenizers, heads
SAMPLES, SAMPLE_BYTES = 64, 64 << 10


def fingerprint(folders: Iterable[Path], facts: Iterable[str] = (), *, without: Container[str] = ()) -> str:
    """Of the files in these folders but those named, by name, size and content, and of how they are used."""
    whole = hashlib.sha256("\n".join(facts).encode())
    for place in [place for folder in folders for place in (folder, folder / "adapter") if place.is_dir()]:
        for file in sorted(file for file in place.iterdir() if _read(file) and file.name not in without):
            whole.update(f"{file.name} {file.stat().st_size}\n".encode("utf-8", "surrogateescape"))
            _add(whole, file)
    return whole.hexdigest()[:16]


def _read(file: Path) -> bool:
    return file.suffix in READ and file.is_file()


def _add(whole: hashlib._Hash, file: Path) -> None:
    with open(file, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size <= WHOLE_BYTES:
            whole.update(stream.read())
            return
        for sample in range(SAMPLES):
            stream.seek((size - SAMPLE_BYTES) * sample // (SAMPLES - 1))
            whole.update(stream.read(SAMPLE_BYTES))
