"""A whole release of random weights in the publisher's layout: for tests, benchmarks and a demo without downloads.

Its answers mean nothing. The files are the same bytes on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from clef_mlx.weights.random_tokenizer import write_tokenizer
from clef_mlx.weights.random_weights import Draw, head_tensors, text_tensors, vision_tensors

NOTICE = """\
RANDOM WEIGHTS. NOT A TRAINED MODEL.
Every tensor in this folder was drawn at random. The answers are meaningless; they only show that the machinery runs.
"""


def _size(
    hidden: int, layers: int, mlp: int, head_dim: int, linear_heads: tuple[int, int, int], mrope: list[int]
) -> dict[str, Any]:
    """text_config facts that differ by size; `linear_heads` are key heads, value heads and their dims."""
    key_heads, value_heads, linear_dim = linear_heads
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "intermediate_size": mlp,
        "head_dim": head_dim,
        "linear_key_head_dim": linear_dim,
        "linear_num_key_heads": key_heads,
        "linear_num_value_heads": value_heads,
        "linear_value_head_dim": linear_dim,
        "rope_parameters": {
            "mrope_interleaved": True,
            "mrope_section": mrope,
            "partial_rotary_factor": 0.25,
            "rope_theta": 10000000,
            "rope_type": "default",
        },
    }


# Size name -> text_config facts, joint_head_config.json. One key head serves two value heads, but in "bench".
SIZES: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "tiny": (
        _size(64, 4, 128, 16, (2, 4, 16), [1, 1, 0]),
        {"width": 32, "routing_layers": 1, "layers": 1, "heads": 2, "feedforward": 64},
    ),
    "golden-128": (
        _size(128, 4, 256, 32, (2, 4, 32), [2, 1, 1]),
        {"width": 64, "routing_layers": 2, "layers": 4, "heads": 4, "feedforward": 128},
    ),
    "golden-256": (
        _size(256, 8, 512, 64, (4, 8, 32), [3, 3, 2]),
        {"width": 128, "routing_layers": 2, "layers": 4, "heads": 8, "feedforward": 256},
    ),
    "bench": (
        _size(1024, 8, 3072, 256, (8, 8, 128), [11, 11, 10]),
        {"width": 512, "routing_layers": 2, "layers": 4, "heads": 8, "feedforward": 2048},
    ),
}
TEXT = {
    "attention_bias": False,
    "attention_dropout": 0.0,
    "full_attention_interval": 4,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "linear_conv_kernel_dim": 4,
    "max_position_embeddings": 262144,
    "model_type": "qwen3_5_text",
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-06,
    "tie_word_embeddings": False,
}
VISION = {
    "depth": 2,
    "hidden_act": "gelu_pytorch_tanh",
    "hidden_size": 32,
    "in_channels": 3,
    "intermediate_size": 72,
    "model_type": "qwen3_5_vision",
    "num_heads": 2,
    "num_position_embeddings": 64,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
}


def write_random_release(
    folder: str | Path,
    size: str = "tiny",
    seed: int = 0,
    *,
    dtype: str = "bfloat16",
    shards: int = 1,
    tokenizer: str | Path | None = None,
    head: Mapping[str, Any] | None = None,
    vision: Mapping[str, Any] | None = None,
    prior_scale: float = 3.0,
    **text_facts: Any,
) -> Path:
    """Write a release of `size` (a key of SIZES) into `folder` and return it.

    `dtype` is bfloat16, as published, or float32. `shards` above 1 writes numbered files with an index. `tokenizer`
    is a folder whose tokenizer.json and tokenizer_config.json are taken instead of the small one. `head`, `vision` and
    `text_facts` replace single facts of joint_head_config.json and of config.json's vision_config and text_config. A
    `prior_scale` above ln 100 is one that the model caps; it also makes float32's own noise large.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer is None:
        write_tokenizer(folder)
    else:
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (folder / name).write_bytes((Path(tokenizer) / name).read_bytes())
    ids = Tokenizer.from_file(str(folder / "tokenizer.json"))
    text = _text_config(size, ids, text_facts)
    config = _config(text, VISION | dict(vision or {}), dtype, ids)
    head_config = {"hidden_size": text["hidden_size"]} | SIZES[size][1] | dict(head or {})
    draw = Draw(seed)
    backbone = dict(text_tensors(text, draw)) | dict(vision_tensors(config["vision_config"], draw))
    _write_backbone(folder, backbone, dtype, shards)
    head_weights = dict(head_tensors(head_config, draw, prior_scale))
    write_safetensors(folder / "joint_head.safetensors", head_weights, dtype)
    _write_json(folder / "config.json", config)
    _write_json(folder / "joint_head_config.json", head_config)
    _write_processor(folder, config["vision_config"])
    (folder / "RANDOM_WEIGHTS.txt").write_text(NOTICE)
    return folder


def _text_config(size: str, ids: Tokenizer, facts: Mapping[str, Any]) -> dict[str, Any]:
    of_tokenizer = {
        "eos_token_id": ids.token_to_id("<|endoftext|>"),
        # A multiple of 64 with rows to spare, as published.
        "vocab_size": (ids.get_vocab_size() // 64 + 1) * 64,
    }
    text = TEXT | of_tokenizer | SIZES[size][0] | dict(facts)
    kinds, every = ["linear_attention", "full_attention"], text["full_attention_interval"]
    text.setdefault("layer_types", [kinds[(i + 1) % every == 0] for i in range(text["num_hidden_layers"])])
    return dict(sorted(text.items()))


def _config(text: Mapping[str, Any], vision: Mapping[str, Any], dtype: str, ids: Tokenizer) -> dict[str, Any]:
    return {
        "architectures": ["Qwen3_5ForConditionalGeneration"],
        "dtype": dtype,
        "image_token_id": ids.token_to_id("<|image_pad|>"),
        "model_type": "qwen3_5",
        "text_config": text,
        "tie_word_embeddings": text["tie_word_embeddings"],
        "video_token_id": ids.token_to_id("<|video_pad|>"),
        "vision_config": {**vision, "out_hidden_size": text["hidden_size"]},
        "vision_end_token_id": ids.token_to_id("<|vision_end|>"),
        "vision_start_token_id": ids.token_to_id("<|vision_start|>"),
    }


def _write_backbone(folder: Path, tensors: dict[str, np.ndarray], dtype: str, shards: int) -> None:
    if shards == 1:
        return write_safetensors(folder / "model.safetensors", tensors, dtype)
    names, weight_map = list(tensors), {}
    for shard in range(shards):
        file = f"model-{shard + 1:05d}-of-{shards:05d}.safetensors"
        part = names[shard * len(names) // shards : (shard + 1) * len(names) // shards]
        write_safetensors(folder / file, {name: tensors[name] for name in part}, dtype)
        weight_map |= dict.fromkeys(part, file)
    width = {"bfloat16": 2, "float32": 4}[dtype]
    total = sum(tensor.size for tensor in tensors.values()) * width
    _write_json(folder / "model.safetensors.index.json", {"metadata": {"total_size": total}, "weight_map": weight_map})


def write_safetensors(path: Path, tensors: Mapping[str, np.ndarray], dtype: str) -> None:
    """Write float32 arrays as `dtype`: an 8-byte header length, the JSON header, the bytes.

    Written here because numpy has no bfloat16 to hand to the safetensors package.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data, offset = [], 0
    for name, tensor in sorted(tensors.items()):
        raw = (bfloat16_bits(tensor) if dtype == "bfloat16" else tensor.astype("<f4")).tobytes()
        label = {"bfloat16": "BF16", "float32": "F32"}[dtype]
        header[name] = {"dtype": label, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(raw)]}
        data.append(raw)
        offset += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.writelines(data)


def bfloat16_bits(values: np.ndarray) -> np.ndarray:
    """The upper half of each float32, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, dtype="<f4").view("<u4")
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype("<u2")


def _write_processor(folder: Path, vision: Mapping[str, Any]) -> None:
    """The picture sidecars, with the release's own values."""
    shared = {
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "merge_size": vision["spatial_merge_size"],
        "patch_size": vision["patch_size"],
        "processor_class": "Qwen3VLProcessor",
        "temporal_patch_size": vision["temporal_patch_size"],
    }
    image = shared | {
        "image_processor_type": "Qwen2VLImageProcessor",
        "size": {"longest_edge": 16777216, "shortest_edge": 65536},
    }
    video = shared | {
        "size": {"longest_edge": 25165824, "shortest_edge": 4096},
        "video_processor_type": "Qwen3VLVideoProcessor",
    }
    _write_json(folder / "preprocessor_config.json", image)
    _write_json(folder / "video_preprocessor_config.json", video)
    both = {"image_processor": image, "processor_class": "Qwen3VLProcessor", "video_processor": video}
    _write_json(folder / "processor_config.json", both)
    (folder / "chat_template.jinja").write_text(
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    )


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")
