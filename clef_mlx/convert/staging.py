"""The folder that a conversion is written to, beside its destination, until it is proven and takes the name.

Whatever ends a conversion early removes it; what a killed process or a power cut left is found by the next run.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from clef_mlx.convert.sidecars import DISK_FULL
from clef_mlx.errors import CheckpointError

FORCED = ", or replace it with --force"
SPARE_BYTES = 1 << 25  # for reports, and what a file system takes for itself


class Staging:
    """A context manager: `folder` is empty and ours alone; `publish` makes it `out`; else it is gone at the end."""

    def __init__(self, out: Path, *, force: bool, note: Callable[[str], None]) -> None:
        self.out = out
        self.folder = out.with_name(f".{out.name}.unfinished")
        self._replaced = out.with_name(f".{out.name}.replaced")
        self._force = force
        self._note = note
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self._put_back()
        if not self._force:
            refuse_existing(self.out)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        found = self.folder.is_dir()
        self.folder.mkdir(exist_ok=True)
        self._lock = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise CheckpointError(
                f"{self.out}: another conversion is writing it now. Wait for it, or name another."
            ) from None
        if found:
            self._clean()
        return self

    def __exit__(self, *_: object) -> None:
        if self.folder.is_dir():
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

    def publish(self) -> None:
        """Give the folder its name; what had it before goes."""
        if self.out.exists():
            os.rename(self.out, self._replaced)
        os.rename(self.folder, self.out)
        if self._replaced.is_dir():
            shutil.rmtree(self._replaced)

    def _put_back(self) -> None:
        """A run that died between the two renames left the old model under another name."""
        if self._replaced.is_dir() and not self.out.exists():
            os.rename(self._replaced, self.out)
            self._note(f"{self.out}: an earlier run stopped while replacing it; the old model was put back.")

    def _clean(self) -> None:
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in files)
        since = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.folder.stat().st_mtime))
        self._note(
            f"{self.folder.name}: found an unfinished conversion of {since}, {len(files)} files with "
            f"{size / 1e9:.2f} GB; removed it and started anew."
        )
        for entry in self.folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def refuse_output(source: Path, out: Path, *, force: bool | None, ours: Container[str] = ()) -> None:
    """All that can be said of a destination before anything is read.

    `force` is None where a verb has no such flag. A folder that holds nothing but files named in `ours` may be filled.
    """
    refuse_overlap(source, out)
    place = _existing(out)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        why = "permission denied" if place.is_dir() else f"{place} is a file"
        raise CheckpointError(f"{out}: cannot be written: {why}. Name another folder with --out.")
    if force:
        refuse_foreign(out)
    else:
        refuse_existing(out, ours, "" if force is None else FORCED)


def _existing(out: Path) -> Path:
    """What exists of the way to a destination."""
    return next(folder for folder in out.absolute().parents if folder.exists())


def refuse_existing(out: Path, ours: Container[str] = (), otherwise: str = FORCED) -> None:
    """An empty folder may be filled; anything else needs --force, which only ever replaces a model."""
    if out.is_dir() and all(entry.name in ours for entry in out.iterdir()):
        return
    if out.exists() or out.is_symlink():
        raise CheckpointError(f"{out}: exists already. Name another folder with --out{otherwise}.")


def refuse_foreign(out: Path) -> None:
    """--force deletes a folder, so it must be one that holds a model."""
    if out.is_symlink() or out.exists() and not out.is_dir():
        raise CheckpointError(f"{out}: must be a folder to be replaced, got a file or link. Name another with --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / "config.json").is_file():
        raise CheckpointError(f"{out}: holds no model, so --force does not delete it. Name another folder with --out.")


def refuse_overlap(source: Path, out: Path) -> None:
    """Writing into the source, or replacing a folder that holds it, would destroy it."""
    here, there = source.resolve(), out.resolve()
    if here == there:
        raise CheckpointError(f"{out}: is the source itself. Name another folder with --out.")
    if here in there.parents or there in here.parents:
        raise CheckpointError(f"{out}: source and output must not lie in each other. Name another folder with --out.")


def refuse_small_disk(out: Path, needed_bytes: int) -> None:
    """Say before hours of work what would be said at their end."""
    free = shutil.disk_usage(_existing(out)).free
    if needed_bytes + SPARE_BYTES > free:
        raise CheckpointError(
            f"{out}: needs {needed_bytes / 1e9:.2f} GB, got {free / 1e9:.2f} GB free there. "
            "Free some space, or name a folder on a larger disk with --out."
        )


@contextmanager
def in_one_line(out: Path, left: Callable[[], str] = lambda: "Nothing was left there.") -> Iterator[None]:
    """What the file system refuses is said in a line, with what is `left` there then."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        advice = "Free some space" if error.errno in DISK_FULL else "Make it writable"
        raise CheckpointError(
            f"{out}: cannot be written: {reason}. {advice}, or name another folder with --out. {left()}"
        ) from error
