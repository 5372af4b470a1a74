"""What the desk says about a request, a model or itself: plain data and the reasons why there is no answer."""

from __future__ import annotations

from typing import NamedTuple

from clef_mlx.engine.decision import Decision
from clef_mlx.errors import ClefError


class Decided(NamedTuple):
    """A decision, the milliseconds it waited and was worked on, and how many requests were decided in the same pass."""

    decision: Decision
    queue_ms: float
    model_ms: float
    batch: int


class ModelCard(NamedTuple):
    """A model that may be asked for. `created` is the date of its files, in seconds since 1970."""

    id: str
    description: str
    created: int
    loaded: bool


class Readiness(NamedTuple):
    """Whether a real decision succeeded lately; otherwise why not, and the seconds after which to ask again."""

    ready: bool
    reason: str = ""
    retry_after: float = 1.0


class Full(ClefError):
    """As many requests wait as may."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("queue: is full. Try again shortly.")
        self.retry_after = retry_after


class NotReady(ClefError):
    """The models are loading, or the server is shutting down."""

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(f"server: {reason}. Try again shortly.")
        self.retry_after = retry_after


class UnknownModel(ClefError):
    """No model has this id; the text is the id."""


class TimedOut(ClefError):
    """The deadline passed before there was an answer."""


class Gone(ClefError):
    """Whoever asked no longer waits."""
