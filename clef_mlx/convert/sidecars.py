"""Everything of an MLX folder that is no tensor: configs, index, the tokenizer's and processor's files, the licence."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clef_mlx.calibration import FILE as CALIBRATION
from clef_mlx.convert.names import stored_name
from clef_mlx.convert.recipes import Choice
from clef_mlx.convert.target import Shard, weight_map
from clef_mlx.weights.files import HEAD_CONFIG, HEAD_FILE, INDEX, ModelFolder
from clef_mlx.weights.hub import UNWANTED, WANTED
from clef_mlx.weights.provenance import RECORD
from clef_mlx.weights.quantize import Quantization

if TYPE_CHECKING:
    from clef_mlx.convert.job import Job

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # only writing fails so
REPORT = "conversion_report.json"
# Written anew, or true of the source alone.
OWN = ("config.json", INDEX, HEAD_CONFIG, RECORD, REPORT, "README.md", "mlx_decision.json", "train_config.json")
OWN += (CALIBRATION,)  # other bits, other probabilities
WORDS = {"F32": "float32", "BF16": "bfloat16", "F16": "float16"}
ARCHITECTURES = ["Qwen3_5ForConditionalGeneration"]
CHAT_TYPE, DECISION_TYPE = "qwen3_5", "clef"  # model_type of mlx-lm's backbone and of mlx-vlm's whole model


def sidecars(folder: Path) -> Iterator[Path]:
    """Files that are copied as they are. Never code, never pickles, never another folder's record."""
    for file in sorted(folder.iterdir()):
        name = file.name
        wanted = any(fnmatch(name, pattern) for pattern in WANTED if pattern != "*.safetensors")
        unwanted = name in OWN or name.startswith(".") or any(fnmatch(name, pattern) for pattern in UNWANTED)
        if wanted and not unwanted and file.is_file():
            yield file


def write_sidecars(job: Job, out: Path) -> None:
    """All but the record and the model card. config.json comes last: a folder without it is no model to anyone."""
    for file in sidecars(job.source.path):
        shutil.copyfile(file, out / file.name)
    write_json(out / HEAD_CONFIG, job.source.head_config)
    write_json(out / INDEX, _index(job.shards, job.vision))
    others = {
        item.recipe.module: item.quantization
        for shard in job.shards
        for item in shard.items
        if item.quantization is not None and item.recipe.module not in job.choice
    }
    quantization = quantization_json(job.choice, others)
    write_json(out / "config.json", config_json(job.source, quantization, job.dtype, job.vision))


def config_json(
    source: ModelFolder, quantization: Mapping[str, Any], dtype: str | None, vision: bool
) -> dict[str, Any]:
    """The source's config with what changed. mlx-vlm decides with a whole model, mlx-lm chats with the text alone."""
    changed = ("quantization", "quantization_config", "head_config", "model_type", "architectures")
    config = {key: value for key, value in source.config.items() if key not in changed}
    config["model_type"] = DECISION_TYPE if vision else CHAT_TYPE
    config["architectures"] = ARCHITECTURES  # some copies name one of their own
    config["head_config"] = source.head_config
    if quantization:
        config |= {"quantization": dict(quantization), "quantization_config": dict(quantization)}
    if dtype is not None:
        config["dtype"] = WORDS[dtype]
        config.pop("torch_dtype", None)
        if isinstance(text := config.get("text_config"), dict):
            config["text_config"] = {key: value for key, value in text.items() if key not in ("dtype", "torch_dtype")}
    return config


def quantization_json(choice: Choice, others: Mapping[str, Quantization]) -> dict[str, Any]:
    """`quantization` as mlx-lm and mlx-vlm read it: one setting for all, and one a module where they differ.

    `others` are quantized modules outside the text. Nothing at all where nothing is quantized.
    """
    settings = {module: setting for module, setting in choice.items() if setting is not None}
    kinds = list({**settings, **others}.values())
    if not kinds:
        return {}
    most = max(dict.fromkeys(kinds), key=kinds.count)
    if set(kinds) == {most} and len(settings) == len(choice):
        return words(most)
    modules = {stored_name(module): words(setting) if setting else False for module, setting in choice.items()}
    return words(most) | modules | {stored_name(module): words(setting) for module, setting in others.items()}


def words(setting: Quantization) -> dict[str, Any]:
    return {"group_size": setting.group_size, "bits": setting.bits, "mode": setting.mode}


def _index(shards: Sequence[Shard], vision: bool) -> dict[str, Any]:
    """mlx-vlm reads the files of the index, so the head is listed where it can decide; mlx-lm wants no head."""
    listed = [shard for shard in shards if vision or shard.name != HEAD_FILE]
    total = sum(shard.nbytes for shard in listed)
    return {"metadata": {"total_size": total, "format": "mlx"}, "weight_map": dict(sorted(weight_map(listed).items()))}


def write_json(path: Path, value: Any) -> None:
    """In place of what was there, in one step."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
