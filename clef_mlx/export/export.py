"""A release -> a folder with traces, weights, manifest and goldens: written beside its destination, checked, named."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import clef_mlx.blas  # OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.convert.staging import Staging, in_one_line, refuse_output, refuse_small_disk
from clef_mlx.convert.target import Tensor
from clef_mlx.convert.watch import Watch
from clef_mlx.convert.write import ShardFile
from clef_mlx.engine import thread
from clef_mlx.errors import CheckpointError
from clef_mlx.export.exported import Checked, check_export
from clef_mlx.export.forward import Weights, traced
from clef_mlx.export.goldens import make_goldens, write_goldens
from clef_mlx.export.manifest import FILES, MANIFEST, Manifest, device_name, encoding_facts
from clef_mlx.export.slots import Slots
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.hub import resolve
from clef_mlx.weights.load import LoadedRelease, load_release

STORED = {"float32": "F32", "bfloat16": "BF16", "float16": "F16", "uint32": "U32", "uint8": "U8"}
TRACE_BYTES = 64 << 20  # more than all traces of a model take


@dataclass(frozen=True)
class Export:
    """What was made, and how near it is to the engine's own answers. `to_dict` leaves out what is for programs."""

    out: Path
    manifest: Manifest
    checked: Checked
    nbytes: int

    def to_dict(self) -> dict[str, Any]:
        left_out = ("files", "inputs", "outputs", "encoding", "weights")
        facts = {name: value for name, value in self.manifest.to_dict().items() if name not in left_out}
        return {"out": str(self.out), "nbytes": self.nbytes, **facts}


def export(model: str, out: Path, slots: Slots, dtype: str | None = None, watch: Watch | None = None) -> Export:
    """Export a folder, hub id or alias into the folder `out`, which appears only when it is complete and checked.

    Text only. Raises CheckpointError, RequestError for slots that hold nothing, MemoryBudgetError.
    """
    watch = watch or Watch()
    source = resolve(model)
    if out.is_file() or out.is_dir() and any(out.iterdir()):
        raise CheckpointError(f"{out}: exists already. Name another folder with --out.")
    refuse_output(source, out, force=False)
    tokenizer = ReleaseTokenizer.from_folder(source)
    watch.begin("Loading", 0)
    release = thread.run(load_release, source, dtype=dtype, between=thread.stop_if_abandoned)
    check_vocabulary(tokenizer, release.config.text.vocab_size)
    with in_one_line(out):
        refuse_small_disk(out, release.info.weight_bytes + TRACE_BYTES)
        with Staging(out, force=False, note=watch.note) as staging:
            manifest = thread.run_to_end(_write, staging.folder, release, tokenizer, slots, watch)
            shutil.copyfile(source / "tokenizer.json", staging.folder / FILES["tokenizer"])
            del release  # the check reads the weights anew, as another program would
            thread.run(mx.clear_cache)
            watch.begin("Checking", 0)
            checked = _proven(staging.folder)
            manifest = replace(manifest, checked=asdict(checked))
            _write_manifest(staging.folder, manifest)
            nbytes = sum(file.stat().st_size for file in staging.folder.iterdir())
            staging.publish()
    return Export(out, manifest, checked, nbytes)


def _write(folder: Path, release: LoadedRelease, tokenizer: ReleaseTokenizer, slots: Slots, watch: Watch) -> Manifest:
    """All files but the tokenizer's, in MLX's thread. The goldens come first: they say whether the slots are of use."""
    watch.begin("Deciding goldens", 0)
    write_goldens(folder, list(make_goldens(release.model, tokenizer, slots)), slots)
    weights = Weights(release.model)
    _write_traces(folder, release, weights, slots, watch)
    tensors = [Tensor(name, STORED[_name(value)], value.shape) for name, value in _pairs(weights)]
    watch.begin("Writing", sum(tensor.nbytes for tensor in tensors))
    with ShardFile(folder / FILES["weights"], tensors) as file:
        for name, value in _pairs(weights):
            thread.stop_if_abandoned()
            content = np.array(mx.view(value.reshape(-1), mx.uint8))
            file.write(name, 0, content)
            watch.advance(content.nbytes)
    manifest = Manifest(
        model=release.info.folder.name if release.info.source is None else release.info.source,
        source=release.info.source,
        revision=release.info.revision,
        clef_mlx=clef_mlx.__version__,
        mlx=mx.__version__,
        device=device_name(),
        dtype=release.info.dtype,
        slots=slots,
        weights=tuple({"name": n, "dtype": _name(value), "shape": list(value.shape)} for n, value in _pairs(weights)),
        encoding=encoding_facts(tokenizer),
        checked={},
    )
    _write_manifest(folder, manifest)
    return manifest


def _write_traces(folder: Path, release: LoadedRelease, weights: Weights, slots: Slots, watch: Watch) -> None:
    """One trace a length, all in one file; which one runs is decided by the shape of input_ids."""
    try:
        with mx.exporter(str(folder / FILES["trace"]), traced(release.model, weights)) as exporter:
            for done, length in enumerate(slots.lengths):
                thread.stop_if_abandoned()
                watch.step("Tracing lengths", done, len(slots.lengths))
                exporter(*(mx.array(value) for value in slots.shapes(length)), *weights.values)
    except RuntimeError as error:
        if "[write]" not in str(error):
            raise
        # MLX keeps the system's reason to itself; a file that could be opened and not written has found no room.
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    weights.give(release.model, weights.values)


def _proven(folder: Path) -> Checked:
    """The folder as it lies there, read back. Raises CheckpointError where it decides otherwise than the engine."""
    checked = check_export(folder)
    if not checked.passed:
        raise CheckpointError(
            f"export: probabilities must be within {checked.tolerance} of the engine's, got "
            f"{checked.max_probability_difference:.1e} in {checked.cases} goldens. Nothing was kept. Report it, please."
        )
    return checked


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(manifest.to_dict(), indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _pairs(weights: Weights) -> Iterator[tuple[str, mx.array]]:
    yield from zip(weights.names, weights.values, strict=True)


def _name(value: mx.array) -> str:
    return str(value.dtype).removeprefix("mlx.core.")
