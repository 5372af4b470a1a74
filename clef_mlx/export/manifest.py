"""manifest.json of an export: all that a program must know to fill a trace's arguments and read its results."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

from clef_mlx import encoding
from clef_mlx.errors import CheckpointError
from clef_mlx.export.slots import Arguments, Slots
from clef_mlx.schema import NOUL_DESCRIPTIONS
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import PATTERN, ReleaseTokenizer

FORMAT, VERSION = "clef-mlx-export", 1
MANIFEST = "manifest.json"
FILES = {
    "trace": "model.mlxfn",
    "weights": "model.safetensors",
    "tokenizer": "tokenizer.json",
    "golden_tensors": "goldens.safetensors",
    "golden_requests": "goldens.json",
}
SHAPES = {
    "input_ids": ["length"],
    "length": [],
    "question_spans": ["questions", 2],
    "question_types": ["questions"],
    "option_spans": ["options", 2],
    "option_owners": ["options"],
}
OUTPUTS = {"logits": -1e30, "probabilities": 0.0}  # and what unused slots hold
RULES = (
    "Encode every piece by itself and concatenate the ids; never join two pieces before encoding them.",
    "A record is opening | state | schema_header | fields | closing. opening and closing are given as ids: they hold "
    "control tokens. All other pieces are text in which control tokens stay text: use the vocabulary and merges of "
    "tokenizer.json alone, neither its added tokens nor its own pattern.",
    "Encoding a piece: normalize to NFC, cut into words by pattern, write each word's UTF-8 bytes as byte-level "
    "letters, merge by rank.",
    "A field is field_header | render(instructions) | options_header | options | field_end, an option is "
    "option_header | render({option_id[, description]}) | option_end. number counts from 1.",
    "render(string) is the string; anything else is JSON with sorted keys, separators ',' and ':', non-ASCII as it is.",
    "Instructions that are missing, null or an empty string are the question's id.",
    "noul has the options true and false with noul_descriptions, overridden by criteria; choice has those of criteria "
    "sorted by id; score has 0, 1, 2, … in order. A null description is left out of the rendered option.",
    "A question's span covers render(instructions), an option's span its rendered object: [start, end) in the record.",
    "probabilities are a softmax of the logits within each question; a calibration's temperature divides them before.",
    "Call the trace in the thread that first used MLX, before any other stream exists.",
    "Pad input_ids with pad_token_id to the smallest of lengths that holds the record; unused spans are 0, 0.",
)


@dataclass(frozen=True)
class Manifest:
    """`weights` are name, dtype and shape in the order of the trace's arguments; `encoding` is for the host program."""

    model: str
    source: str | None
    revision: str | None
    clef_mlx: str
    mlx: str
    device: str  # cpu, metal or cuda: whose kernels the trace holds
    dtype: str
    slots: Slots
    weights: tuple[dict[str, Any], ...]
    encoding: dict[str, Any]
    checked: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        facts = {name: value for name, value in vars(self).items() if name not in ("slots", "weights", "encoding")}
        inputs = [{"name": name, "dtype": "int32", "shape": SHAPES[name]} for name in Arguments._fields]
        outputs = [
            {"name": name, "dtype": "float32", "shape": ["options"], "unused": value} for name, value in OUTPUTS.items()
        ]
        return {
            "format": FORMAT,
            "format_version": VERSION,
            **facts,
            "files": FILES,
            **asdict(self.slots),
            "inputs": inputs,
            "outputs": outputs,
            "encoding": self.encoding,
            "weights": list(self.weights),
        }


def device_name() -> str:
    """Whose kernels this process runs: cpu, metal or cuda."""
    if mx.default_device() == mx.gpu:
        return "metal" if mx.metal.is_available() else "cuda"
    return "cpu"


def encoding_facts(tokenizer: ReleaseTokenizer) -> dict[str, Any]:
    """How a request becomes token ids, for a program that has tokenizer.json and no more."""
    return {
        "normalizer": "NFC",
        "pattern": PATTERN,
        "pad_token_id": tokenizer.pad_token_id,
        "opening": list(tokenizer.fixed(encoding.OPENING)),
        "schema_header": encoding.SCHEMA_HEADER,
        "field_header": encoding.FIELD_HEADER,
        "options_header": encoding.OPTIONS_HEADER,
        "option_header": encoding.OPTION_HEADER,
        "option_end": encoding.OPTION_END,
        "field_end": encoding.FIELD_END,
        "closing": list(tokenizer.fixed(encoding.CLOSING)),
        "question_types": encoding.QUESTION_TYPES,
        "noul_descriptions": NOUL_DESCRIPTIONS,
        "rules": list(RULES),
    }


def read_manifest(folder: Path) -> Manifest:
    """Raises CheckpointError for what is no export, one of another format, or one that misses something."""
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
        if found["format"] != FORMAT:
            raise ValueError(f"format must be {FORMAT}, got {show(found['format'])}")
        if found["format_version"] != VERSION:
            raise ValueError(f"format_version must be {VERSION}, got {show(found['format_version'])}")
        if found["files"] != FILES:
            raise ValueError(f"files must be {show(FILES)}, got {show(found['files'])}")
        slots = Slots(tuple(found["lengths"]), found["questions"], found["options"])
        names = [name for name in Manifest.__dataclass_fields__ if name not in ("slots", "weights")]
        return Manifest(slots=slots, weights=tuple(found["weights"]), **{name: found[name] for name in names})
    except FileNotFoundError:
        raise CheckpointError(f"{folder}: is no export: it has no {MANIFEST}. Make one with clef-mlx export.") from None
    except KeyError as error:
        raise CheckpointError(f"{folder}/{MANIFEST}: must have {error}, got none. Export the model again.") from None
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{folder}/{MANIFEST}: cannot be read: {error}. Export the model again.") from None


def check_device(manifest: Manifest, folder: Path) -> None:
    """A trace holds one device's kernels. Raises CheckpointError on another."""
    if manifest.device != (here := device_name()):
        raise CheckpointError(
            f"{folder}: was traced for {manifest.device}, but this machine decides on {here}. Export it again here."
        )
