"""What a caller may choose about a conversion, checked together before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clef_mlx.convert import recipes
from clef_mlx.convert.account import DTYPE, Target
from clef_mlx.convert.recipes import Choice
from clef_mlx.convert.target import Item
from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.weights.plan import Plan

SHARD_BYTES = 5_000_000_000


@dataclass(frozen=True)
class Settings:
    """The command line's options, under its names.

    `bits` and `mode` make a uniform recipe of their own, in place of `recipe` (None: mixed-4bit). `target` spends bits
    by measurement instead, on the requests of `calibration` (None: the shipped ones), which the report uses too.
    `adapters` are folders, with `=WEIGHT` if less or more than all of it is added.
    """

    recipe: str | None = None
    bits: int | None = None
    group_size: int | None = None
    mode: str | None = None
    overrides: tuple[str, ...] = ()
    lm_head: str | None = None
    target: Target | None = None
    calibration: Path | None = None
    text_only: bool = False
    dequantize: bool = False
    requantize: bool = False
    adapters: tuple[str, ...] = ()
    base_head: bool = False
    max_shard_bytes: int = SHARD_BYTES
    force: bool = False
    report: bool = True

    def __post_init__(self) -> None:
        own = [f"--{name}" for name in ("bits", "mode") if getattr(self, name) is not None]
        ways = [
            *([f"--recipe {self.recipe}"] if self.recipe else []),
            *own[:1],
            *([self.target.option] if self.target else []),
            *(["--dequantize"] if self.dequantize and self.recipe not in recipes.DTYPES else []),
        ]
        if len(ways) > 1:
            raise ClefError(f"options: {' and '.join(ways)} are two ways to choose. Leave one of them out.")
        if self.mode is not None and self.bits is None:
            raise ClefError(f"options: --mode {self.mode} needs --bits. Give both, or a --recipe.")
        if self.group_size is not None and (self.target or self.dequantize):
            raise ClefError("options: --group-size is for recipes. Leave it out.")
        if self.requantize and self.dequantize:
            raise ClefError("options: --requantize and --dequantize exclude each other. Leave one of them out.")

    @property
    def name(self) -> str:
        """The recipe in a word, as the output folder and the record have it."""
        if self.target is not None:
            return (
                f"{self.target.nbytes / 1e9:.2f}GB" if self.target.bits is None else f"{self.target.bits:g}bit-measured"
            )
        if self.dequantize:
            return self.recipe or "bf16"
        if self.bits is not None:
            setting = recipes.quantization(self.bits, self.group_size, self.mode, where="--bits")
            return (
                f"{setting.bits}bit"
                if setting == recipes.uniform_setting(setting.bits)
                else str(setting).replace(" ", "-")
            )
        return self.recipe or recipes.MIXED

    @property
    def dtype(self) -> str | None:
        """The word for unquantized text tensors and scales, None where they stay as they are stored."""
        # A target's bytes are counted in it.
        return DTYPE if self.target is not None else recipes.DTYPES.get(self.name)

    def choice(self, plan: Plan) -> Choice:
        """The recipe alone, without overrides; nothing where a target decides."""
        if self.target is not None:
            return {}
        if self.bits is not None:
            return recipes.uniform(plan, recipes.quantization(self.bits, self.group_size, self.mode, where="--bits"))
        return recipes.choose(plan, self.name, self.group_size)

    def decided(self, plan: Plan, choice: Choice) -> Choice:
        """`choice` with `--lm-head` and then each `--override` applied."""
        texts = [*([recipes.lm_head_override(plan, self.lm_head)] if self.lm_head else []), *self.overrides]
        return recipes.override(choice, plan, texts)

    def to_dict(self) -> dict[str, Any]:
        """For the record: what shaped the weights, and nothing of where they are."""
        facts: dict[str, Any] = {"recipe": self.name, "lm_head": self.lm_head, "overrides": list(self.overrides)}
        return facts | {"text_only": self.text_only, "dequantize": self.dequantize, "requantize": self.requantize}


def refuse_second_rounding(settings: Settings, items: list[Item], adapted: set[str]) -> None:
    """Weights that were rounded to a few bits once are not rounded again unnoticed."""
    stored = [item for item in items if item.recipe.quantization is not None]
    if settings.dequantize and not stored:
        raise CheckpointError("--dequantize: nothing in the source is quantized. Leave it out.")
    if settings.dequantize or settings.requantize or not stored:
        return
    changed = [item for item in stored if item.quantization != item.recipe.quantization or item.recipe.name in adapted]
    if not changed:
        return
    example = changed[0]
    raise CheckpointError(
        f"{example.recipe.module}: is stored as {example.recipe.quantization} already, and rounding it again adds to "
        "the error. Convert the unquantized release, or give --requantize (--dequantize to unpack)."
    )
