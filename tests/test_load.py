"""Folders that must be refused in one clear line, and the dtypes and memory of those that load."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from clef_mlx.errors import CheckpointError, ClefError, MemoryBudgetError
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import load_release, plan_folder
from clef_mlx.weights.precision import choose_precision
from clef_mlx.weights.random_release import write_random_release

INDEX = "model.safetensors.index.json"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 5368709120\n"
UNBOUNDED = 1 << 60


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A small published release in three shards."""
    return write_random_release(tmp_path_factory.mktemp("load") / "release", shards=3)


@pytest.fixture
def folder(source, tmp_path):
    return Path(shutil.copytree(source, tmp_path / "release"))


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_release(folder)
    return str(caught.value)


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("model-*.safetensors"))


def write_raw(path: Path, header: object, data: bytes = b"") -> None:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def edit_index(folder: Path, **changes: str) -> None:
    index = writers.read_json(folder / INDEX)
    index["weight_map"] |= changes
    writers.write_json(folder / INDEX, index)


def edit_head(folder: Path, **changes: mx.array) -> None:
    head = writers.read_head(folder)
    mx.eval(head)  # the file is about to be replaced under the lazy arrays
    writers.save(folder / "joint_head.safetensors", head | changes, "pt")


# Weight files that are none (traps 4 and 5)


@pytest.mark.parametrize("name", ["model-00002-of-00003.safetensors", "joint_head.safetensors"])
def test_lfs_pointer_is_named(name, folder):
    (folder / name).write_text(POINTER)
    message = refusal(folder)
    assert message.startswith(f"{name}: ") and "Git LFS pointer" in message and "\n" not in message


def test_lfs_pointer_as_a_config_is_named(folder):
    (folder / "config.json").write_text(POINTER)
    assert "Git LFS pointer" in refusal(folder)


def test_refusal_comes_before_weights_are_read(folder):
    shards(folder)[-1].write_text(POINTER)
    mx.reset_peak_memory()
    before = mx.get_peak_memory()
    refusal(folder)
    assert mx.get_peak_memory() == before


@pytest.mark.parametrize("cut", [1, 1000])
def test_truncated_shard_tells_expected_and_actual_bytes(cut, folder):
    shard = shards(folder)[1]
    size = shard.stat().st_size
    os.truncate(shard, size - cut)
    message = refusal(folder)
    assert message.startswith(f"{shard.name}: file is truncated: expected {size} bytes, got {size - cut}.")


@pytest.mark.parametrize("size", [0, 5, 40])
def test_shard_cut_inside_its_header_is_truncated(size, folder):
    os.truncate(shards(folder)[0], size)
    assert "file is truncated" in refusal(folder) and str(size) in refusal(folder)


def test_bytes_after_the_last_tensor_are_refused(folder):
    with shards(folder)[0].open("ab") as file:
        file.write(b"\0" * 8)
    assert "longer than its tensors" in refusal(folder)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"GGUF\x03\0\0\0" + bytes(64), "a GGUF file"),
        (b"PK\x03\x04" + bytes(64), "PyTorch pickle"),
        (b"\x80\x02}q\0." + bytes(64), "a pickle"),
        (b"<!DOCTYPE html><html>gateway timeout</html>", "not a safetensors file"),
        ((8).to_bytes(8, "little") + b"no json!", "not a safetensors file"),
    ],
    ids=["gguf", "zip", "pickle", "html", "no-json"],
)
def test_other_content_under_a_weight_files_name_is_told(content, expected, folder):
    shards(folder)[0].write_bytes(content)
    assert expected in refusal(folder)


@pytest.mark.parametrize(
    "header",
    [
        {"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}},
        {"x": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}},
        {"x": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]}},
        {"x": {"dtype": "U8", "shape": [0, 1 << 31], "data_offsets": [0, 0]}},
        {"x": {"dtype": "F33", "shape": [1], "data_offsets": [0, 8]}},
        {"x": {"shape": [1]}},
        [],
        b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
        b"[" * 200_000,
    ],
    ids=["size", "gap", "negative", "dimension", "dtype", "incomplete", "list", "twice", "deep"],
)
def test_damaged_header_is_one_line_with_the_file(header, folder):
    write_raw(shards(folder)[0], header, bytes(8))
    message = refusal(folder)
    assert message.startswith(shards(folder)[0].name) and "\n" not in message


def test_offsets_beyond_four_gibibytes_are_read_rightly(folder):
    """A sparse file: 5 GiB of skipped vision before the tensors that count."""
    tensors = {name: np.array(value.astype(mx.float32)) for name, value in writers.read_backbone(folder).items()}
    for file in shards(folder):
        file.unlink()
    (folder / INDEX).unlink()
    hole = 5 << 30
    header = {"model.visual.hole": {"dtype": "U8", "shape": [5, 1 << 30], "data_offsets": [0, hole]}}
    offset = hole
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    write_raw(folder / "model.safetensors", header)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(hole, os.SEEK_END)
        file.writelines(value.tobytes() for value in tensors.values())
    model = load_release(folder).model
    assert np.array_equal(model.lm_head.weight, tensors["lm_head.weight"])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["memory_projection.weight", "residual_gate"])
def test_non_finite_head_names_its_tensor(name, value, folder):
    tensor = writers.read_head(folder)[name]
    edit_head(folder, **{name: mx.where(mx.arange(tensor.size).reshape(tensor.shape) == 0, value, tensor)})
    message = refusal(folder)
    assert message.startswith(f"joint_head.safetensors: {name} must be finite") and "\n" not in message


# The index


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", "a/b.safetensors", "..", "C:\\x", ""])
def test_index_path_that_leaves_the_folder_is_refused(name, folder):
    edit_index(folder, **{"lm_head.weight": name})
    message = refusal(folder)
    assert "must stay in its folder" in message and "\n" not in message


def test_hub_cache_links_to_blobs_load(source, tmp_path):
    blobs, snapshot = tmp_path / "models--a--b" / "blobs", tmp_path / "models--a--b" / "snapshots" / ("0" * 40)
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for number, file in enumerate(sorted(source.iterdir())):
        shutil.copy(file, blobs / str(number))
        (snapshot / file.name).symlink_to(Path("../..") / "blobs" / str(number))
    info = load_release(snapshot).info
    assert (info.source, info.revision) == ("a/b", "0" * 40)


def test_missing_shard_is_named(folder):
    shards(folder)[1].unlink()
    assert refusal(folder).startswith("model-00002-of-00003.safetensors: file is missing")


def test_missing_shard_without_an_index_is_named(folder):
    (folder / INDEX).unlink()
    shards(folder)[1].unlink()
    assert refusal(folder).startswith("model-00002-of-00003.safetensors: file is missing")


def test_shards_without_an_index_load(folder, source):
    (folder / INDEX).unlink()
    assert writers.logits(load_release(folder)) == writers.logits(load_release(source))


def test_tensor_that_the_index_misplaces_is_named(folder):
    edit_index(folder, **{"lm_head.weight": "model-00001-of-00003.safetensors"})
    assert "lm_head.weight: not in model-00001-of-00003.safetensors" in refusal(folder)


def test_tensor_stored_in_two_shards_is_named(folder):
    first, last = shards(folder)[0], shards(folder)[-1]
    tensors = mx.load(str(first))
    mx.eval(tensors)
    name = next(iter(mx.load(str(last))))
    writers.save(first, tensors | {name: mx.load(str(last))[name]}, "pt")
    assert refusal(folder).startswith(f"{name}: stored twice, in {first.name} and {last.name}")


def test_tensor_stored_under_two_layouts_names_is_named(folder):
    extra = {"language_model.lm_head.weight": writers.read_backbone(folder)["lm_head.weight"]}
    writers.save(folder / "model-extra.safetensors", extra, "pt")
    assert "stored twice, also as lm_head.weight" in refusal(folder)


@pytest.mark.parametrize("content", ['{"weight_map": []}', '{"weight_map": {"a": 1}}', "{}", "[]", "{"])
def test_broken_index_is_one_line(content, folder):
    (folder / INDEX).write_text(content)
    message = refusal(folder)
    assert message.startswith(f"{INDEX}: ") and "\n" not in message


# Names, shapes, dtypes


def edit_shards(folder: Path, **changes: mx.array | None) -> None:
    """Change, add (to the last shard) or, with None, drop tensors. The index goes; the shards' numbers do."""
    for path in shards(folder):
        tensors = mx.load(str(path))
        mx.eval(tensors)
        mine = {name: value for name, value in changes.items() if name in tensors or path == shards(folder)[-1]}
        changes = {name: value for name, value in changes.items() if name not in mine}
        writers.save(path, {name: value for name, value in (tensors | mine).items() if value is not None}, "pt")
    (folder / INDEX).unlink()


def test_missing_tensor_is_named(folder):
    edit_shards(folder, **{"model.language_model.norm.weight": None})
    assert refusal(folder).startswith("language_model.norm.weight: missing.")


def test_unknown_tensor_is_named(folder):
    edit_shards(folder, **{"model.language_model.layers.0.moe.gate.weight": mx.zeros((2, 2))})
    assert refusal(folder).startswith("model.language_model.layers.0.moe.gate.weight: not in this model.")


def test_wrong_shape_tells_both(folder):
    edit_shards(folder, **{"model.language_model.norm.weight": mx.zeros((63,))})
    assert refusal(folder) == "model.language_model.norm.weight: shape must be [64], got [63]."


def test_wrong_dtype_tells_both(folder):
    edit_shards(folder, **{"model.language_model.norm.weight": mx.zeros((64,), mx.int32)})
    assert refusal(folder) == "model.language_model.norm.weight: dtype must be one of F32, F16, BF16, got I32."


def test_many_problems_are_a_line_each_and_a_count(folder):
    edit_shards(folder, **{f"surplus.{number}": mx.zeros((1,)) for number in range(30)})
    lines = refusal(folder).split("\n  ")
    assert lines[0] == f"{folder}: 30 problems."
    assert lines[1] == "surplus.0: not in this model."
    assert len(lines) == 12 and lines[-1] == "… and 20 more."


def test_head_tensor_of_another_width_is_named(folder):
    edit_head(folder, **{"type_embedding.weight": mx.zeros((3, 31))})
    assert refusal(folder) == "type_embedding.weight: shape must be [3, 32], got [3, 31]."


def test_half_of_a_split_projection_is_named(source, tmp_path):
    folder = writers.write_e(source, tmp_path / "e")
    name = "head.layers.0.self_attn.key_proj.weight"
    for file in shards(folder):
        tensors = mx.load(str(file))
        mx.eval(tensors)
        writers.save(file, {key: value for key, value in tensors.items() if key != name})
    (folder / INDEX).unlink()
    assert "needs all of the query, key and value projections, got 2 of 3" in refusal(folder)


# Folders that are no release


def test_path_that_does_not_exist_is_refused(tmp_path):
    assert refusal(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'}: no such folder."


def test_empty_folder_is_refused(tmp_path):
    assert "folder is empty" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("model.gguf", b"GGUF", "GGUF files are not read"),
        ("model.safetensors", b"\x08\0\0\0\0\0\0\0", "Give the folder that holds it"),
        ("notes.txt", b"hello", "is a file"),
        ("empty", b"", "is a file"),
    ],
)
def test_file_instead_of_a_folder_is_told(name, content, expected, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert expected in refusal(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clef-flash-Q4_K_M.gguf", "only GGUF weights"),
        ("pytorch_model.bin", "only pickled weights"),
        ("consolidated.pt", "only pickled weights"),
        ("README.md", "holds no .safetensors weights"),
    ],
)
def test_folder_of_other_files_is_told(name, expected, tmp_path):
    (tmp_path / name).write_bytes(b"GGUF")
    (tmp_path / "config.json").write_text("{}")
    assert expected in refusal(tmp_path)


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "adapters.safetensors"])
def test_adapter_folder_given_as_a_model_names_its_base(name, tmp_path):
    writers.save(tmp_path / name, {"x": mx.zeros((1,))})
    writers.write_json(tmp_path / "adapter_config.json", {"base_model_name_or_path": "Cloudflare/clef-flash"})
    message = refusal(tmp_path)
    assert "is a LoRA adapter, not a model" in message and "Cloudflare/clef-flash" in message and "\n" not in message


def test_clef_finetune_checkpoint_without_its_base_is_told(source, tmp_path):
    whole = writers.write_h(source, tmp_path / "whole")
    checkpoint = tmp_path / "checkpoint-100"
    checkpoint.mkdir()
    shutil.copytree(whole / "adapter", checkpoint / "adapter")
    for name in ("joint_head.safetensors", "train_config.json"):
        shutil.copy(whole / name, checkpoint)
    message = refusal(checkpoint)
    assert "clef-finetune checkpoint" in message and "Cloudflare/clef-flash" in message


def test_chat_model_is_refused_by_its_name(folder):
    (folder / "joint_head.safetensors").unlink()
    (folder / "joint_head_config.json").unlink()
    message = refusal(folder)
    assert "is a chat model (Qwen3_5ForConditionalGeneration) without a joint schema head" in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["config.json", "joint_head_config.json", "tokenizer.json", "joint_head.safetensors"])
def test_missing_sidecar_is_named(name, folder):
    (folder / name).unlink()
    assert refusal(folder).startswith(f"{name}: file is missing")


@pytest.mark.parametrize("name", ["config.json", "joint_head_config.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_broken_config_is_one_line(name, content, folder):
    (folder / name).write_bytes(content)
    message = refusal(folder)
    assert message.startswith(f"{name}: ") and "\n" not in message


def test_config_of_another_family_is_one_line(folder):
    config = writers.read_json(folder / "config.json")
    del config["text_config"]["linear_num_key_heads"]
    writers.write_json(folder / "config.json", config)
    assert "linear_num_key_heads is missing" in refusal(folder)


# Dtypes and memory


def test_gpu_takes_the_stored_dtype(source):
    plan = plan_folder(read_folder(source))[2]
    assert choose_precision(plan, gpu=True, available_bytes=UNBOUNDED).dtype == "bfloat16"


def test_gpu_takes_the_dtype_of_the_scales(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 8, "group_size": 32})
    precision = choose_precision(plan_folder(read_folder(folder))[2], gpu=True, available_bytes=UNBOUNDED)
    assert (precision.dtype, precision.dequantize) == ("bfloat16", False)


def test_cpu_takes_float32_and_unpacks(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 8, "group_size": 32})
    precision = choose_precision(plan_folder(read_folder(folder))[2], gpu=False, available_bytes=UNBOUNDED)
    assert (precision.dtype, precision.dequantize, precision.note) == ("float32", True, None)


def test_cpu_without_room_for_float32_keeps_the_stored_dtype_and_says_so(source):
    plan = plan_folder(read_folder(source))[2]
    wished = choose_precision(plan, gpu=False, available_bytes=UNBOUNDED)
    precision = choose_precision(plan, gpu=False, available_bytes=int(0.8 * wished.total_bytes(plan)))
    assert precision.dtype == "bfloat16" and "slow on a CPU" in precision.note


def test_cpu_without_room_for_unpacked_modules_keeps_them_quantized(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 4, "group_size": 32})
    plan = plan_folder(read_folder(folder))[2]
    unpacked = choose_precision(plan, gpu=False, available_bytes=UNBOUNDED, dtype="bfloat16", dequantize=True)
    precision = choose_precision(plan, gpu=False, available_bytes=int(0.9 * unpacked.total_bytes(plan)))
    assert not precision.dequantize and "quantized" in precision.note


def test_weights_beyond_the_memory_name_need_available_and_what_fits(source):
    plan = plan_folder(read_folder(source))[2]
    need = choose_precision(plan, gpu=True, available_bytes=UNBOUNDED).total_bytes(plan)
    with pytest.raises(
        MemoryBudgetError, match=r"need \S+ MB as bfloat16, got \S+ MB available. An 8-bit variant"
    ) as e:
        choose_precision(plan, gpu=True, available_bytes=int(0.7 * need))
    assert f"need {need / 1e6:.1f} MB" in str(e.value)
    with pytest.raises(MemoryBudgetError, match=r"got 0\.0 MB available. Take a smaller model"):
        choose_precision(plan, gpu=True, available_bytes=-need)


def test_unknown_dtype_lists_the_known(source):
    with pytest.raises(ClefError, match='bfloat16, float16, float32, got "int4"'):
        load_release(source, dtype="int4")


def test_dtype_may_be_mlxs_own(source):
    assert load_release(source, dtype=mx.float16).info.dtype == "float16"


@pytest.mark.parametrize("dtype", [mx.int32, 5, ["float16"]], ids=["int32", "number", "list"])
def test_dtype_of_another_kind_lists_the_known(dtype, source):
    with pytest.raises(ClefError, match="dtype: must be auto, bfloat16, float16, float32, got "):
        load_release(source, dtype=dtype)


# Facts that no model has


def edit_config(folder: Path, file: str = "config.json", **facts: object) -> None:
    config = writers.read_json(folder / file)
    inner = config.get("text_config", config)
    for name, value in facts.items():
        place = inner["rope_parameters"] if name in inner.get("rope_parameters", ()) else inner
        (config if name in ("quantization", "quantization_config", "vision_config") else place)[name] = value
    writers.write_json(folder / file, config)


@pytest.mark.parametrize("value", ["awq", True, [1], 3], ids=str)
@pytest.mark.parametrize("name", ["quantization", "quantization_config", "vision_config"])
def test_fact_that_must_be_an_object_is_checked(name, value, folder):
    edit_config(folder, **{name: value})
    assert refusal(folder).startswith(f"config.json: {name} has the wrong JSON type")


@pytest.mark.parametrize("value", [0, "64", None, 1.5], ids=str)
def test_declared_group_size_must_be_a_count(value, folder):
    edit_config(folder, quantization={"group_size": value, "bits": 4})
    assert "quantization.group_size must be a count" in refusal(folder)


@pytest.mark.parametrize("value", [0, -1.0, 10**400], ids=["zero", "negative", "huge"])
@pytest.mark.parametrize("name", ["rms_norm_eps", "rope_theta", "partial_rotary_factor"])
def test_real_numbers_must_be_finite_and_positive(name, value, folder):
    edit_config(folder, **{name: value})
    message = refusal(folder)
    assert f"{name} must be finite and above 0" in message and len(message) < 300


@pytest.mark.parametrize("factor", [1e308, 1.5, 1e-9, 0.19])
def test_rotary_factor_must_leave_even_dims_within_a_head(factor, folder):
    edit_config(folder, partial_rotary_factor=factor)
    assert f"rotary dims, got {factor}." in refusal(folder)


def test_number_beyond_a_double_is_refused(folder):
    edit_config(folder, rms_norm_eps=123456)
    text = (folder / "config.json").read_text().replace("123456", "1e400")
    (folder / "config.json").write_text(text)
    assert "rms_norm_eps must be finite and above 0, got inf" in refusal(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_words_that_are_no_json_numbers_are_refused(value, folder):
    edit_config(folder, rope_theta=value)
    assert "config.json: must be JSON" in refusal(folder) and "is no JSON number" in refusal(folder)


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("config.json", "vocab_size", 2**40),
        ("config.json", "num_hidden_layers", 10**6),
        ("config.json", "hidden_size", 10**4000),
        ("config.json", "linear_num_key_heads", 2**30),
        ("joint_head_config.json", "layers", 10**5),
        ("joint_head_config.json", "routing_layers", 10**5),
        ("joint_head_config.json", "feedforward", 2**40),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_count_beyond_any_model_is_one_line(file, name, value, folder):
    edit_config(folder, file, **{name: value})
    message = refusal(folder)
    assert f"{name} must be between 1 and " in message and len(message) < 200 and "\n" not in message


# Paths that cannot be read


@pytest.mark.parametrize(
    "name", ["config.json", "joint_head_config.json", "tokenizer.json", "model-00001-of-00003.safetensors"]
)
def test_pipe_instead_of_a_file_is_not_opened(name, folder):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert name in refusal(folder)


def test_pipe_instead_of_a_folder_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "must be a regular file" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_unreadable_path_is_one_line(kind, folder, monkeypatch):
    # Permissions do not bind root, under whom tests may run.
    monkeypatch.setattr(os, "access", lambda *_: False)
    path = folder if kind == "folder" else folder / "config.json"
    assert refusal(path).startswith(f"{path}: cannot be read: permission denied")


def test_tensor_name_of_several_lines_is_not_repeated(folder):
    write_raw(shards(folder)[0], {"a\nb" * 5000: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))
    assert "\n" not in refusal(folder) and len(refusal(folder)) < 300


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_load_dtype_reaches_matrices_but_narrows_no_norm_decay_or_scalar(dtype, source):
    wide = ("layernorm.weight", "q_norm.weight", "k_norm.weight", "language_model.norm.weight")
    scalars = ("_logit_scale", "residual_gate")
    for name, value in tree_flatten(load_release(source, dtype=dtype).model.parameters()):
        if name.startswith("language_model.") and name.endswith(wide) or name.endswith(scalars):
            assert value.dtype == mx.float32, name
        elif name.endswith(("A_log", "dt_bias")):
            assert value.dtype == mx.bfloat16, name  # as stored
        else:
            assert str(value.dtype) == f"mlx.core.{dtype}", name


def test_mlx_norms_keep_their_stored_dtype(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d")
    assert load_release(folder, dtype="bfloat16").model.language_model.norm.weight.dtype == mx.bfloat16
    assert load_release(folder, dtype="float16").model.language_model.norm.weight.dtype == mx.float32


def test_kept_scales_take_the_load_dtype(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 8, "group_size": 32})
    model = load_release(folder, dtype="float16", dequantize=False).model
    assert model.lm_head.scales.dtype == mx.float16


def test_loading_needs_little_more_memory_than_the_model(tmp_path):
    folder = write_random_release(tmp_path / "release", size="golden-256")
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    release = load_release(folder, dtype="float32")
    assert mx.get_active_memory() - before <= release.info.weight_bytes * 1.01
    assert mx.get_peak_memory() - before <= release.info.weight_bytes * 1.25


def test_weight_bytes_are_what_is_held(source, tmp_path):
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 4, "group_size": 32})
    for dequantize in (True, False):
        release = load_release(folder, dtype="bfloat16", dequantize=dequantize)
        held = sum(value.nbytes for _, value in tree_flatten(release.model.parameters()))
        assert release.info.weight_bytes == held


# Where it came from


def test_recorded_commit_is_reported(folder):
    config = writers.read_json(folder / "config.json") | {"_commit_hash": "a" * 40, "_name_or_path": "who/what"}
    writers.write_json(folder / "config.json", config)
    info = load_release(folder).info
    assert (info.source, info.revision) == ("who/what", "a" * 40)


def test_note_of_a_local_download_is_reported(folder):
    note = folder / ".cache" / "huggingface" / "download" / "config.json.metadata"
    note.parent.mkdir(parents=True)
    note.write_text(f"{'b' * 40}\netag\n1764576000.0\n")
    assert load_release(folder).info.revision == "b" * 40


def test_converters_note_of_its_source_is_reported(source, tmp_path):
    assert load_release(writers.write_f(source, tmp_path / "f")).info.source == "Cloudflare/clef-flash"
