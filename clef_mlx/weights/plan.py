"""What every parameter of the model is made of: stored tensors, and what has to be done to them.

Made from headers alone, so a folder that does not fit is refused before anything large is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from clef_mlx.config import ReleaseConfig
from clef_mlx.errors import CheckpointError
from clef_mlx.weights.files import ModelFolder
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import CONV, ZERO_CENTRED_NORM, Place, place
from clef_mlx.weights.quantize import FLOATS, Declared, Quantization, infer
from clef_mlx.weights.refusals import report

Orientation = Literal["release", "mlx"]
# "flatten": rows of all values behind the first axis; "channels first" brings the last axis before them. A conversion
# writes "channels last": from either of those back to MLX's axes.
Change = Literal["none", "add one", "swap axes", "flatten", "channels first", "channels last"]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """One stored matrix, with its scales and biases where it is quantized."""

    weight: TensorHeader
    scales: TensorHeader | None = None
    biases: TensorHeader | None = None
    quantization: Quantization | None = None

    @property
    def tensors(self) -> tuple[TensorHeader, ...]:
        return tuple(tensor for tensor in (self.weight, self.scales, self.biases) if tensor is not None)


@dataclass(frozen=True)
class Recipe:
    """How one parameter is made. Several parts are rows one after another; `shape` is the finished, unpacked one."""

    name: str
    shape: Shape
    parts: tuple[Part, ...]
    change: Change = "none"

    @property
    def module(self) -> str:
        return self.name.removesuffix(".weight")

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def quantization(self) -> Quantization | None:
        return self.parts[0].quantization


@dataclass(frozen=True)
class Plan:
    """A complete, checked account of a folder. `tied` says that lm_head's rows are those of embed_tokens."""

    recipes: dict[str, Recipe]
    orientation: Orientation
    tied: bool
    vision: tuple[TensorHeader, ...]
    mtp: tuple[TensorHeader, ...]


@dataclass
class _Found:
    """Stored tensors by the parameter they serve: parameter -> row part (0 where not split) -> leaf -> tensor."""

    parameters: dict[str, dict[int, dict[str, TensorHeader]]] = field(default_factory=dict)
    vision: list[TensorHeader] = field(default_factory=list)
    mtp: list[TensorHeader] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    has_head: bool = False


def make_plan(folder: ModelFolder, config: ReleaseConfig, expected: Mapping[str, Shape]) -> Plan:
    """Match a folder's headers with the model's parameters (`expected`: name -> shape).

    Raises CheckpointError, a line per missing, unknown, misshapen or mistyped tensor.
    """
    tied = config.text.tie_word_embeddings
    declared = Declared.from_config(config.quantization)
    found = _sort(folder, tied)
    if not found.has_head:
        raise CheckpointError(f"joint_head.safetensors: file is missing in {folder.path}. Download the model again.")
    wanted = {name: shape for name, shape in expected.items() if not (tied and name.startswith("lm_head."))}
    problems = found.problems + _unknown(found, wanted)
    # Foreign tensors would spoil the evidence, so they are refused before it is weighed.
    orientation = _orientation(folder, found, config, problems)
    recipes = {}
    for name, shape in wanted.items():
        if (parts := found.parameters.get(name)) is None:
            problems.append(f"{name}: missing. Download the model again, or check config.json.")
        elif recipe := _recipe(name, shape, parts, orientation, declared, problems):
            recipes[name] = recipe
    report(str(folder.path), problems)
    return Plan(recipes, orientation, tied, tuple(found.vision), tuple(found.mtp))


def _sort(folder: ModelFolder, tied: bool) -> _Found:
    found = _Found()
    for file in folder.files:
        for tensor in file.tensors.values():
            spot = place(tensor.name)
            if spot.room == "vision":
                found.vision.append(tensor)
            elif spot.room == "mtp":
                found.mtp.append(tensor)
            elif spot.room == "unknown":
                found.problems.append(f"{tensor.name}: not in this model.")
            elif not (tied and spot.name.startswith("lm_head.")):
                found.has_head |= spot.room == "head"
                _add(found, spot, tensor)
    return found


def _add(found: _Found, spot: Place, tensor: TensorHeader) -> None:
    parameter, leaf = spot.name, "weight"
    for companion in ("scales", "biases"):
        if spot.name.endswith(f".{companion}"):
            stem = spot.name.removesuffix(f".{companion}")
            parameter, leaf = stem if stem.endswith("_weight") else f"{stem}.weight", companion
    leaves = found.parameters.setdefault(parameter, {}).setdefault(spot.part or 0, {})
    if (other := leaves.setdefault(leaf, tensor)) is not tensor:
        found.problems.append(f"{tensor.name}: stored twice, also as {other.name} in {other.file.name}.")


def _unknown(found: _Found, wanted: Mapping[str, Shape]) -> list[str]:
    return [
        f"{tensor.name}: not in this model. The folder does not fit its config.json."
        for name, parts in found.parameters.items()
        if name not in wanted
        for leaves in parts.values()
        for tensor in leaves.values()
    ]


def _orientation(folder: ModelFolder, found: _Found, config: ReleaseConfig, problems: list[str]) -> Orientation:
    """Whether norms are stored minus one, by the evidence of the convolutions: [C, 1, K] release, [C, K, 1] MLX.

    With one tap both look alike, and a model without linear layers has none; then the writer's own mark in the
    file's metadata decides ("pt" torch, "mlx" MLX), and a folder without it is refused rather than guessed at.
    """
    channels, taps = config.text.conv_dim, config.text.linear_conv_kernel_dim
    shapes = {
        parts[0]["weight"].shape: parts[0]["weight"].name
        for name, parts in found.parameters.items()
        if CONV.fullmatch(name) and "weight" in parts.get(0, {})
    }
    release, mlx = (channels, 1, taps) in shapes, (channels, taps, 1) in shapes
    if release != mlx:
        return "release" if release else "mlx"
    if release and taps > 1:
        both = f"{shapes[channels, 1, taps]} is stored as in a release, {shapes[channels, taps, 1]} as MLX does"
        problems.append(f"{folder.path}: holds tensors of two conversions: {both}.")
        return "release"
    if shapes and not release:
        return "mlx"  # no shape fits; each is a problem of its own below
    marks = {file.metadata.get("format") for file in folder.backbone}
    if len(marks) == 1 and (mark := marks.pop()) in ("pt", "mlx"):
        return "release" if mark == "pt" else "mlx"
    problems.append(f"{folder.path}: nothing shows whether norms are stored minus one. Convert the release again.")
    return "release"


def _recipe(
    name: str,
    shape: Shape,
    parts: dict[int, dict[str, TensorHeader]],
    orientation: Orientation,
    declared: Declared,
    problems: list[str],
) -> Recipe | None:
    change: Change = "none"
    if orientation == "release" and CONV.fullmatch(name):
        change, shape = "swap axes", (shape[0], shape[2], shape[1])
    elif orientation == "release" and ZERO_CENTRED_NORM.fullmatch(name):
        change = "add one"
    count = len(parts)
    if sorted(parts) != list(range(count)) or count not in (1, 3):
        stored = next(iter(next(iter(parts.values())).values()))
        problems.append(f"{stored.name}: needs all of the query, key and value projections, got {count} of 3.")
        return None
    rows = (shape[0] // count, *shape[1:]) if shape else shape
    made = [_part(name, rows, parts[index], declared, problems) for index in range(count)]
    finished = (shape[0], shape[2], shape[1]) if change == "swap axes" else shape
    return Recipe(name, finished, tuple(made), change) if all(made) else None


def _part(
    name: str, shape: Shape, leaves: dict[str, TensorHeader], declared: Declared, problems: list[str]
) -> Part | None:
    weight, scales, biases = (leaves.get(leaf) for leaf in ("weight", "scales", "biases"))
    if weight is None:
        stray = next(iter(leaves.values()))
        problems.append(f"{stray.name}: has no weight beside it.")
        return None
    if scales is None:
        if weight.shape != shape:
            problems.append(f"{weight.name}: shape must be {list(shape)}, got {list(weight.shape)}.")
        elif weight.dtype not in FLOATS:
            problems.append(f"{weight.name}: dtype must be one of {', '.join(FLOATS)}, got {weight.dtype}.")
        elif biases is not None:
            problems.append(f"{biases.name}: has no scales beside it.")
        else:
            return Part(weight)
        return None
    quantization = infer(weight, scales, biases, shape[1]) if len(shape) == 2 else None
    if quantization is None or weight.shape[0] != shape[0]:
        stored = " and ".join(f"{tensor.dtype} {list(tensor.shape)}" for tensor in (weight, scales))
        problems.append(f"{weight.name}: no MLX quantization of {list(shape)} is stored as {stored}.")
    elif word := declared.contradiction(name.removesuffix(".weight"), quantization):
        problems.append(f"{weight.name}: config.json declares {word}, but the stored shapes are {quantization}.")
    else:
        return Part(weight, scales, biases, quantization)
    return None
