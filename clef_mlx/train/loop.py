"""Examples -> trained parameters: steps, validation, the best so far, and a state to resume from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_map, tree_unflatten

from clef_mlx.engine.thread import stop_if_abandoned
from clef_mlx.errors import ModelFault
from clef_mlx.model.clef import ClefModel
from clef_mlx.train.batches import Example, collate, split
from clef_mlx.train.examples import Examples
from clef_mlx.train.forward import differentiable
from clef_mlx.train.losses import LossWeights, Tally
from clef_mlx.train.schedule import Optimizer
from clef_mlx.train.settings import TrainSettings
from clef_mlx.train.step import count_step, gradient_step, summed

LOWER = "Lower the learning rate."
VALIDATIONS = 20  # in all, where the settings name no interval


class Score(NamedTuple):
    """Means over labelled questions: loss, cross-entropy in nats, share of right answers."""

    loss: float
    cross_entropy: float
    accuracy: float

    @classmethod
    def of(cls, counted: Tally) -> Score:
        loss, cross_entropy, right, questions = (part.item() for part in counted)
        questions = max(questions, 1.0)
        return cls(loss / questions, cross_entropy / questions, right / questions)


class Report(NamedTuple):
    """A finished step. `tokens` of this step are real ones, of all processes; `valid` where it was validated."""

    step: int
    steps: int
    score: Score
    tokens: int
    seconds: float
    valid: Score | None


@dataclass
class Run:
    """Where a run stands: everything that resuming needs. `step` counts finished steps."""

    parameters: dict[str, Any]
    optimizer: Optimizer
    step: int = 0
    best: dict[str, Any] | None = None
    best_score: Score | None = None
    history: list[dict[str, Any]] = field(default_factory=list)


class Trainer:
    """Trains what the model leaves trainable. `group` are the processes that share each step, None alone."""

    def __init__(
        self,
        model: ClefModel,
        train: Examples,
        valid: Examples,
        settings: TrainSettings,
        *,
        pad_token_id: int,
        group: mx.distributed.Group | None = None,
    ) -> None:
        self.model, self.train, self.valid, self.settings = model, train, valid, settings
        self._pad = pad_token_id
        self._group = group
        self._rank, self._ways = (0, 1) if group is None else (group.rank(), group.size())
        self._per_epoch = -(-len(train) // settings.batch_size)
        self.steps = settings.epochs * self._per_epoch
        weights = LossWeights(settings.smoothing, settings.brier, settings.ordinal)
        self._gradients = gradient_step(model, weights, checkpoint=settings.checkpoint_layers)
        self._counts = count_step(model, weights)

    def start(self) -> Run:
        """A run before its first step."""
        parameters = self.model.trainable_parameters()
        optimizer = Optimizer(self.settings, self.steps)
        optimizer.init(parameters)
        return Run(parameters, optimizer)

    def measure(self, run: Run) -> Score | None:
        """Validate as the run stands: before its first step, what there is to gain. None without examples for it."""
        with differentiable():
            return self._validate(run)

    def fit(self, run: Run, save: Callable[[Run], None]) -> Iterator[Report]:
        """Take the steps that are left; `save` is called with the run every so often. Then the model holds the best."""
        every = self.settings.validate_every or max(1, -(-self.steps // VALIDATIONS))
        saving = self.settings.checkpoint_every or every
        with differentiable():
            while run.step < self.steps:
                begin = time.perf_counter()
                score, tokens = self._step(run)
                last = run.step == self.steps
                valid = self._validate(run) if run.step % every == 0 or last else None
                if run.step % saving == 0 and not last:
                    save(run)
                yield Report(run.step, self.steps, score, tokens, time.perf_counter() - begin, valid)
        kept = run.parameters if run.best is None else run.best
        if not all(
            mx.isfinite(value).all().item() for _, value in tree_flatten(kept)
        ):  # no loss has seen the last ones
            raise ModelFault(f"step {run.step}: weights must be finite, got others. {LOWER}")
        self.model.update(kept)

    def _step(self, run: Run) -> tuple[Score, int]:
        epoch, place = divmod(run.step, self._per_epoch)
        size = self.settings.batch_size
        chosen = self.train.order(epoch)[place * size : (place + 1) * size]
        examples = [self.train.drawn(index, epoch) for index in chosen]
        shares = split(examples, self.settings.batch_tokens, self._ways)
        batches = [collate(batch, self._pad) for batch in shares[self._rank]]
        counted, gradients = summed(self._gradients, run.parameters, batches)
        if self._group is not None:
            counted, gradients = self._added(counted, gradients)
        score = Score.of(counted)
        if not score.loss < float("inf"):
            raise ModelFault(f"step {run.step + 1}: loss must be finite, got {score.loss}. {LOWER}")
        gradients = tree_map(lambda gradient: gradient / mx.maximum(counted.questions, 1.0), gradients)
        run.parameters = run.optimizer.step(run.step, gradients, run.parameters)
        mx.eval(run.parameters, run.optimizer.state)
        run.step += 1
        return score, sum(len(example.record.input_ids) for example in examples)

    def _added(self, counted: Tally, gradients: dict) -> tuple[Tally, dict]:
        """Sums over all processes, by one exchange."""
        parts = tree_flatten(gradients)
        values = [*counted, *(value for _, value in parts)]
        flat = mx.concatenate([value.astype(mx.float32).reshape(-1) for value in values])
        summed_up = mx.distributed.all_sum(flat, group=self._group)
        mx.eval(summed_up)
        ends = np.cumsum([value.size for value in values])[:-1].tolist()
        whole = [part.reshape(value.shape) for part, value in zip(mx.split(summed_up, ends), values, strict=True)]
        count = len(Tally._fields)
        names = [name for name, _ in parts]
        return Tally(*whole[:count]), tree_unflatten(list(zip(names, whole[count:], strict=True)))

    def _validate(self, run: Run) -> Score | None:
        """Count over the validation examples; keep the parameters if they are the best so far."""
        if not len(self.valid):
            return None
        size = 8 * self.settings.batch_size
        total = Tally(*(mx.array(0.0) for _ in Tally._fields))
        for start in range(0, len(self.valid), size):
            stop_if_abandoned()
            chosen: list[Example] = [self.valid.plain(i) for i in range(start, min(start + size, len(self.valid)))]
            for batch in split(chosen, self.settings.batch_tokens, self._ways)[self._rank]:
                counted = self._counts(run.parameters, *collate(batch, self._pad))
                total = Tally(*(a + b for a, b in zip(total, counted, strict=True)))
                mx.eval(total)
        if self._group is not None:
            total, _ = self._added(total, {})
        score = Score.of(total)
        if not score.loss < float("inf"):
            raise ModelFault(f"step {run.step}: loss of held-out requests must be finite, got {score.loss}. {LOWER}")
        if run.best_score is None or score.cross_entropy < run.best_score.cross_entropy:
            run.best, run.best_score = run.parameters, score
        run.history.append({"step": run.step, **score._asdict()})
        return score
