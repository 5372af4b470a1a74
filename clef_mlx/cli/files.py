"""Files that a verb is told to write: refused before the work begins, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from clef_mlx.cli.edge import named
from clef_mlx.errors import RequestError


def check_target(path: Path) -> None:
    """Raises RequestError where no file can be written, so far as can be known."""
    if path.is_dir():
        raise RequestError(f"{named(str(path))}: must be a file to write, got a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise RequestError(f"{named(str(path))}: must be in a folder that exists, got none there. Make it first.")
    if not os.access(path.parent, os.W_OK):
        raise RequestError(f"{named(str(path))}: cannot be written: permission denied. Name another place.")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path` that then takes its name. Raises RequestError."""
    draft = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=path.suffix)
        os.close(handle)
        draft = Path(name)
        write(draft)
        umask = os.umask(0)
        os.umask(umask)
        draft.chmod(0o666 & ~umask)  # a draft is its writer's alone
        os.replace(draft, path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(f"{named(str(path))}: cannot be written: {reason}. Name another place.") from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
