"""A model folder into a model: everything is checked from headers first, then read group by group.

Weights are read lazily and each layer is finished before the next, so that loading needs little more memory than the
model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from clef_mlx.weights.adapters.adapters import Adapters, read_adapters
from clef_mlx.weights.adapters.attach import attach
from clef_mlx.weights.adapters.head import trained_head, with_head
from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.files import ModelFolder, read_folder
from clef_mlx.weights.kinds import Layout, layout_of
from clef_mlx.weights.layouts import place
from clef_mlx.weights.memory import available_bytes, on_gpu
from clef_mlx.weights.plan import Plan, Recipe, Shape, make_plan
from clef_mlx.weights.precision import Precision, choose_precision
from clef_mlx.weights.provenance import read_provenance
from clef_mlx.weights.reading import DTYPES, Reader, make, stays_quantized
from clef_mlx.weights.vision import VisionSource, tower_recipes, vision_config


@dataclass(frozen=True)
class ReleaseInfo:
    """Facts of a loaded release. `quantized_modules` counts those kept quantized; `note` says why it is slow.

    `adapters` names what is added to it, with weights other than 1, and `adapter_notes` what to know about that.
    """

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
    adapters: tuple[str, ...]
    adapter_notes: tuple[str, ...]


@dataclass(frozen=True)
class LoadedRelease:
    """A model ready to decide, the config it was built from, where it came from, and its tower, not yet read."""

    model: ClefModel
    config: ReleaseConfig
    info: ReleaseInfo
    vision: VisionSource


def plan_folder(folder: ModelFolder) -> tuple[ReleaseConfig, ClefModel, Plan]:
    """Config, model without weights (MLX allocates nothing until asked) and the plan that fills it."""
    config = ReleaseConfig.from_json(folder.config, folder.head_config, where="config.json")
    model = ClefModel(config)
    expected = {name: tuple(value.shape) for name, value in tree_flatten(model.parameters())}
    return config, model, make_plan(folder, config, expected)


def _vision_shapes(files: ModelFolder, config: ReleaseConfig, plan: Plan) -> dict[str, Shape]:
    """The tower's shapes: as stored, or from its config where matrices are packed."""
    stored = {place(tensor.name).name: tensor.shape for tensor in plan.vision}
    if not any(name.endswith(".scales") for name in stored):
        return stored
    recipes = tower_recipes(plan.vision, vision_config(config), str(files.path))
    return {name: recipe.shape for name, recipe in recipes.items()}


@dataclass(frozen=True)
class Adapted:
    """A planned release with the adapters that change it; where they bring a head, `files` and `plan` have that one."""

    files: ModelFolder
    config: ReleaseConfig
    model: ClefModel
    plan: Plan
    adapters: Adapters


def plan_adapted(files: ModelFolder, specs: Sequence[AdapterSpec] = (), *, base_head: bool = False) -> Adapted:
    """Plan a folder with its own adapter (layout H) and those given, from headers and configs alone.

    `base_head` keeps the folder's head where an adapter brings a trained one. Raises CheckpointError, AdapterError.
    """
    config, model, plan = plan_folder(files)
    own = () if files.adapter is None else (AdapterSpec(files.adapter),)
    head = None if base_head else trained_head(specs)
    if head is not None:
        files = with_head(files, head)
        try:
            plan = plan_folder(files)[2]
        except CheckpointError as error:
            # The folder alone fits, so what does not is the head.
            raise AdapterError(f"{head}: is no head for {files.path.name}: {error}") from None
    source = read_provenance(files.path, files.config).source
    adapters = read_adapters(
        (*own, *specs), plan, config, vision=_vision_shapes(files, config, plan), source=source, head=head
    )
    return Adapted(files, config, model, plan, adapters)


def load_release(
    folder: Path,
    *,
    adapters: Sequence[AdapterSpec] = (),
    base_head: bool = False,
    dtype: str | mx.Dtype | None = None,
    dequantize: bool | None = None,
    memory_bytes: int | None = None,
    between: Callable[[], None] = lambda: None,
) -> LoadedRelease:
    """Load a Clef release of any known layout.

    `dtype` is float32, bfloat16 or float16, by name or as MLX's own; None (or auto) keeps the weights' own on a GPU
    and takes float32 on a CPU. `dequantize` unpacks quantized modules while loading; None does so on a CPU, if the
    memory allows.
    `adapters` are merged in float32 into what is not kept quantized, which is exact and costs nothing later; beside
    matrices that stay quantized they are computed at run time. A head trained with them takes the place of the
    folder's own, unless `base_head`.
    `memory_bytes` are all that arrays may take, where that is less than this machine has. `between` is called between
    two layers; what it raises ends the loading.
    Raises CheckpointError, AdapterError, MemoryBudgetError, all before anything large is read except for a
    non-finite head, which is found right after reading the head.
    """
    dtype = str(dtype).removeprefix("mlx.core.") if isinstance(dtype, mx.Dtype) else dtype
    files = read_folder(Path(folder))
    adapted = plan_adapted(files, adapters, base_head=base_head)
    model, plan = adapted.model, adapted.plan
    adapted.adapters.refuse_non_finite()
    available = available_bytes()
    if memory_bytes is not None:
        available = min(available, memory_bytes - mx.get_active_memory())
    available -= adapted.adapters.nbytes
    precision = choose_precision(plan, gpu=on_gpu(), available_bytes=available, dtype=dtype, dequantize=dequantize)
    kept = {r.module: r.quantization for r in plan.recipes.values() if stays_quantized(r, precision, adapted.adapters)}
    quantize_modules(model, plan, kept)
    weights = dict(_read(plan, precision, adapted.adapters, between))
    if plan.tied:
        embedding = {name: value for name, value in weights.items() if name.startswith("language_model.embed_tokens.")}
        weights |= {f"lm_head.{name.rpartition('.')[2]}": value for name, value in embedding.items()}
    model.load_weights(list(weights.items()), strict=True)
    attach(model, adapted.adapters, kept, DTYPES[precision.dtype])
    model.eval()
    mx.clear_cache()  # what casting and unpacking left behind
    vision = VisionSource(files.path.name, adapted.config, plan, precision, adapted.adapters)
    return LoadedRelease(model, adapted.config, _info(files, adapted, precision, len(kept)), vision)


def _info(files: ModelFolder, adapted: Adapted, precision: Precision, kept: int) -> ReleaseInfo:
    plan = adapted.plan
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
        adapters=adapted.adapters.names,
        adapter_notes=adapted.adapters.notes,
    )


def quantize_modules(model: ClefModel, plan: Plan, kept: Mapping[str, object]) -> None:
    """Replace the modules that stay quantized. Nothing is computed: the random weights are never asked for."""
    settings = dict(kept)
    if plan.tied and "language_model.embed_tokens" in kept:
        settings["lm_head"] = kept["language_model.embed_tokens"]
    if settings:
        nn.quantize(model, class_predicate=lambda path, _: dict(vars(settings[path])) if path in settings else False)


def _read(
    plan: Plan, precision: Precision, adapters: Adapters, between: Callable[[], None]
) -> Iterator[tuple[str, mx.array]]:
    """Parameters in the order of reading: the head, which may be refused, then layer by layer."""
    reader = Reader()
    order = sorted(plan.recipes.values(), key=lambda recipe: not recipe.name.startswith("head."))
    for _, group in groupby(order, key=_group):
        between()
        recipes = list(group)
        made = [item for recipe in recipes for item in make(recipe, precision, adapters, reader)]
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
