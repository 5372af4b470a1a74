"""In which dtype every parameter is loaded, and what that costs in memory: the one policy.

Matrices take the load dtype. Norm gains, A_log, dt_bias and the head's three scalars are never narrowed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from clef_mlx.errors import ClefError, MemoryBudgetError
from clef_mlx.strict_json import show
from clef_mlx.weights.headers import DTYPE_BYTES
from clef_mlx.weights.layouts import HEAD_SCALARS, NEVER_NARROWED, ZERO_CENTRED_NORM
from clef_mlx.weights.plan import Plan, Recipe
from clef_mlx.weights.refusals import gigabytes

STORED = {"F32": "float32", "BF16": "bfloat16", "F16": "float16"}
BYTES = {name: DTYPE_BYTES[stored] for stored, name in STORED.items()}
READ_DIRECTLY = ("head.", "visual.patch_embed.", "visual.pos_embed.")
SPARE = 0.1  # share of the available memory that loading leaves for deciding


@dataclass(frozen=True)
class Precision:
    """`dtype` of activations and matrices; `dequantize` says that no module stays quantized; `note` why it is slow."""

    dtype: str
    dequantize: bool
    note: str | None = None

    def keeps_quantized(self, recipe: Recipe) -> bool:
        """Not the head and the tower's tables: they are small and read directly."""
        return recipe.quantization is not None and not self.dequantize and not recipe.name.startswith(READ_DIRECTLY)

    def of(self, recipe: Recipe) -> str:
        """The dtype in which this parameter is kept in memory (that of its scales where it stays quantized)."""
        stored = STORED.get(recipe.parts[0].weight.dtype, self.dtype)
        if recipe.name in HEAD_SCALARS or recipe.change == "add one":
            return "float32"  # 1 + w rounded to bfloat16 would lose w's last bits
        if NEVER_NARROWED.fullmatch(recipe.name):
            return stored
        if ZERO_CENTRED_NORM.fullmatch(recipe.name):
            return stored if stored == self.dtype else "float32"
        return self.dtype

    def nbytes(self, recipe: Recipe) -> int:
        """What this parameter takes once loaded."""
        if not self.keeps_quantized(recipe):
            return recipe.elements * BYTES[self.of(recipe)]
        widths = {"U32": 4, "U8": 1}  # packed values, and scales of the float modes; affine scales are cast
        tensors = [tensor for part in recipe.parts for tensor in part.tensors]
        return sum(tensor.elements * widths.get(tensor.dtype, BYTES[self.dtype]) for tensor in tensors)

    def total_bytes(self, plan: Plan) -> int:
        return sum(self.nbytes(recipe) for recipe in plan.recipes.values())


def stored_dtype(plan: Plan) -> str:
    """The float type that most bytes of the text weights have; the scales speak for quantized ones."""
    shares: Counter[str] = Counter()
    for name, recipe in plan.recipes.items():
        if name.startswith("head.") or ZERO_CENTRED_NORM.fullmatch(name) or NEVER_NARROWED.fullmatch(name):
            continue
        for part in recipe.parts:
            speaker = part.scales or part.weight
            shares[STORED.get(speaker.dtype, "bfloat16")] += speaker.nbytes
    return shares.most_common(1)[0][0]


def choose_precision(
    plan: Plan, *, gpu: bool, available_bytes: int, dtype: str | None = None, dequantize: bool | None = None
) -> Precision:
    """Decide how to load. None means: on a GPU as stored, on a CPU float32 without quantized modules if that fits.

    On a CPU bfloat16 and quantized products are 6 to 100 times slower than float32. Raises MemoryBudgetError when
    not even the smallest allowed way fits, ClefError for an unknown dtype.
    """
    if dtype is not None and (not isinstance(dtype, str) or dtype not in ("auto", *BYTES)):
        raise ClefError(f"dtype: must be auto, {', '.join(sorted(BYTES))}, got {show(dtype)}.")
    given = None if dtype == "auto" else dtype
    stored = stored_dtype(plan)
    if gpu:
        ways = [Precision(given or stored, bool(dequantize))]
    else:
        ways = [
            Precision(one, two)
            for two in ((True, False) if dequantize is None else (dequantize,))
            for one in ([given] if given else dict.fromkeys(("float32", stored)))
        ]
    for way in ways:
        if way.total_bytes(plan) <= available_bytes * (1 - SPARE):
            return way if way == ways[0] else _explained(way, ways[0], plan, available_bytes)
    raise MemoryBudgetError(_too_large(plan, ways[-1], available_bytes))


def _explained(way: Precision, wished: Precision, plan: Plan, available_bytes: int) -> Precision:
    kept = "" if way.dequantize else " with quantized modules"
    note = (
        f"{wished.dtype} would take {gigabytes(wished.total_bytes(plan))}, {gigabytes(available_bytes)} are free: "
        f"loaded as {way.dtype}{kept}, which is slow on a CPU"
    )
    return Precision(way.dtype, way.dequantize, note)


def _too_large(plan: Plan, way: Precision, available_bytes: int) -> str:
    need = way.total_bytes(plan)
    elements = sum(recipe.elements for recipe in plan.recipes.values())
    advice = "Take a smaller model, or free memory."
    # With group size 64, scales and biases add half a bit.
    for words, bits in (("dtype bfloat16", 16), ("An 8-bit variant", 8.5), ("A 4-bit variant", 4.5)):
        size = elements * bits / 8
        if size < need and size <= available_bytes * (1 - SPARE):
            advice = f"{words} takes about {gigabytes(size)}."
            break
    free = gigabytes(available_bytes)
    return f"memory: the weights need {gigabytes(need)} as {way.dtype}, got {free} available. {advice}"
