"""How each module is quantized, read from the shapes and checked against what the config declares.

The presence of `.scales` says that a module is quantized, its shapes say how; config.json only confirms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import module_names

# What MLX's kernels take. Of the float modes each has one width, one group and 8-bit scales without biases.
AFFINE_BITS = (1, 2, 3, 4, 5, 6, 8)
AFFINE_GROUPS = (32, 64, 128)
FLOAT_MODES = {(4, 32): "mxfp4", (8, 32): "mxfp8", (4, 16): "nvfp4"}
MODES = ("affine", *FLOAT_MODES.values())
FLOATS = ("F32", "F16", "BF16")


@dataclass(frozen=True)
class Quantization:
    """MLX's three words for a quantized matrix."""

    mode: str
    bits: int
    group_size: int

    def __str__(self) -> str:
        return f"{self.bits}-bit {self.mode} g{self.group_size}"


@dataclass(frozen=True)
class Declared:
    """config.json's `quantization`: one setting for all, and other settings (or none) for single modules."""

    everywhere: Mapping[str, Any]
    modules: Mapping[str, Mapping[str, Any]]

    @classmethod
    def from_config(cls, values: Mapping[str, Any] | None) -> Declared:
        """Read the mapping; keys may carry any layout's prefix. Raises CheckpointError for other libraries' kinds."""
        values = values or {}
        if (method := values.get("quant_method")) not in (None, "mlx", *MODES):
            raise CheckpointError(
                f"config.json: quantization_config.quant_method must be MLX's own, got {show(method)}. "
                "Convert the unquantized release instead."
            )
        if type(group := values.get("group_size", 64)) is not int or group < 1:
            raise CheckpointError(f"config.json: quantization.group_size must be a count, got {show(group)}.")
        # `false` says that a module is not quantized; the absence of its scales says so already.
        overrides = {key: value for key, value in values.items() if isinstance(value, Mapping)}
        modules = {module: value for key, value in overrides.items() for module in module_names(key)}
        return cls({key: values[key] for key in ("mode", "bits", "group_size") if key in values}, modules)

    def contradiction(self, module: str, found: Quantization) -> str | None:
        """The first declared word that the shapes disprove, as text; None when all agree."""
        for word, value in self.modules.get(module, self.everywhere).items():
            if word in ("mode", "bits", "group_size") and value != getattr(found, word):
                return f"{word} {value}"
        return None


def infer(weight: TensorHeader, scales: TensorHeader, biases: TensorHeader | None, width: int) -> Quantization | None:
    """The one quantization of an input width that fits the stored shapes [rows, packed] and [rows, groups], or None.

    Packed values fill 32-bit words without gaps, so words * 32 = width * bits and groups * group_size = width.
    """
    if len(weight.shape) != 2 or len(scales.shape) != 2 or weight.dtype != "U32" or not scales.shape[1]:
        return None
    bits, odd_bits = divmod(weight.shape[1] * 32, width)
    group_size, odd_group = divmod(width, scales.shape[1])
    if odd_bits or odd_group or weight.shape[0] != scales.shape[0]:
        return None
    if biases is None:
        mode = FLOAT_MODES.get((bits, group_size)) if scales.dtype == "U8" else None
        return Quantization(mode, bits, group_size) if mode else None
    fits = bits in AFFINE_BITS and group_size in AFFINE_GROUPS and scales.dtype in FLOATS
    same = biases.shape == scales.shape and biases.dtype == scales.dtype
    return Quantization("affine", bits, group_size) if fits and same else None
