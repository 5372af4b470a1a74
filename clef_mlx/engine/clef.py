"""The public face: a loaded release that decides requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from clef_mlx.blas import release_heap  # first: OpenBLAS must be in place before MLX

# isort: split
import mlx.core as mx
import numpy as np

from clef_mlx.engine import thread
from clef_mlx.engine.awaited import Awaited
from clef_mlx.engine.batching import windows
from clef_mlx.engine.budget import Memory
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.options import Limits, Options
from clef_mlx.engine.records import Encoder
from clef_mlx.engine.records import Prepared as Prepared
from clef_mlx.engine.runner import Outcome, Runner
from clef_mlx.engine.stream import BATCH_TOKENS, decide_all, decide_stream, decision
from clef_mlx.errors import ClefError, RequestError
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import Request, parse_request
from clef_mlx.strict_json import show
from clef_mlx.tokenizer import ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.adapters.spec import AdapterSpec, Given, adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.fingerprint import fingerprint
from clef_mlx.weights.hub import default_model, known_as, resolve
from clef_mlx.weights.load import load_release


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
    return Clef(
        folder, name=known_as(asked), dtype=dtype, options=defaults, limits=limits, adapters=specs, base_head=base_head
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
        self._parts = tuple(adapters), base_head
        read_folder(folder)  # says what is wrong with a folder as a whole, before any one of its files
        tokenizer = ReleaseTokenizer.from_folder(folder)
        self._release = thread.run(
            load_release,
            folder,
            adapters=adapters,
            base_head=base_head,
            dtype=dtype,
            memory_bytes=limits.memory_bytes,
            between=thread.stop_if_abandoned,
        )
        check_vocabulary(tokenizer, self._release.config.text.vocab_size)
        self._encoder = Encoder(self._release.info.folder, tokenizer, self._release.vision, adapted=bool(adapters))
        if options.calibrated:
            _ = self._encoder.calibration  # what is wrong with it is said now
        self._runner: Runner | None = thread.run(Runner.start, self._release, tokenizer.pad_token_id, limits)
        self._awaited = Awaited()

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

    def fingerprint(self) -> str:
        """A hash of what decides here: weights, tokenizer, adapters, head. Equal on every machine."""
        self._open()
        adapters, base_head = self._parts
        folders = [self._release.info.folder, *(spec.folder for spec in adapters)]
        return fingerprint(folders, [str(base_head), *(f"{spec.weight!r}" for spec in adapters)])

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
        return self._decide(_request(state, questions, images, videos, media_kwargs), self.options.with_(**options))

    async def adecide(
        self,
        state: Any,
        questions: Mapping[str, Mapping[str, Any]],
        images: Sequence[Any] = (),
        videos: Sequence[Any] = (),
        media_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Decision:
        """`decide` for async programs, whatever their event loop: what is awaited at the same time is decided together.

        Cancelling the await drops the request: one that waits is not begun, one in work is not heard of again.
        """
        request, chosen = _request(state, questions, images, videos, media_kwargs), self.options.with_(**options)
        return await self._awaited.decide(self, request, chosen)

    def systemone(self, request: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Answer a System One request body with a response body. Source: joint_schema_model.py `systemone`."""
        return self._decide(parse_request(request), self.options.with_(**options)).to_dict()

    def decide_many(
        self,
        requests: Iterable[Mapping[str, Any] | ClefError],
        *,
        batch_tokens: int | None = None,
        window: int | None = None,
        progress: Callable[[int], None] | None = None,
        **options: Any,
    ) -> Iterator[Decision | ClefError]:
        """Decide a stream of request bodies in batches of up to `batch_tokens` padded tokens, in request order.

        Requests of one state take it in once, wherever they stand among the next 128. States that pass in a batch with
        others are not kept for later; those that fill one alone are, as in `decide`. A request that cannot be decided
        yields its ClefError in its place; an error passed in as an item comes out unchanged. `window` requests are
        read before any of them is decided; None: few at first, so that the first answers come soon. `progress` is
        called with the number of requests done since the last call.
        """
        chosen = self.options.with_(**options)
        for name, value in (("batch_tokens", batch_tokens), ("window", window)):
            if value is not None and (type(value) is not int or value < 1):
                raise RequestError(f"{name}: must be a whole number >= 1, got {show(value)}.")
        return decide_stream(
            windows(requests) if window is None else windows(requests, window, window),
            lambda request: self.prepare(parse_request(request), chosen),
            partial(decide_all, self._open, self.name, batch_tokens=batch_tokens or BATCH_TOKENS),
            progress,
        )

    def prepare(self, request: Request, options: Options, *, allow_paths: bool = True) -> Prepared:
        """Encode a checked request, pictures and all, in the caller's thread. Raises RequestError, ContextLengthError.

        Without `allow_paths` it reads no files, as for requests from elsewhere.
        """
        if request.images or request.videos:
            self._open()
        return self._encoder.prepare(request, options, allow_paths)

    def decide_together(
        self, requests: Sequence[Prepared], *, batch_tokens: int = BATCH_TOKENS
    ) -> Iterator[dict[int, Decision | ClefError]]:
        """Decide requests in as few passes of the model as `batch_tokens` padded tokens allow, each by its own options.

        Yields what every pass finishes, by the index of the request. Between two passes the caller may stop.
        """
        return decide_all(self._open, self.name, dict(enumerate(requests)), batch_tokens)

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
        prepared = self.prepare(parsed, chosen.with_(round=None))
        (record,) = prepared.records
        logits = [np.array(question) for question in self.logits([record])[0]]
        decided = decision(self.name, prepared, [Outcome(logits)])
        return {
            "input_ids": list(record.input_ids),
            "question_spans": [list(question.question_span) for question in record.questions],
            "option_spans": [[list(span) for span in question.option_spans] for question in record.questions],
            "option_ids": [list(question.option_ids) for question in record.questions],
            "logits": [values.tolist() for values in logits],
            "probabilities": decided.probabilities,
            "answers": decided.answers,
            "usage": decided.usage,
            # As in an answer: a cut state or a shrunk picture is never silent.
            **({"x_truncated_tokens": record.truncated_tokens} if record.truncated_tokens else {}),
            **({"x_notes": list(decided.notes)} if decided.notes else {}),
            **({"x_calibration": decided.calibration} if decided.calibration else {}),
        }

    def _decide(self, request: Request, options: Options) -> Decision:
        asked = {0: self.prepare(request, options)}
        (outcome,) = (made[0] for made in decide_all(self._open, self.name, asked, BATCH_TOKENS) if made)
        if isinstance(outcome, ClefError):
            raise outcome
        return outcome

    def _open(self) -> Runner:
        if self._runner is None:
            raise ClefError(f"{self.name}: the model is closed. Load it again.")
        return self._runner


def _request(state: Any, questions: Any, images: Any, videos: Any, media_kwargs: Any) -> Request:
    """What `decide` was called with, checked."""
    request = {"state": state, "questions": questions, "images": _listed(images), "videos": _listed(videos)}
    request["media_kwargs"] = dict(media_kwargs) if isinstance(media_kwargs, Mapping) else media_kwargs
    return parse_request(request)


def _listed(values: Any) -> Any:
    """Pictures or clips as a list. One picture in a list's place stays what it is, for the schema to refuse."""
    single = isinstance(values, str | bytes | bytearray | Mapping | np.ndarray) or not isinstance(values, Iterable)
    return values if single else list(values)
