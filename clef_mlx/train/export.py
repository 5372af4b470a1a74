"""What training changed -> files: a whole release, or an adapter in PEFT's format with the head trained beside it.

The same parameters give the same bytes. Files get their names when all of them are written, the one that makes the
folder a model last.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from clef_mlx.config import VisionConfig
from clef_mlx.convert.sidecars import sidecars, write_json
from clef_mlx.convert.staging import in_one_line, refuse_overlap
from clef_mlx.convert.target import Tensor
from clef_mlx.convert.write import ShardFile
from clef_mlx.model.clef import ClefModel
from clef_mlx.train import checkpoint
from clef_mlx.train.adapters import lora_modules
from clef_mlx.train.settings import TrainSettings
from clef_mlx.weights.adapters.adapters import Adapters
from clef_mlx.weights.adapters.head import TRAINING
from clef_mlx.weights.adapters.peft import WEIGHTS
from clef_mlx.weights.adapters.spec import CONFIG
from clef_mlx.weights.files import HEAD_CONFIG, HEAD_FILE, read_folder
from clef_mlx.weights.layouts import CONV, NEVER_NARROWED, ZERO_CENTRED_NORM
from clef_mlx.weights.load import plan_folder
from clef_mlx.weights.precision import Precision
from clef_mlx.weights.reading import DTYPES, Reader, make
from clef_mlx.weights.refusals import read_json
from clef_mlx.weights.vision import PATCHES, tower_recipes, vision_config

PEFT_STEM = "base_model.model.model."  # PEFT's wrapper, transformers' wrapper, then our names
DRAFT = ".unfinished"
UNTRAINED = "RANDOM_WEIGHTS.txt"  # the notice of a random release, no longer true
CONVERTED = ("head_config", "quantization", "quantization_config", "torch_dtype")  # true of MLX folders alone
WORDS = {mx.float32: "F32", mx.bfloat16: "BF16"}
Tensors = dict[str, mx.array]


def write_release(model: ClefModel, source: Path, out: Path, *, dtype: str) -> None:
    """Write the whole model in the publisher's layout: matrices as `dtype`, float32 or bfloat16.

    `source` gives the configs, the tokenizer's files, and the vision tower if its weights have one. A_log and dt_bias
    stay float32. Raises CheckpointError, one line, where the disk refuses; then `out` is no model.
    """
    refuse_overlap(source, out)
    config, head_config = read_json(source / "config.json"), _head_config(source)
    backbone, head = _release_tensors(model, DTYPES[dtype])
    backbone |= _vision(source, dtype)

    def write(folder: Path) -> None:
        _save(folder / "model.safetensors", backbone)
        _save(folder / HEAD_FILE, head)
        for file in sidecars(source):
            if file.name != UNTRAINED:
                shutil.copyfile(file, folder / file.name)
        write_json(folder / HEAD_CONFIG, head_config)
        write_json(folder / "config.json", _release_config(config, dtype))

    _publish(out, write, last="config.json")


def write_adapter(
    model: ClefModel, out: Path, *, settings: TrainSettings, base: str, base_folder: Path, record: Mapping[str, Any]
) -> None:
    """Write `adapter/`, and beside it the trained head and train_config.json, which holds `record` too.

    `base` is what the adapter's config calls the model it was trained on. A frozen head is not written: the base has
    it. Raises CheckpointError, one line, where the disk refuses.
    """
    pairs: Tensors = {}
    for name, module in lora_modules(model):
        pairs[f"{PEFT_STEM}{name}.lora_A.weight"] = module.lora_a
        pairs[f"{PEFT_STEM}{name}.lora_B.weight"] = module.lora_b
    names = [name for name, _ in lora_modules(model)]
    head = {} if settings.freeze_head else _named(model.head, "", mx.float32)
    head_config = _head_config(base_folder)

    def write(folder: Path) -> None:
        (folder / "adapter").mkdir()
        _save(folder / "adapter" / WEIGHTS, pairs)
        write_json(folder / "adapter" / CONFIG, _peft_config(settings, base, names))
        if head:
            _save(folder / HEAD_FILE, head)
            write_json(folder / HEAD_CONFIG, head_config)
        write_json(folder / TRAINING, train_config(settings, base, record))

    _publish(out, write, last=TRAINING)


def train_config(settings: TrainSettings, base: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """As clef-finetune keeps it where both know a thing: the model's name, whether the head was trained."""
    train = settings.to_dict() | {"train_head": not settings.freeze_head}
    return {"model": {"path": base}, "train": train, **record}


def _release_tensors(model: ClefModel, dtype: mx.Dtype) -> tuple[Tensors, Tensors]:
    backbone = _named(model.language_model, "language_model.", dtype)
    if not model.config.text.tie_word_embeddings:
        backbone |= _named(model.lm_head, "lm_head.", dtype)
    return backbone, _named(model.head, "", dtype)


def _named(module: Any, prefix: str, dtype: mx.Dtype) -> Tensors:
    """A part's parameters under the release's names and in its arithmetic."""
    return dict(_released(prefix + name, value, dtype) for name, value in tree_flatten(module.parameters()))


def _released(name: str, value: mx.array, dtype: mx.Dtype) -> tuple[str, mx.array]:
    value = value.astype(mx.float32)
    if ZERO_CENTRED_NORM.fullmatch(name):
        value = value - 1.0
    elif CONV.fullmatch(name):
        value = mx.contiguous(value.swapaxes(1, 2))
    stored = f"model.{name}" if name.startswith("language_model.") else name
    return stored, value if NEVER_NARROWED.fullmatch(name) else value.astype(dtype)


def _vision(source: Path, dtype: str) -> Tensors:
    """The source's tower, nothing where it has no weights at all or none of a tower."""
    if not any(file.suffix == ".safetensors" for file in source.iterdir()):
        return {}
    folder = read_folder(source)
    release, _, plan = plan_folder(folder)
    if not plan.vision:
        return {}
    facts, reader, precision = vision_config(release), Reader(), Precision(dtype, dequantize=True)
    recipes = tower_recipes(plan.vision, facts, source.name)
    made = dict(item for recipe in recipes.values() for item in make(recipe, precision, Adapters(), reader))
    made[PATCHES] = made[PATCHES].reshape(-1, *_patch(facts))
    return {f"model.{name}": value.astype(DTYPES[dtype]) for name, value in made.items()}


def _patch(facts: VisionConfig) -> tuple[int, ...]:
    return facts.in_channels, facts.temporal_patch_size, facts.patch_size, facts.patch_size


def _head_config(source: Path) -> dict[str, Any]:
    """The head's facts have a file of their own, or a place in the config of an MLX folder."""
    if (source / HEAD_CONFIG).is_file():
        return read_json(source / HEAD_CONFIG)
    return read_json(source / "config.json")["head_config"]


def _release_config(config: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    written = {key: value for key, value in config.items() if key not in CONVERTED}
    written |= {"architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5", "dtype": dtype}
    if isinstance(text := config.get("text_config"), dict):
        written["text_config"] = {key: value for key, value in text.items() if key not in ("dtype", "torch_dtype")}
    return written


def _peft_config(settings: TrainSettings, base: str, modules: Sequence[str]) -> dict[str, Any]:
    """PEFT's own fields. The targets are spelt out, since mere endings would also match the vision tower's modules."""
    ends = sorted(name.partition("layers.")[2] for name in modules)
    return {
        "base_model_name_or_path": base,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "init_lora_weights": True,
        "lora_alpha": settings.alpha,
        "lora_dropout": 0.0,
        "modules_to_save": None,
        "peft_type": "LORA",
        "r": settings.rank,
        "target_modules": rf".*language_model\.layers\.(?:{'|'.join(map(re.escape, ends))})",
        "task_type": None,
        "use_dora": False,
        "use_rslora": False,
    }


def _save(path: Path, tensors: Tensors) -> None:
    headers = [Tensor(name, WORDS[value.dtype], tuple(value.shape)) for name, value in sorted(tensors.items())]
    with ShardFile(path, headers, form="pt") as file:
        for name, value in tensors.items():
            file.write(name, 0, np.array(mx.contiguous(value).reshape(-1).view(mx.uint8)))


def _publish(out: Path, write: Callable[[Path], None], *, last: str) -> None:
    """Let `write` fill a folder inside `out`, then move what it wrote into place; `last` tells that all is there."""
    with in_one_line(out, lambda: checkpoint.left(out)):
        draft = out / DRAFT
        shutil.rmtree(draft, ignore_errors=True)
        try:
            draft.mkdir(parents=True)
            write(draft)
            (out / last).unlink(missing_ok=True)
            for entry in _ordered(draft, last):
                if (there := out / entry.name).is_dir():
                    shutil.rmtree(there)
                entry.replace(there)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _ordered(draft: Path, last: str) -> Iterator[Path]:
    yield from sorted(entry for entry in draft.iterdir() if entry.name != last)
    yield draft / last
