"""What a conversion leaves in its folder about itself: the record of its origin, and the model card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import Any

import clef_mlx
from clef_mlx.convert.sidecars import RECORD, sha256, write_json
from clef_mlx.weights.adapters.adapters import Adapter, Adapters
from clef_mlx.weights.headers import WeightFile
from clef_mlx.weights.provenance import Provenance

FORMAT = 1


class Hashes:
    """sha256 of the source's weight files, computed while they are converted: both read the same pages."""

    def __init__(self, files: Iterable[WeightFile]) -> None:
        self._paths = [file.path for file in files]
        self._found: dict[str, str] = {}
        # No work for MLX's thread: hashing releases the interpreter and touches no array.
        self._thread = Thread(target=self._hash, daemon=True)
        self._thread.start()

    def _hash(self) -> None:
        for path in self._paths:
            self._found[path.name] = sha256(path)

    def result(self) -> dict[str, str]:
        """Wait for all."""
        self._thread.join()
        return self._found


def write_record(
    out: Path,
    provenance: Provenance,
    source: Path,
    source_hashes: Mapping[str, str],
    settings: Mapping[str, Any],
    adapters: Adapters,
) -> dict[str, Any]:
    """Write conversion.json: where the weights are from, what was done, and the hash of every file here."""
    record = {
        "format": FORMAT,
        "tool": {"name": "clef-mlx", "version": clef_mlx.__version__, "mlx": version("mlx")},
        # A path is nobody else's business; its last name tells people enough.
        "source": provenance.source or source.resolve().name,
        "revision": provenance.revision,
        "source_files": dict(source_hashes),
        **settings,
        "adapters": [_adapter(adapter) for adapter in adapters.adapters],
        "trained_head": None if adapters.head is None else sha256(adapters.head),
        "files": {
            file.name: {"bytes": file.stat().st_size, "sha256": sha256(file)}
            for file in sorted(out.iterdir())
            if file.is_file() and file.name != "README.md"
        },
    }
    write_json(out / RECORD, record)
    return record


def _adapter(adapter: Adapter) -> dict[str, Any]:
    files = {tensor.file for change in adapter.changes.values() for tensor in change.tensors}
    hashes = {file.name: sha256(file) for file in sorted(files)}
    folder = adapter.spec.folder
    # A checkpoint's adapter/ says nothing, the folder around it does.
    name = folder.parent.name if folder.name == "adapter" else folder.name
    return {"name": name, "weight": adapter.spec.weight, "base": adapter.base, "files": hashes}


def write_card(out: Path, text: str) -> None:
    draft = out / ".README.md.draft"
    draft.write_text(text, encoding="utf-8")
    draft.replace(out / "README.md")


def licence_of(source: Path) -> str | None:
    """The `license:` of the source's own model card."""
    card = source / "README.md"
    if not card.is_file():
        return None
    lines = card.read_text(encoding="utf-8", errors="replace").splitlines()
    head = lines[1 : lines.index("---", 1)] if lines[:1] == ["---"] and "---" in lines[1:] else []
    return next((line.partition(":")[2].strip() for line in head if line.startswith("license:")), None)
