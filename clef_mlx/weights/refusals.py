"""What a path is when it is no Clef release: each usual mistake is named, with what to do instead.

Only names and small JSON files are looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.strict_json import show
from clef_mlx.weights.headers import LFS_MAGIC, refuse_irregular

PICKLES = (".bin", ".pt", ".pth", ".ckpt")
ADAPTER_FILES = ("adapter_model.safetensors", "adapters.safetensors", "adapter_model.bin")
SHOWN_CHARACTERS = 300  # of a name, which may be a long path
SHOWN = 10  # problems printed before the rest is only counted


def report(where: str, problems: Sequence[str], error: type[ClefError] = CheckpointError) -> None:
    """Raise one `error` with a line per problem, the first ten and the count; nothing without problems."""
    if not problems:
        return
    if len(problems) == 1:
        raise error(problems[0])
    lines = [f"{where}: {len(problems)} problems.", *problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"… and {len(problems) - SHOWN} more.")
    raise error("\n  ".join(lines))


def shown(name: str) -> str:
    """A name as it was given where that is a short line, else cut and escaped."""
    return name if len(name) <= SHOWN_CHARACTERS and name.isprintable() else show(name)


def read_json(path: Path, name: str | None = None, remedy: str = "Download it again.") -> dict[str, Any]:
    """A JSON file as a dict. Raises CheckpointError, one line that calls the file `name`, when it is no JSON object."""
    name = name or path.name
    refuse_irregular(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(f"{name}: file is missing in {path.parent}. Download the model again.") from None
    except OSError as error:
        raise CheckpointError(f"{name}: cannot be read: {error.strerror or error}.") from error
    if content.startswith(LFS_MAGIC):
        raise CheckpointError(f"{name}: this is a Git LFS pointer, not the file. Run `git lfs pull` in its folder.")
    try:
        value = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if isinstance(error, ValueError) else "nested too deeply"
        raise CheckpointError(f"{name}: must be JSON, got an error: {reason}. {remedy}") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{name}: must be a JSON object, got {type(value).__name__}. {remedy}")
    return value


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def refuse_path(path: Path) -> None:
    """Refuse what is not a folder with safetensors weights and a config. Raises CheckpointError."""
    if not os.path.exists(path):
        raise CheckpointError(f"{shown(str(path))}: no such folder.")
    refuse_irregular(path)
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise CheckpointError(f"{path}: cannot be read: permission denied. Give it to yourself, or name another model.")
    if not path.is_dir():
        raise CheckpointError(_file_message(path))
    try:
        names = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if not names:
        raise CheckpointError(f"{path}: folder is empty. Give a folder that holds a Clef release.")
    weights = [name for name in names if name.endswith(".safetensors") and name not in ADAPTER_FILES]
    base = [name for name in weights if name != "joint_head.safetensors"]
    if not base and "model.safetensors.index.json" not in names:
        _refuse_adapter(path, names)
        _refuse_format(path, names, weights)


def _file_message(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"GGUF" or path.suffix == ".gguf":
        return f"{path}: GGUF files are not read. Give the folder of a Clef release in safetensors."
    if path.suffix == ".safetensors":
        return f"{path}: is one weight file. Give the folder that holds it, with config.json and tokenizer.json."
    return f"{path}: is a file. Give the folder of a Clef release."


def _refuse_adapter(path: Path, names: list[str]) -> None:
    """An adapter holds only differences to a base model."""
    nested = path / "adapter" / "adapter_config.json"
    config = nested if nested.is_file() else path / "adapter_config.json"
    if not config.is_file() and not set(names) & set(ADAPTER_FILES):
        return
    values = read_json(config) if config.is_file() else {}
    base = values.get("base_model_name_or_path") or values.get("model")
    what = "a clef-finetune checkpoint (adapter and trained head)" if config == nested else "a LoRA adapter"
    raise CheckpointError(
        f"{path}: is {what}, not a model. Load its base model{f' ({base})' if base else ''} instead, "
        "with this folder as its adapter (--adapter)."
    )


def _refuse_format(path: Path, names: list[str], weights: list[str]) -> None:
    if any(name.endswith(".gguf") for name in names):
        raise CheckpointError(f"{path}: holds only GGUF weights. Give a Clef release in safetensors.")
    if pickles := [name for name in names if name.endswith(PICKLES)]:
        raise CheckpointError(
            f"{path}: holds only pickled weights ({pickles[0]}), which can run code when read. "
            "Give a Clef release in safetensors."
        )
    if weights:
        raise CheckpointError(f"{path}: model.safetensors is missing; only the head is here. Download the model again.")
    raise CheckpointError(f"{path}: holds no .safetensors weights. Give a folder that holds a Clef release.")


def refuse_chat_model(path: Path, config: dict[str, Any]) -> None:
    """A backbone without a joint head cannot decide; its token probabilities are no substitute."""
    architectures = config.get("architectures")
    kind = architectures[0] if isinstance(architectures, list) and architectures else config.get("model_type")
    raise CheckpointError(
        f"{path}: is a chat model ({kind or 'of an unnamed kind'}) without a joint schema head "
        "(joint_head.safetensors, joint_head_config.json). Only Clef releases can decide; give one of those."
    )


def gigabytes(count: float) -> str:
    """Bytes as messages name them; never below 0, though more may be taken than there is to be had."""
    count = max(0, count)
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
