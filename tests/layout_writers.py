"""Writes the layouts B to I from a published one (A), for tests. Names and shapes as REFERENCE section 4 has them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.record import EncodedQuestion, EncodedRecord, Span

Tensors = dict[str, mx.array]
NORMS = ("input_layernorm.weight", "post_attention_layernorm.weight", "q_norm.weight", "k_norm.weight")


def read_json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2))


def read_backbone(folder: Path) -> Tensors:
    tensors: Tensors = {}
    for file in sorted(folder.glob("model*.safetensors")):
        tensors |= mx.load(str(file))
    return tensors


def read_head(folder: Path) -> Tensors:
    return mx.load(str(folder / "joint_head.safetensors"))


def save(path: Path, tensors: Tensors, writer: str = "mlx") -> None:
    mx.save_safetensors(str(path), tensors, metadata={"format": writer})


def mlx_tensors(release: Tensors, text: str = "language_model.model.", lm_head: str = "language_model.") -> Tensors:
    """What an MLX converter stores: gains of norms, taps before channels, its own names."""
    converted = {}
    for name, value in release.items():
        if name.endswith("conv1d.weight"):
            value = value.swapaxes(1, 2)
        elif name.endswith(NORMS) or name == "model.language_model.norm.weight":
            value = value + 1.0
        elif name.endswith("patch_embed.proj.weight"):
            value = value.transpose(0, 2, 3, 4, 1)
        name = name.replace("model.language_model.", text).replace("model.visual.", "vision_tower.")
        converted[f"{lm_head}{name}" if name.startswith("lm_head.") else name] = value
    return converted


def text_only(tensors: Tensors) -> Tensors:
    return {name: value for name, value in tensors.items() if not name.startswith("vision_tower.")}


def quantized(tensors: Tensors, settings: Callable[[str], Mapping[str, Any] | None]) -> Tensors:
    """`settings` gives mode, bits and group_size of a module by its stored name, or None to leave it."""
    result: Tensors = {}
    for name, value in tensors.items():
        module = name.removesuffix(".weight")
        matrix = name.endswith(".weight") and value.ndim == 2 and "norm" not in name
        if not matrix or (setting := settings(module)) is None:
            result[name] = value
            continue
        parts = mx.quantize(value, setting["group_size"], setting["bits"], mode=setting.get("mode", "affine"))
        for leaf, part in zip(("weight", "scales", "biases"), parts, strict=False):
            result[f"{module}.{leaf}"] = part
    return result


def everything_in_text(setting: Mapping[str, Any]) -> Callable[[str], Mapping[str, Any] | None]:
    return lambda module: None if module.startswith("vision_tower.") else setting


def split_head(head: Tensors) -> Tensors:
    """mlx-vlm's names: q, k and v apart, linear layers counted without what lies between."""
    result: Tensors = {}
    for name, value in head.items():
        name = re.sub(r"(feedforward|residual_scorer)\.3\.", r"\1.1.", f"head.{name}")
        if match := re.fullmatch(r"(.+)\.in_proj_(weight|bias)", name):
            for part, rows in zip(("query", "key", "value"), mx.split(value, 3), strict=True):
                result[f"{match[1]}.{part}_proj.{match[2]}"] = rows
        else:
            result[name] = value
    return result


def start_folder(source: Path, out: Path, quantization: Mapping[str, Any] | None = None, **facts: Any) -> Path:
    """Sidecars and config of the source, without its weights."""
    shutil.copytree(source, out, ignore=shutil.ignore_patterns("*.safetensors", "*.index.json"))
    config = read_json(out / "config.json") | facts
    if quantization is not None:
        config |= {"quantization": dict(quantization), "quantization_config": dict(quantization)}
    write_json(out / "config.json", config)
    return out


def shard(out: Path, tensors: Tensors, count: int = 2) -> None:
    """Numbered files and their index."""
    names, weight_map = sorted(tensors), {}
    for number in range(count):
        file = f"model-{number + 1:05d}-of-{count:05d}.safetensors"
        part = names[number * len(names) // count : (number + 1) * len(names) // count]
        save(out / file, {name: tensors[name] for name in part})
        weight_map |= dict.fromkeys(part, file)
    write_json(out / "model.safetensors.index.json", {"metadata": {}, "weight_map": weight_map})


def copy_head(source: Path, out: Path) -> None:
    shutil.copy(source / "joint_head.safetensors", out)


def write_b(source: Path, out: Path, setting: Mapping[str, Any] | None = None) -> Path:
    start_folder(source, out, setting)
    tensors = mlx_tensors(read_backbone(source))
    shard(out, quantized(tensors, everything_in_text(setting)) if setting else tensors)
    copy_head(source, out)
    return out


def write_c(source: Path, out: Path, setting: Mapping[str, Any] | None = None) -> Path:
    start_folder(source, out, setting)
    tensors = text_only(mlx_tensors(read_backbone(source), text="model.", lm_head=""))
    shard(out, quantized(tensors, everything_in_text(setting)) if setting else tensors)
    copy_head(source, out)
    return out


def write_d(source: Path, out: Path, setting: Mapping[str, Any] | None = None) -> Path:
    start_folder(source, out, setting)
    tensors = text_only(mlx_tensors(read_backbone(source)))
    save(out / "model.safetensors", quantized(tensors, everything_in_text(setting)) if setting else tensors)
    copy_head(source, out)
    return out


def write_e(source: Path, out: Path, setting: Mapping[str, Any] | None = None) -> Path:
    head_config = read_json(source / "joint_head_config.json")
    start_folder(source, out, setting, model_type="clef", head_config=head_config)
    (out / "joint_head_config.json").unlink()
    tensors = mlx_tensors(read_backbone(source))
    tensors = quantized(tensors, everything_in_text(setting)) if setting else tensors
    shard(out, tensors | split_head(read_head(source)))
    return out


def write_f(
    source: Path, out: Path, setting: Mapping[str, Any] | None = None, overrides: Mapping[str, Any] | None = None
) -> Path:
    """`overrides` are keyed by module path; the vision tower has a file of its own that no index lists."""
    overrides = overrides or {}
    start_folder(source, out, None if setting is None else {**setting, **overrides})
    tensors = mlx_tensors(read_backbone(source))
    vision = {name: tensors.pop(name) for name in list(tensors) if name.startswith("vision_tower.")}
    patch = "vision_tower.patch_embed.proj.weight"
    # As mlx-decision flattens it: a release's axes, in which pixels come.
    vision[patch] = vision[patch].transpose(0, 4, 1, 2, 3).reshape(vision[patch].shape[0], -1)
    shard(out, quantized(tensors, lambda module: overrides.get(module, setting)) if setting else tensors)
    save(out / "model-vision.safetensors", vision)
    copy_head(source, out)
    write_json(out / "mlx_decision.json", {"family": "clef", "format": 1, "source": "Cloudflare/clef-flash"})
    return out


def write_g(source: Path, out: Path, setting: Mapping[str, Any] | None = None) -> Path:
    """lm_head is left alone, said by a key without `language_model.`."""
    start_folder(source, out, None if setting is None else {**setting, "lm_head": False})
    tensors = mlx_tensors(read_backbone(source))
    taken = {"language_model.lm_head": None}
    shard(
        out,
        quantized(tensors, lambda module: taken.get(module, everything_in_text(setting or {})(module)))
        if setting
        else tensors,
    )
    copy_head(source, out)
    return out


def write_h(source: Path, out: Path, *, rank: int = 4, alpha: float = 8.0, **adapter_facts: Any) -> Path:
    """A release with clef-finetune's output in it: pairs for every text projection, and a head trained further."""
    shutil.copytree(source, out)
    random = np.random.default_rng(1)
    pairs: Tensors = {}
    for name, value in read_backbone(source).items():
        module = name.removesuffix(".weight")
        if ".layers." in name and value.ndim == 2:
            stem = f"base_model.model.{module}"
            rows, columns = value.shape
            pairs[f"{stem}.lora_A.weight"] = mx.array(random.standard_normal((rank, columns), np.float32) * 0.1)
            pairs[f"{stem}.lora_B.weight"] = mx.array(random.standard_normal((rows, rank), np.float32) * 0.1)
    (out / "adapter").mkdir()
    save(out / "adapter" / "adapter_model.safetensors", pairs, "pt")
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "bias": "none", "target_modules": "^(?:.*)$"}
    config["base_model_name_or_path"] = "Cloudflare/clef-flash"
    write_json(out / "adapter" / "adapter_config.json", config | adapter_facts)
    write_json(out / "train_config.json", {"model": {"path": "Cloudflare/clef-flash"}})
    trained = {name: value * 1.125 for name, value in read_head(source).items()}
    save(out / "joint_head.safetensors", trained, "pt")
    return out


def write_i(source: Path, out: Path) -> Path:
    shutil.copytree(source, out)
    write_json(out / "config.json", read_json(out / "config.json") | {"architectures": ["ClefForDecision"]})
    return out


PLAIN = {"B": write_b, "C": write_c, "D": write_d, "E": write_e, "F": write_f, "G": write_g, "I": write_i}


def record(vocabulary: int, tokens: int = 90) -> EncodedRecord:
    """Two questions on arbitrary tokens."""
    ids = tuple(int(token) for token in np.random.default_rng(3).integers(0, vocabulary, tokens))
    first = EncodedQuestion("a", 0, Span(40, 45), (Span(47, 50), Span(52, 58)), ("true", "false"))
    second = EncodedQuestion("b", 1, Span(60, 62), (Span(64, 66), Span(67, 70), Span(71, 79)), ("x", "y", "z"))
    return EncodedRecord(ids, (first, second), Span(10, 39))


def logits(release: Any) -> list[float]:
    from clef_mlx.engine.forward import batch_logits

    rows = batch_logits(release.model, [record(release.config.text.vocab_size)], 0)[0]
    return [float(value) for row in rows for value in np.array(row)]


def parameters(release: Any) -> dict[str, np.ndarray]:
    from mlx.utils import tree_flatten

    return {name: np.array(value.astype(mx.float32)) for name, value in tree_flatten(release.model.parameters())}
