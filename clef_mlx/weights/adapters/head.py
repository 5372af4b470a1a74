"""The joint head that was trained beside an adapter, and a model folder with it in place of its own.

clef-finetune writes `adapter/`, `joint_head.safetensors` and `train_config.json` side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clef_mlx.errors import AdapterError
from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.files import HEAD_FILE, ModelFolder
from clef_mlx.weights.headers import WeightFile, read_header
from clef_mlx.weights.layouts import place
from clef_mlx.weights.refusals import read_json

TRAINING = "train_config.json"


def trained_head(specs: Sequence[AdapterSpec]) -> Path | None:
    """The one head these adapters bring, None where none does; an adapter's weight does not apply to it.

    Raises AdapterError where training changed a head that is not here, or where two adapters bring different ones.
    """
    heads = [(spec, head) for spec in specs if (head := _head_of(spec.folder)) is not None]
    for spec, head in heads[1:]:
        if head.read_bytes() != heads[0][1].read_bytes():
            raise AdapterError(
                f"{head}: is another trained head than that of {heads[0][0].folder}. One model has one head: "
                f"leave {spec.folder.name} out, or keep the base's head (--base-head)."
            )
    return heads[0][1] if heads else None


def _head_of(adapter: Path) -> Path | None:
    """Beside the adapter, or one folder up where that is the training's output."""
    folders = [adapter]
    if adapter.name == "adapter" or (adapter.parent / TRAINING).is_file():
        folders.append(adapter.parent)
    for folder in folders:
        if (folder / HEAD_FILE).is_file():
            return folder / HEAD_FILE
    for folder in folders:
        if (folder / TRAINING).is_file() and _trains_head(folder / TRAINING):
            raise AdapterError(
                f"{folder / HEAD_FILE}: is missing, and {TRAINING} says that the head was trained with the adapter. "
                "Copy it there, or keep the base's head (--base-head)."
            )
    return None


def _trains_head(file: Path) -> bool:
    """clef-finetune trains the head unless told not to."""
    settings = read_json(file).get("train")
    return not isinstance(settings, dict) or settings.get("train_head", True) is not False


def with_head(folder: ModelFolder, head: Path) -> ModelFolder:
    """The folder as if `head` were its joint_head.safetensors, wherever it keeps its own."""
    backbone = tuple(
        WeightFile(
            file.path,
            {name: tensor for name, tensor in file.tensors.items() if place(name).room != "head"},
            file.metadata,
        )
        for file in folder.backbone
    )
    return replace(folder, backbone=backbone, head=read_header(head))
