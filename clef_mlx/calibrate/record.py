"""Fitted scales with where they come from -> the document that is stored as calibration.json."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clef_mlx.calibrate.crossfit import FOLDS, Fitted
from clef_mlx.calibration import FORMAT, files_json, scales_json
from clef_mlx.weights.files import read_folder


def record(
    name: str, folder: Path, data: Sequence[Path], fitted: Sequence[Fitted], *, per: str, bias: bool, dtype: str
) -> dict[str, Any]:
    """No date: the same model and data make the same file."""
    return {
        "format": FORMAT,
        "model": name,
        "files": files_json([file.path for file in read_folder(folder).files]),
        "fit": {
            "per": per,
            "bias": bias,
            "dtype": dtype,
            "folds": FOLDS,
            "data": [{"name": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()} for file in data],
            "results": [one.to_dict() for one in fitted],
        },
        "scales": scales_json({one.key: one.scale for one in fitted if one.scale is not None}),
    }
