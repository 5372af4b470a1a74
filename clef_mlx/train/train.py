"""A model and labelled requests -> an adapter or a release that decides them better: the whole flow, once through."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from mlx.utils import tree_flatten

from clef_mlx.calibration import FILE as CALIBRATION
from clef_mlx.convert.sidecars import write_json
from clef_mlx.convert.staging import in_one_line, refuse_output
from clef_mlx.engine import ranks, thread
from clef_mlx.errors import CheckpointError
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.train import checkpoint
from clef_mlx.train.adapters import prepare
from clef_mlx.train.data import Data, fitting, read_data
from clef_mlx.train.examples import Examples
from clef_mlx.train.export import train_config, write_adapter, write_release
from clef_mlx.train.loop import Report, Run, Trainer
from clef_mlx.train.settings import TrainSettings
from clef_mlx.weights.adapters.head import TRAINING
from clef_mlx.weights.fingerprint import fingerprint
from clef_mlx.weights.hub import resolve
from clef_mlx.weights.load import LoadedRelease, load_release

LOG = "train_log.jsonl"


@dataclass(frozen=True)
class Watch:
    """Who is told how far it is: `note` a sentence, `begin` a phase of so many, `advance` in it by one, a `step`.

    All are called from any thread.
    """

    note: Callable[[str], None] = lambda text: None
    begin: Callable[[str, int], None] = lambda phase, total: None
    advance: Callable[[int], None] = lambda count: None
    step: Callable[[Report], None] = lambda report: None


@dataclass(frozen=True)
class Trained:
    """What a run made. Scores are None without requests to validate on; `tokens` and `seconds` are of this call."""

    out: Path
    model: str
    kind: str  # adapter | release
    modules: int  # that got LoRA
    parameters: int  # that were trained
    requests: int
    held_out: int
    too_long: int
    steps: int
    best_step: int
    first: dict[str, float] | None
    best: dict[str, float] | None
    tokens: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {"event": "trained", **asdict(self), "out": str(self.out)}


def train(
    files: Sequence[Path],
    model: str,
    out: Path,
    settings: TrainSettings,
    *,
    valid: Sequence[Path] = (),
    resume: bool = False,
    skip_long: bool = False,
    dtype: str | None = None,
    save_as: str = "bfloat16",
    group: mx.distributed.Group | None = None,
    watch: Watch | None = None,
) -> Trained:
    """Train and write `out`: an adapter with its head, or a release stored as `save_as` where `settings.full`.

    `group` are processes that share each step; only its first one writes. `dtype` is that of the frozen weights.
    Raises RequestError, CheckpointError, AdapterError, MemoryBudgetError, ModelFault; an interrupt leaves a run that
    `resume` goes on with.
    """
    watch = watch or Watch()
    folder = resolve(model)
    _refuse_output(folder, out, resume)
    data = read_data(files, valid)
    for sentence in data.warnings:
        watch.note(sentence)
    examples, held, too_long = _fitting(data, folder, settings, skip_long, watch)
    watch.begin("loading", 0)
    release = thread.run(load_release, folder, dtype=dtype, dequantize=False)
    about = {
        "model": model,
        "weights": fingerprint([folder], without=(CALIBRATION,)),
        "data": data.digest,
        "on_long": "skip" if skip_long else "refuse",
        "dtype": dtype,
        **settings.to_dict(),
    }
    job = _Job(release, model, folder, out, settings, data, about, save_as, group, watch)
    try:
        made = thread.run_to_end(job.run, examples, held, too_long, resume)
    except RuntimeError as error:
        raise error if group is None else ranks.lost(error) from error
    if made.best_step == 0:
        watch.note("no step decided better than the model as it was. More requests or another learning rate may help.")
    return made


def _refuse_output(folder: Path, out: Path, resume: bool) -> None:
    if not resume:
        if checkpoint.unfinished(out):
            raise CheckpointError(f"{out}: holds a run that is not done. Go on with --resume, or name another folder.")
        refuse_output(folder, out, force=None, ours=(LOG,))  # killed before its first checkpoint, a run leaves its log
    elif not checkpoint.unfinished(out):
        done = (out / TRAINING).is_file()
        what = "holds a run that is done already" if done else "holds no run to go on with"
        stopped = not done and (out / LOG).is_file()
        advice = "Leave --resume out" if stopped else "Leave --resume out, and name a new folder"
        raise CheckpointError(f"{out}: {what}. {advice}.")


def _fitting(
    data: Data, folder: Path, settings: TrainSettings, skip: bool, watch: Watch
) -> tuple[Examples, Examples, int]:
    tokenizer = ReleaseTokenizer.from_folder(folder)
    watch.begin("encoding", len(data.train) + len(data.valid))

    def tick() -> None:
        watch.advance(1)

    examples, long = fitting(data.train, tokenizer, settings, skip=skip, tick=tick)
    held, long_held = fitting(data.valid, tokenizer, settings, skip=skip, tick=tick)
    if long or long_held:
        watch.note(f"left out as longer than {settings.max_length} tokens: {long + long_held:,} of the lines.")
    return examples, held, long + long_held


@dataclass
class _Job:
    """One run, in MLX's thread."""

    release: LoadedRelease
    model: str
    folder: Path
    out: Path
    settings: TrainSettings
    data: Data
    about: dict[str, Any]  # what must be the same for a run to go on
    save_as: str
    group: mx.distributed.Group | None
    watch: Watch

    @property
    def first(self) -> bool:
        return self.group is None or self.group.rank() == 0

    def run(self, examples: Examples, held: Examples, too_long: int, resume: bool) -> Trained:
        began = time.monotonic()
        model = self.release.model
        attached = prepare(model, self.settings)
        pad = ReleaseTokenizer.from_folder(self.folder).pad_token_id
        trainer = Trainer(model, examples, held, self.settings, pad_token_id=pad, group=self.group)
        run = trainer.start()
        if resume:
            checkpoint.restore(run, self.out, self.about)
        tokens = self._fit(trainer, run)
        if self.first:
            self._write(run, len(examples), len(held))
        return Trained(
            out=self.out,
            model=self.model,
            kind="release" if self.settings.full else "adapter",
            modules=len(attached),
            parameters=sum(value.size for _, value in tree_flatten(model.trainable_parameters())),
            requests=len(examples),
            held_out=len(held),
            too_long=too_long,
            steps=trainer.steps,
            best_step=_best_step(run, trainer.steps),
            first=run.history[0] if run.history else None,
            best=run.best_score and run.best_score._asdict(),
            tokens=tokens,
            seconds=time.monotonic() - began,
        )

    def _fit(self, trainer: Trainer, run: Run) -> int:
        tokens = 0
        if run.step == 0:
            trainer.measure(run)
        with self._log(run.step) as log:
            for report in trainer.fit(run, self._save):
                tokens += report.tokens
                log(report)
                self.watch.step(report)
                try:
                    thread.stop_if_abandoned()
                except thread.Abandoned:
                    self._save(run)
                    raise
        return tokens

    def _save(self, run: Run) -> None:
        if self.first:
            checkpoint.save(run, self.out, self.about)

    @contextmanager
    def _log(self, step: int) -> Iterator[Callable[[Report], None]]:
        """A line a step, behind those up to the step that the run goes on from."""
        if not self.first:
            yield lambda report: None
            return
        with in_one_line(self.out, lambda: checkpoint.left(self.out)):
            self.out.mkdir(parents=True, exist_ok=True)
            path = self.out / LOG
            earlier = path.read_text().splitlines()[:step] if path.is_file() else []
            with path.open("w", buffering=1) as file:
                file.writelines(f"{line}\n" for line in earlier)
                yield lambda report: print(json.dumps(_logged(report)), file=file)

    def _write(self, run: Run, requests: int, held_out: int) -> None:
        record = {
            "data": {"requests": requests, "held_out": held_out, "sha256": self.data.digest},
            "result": {"best": run.best_score and run.best_score._asdict(), "history": run.history},
        }
        base = self.release.info.source or self.model
        model, settings = self.release.model, self.settings
        if settings.full:
            write_release(model, self.folder, self.out, dtype=self.save_as)
            with in_one_line(self.out, lambda: checkpoint.left(self.out)):
                write_json(self.out / TRAINING, train_config(settings, base, record))
        else:
            write_adapter(model, self.out, settings=settings, base=base, base_folder=self.folder, record=record)
        rmtree(self.out / checkpoint.FOLDER, ignore_errors=True)


def _best_step(run: Run, steps: int) -> int:
    if not run.history:
        return steps
    return min(run.history, key=lambda row: row["cross_entropy"])["step"]


def _logged(report: Report) -> dict[str, Any]:
    row = {"step": report.step, **report.score._asdict(), "tokens": report.tokens, "seconds": round(report.seconds, 4)}
    return row | ({"valid": report.valid._asdict()} if report.valid else {})
