"""What a model folder holds and what it would need, from headers alone: no tensor is read.

A folder that could not be loaded raises the same error here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from clef_mlx.config import ReleaseConfig
from clef_mlx.errors import MemoryBudgetError
from clef_mlx.model.paths import paths
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.footprint import Footprint
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.kinds import Layout, layout_of
from clef_mlx.weights.load import plan_adapted
from clef_mlx.weights.memory import UNBOUNDED, available_bytes, on_gpu
from clef_mlx.weights.plan import Plan
from clef_mlx.weights.precision import BYTES, STORED, Precision, choose_precision, stored_dtype
from clef_mlx.weights.provenance import read_provenance
from clef_mlx.weights.quantize import FLOAT_MODES

TOKENS = (1024, 4096, 16384)  # record lengths that memory is told for

# The first pattern that a canonical parameter name matches gives its kind.
KINDS = (
    ("head", r"head\."),
    ("lm_head", r"lm_head\."),
    ("embed_tokens", r"language_model\.embed_tokens\."),
    ("convolutions and decays", r".*\.(?:conv1d\.weight|A_log|dt_bias)$"),
    ("norms", r".*norm\.weight$"),
    ("linear attention", r".*\.linear_attn\."),
    ("full attention", r".*\.self_attn\."),
    ("mlp", r".*\.mlp\."),
)


@dataclass(frozen=True)
class Share:
    """One kind of module. `storage` maps "4-bit affine g64", "bfloat16", … to parameters, the largest first."""

    kind: str
    parameters: int
    stored_bytes: int
    storage: dict[str, int]


@dataclass(frozen=True)
class Inspection:
    """Facts of a folder that would load.

    `parameters` has text, vision, head and total; tied output rows count once. What begins with `load_`,
    `weight_bytes` and `deciding_bytes` (record tokens -> estimate of everything else) are for this machine's device.
    """

    folder: Path
    layout: Layout
    source: str | None
    revision: str | None
    parameters: dict[str, int]
    shares: tuple[Share, ...]
    disk_bytes: int
    stored_dtype: str
    load_dtype: str
    load_note: str | None
    weight_bytes: int
    deciding_bytes: dict[int, int]
    vision: bool
    adapter: bool
    skipped_mtp_tensors: int
    unused_files: tuple[str, ...]


def inspect_release(folder: Path) -> Inspection:
    """Describe a folder. Raises what `load_release` would raise, except for lack of memory and a non-finite head."""
    files = read_folder(Path(folder))
    adapted = plan_adapted(files)
    config, plan = adapted.config, adapted.plan
    check_vocabulary(ReleaseTokenizer.from_folder(files.path), config.text.vocab_size)
    shares = _shares(plan, (config.quantization or {}).get("group_size", 64))
    precision = _precision(plan)
    source, revision = read_provenance(files.path, files.config)
    return Inspection(
        folder=files.path,
        layout=layout_of(files, plan),
        source=source,
        revision=revision,
        parameters=_parameters(shares),
        shares=shares,
        disk_bytes=files.nbytes,
        stored_dtype=stored_dtype(plan),
        load_dtype=precision.dtype,
        load_note=precision.note,
        weight_bytes=precision.total_bytes(plan),
        deciding_bytes={tokens: deciding_bytes(config, precision, tokens) for tokens in TOKENS},
        vision=bool(plan.vision),
        adapter=files.adapter is not None,
        skipped_mtp_tensors=len(plan.mtp),
        unused_files=files.unused,
    )


def _precision(plan: Plan) -> Precision:
    """How the folder would be loaded here; where it does not fit, how it would be with memory enough, and a note."""
    try:
        return choose_precision(plan, gpu=on_gpu(), available_bytes=available_bytes())
    except MemoryBudgetError as error:
        return replace(choose_precision(plan, gpu=on_gpu(), available_bytes=UNBOUNDED), note=str(error))


def _shares(plan: Plan, declared_group: int) -> tuple[Share, ...]:
    storage: dict[str, Counter[str]] = {}
    stored: Counter[str] = Counter()
    for recipe in plan.recipes.values():
        kind = next(kind for kind, pattern in KINDS if re.match(pattern, recipe.name))
        word = str(recipe.quantization or STORED[recipe.parts[0].weight.dtype])
        storage.setdefault(kind, Counter())[word] += recipe.elements
        stored[kind] += sum(tensor.nbytes for part in recipe.parts for tensor in part.tensors)
    for word, elements, nbytes in _vision_matrices(plan, declared_group):
        storage.setdefault("vision", Counter())[word] += elements
        stored["vision"] += nbytes
    kinds = [kind for kind, _ in KINDS if kind in storage] + ["vision"] * bool(plan.vision)
    kinds.append(kinds.pop(0))  # the head last, as it comes last in the model
    return tuple(Share(kind, storage[kind].total(), stored[kind], dict(storage[kind].most_common())) for kind in kinds)


def _vision_matrices(plan: Plan, declared_group: int) -> Iterator[tuple[str, int, int]]:
    """Storage, parameters and bytes of each vision tensor; a quantized one with its scales and biases."""
    tensors = {tensor.name: tensor for tensor in plan.vision}
    for name, tensor in tensors.items():
        module, _, leaf = name.rpartition(".")
        if leaf in ("scales", "biases") and f"{module}.scales" in tensors:
            continue
        scales, biases = tensors.get(f"{module}.scales"), tensors.get(f"{module}.biases")
        if leaf != "weight" or scales is None:
            yield STORED.get(tensor.dtype, tensor.dtype), tensor.elements, tensor.nbytes
            continue
        nbytes = tensor.nbytes + scales.nbytes + (0 if biases is None else biases.nbytes)
        yield *_vision_quantization(tensor, scales, declared_group), nbytes


def _vision_quantization(weight: TensorHeader, scales: TensorHeader, declared_group: int) -> tuple[str, int]:
    """Words and unpacked size. The input width is not known here, so an affine group size must be taken from config."""
    packed_bits = 32 * weight.shape[-1] // scales.shape[-1]  # bits * group_size
    for (bits, group), mode in FLOAT_MODES.items():
        if scales.dtype == "U8" and bits * group == packed_bits:
            return f"{bits}-bit {mode} g{group}", scales.elements * group
    return f"{packed_bits // declared_group}-bit affine g{declared_group}", scales.elements * declared_group


def _parameters(shares: tuple[Share, ...]) -> dict[str, int]:
    counts = {"text": 0, "vision": 0, "head": 0}
    for share in shares:
        counts[share.kind if share.kind in counts else "text"] += share.parameters
    return counts | {"total": sum(counts.values())}


def deciding_bytes(config: ReleaseConfig, precision: Precision, tokens: int) -> int:
    """Estimate what one record of this length takes over the weights."""
    return Footprint.of(config, BYTES[precision.dtype]).deciding(tokens, chunk=paths().prefill_tokens)
