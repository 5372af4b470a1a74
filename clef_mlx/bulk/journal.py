"""Answers on their way to a file: what is written stays, and a run that was interrupted goes on after it.

`answers.jsonl.partial` holds the answers made so far, `answers.jsonl.partial.json` how many of them are certain, a
hash of the input they answer, and what they were made with. An answer is certain once both are on the disk: what
stands after them is cut off and made again. Knows no model and no requests.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, Self

from clef_mlx.errors import ClefError
from clef_mlx.strict_json import show

FORMAT = 1
PARTIAL, RECORD, DRAFT = ".partial", ".json", ".new"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Tally:
    """What a number of answers came to. `first_error` is the message of the first that is none."""

    answers: int = 0
    failed: int = 0
    truncated: int = 0
    first_error: str | None = None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.answers + other.answers,
            self.failed + other.failed,
            self.truncated + other.truncated,
            self.first_error if self.first_error is not None else other.first_error,
        )


@dataclass(frozen=True)
class Kept:
    """What is certain: so many answers, in so many bytes, to the first `input_bytes` of the input."""

    tally: Tally = Tally()
    answer_bytes: int = 0
    input_bytes: int = 0
    input_sha256: str = hashlib.sha256().hexdigest()
    made_with: Mapping[str, Any] | None = None


class Journal:
    """An answer file in the making, which no other run can write at the same time. A context manager."""

    def __init__(self, path: Path, *, fresh: bool = False, remedy: str) -> None:
        """Open what is kept beside `path`, or begin. `fresh` drops it; `remedy` says how a user asks for that.

        Raises ClefError: another run is at it, it cannot be written, or what stands there is no journal.
        """
        self.path, self.remedy = path, remedy
        self.partial = path.with_name(path.name + PARTIAL)
        self._record = path.with_name(path.name + PARTIAL + RECORD)
        self._input = hashlib.sha256()
        self._finished = False
        self._file = self._locked()
        try:
            self.kept = Kept() if fresh else self._read()
            if not self.kept.tally.answers:
                self.kept = Kept()  # nothing is lost by beginning anew
            os.ftruncate(self._file, self.kept.answer_bytes)
            os.lseek(self._file, 0, os.SEEK_END)
            self._write_record()
        except OSError as error:
            os.close(self._file)
            self._refuse_write(error)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another run have it. Everything certain is on the disk already; where that is nothing, no file stays."""
        if not self._finished and not self.kept.tally.answers:
            with suppress(OSError):
                self.partial.unlink()
                self._record.unlink()
        os.close(self._file)

    def replay(self, pieces: Iterable[bytes]) -> None:
        """Take the input again that the kept answers belong to. Raises ClefError if it is another."""
        count = 0
        for piece in pieces:
            self._input.update(piece)
            count += len(piece)
        if count != self.kept.input_bytes or self._input.hexdigest() != self.kept.input_sha256:
            answers = f"its {self.kept.tally.answers:,} answers"
            raise ClefError(
                f"{self.partial}: {answers} belong to another input. Give the one it was begun with; {self.remedy}."
            )

    def begin(self, made_with: Mapping[str, Any]) -> None:
        """Say what answers are made with from here on. Raises ClefError if the kept ones were made otherwise."""
        made_with = json.loads(json.dumps(made_with))
        before = self.kept.made_with
        if self.kept.tally.answers and before != made_with:
            before = before or {}
            changed = [name for name in {**before, **made_with} if before.get(name) != made_with.get(name)]
            values = ", ".join(f"{name} {show(before.get(name))}" for name in changed[:3])
            now = ", ".join(show(made_with.get(name)) for name in changed[:3])
            raise ClefError(f"{self.partial}: was begun with {values}, got {now}. Give the same; {self.remedy}.")
        self.kept = replace(self.kept, made_with=made_with)
        try:
            self._write_record()
        except OSError as error:
            self._refuse_write(error)

    def add(self, lines: bytes, consumed: bytes, tally: Tally) -> None:
        """Keep answers and the input they belong to. Returns when they are on the disk. Raises ClefError."""
        try:
            _write_all(self._file, lines)
            os.fsync(self._file)
            self._input.update(consumed)
            self.kept = Kept(
                self.kept.tally + tally,
                self.kept.answer_bytes + len(lines),
                self.kept.input_bytes + len(consumed),
                self._input.hexdigest(),
                self.kept.made_with,
            )
            self._write_record()
        except OSError as error:
            self._refuse_write(error)

    def answers(self) -> Iterator[bytes]:
        """The lines that are certain."""
        with open(self.partial, "rb") as lines:
            yield from islice(lines, self.kept.tally.answers)

    def finish(self, *, overwrite: bool) -> None:
        """Give the file its name. A file of that name goes only with `overwrite`. Raises ClefError."""
        refuse_finished(self.path, overwrite=overwrite)
        try:
            os.replace(self.partial, self.path)
            self._finished = True
            _sync_folder(self.path.parent)  # before the record goes: it tells a journal from a stranger's file
            self._record.unlink()
        except OSError as error:
            self._refuse_write(error)

    def _locked(self) -> int:
        try:
            file = os.open(self.partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            self._refuse_write(error)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held the lock may have finished, and the file has got its last name.
            moved = not os.path.exists(self.partial) or not os.path.samestat(os.fstat(file), os.stat(self.partial))
        except BlockingIOError:
            moved = True
        except OSError as error:
            os.close(file)
            self._refuse_write(error)
        if moved:
            os.close(file)
            raise ClefError(f"{self.partial}: another run is writing it. Wait for that one, or name another file.")
        return file

    def _read(self) -> Kept:
        size = os.fstat(self._file).st_size
        if not size:
            return Kept()  # a record alone is left by a run that ended between its last two steps
        try:
            kept = _parsed(self._record.read_bytes())
        except FileNotFoundError:
            rule = f"must be of an interrupted run, got a file without {self._record.name}"
            raise ClefError(f"{self.partial}: {rule}. Move it away; {self.remedy}.") from None
        except (ValueError, TypeError, KeyError):
            rule = "must be the record of an interrupted run, got something else"
            raise ClefError(f"{self._record}: {rule}. Move it away; {self.remedy}.") from None
        if size < kept.answer_bytes:
            rule = f"must hold at least {kept.answer_bytes:,} bytes, got {size:,}"
            raise ClefError(f"{self.partial}: {rule}. It was cut by something else; {self.remedy}.")
        return kept

    def _write_record(self) -> None:
        draft = self._record.with_name(self._record.name + DRAFT)
        record = {"format": FORMAT, **asdict(self.kept)}
        try:
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
            try:
                _write_all(file, json.dumps(record, indent=1).encode() + b"\n")
                os.fsync(file)
            finally:
                os.close(file)
            os.replace(draft, self._record)
        except OSError:
            with suppress(OSError):
                draft.unlink()
            raise

    def _refuse_write(self, error: OSError) -> NoReturn:
        reason = (error.strerror or str(error)).lower()
        advice = "Free some space, then run the same again" if error.errno in NO_SPACE else "Name another file"
        raise ClefError(f"{named_file(self.path)}: cannot be written: {reason}. {advice}.") from error


def refuse_finished(path: Path, *, overwrite: bool) -> None:
    """Raises ClefError where `path` is taken: by no file at all, or by one that may not be overwritten."""
    if path.exists() and not path.is_file():
        raise ClefError(f"{named_file(path)}: must be the name of a file, got a folder or a device. Name another.")
    if path.exists() and not overwrite:
        raise ClefError(f"{named_file(path)}: is there already. Name another file, or --overwrite it.")


def named_file(path: Path) -> str:
    """A path as messages name it."""
    return str(path) if str(path).isprintable() else show(str(path))


def _parsed(record: bytes) -> Kept:
    """Raises ValueError, TypeError or KeyError for what `_write_record` did not write."""
    facts = json.loads(record)
    if not isinstance(facts, dict) or facts.pop("format") != FORMAT:
        raise ValueError
    kept = Kept(**facts | {"tally": Tally(**facts["tally"])})
    if any(type(count) is not int or count < 0 for count in (kept.tally.answers, kept.answer_bytes, kept.input_bytes)):
        raise ValueError
    return kept


def _write_all(file: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
