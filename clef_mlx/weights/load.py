"""A model folder into a model: everything is checked from headers first, then read group by group.

Weights are read lazily and each layer is finished before the next, so that loading needs little more memory than the
model itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from clef_mlx.config import ReleaseConfig
from clef_mlx.errors import AdapterError, CheckpointError
from clef_mlx.model.clef import ClefModel
from clef_mlx.weights.files import ModelFolder, read_folder
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.kinds import Layout, layout_of
from clef_mlx.weights.lora import LoraPair, merge, read_adapter
from clef_mlx.weights.memory import available_bytes, on_gpu
from clef_mlx.weights.plan import Part, Plan, Recipe, make_plan
from clef_mlx.weights.precision import Precision, choose_precision
from clef_mlx.weights.provenance import read_provenance

DTYPES = {"float32": mx.float32, "bfloat16": mx.bfloat16, "float16": mx.float16}


@dataclass(frozen=True)
class ReleaseInfo:
    """Facts of a loaded release. `quantized_modules` counts those kept quantized; `note` says why it is slow."""

    folder: Path
    layout: Layout
    dtype: str
    quantized_modules: int
    weight_bytes: int
    skipped_vision_tensors: int
    skipped_mtp_tensors: int
    source: str | None
    revision: str | None
    note: str | None


@dataclass(frozen=True)
class LoadedRelease:
    """A model ready to decide, the config it was built from, and where it came from."""

    model: ClefModel
    config: ReleaseConfig
    info: ReleaseInfo


def plan_folder(folder: ModelFolder) -> tuple[ReleaseConfig, ClefModel, Plan]:
    """Config, model without weights (MLX allocates nothing until asked) and the plan that fills it."""
    config = ReleaseConfig.from_json(folder.config, folder.head_config, where="config.json")
    model = ClefModel(config)
    expected = {name: tuple(value.shape) for name, value in tree_flatten(model.parameters())}
    return config, model, make_plan(folder, config, expected)


def load_release(
    folder: Path,
    *,
    dtype: str | mx.Dtype | None = None,
    dequantize: bool | None = None,
    memory_bytes: int | None = None,
) -> LoadedRelease:
    """Load a Clef release of any known layout.

    `dtype` is float32, bfloat16 or float16, by name or as MLX's own; None (or auto) keeps the weights' own on a GPU
    and takes float32 on a CPU. `dequantize` unpacks quantized modules while loading; None does so on a CPU, if the
    memory allows.
    `memory_bytes` are all that arrays may take, where that is less than this machine has.
    Raises CheckpointError, AdapterError, MemoryBudgetError, all before anything large is read except for a
    non-finite head, which is found right after reading the head.
    """
    dtype = str(dtype).removeprefix("mlx.core.") if isinstance(dtype, mx.Dtype) else dtype
    files = read_folder(Path(folder))
    config, model, plan = plan_folder(files)
    adapter = {} if files.adapter is None else read_adapter(files.adapter, plan.recipes)
    available = available_bytes()
    if memory_bytes is not None:
        available = min(available, memory_bytes - mx.get_active_memory())
    precision = choose_precision(plan, gpu=on_gpu(), available_bytes=available, dtype=dtype, dequantize=dequantize)
    kept = {r.module: r.quantization for r in plan.recipes.values() if precision.keeps_quantized(r)}
    if clash := sorted(kept.keys() & {name.removesuffix(".weight") for name in adapter}):
        raise AdapterError(f"{clash[0]}: is quantized, so no adapter can be merged. Load with dequantize=True.")
    _quantize(model, plan, kept)
    weights = dict(_read(plan, precision, adapter))
    if plan.tied:
        embedding = {name: value for name, value in weights.items() if name.startswith("language_model.embed_tokens.")}
        weights |= {f"lm_head.{name.rpartition('.')[2]}": value for name, value in embedding.items()}
    model.load_weights(list(weights.items()), strict=True)
    model.eval()
    mx.clear_cache()  # what casting and unpacking left behind
    return LoadedRelease(model, config, _info(files, plan, precision, len(kept)))


def _info(files: ModelFolder, plan: Plan, precision: Precision, kept: int) -> ReleaseInfo:
    source, revision = read_provenance(files.path, files.config)
    return ReleaseInfo(
        folder=files.path,
        layout=layout_of(files, plan),
        dtype=precision.dtype,
        quantized_modules=kept,
        weight_bytes=precision.total_bytes(plan),
        skipped_vision_tensors=len(plan.vision),
        skipped_mtp_tensors=len(plan.mtp),
        source=source,
        revision=revision,
        note=precision.note,
    )


def _quantize(model: ClefModel, plan: Plan, kept: Mapping[str, object]) -> None:
    """Replace the modules that stay quantized. Nothing is computed: the random weights are never asked for."""
    settings = dict(kept)
    if plan.tied and "language_model.embed_tokens" in kept:
        settings["lm_head"] = kept["language_model.embed_tokens"]
    if settings:
        nn.quantize(model, class_predicate=lambda path, _: dict(vars(settings[path])) if path in settings else False)


def _read(plan: Plan, precision: Precision, adapter: Mapping[str, LoraPair]) -> Iterator[tuple[str, mx.array]]:
    """Parameters in the order of reading: the head, which may be refused, then layer by layer."""
    reader = _Reader()
    order = sorted(plan.recipes.values(), key=lambda recipe: not recipe.name.startswith("head."))
    for _, group in groupby(order, key=_group):
        recipes = list(group)
        made = [item for recipe in recipes for item in _make(recipe, precision, adapter, reader)]
        mx.eval([value for _, value in made])
        if recipes[0].name.startswith("head."):
            _refuse_non_finite(recipes, dict(made))
        yield from made


def _group(recipe: Recipe) -> str:
    """Tensors that are read together: a layer, or one of the large tensors outside the layers."""
    parts = recipe.name.split(".")
    return "head" if parts[0] == "head" else ".".join(parts[:3])


def _refuse_non_finite(recipes: list[Recipe], values: Mapping[str, mx.array]) -> None:
    for recipe in recipes:
        if not mx.isfinite(values[recipe.name]).all().item():
            tensor = recipe.parts[0].weight
            raise CheckpointError(
                f"{tensor.file.name}: {tensor.name} must be finite, got NaN or infinity. "
                "Download the model again, or choose a wider dtype."
            )


class _Reader:
    """Lazy arrays of the files in use; each is handed out once, so that nothing read stays alive here."""

    def __init__(self) -> None:
        self._files: dict[Path, dict[str, mx.array]] = {}

    def take(self, tensor: TensorHeader) -> mx.array:
        if tensor.file not in self._files:
            self._files[tensor.file] = mx.load(str(tensor.file))
        return self._files[tensor.file].pop(tensor.name)


def _make(
    recipe: Recipe, precision: Precision, adapter: Mapping[str, LoraPair], reader: _Reader
) -> list[tuple[str, mx.array]]:
    dtype = DTYPES[precision.of(recipe)]
    if precision.keeps_quantized(recipe):
        return _keep(recipe, dtype, reader)
    parts = [_unpack(part, reader) for part in recipe.parts]
    value = parts[0] if len(parts) == 1 else mx.concatenate(parts)
    if recipe.change == "add one":
        value = value.astype(mx.float32) + 1.0
    elif recipe.change == "swap axes":
        value = mx.contiguous(value.swapaxes(1, 2))
    if (pair := adapter.get(recipe.name)) is not None:
        value = merge(value, reader.take(pair.a), reader.take(pair.b), pair.scale)
    return [(recipe.name, value.astype(dtype))]


def _keep(recipe: Recipe, dtype: mx.Dtype, reader: _Reader) -> list[tuple[str, mx.array]]:
    """Packed values and scales as stored. Affine scales take the load dtype, or their products would promote."""
    part = recipe.parts[0]
    values = [(recipe.name, reader.take(part.weight))]
    for leaf, tensor in (("scales", part.scales), ("biases", part.biases)):
        if tensor is not None:
            stored = reader.take(tensor)
            values.append((f"{recipe.module}.{leaf}", stored if tensor.dtype == "U8" else stored.astype(dtype)))
    return values


def _unpack(part: Part, reader: _Reader) -> mx.array:
    """The stored matrix, in float32 where it was quantized: with bfloat16 scales MLX would round every product."""
    weight = reader.take(part.weight)
    if (q := part.quantization) is None:
        return weight
    scales, biases = (None if tensor is None else reader.take(tensor) for tensor in (part.scales, part.biases))
    if biases is not None:
        scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
    return mx.dequantize(weight, scales, biases, q.group_size, q.bits, q.mode, dtype=mx.float32)
