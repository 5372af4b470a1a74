"""Which modules may be quantized, in groups that get the same bits: a block of layers x a kind of matrix."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from clef_mlx.convert.recipes import LAYER, matrices, stored_bits
from clef_mlx.weights.plan import Plan
from clef_mlx.weights.quantize import Quantization

# Everything else stays as it is: norms, convolutions, decays, in_proj_a and in_proj_b, the head, the vision tower.
KIND_OF = {
    "linear_attn.in_proj_qkv": "in_proj_qkv",
    "linear_attn.in_proj_z": "in_proj_z",
    "linear_attn.out_proj": "out_proj",
    "self_attn.q_proj": "attention",
    "self_attn.k_proj": "attention",
    "self_attn.v_proj": "attention",
    "self_attn.o_proj": "attention",
    "mlp.gate_proj": "gate, up",
    "mlp.up_proj": "gate, up",
    "mlp.down_proj": "down",
}
TABLES = {"language_model.embed_tokens": "embed_tokens", "lm_head": "lm_head"}
KINDS = (*dict.fromkeys(KIND_OF.values()), *TABLES.values())
BITS = (3, 4, 5, 6, 8)  # MLX's affine widths that a decision may survive
GROUP_SIZES = (64, 32)  # the first that divides the row is taken
LAYER_BLOCKS = 8  # neighbours are alike, and every group costs a measurement per width
LEAST_LM_HEAD_BITS = 4  # the head reads its rows directly


@dataclass(frozen=True)
class Group:
    """Modules with one choice of bits between them; `shapes` are rows and columns."""

    name: str
    kind: str
    shapes: Mapping[str, tuple[int, ...]]

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(bits for bits in BITS if self.kind != "lm_head" or bits >= LEAST_LM_HEAD_BITS)

    @property
    def elements(self) -> int:
        return sum(math.prod(shape) for shape in self.shapes.values())

    def nbytes(self, bits: int | None) -> int:
        """What the group takes in the files: packed values, scales and biases, or bfloat16."""
        return sum(stored_bytes(self.shapes[name], q) for name, q in self.choice(bits).items())

    def choice(self, bits: int | None) -> dict[str, Quantization | None]:
        return {name: None if bits is None else quantization(shape, bits) for name, shape in self.shapes.items()}


def kind_of(module: str) -> str | None:
    """The kind of a module that may be quantized, None for one that never is."""
    match = LAYER.fullmatch(module)
    return KIND_OF.get(match[2]) if match else TABLES.get(module)


def quantization(shape: tuple[int, ...], bits: int) -> Quantization:
    """Affine in groups of 64, or of 32 where the row needs it."""
    return Quantization("affine", bits, next(size for size in GROUP_SIZES if shape[1] % size == 0))


def stored_bytes(shape: tuple[int, ...], q: Quantization | None) -> int:
    """Bytes of a matrix with its scales and biases."""
    return int(math.prod(shape) * stored_bits(q)) // 8


def group_up(plan: Plan, layers: int, decided: Collection[str] = ()) -> list[Group]:
    """Groups of all modules that may be quantized and are not `decided` already, in the model's order."""
    found: dict[tuple[int, str], dict[str, tuple[int, ...]]] = {}
    for module, recipe in matrices(plan).items():
        kind = kind_of(module)
        if kind is None or module in decided or recipe.shape[1] % GROUP_SIZES[-1]:
            continue
        if plan.tied and kind == "embed_tokens":
            kind = "lm_head"  # one table, and the head reads it
        found.setdefault((_block(module, layers), kind), {})[module] = recipe.shape
    return [Group(_name(kind, shapes), kind, shapes) for (_, kind), shapes in sorted(found.items(), key=_place)]


def _block(module: str, layers: int) -> int:
    match = LAYER.fullmatch(module)
    return -1 if match is None else int(match[1]) * min(layers, LAYER_BLOCKS) // layers


def _place(item: tuple[tuple[int, str], object]) -> tuple[int, int]:
    (block, kind), _ = item
    return block, KINDS.index(kind)


def _name(kind: str, modules: Iterable[str]) -> str:
    layers = sorted({int(match[1]) for module in modules if (match := LAYER.fullmatch(module))})
    if not layers:
        return kind
    span = f"layer {layers[0]}" if layers[0] == layers[-1] else f"layers {layers[0]} to {layers[-1]}"
    return f"{span}, {kind}"
