"""Many prepared requests -> as few passes of the model as their lengths allow -> decisions in request order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from clef_mlx import answers
from clef_mlx.engine import thread
from clef_mlx.engine.decision import Answer, Decision
from clef_mlx.engine.records import Prepared
from clef_mlx.engine.runner import Outcome, Runner
from clef_mlx.errors import ClefError
from clef_mlx.schema import Question

BATCH_TOKENS = 4096  # padded tokens a batch may hold
MOST_PIXEL_BYTES = 256 << 20  # of pictures read ahead in a stream of requests: about ten megapixels


def decide_stream(
    windows: Iterable[Sequence[Any]],
    prepare: Callable[[Any], Prepared],
    decide: Callable[[Mapping[int, Prepared]], Iterator[dict[int, Decision | ClefError]]],
    progress: Callable[[int], None] | None,
) -> Iterator[Decision | ClefError]:
    """Decide window by window, and yield in order. What `prepare` refuses is an error in its place."""
    for window in windows:
        done: list[Decision | ClefError | None] = [None] * len(window)
        for prepared, refused in _parts(window, prepare):
            for finished in chain([refused], decide(prepared)):
                for index, outcome in finished.items():
                    done[index] = outcome
                if progress is not None and finished:
                    progress(len(finished))
        yield from done


def _parts(
    window: Sequence[Any], prepare: Callable[[Any], Prepared]
) -> Iterator[tuple[dict[int, Prepared], dict[int, ClefError]]]:
    """Requests and errors by their place in the window, in parts whose pictures fit in memory together."""
    prepared: dict[int, Prepared] = {}
    refused: dict[int, ClefError] = {}
    pixels = 0
    for index, request in enumerate(window):
        try:
            if isinstance(request, ClefError):
                raise request
            prepared[index] = prepare(request)
            pixels += prepared[index].pixel_bytes
        except ClefError as error:
            refused[index] = error
        if pixels > MOST_PIXEL_BYTES:
            yield prepared, refused
            prepared, refused, pixels = {}, {}, 0
    yield prepared, refused


def decide_all(
    runner: Callable[[], Runner], name: str, requests: Mapping[int, Prepared], batch_tokens: int
) -> Iterator[dict[int, Decision | ClefError]]:
    """Decide requests, each under its index; yield those that every job of the model finishes.

    `runner` is asked again for every job, so that a model closed between two of them says so. `name` is the model's
    where a request names none.
    """
    owners = [index for index, mine in requests.items() for _ in mine.records]
    records = [record for mine in requests.values() for record in mine.records]
    places = defaultdict(list)
    for position, owner in enumerate(owners):
        places[owner].append(position)
    outcomes: dict[int, Outcome] = {}
    for job in thread.run(runner().plan, records, batch_tokens):
        members = [records[position] for position in job.indices]
        made = thread.run(runner().run, members, job.family, batch_tokens)
        outcomes |= zip(job.indices, made, strict=True)
        touched = dict.fromkeys(owners[position] for position in job.indices)
        finished = [index for index in touched if all(position in outcomes for position in places[index])]
        yield {
            index: _outcome(name, requests[index], [outcomes[position] for position in places[index]])
            for index in finished
        }


def _outcome(name: str, asked: Prepared, outcomes: list[Outcome]) -> Decision | ClefError:
    """A fault in one request is that request's own."""
    try:
        return decision(name, asked, outcomes)
    except ClefError as error:
        return error


def decision(name: str, asked: Prepared, outcomes: Sequence[Outcome]) -> Decision:
    """Answers from what became of a request's records. Raises ModelFault, MemoryBudgetError."""
    request, options, records, calibration = asked
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    logits = [question for outcome in outcomes for question in outcome.logits]
    scales = calibration.scales_of(request.questions) if calibration else {}
    probabilities = answers.probabilities(
        [
            scales[question.id](row) if question.id in scales else row
            for question, row in zip(request.questions, logits, strict=True)
        ]
    )
    return Decision(
        model=request.model or name,
        answers={
            question.id: Answer(answers.answer(question, p, confidence=options.confidence, round=options.round))
            for question, p in zip(request.questions, probabilities, strict=True)
        },
        probabilities={
            question.id: _in_request_order(question, p)
            for question, p in zip(request.questions, probabilities, strict=True)
        },
        usage={"input_tokens": sum(len(record.input_ids) for record in records), "output_tokens": 0},
        truncated_tokens=max(record.truncated_tokens for record in records),
        notes=() if records[0].media is None else records[0].media.notes,
        calibration={question_id: scale.to_dict() for question_id, scale in scales.items()},
        reused_tokens=sum(outcome.reused_tokens for outcome in outcomes),
    )


def _in_request_order(question: Question, probabilities: np.ndarray) -> dict[str, float]:
    by_id = {option.option_id: float(p) for option, p in zip(question.options, probabilities, strict=True)}
    return {option_id: by_id[option_id] for option_id in question.request_order}
