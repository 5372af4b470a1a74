"""What a caller calls an adapter -> its folder and its weight."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clef_mlx.errors import AdapterError
from clef_mlx.strict_json import show

WEIGHTED = re.compile(r"(?P<folder>.+)[:=](?P<weight>[^:=/]+)")
CONFIG = "adapter_config.json"


class AdapterSpec(NamedTuple):
    """An adapter's folder, the one that holds adapter_config.json, and how much of its change is added."""

    folder: Path
    weight: float = 1.0

    def __str__(self) -> str:
        return self.folder.name if self.weight == 1 else f"{self.folder.name}:{self.weight:g}"


Given = str | os.PathLike[str] | tuple[str | os.PathLike[str], float]


def adapter_specs(given: Given | Sequence[Given] | None) -> tuple[AdapterSpec, ...]:
    """One adapter, several, or none: `DIR`, `DIR:0.5`, `DIR=0.5` or (DIR, 0.5).

    A path that exists is taken as it is, whatever colons it holds. Raises AdapterError.
    """
    if given is None:
        return ()
    # A pair whose second part is no number is two adapters, or a weight to refuse.
    pair = isinstance(given, tuple) and len(given) == 2 and not isinstance(given[1], (str, os.PathLike, tuple))
    if pair or isinstance(given, (str, os.PathLike)):
        given = [given]
    if not isinstance(given, Sequence):
        raise AdapterError(f"adapter: must be a folder, (folder, weight) or a list of them, got {show(given)}.")
    return tuple(_spec(one) for one in given)


def _spec(given: Given) -> AdapterSpec:
    folder, weight = given if isinstance(given, tuple) and len(given) == 2 else (given, 1.0)
    if not isinstance(folder, (str, os.PathLike)):
        raise AdapterError(f"adapter: must be a folder or (folder, weight), got {show(folder)}.")
    path = Path(folder).expanduser()
    if not path.exists() and not isinstance(given, tuple) and (match := WEIGHTED.fullmatch(os.fspath(path))):
        path, weight = Path(match["folder"]), match["weight"]
    try:
        number = float(weight)
    except (TypeError, ValueError, OverflowError):
        raise AdapterError(f"{path}: its weight must be a number, got {show(weight)}.") from None
    if not math.isfinite(number):
        raise AdapterError(f"{path}: its weight must be finite, got {show(weight)}.")
    return AdapterSpec(_holder(path), number)


def _holder(path: Path) -> Path:
    """The folder with the config: the one given, or `adapter/` in a checkpoint of clef-finetune."""
    if not path.is_dir():
        what = "is a file" if path.exists() else "no such folder"
        raise AdapterError(f"{path}: {what}. Give the folder of an adapter, with {CONFIG} in it.")
    for folder in (path, path / "adapter"):
        if (folder / CONFIG).is_file():
            return folder.absolute()
    raise AdapterError(f"{path}: holds no {CONFIG}. Give the folder of a PEFT or mlx-lm adapter.")
