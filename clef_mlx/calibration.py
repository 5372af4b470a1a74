"""calibration.json beside a model -> what its logits are divided by, and moved by, before the softmax.

Written by `clef-mlx calibrate` for the weights it was fitted to, read strictly, and applied only where asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clef_mlx.errors import CheckpointError, RequestError
from clef_mlx.schema import Question
from clef_mlx.strict_json import parse_json, show, show_place

FILE = "calibration.json"
FORMAT = 1
TYPES = ("noul", "choice", "score")
FIELDS = {"format", "model", "files", "fit", "scales"}
HASHED_BYTES = 1 << 29  # larger files are told apart by their size: reading them again would double the time to load
MOST = 1e3  # temperature, its inverse, and bias; far beyond what is fitted, and far from overflow
AGAIN = "Run clef-mlx calibrate again."


@dataclass(frozen=True)
class Scale:
    """Logits become logits / `temperature`, and that of a noul's true moves by `bias`."""

    temperature: float
    bias: float = 0.0

    def __call__(self, logits: np.ndarray) -> np.ndarray:
        """Logits [O] in the order of the question's options -> double [O]."""
        scaled = np.asarray(logits, dtype=np.float64) / self.temperature
        if self.bias:
            scaled[0] += self.bias
        return scaled

    def to_dict(self) -> dict[str, float]:
        return {"temperature": self.temperature} | ({"bias": self.bias} if self.bias else {})


@dataclass(frozen=True)
class Calibration:
    """Scales by (type, question id); an id of None stands for all questions of the type that have none of their own."""

    scales: Mapping[tuple[str, str | None], Scale]

    def scales_of(self, questions: Sequence[Question]) -> dict[str, Scale]:
        """By question id; a question without a scale stays as it is."""
        found = {
            question.id: self.scales.get((question.type, question.id), self.scales.get((question.type, None)))
            for question in questions
        }
        return {question_id: scale for question_id, scale in found.items() if scale is not None}


def read_calibration(folder: Path) -> Calibration:
    """A folder's own. Raises CheckpointError where there is none, or it is damaged or of other weights."""
    try:
        text = (folder / FILE).read_bytes()
    except FileNotFoundError:
        rule = f"must hold {FILE} to decide calibrated, got none in {folder.name}"
        raise CheckpointError(f"calibrated: the model's folder {rule}. Run clef-mlx calibrate first.") from None
    except OSError as error:
        raise CheckpointError(f"{FILE}: cannot be read: {(error.strerror or str(error)).lower()}.") from None
    try:
        document = parse_json(text, where=FILE)
    except RequestError as error:
        raise CheckpointError(f"{error} {AGAIN}") from None
    calibration = parse_calibration(document)
    _check_files(folder, document["files"])
    return calibration


def parse_calibration(document: Any) -> Calibration:
    """Raises CheckpointError at the first thing that `calibrate` would not have written."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        got = show(document.get("format") if isinstance(document, dict) else document)
        raise _broken(("format",), f"must be {FORMAT}, got {got}")
    if document.keys() != FIELDS:
        odd = sorted(document.keys() ^ FIELDS)[0]
        raise _broken((), f"fields must be {', '.join(sorted(FIELDS))}, got {show(odd)} missing or too many")
    files, scales = document["files"], document["scales"]
    if not isinstance(files, dict) or not files or not all(map(_is_file, files, files.values())):
        raise _broken(("files",), "must map names of weight files to sha256 and bytes, got something else")
    if not isinstance(scales, list):
        raise _broken(("scales",), f"must be an array, got {show(scales)}")
    found: dict[tuple[str, str | None], Scale] = {}
    for index, entry in enumerate(scales):
        key, scale = _scale(entry, ("scales", index))
        if key in found:
            raise _broken(("scales", index), "must differ from the others, got the same question and type again")
        found[key] = scale
    return Calibration(found)


def scales_json(scales: Mapping[tuple[str, str | None], Scale]) -> list[dict[str, Any]]:
    """As `parse_calibration` reads them."""
    return [
        {"type": type, **({} if question_id is None else {"question": question_id}), **scale.to_dict()}
        for (type, question_id), scale in scales.items()
    ]


def files_json(files: Sequence[Path]) -> dict[str, dict[str, Any]]:
    return {file.name: {"bytes": file.stat().st_size, "sha256": _sha256(file)} for file in files}


def _scale(entry: Any, place: tuple[str | int, ...]) -> tuple[tuple[str, str | None], Scale]:
    known = {"type", "question", "temperature", "bias"}
    if not isinstance(entry, dict) or not entry.keys() <= known or entry.get("type") not in TYPES:
        raise _broken(
            place, f"must be an object of type, temperature and, if any, question and bias, got {show(entry)}"
        )
    question_id, temperature, bias = entry.get("question"), entry.get("temperature"), entry.get("bias", 0.0)
    if question_id is not None and not isinstance(question_id, str):
        raise _broken((*place, "question"), f"must be a question's id, got {show(question_id)}")
    if not _is_number(temperature) or not 1 / MOST <= temperature <= MOST:
        bounds = f"from {1 / MOST:g} to {MOST:g}"
        raise _broken((*place, "temperature"), f"must be a number {bounds}, got {show(temperature)}")
    if not _is_number(bias) or abs(bias) > MOST or (bias and entry["type"] != "noul"):
        raise _broken((*place, "bias"), f"must be a number up to {MOST:g}, of a noul alone, got {show(bias)}")
    return (entry["type"], question_id), Scale(float(temperature), float(bias))


def _check_files(folder: Path, files: dict[str, dict[str, Any]]) -> None:
    for name, facts in files.items():
        file = folder / name
        same = file.is_file() and file.stat().st_size == facts["bytes"]
        if not same or (facts["bytes"] <= HASHED_BYTES and _sha256(file) != facts["sha256"]):
            raise CheckpointError(f"{FILE}: must be fitted to this model, got one of another {show(name)}. {AGAIN}")


def _is_file(name: str, facts: Any) -> bool:
    plain = name not in ("", ".", "..") and not any(mark in name for mark in "/\\\0")
    known = isinstance(facts, dict) and facts.keys() == {"bytes", "sha256"}
    return plain and known and isinstance(facts["bytes"], int) and isinstance(facts["sha256"], str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _broken(place: tuple[str | int, ...], rule: str) -> CheckpointError:
    where = f"{FILE}: {show_place(place)}" if place else FILE
    return CheckpointError(f"{where}: {rule}. {AGAIN}")
