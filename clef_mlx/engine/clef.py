"""The public face: a loaded release that decides requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from clef_mlx.blas import release_heap  # first: OpenBLAS must be in place before MLX

# isort: split
import mlx.core as mx
import numpy as np

from clef_mlx import answers
from clef_mlx.encoding import encode_request
from clef_mlx.engine import thread
from clef_mlx.engine.batching import bucketed, windows
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.forward import batch_logits
from clef_mlx.engine.options import Options
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import Request, isolate, parse_request
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.hub import resolve
from clef_mlx.weights.load import load_release

BATCH_TOKENS = 4096  # padded tokens a batch may hold


def load(name: str | Path | None = None, *, dtype: str | None = None, **options: Any) -> Clef:
    """Load a Clef release: a folder, a hub id `owner/name[@revision]`, an alias, or None for the default model.

    `dtype` is float32, bfloat16 or float16; None keeps the weights' own on a GPU and takes float32 on a CPU. Further
    options (see `clef_mlx.Options`) become defaults of every call. Raises CheckpointError, RequestError.
    """
    defaults = Options().with_(**options)
    folder = resolve(None if name is None else str(name))
    return Clef(folder, name=None if name is None else str(name), dtype=dtype, options=defaults)


class Clef:
    """A loaded release. Callable from any thread; a context manager that gives its memory back."""

    def __init__(self, folder: Path, *, name: str | None, dtype: str | None, options: Options) -> None:
        self.options = options
        self.name = name or folder.name
        read_folder(folder)  # says what is wrong with a folder as a whole, before any one of its files
        self._tokenizer = ReleaseTokenizer.from_folder(folder)
        self._release = thread.run(load_release, folder, dtype=dtype)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop the weights and give their memory back. The object cannot decide afterwards."""
        self._release = None
        thread.run(mx.clear_cache)
        release_heap()

    @property
    def info(self) -> Any:
        """Facts of the loaded release: folder, layout, dtype, source, revision."""
        return self._release.info

    def decide(
        self,
        state: Any,
        questions: Mapping[str, Mapping[str, Any]],
        images: Sequence[Any] = (),
        videos: Sequence[Any] = (),
        **options: Any,
    ) -> Decision:
        """Decide `questions` about `state`. Raises RequestError (with `.location`), ContextLengthError, ModelFault."""
        request = {"state": state, "questions": questions, "images": list(images), "videos": list(videos)}
        return self._decide([parse_request(request)], self.options.with_(**options))[0]

    def systemone(self, request: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Answer a System One request body with a response body. Source: joint_schema_model.py `systemone`."""
        return self._decide([parse_request(request)], self.options.with_(**options))[0].to_dict()

    def decide_many(
        self,
        requests: Iterable[Mapping[str, Any] | ClefError],
        *,
        batch_tokens: int | None = None,
        progress: Callable[[int], None] | None = None,
        **options: Any,
    ) -> Iterator[Decision | ClefError]:
        """Decide a stream of request bodies in batches of up to `batch_tokens` padded tokens, in request order.

        A request that cannot be decided yields its ClefError in its place; an error passed in as an item comes out
        unchanged. `progress` is called with the number of requests done since the last call.
        """
        chosen = self.options.with_(**options)
        if batch_tokens is not None and batch_tokens < 1:
            raise RequestError(f"batch_tokens: must be at least 1, got {batch_tokens}.")
        return self._decide_stream(requests, batch_tokens or BATCH_TOKENS, progress, chosen)

    def encode(self, request: Mapping[str, Any], **options: Any) -> EncodedRecord:
        """The token ids and spans the model would see."""
        return self._encode(parse_request(request), self.options.with_(**options))

    def logits(self, records: Sequence[EncodedRecord]) -> list[list[mx.array]]:
        """Logits [options] float32 of every question of every record, as one right-padded batch."""
        return thread.run(self._forward, records)

    def trace(self, request: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """One request with everything between text and answer, nothing rounded; for checking parity from outside."""
        chosen = self.options.with_(**options)
        if chosen.isolate:
            raise RequestError("options.isolate: a trace shows one pass of the model. Trace without isolate.")
        parsed = parse_request(request)
        record = self._encode(parsed, chosen)
        logits = self._logits([record])[0]
        decision = self._decision(parsed, [record], [logits], chosen.with_(round=None))
        return {
            "input_ids": list(record.input_ids),
            "question_spans": [list(question.question_span) for question in record.questions],
            "option_spans": [[list(span) for span in question.option_spans] for question in record.questions],
            "option_ids": [list(question.option_ids) for question in record.questions],
            "logits": [values.tolist() for values in logits],
            "probabilities": decision.probabilities,
            "answers": decision.answers,
            "usage": decision.usage,
        }

    def _decide_stream(
        self,
        requests: Iterable[Mapping[str, Any] | ClefError],
        batch_tokens: int,
        progress: Callable[[int], None] | None,
        options: Options,
    ) -> Iterator[Decision | ClefError]:
        for window in windows(requests):
            done: list[Decision | ClefError | None] = [None] * len(window)
            parsed: dict[int, tuple[Request, list[EncodedRecord]]] = {}
            for index, request in enumerate(window):
                try:
                    if isinstance(request, ClefError):
                        raise request
                    parsed[index] = self._passes(parse_request(request), options)
                except ClefError as error:
                    done[index] = error
            if progress is not None and len(parsed) < len(window):
                progress(len(window) - len(parsed))
            indices = list(parsed)
            # An isolated request is several records; they stay together.
            lengths = [sum(len(record.input_ids) for record in parsed[index][1]) for index in indices]
            for group in bucketed(lengths, batch_tokens):
                members = [indices[position] for position in group]
                for index, outcome in zip(
                    members, self._decide_group([parsed[i] for i in members], options), strict=True
                ):
                    done[index] = outcome
                if progress is not None:
                    progress(len(members))
            yield from done

    def _decide_group(
        self, group: list[tuple[Request, list[EncodedRecord]]], options: Options
    ) -> list[Decision | ClefError]:
        """Decide one batch; a fault in one request is that request's own."""
        records = [record for _, passes in group for record in passes]
        logits = iter(self._logits(records))
        outcomes: list[Decision | ClefError] = []
        for request, passes in group:
            mine = [next(logits) for _ in passes]
            try:
                outcomes.append(self._decision(request, passes, mine, options))
            except ClefError as error:
                outcomes.append(error)
        return outcomes

    def _decide(self, requests: list[Request], options: Options) -> list[Decision]:
        outcomes = self._decide_group([self._passes(request, options) for request in requests], options)
        for outcome in outcomes:
            if isinstance(outcome, ClefError):
                raise outcome
        return outcomes

    def _passes(self, request: Request, options: Options) -> tuple[Request, list[EncodedRecord]]:
        """The records a request becomes: one, or one per question when isolated."""
        parts = isolate(request) if options.isolate else [request]
        return request, [self._encode(part, options) for part in parts]

    def _encode(self, request: Request, options: Options) -> EncodedRecord:
        if request.images or request.videos:
            raise RequestError("images: this version reads text only. Remove images and videos.", ("images",))
        return encode_request(
            self._tokenizer,
            request,
            max_length=options.max_length,
            max_state_tokens=options.max_state_tokens,
            on_overflow=options.on_overflow,
            control_tokens=options.control_tokens,
        )

    def _forward(self, records: Sequence[EncodedRecord]) -> list[list[mx.array]]:
        if self._release is None:
            raise ClefError(f"{self.name}: the model is closed. Load it again.")
        return batch_logits(self._release.model, records, self._tokenizer.pad_token_id)

    def _logits(self, records: Sequence[EncodedRecord]) -> list[list[np.ndarray]]:
        return thread.run(lambda: [[np.array(question) for question in record] for record in self._forward(records)])

    def _decision(
        self,
        request: Request,
        records: list[EncodedRecord],
        logits: list[list[np.ndarray]],
        options: Options,
    ) -> Decision:
        """Answers from the logits of a request's records."""
        probabilities = answers.probabilities([question for record in logits for question in record])
        return Decision(
            model=request.model or self.name,
            answers={
                question.id: answers.answer(question, p, confidence=options.confidence, round=options.round)
                for question, p in zip(request.questions, probabilities, strict=True)
            },
            probabilities={
                question.id: _in_request_order(question, p)
                for question, p in zip(request.questions, probabilities, strict=True)
            },
            usage={"input_tokens": sum(len(record.input_ids) for record in records), "output_tokens": 0},
            truncated_tokens=max(record.truncated_tokens for record in records),
        )


def _in_request_order(question: Any, probabilities: np.ndarray) -> dict[str, float]:
    by_id = {option.option_id: float(p) for option, p in zip(question.options, probabilities, strict=True)}
    return {option_id: by_id[option_id] for option_id in question.request_order}
