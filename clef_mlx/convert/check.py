"""A model folder -> what is right and wrong with it: files, shapes, hashes, values and a decision.

Nothing is changed. Tensors are looked at block by block, so that any size can be checked on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx import answers
from clef_mlx.config import ReleaseConfig
from clef_mlx.convert.sidecars import RECORD, sha256
from clef_mlx.convert.source import MappedFiles, values
from clef_mlx.convert.target import Shard, items_of
from clef_mlx.convert.vision import vision_recipes
from clef_mlx.convert.watch import Watch
from clef_mlx.encoding import encode_request
from clef_mlx.engine import thread
from clef_mlx.engine.layerwise import layered_logits
from clef_mlx.errors import ClefError
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.files import ModelFolder, read_folder
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import ZERO_CENTRED_NORM
from clef_mlx.weights.load import plan_folder
from clef_mlx.weights.parted import PartedRelease
from clef_mlx.weights.plan import Plan
from clef_mlx.weights.refusals import read_json

BLOCK_BYTES = 1 << 26
# Bits that are all set in no finite number, by stored type.
EXPONENT = {"F32": (np.uint32, 0x7F800000), "F16": (np.uint16, 0x7C00), "BF16": (np.uint16, 0x7F80)}
NEGATIVE_SHARE = 0.02  # of gains; trained ones are hardly ever negative
REQUEST = {
    "state": "The heating has been off since Monday. Please send someone today.",
    "questions": {
        "urgent": {"type": "noul", "instructions": "Is it urgent?"},
        "team": {
            "type": "choice",
            "instructions": "Who should answer?",
            "criteria": {"repairs": None, "billing": None},
        },
        "anger": {
            "type": "score",
            "instructions": "How angry is the writer?",
            "criteria": ["calm", "annoyed", "furious"],
        },
    },
}


@dataclass(frozen=True)
class Check:
    """One question and its answer. `passed` is None where it could not be asked; `detail` says why."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Verification:
    """All checks of a folder, in the order they were made."""

    folder: Path
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        return all(check.passed is not False for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        return {"folder": str(self.folder), "passed": self.passed, "checks": [asdict(check) for check in self.checks]}


def verify(folder: Path, watch: Watch | None = None) -> Verification:
    """Check a folder of any layout.

    Raises CheckpointError for what is no folder of a Clef release at all.
    """
    watch = watch or Watch()
    files = read_folder(folder)
    checks = list(_structure(files))
    watch.begin("Hashing", files.nbytes)
    checks.append(check_hashes(folder, watch.advance))
    if checks[0].passed:
        config, _, plan = plan_folder(files)
        checks.append(thread.run(check_norms, plan))
        watch.begin("Reading", files.nbytes)
        checks.append(thread.run(check_values, files, watch.advance))
        checks.append(_vocabulary(folder, config))
        if all(check.passed is not False for check in checks):
            watch.begin("Deciding", 0)
            checks.append(check_decision(folder))
    return Verification(folder, tuple(checks))


def _structure(files: ModelFolder) -> Iterator[Check]:
    """Names, shapes and types against the config, from headers."""
    try:
        config, _, plan = plan_folder(files)
        vision_recipes(plan, config, str(files.path))
    except ClefError as error:
        yield Check("names and shapes", False, str(error))
        return
    elements = sum(recipe.elements for recipe in plan.recipes.values())
    detail = f"{len(plan.recipes)} text and head parameters of {elements:,} elements fit config.json"
    yield Check("names and shapes", True, f"{detail}; {len(plan.vision)} vision tensors")


def check_written(folder: Path, shards: Sequence[Shard]) -> Check:
    """Files against the plan they were written by, and against the config as any reader would."""
    files = read_folder(folder)
    found = {tensor.name: (tensor.dtype, tensor.shape) for file in files.files for tensor in file.tensors.values()}
    wanted = {tensor.name: (tensor.dtype, tensor.shape) for shard in shards for tensor in shard.tensors}
    if wrong := sorted(found.items() ^ wanted.items()):
        return Check("names and shapes", False, f"{wrong[0][0]} was not written as planned.")
    return next(_structure(files))


def check_hashes(folder: Path, progress: Callable[[int], None] = lambda nbytes: None) -> Check:
    """Every file of the record against its sha256 there."""
    if not (folder / RECORD).is_file():
        return Check("hashes", None, f"{RECORD} is not here, so there is nothing to compare with")
    recorded = read_json(folder / RECORD).get("files")
    if not isinstance(recorded, dict) or not all(isinstance(facts, dict) for facts in recorded.values()):
        return Check("hashes", False, f"{RECORD}: files must map names to sha256 and bytes. Convert the release again.")
    wrong = []
    for name, facts in recorded.items():
        file = folder / Path(name).name
        if not file.is_file():
            wrong.append(f"{file.name} is missing")
        elif file.stat().st_size != facts.get("bytes") or sha256(file) != facts.get("sha256"):
            wrong.append(f"{file.name} has changed")
        else:
            progress(file.stat().st_size)
    if wrong:
        return Check("hashes", False, f"{', '.join(wrong[:5])} since the conversion. Convert or download it again.")
    return Check("hashes", True, f"{len(recorded)} files are as they were written")


def check_norms(plan: Plan) -> Check:
    """Whether 1 was added to the norms exactly once, by what the gains look like.

    A gain lies around 1. Where 1 was added twice none is below 1; where it never was, many are negative.
    """
    files = MappedFiles()
    norms = [recipe for recipe in plan.recipes.values() if ZERO_CENTRED_NORM.fullmatch(recipe.name)]
    gains = np.concatenate([_gain(files, item) for item in items_of(norms, {}, None)])
    seen = f"gains from {gains.min():.2f} to {gains.max():.2f}, median {np.median(gains):.2f}"
    if gains.min() >= 1.0 and gains.max() > 1.0:
        return Check("norms", False, f"1 was added twice: {seen}. Convert the publisher's release again.")
    if (gains < 0).mean() > NEGATIVE_SHARE:
        return Check("norms", False, f"1 was never added: {seen}. Convert the publisher's release again.")
    return Check("norms", True, f"1 was added once: {seen}")


def _gain(files: MappedFiles, item: Any) -> np.ndarray:
    return np.array(values(item, files, 0, item.recipe.shape[0]).astype(mx.float32))


def check_values(files: ModelFolder, progress: Callable[[int], None] = lambda nbytes: None) -> Check:
    """NaN and infinity in any tensor of the folder."""
    maps, wrong, count = MappedFiles(), [], 0
    for file in files.files:
        for tensor in file.tensors.values():
            wrong += [tensor.name] if _holds_non_finite(maps, tensor, file.tensors, progress) else []
            count += 1
    if wrong:
        names = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        return Check("values", False, f"NaN or infinity in {names}. Convert or download it again.")
    return Check("values", True, f"{count} tensors, all finite")


def _holds_non_finite(
    maps: MappedFiles, tensor: TensorHeader, others: dict[str, TensorHeader], progress: Callable[[int], None]
) -> bool:
    raw = maps.raw(tensor)
    for start in range(0, len(raw), BLOCK_BYTES):
        thread.stop_if_abandoned()
        block = np.frombuffer(raw[start : start + BLOCK_BYTES].tobytes(), np.uint8)
        progress(len(block))
        if tensor.dtype in EXPONENT:
            kind, mask = EXPONENT[tensor.dtype]
            if ((block.view(kind) & mask) == mask).any():
                return True
        elif tensor.dtype == "U8" and tensor.name.endswith(".scales") and _is_nan_scale(block, tensor, others):
            return True
    return False


def _is_nan_scale(block: np.ndarray, tensor: TensorHeader, others: dict[str, TensorHeader]) -> bool:
    """mxfp4 and mxfp8 scale by E8M0, whose NaN is 255; nvfp4 by E4M3, whose NaN is 127 without its sign."""
    weight = others.get(f"{tensor.name.removesuffix('.scales')}.weight")
    bits_a_group = 32 * weight.shape[-1] // tensor.shape[-1] if weight is not None and tensor.shape[-1] else 0
    if bits_a_group == 4 * 16:
        return bool(((block & 0x7F) == 0x7F).any())
    return bool((block == 0xFF).any())


def _vocabulary(folder: Path, config: ReleaseConfig) -> Check:
    try:
        check_vocabulary(ReleaseTokenizer.from_folder(folder), config.text.vocab_size)
    except ClefError as error:
        return Check("tokenizer", False, str(error))
    return Check("tokenizer", True, f"its ids lie within the {config.text.vocab_size:,} rows of the embedding")


def check_decision(folder: Path) -> Check:
    """Read the folder as any user would and decide a small request, a layer at a time so that memory hardly matters."""
    try:
        tokenizer = ReleaseTokenizer.from_folder(folder)
        record = encode_request(tokenizer, parse_request(REQUEST))
        logits = thread.run(_logits, folder, record, tokenizer.pad_token_id)
        decided = answers.probabilities(logits)
    except ClefError as error:
        return Check("decision", False, str(error))
    return Check("decision", True, f"decided {len(decided)} questions, all finite")


def _logits(folder: Path, record: EncodedRecord, pad_token_id: int) -> list[np.ndarray]:
    ((logits,),) = layered_logits(PartedRelease(folder, memory_bytes=0), [record], pad_token_id)
    mx.clear_cache()
    return logits
