"""The models on this machine: what the hub's cache holds of Clef, and the bundled one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from clef_mlx.errors import CheckpointError
from clef_mlx.weights.download import split_name
from clef_mlx.weights.files import HEAD_CONFIG
from clef_mlx.weights.hub import ALIASES, BUNDLED, bundled_folder, missing_files
from clef_mlx.weights.refusals import read_json, shown


class Shelved(NamedTuple):
    """One model here. `revision` is a commit, None for the bundled model; `missing` are files it lacks."""

    name: str
    alias: str | None
    revision: str | None
    bytes: int
    last_used: float | None
    missing: tuple[str, ...]
    folder: Path


def models_here() -> list[Shelved]:
    """Every Clef model in the hub's cache, the one used last first, then the bundled one."""
    found = sorted(_cached(), key=lambda model: -(model.last_used or 0))
    if bundled_folder().is_dir():
        size = sum(file.stat().st_size for file in bundled_folder().iterdir() if file.is_file())
        found.append(Shelved(BUNDLED, None, None, size, None, (), bundled_folder()))
    return found


def remove(name: str) -> tuple[list[Shelved], int]:
    """Delete a model, or the one revision named. -> what went, and the bytes it gives back. Raises CheckpointError."""
    going = find(name)
    cache = _cache()
    # Copies of a repository have the same commits; the library would take whichever it meets first.
    only = frozenset(repository for repository in cache.repos if repository.repo_id == going[0].name)
    strategy = replace(cache, repos=only).delete_revisions(*(model.revision for model in going))
    strategy.execute()
    if left := [model for model in going if model.folder.exists()]:
        raise CheckpointError(f"{left[0].folder}: could not be deleted. Look at its owner and permissions.")
    return going, strategy.expected_freed_size


def find(name: str) -> list[Shelved]:
    """The cached revisions that a name means. Raises CheckpointError where there are none, or it is no download."""
    if name == BUNDLED:
        raise CheckpointError(f"{BUNDLED}: comes with the package and stays. Uninstall clef-mlx to remove it.")
    if not name:  # as a path it would be the current folder
        raise CheckpointError('model: must be named, got "". See clef-mlx list.')
    if Path(name).expanduser().exists():
        raise CheckpointError(f"{shown(name)}: is a folder of yours. Delete it yourself.")
    parts = split_name(name)
    cached = list(_cached())
    going = [
        model
        for model in cached
        if parts and model.name == parts[0] and (parts[1] is None or model.revision.startswith(parts[1]))
    ]
    if not going:
        here = ", ".join(sorted({model.name for model in cached})) or "none"
        raise CheckpointError(f"{shown(name)}: no such model on this machine. Here: {here}.")
    return going


def _cached() -> list[Shelved]:
    aliases = {target: alias for alias, target in ALIASES.items()}
    cache = _cache()
    return [
        Shelved(
            repository.repo_id,
            aliases.get(repository.repo_id),
            revision.commit_hash,
            revision.size_on_disk,
            repository.last_accessed,
            tuple(missing_files(revision.snapshot_path)),
            revision.snapshot_path,
        )
        for repository in (cache.repos if cache else ())
        if repository.repo_type == "model"
        for revision in repository.revisions
        if _is_clef(revision.snapshot_path)
    ]


def _cache():  # -> HFCacheInfo | None
    from huggingface_hub import CacheNotFound, scan_cache_dir

    try:
        return scan_cache_dir()
    except CacheNotFound:
        return None


def _is_clef(folder: Path) -> bool:
    """A head's config says Clef; so does the name, where a download ended before any file came."""
    if (folder / HEAD_CONFIG).is_file():
        return True
    if not (folder / "config.json").is_file():
        return "clef" in folder.parent.parent.name.lower()
    config = read_json(folder / "config.json")
    return "head_config" in config
