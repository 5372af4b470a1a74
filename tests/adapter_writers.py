"""Small adapters in every writer's hand, on the modules of a random release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import layout_writers as writers
import mlx.core as mx
import numpy as np

PEFT_PREFIX = "base_model.model.model.language_model."
UP = "layers.0.mlp.up_proj"
QKV = "layers.0.linear_attn.in_proj_qkv"
LINEAR = (
    *(f"layers.0.linear_attn.{leaf}" for leaf in ("in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b", "out_proj")),
    *(f"layers.3.self_attn.{leaf}" for leaf in ("q_proj", "k_proj", "v_proj", "o_proj")),
    *(f"layers.1.mlp.{leaf}" for leaf in ("up_proj", "gate_proj", "down_proj")),
)
RANK, ALPHA = 4, 8.0


def draw(shape: Iterable[int], seed: int = 0, size: float = 0.1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(tuple(shape), np.float32) * np.float32(size)


def factors(release: Path, module: str, seed: int = 0, rank: int = RANK) -> tuple[np.ndarray, np.ndarray]:
    """A [rank, in] and B [out, rank] for a text module."""
    rows, columns = writers.read_backbone(release)[f"model.language_model.{module}.weight"].shape
    return draw((rank, columns), 2 * seed), draw((rows, rank), 2 * seed + 1)


def peft_pair(stem: str, a: np.ndarray, b: np.ndarray, m: np.ndarray | None = None) -> dict[str, np.ndarray]:
    pair = {f"{stem}.lora_A.weight": a, f"{stem}.lora_B.weight": b}
    return pair if m is None else pair | {f"{stem}.lora_magnitude_vector": m}


def mlx_pair(stem: str, a: np.ndarray, b: np.ndarray, m: np.ndarray | None = None) -> dict[str, np.ndarray]:
    pair = {f"{stem}.lora_a": np.ascontiguousarray(a.T), f"{stem}.lora_b": np.ascontiguousarray(b.T)}
    return pair if m is None else pair | {f"{stem}.m": m}


def write_peft(folder: Path, tensors: Mapping[str, np.ndarray], **facts: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    writers.save(folder / "adapter_model.safetensors", {name: mx.array(value) for name, value in tensors.items()}, "pt")
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "target_modules": ".*"}
    writers.write_json(folder / "adapter_config.json", config | facts)
    return folder


def write_mlx(folder: Path, tensors: Mapping[str, np.ndarray], **facts: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    writers.save(folder / "adapters.safetensors", {name: mx.array(value) for name, value in tensors.items()}, "mlx")
    config = {"fine_tune_type": "lora", "num_layers": 4, "lora_parameters": {"rank": RANK, "scale": ALPHA / RANK}}
    writers.write_json(folder / "adapter_config.json", config | facts)
    return folder


def write_text(
    release: Path, folder: Path, modules: Iterable[str] = LINEAR, *, seed: int = 0, dora: bool = False, **facts: Any
) -> Path:
    """PEFT's folder with a pair on each of `modules`; with `dora` lengths that are not the base's own."""
    tensors: dict[str, np.ndarray] = {}
    for number, module in enumerate(modules):
        a, b = factors(release, module, seed + number)
        lengths = 1.0 + np.abs(draw((b.shape[0],), seed + number)) if dora else None
        tensors |= peft_pair(PEFT_PREFIX + module, a, b, lengths)
    return write_peft(folder, tensors, **({"use_dora": True} if dora else {}), **facts)
