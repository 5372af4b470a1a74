"""The public face: a loaded release that decides requests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

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
from clef_mlx.errors import CheckpointError, ClefError, RequestError
from clef_mlx.media import ProcessorConfig, prepare
from clef_mlx.record import EncodedRecord, Media
from clef_mlx.schema import Request, isolate, parse_request
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.adapters.spec import AdapterSpec, Given, adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.hub import default_model, resolve
from clef_mlx.weights.load import load_release

BATCH_TOKENS = 4096  # padded tokens a batch may hold
MOST_PIXEL_BYTES = 256 << 20  # of pictures read ahead in a stream of requests: about ten megapixels


class Prepared(NamedTuple):
    """A checked request with the records it becomes: one, or one per question when isolated."""

    request: Request
    options: Options
    records: tuple[EncodedRecord, ...]

    @property
    def pixel_bytes(self) -> int:
        """What its pictures hold, which are the same in all its records."""
        media = self.records[0].media
        return 0 if media is None else media.pixel_values.nbytes


def load(
    name: str | Path | None = None,
    *,
    adapter: Given | Sequence[Given] | None = None,
    base_head: bool = False,
    dtype: str | None = None,
    prefix_bytes: int | None = None,
    checkpoint_tokens: int | None = None,
    memory_bytes: int | None = None,
    **options: Any,
) -> Clef:
    """Load a Clef release: a folder, a hub id `owner/name[@revision]`, an alias, or None for the default model.

    `adapter` is the folder of a LoRA adapter (PEFT, Unsloth, mlx-lm, mlx-vlm), a weighted one (`DIR:0.5` or
    (DIR, 0.5)), or several of them. They are merged in float32 where the weights are not quantized, which is exact and
    costs nothing later, and computed beside matrices that stay quantized. The head trained with them replaces the
    model's own unless `base_head`.
    `dtype` is float32, bfloat16 or float16; None keeps the weights' own on a GPU and takes float32 on a CPU.
    `prefix_bytes` may be kept of states already seen (0: nothing, None: a quarter of what the weights leave), with a
    checkpoint every `checkpoint_tokens` of a long state (0: at its end alone, None: so that checkpoints take no more
    than half). `memory_bytes` are all that arrays of this process may take; None: what the machine has. Further options
    (see `clef_mlx.Options`) become defaults of every call. Raises CheckpointError, AdapterError, MemoryBudgetError,
    RequestError.
    """
    specs = adapter_specs(adapter)
    limits = Limits(prefix_bytes, checkpoint_tokens, memory_bytes)
    defaults = Options().with_(**options)
    asked = default_model().name if name is None else str(name)
    folder = resolve(asked)
    # A folder's own name: answers repeat it, and a path is nobody else's business.
    known_as = Path(asked).expanduser().absolute().name if Path(asked).expanduser().exists() else asked
    return Clef(
        folder, name=known_as, dtype=dtype, options=defaults, limits=limits, adapters=specs, base_head=base_head
    )


class Clef:
    """A loaded release. Callable from any thread; a context manager that gives its memory back."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        dtype: str | None,
        options: Options,
        limits: Limits,
        adapters: Sequence[AdapterSpec] = (),
        base_head: bool = False,
    ) -> None:
        self.options = options
        self.name = name
        read_folder(folder)  # says what is wrong with a folder as a whole, before any one of its files
        self._tokenizer = ReleaseTokenizer.from_folder(folder)
        self._release = thread.run(
            load_release,
            folder,
            adapters=adapters,
            base_head=base_head,
            dtype=dtype,
            memory_bytes=limits.memory_bytes,
            between=thread.stop_if_abandoned,
        )
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
        media_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Decision:
        """Decide `questions` about `state` and pictures.

        An image is a PIL image, a path, bytes, an array or a data URL; a video a list of these, an array [frames,
        height, width, 3], or a path. `media_kwargs` are the publisher's: do_sample_frames, fps, num_frames,
        video_metadata. Raises RequestError (with `.location`), ContextLengthError, MemoryBudgetError, ModelFault.
        """
        request = {"state": state, "questions": questions, "images": _listed(images), "videos": _listed(videos)}
        request["media_kwargs"] = dict(media_kwargs) if isinstance(media_kwargs, Mapping) else media_kwargs
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

    def prepare(self, request: Request, options: Options, *, allow_paths: bool = True) -> Prepared:
        """Encode a checked request, pictures and all, in the caller's thread. Raises RequestError, ContextLengthError.

        Without `allow_paths` it reads no files, as for requests from elsewhere.
        """
        parts = isolate(request) if options.isolate else [request]
        media = self._media(request, options, allow_paths)
        return Prepared(request, options, tuple(self._encode(part, options, media) for part in parts))

    def decide_together(
        self, requests: Sequence[Prepared], *, batch_tokens: int = BATCH_TOKENS
    ) -> Iterator[dict[int, Decision | ClefError]]:
        """Decide requests in as few passes of the model as `batch_tokens` padded tokens allow, each by its own options.

        Yields what every pass finishes, by the index of the request. Between two passes the caller may stop.
        """
        return self._decide_all(dict(enumerate(requests)), batch_tokens)

    def forget(self) -> None:
        """Drop the kept prefixes: what comes next is computed anew."""
        thread.run(self._open().store.clear)

    def encode(self, request: Mapping[str, Any], **options: Any) -> EncodedRecord:
        """The token ids and spans the model would see."""
        (record,) = self.prepare(parse_request(request), self.options.with_(**options | {"isolate": False})).records
        return record

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
        (record,) = self.prepare(parsed, chosen).records
        logits = [np.array(question) for question in self.logits([record])[0]]
        decision = self._decision(Prepared(parsed, chosen.with_(round=None), (record,)), [Outcome(logits)])
        return {
            "input_ids": list(record.input_ids),
            "question_spans": [list(question.question_span) for question in record.questions],
            "option_spans": [[list(span) for span in question.option_spans] for question in record.questions],
            "option_ids": [list(question.option_ids) for question in record.questions],
            "logits": [values.tolist() for values in logits],
            "probabilities": decision.probabilities,
            "answers": decision.answers,
            "usage": decision.usage,
            # As in an answer: a cut state or a shrunk picture is never silent.
            **({"x_truncated_tokens": record.truncated_tokens} if record.truncated_tokens else {}),
            **({"x_notes": list(decision.notes)} if decision.notes else {}),
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
            for prepared, refused in self._prepared(window, options):
                for finished in chain([refused], self._decide_all(prepared, batch_tokens)):
                    for index, outcome in finished.items():
                        done[index] = outcome
                    if progress is not None and finished:
                        progress(len(finished))
            yield from done

    def _prepared(
        self, window: Sequence[Mapping[str, Any] | ClefError], options: Options
    ) -> Iterator[tuple[dict[int, Prepared], dict[int, ClefError]]]:
        """Requests and errors by their place in the window, in parts whose pictures fit in memory together."""
        prepared: dict[int, Prepared] = {}
        refused: dict[int, ClefError] = {}
        pixels = 0
        for index, request in enumerate(window):
            try:
                if isinstance(request, ClefError):
                    raise request
                prepared[index] = self.prepare(parse_request(request), options)
                pixels += prepared[index].pixel_bytes
            except ClefError as error:
                refused[index] = error
            if pixels > MOST_PIXEL_BYTES:
                yield prepared, refused
                prepared, refused, pixels = {}, {}, 0
        yield prepared, refused

    def _decide_all(
        self, requests: Mapping[int, Prepared], batch_tokens: int
    ) -> Iterator[dict[int, Decision | ClefError]]:
        """Decide requests, each under its index; yield those that every job of the model finishes."""
        owners = [index for index, mine in requests.items() for _ in mine.records]
        records = [record for mine in requests.values() for record in mine.records]
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
                index: self._outcome(requests[index], [outcomes[position] for position in places[index]])
                for index in finished
            }

    def _outcome(self, asked: Prepared, outcomes: list[Outcome]) -> Decision | ClefError:
        """A fault in one request is that request's own."""
        try:
            return self._decision(asked, outcomes)
        except ClefError as error:
            return error

    def _decide(self, request: Request, options: Options) -> Decision:
        asked = {0: self.prepare(request, options)}
        (outcome,) = (made[0] for made in self._decide_all(asked, BATCH_TOKENS) if made)
        if isinstance(outcome, ClefError):
            raise outcome
        return outcome

    def _media(self, request: Request, options: Options, allow_paths: bool) -> Media | None:
        """A request's pictures as the tower takes them. Raises RequestError, CheckpointError."""
        if not request.images and not request.videos:
            return None
        self._open()
        self._release.vision.refuse_absent("images" if request.images else "videos")
        return prepare(
            request.images,
            request.videos,
            request.media_kwargs,
            processor=self._processor,
            encode=partial(self._tokenizer.encode, control_tokens="publisher"),
            max_tokens=options.max_length,
            max_pixels=options.max_pixels,
            allow_paths=allow_paths,
        )

    @cached_property
    def _processor(self) -> ProcessorConfig:
        processor, vision = ProcessorConfig.from_folder(self._release.info.folder), self._release.vision.config
        made_for = (vision.patch_size, vision.temporal_patch_size, vision.spatial_merge_size)
        for kind, facts in (("image", processor.image), ("video", processor.video)):
            if (cut := (facts.patch_size, facts.temporal_patch_size, facts.merge_size)) != made_for:
                rule = f"patch, temporal patch and merge size must be config.json's {made_for}, got {cut}"
                raise CheckpointError(f"{kind}_processor: {rule}. Take the release's own sidecars.")
        return processor

    def _encode(self, request: Request, options: Options, media: Media | None) -> EncodedRecord:
        return encode_request(
            self._tokenizer,
            request,
            max_length=options.max_length,
            max_state_tokens=options.max_state_tokens,
            on_overflow=options.on_overflow,
            control_tokens=options.control_tokens,
            media=media,
        )

    def _open(self) -> Runner:
        if self._runner is None:
            raise ClefError(f"{self.name}: the model is closed. Load it again.")
        return self._runner

    def _decision(self, asked: Prepared, outcomes: list[Outcome]) -> Decision:
        """Answers from what became of a request's records."""
        request, options, records = asked
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
            notes=() if records[0].media is None else records[0].media.notes,
            reused_tokens=sum(outcome.reused_tokens for outcome in outcomes),
        )


def _listed(values: Any) -> Any:
    """Pictures or clips as a list. One picture in a list's place stays what it is, for the schema to refuse."""
    single = isinstance(values, str | bytes | bytearray | Mapping | np.ndarray) or not isinstance(values, Iterable)
    return values if single else list(values)


def _in_request_order(question: Any, probabilities: np.ndarray) -> dict[str, float]:
    by_id = {option.option_id: float(p) for option, p in zip(question.options, probabilities, strict=True)}
    return {option_id: by_id[option_id] for option_id in question.request_order}
