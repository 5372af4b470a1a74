"""A model folder as its files tell it: configs and tensor headers, nothing loaded.

It knows files and the index; whose names the tensors carry is the business of `layouts`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show
from clef_mlx.weights.headers import TensorHeader, WeightFile, read_header
from clef_mlx.weights.refusals import ADAPTER_FILES, read_json, refuse_chat_model, refuse_path, report, shown

INDEX = "model.safetensors.index.json"
HEAD_FILE = "joint_head.safetensors"
HEAD_CONFIG = "joint_head_config.json"
SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.safetensors")


@dataclass(frozen=True)
class ModelFolder:
    """Everything known of a folder before a tensor is read.

    `backbone` are the files that hold the backbone, and the head too where it has no file of its own (`head` None).
    `unused` names weight files that lie here and are not read.
    """

    path: Path
    config: dict[str, Any]
    head_config: dict[str, Any]
    backbone: tuple[WeightFile, ...]
    head: WeightFile | None
    indexed: bool
    unused: tuple[str, ...]

    @property
    def files(self) -> tuple[WeightFile, ...]:
        return self.backbone if self.head is None else (*self.backbone, self.head)

    @property
    def nbytes(self) -> int:
        return sum(file.path.stat().st_size for file in self.files)

    @property
    def adapter(self) -> Path | None:
        """clef-finetune's `adapter/` beside the weights, if there is one."""
        return self.path / "adapter" if (self.path / "adapter" / "adapter_config.json").is_file() else None


def read_folder(path: Path) -> ModelFolder:
    """Read configs and every header. Raises CheckpointError for a folder that is no complete Clef release."""
    refuse_path(path)
    config = read_json(path / "config.json")
    head_config = _head_config(path, config)
    if not (path / "tokenizer.json").is_file():
        raise CheckpointError(f"tokenizer.json: file is missing in {path}. Download the model again.")
    head_path = path / HEAD_FILE
    names, weight_map = _weight_files(path)
    extra = sorted(set(_safetensors(path)) - set(names))
    backbone = [read_header(path / name) for name in names]
    extras = [] if weight_map is None else [read_header(path / name) for name in extra]
    report(str(path), _index_problems(backbone, weight_map) + _duplicates(backbone))
    # An unlisted file is read only where it adds tensors, as some copies keep the vision tower in a file of its own.
    known = {name for file in backbone for name in file.tensors}
    added = [file for file in extras if not known & set(file.tensors)]
    head = read_header(head_path) if head_path.is_file() and HEAD_FILE not in names else None
    return ModelFolder(
        path,
        config,
        head_config,
        (*backbone, *added),
        head,
        indexed=weight_map is not None,
        unused=tuple(file.path.name for file in extras if file not in added),
    )


def _head_config(path: Path, config: dict[str, Any]) -> dict[str, Any]:
    """The head's facts: a file of their own, or `head_config` inside config.json (mlx-vlm)."""
    if (path / HEAD_CONFIG).is_file():
        return read_json(path / HEAD_CONFIG)
    if isinstance(inside := config.get("head_config"), dict):
        return inside
    if (path / HEAD_FILE).is_file():
        raise CheckpointError(f"{HEAD_CONFIG}: file is missing in {path}. Download the model again.")
    return refuse_chat_model(path, config)


def _safetensors(path: Path) -> list[str]:
    """Weight files beside the head and adapters."""
    names = sorted(entry.name for entry in path.iterdir() if entry.name.endswith(".safetensors"))
    return [name for name in names if name != HEAD_FILE and name not in ADAPTER_FILES and not name.startswith(".")]


def _weight_files(path: Path) -> tuple[list[str], dict[str, str] | None]:
    """The files to read and the index's map, None where the folder has no index."""
    if not (path / INDEX).is_file():
        names = _safetensors(path)
        report(str(path), _missing_shards(names))
        return names, None
    weight_map = read_json(path / INDEX).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise CheckpointError(f"{INDEX}: weight_map must map tensor names to file names. Download it again.")
    names = sorted(set(weight_map.values()))
    for name in names:
        # The name decides, not where it leads: a hub cache keeps links to ../../blobs and those are fine.
        if not name or name in (".", "..") or any(mark in name for mark in "/\\:\0"):
            raise CheckpointError(
                f"{INDEX}: a file name must stay in its folder, got {show(name)}. The index is not used."
            )
    report(
        str(path),
        [
            f"{shown(name)}: file is missing in {path}, the index lists it. Download the model again."
            for name in names
            if not (path / name).is_file()
        ],
    )
    return names, weight_map


def _missing_shards(names: list[str]) -> list[str]:
    """Without an index the shards' own numbering says how many there must be."""
    matches = [match for name in names if (match := SHARD.fullmatch(name))]
    wanted = {
        f"{match[1]}-{number:05d}-of-{match[3]}.safetensors"
        for match in matches
        for number in range(1, min(int(match[3]), 9999) + 1)
    }
    return [f"{name}: file is missing. Download the model again." for name in sorted(wanted - set(names))]


def _index_problems(files: list[WeightFile], weight_map: dict[str, str] | None) -> list[str]:
    held = {file.path.name: file.tensors for file in files}
    return [
        f"{shown(name)}: not in {file}, where the index puts it. Download the model again."
        for name, file in (weight_map or {}).items()
        if name not in held[file]
    ]


def _duplicates(files: list[WeightFile]) -> list[str]:
    first: dict[str, TensorHeader] = {}
    problems = []
    for file in files:
        for name, tensor in file.tensors.items():
            if (other := first.setdefault(name, tensor)) is not tensor:
                problems.append(f"{name}: stored twice, in {other.file.name} and {file.path.name}.")
    return problems


def head_is_missing(path: Path) -> bool:
    """Whether a folder has the head's config but nowhere its weights: no file of their own, none among the others."""
    if not (path / HEAD_CONFIG).is_file() or (path / HEAD_FILE).is_file():
        return False
    if (path / INDEX).is_file():
        names = read_json(path / INDEX).get("weight_map")
    else:
        names = {name: file for file in _safetensors(path) for name in read_header(path / file).tensors}
    return isinstance(names, dict) and not any(name.startswith("head.") for name in names)
