"""A recipe's name -> how each matrix of the text model is quantized.

Knows modules by canonical name and shape; reads and writes nothing. Head, vision, norms, convolutions and decays are no
matrices of the text model and are never quantized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from clef_mlx.convert.names import stored_name
from clef_mlx.errors import ClefError
from clef_mlx.strict_json import show
from clef_mlx.weights.plan import Plan, Recipe
from clef_mlx.weights.quantize import AFFINE_GROUPS, FLOAT_MODES, MODES, Quantization

# Canonical module name -> its quantization, None where it stays as it is. Every matrix of the text model has an entry.
Choice = dict[str, Quantization | None]

DTYPES = {"fp32": "F32", "bf16": "BF16", "fp16": "F16"}
UNIFORM = {
    "8bit": Quantization("affine", 8, 64),
    "4bit": Quantization("affine", 4, 64),
    "mxfp4": Quantization("mxfp4", 4, 32),
    "nvfp4": Quantization("nvfp4", 4, 16),
    "mxfp8": Quantization("mxfp8", 8, 32),
}
MIXED = "mixed-4bit"
NAMES = (MIXED, "4bit", "8bit", "bf16", "fp16", "fp32", "mxfp4", "nvfp4", "mxfp8")

# End of a module's name -> bits in the first and in the second half of the layers; what is not here stays as it is.
# Damage sits in the output projections, then in attention and its inputs, and in the first half of the layers; the
# head reads lm_head's rows, and in_proj_a and in_proj_b drive the decays.
MIXED_BITS = {
    "linear_attn.out_proj": (8, 8),
    "self_attn.q_proj": (8, 8),
    "self_attn.k_proj": (8, 8),
    "self_attn.v_proj": (8, 8),
    "self_attn.o_proj": (8, 8),
    "linear_attn.in_proj_qkv": (8, 6),
    "linear_attn.in_proj_z": (8, 6),
    "mlp.down_proj": (6, 5),
    "mlp.gate_proj": (4, 4),
    "mlp.up_proj": (4, 4),
    "embed_tokens": (6, 6),
    "lm_head": (8, 8),
}
CHOSEN_BITS = (2, 3, 4, 5, 6, 8)  # one bit is no use for a decision
UNQUANTIZED = ("bf16", "none")
LAYER = re.compile(r"language_model\.layers\.(\d+)\.(.+)")


def matrices(plan: Plan) -> dict[str, Recipe]:
    """The modules that a recipe chooses for, in the order of the model: linear layers and the two tables."""
    return {
        recipe.module: recipe
        for recipe in plan.recipes.values()
        if len(recipe.shape) == 2
        and recipe.name.endswith(".weight")
        and recipe.name.startswith(("language_", "lm_head"))
    }


def fits(quantization: Quantization, recipe: Recipe) -> bool:
    """Whether the rows divide into groups; MLX leaves a matrix alone where they do not."""
    return recipe.shape[1] % quantization.group_size == 0


def choose(plan: Plan, recipe: str, group_size: int | None = None) -> Choice:
    """The recipe of this name for a folder's matrices. `group_size` replaces the recipe's own, for affine ones."""
    if recipe in DTYPES:
        _refuse_group(recipe, group_size)
        return dict.fromkeys(matrices(plan))
    if recipe == MIXED:
        return _mixed(plan, 64 if group_size is None else group_size)
    setting = UNIFORM[recipe]
    if group_size is None:
        return uniform(plan, setting)
    return uniform(plan, quantization(setting.bits, group_size, setting.mode, where="group_size"))


def uniform(plan: Plan, setting: Quantization) -> Choice:
    """The same for every matrix, as the common converters do."""
    return {module: setting if fits(setting, recipe) else None for module, recipe in matrices(plan).items()}


def uniform_setting(bits: int) -> Quantization | None:
    """The affine recipe that is named after its bits, if there is one."""
    return UNIFORM.get(f"{bits}bit")


def _mixed(plan: Plan, group_size: int) -> Choice:
    found = matrices(plan)
    layers = 1 + max(int(match[1]) for module in found if (match := LAYER.fullmatch(module)))
    choice: Choice = {}
    for module, recipe in found.items():
        match = LAYER.fullmatch(module)
        half = int(match is not None and 2 * int(match[1]) >= layers)
        # Tied tables are one, and the head reads it.
        kind = (
            "lm_head" if plan.tied and module.endswith("embed_tokens") else match[2] if match else module.split(".")[-1]
        )
        bits = MIXED_BITS[kind][half] if kind in MIXED_BITS else None
        setting = None if bits is None else quantization(bits, group_size, "affine", where="group_size")
        choice[module] = setting if setting and fits(setting, recipe) else None
    return choice


def quantization(bits: int, group_size: int | None, mode: str | None, *, where: str) -> Quantization:
    """The three words together, the missing ones filled in. Raises ClefError for what MLX has no kernels for."""
    floats = {name: pair for pair, name in FLOAT_MODES.items()}
    mode = "affine" if mode is None else mode
    if mode not in MODES:
        raise ClefError(f"{where}: mode must be one of {', '.join(MODES)}, got {show(mode)}.")
    if mode in floats:
        wanted = floats[mode]
        if (bits, wanted[1] if group_size is None else group_size) != wanted:
            given = f"{bits} and {group_size}"
            raise ClefError(f"{where}: {mode} has {wanted[0]} bits and groups of {wanted[1]}, got {given}.")
        return Quantization(mode, *wanted)
    group_size = 64 if group_size is None else group_size
    if bits not in CHOSEN_BITS:
        raise ClefError(f"{where}: bits must be one of {', '.join(map(str, CHOSEN_BITS))}, got {show(bits)}.")
    if group_size not in AFFINE_GROUPS:
        groups = ", ".join(map(str, AFFINE_GROUPS))
        raise ClefError(f"{where}: group size must be one of {groups}, got {show(group_size)}.")
    return Quantization("affine", bits, group_size)


def _refuse_group(recipe: str, group_size: int | None) -> None:
    if group_size is not None:
        raise ClefError(f"group_size: {recipe} quantizes nothing, got groups of {group_size}. Leave one of them out.")


def override(choice: Choice, plan: Plan, texts: Iterable[str]) -> Choice:
    """Apply `PATTERN=bits[:group[:mode]]`, the later over the earlier; `bf16` for bits leaves a module as it is.

    Patterns are shell globs on a module's name or the end of it, such as `layers.0.*` or `*.down_proj`. Raises
    ClefError for one that matches nothing.
    """
    changed, found = dict(choice), matrices(plan)
    for text in texts:
        pattern, setting = _parsed(text)
        hits = [module for module in found if _matches(pattern, module)]
        if not hits:
            known = ", ".join(list(found)[:3])
            raise ClefError(f"override: {show(pattern)} matches no module. Names are such as {known}.")
        for module in hits:
            if setting is not None and not fits(setting, found[module]):
                width = found[module].shape[1]
                raise ClefError(
                    f"override: {stored_name(module)} has rows of {width}, not a multiple of {setting.group_size}. "
                    "Take a smaller group, or a narrower pattern."
                )
        changed |= dict.fromkeys(hits, setting)
    return changed


def _parsed(text: str) -> tuple[str, Quantization | None]:
    pattern, equals, setting = text.rpartition("=")
    bits, *rest = setting.split(":")
    numbers = [bits, *rest[:1]]
    if equals and pattern and not rest and bits in UNQUANTIZED:
        return pattern, None
    if not equals or not pattern or len(rest) > 2 or not all(re.fullmatch(r"\d{1,3}", number) for number in numbers):
        raise ClefError(f"override: must be PATTERN=bits[:group[:mode]] or PATTERN=bf16, got {show(text)}.")
    group_size = int(rest[0]) if rest else None
    return pattern, quantization(int(bits), group_size, rest[1] if len(rest) > 1 else None, where=f"override {text}")


def _matches(pattern: str, module: str) -> bool:
    return any(fnmatchcase(name, form) for name in (module, stored_name(module)) for form in (pattern, f"*.{pattern}"))


def lm_head_override(plan: Plan, word: str) -> str:
    """`--lm-head` as an override. Tied output rows are the embedding's."""
    return f"{'language_model.embed_tokens' if plan.tied else 'lm_head'}={word}"


def bits_per_weight(choice: Mapping[str, Quantization | None], plan: Plan, unquantized: int = 16) -> float:
    """Mean stored bits of the text matrices, scales and biases included."""
    found = matrices(plan)
    total = sum(recipe.elements * stored_bits(choice[module], unquantized) for module, recipe in found.items())
    return total / sum(recipe.elements for recipe in found.values())


def stored_bits(setting: Quantization | None, unquantized: int = 16) -> float:
    """Bits of one weight with its share of scales and biases (16 bits each, 8-bit scales alone in the float modes)."""
    if setting is None:
        return unquantized
    return setting.bits + (32 if setting.mode == "affine" else 8) / setting.group_size
