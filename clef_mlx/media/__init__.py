"""Pictures and clips as callers give them -> pixel values, grids and placeholder ids, in numpy and Pillow alone."""

from __future__ import annotations

from clef_mlx.media.assemble import prepare
from clef_mlx.media.processor import ProcessorConfig

__all__ = ["ProcessorConfig", "prepare"]
