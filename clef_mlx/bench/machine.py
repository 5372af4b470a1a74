"""The machine and the versions a number was measured with: a figure without them means nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from clef_mlx import blas  # before MLX, which is imported below

# isort: split
import mlx.core as mx

ROOT = Path(__file__).parents[2]


def machine() -> dict[str, Any]:
    """Chip, memory, system, versions and commit, as plain data."""
    device = mx.default_device()
    return {
        "chip": mx.device_info(device).get("device_name", device.type.name),
        "device": device.type.name,
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "system": _system(),
        "python": platform.python_version(),
        "mlx": version("mlx"),
        "blas": blas.loaded,
        "clef_mlx": version("clef-mlx"),
        "commit": _commit(),
    }


def _system() -> str:
    if release := platform.mac_ver()[0]:
        return f"macOS {release} {platform.machine()}"
    return f"{platform.system()} {platform.release().partition('-')[0]} {platform.machine()}"


def _commit() -> str | None:
    """The checkout's commit, marked where files differ from it; None for an installed package."""
    if not (ROOT / ".git").exists():
        return None
    git = ["git", "-C", str(ROOT)]
    try:
        commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit.stdout.strip() + (" with changes" if changed.stdout else "")
