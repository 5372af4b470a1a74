"""What runs here, how fast, and what would mend it: facts as plain data, and advice drawn from them."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, NamedTuple

from clef_mlx import __version__, blas  # blas before MLX, which is imported below
from clef_mlx.cli.edge import model_name
from clef_mlx.errors import CheckpointError

PACKAGES = ("mlx", "mlx-lm", "tokenizers", "safetensors", "numpy", "huggingface_hub")
GEMM_SECONDS = 0.3
SLOW_CPU_GFLOPS = 10.0  # the reference BLAS reaches 1; OpenBLAS 30 and more a core
THREAD_LIMITS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
# The first two generations compute bfloat16 by way of float32.
CHIPS_WITHOUT_BFLOAT16 = frozenset(("M1", "M2"))


class Advice(NamedTuple):
    """`severity` is broken (nothing can be decided), slow, or note; `mend` is a command where there is one."""

    severity: str
    what: str
    mend: str


def facts() -> dict[str, Any]:
    """Look at the machine and measure one matrix product. Raises ImportError where MLX cannot start."""
    import mlx.core as mx

    from clef_mlx.model.paths import paths
    from clef_mlx.weights.memory import available_bytes

    device = mx.default_device()
    return {
        "clef_mlx": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": {name: version(name) for name in PACKAGES},
        "device": {"kind": device.type.name, "name": mx.device_info(device)["device_name"], "cores": os.cpu_count()},
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "available_bytes": available_bytes(),
        "blas": blas.loaded if sys.platform == "linux" else "Accelerate",
        "gemm": _gemm(2048 if device.type == mx.gpu else 512),
        "thread_limits": {name: os.environ[name] for name in THREAD_LIMITS if name in os.environ},
        "paths": asdict(paths()),
    } | _default_model()


def _default_model() -> dict[str, str | None]:
    """Its name and what is wrong with it. The hub is not asked: a hub id is taken as good."""
    from clef_mlx.weights.files import read_folder
    from clef_mlx.weights.hub import ALIASES, HUB_ID, default_model, resolve

    try:
        name = default_model().name
    except CheckpointError:
        return {"model": None, "model_fault": None}
    try:
        if os.path.exists(os.path.expanduser(name)) or not HUB_ID.fullmatch(ALIASES.get(name, name)):
            read_folder(resolve(model_name(name)))
    except CheckpointError as error:
        return {"model": name, "model_fault": str(error).splitlines()[0]}
    return {"model": name, "model_fault": None}


def _gemm(size: int) -> dict[str, Any]:
    """Rate of float32 [size, size] products over 0.3 s, and whether they agree with numpy's."""
    import mlx.core as mx
    import numpy as np

    left, right = np.random.default_rng(0).standard_normal((2, size, size), dtype=np.float32)
    a, b = mx.array(left), mx.array(right)
    error = float(np.abs(np.array(a @ b) - left @ right).max())
    runs, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < GEMM_SECONDS:
        mx.eval(a @ b)
        runs += 1
    # Entries are sums of `size` products of unit variance; a GPU may multiply in fewer bits.
    return {"gflops": 2 * size**3 * runs / seconds / 1e9, "agrees": error < 0.01 * size**0.5}


def advice(facts: dict[str, Any]) -> list[Advice]:
    """Say what is broken or slow, worst first, and what mends it."""
    found = []
    gemm, device = facts["gemm"], facts["device"]
    if not gemm["agrees"]:
        found.append(
            Advice("broken", "Matrix products of MLX and numpy disagree.", "pip install --force-reinstall mlx numpy")
        )
    if facts["system"].startswith("Linux") and device["kind"] == "cpu" and facts["blas"] is None:
        found.append(
            Advice(
                "slow", "OpenBLAS is missing: MLX's own BLAS on Linux is about 100 times slower.", _install_openblas()
            )
        )
    elif device["kind"] == "cpu" and gemm["gflops"] < SLOW_CPU_GFLOPS:
        found.append(
            Advice(
                "slow",
                f"Matrix products run at {gemm['gflops']:.1f} GFLOP/s.",
                "Stop other programs and measure again.",
            )
        )
    for name, limit in facts["thread_limits"].items():
        if device["kind"] == "cpu" and limit == "1" and device["cores"] > 1:
            found.append(Advice("slow", f"{name}=1 keeps matrix products on one core.", f"unset {name}"))
    if not CHIPS_WITHOUT_BFLOAT16.isdisjoint(device["name"].split()):
        found.append(Advice("slow", "This chip has no fast bfloat16.", "clef-mlx decide --dtype float16 …"))
    if device["kind"] == "cpu":
        found.append(Advice("note", "Decisions run on the CPU. A Mac with Apple silicon runs them on its GPU.", ""))
    if fault := facts["model_fault"]:
        mend = "export CLEF_MLX_MODEL=FOLDER, or unset CLEF_MLX_MODEL"
        found.insert(0, Advice("broken", f"The default model cannot be used: {fault}", mend))
    if facts["model"] is None:
        found.append(Advice("note", "No default model is set.", "export CLEF_MLX_MODEL=FOLDER, or give --model"))
    return found


def _install_openblas() -> str:
    if not shutil.which("apt-get"):
        return "Install OpenBLAS with this system's package manager, so that libopenblas.so.0 is found."
    return blas.REMEDY if os.geteuid() == 0 else f"sudo {blas.REMEDY}"
