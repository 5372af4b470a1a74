"""Where a folder came from, as far as it tells: the model it is a copy of, and the revision."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from clef_mlx.weights.refusals import read_json

REVISION = re.compile(r"[0-9a-f]{40}")
RECORD = "conversion.json"  # written by clef_mlx.convert
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


class Provenance(NamedTuple):
    """`source` is a hub id or whatever the converter noted; each is None where nothing is recorded."""

    source: str | None
    revision: str | None


def read_provenance(folder: Path, config: dict[str, Any]) -> Provenance:
    """Look at the folder's own records first, then at where the hub's cache put it."""
    cached = _hub_cache(folder)
    source = _marker(folder) or cached.source or _hub_id(config.get("_name_or_path"))
    revision = _converted(folder) or _revision(config.get("_commit_hash")) or cached.revision or _local_download(folder)
    return Provenance(source, revision)


def _marker(folder: Path) -> str | None:
    """Notes that converters leave: our own, mlx-decision's and clef-finetune's."""
    for name, key in ((RECORD, "source"), ("mlx_decision.json", "source"), ("CLEF_FINETUNE.json", "base_model")):
        if (folder / name).is_file() and isinstance(value := read_json(folder / name).get(key), str):
            return value
    return None


def _converted(folder: Path) -> str | None:
    """The revision of what was converted; that of the conversion itself would say little."""
    return _revision(read_json(folder / RECORD).get("revision")) if (folder / RECORD).is_file() else None


def _hub_cache(folder: Path) -> Provenance:
    """…/models--owner--name/snapshots/<revision>, the hub library's own cache."""
    repository = folder.parent.parent.name
    if folder.parent.name != "snapshots" or not repository.startswith("models--"):
        return Provenance(None, None)
    return Provenance(repository.removeprefix("models--").replace("--", "/", 1), _revision(folder.name))


def _local_download(folder: Path) -> str | None:
    """The first line of the note that `hf download --local-dir` keeps beside each file."""
    note = folder / ".cache" / "huggingface" / "download" / "config.json.metadata"
    return _revision(note.read_text(errors="replace").partition("\n")[0].strip()) if note.is_file() else None


def _revision(value: Any) -> str | None:
    return value if isinstance(value, str) and REVISION.fullmatch(value) else None


def _hub_id(value: Any) -> str | None:
    return value if isinstance(value, str) and HUB_ID.fullmatch(value) else None
