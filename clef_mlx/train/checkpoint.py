"""A run -> files that it can go on from with the same result, and back.

state.json is written last and in one step; it names the file of arrays that belongs to it. What is older goes then.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

from clef_mlx.convert.sidecars import write_json
from clef_mlx.convert.staging import in_one_line
from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show
from clef_mlx.train.loop import Run, Score

FOLDER = "checkpoint"  # inside the run's output, gone when the run is done
STATE = "state.json"
PARTS = ("parameters", "optimizer", "best")
DIGESTS = {"weights": "the model's weights", "data": "the lines of data"}  # told by name: a digest says nothing
FIELDS = {"about", "step", "best_score", "history", "arrays", "order"}  # of the state


def unfinished(out: Path) -> bool:
    """Whether a run that was interrupted can go on here."""
    return (out / FOLDER / STATE).is_file()


def left(out: Path) -> str:
    """What a run that cannot write leaves, in a sentence."""
    return "Its last checkpoint is kept, for --resume." if unfinished(out) else "No checkpoint was left there."


def save(run: Run, out: Path, about: Mapping[str, Any]) -> None:
    """Write a run. `about` says what it is a run of; only the same can go on. Raises CheckpointError."""
    folder = out / FOLDER
    arrays = {
        f"{part}.{name}": value
        for part, tree in zip(PARTS, (run.parameters, run.optimizer.state, run.best or {}), strict=True)
        for name, value in tree_flatten(tree)
    }
    state = {
        "about": about,
        "step": run.step,
        "best_score": run.best_score and run.best_score._asdict(),
        "history": run.history,
        "arrays": f"step-{run.step}.safetensors",
        # Sums over all parameters are taken in the trees' order, and a file of arrays keeps none.
        "order": list(arrays),
    }
    with in_one_line(out, lambda: left(out)):
        folder.mkdir(parents=True, exist_ok=True)
        _write_arrays(folder / state["arrays"], arrays)
        write_json(folder / STATE, state)
        for old in folder.glob("step-*"):
            if old.name != state["arrays"]:
                old.unlink()


def _write_arrays(path: Path, arrays: dict[str, mx.array]) -> None:
    draft = path.with_name("draft.safetensors")
    try:
        mx.save_safetensors(str(draft), arrays)
    except RuntimeError as error:  # MLX says so, and not why
        free = shutil.disk_usage(path.parent).free
        draft.unlink(missing_ok=True)
        reason = errno.ENOSPC if free < sum(value.nbytes for value in arrays.values()) else errno.EFBIG
        raise OSError(reason, os.strerror(reason)) from error
    draft.replace(path)


def restore(run: Run, out: Path, about: Mapping[str, Any]) -> None:
    """Put a run, just started, where the saved one was. Raises CheckpointError where that is a run of another thing."""
    state, arrays = _read(out / FOLDER)
    _refuse_other(state["about"], about, out)
    parts: dict[str, list[tuple[str, mx.array]]] = {part: [] for part in PARTS}
    for name in state["order"]:
        part, _, rest = name.partition(".")
        parts[part].append((rest, arrays[name]))
    run.parameters = tree_unflatten(parts["parameters"])
    run.optimizer.state = tree_unflatten(parts["optimizer"])
    run.best = tree_unflatten(parts["best"]) if parts["best"] else None
    run.best_score = Score(**state["best_score"]) if state["best_score"] else None
    run.step, run.history = state["step"], state["history"]


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, mx.array]]:
    """The state and its arrays. Raises CheckpointError where a power cut or a copy left less than was written."""
    path = folder / STATE
    try:
        state = json.loads(path.read_bytes())
        if missing := FIELDS - state.keys():
            raise ValueError(f"no {min(missing)}")
        path = folder / state["arrays"]
        if not path.is_file():
            raise CheckpointError(f"{path}: file is missing. Start anew in another folder.")
        arrays = mx.load(str(path))
        if missing := set(state["order"]) - arrays.keys():
            raise ValueError(f"no {min(missing)}")
        mx.eval(arrays)
    except (OSError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        why = str(error).partition("\n")[0]
        raise CheckpointError(
            f"{path}: must be as it was written, got a damaged file ({why}). Start anew in another folder."
        ) from error
    return state, arrays


def _refuse_other(saved: Mapping[str, Any], about: Mapping[str, Any], out: Path) -> None:
    for name, value in json.loads(json.dumps(about)).items():  # in JSON's types, as the saved one
        if saved.get(name) != value:
            if name in DIGESTS:
                rule = f"{DIGESTS[name]} must be as at the start, got others"
                raise CheckpointError(f"{out}: cannot go on: {rule}. Give the same again, or name another folder.")
            rule = f"{name} must be as it was, {show(saved.get(name))}, got {show(value)}"
            raise CheckpointError(f"{out}: cannot go on: {rule}. Give the same again, or name another folder.")
