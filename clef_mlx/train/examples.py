"""A file of labelled requests -> encoded examples, each drawn anew when it is asked for.

Lines are held as bytes and parsed again each time: a parsed request takes ten times as much memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from random import Random

from clef_mlx.encoding import encode_request
from clef_mlx.errors import ContextLengthError, RequestError
from clef_mlx.labelled import Labelled, parse_labelled
from clef_mlx.strict_json import parse_json
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.train.augment import Asked, augment
from clef_mlx.train.batches import Example
from clef_mlx.train.settings import TrainSettings


class Examples:
    """Labelled lines, checked before. `lines` hold (place in its file, bytes)."""

    def __init__(
        self, lines: Iterable[tuple[str, bytes]], tokenizer: ReleaseTokenizer, settings: TrainSettings
    ) -> None:
        self._lines = list(lines)
        self._tokenizer = tokenizer
        self._settings = settings

    def __len__(self) -> int:
        return len(self._lines)

    def plain(self, index: int) -> Example:
        """The request as it is written. Raises ContextLengthError where it is longer than `max_length`."""
        return self._encoded(self._labelled(index), None)

    def drawn(self, index: int, epoch: int) -> Example:
        """A variant that depends on seed, epoch and index alone; where it would be too long, the request as it is."""
        labelled = self._labelled(index)
        try:
            return self._encoded(labelled, Random(f"{self._settings.seed} {epoch} {index}"))
        except ContextLengthError:  # what an id said stands in a description instead, which takes more tokens
            return self._encoded(labelled, None)

    @lru_cache(maxsize=1)  # noqa: B019 - one object a run
    def order(self, epoch: int) -> list[int]:
        """The indices, shuffled for this epoch."""
        indices = list(range(len(self)))
        Random(f"{self._settings.seed} {epoch}").shuffle(indices)
        return indices

    def _labelled(self, index: int) -> Labelled:
        where, line = self._lines[index]
        return parse_labelled(parse_json(line, where=where), where)

    def _encoded(self, labelled: Labelled, random: Random | None) -> Example:
        request = labelled.parsed
        if request.images or request.videos:
            raise RequestError(f"{labelled.where}: images: must be left out, since the text backbone alone is trained.")
        asked = [Asked(question, labelled.targets.get(question.id)) for question in request.questions]
        if random is not None:
            asked = augment(asked, self._settings, random)
        record = encode_request(
            self._tokenizer,
            replace(request, questions=tuple(one.question for one in asked)),
            max_length=self._settings.max_length,
            on_overflow="refuse",
        )
        return Example(record, tuple(one.target for one in asked))
