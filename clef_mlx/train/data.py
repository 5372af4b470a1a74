"""Files of labelled requests -> lines to train on and lines to validate on, looked over before anything is loaded."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from clef_mlx.errors import ContextLengthError, RequestError
from clef_mlx.labelled import MOST_FAULTS, Labelled, read_labelled
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.train.examples import Examples
from clef_mlx.train.settings import TrainSettings

HELD_OUT = 20  # one line of so many
LEAST_ALIKE = 10  # labels of a question that are all the same before this is worth a word
MOST_NAMED = 5
FEW = 20  # lines to validate on
Answers = dict[str, Counter[str]]  # question id -> how often each option is its most likely answer
Line = tuple[str, bytes]  # place in its file, text


class Data(NamedTuple):
    """`warnings` are sentences for the user; `digest` changes with any line."""

    train: list[Line]
    valid: list[Line]
    warnings: list[str]
    digest: str


def read_data(train: Sequence[Path], valid: Sequence[Path]) -> Data:
    """Check every line. Without files to validate on, one line of twenty is held out, chosen by its bytes.

    Raises RequestError, a line per bad one.
    """
    answers: Answers = {}
    lines, warnings = _lines(train, answers), list(_one_sided(answers))
    if valid:
        held = _lines(valid, {})
    else:
        held, lines = _drawn(lines)
        warnings.append(_held_out(len(held)))
    digest = hashlib.sha256()
    for _, text in (*lines, ("", b""), *held):
        digest.update(text + b"\n")
    return Data(lines, held, warnings, digest.hexdigest())


def fitting(
    lines: Sequence[Line],
    tokenizer: ReleaseTokenizer,
    settings: TrainSettings,
    *,
    skip: bool,
    tick: Callable[[], None] = lambda: None,
) -> tuple[Examples, int]:
    """The examples, and how many were left out as too long. Raises ContextLengthError unless those are to be skipped.

    Raises RequestError for pictures, and where nothing is left. `tick` is called after each line.
    """
    every, kept = Examples(lines, tokenizer, settings), []
    for index, line in enumerate(lines):
        try:
            every.plain(index)
        except ContextLengthError as error:
            if not skip:
                raise _too_long(line[0], error) from None
        else:
            kept.append(line)
        tick()
    if lines and not kept:
        rule = f"must hold requests of at most {settings.max_length} tokens, got longer ones only"
        raise RequestError(f"{lines[0][0].rpartition(':')[0]}: {rule}. Raise --max-length.")
    return Examples(kept, tokenizer, settings), len(lines) - len(kept)


def _too_long(where: str, error: ContextLengthError) -> ContextLengthError:
    needed, limit = error.needed_tokens, error.limit_tokens
    return ContextLengthError(
        f"{where}: must be at most {limit} tokens, got {needed}. "
        "Raise --max-length, or leave such lines out with --on-long skip.",
        needed_tokens=needed,
        limit_tokens=limit,
    )


def _lines(files: Sequence[Path], answers: Answers) -> list[Line]:
    """All lines, each checked and let go again; how often each answer is right is counted into `answers`."""
    lines: list[Line] = []
    faults: list[str] = []
    for file in files:
        texts: list[bytes] = []
        for one in read_labelled(file, again=True):
            if isinstance(one, RequestError):
                faults.append(str(one))
                continue
            texts = texts or file.read_bytes().split(b"\n")
            lines.append((one.where, texts[one.line - 1].strip()))
            _count(one, answers)
    if faults:
        more = len(faults) - MOST_FAULTS
        raise RequestError("\n".join(faults[:MOST_FAULTS] + ([f"And {more:,} more bad lines."] if more > 0 else [])))
    return lines


def _count(one: Labelled, answers: Answers) -> None:
    for question in one.parsed.questions:
        if (target := one.targets.get(question.id)) is not None:
            answer = question.options[target.index(max(target))].option_id
            answers.setdefault(question.id, Counter())[answer] += 1


def _one_sided(answers: Answers) -> Iterator[str]:
    """Questions whose labels are all the same: a model learns to give that answer without looking."""
    alike = [(name, *counted.most_common(1)[0]) for name, counted in answers.items() if len(counted) == 1]
    worth = [one for one in alike if one[2] >= LEAST_ALIKE]
    for name, answer, count in worth[:MOST_NAMED]:
        yield f"question {show(name)}: all {count:,} labels are {show(answer)}. Add requests where it is another."
    if len(worth) > MOST_NAMED:
        yield f"{len(worth) - MOST_NAMED:,} more questions have one answer only."


def _held_out(count: int) -> str:
    if count:
        few = "; too few to tell two steps apart" if count < FEW else ""
        return f"no --valid: {count:,} of the lines {'is' if count == 1 else 'are'} held out to validate on{few}."
    return "no --valid, and a single line, so none is held out: the last step is kept, not the best."


def _drawn(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """(held out, rest). At least one of two lines is held out, and one is not."""
    held = [line for line in lines if _draw(line[1]) % HELD_OUT == 0]
    if not held and len(lines) > 1:
        held = [min(lines, key=lambda line: _draw(line[1]))]
    chosen = {id(line) for line in held}
    rest = [line for line in lines if id(line) not in chosen]
    return (held, rest) if rest else ([], held)  # every one of very few lines may be drawn


def _draw(text: bytes) -> int:
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
