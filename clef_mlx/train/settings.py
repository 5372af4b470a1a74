"""What a training run is asked to do; written beside its result as train_config.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class TrainSettings:
    """`full` trains every weight of an unquantized model; otherwise LoRA of `rank`, scaled by `alpha / rank`, on the
    linear layers of the text backbone that `targets` (suffixes of module names, or one regular expression) select.

    The head is trained beside it in float32 unless `freeze_head`. Learning rates rise over the first `warmup` share of
    the steps and fall to a tenth along a cosine. A step takes `batch_size` requests, in batches of up to
    `batch_tokens` padded tokens, whose gradients add up. `smoothing`, `brier`, `ordinal` weigh the loss; `rename`,
    `drop_descriptions` and `shuffle` are the chances that ids are renamed, descriptions dropped, questions shuffled.
    Everything random follows from `seed`.
    """

    full: bool = False
    rank: int = 16
    alpha: float = 32.0
    targets: tuple[str, ...] | str = ()
    freeze_head: bool = False
    learning_rate: float = 2e-4
    head_learning_rate: float = 1e-4
    weight_decay: float = 0.01
    warmup: float = 0.05
    clip: float = 1.0
    epochs: int = 1
    batch_size: int = 32
    batch_tokens: int = 4096
    validate_every: int = 0  # steps; 0: about twenty times in all
    checkpoint_every: int = 0  # steps between resumable checkpoints; 0: as often as validation
    checkpoint_layers: bool = False  # compute activations again instead of keeping them
    smoothing: float = 0.02
    brier: float = 0.5
    ordinal: float = 0.5
    rename: float = 0.15
    drop_descriptions: float = 0.15
    shuffle: float = 1.0
    max_length: int = 4096
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
