"""Labelled JSONL -> requests with the right answers as distributions; what `train`, `eval` and `calibrate` read.

A line is a request with two fields more: {"state": …, "questions": {…}, "labels": {id: option}, "group": "tone"}.
A noul's label is true or false, a choice's an option id, a score's a level counted from 0; any may be a distribution
{option_id: probability} instead. Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from clef_mlx.errors import RequestError
from clef_mlx.schema import Question, Request, parse_request
from clef_mlx.strict_json import parse_json, show, show_place

OWN_FIELDS = ("labels", "group")
SUM_TOLERANCE = 2e-3  # of a distribution, which may have been rounded to 3 or 4 decimals
MOST_FAULTS = 20  # bad lines a message lists
MOST_NAMED = 8  # options or ids a message lists
EXAMPLE = '{"state": …, "questions": {"urgent": {"type": "noul"}}, "labels": {"urgent": true}}'


@dataclass(frozen=True)
class Labelled:
    """One labelled request.

    `request` is its body without labels and group, names of picture files counted from the file's folder. `targets`
    hold a distribution per labelled question, in the order of `parsed.questions[i].options`, summing to 1; questions
    without a label are not in it. `where` is `file:line`.
    """

    request: dict[str, Any]
    parsed: Request
    targets: dict[str, tuple[float, ...]]
    group: str | None
    where: str
    line: int


def read_labelled(path: str | Path, *, again: bool = False) -> Iterator[Labelled | RequestError]:
    """Yield a file's lines as they are read; a bad one, or a file that cannot be read, is an error in its place.

    `again` tells that the file will be read once more, which a pipe cannot be.
    """
    path = Path(path)
    name = str(path) if str(path).isprintable() else show(str(path))
    empty = True
    if again and path.exists() and not (path.is_file() or path.is_dir()):
        yield RequestError(f"{name}: must be a file, which can be read twice, got a pipe or device. Save it first.")
        return
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    empty = False
                    yield _read_line(line.rstrip(), f"{name}:{number}", number, path.parent)
    except IsADirectoryError:
        yield RequestError(f"{name}: must be a file of labelled requests, got a folder. Name the file.")
    except OSError as error:
        yield RequestError(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}.")
    else:
        if empty:
            yield RequestError(f"{name}: must hold a labelled request a line, got nothing. Write {EXAMPLE}.")


def load_labelled(paths: Sequence[str | Path], *, again: bool = False) -> list[Labelled]:
    """All lines of some files, as `read_labelled` reads them.

    Raises RequestError with a line for each bad one, up to 20, and the number of others.
    """
    read = list(chain.from_iterable(read_labelled(path, again=again) for path in paths))
    if faults := [str(one) for one in read if isinstance(one, RequestError)]:
        more = len(faults) - MOST_FAULTS
        raise RequestError("\n".join(faults[:MOST_FAULTS] + ([f"And {more:,} more bad lines."] if more > 0 else [])))
    return read


def parse_labelled(value: Any, where: str, line: int = 1, base: Path | None = None) -> Labelled:
    """Check one labelled request. Raises RequestError `<where>: <place>: <rule>`, with the place as its location."""
    try:
        parsed = parse_request(value)
        targets = _targets(value.get("labels"), parsed)
        group = _group(value.get("group"))
        request = {name: member for name, member in value.items() if name not in OWN_FIELDS}
        if base is not None and (parsed.images or parsed.videos):
            from clef_mlx.media.naming import with_paths

            request = with_paths(request, base)
    except RequestError as error:
        raise RequestError(f"{where}: {error}", error.location) from None
    return Labelled(request, parsed, targets, group, where, line)


def _read_line(text: bytes, where: str, line: int, base: Path) -> Labelled | RequestError:
    try:
        return parse_labelled(parse_json(text, where=where), where, line, base)
    except RequestError as error:
        return error


def _group(value: Any) -> str | None:
    if value is None or isinstance(value, str) and value:
        return value
    raise _broken(("group",), f'must be a non-empty string, got {show(value)}. Write "tone", or leave it out.')


def _targets(labels: Any, request: Request) -> dict[str, tuple[float, ...]]:
    if not isinstance(labels, dict) or not labels:
        got = "nothing" if labels is None else show(labels)
        raise _broken(("labels",), f'must be an object of at least one label, got {got}. Write {{"urgent": true}}.')
    questions = {question.id: question for question in request.questions}
    if unknown := [question_id for question_id in labels if question_id not in questions]:
        rule = f"must be labels of the request's questions, {_listed(list(questions))}, got {show(unknown[0])}"
        raise _broken(("labels",), f"{rule}. Rename or remove it.")
    # In the questions' order, whatever the labels' own.
    return {name: _target(labels[name], question) for name, question in questions.items() if name in labels}


def _target(label: Any, question: Question) -> tuple[float, ...]:
    place = ("labels", question.id)
    option_ids = [option.option_id for option in question.options]
    if isinstance(label, dict):
        return _distribution(label, option_ids, place)
    match question.type:
        case "noul":
            fits, allowed, option_id = isinstance(label, bool), "true or false", "true" if label else "false"
        case "choice":
            fits, allowed, option_id = label in option_ids, f"one of {_listed(option_ids)}", label
        case "score":
            whole = isinstance(label, int) and not isinstance(label, bool)
            fits = whole and 0 <= label < len(option_ids)
            allowed, option_id = f"a level from 0 to {len(option_ids) - 1}", str(label)
    if not fits:
        raise _broken(place, f"must be {allowed}, got {show(label)}. A distribution over the options will do as well.")
    return tuple(float(other == option_id) for other in option_ids)


def _distribution(label: dict[str, Any], option_ids: list[str], place: tuple[str, ...]) -> tuple[float, ...]:
    for option_id, p in label.items():
        if option_id not in option_ids:
            rule = f"must be a distribution over {_listed(option_ids)}, got {show(option_id)}"
            raise _broken(place, f"{rule}. Rename or remove it.")
        if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
            raise _broken(
                (*place, option_id), f"must be a probability from 0 to 1, got {show(p)}. Options left out are 0."
            )
    total = sum(label.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise _broken(place, f"probabilities must sum to 1, got {total:.6g}. Options left out are 0.")
    return tuple(label.get(option_id, 0) / total for option_id in option_ids)


def _listed(names: list[str]) -> str:
    shown = ", ".join(show(name) for name in names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"


def _broken(place: tuple[str, ...], rule: str) -> RequestError:
    return RequestError(f"{show_place(place)}: {rule}", place)
