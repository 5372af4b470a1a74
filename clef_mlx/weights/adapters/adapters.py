"""Adapters matched with a release: what they change, added in float32, and by how much.

    merged = W + sum of weight * (what the adapter alone makes of W - W)

A single adapter of weight 1 gives exactly what PEFT's own merge gives; B A is added once, before the one rounding to
the dtype that is kept or the quantization.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.config import ReleaseConfig
from clef_mlx.errors import AdapterError
from clef_mlx.weights.adapters import mlx_lm, peft
from clef_mlx.weights.adapters.change import Change
from clef_mlx.weights.adapters.gather import Gather
from clef_mlx.weights.adapters.spec import CONFIG, AdapterSpec
from clef_mlx.weights.headers import TensorHeader, read_header
from clef_mlx.weights.plan import Plan, Shape
from clef_mlx.weights.refusals import read_json

BLOCK_ELEMENTS = 1 << 24  # float32 numbers of a matrix worked on at a time

# Rows [start, stop) of a parameter, float32.
Rows = Callable[[int, int], mx.array]


@dataclass(frozen=True)
class Adapter:
    """One adapter of a kind that can be added. `base` is the model its config names."""

    spec: AdapterSpec
    base: str | None
    changes: Mapping[str, Change]


class Branch(NamedTuple):
    """What runs beside a matrix that stays as it is: y = gain * (W x) + B (A x). Scales are in B."""

    a: mx.array  # [R, in] float32
    b: mx.array  # [out, R] float32
    gain: mx.array | None  # [out] float32, where DoRA changes lengths


class Changed(NamedTuple):
    """A parameter after merging. `relative` is the Frobenius norm of the difference over that of the parameter."""

    name: str
    adapters: tuple[str, ...]
    rank: int | None  # None where a parameter is replaced whole
    relative: float


@dataclass
class Adapters:
    """All adapters of one load or conversion. `head` is the trained head's file, `notes` what the user should know."""

    adapters: tuple[Adapter, ...] = ()
    head: Path | None = None
    notes: tuple[str, ...] = ()
    _norms: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Folder names with their weights, such as `tickets:0.5`."""
        return tuple(_title(adapter.spec) for adapter in self.adapters)

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters that change."""
        return list(dict.fromkeys(name for adapter in self.adapters for name in adapter.changes))

    @property
    def nbytes(self) -> int:
        """What the adapters' own tensors take as stored."""
        return sum(tensor.nbytes for tensor in self._tensors())

    def touches(self, name: str) -> bool:
        """Whether anything is added to this parameter."""
        return any(name in adapter.changes for adapter in self.adapters)

    def replaces(self, name: str) -> bool:
        """Whether a whole trained parameter takes its place, so that nothing can run beside the old one."""
        return any(change.saved is not None for _, change in self._changes(name))

    def merge(self, name: str, value: mx.array, first_row: int = 0) -> mx.array:
        """A finished parameter, or a block of its rows from number `first_row` on -> the same, changed, float32.

        Finished means as the model takes it: norms with their one added, convolutions in MLX's axes. Evaluates the
        result, since it measures the difference. Raises AdapterError for one that is not finite.
        """
        weight = value.astype(mx.float32)
        made = [(factor, change.apply(weight, first_row)) for factor, change in self._changes(name)]
        if len(made) == 1 and made[0][0] == 1:
            merged = made[0][1]
        else:
            merged = weight + sum(factor * (alone - weight) for factor, alone in made)
        # Row by row: one float32 sum over a whole table would lose most of its terms.
        sums = [mx.square(one).reshape(weight.shape[0], -1).sum(axis=1) for one in (merged - weight, weight)]
        mx.eval(merged, sums)
        difference, before = (float(np.array(one, np.float64).sum()) for one in sums)
        if not math.isfinite(difference) and math.isfinite(before):
            raise AdapterError(f"{name}: must be finite after merging. The adapter is damaged or its scale too large.")
        known = self._norms.get(name, (0.0, 0.0))
        self._norms[name] = known[0] + difference, known[1] + before
        return merged

    def branch(self, name: str, rows: Rows, count: int) -> Branch:
        """The same change for a matrix of `count` rows that is kept as it is; `rows` gives its values, unpacked."""
        left, right, gain = [], [], None
        for factor, change in self._changes(name):
            for pair in change.low_rank:
                b = factor * pair.scale * pair.b.rows()
                if pair.magnitude is not None:
                    longer = _lengthening(change, pair.first_row, pair.end_row, rows)
                    b = b * longer
                    more = mx.zeros((count,)) if gain is None else gain
                    own = mx.arange(count)[pair.first_row : pair.end_row]
                    gain = more.at[own].add(factor * (longer[:, 0] - 1.0))
                left.append(mx.pad(b, [(pair.first_row, count - pair.end_row), (0, 0)]))
                right.append(pair.a.rows())
        branch = Branch(mx.concatenate(right), mx.concatenate(left, axis=1), None if gain is None else gain + 1.0)
        mx.eval(branch)
        return branch

    def changed(self) -> list[Changed]:
        """A row for every parameter merged so far, in the order of merging."""
        return [
            Changed(
                name,
                tuple(_title(adapter.spec) for adapter in self.adapters if name in adapter.changes),
                self._rank(name),
                math.sqrt(difference / before) if before else math.inf,
            )
            for name, (difference, before) in self._norms.items()
        ]

    def refuse_non_finite(self) -> None:
        """Read every tensor of the adapters once. Raises AdapterError that names the first with NaN or infinity."""
        files = {file: mx.load(str(file)) for file in {tensor.file for tensor in self._tensors()}}
        for tensor in self._tensors():
            if not mx.isfinite(files[tensor.file].pop(tensor.name)).all().item():
                raise AdapterError(
                    f"{tensor.file.parent.name}/{tensor.file.name}: {tensor.name} must be finite, got NaN or infinity. "
                    "Copy the adapter again, or train it again."
                )

    def _changes(self, name: str) -> list[tuple[float, Change]]:
        return [(adapter.spec.weight, adapter.changes[name]) for adapter in self.adapters if name in adapter.changes]

    def _tensors(self) -> list[TensorHeader]:
        found = [tensor for one in self.adapters for change in one.changes.values() for tensor in change.tensors]
        return list(dict.fromkeys(found))

    def _rank(self, name: str) -> int | None:
        if self.replaces(name):
            return None
        return max(pair.a.stop for _, change in self._changes(name) for pair in change.low_rank)


def _lengthening(change: Change, start: int, stop: int, rows: Rows) -> mx.array:
    """DoRA's factors [rows, 1] of all pairs of an adapter on rows [start, stop), block by block."""
    (pair,) = [pair for pair in change.low_rank if pair.first_row == start and pair.magnitude is not None]
    step = max(1, BLOCK_ELEMENTS // pair.a.tensor.elements * pair.a.stop)
    made = []
    for first in range(start, stop, step):
        last = min(first + step, stop)
        made.append(pair.lengthening(rows(first, last) + pair.delta(first, last), first, last))
        mx.eval(made[-1])
    return mx.concatenate(made)


def read_adapters(
    specs: Sequence[AdapterSpec],
    plan: Plan,
    config: ReleaseConfig,
    *,
    vision: Mapping[str, Shape],
    source: str | None = None,
    head: Path | None = None,
) -> Adapters:
    """Match adapters with a planned release, from their configs and headers alone.

    `vision` are the tower's parameters by name, `head` is the file of the head trained with the adapters, `source`
    where the base came from, as far as it is known. Raises AdapterError: a file is missing, a key is unknown, unused or
    misshapen, a setting means another arithmetic.
    """
    text = {name: recipe.shape for name, recipe in plan.recipes.items() if not name.startswith("head.")}
    shapes = dict(vision) | text
    adapters = tuple(_read(spec, shapes, plan, config) for spec in specs)
    notes = [note for adapter in adapters if (note := _other_base(adapter, source))]
    return Adapters(adapters, head, tuple(notes))


def _read(spec: AdapterSpec, shapes: Mapping[str, Shape], plan: Plan, config: ReleaseConfig) -> Adapter:
    facts = read_json(spec.folder / CONFIG)
    gather = Gather(str(spec.folder), shapes, config.text, tied=plan.tied)
    if "peft_type" in facts or (spec.folder / peft.WEIGHTS).is_file() or (spec.folder / peft.PICKLE).is_file():
        file, read, base = spec.folder / peft.WEIGHTS, peft.read_peft, facts.get("base_model_name_or_path")
    else:
        file, read, base = spec.folder / mlx_lm.WEIGHTS, mlx_lm.read_mlx, facts.get("model")
    if not file.is_file():
        pickled = (spec.folder / peft.PICKLE).is_file()
        why = f"{peft.PICKLE} can run code when read. Save it as safetensors." if pickled else "Copy the whole folder."
        raise AdapterError(f"{spec.folder.name}/{file.name}: file is missing. {why}")
    changes = read(facts, read_header(file).tensors, gather)
    return Adapter(spec, base if isinstance(base, str) and base else None, changes)


def _other_base(adapter: Adapter, source: str | None) -> str | None:
    """A note where both sides name their base and the names differ; copies and paths keep the last part of a name."""
    if adapter.base is None or source is None:
        return None
    wanted, got = (name.rstrip("/").rpartition("/")[2].lower() for name in (adapter.base, source))
    if wanted.startswith(got) or got.startswith(wanted):
        return None
    return f"adapter {_title(adapter.spec)}: was trained on {adapter.base}, and this model comes from {source}"


def _title(spec: AdapterSpec) -> str:
    """A checkpoint's `adapter/` says nothing, the folder around it does."""
    name = spec.folder.parent.name if spec.folder.name == "adapter" else spec.folder.name
    return name if spec.weight == 1 else f"{name}:{spec.weight:g}"
