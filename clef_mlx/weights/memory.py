"""How much memory weights may take on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx

# Where Linux tells a container's limit, its use and the particulars of that use, the newer way first.
CGROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)
UNBOUNDED = 1 << 62


def on_gpu() -> bool:
    return mx.default_device() == mx.gpu


def available_bytes() -> int:
    """Bytes that weights could take now on the default device.

    A Mac's GPU shares the memory; what the system recommends at most is the bound there. Elsewhere it is what Linux
    calls available, or all there is where the system does not say.
    """
    if on_gpu():
        info = mx.device_info(mx.gpu)
        for key in ("max_recommended_working_set_size", "free_memory", "total_memory", "memory_size"):
            if key in info:
                return int(info[key])
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(installed, _linux_available(), _container_available())


def _linux_available() -> int:
    meminfo = Path("/proc/meminfo")
    if not meminfo.is_file():
        return UNBOUNDED
    facts = dict(line.split(":", 1) for line in meminfo.read_text().splitlines() if ":" in line)
    return int(facts["MemAvailable"].split()[0]) * 1024 if "MemAvailable" in facts else UNBOUNDED


def _container_available() -> int:
    for folder, limit_file, use_file in CGROUPS:
        limit, use, stat = (Path(folder, name) for name in (limit_file, use_file, "memory.stat"))
        if limit.is_file() and use.is_file() and (text := limit.read_text().strip()).isdigit():
            # Pages of files read long ago count as used but are given up when memory is wanted.
            lines = dict(line.split() for line in stat.read_text().splitlines()) if stat.is_file() else {}
            reclaimable = int(lines.get("inactive_file", 0))
            return max(0, int(text) - int(use.read_text()) + reclaimable)
    return UNBOUNDED
