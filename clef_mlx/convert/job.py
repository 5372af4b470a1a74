"""A source and settings -> everything that is decided before a byte is read: what is written, how, from what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clef_mlx.convert.budget import Chosen, choose
from clef_mlx.convert.calibration import read_requests
from clef_mlx.convert.recipes import Choice, matrices
from clef_mlx.convert.settings import Settings, refuse_second_rounding
from clef_mlx.convert.sidecars import sidecars
from clef_mlx.convert.target import Item, Shard, items_of, shards_of
from clef_mlx.convert.vision import vision_recipes
from clef_mlx.convert.watch import Watch
from clef_mlx.convert.write import header_bytes
from clef_mlx.engine import thread
from clef_mlx.weights.adapters.adapters import Adapters
from clef_mlx.weights.adapters.spec import AdapterSpec, adapter_specs
from clef_mlx.weights.files import ModelFolder
from clef_mlx.weights.load import plan_adapted
from clef_mlx.weights.plan import Plan


@dataclass(frozen=True)
class Job:
    """One conversion. `dtype` is the word for unquantized text tensors, None as they are stored.

    `chosen` is what was measured where a target decided the bits.
    """

    source: ModelFolder
    plan: Plan
    choice: Choice
    dtype: str | None
    shards: Sequence[Shard]
    vision: bool
    adapters: Adapters
    chosen: Chosen | None

    @property
    def nbytes(self) -> int:
        return sum(shard.nbytes for shard in self.shards)

    @property
    def needed_bytes(self) -> int:
        """What the folder will take on the disk."""
        headers = sum(header_bytes(shard.tensors) for shard in self.shards)
        copies = sum(file.stat().st_size for file in sidecars(self.source.path))
        # The index repeats the names, and config.json has a line for each.
        return self.nbytes + 3 * headers + copies


def make_job(source: ModelFolder, settings: Settings, watch: Watch) -> Job:
    """Match a folder, its adapters and the settings; a target is measured here.

    Raises CheckpointError, AdapterError, RequestError, ClefError.
    """
    specs = adapter_specs(settings.adapters)
    adapted = plan_adapted(source, specs, base_head=settings.base_head)
    plan, adapters = adapted.plan, adapted.adapters
    thread.run(adapters.refuse_non_finite)
    for note in adapters.notes:
        watch.note(f"{note}.")
    vision = [] if settings.text_only else vision_recipes(plan, adapted.config, str(source.path))
    recipes = [*plan.recipes.values(), *vision]

    def items(choice: Choice) -> list[Item]:
        made = items_of(recipes, choice, settings.dtype, settings.dequantize)
        refuse_second_rounding(settings, made, set(adapters.parameters))
        return made

    choice, chosen = settings.decided(plan, settings.choice(plan)), None
    if settings.target is not None:
        items(dict.fromkeys(matrices(plan)))  # what is quantized already is refused before it is measured
        chosen = _measured(source, settings, choice, specs, watch)
        choice = chosen.choice
    return Job(
        source=adapted.files,
        plan=plan,
        choice=choice,
        dtype=settings.dtype,
        shards=shards_of(items(choice), settings.max_shard_bytes),
        vision=bool(vision),
        adapters=adapters,
        chosen=chosen,
    )


def _measured(
    source: ModelFolder, settings: Settings, decided: Choice, specs: Sequence[AdapterSpec], watch: Watch
) -> Chosen:
    return choose(
        source.path,
        read_requests(settings.calibration),
        settings.target,
        decided=decided,
        adapters=specs,
        base_head=settings.base_head,
        text_only=settings.text_only,
        progress=watch.step,
    )
