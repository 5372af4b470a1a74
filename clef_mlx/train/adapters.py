"""A loaded model -> the same model with what is to be trained: LoRA beside its linear layers and its head, or all.

Training is in float32. What stays frozen keeps its bits, quantized modules included.
"""

from __future__ import annotations

import math
import re
import zlib

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_unflatten

from clef_mlx.errors import AdapterError
from clef_mlx.model.clef import ClefModel
from clef_mlx.strict_json import show
from clef_mlx.train.settings import TrainSettings

LINEAR = (nn.Linear, nn.QuantizedLinear)
QUANTIZED = (nn.QuantizedLinear, nn.QuantizedEmbedding)


class LoraLinear(nn.Module):
    """base(x) + scale B (A x). A [rank, in] and B [out, rank] are float32, and so is what is added.

    Source: peft `lora.Linear`, whose start this is too: A uniform within 1 / sqrt(in), B zero.
    """

    def __init__(self, base: nn.Linear | nn.QuantizedLinear, name: str, settings: TrainSettings) -> None:
        super().__init__()
        self.base = base
        self.scale = settings.alpha / settings.rank
        out, width = _shape(base)
        random = np.random.default_rng([settings.seed, zlib.crc32(name.encode())])
        bound = 1.0 / math.sqrt(width)
        self.lora_a = mx.array(random.uniform(-bound, bound, (settings.rank, width)).astype(np.float32))
        self.lora_b = mx.zeros((out, settings.rank))

    def __call__(self, x: mx.array) -> mx.array:
        """x [..., in] -> [..., out] in the dtype that the base gives."""
        out = self.base(x)
        beside = (x.astype(mx.float32) @ self.lora_a.T) @ self.lora_b.T
        return out + (self.scale * beside).astype(out.dtype)


def prepare(model: ClefModel, settings: TrainSettings) -> list[str]:
    """Leave trainable what `settings` train, and nothing else; return the names of the modules that got LoRA.

    Raises AdapterError where a target names no module, or where a quantized model is to be trained as a whole.
    """
    model.activations = model.dtype  # before the head is widened
    model.freeze()
    attached = [] if settings.full else attach_lora(model, settings)
    if settings.full:
        _unfreeze_all(model)
    elif not settings.freeze_head:
        model.head.set_dtype(mx.float32)
        model.head.unfreeze()
    return attached


def attach_lora(model: ClefModel, settings: TrainSettings) -> list[str]:
    """Put LoRA beside the linear layers that `settings.targets` select, all where they select none."""
    layers = {
        name: module
        for name, module in model.named_modules()
        if name.startswith("language_model.layers.") and isinstance(module, LINEAR)
    }
    chosen = _chosen(list(layers), settings.targets)
    pairs = [(name, LoraLinear(layers[name], name, settings)) for name in chosen]
    model.update_modules(tree_unflatten(pairs))
    for _, module in pairs:
        module.freeze()
        module.unfreeze(keys=["lora_a", "lora_b"], recurse=False)
    return chosen


def lora_modules(model: ClefModel) -> list[tuple[str, LoraLinear]]:
    """Every attached pair by its module's name, in the names' order."""
    found = [(name, module) for name, module in model.named_modules() if isinstance(module, LoraLinear)]
    return sorted(found, key=lambda item: item[0])


def _unfreeze_all(model: ClefModel) -> None:
    if any(isinstance(module, QUANTIZED) for module in model.modules()):
        raise AdapterError(
            "model: must hold unquantized weights to be trained as a whole, got quantized ones. "
            "Train an adapter instead (without --full), or take the release it was made from."
        )
    model.set_dtype(mx.float32)
    model.activations = mx.float32
    model.unfreeze()
    if model.config.text.tie_word_embeddings:
        model.lm_head.freeze()  # its rows are the embedding's, which is trained


def _chosen(names: list[str], targets: tuple[str, ...] | str) -> list[str]:
    """A string is a pattern for whole names, ours or transformers'; others are names or ends of names."""
    if isinstance(targets, str):
        try:
            pattern = re.compile(targets)
        except re.error as error:
            raise AdapterError(f"targets: {show(targets)} is no pattern: {error}.") from None
        chosen = [name for name in names if pattern.fullmatch(name) or pattern.fullmatch(f"model.{name}")]
        if not chosen:
            raise _nothing(targets, names)
        return sorted(chosen)
    for target in targets:
        if not any(_ends(name, target) for name in names):
            raise _nothing(target, names)
    return sorted(name for name in names if not targets or any(_ends(name, target) for target in targets))


def _ends(name: str, target: str) -> bool:
    return name == target or name.endswith(f".{target}")


def _nothing(target: str, names: list[str]) -> AdapterError:
    ends = ", ".join(sorted({name.rpartition(".")[2] for name in names}))
    return AdapterError(f"targets: must name linear layers of the text backbone ({ends}), got {show(target)}.")


def _shape(base: nn.Linear | nn.QuantizedLinear) -> tuple[int, int]:
    """(out, in), also of a packed matrix."""
    out, width = base.weight.shape
    return (out, width * 32 // base.bits) if isinstance(base, nn.QuantizedLinear) else (out, width)
