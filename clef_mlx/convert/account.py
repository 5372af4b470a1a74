"""What a target size leaves for the modules that may be chosen: every byte of the tensors is accounted for.

Headers and sidecars are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from clef_mlx.convert.groups import Group
from clef_mlx.convert.recipes import Choice, matrices
from clef_mlx.convert.target import items_of
from clef_mlx.errors import RequestError
from clef_mlx.strict_json import show
from clef_mlx.weights.plan import Plan

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}
DTYPE = "BF16"  # of scales, biases and what stays unquantized


class Target(NamedTuple):
    """What is asked for: bytes of all tensors, or mean stored bits of the text model's matrices."""

    nbytes: int | None = None
    bits: float | None = None

    @property
    def option(self) -> str:
        return "--target-size" if self.bits is None else "--target-bits"


def parse_size(text: str, option: str = "--target-size") -> int:
    """Bytes of "5.0GB", "4800 MB", "4.6GiB". Raises RequestError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text, re.IGNORECASE)
    if match is None or match[2].upper() not in UNITS:
        raise RequestError(f"{option}: must be a size with a unit, got {show(text)}. Write 5.0GB or 4800MB.")
    return int(float(match[1]) * UNITS[match[2].upper()])


def size_words(nbytes: int) -> str:
    """Such as 5.02 GB or 437 KB."""
    unit = next(unit for unit in ("GB", "MB", "KB", "B") if nbytes >= UNITS[unit] or unit == "B")
    return f"{nbytes / UNITS[unit]:.4g} {unit}"


@dataclass(frozen=True)
class Account:
    """Where the bytes are: `groups` may be chosen, `matrices` are the text model's others, `rest` is everything else.

    `elements` counts the text model's matrices, chosen or not.
    """

    groups: Sequence[Group]
    matrices: int
    rest: int
    elements: int

    @classmethod
    def of(cls, plan: Plan, groups: Sequence[Group], decided: Choice, text_only: bool) -> Self:
        found = matrices(plan)
        chosen = {module for group in groups for module in group.shapes}
        items = items_of(plan.recipes.values(), dict.fromkeys(found) | decided, DTYPE)
        fixed = [item for item in items if item.recipe.module not in chosen]
        vision = 0 if text_only else sum(tensor.nbytes for tensor in plan.vision)
        return cls(
            groups=groups,
            matrices=sum(item.nbytes for item in fixed if item.recipe.module in found),
            rest=sum(item.nbytes for item in fixed if item.recipe.module not in found) + vision,
            elements=sum(recipe.elements for recipe in found.values()),
        )

    def room(self, target: Target) -> int:
        """Bytes for the groups. Raises RequestError for a target that no choice reaches."""
        least = sum(min(group.nbytes(bits) for bits in group.bits) for group in self.groups)
        most = sum(group.nbytes(None) for group in self.groups)
        if target.bits is None:
            taken, asked = self.matrices + self.rest, target.nbytes
        else:
            taken, asked = self.matrices, int(target.bits * self.elements / 8)
        if asked < taken + least:
            bound, rule, advice = least, "at least", "Every module has its fewest bits there. Ask for more"
        elif asked > taken + most:
            bound, rule, advice = most, "at most", "Nothing is quantized there. Ask for less, or take the recipe bf16"
        else:
            return asked - taken
        words = [self._words(target, nbytes) for nbytes in (taken + bound, asked)]
        raise RequestError(f"{target.option}: must be {rule} {words[0]}, got {words[1]}. {advice}.")

    def _words(self, target: Target, nbytes: int) -> str:
        if target.bits is not None:
            return f"{8 * nbytes / self.elements:.3f}"
        return size_words(nbytes)
