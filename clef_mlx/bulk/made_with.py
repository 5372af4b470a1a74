"""What answers depend on beside the request: kept with them, so that a run goes on only as it began."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import clef_mlx

if TYPE_CHECKING:
    from clef_mlx.engine.clef import Clef
    from clef_mlx.engine.options import Options


def made_with(model: Clef, options: Options, batch_tokens: int | None) -> dict[str, Any]:
    """As JSON; equal on every host where the answers are."""
    facts = {"version": clef_mlx.__version__, "model": model.name, "weights": model.fingerprint()}
    return facts | {"dtype": model.info.dtype, "batch_tokens": batch_tokens} | asdict(options)
