"""An export, loaded back: trace, weights and manifest, as any other program would use them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.encoding import encode_request
from clef_mlx.engine import thread
from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.export.manifest import FILES, MANIFEST, Manifest, check_device, encoding_facts, read_manifest
from clef_mlx.export.slots import Arguments
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer


@dataclass(frozen=True)
class Exported:
    """`decide` belongs to the thread that opened it."""

    manifest: Manifest
    trace: Any
    weights: list[mx.array]

    def decide(self, arguments: Arguments) -> tuple[np.ndarray, np.ndarray]:
        """Logits and probabilities [O] float32 of every option slot."""
        logits, probabilities = self.trace(*(mx.array(value) for value in arguments), *self.weights)
        return np.array(logits), np.array(probabilities)


@dataclass(frozen=True)
class Checked:
    """How far the goldens' probabilities are from the trace's, at most."""

    cases: int
    max_probability_difference: float
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.max_probability_difference <= self.tolerance


# float32 sums in another order; half precision differs by what its rounding does to a whole record.
TOLERANCES = {"float32": 2e-5, "bfloat16": 0.05, "float16": 0.01}


def open_export(folder: Path) -> Exported:
    """To be called in the thread that used MLX first. Raises CheckpointError: no export, damaged, another device's."""
    manifest = read_manifest(folder)
    check_device(manifest, folder)
    mx.default_stream(mx.default_device())  # traces want the first stream; loading would make one of the CPU's before
    trace = _read(folder / FILES["trace"], mx.import_function, manifest)
    stored = _read(folder / FILES["weights"], mx.load, manifest)
    weights = []
    for facts in manifest.weights:
        value = stored.get(facts["name"])
        if value is None or list(value.shape) != facts["shape"] or _name(value.dtype) != facts["dtype"]:
            raise CheckpointError(
                f"{folder}/{FILES['weights']}: {facts['name']} must be as the manifest says. Export again."
            )
        weights.append(value)
    return Exported(manifest, trace, weights)


def check_export(folder: Path) -> Checked:
    """Run every golden through the trace as it lies in the folder. Raises CheckpointError.

    In a process of its own: a loaded function runs only in the thread that used MLX first, which here may be another.
    """
    check_device(read_manifest(folder), folder)
    code = "import sys; from clef_mlx.export.exported import report; report(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2].rstrip(".")
        raise CheckpointError(f"{folder}: the check ended with code {done.returncode}: {last}. Export the model again.")
    found = json.loads(done.stdout)
    if "error" in found:
        raise CheckpointError(found["error"])
    return Checked(**found)


def report(folder: str) -> None:
    """Print what a check in this process finds, as JSON."""
    try:
        found = asdict(thread.run(_check, Path(folder)))
    except ClefError as error:
        found = {"error": str(error)}
    print(json.dumps(found))  # noqa: T201 - read by the process that asked


def _check(folder: Path) -> Checked:
    exported = open_export(folder)
    goldens = _read(folder / FILES["golden_tensors"], mx.load, exported.manifest)
    requests = _requests(folder, exported.manifest)
    cases, worst = len(requests), 0.0
    for case, encoded in enumerate(requests):
        arguments = Arguments(*(np.array(goldens[f"{case}.{name}"]) for name in Arguments._fields))
        if not all(np.array_equal(*pair) for pair in zip(arguments, encoded, strict=True)):
            raise CheckpointError(
                f"{folder}/{FILES['golden_tensors']}: case {case} must have the arguments that its request becomes, "
                "got others. Export the model again."
            )
        _, found = exported.decide(arguments)
        difference = np.abs(found - np.array(goldens[f"{case}.probabilities"])).max()
        worst = max(worst, float(np.nan_to_num(difference, nan=1.0)))  # NaN is as far as can be
    return Checked(cases, worst, TOLERANCES[exported.manifest.dtype])


def _requests(folder: Path, manifest: Manifest) -> list[Arguments]:
    """The goldens' requests, encoded anew as the manifest says, with the folder's own tokenizer."""
    path = folder / FILES["golden_requests"]
    try:
        cases = [(case["request"], case["length"]) for case in json.loads(path.read_bytes())["cases"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path}: cannot be read: {error!r}. Export the model again.") from None
    if set(manifest.slots.lengths) - {length for _, length in cases}:
        raise CheckpointError(f"{path}: must have a case of every length in the manifest. Export the model again.")
    pad_token_id = manifest.encoding.get("pad_token_id")
    tokenizer = ReleaseTokenizer.from_file(folder / FILES["tokenizer"], pad_token_id)
    if encoding_facts(tokenizer) != manifest.encoding:
        raise CheckpointError(
            f"{folder}/{MANIFEST}: encoding must be what this version and {FILES['tokenizer']} make of it, got other "
            "facts. Export the model again."
        )
    limit = manifest.slots.lengths[-1]
    return [
        manifest.slots.fill(encode_request(tokenizer, parse_request(request), max_length=limit), length, pad_token_id)
        for request, length in cases
    ]


def _read(path: Path, read: Any, manifest: Manifest) -> Any:
    """MLX says what is wrong with a file in a RuntimeError or ValueError."""
    try:
        return read(str(path))
    except (OSError, RuntimeError, ValueError) as error:
        versions = f"made with MLX {manifest.mlx}, this is {mx.__version__}"
        raise CheckpointError(
            f"{path}: cannot be read ({versions}): {str(error).strip().rstrip('.')}. Export the model again."
        ) from None


def _name(dtype: mx.Dtype) -> str:
    return str(dtype).removeprefix("mlx.core.")
