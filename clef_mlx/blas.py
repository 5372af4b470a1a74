"""Prepare a Linux process for MLX's CPU backend: a fast BLAS, and a heap that keeps its pages. Import before MLX.

MLX's Linux wheel carries the reference BLAS (about 1 GFLOP/s). Its calls to `cblas_?gemm` bind to the first library
that offers them, so an OpenBLAS loaded with global symbols *before* `mlx.core` takes them over. And MLX allocates every
intermediate anew: with glibc's defaults each returns to the kernel and faults its pages in again. Nothing happens on a
Mac, where MLX uses Accelerate and Metal.
"""

from __future__ import annotations

import ctypes
import os
import sys

# Debian and Ubuntu name the threaded build `libopenblas.so.0` whichever flavour is installed. A wheel's OpenBLAS
# (numpy's, scipy's) renames its symbols and cannot serve.
NAMES = ("libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0")
REMEDY = "apt-get install libopenblas0-pthread"

# glibc's mallopt(3) parameters. Activations stay on the heap; weights are larger and are mapped on their own.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
HEAP_ALLOCATION_BYTES = 64 << 20
HEAP_KEPT_BYTES = 256 << 20

# After a product OpenBLAS's threads spin for 2^n cycles before they sleep, and take the core's other half from the
# elementwise work that follows. 4 is the least it accepts; its default is 26, about 30 ms.
SPIN_VARIABLE, SPIN_CYCLES_LOG2 = "OPENBLAS_THREAD_TIMEOUT", "4"

loaded: str | None = None  # the library's name once it is in place; None on a Mac or where there is none


def load_openblas() -> str | None:
    """Load OpenBLAS if this is Linux and MLX is not yet imported; return its name, or None."""
    global loaded
    if loaded is None and sys.platform == "linux" and "mlx.core" not in sys.modules:
        os.environ.setdefault(SPIN_VARIABLE, SPIN_CYCLES_LOG2)
        for name in NAMES:
            try:
                ctypes.CDLL(name, ctypes.RTLD_GLOBAL).cblas_sgemm  # noqa: B018 - a build without CBLAS will not do
            except (OSError, AttributeError):
                continue
            loaded = name
            break
    return loaded


def keep_heap() -> None:
    """Ask glibc to keep freed activations for the next ones. Other C libraries lack the call and are left alone."""
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(M_MMAP_THRESHOLD, HEAP_ALLOCATION_BYTES)
        mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES)


def release_heap() -> None:
    """Give the kept pages back to the system, after a model is closed."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


load_openblas()
keep_heap()
