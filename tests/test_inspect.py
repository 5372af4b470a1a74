"""What a folder holds is told from its headers: counts, bits by kind of module, memory."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest
from tokenizers import Tokenizer

from clef_mlx.errors import CheckpointError
from clef_mlx.weights.headers import read_header
from clef_mlx.weights.inspect import inspect_release
from clef_mlx.weights.random_release import write_random_release
from clef_mlx.weights.random_tokenizer import write_tokenizer
from clef_mlx.weights.random_weights import Draw, head_tensors, text_tensors, vision_tensors

# The published config.json of Cloudflare/clef-flash and Cloudflare/clef, as REFERENCE section 2 has their facts.
COMMON = {
    "attention_bias": False, "full_attention_interval": 4, "head_dim": 256, "hidden_act": "silu",
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_value_head_dim": 128,
    "num_key_value_heads": 4, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "vocab_size": 248320,
    "rope_parameters": {
        "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25, "rope_theta": 10000000, "rope_type": "default",
    },
}  # fmt: skip
FLASH = COMMON | {
    "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 16, "num_hidden_layers": 32,
    "linear_num_value_heads": 32,
}  # fmt: skip
CLEF = COMMON | {
    "hidden_size": 5120, "intermediate_size": 17408, "num_attention_heads": 24, "num_hidden_layers": 64,
    "linear_num_value_heads": 48,
}  # fmt: skip
VISION = {
    "depth": 27, "hidden_size": 1152, "in_channels": 3, "intermediate_size": 4304, "num_heads": 16,
    "num_position_embeddings": 2304, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2,
}  # fmt: skip
HEAD = {"width": 1024, "routing_layers": 2, "layers": 4, "heads": 16, "feedforward": 4096}


class Hollow(Draw):
    """Tensors of full shape in four bytes of memory."""

    def __call__(self, name, *shape, std, mean=0.0):
        return np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape, (0,) * len(shape))


def write_hollow(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """A sparse bfloat16 file: header and length are real, the rest is a hole."""
    header, offset = {}, 0
    for name, value in tensors.items():
        end = offset + 2 * value.size
        header[name] = {"dtype": "BF16", "shape": list(value.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(path, 8 + len(text) + offset)


def write_hollow_release(folder: Path, text: dict) -> Path:
    draw, hidden = Hollow(0), text["hidden_size"]
    layers = [("linear_attention", "full_attention")[(i + 1) % 4 == 0] for i in range(text["num_hidden_layers"])]
    vision = VISION | {"out_hidden_size": hidden}
    head = HEAD | {"hidden_size": hidden}
    backbone = dict(text_tensors(text | {"layer_types": layers}, draw)) | dict(vision_tensors(vision, draw))
    write_hollow(folder / "model.safetensors", backbone)
    write_hollow(folder / "joint_head.safetensors", dict(head_tensors(head, draw, 0.0)))
    writers.write_json(folder / "config.json", {"text_config": text, "vision_config": vision})
    writers.write_json(folder / "joint_head_config.json", head)
    write_tokenizer(folder)
    return folder


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    return write_random_release(tmp_path_factory.mktemp("inspect") / "a", size="golden-128", dtype="float32")


@pytest.mark.parametrize(
    ("text", "backbone", "head"), [(FLASH, 9_409_813_744, 121_762_820), (CLEF, 27_356_728_560, 128_056_324)]
)
def test_published_models_have_their_published_counts(text, backbone, head, tmp_path):
    parameters = inspect_release(write_hollow_release(tmp_path, text)).parameters
    assert parameters["text"] + parameters["vision"] == backbone
    assert parameters["head"] == head
    assert parameters["total"] == backbone + head


def test_flash_needs_the_published_memory(tmp_path):
    found = inspect_release(write_hollow_release(tmp_path, FLASH))
    assert found.disk_bytes == pytest.approx(2 * (9_409_813_744 + 121_762_820), rel=1e-4)
    assert (found.stored_dtype, found.vision) == ("bfloat16", True)


def test_inspecting_reads_no_tensor(release):
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    inspect_release(release)
    assert mx.get_peak_memory() - before < 100_000  # the smallest matrix of a layer is larger


def test_kinds_add_up_to_what_the_files_store(release):
    found = inspect_release(release)
    stored = [tensor for file in sorted(release.glob("*.safetensors")) for tensor in read_header(file).tensors.values()]
    assert sum(share.parameters for share in found.shares) == sum(tensor.elements for tensor in stored)
    assert sum(share.stored_bytes for share in found.shares) == sum(tensor.nbytes for tensor in stored)


@pytest.mark.parametrize(
    "mode",
    [
        {"mode": "affine", "bits": 4, "group_size": 32},
        {"mode": "affine", "bits": 5, "group_size": 32},
        {"mode": "mxfp4", "bits": 4, "group_size": 32},
        {"mode": "nvfp4", "bits": 4, "group_size": 16},
    ],
    ids=lambda mode: f"{mode['mode']}-{mode['bits']}",
)
def test_quantizing_changes_bits_but_no_count(mode, release, tmp_path):
    out = writers.start_folder(release, tmp_path / "out", mode)
    width = mode["group_size"]

    def settings(module):
        tensor = tensors[f"{module}.weight"]
        return mode if tensor.shape[-1] % width == 0 else None

    tensors = writers.mlx_tensors(writers.read_backbone(release))
    writers.save(out / "model.safetensors", writers.quantized(tensors, settings))
    writers.copy_head(release, out)
    before, after = inspect_release(release), inspect_release(out)
    word = f"{mode['bits']}-bit {mode['mode']} g{mode['group_size']}"
    storage = {share.kind: share.storage for share in after.shares}
    assert after.parameters == before.parameters
    assert all(list(storage[kind]) == [word] for kind in ("lm_head", "embed_tokens", "mlp", "full attention"))
    assert list(storage["norms"]) == list(storage["head"]) == ["float32"]
    assert storage["vision"][word] > 0


def test_mixed_bits_are_told_apart_by_kind(release, tmp_path):
    setting = {"mode": "affine", "bits": 4, "group_size": 64}
    storage = {s.kind: s.storage for s in inspect_release(writers.write_g(release, tmp_path / "g", setting)).shares}
    assert list(storage["lm_head"]) == ["float32"] and list(storage["mlp"]) == ["4-bit affine g64"]


def test_layout_vision_and_source_are_told(release, tmp_path):
    found = inspect_release(writers.write_f(release, tmp_path / "f", {"bits": 4, "group_size": 64, "mode": "affine"}))
    assert found.layout == ("F", "mlx-decision copy, 4-bit affine g64")
    assert (found.vision, found.source, found.revision) == (True, "Cloudflare/clef-flash", None)


def test_weight_files_that_are_not_read_are_listed(release, tmp_path):
    out = writers.write_b(release, tmp_path / "b")
    stale = dict(list(writers.read_backbone(out).items())[:1])
    writers.save(out / "old.safetensors", stale)
    assert inspect_release(out).unused_files == ("old.safetensors",)


def test_longer_records_need_more_memory(release):
    needs = inspect_release(release).deciding_bytes
    assert list(needs) == [1024, 4096, 16384]
    assert needs[1024] < needs[4096] < needs[16384]


def test_refused_folder_is_refused_alike(release, tmp_path):
    out = writers.start_folder(release, tmp_path / "out")
    writers.copy_head(release, out)
    with pytest.raises(CheckpointError, match="only the head is here"):
        inspect_release(out)


def test_tokenizer_with_ids_beyond_the_embedding_is_refused(release, tmp_path):
    out = Path(shutil.copytree(release, tmp_path / "out"))
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    tokenizer.add_tokens([f"<more {number}>" for number in range(5000)])
    tokenizer.save(str(out / "tokenizer.json"))
    with pytest.raises(CheckpointError, match="ids must be below the model's vocab_size"):
        inspect_release(out)
