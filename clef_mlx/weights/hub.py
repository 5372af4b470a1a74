"""A model's name -> a folder on this machine: a folder, an alias, or a hub id `owner/name[@revision]`.

What was downloaded once is used without asking the hub again. The hub's library is imported only for hub ids.
"""

from __future__ import annotations

import difflib
import errno
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import clef_mlx
from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show
from clef_mlx.weights.files import HEAD_CONFIG, INDEX, head_is_missing
from clef_mlx.weights.refusals import read_json, shown

ALIASES = {
    "clef-flash": "mlx-community/clef-flash-4bit",
    "clef-flash-8bit": "mlx-community/clef-flash-8bit",
    "clef": "mlx-community/clef-4bit",
    "clef-8bit": "mlx-community/clef-8bit",
}
BUNDLED = "clef-nano"
ENVIRONMENT = "CLEF_MLX_MODEL"
# Never code, never pickles.
WANTED = ["*.safetensors", "*.json", "*.jinja", "*.txt", "*.model", "*.tiktoken", "LICENSE*", "NOTICE*"]
UNWANTED = ["*.py", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.gguf", "*.onnx"]
TAKEN = "no such folder here, so taken as a hub id"
HUB_ID = re.compile(r"(?P<id>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@(?P<revision>[\w./-]+))?")


class DefaultModel(NamedTuple):
    """The model to use when none is named."""

    name: str


def resolve(name: str | None) -> Path:
    """The local folder of a model, downloaded if need be; None is the default model. Raises CheckpointError."""
    if name is None:
        name = default_model().name
    if not name.strip():
        raise CheckpointError(f"model: must be named, got {show(name)}. {_how_to_name()}")
    if os.path.exists(path := os.path.expanduser(name)):
        return Path(path)
    if name == BUNDLED:
        return _bundled()
    match = HUB_ID.fullmatch(ALIASES.get(name, name))
    if match is None or name.startswith("."):
        raise CheckpointError(_unknown(name))
    try:
        return _snapshot(match["id"], match["revision"])
    except RuntimeError as error:  # what pathlib raises for an unknown home
        raise CheckpointError(f"{shown(name)}: no place to download to: {first_line(error)}. Set HF_HOME.") from error


def known_as(name: str) -> str:
    """What answers call a model: its name, or a folder's own, since a path is nobody else's business."""
    path = Path(name).expanduser()
    return path.absolute().name if path.exists() else name


def default_model() -> DefaultModel:
    """$CLEF_MLX_MODEL, else the configured one, else the bundled clef-nano. Raises CheckpointError without any."""
    if name := os.environ.get(ENVIRONMENT):
        return DefaultModel(name)
    if name := configured():
        return DefaultModel(name)
    if bundled_folder().is_dir():
        return DefaultModel(BUNDLED)
    raise CheckpointError(
        f"model: none is named and there is no default. Give --model or set {ENVIRONMENT}. {_how_to_name()}"
    )


def configuration_file() -> Path:
    """Where the default model is kept, as {"model": name}."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home) / "clef-mlx" / "config.json"


def configured() -> str | None:
    """The configured model. An unknown home stays "~" in the path, and nothing is configured there."""
    file = configuration_file()
    if not file.is_absolute() or not os.path.lexists(file):
        return None
    remedy = 'Write {"model": "a folder, hub id or alias"} there, or delete it.'
    name = read_json(file, str(file), remedy).get("model")
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise CheckpointError(f"{file}: model must be a name, got {show(name)}. {remedy}")
    return name


def set_default(name: str | None) -> Path:
    """Write the default model's name; None forgets it. -> the file. Raises CheckpointError if it cannot be written."""
    file = configuration_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as draft:
            json.dump({} if name is None else {"model": name}, draft)
        os.replace(draft.name, file)
    except OSError as error:
        raise CheckpointError(f"{file}: cannot be written: {error.strerror}. Set {ENVIRONMENT} instead.") from error
    return file


def bundled_folder() -> Path:
    return Path(clef_mlx.__file__).parent / "nano" / "release"


def _bundled() -> Path:
    if not bundled_folder().is_dir():
        raise CheckpointError(f"{BUNDLED}: is not bundled with this installation. {_how_to_name()}")
    return bundled_folder()


def _how_to_name() -> str:
    aliases = ", ".join(f"{alias} ({target})" for alias, target in ALIASES.items())
    return (
        f"A model is a folder, a hub id owner/name[@revision], or an alias: {aliases}. "
        "Hub models are downloaded when first used, or ahead with `clef-mlx pull`."
    )


def _unknown(name: str) -> str:
    if "/" in name or "\\" in name or name.startswith("."):
        return f"{shown(name)}: no such folder, and not a hub id. {_how_to_name()}"
    close = difflib.get_close_matches(name, [*ALIASES, *([BUNDLED] if bundled_folder().is_dir() else [])], n=1)
    return f"{shown(name)}: unknown model.{f' Did you mean {close[0]}?' if close else ''} {_how_to_name()}"


def _snapshot(hub_id: str, revision: str | None) -> Path:
    """The hub library's cached copy if it is complete, else a download."""
    from huggingface_hub import errors, snapshot_download

    # Newer versions of the library raise their own kind where no commit can be found out.
    unresolved = getattr(errors, "RevisionResolutionError", OSError)
    wanted = {"revision": revision, "allow_patterns": WANTED, "ignore_patterns": UNWANTED}
    lacking = ["everything"]
    try:
        folder = Path(snapshot_download(hub_id, local_files_only=True, **wanted))
        if not (lacking := list(missing_files(folder))):
            return folder
    except errors.LocalEntryNotFoundError:
        pass  # the usual first use
    except ValueError as error:  # the hub's own rules for names
        raise CheckpointError(f"{shown(hub_id)}: is no valid hub id: {first_line(error)} {_how_to_name()}") from None
    name = shown(f"{hub_id}@{revision}" if revision else hub_id)
    try:
        folder = Path(snapshot_download(hub_id, **wanted))
    except (errors.HTTPError, OSError, unresolved) as error:
        raise CheckpointError(download_message(name, error, lacking)) from error
    return folder


def missing_files(folder: Path) -> Iterator[str]:
    """Names that a complete copy would have, as far as its own files tell. An interrupted download lacks some."""
    for name in ("config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            yield name
    if (folder / INDEX).is_file():
        weight_map = read_json(folder / INDEX).get("weight_map")
        files = weight_map.values() if isinstance(weight_map, dict) else ()
        yield from sorted({str(name) for name in files if not (folder / str(name)).is_file()})
    elif not any(folder.glob("*.safetensors")):
        yield "model.safetensors"
    if (folder / "config.json").is_file() and not (folder / HEAD_CONFIG).is_file():
        if "head_config" not in read_json(folder / "config.json"):
            yield HEAD_CONFIG
    if head_is_missing(folder):
        yield "joint_head.safetensors"


def download_message(name: str, error: BaseException, lacking: list[str]) -> str:
    """One line for what went wrong, by kind."""
    from huggingface_hub import errors

    causes = list(_causes(error))
    if any(isinstance(cause, errors.GatedRepoError) for cause in causes):
        return f"{name}: is gated on the hub. Accept its terms on its page there, then run `hf auth login`."
    if any(isinstance(cause, errors.RevisionNotFoundError) for cause in causes):
        return f"{name}: the hub has no such revision. Name a branch, tag or commit that exists."
    if any(isinstance(cause, errors.RepositoryNotFoundError) for cause in causes):
        return f"{name}: not found on the hub ({TAKEN}), or private (then run `hf auth login`). {_how_to_name()}"
    if any(isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT) for cause in causes):
        return f"{name}: the disk is full. Free some space, or set HF_HOME to a larger disk; the download resumes."
    if any(isinstance(cause, PermissionError) for cause in causes):
        return f"{name}: cannot be written to the hub's cache: {first_line(error)}. Set HF_HOME to a folder of yours."
    why = f"is incomplete here ({', '.join(map(shown, lacking[:3]))})"
    if lacking == ["everything"]:
        why = f"is not on this machine ({TAKEN})"
    if any(isinstance(cause, errors.OfflineModeIsEnabled) for cause in causes):
        return f"{name}: {why}, and HF_HUB_OFFLINE forbids to download it. Unset HF_HUB_OFFLINE once."
    return f"{name}: {why}, and the download failed: {first_line(causes[-1])}. Check the network and run it again."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return shown(text[0].rstrip(".")) if text else type(error).__name__
