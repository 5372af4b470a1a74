"""A release whose weights come and go: parts of the model are read when they are needed and may be dropped again.

For work that passes many records through one layer before it needs the next, on machines that cannot hold them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_flatten

from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import plan_adapted, quantize_modules
from clef_mlx.weights.memory import available_bytes, on_gpu
from clef_mlx.weights.plan import Recipe
from clef_mlx.weights.precision import SPARE, STORED, Precision, stored_dtype
from clef_mlx.weights.reading import DTYPES, Reader, make, stays_quantized

ROWS = ("language_model.embed_tokens.", "lm_head.")  # tables of which single rows are read, cast when they are


class PartedRelease:
    """A model of which `part`s are filled while they are used; all stay where the memory allows.

    Activations have the stored dtype on a GPU and float32 on a CPU. `unpack` says that matrices are not kept quantized,
    which is so on a CPU and with adapters anyway; the two tables are, unless an adapter changes them. Raises what
    `load_release` raises, but for lack of memory.
    """

    def __init__(
        self,
        folder: Path,
        *,
        adapters: Sequence[AdapterSpec] = (),
        base_head: bool = False,
        unpack: bool = False,
        memory_bytes: int | None = None,
    ) -> None:
        adapted = plan_adapted(read_folder(folder), adapters, base_head=base_head)
        adapted.adapters.refuse_non_finite()
        self.config, self.model = adapted.config, adapted.model
        self._plan, self._adapters = adapted.plan, adapted.adapters
        unpack = unpack or not on_gpu() or bool(self._adapters.parameters)
        self._precision = Precision(stored_dtype(self._plan) if on_gpu() else "float32", unpack)
        available = available_bytes() if memory_bytes is None else memory_bytes - mx.get_active_memory()
        self.keeps = self._nbytes() <= available * (1 - SPARE)
        kept = [recipe for recipe in self._plan.recipes.values() if self._stays_quantized(recipe)]
        quantize_modules(self.model, self._plan, {recipe.module: recipe.quantization for recipe in kept})
        self._filled: set[str] = set()

    @property
    def dtype(self) -> mx.Dtype:
        """The dtype of activations."""
        return DTYPES[self._precision.dtype]

    @property
    def tied(self) -> bool:
        """Whether lm_head's rows are those of embed_tokens."""
        return self._plan.tied

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Have the parameters that begin with `name` (a module's path) in the model while the block runs."""
        if name not in self._filled:
            self._fill(name)
        yield
        if not self.keeps:
            self._empty(name)

    def _policy(self, recipe: Recipe) -> Precision:
        if not recipe.name.startswith(ROWS) or self._adapters.touches(recipe.name):
            return self._precision
        # In float32 the two tables would be the largest tensors by far; cast row by row they come out the same.
        stored = STORED.get(recipe.parts[0].weight.dtype)
        return Precision(stored or self._precision.dtype, dequantize=False)

    def _stays_quantized(self, recipe: Recipe) -> bool:
        return stays_quantized(recipe, self._policy(recipe), self._adapters)

    def _nbytes(self) -> int:
        return sum(self._policy(recipe).nbytes(recipe) for recipe in self._plan.recipes.values())

    def _fill(self, name: str) -> None:
        # Tied output rows are stored once, under the other name.
        tied = self._plan.tied and name == "lm_head"
        stored = "language_model.embed_tokens" if tied else name
        recipes = [recipe for recipe in self._plan.recipes.values() if recipe.name.startswith(f"{stored}.")]
        reader = Reader()
        made = [item for recipe in recipes for item in make(recipe, self._policy(recipe), self._adapters, reader)]
        mx.eval([value for _, value in made])
        self.model.load_weights([(name + key.removeprefix(stored), value) for key, value in made], strict=False)
        self._filled.add(name)

    def _empty(self, name: str) -> None:
        held = tree_flatten(self.model.parameters())
        # Lazy zeros take no memory, since nobody asks for them.
        zeros = [(key, mx.zeros(value.shape, value.dtype)) for key, value in held if key.startswith(f"{name}.")]
        self.model.load_weights(zeros, strict=False)
        self._filled.discard(name)
        mx.clear_cache()
