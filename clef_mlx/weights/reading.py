"""One stored parameter -> the array that the model takes: joined, shifted, turned, merged, unpacked, cast."""

from __future__ import annotations

from pathlib import Path

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx.weights.adapters.adapters import Adapters
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.plan import Part, Recipe
from clef_mlx.weights.precision import Precision

DTYPES = {"float32": mx.float32, "bfloat16": mx.bfloat16, "float16": mx.float16}


class Reader:
    """Lazy arrays of the files in use; each is handed out once, so that nothing read stays alive here."""

    def __init__(self) -> None:
        self._files: dict[Path, dict[str, mx.array]] = {}

    def take(self, tensor: TensorHeader) -> mx.array:
        if tensor.file not in self._files:
            self._files[tensor.file] = mx.load(str(tensor.file))
        return self._files[tensor.file].pop(tensor.name)


def stays_quantized(recipe: Recipe, precision: Precision, adapters: Adapters) -> bool:
    """Whether packed values reach the model: not where an adapter replaces the whole parameter."""
    return precision.keeps_quantized(recipe) and not adapters.replaces(recipe.name)


def make(recipe: Recipe, precision: Precision, adapters: Adapters, reader: Reader) -> list[tuple[str, mx.array]]:
    """One parameter as the model takes it: one array, or packed values, scales and biases where it is kept so.

    Lazy, except where adapters change it: they are added before the one rounding to the dtype of `precision`. Beside
    packed values nothing is added here, that is the business of `adapters.attach`.
    """
    dtype = DTYPES[precision.of(recipe)]
    if stays_quantized(recipe, precision, adapters):
        return _keep(recipe, dtype, reader)
    parts = [_unpack(part, reader) for part in recipe.parts]
    value = parts[0] if len(parts) == 1 else mx.concatenate(parts)
    if recipe.change == "add one":
        value = value.astype(mx.float32) + 1.0
    elif recipe.change == "swap axes":
        value = mx.contiguous(value.swapaxes(1, 2))
    elif recipe.change == "channels first":
        value = mx.moveaxis(value, -1, 1).reshape(recipe.shape)
    elif recipe.change == "flatten":
        value = value.reshape(recipe.shape)
    if adapters.touches(recipe.name):
        value = adapters.merge(recipe.name, value)
    return [(recipe.name, value.astype(dtype))]


def _keep(recipe: Recipe, dtype: mx.Dtype, reader: Reader) -> list[tuple[str, mx.array]]:
    """Packed values and scales as stored. Affine scales take the load dtype, or their products would promote."""
    part = recipe.parts[0]
    values = [(recipe.name, reader.take(part.weight))]
    for leaf, tensor in (("scales", part.scales), ("biases", part.biases)):
        if tensor is not None:
            stored = reader.take(tensor)
            values.append((f"{recipe.module}.{leaf}", stored if tensor.dtype == "U8" else stored.astype(dtype)))
    return values


def _unpack(part: Part, reader: Reader) -> mx.array:
    """The stored matrix, in float32 where it was quantized: with bfloat16 scales MLX would round every product."""
    weight = reader.take(part.weight)
    if (q := part.quantization) is None:
        return weight
    scales, biases = (None if tensor is None else reader.take(tensor) for tensor in (part.scales, part.biases))
    if biases is not None:
        scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
    return mx.dequantize(weight, scales, biases, q.group_size, q.bits, q.mode, dtype=mx.float32)
