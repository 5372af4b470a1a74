"""A hub model onto this machine, checked byte by byte: room first, then the download, then every file's hash.

The hub's own library downloads, resumes and knows the hashes; it is imported only here and in `hub`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from clef_mlx.errors import CheckpointError
from clef_mlx.weights.hub import ALIASES, HUB_ID, UNWANTED, WANTED, download_message, first_line
from clef_mlx.weights.refusals import gigabytes, shown

SPARE = 1.02  # the file system takes a little more than the files


class Download(NamedTuple):
    """What a download would take. `bytes_missing` are not on this machine yet; `folder` is the hub's cache."""

    hub_id: str
    revision: str | None
    bytes_total: int
    bytes_missing: int
    cache: Path


def split_name(name: str) -> tuple[str, str | None] | None:
    """Hub id and revision of an alias or hub id; None for anything else."""
    match = HUB_ID.fullmatch(ALIASES.get(name, name))
    return (match["id"], match["revision"]) if match else None


def plan_download(hub_id: str, revision: str | None) -> Download:
    """Ask the hub what the model consists of. Raises CheckpointError."""
    from huggingface_hub import constants, snapshot_download

    with _one_line(hub_id, revision), _bars(False):
        files = snapshot_download(hub_id, revision=revision, dry_run=True, **_wanted())
    if not files:
        raise CheckpointError(f"{shown(hub_id)}: has none of the files of a model. Look at its page on the hub.")
    return Download(
        hub_id,
        revision,
        bytes_total=sum(file.file_size or 0 for file in files),
        bytes_missing=sum(file.file_size or 0 for file in files if file.will_download),
        cache=Path(constants.HF_HUB_CACHE),
    )


def fetch(download: Download, *, progress: bool) -> Path:
    """Download what is missing and check every file. -> the folder.

    A connection that breaks is taken up again where it broke; if it stays broken, the files that came whole are kept. A
    file whose hash is wrong is deleted again. Raises CheckpointError.
    """
    from huggingface_hub import snapshot_download

    refuse_full_disk(download)
    with _one_line(download.hub_id, download.revision), _bars(progress):
        folder = Path(snapshot_download(download.hub_id, revision=download.revision, **_wanted()))
    check_hashes(download, folder)
    return folder


def refuse_full_disk(download: Download) -> None:
    place = next(parent for parent in (download.cache, *download.cache.parents) if parent.exists())
    free, need = shutil.disk_usage(place).free, int(download.bytes_missing * SPARE)
    if need > free:
        raise CheckpointError(
            f"{shown(download.hub_id)}: needs {gigabytes(need)} on the disk of {place}, got {gigabytes(free)} free. "
            "Free some space, or set HF_HOME to a folder on a larger disk."
        )


def check_hashes(download: Download, folder: Path) -> None:
    """Compare the files with the hub's hashes. Raises CheckpointError naming the first that differs."""
    from huggingface_hub import HfApi

    with _one_line(download.hub_id, download.revision):
        found = HfApi().verify_repo_checksums(download.hub_id, revision=folder.name, cache_dir=download.cache)
    wrong = [mismatch for mismatch in found.mismatches if _is_wanted(mismatch["path"])]
    for mismatch in wrong:
        _delete(folder / mismatch["path"])
    if wrong:
        first = wrong[0]
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise CheckpointError(
            f"{shown(first['path'])}{more}: must have the hub's {first['algorithm']} {first['expected'][:12]}…, "
            f"got {first['actual'][:12]}…. The file was deleted; run it again."
        )


def _delete(link: Path) -> None:
    """A cached file is a link to a blob; both go, or the blob would be taken for good next time."""
    blob = link.resolve()
    link.unlink(missing_ok=True)
    blob.unlink(missing_ok=True)


def _wanted() -> dict[str, list[str]]:
    return {"allow_patterns": WANTED, "ignore_patterns": UNWANTED}


def _is_wanted(path: str) -> bool:
    return any(fnmatch(path, wanted) for wanted in WANTED) and not any(fnmatch(path, other) for other in UNWANTED)


@contextmanager
def _one_line(hub_id: str, revision: str | None) -> Iterator[None]:
    """Whatever the hub's library raises becomes one line."""
    from huggingface_hub import errors

    unresolved = getattr(errors, "RevisionResolutionError", OSError)
    name = shown(f"{hub_id}@{revision}" if revision else hub_id)
    try:
        yield
    except (errors.HTTPError, errors.LocalEntryNotFoundError, OSError, unresolved) as error:
        raise CheckpointError(download_message(name, error, ["everything"])) from error
    except ValueError as error:  # the hub's own rules for names
        raise CheckpointError(f"{name}: is no valid hub id: {first_line(error)}") from None


@contextmanager
def _bars(shown_on_terminal: bool) -> Iterator[None]:
    """The hub library's bars, with rate and time left, and its words about retries: on a terminal only."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars, logging

    before = logging.get_verbosity()
    hide = not shown_on_terminal and not are_progress_bars_disabled()
    if hide:
        disable_progress_bars()
        logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if hide:
            enable_progress_bars()
