"""A plan and a choice -> every tensor that will be written: name, dtype, shape, file. Decided before a byte is read.

So the sizes are known before starting, and a file's header can be written before its tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clef_mlx.convert.names import stored_name
from clef_mlx.convert.recipes import Choice
from clef_mlx.weights.files import HEAD_FILE
from clef_mlx.weights.headers import DTYPE_BYTES
from clef_mlx.weights.layouts import NEVER_NARROWED, ZERO_CENTRED_NORM
from clef_mlx.weights.plan import Recipe, Shape
from clef_mlx.weights.quantize import FLOATS, Quantization

UNPACKED = "BF16"  # of what was stored in a float mode, whose scales have no float type of their own


class Tensor(NamedTuple):
    """One tensor to be written."""

    name: str
    dtype: str
    shape: Shape

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * DTYPE_BYTES[self.dtype]


@dataclass(frozen=True)
class Item:
    """One parameter on its way: what it is made of, and how it is stored.

    `dtype` is that of its values, of the scales where it is quantized. `tensors` are weight, scales, biases.
    """

    recipe: Recipe
    dtype: str
    quantization: Quantization | None
    tensors: tuple[Tensor, ...]

    @property
    def verbatim(self) -> bool:
        """Whether the stored bytes can be copied as they are, as far as the recipe knows."""
        parts, change = self.recipe.parts, self.recipe.change
        stored = [tensor.dtype for tensor in parts[0].tensors]
        return (
            len(parts) == 1
            and change == "none"
            and parts[0].quantization == self.quantization
            and stored == [tensor.dtype for tensor in self.tensors]
        )

    @property
    def nbytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.tensors)


@dataclass(frozen=True)
class Shard:
    """One file to be written."""

    name: str
    items: tuple[Item, ...]

    @property
    def tensors(self) -> Iterator[Tensor]:
        return (tensor for item in self.items for tensor in item.tensors)

    @property
    def nbytes(self) -> int:
        return sum(item.nbytes for item in self.items)


def items_of(recipes: Iterable[Recipe], choice: Choice, dtype: str | None, unpack: bool = False) -> list[Item]:
    """What becomes of every parameter. `dtype` is the word for unquantized text tensors, None as they are stored.

    `unpack` also unpacks what the choice has no word for, such as quantized vision matrices.
    """
    return [_item(recipe, choice, dtype, unpack) for recipe in recipes]


def _item(recipe: Recipe, choice: Choice, dtype: str | None, unpack: bool) -> Item:
    if recipe.module in choice and recipe.name.endswith(".weight"):
        setting = choice[recipe.module]
    else:
        # The head is read as a whole and small: never quantized. Vision stays as it is.
        keeps = not recipe.name.startswith("head.") and not unpack
        setting = recipe.quantization if keeps else None
    word = _dtype(recipe, dtype)
    return Item(recipe, word, setting, tuple(_tensors(recipe, setting, word)))


def _dtype(recipe: Recipe, wished: str | None) -> str:
    part = recipe.parts[0]
    speaker = part.weight if part.scales is None else part.scales
    stored = speaker.dtype if speaker.dtype in FLOATS else UNPACKED
    if recipe.change == "add one":
        return "F32"  # 1 + w rounded to bfloat16 would lose w's last bits
    if ZERO_CENTRED_NORM.fullmatch(recipe.name) or NEVER_NARROWED.fullmatch(recipe.name):
        return stored
    return stored if wished is None or recipe.name.startswith(("head.", "visual.")) else wished


def _tensors(recipe: Recipe, setting: Quantization | None, dtype: str) -> Iterator[Tensor]:
    name, shape = stored_name(recipe.name), recipe.shape
    if setting is None:
        yield Tensor(name, dtype, shape)
        return
    rows, columns = shape
    stem = name.removesuffix(".weight")
    yield Tensor(name, "U32", (rows, columns * setting.bits // 32))
    groups = (rows, columns // setting.group_size)
    if setting.mode == "affine":
        yield Tensor(f"{stem}.scales", dtype, groups)
        yield Tensor(f"{stem}.biases", dtype, groups)
    else:
        yield Tensor(f"{stem}.scales", "U8", groups)


def shards_of(items: Sequence[Item], most_bytes: int) -> list[Shard]:
    """Files of at most `most_bytes`, in the order of the model; a larger parameter gets a file of its own.

    The head has its own file, as the publisher's.
    """
    backbone = [item for item in items if not item.recipe.name.startswith("head.")]
    groups: list[list[Item]] = [[]]
    size = 0
    for item in backbone:
        if groups[-1] and size + item.nbytes > most_bytes:
            groups.append([])
            size = 0
        groups[-1].append(item)
        size += item.nbytes
    count = len(groups)
    names = [f"model-{number:05d}-of-{count:05d}.safetensors" for number in range(1, count + 1)]
    names = names if count > 1 else ["model.safetensors"]
    shards = [Shard(name, tuple(group)) for name, group in zip(names, groups, strict=True)]
    return [*shards, Shard(HEAD_FILE, tuple(item for item in items if item.recipe.name.startswith("head.")))]


def weight_map(shards: Iterable[Shard]) -> Mapping[str, str]:
    return {tensor.name: shard.name for shard in shards for tensor in shard.tensors}
