"""A pandas or Polars frame -> the same frame with a column of answers for every question."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from clef_mlx.bulk.journal import Journal, Tally
from clef_mlx.bulk.made_with import made_with
from clef_mlx.engine.batching import WINDOW_REQUESTS
from clef_mlx.engine.clef import Clef, load
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.schema import Question, parse_request
from clef_mlx.strict_json import show

if TYPE_CHECKING:
    import narwhals as nw

Frame = TypeVar("Frame")
State = str | Sequence[str] | Callable[[dict[str, Any]], Any]
ERROR = "error"
REMEDY = "remove it to begin again"


def decide_frame(
    frame: Frame,
    state: State,
    questions: Mapping[str, Mapping[str, Any]],
    *,
    model: Clef | str | Path | None = None,
    probabilities: bool = False,
    on_error: Literal["raise", "null"] = "raise",
    resume: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
    prefix: str = "",
    batch_tokens: int | None = None,
    **options: Any,
) -> Frame:
    """Decide `questions` about every row of a pandas or Polars DataFrame (or a pyarrow Table), in batches.

    `state` is a column, a list of columns, whose names and values become a JSON object, or a function of the row as a
    dict. Returns a new frame, rows and index as they were, with these columns, each name after `prefix`:
    of a noul `q` the probability of yes; of a choice `q` the option and `q_confidence`; of a score `q` the mean level
    and `q_confidence`. With `probabilities` also `q.option` for every option of a choice or level of a score.
    A row whose state is null (or all its columns are) has null answers. A row that cannot be decided raises its error,
    or with on_error="null" has null answers and says why in the column `error`.
    `model` is a loaded one, or what `clef_mlx.load` takes. `progress` is called with the number of rows done since the
    last call, as `tqdm.update` is. `resume` names a journal, kept in NAME.partial and NAME.partial.json: the same call
    after an interruption, or with rows added at the end, decides only what is missing there. Options are those of
    `decide_many`. Needs the extra `frames`. Raises RequestError, ClefError.
    """
    if on_error not in ("raise", "null"):
        raise RequestError(f"on_error: must be raise or null, got {show(on_error)}.")
    table = _table(frame)
    asked = parse_request({"state": "", "questions": questions}).questions
    plan = [column for question in asked for column in _columns(question, probabilities)]
    names = [prefix + column.name for column in plan] + [prefix + ERROR] * (on_error == "null")
    if taken := {*names}.intersection(table.columns) | {name for name in names if names.count(name) > 1}:
        raise RequestError(f"frame: {show(min(taken))} is a column already. Rename it, or give a prefix.")
    rows = _states(table, state)
    work = _Work(dict(questions), options, batch_tokens, on_error == "raise", progress or (lambda count: None))
    answers: list[dict[str, Any] | None] = []
    if len(table):
        with nullcontext(model) if isinstance(model, Clef) else load(model) as loaded:
            for part in work.decided(loaded, rows) if resume is None else work.resumed(loaded, rows, Path(resume)):
                answers += part
    return _with_columns(table, names, plan, answers)


class _Column(NamedTuple):
    """Where one column's values stand in an answer; `dtype` is narwhals' name."""

    name: str
    path: tuple[str, ...]
    dtype: str


def _columns(question: Question, probabilities: bool) -> Iterator[_Column]:
    name, kind = question.id, question.type
    yield _Column(name, (name, kind), "String" if kind == "choice" else "Float64")
    if kind != "noul":
        yield _Column(f"{name}_confidence", (name, "confidence"), "Float64")
        for option in question.request_order if probabilities else ():
            yield _Column(f"{name}.{option}", (name, "probabilities", option), "Float64")


class _Work(NamedTuple):
    """How rows become answers: response bodies, None for a null state, or an object with `error`."""

    questions: dict[str, Any]
    options: dict[str, Any]
    batch_tokens: int | None
    raises: bool
    progress: Callable[[int], None]

    def decided(self, model: Clef, states: Iterator[Any], first: int = 0) -> Iterator[list[dict[str, Any] | None]]:
        """Answers of the rows from `first` on, some at a time."""
        while part := list(islice(states, WINDOW_REQUESTS)):
            asked = [{"state": state, "questions": self.questions} for state in part if state is not None]
            outcomes = model.decide_many(
                asked,
                batch_tokens=self.batch_tokens,
                window=max(1, len(asked)),
                progress=self.progress,
                **self.options,
            )
            made = [None if state is None else _body(next(outcomes)) for state in part]
            if nulls := len(part) - len(asked):
                self.progress(nulls)
            self._refuse(made, first)
            first += len(part)
            yield made

    def resumed(self, model: Clef, states: Iterator[Any], path: Path) -> Iterator[list[dict[str, Any] | None]]:
        """The answers that `path` holds, then the others, which it holds afterwards."""
        with Journal(Path(os.path.realpath(path)), remedy=REMEDY) as journal:
            count = journal.kept.tally.answers
            journal.replay(map(_line, islice(states, count)))
            journal.begin(
                made_with(model, model.options.with_(**self.options), self.batch_tokens) | {"questions": self.questions}
            )
            if count:
                kept = [json.loads(line) for line in journal.answers()]
                self._refuse(kept, 0)
                self.progress(count)
                yield kept
            pieces: list[bytes] = []
            noted = (pieces.append(_line(state)) or state for state in states)
            for made in self.decided(model, noted, count):
                journal.add(b"".join(map(_line, made)), b"".join(pieces), Tally(len(made)))
                pieces.clear()
                yield made

    def _refuse(self, made: Sequence[dict[str, Any] | None], first: int) -> None:
        for place, answer in enumerate(made, start=first):
            if self.raises and answer is not None and ERROR in answer:
                raise RequestError(f'row {place}: {answer[ERROR]} With on_error="null" the other rows are decided.')


def _body(outcome: Any) -> dict[str, Any]:
    return {ERROR: str(outcome)} if isinstance(outcome, ClefError) else outcome.to_dict()


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _table(frame: Any) -> nw.DataFrame:
    try:
        import narwhals as nw
        from narwhals.exceptions import DuplicateError
    except ImportError as error:
        raise ClefError("decide_frame: needs narwhals. Install it: pip install 'clef-mlx[frames]'.") from error
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        rule = "must be a pandas or Polars DataFrame or a pyarrow Table"
        raise RequestError(f"frame: {rule}, got {type(frame).__name__}. Collect a LazyFrame first.") from None
    except DuplicateError:
        raise RequestError("frame: names must differ, got a column twice. Rename one.") from None


def _states(table: nw.DataFrame, state: State) -> Iterator[Any]:
    """The state of every row as JSON; None where there is nothing to judge."""
    if callable(state):
        rows = enumerate(table.iter_rows(named=True))
        return (_plain(state(row), f"row {place}") for place, row in rows)
    if not isinstance(state, str | Sequence) or not state:
        rule = "must be a column, a list of columns or a function of the row"
        raise RequestError(f"state: {rule}, got {show(state)}. Name what is judged.")
    columns = [state] if isinstance(state, str) else list(state)
    if missing := [name for name in columns if name not in table.columns]:
        known = ", ".join(map(str, table.columns))
        raise RequestError(f"state: must name columns, got {show(missing[0])}. There are {known}.")
    rows = enumerate(table.select(*map(table.get_column, columns)).iter_rows())
    objects = (
        {str(name): _plain(value, f"row {place}: {name}") for name, value in zip(columns, row, strict=True)}
        for place, row in rows
    )
    if isinstance(state, str):
        return (row[str(state)] for row in objects)
    return (row if any(value is not None for value in row.values()) else None for row in objects)


def _plain(value: Any, where: str) -> Any:
    """A cell as JSON: numbers, texts, lists and structs as they are, dates as ISO 8601, missing values as null."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(part, where) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, where) for part in value]
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        return _plain(value.tolist(), where)
    if str(value) in ("NaT", "<NA>"):  # pandas' own, which equal nothing
        return None
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    raise RequestError(f"{where}: must be text, a number or JSON, got {type(value).__name__}. Convert the column.")


def _with_columns(table: nw.DataFrame, names: list[str], plan: list[_Column], answers: list[Any]) -> Any:
    import narwhals as nw

    values = [([_value(answer, column.path) for answer in answers], column.dtype) for column in plan]
    if len(names) > len(plan):
        values.append(([None if answer is None else answer.get(ERROR) for answer in answers], "String"))
    backend = nw.get_native_namespace(table)
    made = (
        nw.new_series(name, column, getattr(nw, dtype), backend=backend)
        for name, (column, dtype) in zip(names, values, strict=True)
    )
    return table.with_columns(*made).to_native()


def _value(answer: dict[str, Any] | None, path: tuple[str, ...]) -> Any:
    if answer is None or ERROR in answer:
        return None
    found = answer["answers"]
    for name in path:
        found = found[name]
    return found
