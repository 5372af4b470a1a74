"""Every error a user can meet, as one tree.

A message reads `<where>: <what> must <rule>, got <value>. <what to do>.` and is one line.
"""

from __future__ import annotations


class ClefError(Exception):
    """Anything clef_mlx refuses or cannot do; its text is meant for the person who called."""

    @property
    def kind(self) -> str:
        """A word for programs: the name of the first of the classes here that it is."""
        return next(kind.__name__ for kind in type(self).__mro__ if kind.__module__ == __name__)


class RequestError(ClefError):
    """The request breaks a rule.

    `location` is the path into the request JSON, `("questions", "urgent", "type")`, empty for the whole.
    """

    def __init__(self, message: str, location: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.location = location


class TooLargeError(RequestError):
    """Something in the request is over a cap: a picture's pixels, a clip's frames, a file's bytes."""


class ContextLengthError(RequestError):
    """The record needs more tokens than it may have."""

    def __init__(
        self, message: str, location: tuple[str | int, ...] = (), *, needed_tokens: int, limit_tokens: int
    ) -> None:
        super().__init__(message, location)
        self.needed_tokens = needed_tokens
        self.limit_tokens = limit_tokens


class CheckpointError(ClefError):
    """A model folder or hub name cannot be used: missing, damaged, or not a Clef release."""


class AdapterError(ClefError):
    """An adapter does not fit the base it is applied to."""


class MemoryBudgetError(ClefError):
    """The work needs more memory than this machine or the given budget has."""


class ModelFault(ClefError):
    """The model computed something that is no answer, such as a non-finite logit."""
