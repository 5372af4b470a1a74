"""What a caller may choose about a decision; the same names in Python, on the command line and over HTTP."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from clef_mlx.answers import CONFIDENCE_DIALECTS, check_options
from clef_mlx.errors import RequestError
from clef_mlx.strict_json import show

CHOICES = {
    "on_overflow": ("truncate", "refuse"),
    "control_tokens": ("text", "publisher"),
    "confidence": CONFIDENCE_DIALECTS,
    "isolate": (True, False),
    "calibrated": (True, False),
}
LEAST = {"max_length": 1, "max_state_tokens": 0, "max_pixels": 1024}  # 1024 pixels are one token
LEAST_SPACING = 64  # tokens between checkpoints: shorter steps take many times as long


@dataclass(frozen=True)
class Options:
    """Defaults are the publisher's, except that control tokens in user text stay text."""

    max_length: int = 16384  # tokens of the whole record
    max_state_tokens: int | None = None  # cut the state to this many tokens first
    max_pixels: int | None = None  # shrink images and frames to this many pixels; None: to the release's own bound
    on_overflow: str = "truncate"  # truncate | refuse
    control_tokens: str = "text"  # text | publisher
    isolate: bool = False  # decide each question alone, under a neutral id
    calibrated: bool = False  # by the calibration.json beside the model
    confidence: str = "max"  # max | jev | gini | entropy
    round: int | None = 4  # decimals in answers; None keeps full precision

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                raise RequestError(f"options.{name}: must be one of {', '.join(map(str, allowed))}, got {show(value)}.")
        for name, least in LEAST.items():
            value = getattr(self, name)
            if not (value is None and name != "max_length" or _is_count(value, least)):
                raise RequestError(f"options.{name}: must be a whole number >= {least}, got {show(value)}.")
        check_options(self.confidence, self.round)

    def with_(self, **changes: Any) -> Options:
        """These options with some changed. Raises RequestError on an unknown name or value."""
        names = [field.name for field in fields(self)]
        for name in changes:
            if name not in names:
                raise RequestError(f"options: {show(name)} is unknown. Known: {', '.join(names)}.")
        return replace(self, **changes)


@dataclass(frozen=True)
class Limits:
    """How much memory a loaded model may take; None: chosen from what the machine has. See `clef_mlx.load`."""

    prefix_bytes: int | None = None
    checkpoint_tokens: int | None = None
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not _is_count(value, 0):
                raise RequestError(f"options.{name}: must be a whole number >= 0, got {show(value)}.")
        if self.checkpoint_tokens is not None and 0 < self.checkpoint_tokens < LEAST_SPACING:
            rule = f"must be 0 or at least {LEAST_SPACING}: every checkpoint is a step of its own"
            raise RequestError(f"options.checkpoint_tokens: {rule}, got {show(self.checkpoint_tokens)}.")


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
