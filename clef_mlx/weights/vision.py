"""A release's vision tower, planned from headers and read when the first picture comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from clef_mlx.config import ReleaseConfig, VisionConfig
from clef_mlx.errors import RequestError
from clef_mlx.model.vision import VisionModel
from clef_mlx.weights.adapters.adapters import Adapters
from clef_mlx.weights.adapters.attach import attach
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import place
from clef_mlx.weights.memory import on_gpu
from clef_mlx.weights.plan import Change, Part, Plan, Recipe, Shape
from clef_mlx.weights.precision import Precision
from clef_mlx.weights.quantize import FLOATS, infer
from clef_mlx.weights.reading import DTYPES, Reader, make, stays_quantized
from clef_mlx.weights.refusals import report

PATCHES = "visual.patch_embed.proj.weight"
ABSENT = "this model has no vision tower. Remove images and videos, or take a release with one."


@dataclass(frozen=True)
class VisionSource:
    """Where a loaded release's tower comes from, and in which precision. `where` names the folder in messages."""

    where: str
    release: ReleaseConfig
    plan: Plan
    precision: Precision
    adapters: Adapters

    def refuse_absent(self, kind: str) -> None:
        """Raise RequestError where the release has no tower for `kind`, the request's images or videos.

        Raises CheckpointError where it has one that does not fit its config.
        """
        if not self.plan.vision or self.release.vision is None or self.release.image_token_id is None:
            raise RequestError(f"{kind}: {ABSENT}", (kind,))
        _ = self.recipes

    @cached_property
    def config(self) -> VisionConfig:
        return vision_config(self.release)

    @cached_property
    def recipes(self) -> dict[str, Recipe]:
        return tower_recipes(self.plan.vision, self.config, self.where)

    @property
    def width(self) -> int:
        """Bytes of an activation; float16 is computed in float32, and so is nearly all on a CPU."""
        return 2 if self.precision.dtype == "bfloat16" and on_gpu() else 4

    @property
    def nbytes(self) -> int:
        """What the tower takes once loaded."""
        return sum(self.precision.nbytes(recipe) for recipe in self.recipes.values())

    def load(self) -> VisionModel:
        """Read the tower, block by block, with its adapters merged or beside what stays quantized."""
        holder = _holder(self.config)
        kept = {
            recipe.module: recipe.quantization
            for recipe in self.recipes.values()
            if stays_quantized(recipe, self.precision, self.adapters)
        }
        if kept:
            nn.quantize(holder, class_predicate=lambda path, _: dict(vars(kept[path])) if path in kept else False)
        holder.load_weights(list(self._read()), strict=True)
        attach(holder, self.adapters, kept, DTYPES[self.precision.dtype])
        holder.eval()
        mx.clear_cache()
        return holder.visual

    def _read(self) -> Iterator[tuple[str, mx.array]]:
        reader = Reader()
        for recipe in self.recipes.values():
            made = make(recipe, self.precision, self.adapters, reader)
            mx.eval([value for _, value in made])
            yield from made


def vision_config(release: ReleaseConfig) -> VisionConfig:
    """The tower's facts. Raises CheckpointError where they are missing or contradict the backbone's."""
    where = "config.json: vision_config"
    return VisionConfig.from_json(release.vision or {}, hidden_size=release.text.hidden_size, where=where)


def tower_recipes(tensors: tuple[TensorHeader, ...], config: VisionConfig, where: str) -> dict[str, Recipe]:
    """How every parameter of the tower is made, by name. Raises CheckpointError, a line per tensor that does not fit.

    The patch embedding is stored as [D, C, T, P, P] in a release, [D, T, P, P, C] by MLX converters, or flat; flat
    rows are a release's, whoever wrote them. All else is the same in every layout.
    """
    stored: dict[str, TensorHeader] = {}
    problems: list[str] = []
    for tensor in tensors:
        if stored.setdefault(name := place(tensor.name).name, tensor) is not tensor:
            problems.append(f"{tensor.name}: stored twice, also as {stored[name].name}.")
    recipes = {}
    for name, value in tree_flatten(_holder(config).parameters()):
        if (tensor := stored.pop(name, None)) is None:
            problems.append(f"{name}: missing. Download the model again, or check config.json.")
        elif recipe := _recipe(name, tuple(value.shape), tensor, stored, config, problems):
            recipes[name] = recipe
    problems += [
        f"{tensor.name}: not in this model. The folder does not fit its config.json." for tensor in stored.values()
    ]
    report(where, problems)
    return recipes


def _holder(config: VisionConfig) -> nn.Module:
    """A module around the tower, so that its parameters carry their full names."""
    holder = nn.Module()
    holder.visual = VisionModel(config)
    return holder


def _recipe(
    name: str,
    shape: Shape,
    tensor: TensorHeader,
    stored: dict[str, TensorHeader],
    config: VisionConfig,
    problems: list[str],
) -> Recipe | None:
    """One parameter's recipe; takes its scales and biases out of `stored`."""
    stem = name.removesuffix(".weight")
    scales, biases = (stored.pop(f"{stem}.{leaf}", None) for leaf in ("scales", "biases"))
    if scales is not None:
        found = infer(tensor, scales, biases, shape[1]) if len(shape) == 2 else None
        if found is not None and tensor.shape[0] == shape[0]:
            return Recipe(name, shape, (Part(tensor, scales, biases, found),))
        problems.append(f"{tensor.name}: no MLX quantization of {list(shape)} is stored as {list(tensor.shape)}.")
        return None
    changes: Mapping[Shape, Change] = _patch_shapes(shape, config) if name == PATCHES else {shape: "none"}
    if tensor.shape not in changes:
        words = " or ".join(str(list(one)) for one in changes)
        problems.append(f"{tensor.name}: shape must be {words}, got {list(tensor.shape)}.")
    elif tensor.dtype not in FLOATS:
        problems.append(f"{tensor.name}: dtype must be one of {', '.join(FLOATS)}, got {tensor.dtype}.")
    else:
        return Recipe(name, shape, (Part(tensor),), changes[tensor.shape])
    return None


def _patch_shapes(shape: Shape, config: VisionConfig) -> dict[Shape, Change]:
    rows, channels, side = shape[0], config.in_channels, config.patch_size
    times = config.temporal_patch_size
    # Where both look alike it is a release's: no published tower has as many frames as channels.
    return {
        (rows, times, side, side, channels): "channels first",
        (rows, channels, times, side, side): "flatten",
        shape: "none",
    }
