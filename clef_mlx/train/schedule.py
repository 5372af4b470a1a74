"""Step -> learning rate, and parameters -> groups of one: the optimizer's plan."""

from __future__ import annotations

import math

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.optimizers as optimizers
from mlx.utils import tree_flatten, tree_unflatten

from clef_mlx.train.settings import TrainSettings

FINAL_SHARE = 0.1  # of the learning rate, at the last step


def rate_share(step: int, steps: int, warmup: float) -> float:
    """Share of the peak learning rate for step 0 to steps - 1: up in a line, then down along a cosine."""
    rising = max(1, round(steps * warmup))
    if step < rising:
        return (step + 1) / rising
    done = (step - rising) / max(1, steps - rising)
    return FINAL_SHARE + (1.0 - FINAL_SHARE) * 0.5 * (1.0 + math.cos(math.pi * done))


class Optimizer:
    """AdamW in four groups: backbone and head at their own rates, matrices with weight decay and vectors without."""

    def __init__(self, settings: TrainSettings, steps: int) -> None:
        self._settings = settings
        self._steps = steps
        self._peaks = (
            settings.head_learning_rate,
            settings.head_learning_rate,
            settings.learning_rate,
            settings.learning_rate,
        )
        decays = (settings.weight_decay, 0.0, settings.weight_decay, 0.0)
        self._groups = optimizers.MultiOptimizer(
            [
                optimizers.AdamW(peak, betas=[0.9, 0.98], weight_decay=decay, bias_correction=True)
                for peak, decay in zip(self._peaks, decays, strict=True)
            ],
            [
                lambda name, value: name.startswith("head.") and value.ndim > 1,
                lambda name, value: name.startswith("head."),
                lambda name, value: value.ndim > 1,
            ],
        )

    def init(self, parameters: dict) -> None:
        self._groups.init(parameters)

    @property
    def state(self) -> dict:
        return self._groups.state

    @state.setter
    def state(self, state: dict) -> None:
        self._groups.state = state

    def step(self, number: int, gradients: dict, parameters: dict) -> dict:
        """New parameters after step `number`; nothing is evaluated."""
        share = rate_share(number, self._steps, self._settings.warmup)
        for group, peak in zip(self._groups.optimizers, self._peaks, strict=True):
            group.learning_rate = mx.array(peak * share)
        gradients, _ = optimizers.clip_grad_norm(gradients, self._settings.clip)
        updated = dict(tree_flatten(self._groups.apply_gradients(gradients, parameters)))
        # MLX merges the groups through sets, whose order is another in each process; sums and exchanges follow it.
        return tree_unflatten([(name, updated[name]) for name, _ in tree_flatten(parameters)])
