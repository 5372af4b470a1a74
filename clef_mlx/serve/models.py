"""Model names to loaded models, as many as the memory allows: loaded on demand, the least recently used goes first.

All but `cards`, `current` and `known` runs in the worker's thread. A folder is checked, down to the memory it will
take, before anything else is given up for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from clef_mlx.calibration import read_calibration
from clef_mlx.engine import thread
from clef_mlx.engine.budget import available_now
from clef_mlx.engine.clef import Clef
from clef_mlx.engine.options import Limits, Options
from clef_mlx.engine.warm_up import decide_once
from clef_mlx.errors import MemoryBudgetError, RequestError
from clef_mlx.serve import logs, metrics
from clef_mlx.serve.replies import ModelCard, NotReady
from clef_mlx.serve.settings import Settings
from clef_mlx.strict_json import show
from clef_mlx.weights.adapters.spec import AdapterSpec, adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.hub import default_model, known_as, resolve
from clef_mlx.weights.load import plan_adapted
from clef_mlx.weights.memory import on_gpu
from clef_mlx.weights.precision import SPARE, choose_precision

RETRY_SECONDS = 30.0  # before a folder that did not load is tried again, unless it changes
READ = (".json", ".safetensors", ".jinja")  # what of a folder makes the model

Signature = tuple[tuple[str, int, int, int], ...]  # (file, bytes, time of change, inode)


class Need(NamedTuple):
    """What a folder's weights take once loaded, and in which dtype."""

    nbytes: int
    dtype: str


@dataclass(eq=False)
class Slot:
    """One model of the settings, loaded or not."""

    id: str
    name: str  # what was asked for: a folder, hub id or alias
    folder: Path | None = None
    clef: Clef | None = None
    used: float = 0.0
    created: int = 0
    adapters: tuple[AdapterSpec, ...] = ()
    signature: Signature = ()  # of the files that were loaded
    seen: Signature = ()  # at the last look
    refused: tuple[Signature, float] | None = None  # files that did not load, and when
    description: str = "A Clef release."

    @property
    def adapter_folders(self) -> list[Path]:
        return [spec.folder for spec in self.adapters]


class Models:
    """The models of the settings; the first is the default."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.slots = {slot.id: slot for slot in _slots(settings.models or (default_model().name,))}
        self.default = next(iter(self.slots))
        self.slots[self.default].adapters = adapter_specs(settings.adapters)
        self._limits = Limits(settings.prefix_bytes, settings.checkpoint_tokens, settings.memory_bytes)
        self._cards: list[ModelCard] = []
        self._list()

    def cards(self) -> list[ModelCard]:
        return self._cards

    def current(self, model: str) -> Clef | None:
        """The model if it is loaded at this moment."""
        return self.slots[model].clef

    def loaded(self) -> list[Slot]:
        return [slot for slot in self.slots.values() if slot.clef is not None]

    def check(self) -> None:
        """Find every folder, downloading what is not here, and check it. Raises CheckpointError, MemoryBudgetError."""
        for slot in self.slots.values():
            slot.folder = resolve(slot.name)
            self._need(slot)
            if self.settings.options.calibrated:
                read_calibration(slot.folder)
        self._list()

    def get(self, model: str) -> Clef:
        """The model, loaded now if it was not. Raises NotReady if it cannot be."""
        slot = self.slots[model]
        slot.used = time.monotonic()
        if slot.clef is not None:
            return slot.clef
        found = signature_of(slot.folder, *slot.adapter_folders)
        if slot.refused is not None and slot.refused[0] == found and slot.used - slot.refused[1] < RETRY_SECONDS:
            raise NotReady(f"{slot.id} cannot be loaded", RETRY_SECONDS)
        try:
            return self.load(slot)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a folder, other models go on
            self._refuse(slot, found, error)
            raise NotReady(f"{slot.id} cannot be loaded", RETRY_SECONDS) from None

    def load(self, slot: Slot) -> Clef:
        """Load and decide once, after making room. Raises ClefError, with what was loaded before still there unless its
        room was needed."""
        found = signature_of(slot.folder, *slot.adapter_folders)
        need = self._need(slot)
        self._make_room(slot, need)
        clef = self._open(slot, need)
        slot.signature = slot.seen = found
        self._take(slot, clef, "loaded")
        return clef

    def look(self) -> None:
        """Load those models again whose files have changed and rest again; say what memory the loaded ones hold."""
        for slot in self.loaded():
            found = signature_of(slot.folder, *slot.adapter_folders)
            rests, slot.seen = found == slot.seen, found
            if rests and found != slot.signature:
                self.reload(slot)
            metrics.observe_memory(slot.id, slot.clef and slot.clef.memory)

    def reload(self, slot: Slot) -> None:
        """Replace a loaded model by what its folder holds now; a folder that is no model changes nothing."""
        found, old = signature_of(slot.folder, *slot.adapter_folders), slot.clef
        slot.signature = slot.seen = found  # tried once, whatever comes of it
        try:
            need = self._need(slot)
            if not self._fits(need):
                self._make_room(slot, need)
                self.unload(slot)
                old = None
            clef = self._open(slot, need)
        except Exception as error:  # noqa: BLE001 - as for a folder that is loaded on demand
            self._refuse(slot, found, error)
            return
        self._take(slot, clef, "reloaded")
        if old is not None:
            old.close()

    def unload(self, slot: Slot) -> None:
        """Give a model's memory back."""
        clef, slot.clef = slot.clef, None
        clef.close()
        self._list()
        metrics.observe_memory(slot.id, None)
        metrics.observe_model(slot.id, "unloaded")
        logs.say("unloaded", model=slot.id)

    def broken(self) -> bool:
        """Whether the default model is gone since its folder did not load."""
        slot = self.slots[self.default]
        return slot.clef is None and slot.refused is not None

    def forget(self, model: str) -> bool:
        """Drop the kept prefixes of all other models, in favour of this one. -> whether there are any others."""
        others = [slot for slot in self.loaded() if slot.id != model]
        for slot in others:
            slot.clef.forget()
        return bool(others)

    def close(self) -> None:
        for slot in self.loaded():
            self.unload(slot)

    def _need(self, slot: Slot) -> Need:
        """What a slot's folder takes, if all else may be given up for it. Raises CheckpointError, MemoryBudgetError."""
        return thread.run(_need, slot, self.settings, self._held())

    def _held(self) -> int:
        """Bytes that giving up all loaded models would bring."""
        return sum(memory.weights + memory.prefixes for memory in (slot.clef.memory for slot in self.loaded()))

    def _fits(self, need: Need) -> bool:
        return need.nbytes <= thread.run(available_now, self.settings.memory_bytes) * (1 - SPARE)

    def _make_room(self, slot: Slot, need: Need) -> None:
        """Unload other models, the least recently used first, until this one fits."""
        while not self._fits(need):
            others = [other for other in self.loaded() if other is not slot]
            if not others:
                return  # loading says what is lacking, if it still is
            self.unload(min(others, key=lambda other: other.used))

    def _open(self, slot: Slot, need: Need) -> Clef:
        """Load, and prove it by a decision."""
        started = time.monotonic()
        clef = Clef(
            slot.folder,
            name=slot.id,
            dtype=self.settings.dtype,
            options=Options(calibrated=self.settings.options.calibrated),
            limits=self._limits,
            adapters=slot.adapters,
            base_head=self.settings.base_head,
        )
        try:
            decide_once(clef)
        except BaseException:
            clef.close()
            raise
        slot.description = f"A Clef release in {clef.info.dtype}, {clef.info.weight_bytes / 1e9:.1f} GB."
        slot.refused = None
        logs.say("loaded", model=slot.id, dtype=need.dtype, seconds=round(time.monotonic() - started, 3))
        return clef

    def _take(self, slot: Slot, clef: Clef, event: str) -> None:
        slot.clef, slot.used = clef, time.monotonic()
        self._list()
        metrics.observe_model(slot.id, event)
        metrics.observe_memory(slot.id, clef.memory)

    def _refuse(self, slot: Slot, found: Signature, error: Exception) -> None:
        slot.refused = found, time.monotonic()
        metrics.observe_model(slot.id, "failed")
        logs.say("load failed", logs.logging.ERROR, model=slot.id, reason=str(error))

    def _list(self) -> None:
        """Cards are asked for at every request."""
        for slot in self.slots.values():
            if slot.folder is not None:
                slot.created = _created(slot.folder) or slot.created
        self._cards = [
            ModelCard(slot.id, slot.description, slot.created, slot.clef is not None) for slot in self.slots.values()
        ]


def signature_of(folder: Path, *adapters: Path) -> Signature:
    """Names, sizes and times of the files that make a model: another signature, another model."""
    return tuple(
        _signature(sorted(file for place in (folder, folder / "adapter", *adapters) for file in _files(place)))
    )


def _files(folder: Path) -> Iterable[Path]:
    return folder.iterdir() if folder.is_dir() else ()


def _signature(files: list[Path]) -> Iterator[tuple[str, int, int, int]]:
    for file in files:
        if file.suffix in READ:
            try:
                facts = file.stat()
            except FileNotFoundError:
                continue  # it went while we looked; the next look sees a folder that rests
            yield str(file), facts.st_size, facts.st_mtime_ns, facts.st_ino


def _created(folder: Path) -> int:
    return max((time_ns // 10**9 for name, _, time_ns, _ in signature_of(folder)), default=0)


def _slots(names: Iterable[str]) -> Iterator[Slot]:
    ids: set[str] = set()
    for name in names:
        id = known_as(name)
        if id in ids:
            raise RequestError(f"model: names must differ, got {show(id)} twice. Rename a folder, or drop one.")
        ids.add(id)
        yield Slot(id, name)


def _need(slot: Slot, settings: Settings, held: int) -> Need:
    """In the thread that owns MLX: a plan makes a model, though none of its weights."""
    adapted = plan_adapted(read_folder(slot.folder), slot.adapters, base_head=settings.base_head)
    adapters = adapted.adapters.nbytes
    available = available_now(settings.memory_bytes) + held - adapters
    try:
        precision = choose_precision(adapted.plan, gpu=on_gpu(), available_bytes=available, dtype=settings.dtype)
    except MemoryBudgetError as error:
        raise MemoryBudgetError(f"{slot.folder.name}: {error}") from None
    return Need(precision.total_bytes(adapted.plan) + adapters, precision.dtype)
