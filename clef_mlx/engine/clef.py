"""The public face: a loaded release that decides requests."""

from __future__ import annotations

from collections import defaultdict
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
from clef_mlx.engine.batching import windows
from clef_mlx.engine.budget import Memory
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.options import Limits, Options
from clef_mlx.engine.runner import Outcome, Runner
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import Request, isolate, parse_request
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.hub import default_model, resolve
from clef_mlx.weights.load import load_release

BATCH_TOKENS = 4096  # padded tokens a batch may hold


def load(
    name: str | Path | None = None,
    *,
    dtype: str | None = None,
    prefix_bytes: int | None = None,
    checkpoint_tokens: int | None = None,
    memory_bytes: int | None = None,
    **options: Any,
) -> Clef:
    """Load a Clef release: a folder, a hub id `owner/name[@revision]`, an alias, or None for the default model.

    `dtype` is float32, bfloat16 or float16; None keeps the weights' own on a GPU and takes float32 on a CPU.
    `prefix_bytes` may be kept of states already seen (0: nothing, None: a quarter of what the weights leave), with a
    checkpoint every `checkpoint_tokens` of a long state (0: at its end alone, None: so that checkpoints take no more
    than half). `memory_bytes` are all that arrays of this process may take; None: what the machine has. Further options
    (see `clef_mlx.Options`) become defaults of every call. Raises CheckpointError, MemoryBudgetError, RequestError.
    """
    limits = Limits(prefix_bytes, checkpoint_tokens, memory_bytes)
    defaults = Options().with_(**options)
    asked = default_model().name if name is None else str(name)
    folder = resolve(asked)
    # A folder's own name: answers repeat it, and a path is nobody else's business.
    known_as = Path(asked).expanduser().absolute().name if Path(asked).expanduser().exists() else asked
    return Clef(folder, name=known_as, dtype=dtype, options=defaults, limits=limits)


class Clef:
    """A loaded release. Callable from any thread; a context manager that gives its memory back."""

    def __init__(self, folder: Path, *, name: str, dtype: str | None, options: Options, limits: Limits) -> None:
        self.options = options
        self.name = name
        read_folder(folder)  # says what is wrong with a folder as a whole, before any one of its files
        self._tokenizer = ReleaseTokenizer.from_folder(folder)
        self._release = thread.run(load_release, folder, dtype=dtype, memory_bytes=limits.memory_bytes)
        check_vocabulary(self._tokenizer, self._release.config.text.vocab_size)
        self._runner: Runner | None = thread.run(Runner.start, self._release, self._tokenizer.pad_token_id, limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop the weights and give their memory back. The object cannot decide afterwards."""
        self._release = self._runner = None
        thread.run(mx.clear_cache)
        release_heap()

    @property
    def info(self) -> Any:
        """Facts of the loaded release: folder, layout, dtype, source, revision."""
        self._open()
        return self._release.info

    @property
    def memory(self) -> Memory:
        """What this model holds and may hold, in bytes."""
        return thread.run(self._open().memory, self.options.max_length)

    def decide(
        self,
        state: Any,
        questions: Mapping[str, Mapping[str, Any]],
        images: Sequence[Any] = (),
        videos: Sequence[Any] = (),
        **options: Any,
    ) -> Decision:
        """Decide `questions` about `state`. Raises RequestError (with `.location`), ContextLengthError, ModelFault."""
        request = {"state": state, "questions": questions, "images": list(images or ()), "videos": list(videos or ())}
        return self._decide(parse_request(request), self.options.with_(**options))

    def systemone(self, request: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Answer a System One request body with a response body. Source: joint_schema_model.py `systemone`."""
        return self._decide(parse_request(request), self.options.with_(**options)).to_dict()

    def decide_many(
        self,
        requests: Iterable[Mapping[str, Any] | ClefError],
        *,
        batch_tokens: int | None = None,
        progress: Callable[[int], None] | None = None,
        **options: Any,
    ) -> Iterator[Decision | ClefError]:
        """Decide a stream of request bodies in batches of up to `batch_tokens` padded tokens, in request order.

        Requests of one state take it in once, wherever they stand among the next 128. States that pass in a batch with
        others are not kept for later; those that fill one alone are, as in `decide`. A request that cannot be decided
        yields its ClefError in its place; an error passed in as an item comes out unchanged. `progress` is called with
        the number of requests done since the last call.
        """
        chosen = self.options.with_(**options)
        if batch_tokens is not None and (type(batch_tokens) is not int or batch_tokens < 1):
            raise RequestError(f"batch_tokens: must be a whole number >= 1, got {show(batch_tokens)}.")
        return self._decide_stream(requests, batch_tokens or BATCH_TOKENS, progress, chosen)

    def encode(self, request: Mapping[str, Any], **options: Any) -> EncodedRecord:
        """The token ids and spans the model would see."""
        return self._encode(parse_request(request), self.options.with_(**options))

    def logits(self, records: Sequence[EncodedRecord]) -> list[list[mx.array]]:
        """Logits [options] float32 of every question of every record, as one right-padded batch that reuses nothing.

        Raises MemoryBudgetError.
        """
        return thread.run(self._open().batch, records) if records else []

    def trace(self, request: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """One request with everything between text and answer, nothing rounded; for checking parity from outside."""
        chosen = self.options.with_(**options)
        if chosen.isolate:
            raise RequestError("options.isolate: a trace shows one pass of the model. Trace without isolate.")
        parsed = parse_request(request)
        record = self._encode(parsed, chosen)
        logits = [np.array(question) for question in self.logits([record])[0]]
        decision = self._decision(parsed, [record], [Outcome(logits)], chosen.with_(round=None))
        return {
            "input_ids": list(record.input_ids),
            "question_spans": [list(question.question_span) for question in record.questions],
            "option_spans": [[list(span) for span in question.option_spans] for question in record.questions],
            "option_ids": [list(question.option_ids) for question in record.questions],
            "logits": [values.tolist() for values in logits],
            "probabilities": decision.probabilities,
            "answers": decision.answers,
            "usage": decision.usage,
            # As in an answer: a cut state is never silent.
            **({"x_truncated_tokens": record.truncated_tokens} if record.truncated_tokens else {}),
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
            for finished in self._decide_all(parsed, batch_tokens, options):
                for index, outcome in finished.items():
                    done[index] = outcome
                if progress is not None and finished:
                    progress(len(finished))
            yield from done

    def _decide_all(
        self, requests: Mapping[int, tuple[Request, list[EncodedRecord]]], batch_tokens: int, options: Options
    ) -> Iterator[dict[int, Decision | ClefError]]:
        """Decide requests, each under its index; yield those that every job of the model finishes."""
        owners = [index for index, (_, records) in requests.items() for _ in records]
        records = [record for _, mine in requests.values() for record in mine]
        places = defaultdict(list)
        for position, owner in enumerate(owners):
            places[owner].append(position)
        outcomes: dict[int, Outcome] = {}
        for job in thread.run(self._open().plan, records, batch_tokens):
            members = [records[position] for position in job.indices]
            made = thread.run(self._open().run, members, job.family, batch_tokens)
            outcomes |= zip(job.indices, made, strict=True)
            touched = dict.fromkeys(owners[position] for position in job.indices)
            finished = [index for index in touched if all(position in outcomes for position in places[index])]
            yield {
                index: self._outcome(*requests[index], [outcomes[position] for position in places[index]], options)
                for index in finished
            }

    def _outcome(
        self, request: Request, records: list[EncodedRecord], outcomes: list[Outcome], options: Options
    ) -> Decision | ClefError:
        """A fault in one request is that request's own."""
        try:
            return self._decision(request, records, outcomes, options)
        except ClefError as error:
            return error

    def _decide(self, request: Request, options: Options) -> Decision:
        passes = {0: self._passes(request, options)}
        (outcome,) = (made[0] for made in self._decide_all(passes, BATCH_TOKENS, options) if made)
        if isinstance(outcome, ClefError):
            raise outcome
        return outcome

    def _passes(self, request: Request, options: Options) -> tuple[Request, list[EncodedRecord]]:
        """The records a request becomes: one, or one per question when isolated."""
        parts = isolate(request) if options.isolate else [request]
        return request, [self._encode(part, options) for part in parts]

    def _encode(self, request: Request, options: Options) -> EncodedRecord:
        if request.images or request.videos:
            kind = "images" if request.images else "videos"
            raise RequestError(f"{kind}: this version reads text only. Remove images and videos.", (kind,))
        return encode_request(
            self._tokenizer,
            request,
            max_length=options.max_length,
            max_state_tokens=options.max_state_tokens,
            on_overflow=options.on_overflow,
            control_tokens=options.control_tokens,
        )

    def _open(self) -> Runner:
        if self._runner is None:
            raise ClefError(f"{self.name}: the model is closed. Load it again.")
        return self._runner

    def _decision(
        self,
        request: Request,
        records: list[EncodedRecord],
        outcomes: list[Outcome],
        options: Options,
    ) -> Decision:
        """Answers from what became of a request's records."""
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error
        probabilities = answers.probabilities([question for outcome in outcomes for question in outcome.logits])
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
            reused_tokens=sum(outcome.reused_tokens for outcome in outcomes),
        )


def _in_request_order(question: Any, probabilities: np.ndarray) -> dict[str, float]:
    by_id = {option.option_id: float(p) for option, p in zip(question.options, probabilities, strict=True)}
    return {option_id: by_id[option_id] for option_id in question.request_order}
