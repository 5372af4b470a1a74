"""Typed decisions with Cloudflare's Clef models, in MLX. This is the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import clef_mlx.blas  # noqa: F401 - before MLX, whoever imports that next

from clef_mlx.errors import (
    AdapterError,
    CheckpointError,
    ClefError,
    ContextLengthError,
    MemoryBudgetError,
    ModelFault,
    RequestError,
    TooLargeError,
)

if TYPE_CHECKING:
    from clef_mlx.bulk.frame import decide_frame
    from clef_mlx.engine.clef import Clef, load
    from clef_mlx.engine.decision import Decision
    from clef_mlx.engine.options import Options

__version__ = "0.1.0"

__all__ = [
    "AdapterError",
    "CheckpointError",
    "Clef",
    "ClefError",
    "ContextLengthError",
    "Decision",
    "MemoryBudgetError",
    "ModelFault",
    "Options",
    "RequestError",
    "TooLargeError",
    "decide_frame",
    "load",
]

# Imported on first use, so that `import clef_mlx` and `clef-mlx --help` start without MLX.
_LAZY = {
    "Clef": "clef_mlx.engine.clef",
    "decide_frame": "clef_mlx.bulk.frame",
    "load": "clef_mlx.engine.clef",
    "Decision": "clef_mlx.engine.decision",
    "Options": "clef_mlx.engine.options",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
