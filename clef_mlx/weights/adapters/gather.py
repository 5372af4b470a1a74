"""Stored tensors, sorted by whoever knows their writer -> checked changes by parameter.

Every shape is checked here against the model's; every problem is kept, to be reported together.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from clef_mlx.config import TextConfig
from clef_mlx.errors import AdapterError
from clef_mlx.weights.adapters.change import Change, LowRank, Saved, Stored
from clef_mlx.weights.adapters.keys import Spot, spots
from clef_mlx.weights.headers import TensorHeader
from clef_mlx.weights.layouts import CONV
from clef_mlx.weights.plan import Shape
from clef_mlx.weights.quantize import FLOATS
from clef_mlx.weights.refusals import report

PATCHES = "visual.patch_embed."  # a convolution, whose axes lie otherwise in every layout
ANOTHER = "The adapter belongs to another model."


class Facts(NamedTuple):
    """How a writer stores a pair: which of A [r, in] and B [out, r] each file's tensor is, and whether transposed."""

    left: str  # the side that is B
    turned_left: bool
    turned_right: bool
    mlx: bool


class Orientation(Enum):
    """W + scale B A, by writer. An embedding's table [V, D] has its token factor, called A, on the left."""

    RELEASE = Facts("b", False, False, mlx=False)
    EMBEDDING = Facts("a", True, True, mlx=False)
    MLX = Facts("b", True, True, mlx=True)
    MLX_EMBEDDING = Facts("a", False, False, mlx=True)


class Gather:
    """Collects one adapter's tensors. `shapes` are those of every parameter an adapter may change."""

    def __init__(self, where: str, shapes: Mapping[str, Shape], text: TextConfig, *, tied: bool) -> None:
        self.shapes = shapes
        self._where, self._text, self._tied = where, text, tied
        self._pairs: dict[str, list[LowRank]] = {}
        self._saved: dict[str, Saved] = {}
        self._problems: list[str] = []

    def knows(self, module: str) -> bool:
        return bool(spots(module, self.shapes, self._text))

    def saved_in(self, part: str) -> bool:
        """Whether a parameter of a module with this name, or end or middle of a name, was stored whole."""
        return any(f".{part}." in f".{name}" for name in self._saved)

    def missing(self, words: str) -> None:
        self._problems.append(words)

    def problem(self, tensor: TensorHeader, words: str) -> None:
        self._problems.append(f"{tensor.name}: {words}")

    def unknown(self, tensor: TensorHeader, unlisted: str | None) -> None:
        """A key without a place in the model, or with one that the config's list of that name does not have."""
        if unlisted:
            self.problem(tensor, f"is not among {unlisted} in adapter_config.json, so nothing uses it. Add it.")
        else:
            self.problem(tensor, f"changes nothing in this model. {ANOTHER}")

    def save(self, name: str, tensor: TensorHeader, orientation: Orientation) -> None:
        """A parameter stored whole."""
        shape = self.shapes[name]
        if not orientation.value.mlx and CONV.fullmatch(name):
            shape = (shape[0], shape[2], shape[1])
        if not self._usable(name, tensor):
            return
        if tensor.shape != shape:
            self.problem(tensor, f"shape must be {list(shape)}, got {list(tensor.shape)}. {ANOTHER}")
        else:
            self._saved[name] = Saved(tensor, name, released=not orientation.value.mlx)

    def pair(
        self,
        module: str,
        sides: Mapping[str, TensorHeader],
        scale: float,
        rank: int,
        orientation: Orientation,
    ) -> None:
        """A low-rank pair `a`, `b`, perhaps with DoRA's lengths `m`."""
        first = next(iter(sides.values()))
        if not (places := spots(module, self.shapes, self._text)):
            self.unknown(first, None)
            return
        if not {"a", "b"} <= set(sides):
            self.problem(first, "its other half is missing. Copy the adapter again.")
            return
        facts = orientation.value
        left, right = sides[facts.left], sides["b" if facts.left == "a" else "a"]
        width = self.shapes[places[0].name][1:]
        rows = sum(spot.rows for spot in places)
        if not all(self._usable(places[0].name, tensor) for tensor in sides.values()):
            return
        if not self._fits(sides, left, right, (rows, *width), rank, facts):
            return
        if any(self._taken(spot) for spot in places):
            self.problem(left, f"{module} is changed twice. Copy the adapter again.")
            return
        for spot in places:
            own = spot.source, spot.source + spot.rows
            self._pairs.setdefault(spot.name, []).append(
                LowRank(
                    Stored(right, 0, rank, facts.turned_right),
                    Stored(left, *own, facts.turned_left),
                    scale,
                    spot.start,
                    Stored(sides["m"], *own) if "m" in sides else None,
                )
            )

    def _fits(
        self,
        sides: Mapping[str, TensorHeader],
        left: TensorHeader,
        right: TensorHeader,
        shape: Shape,
        rank: int,
        facts: Facts,
    ) -> bool:
        if len(shape) != 2:
            self.problem(left, f"its module is no matrix but {list(shape)}. Only linear layers and embeddings adapt.")
            return False
        found = [one.shape[::-1] if turn else one.shape for one, turn in
                 ((left, facts.turned_left), (right, facts.turned_right))]  # fmt: skip
        wanted = [(shape[0], rank), (rank, shape[1])]
        if found != wanted:
            got = f"{list(left.shape)} and {list(right.shape)}"
            self.problem(left, f"B and A must give {list(shape)} with rank {rank}, got {got}. It is for another base.")
            return False
        if "m" in sides and sides["m"].shape != (shape[0],):
            self.problem(sides["m"], f"shape must be [{shape[0]}], got {list(sides['m'].shape)}. {ANOTHER}")
            return False
        return True

    def _taken(self, spot: Spot) -> bool:
        others = self._pairs.get(spot.name, ())
        return any(other.first_row < spot.start + spot.rows and spot.start < other.end_row for other in others)

    def _usable(self, name: str, tensor: TensorHeader) -> bool:
        if name.startswith(PATCHES):
            self.problem(tensor, "changes how pictures are cut into patches, which is not read here. Merge it first.")
        elif tensor.dtype not in FLOATS:
            self.problem(tensor, f"dtype must be one of {', '.join(FLOATS)}, got {tensor.dtype}.")
        elif self._tied and name == "language_model.embed_tokens.weight":
            self.problem(tensor, "changes embeddings that this model ties to its output. Merge it with PEFT.")
        else:
            return True
        return False

    def changes(self) -> dict[str, Change]:
        """What was collected. Raises AdapterError with every problem, or when there is nothing at all."""
        if not (self._problems or self._pairs or self._saved):
            raise AdapterError(f"{self._where}: holds no weights. Copy the whole adapter folder.")
        report(self._where, self._problems, AdapterError)
        names = {**self._pairs, **self._saved}
        return {name: Change(tuple(self._pairs.get(name, ())), self._saved.get(name)) for name in names}
