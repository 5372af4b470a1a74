"""Every layout in the wild gives the same model, and its parts are found by the files' own evidence."""

from __future__ import annotations

import re
import shutil

import layout_writers as writers
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten

from clef_mlx.errors import AdapterError, CheckpointError
from clef_mlx.weights.layouts import place
from clef_mlx.weights.load import load_release
from clef_mlx.weights.random_release import write_random_release

AFFINE = {"mode": "affine", "bits": 4, "group_size": 64}
MODES = [
    *({"mode": "affine", "bits": bits, "group_size": 64} for bits in (2, 3, 4, 5, 6, 8)),
    *({"mode": "affine", "bits": 4, "group_size": group} for group in (32, 128)),
    {"mode": "mxfp4", "bits": 4, "group_size": 32},
    {"mode": "mxfp8", "bits": 8, "group_size": 32},
    {"mode": "nvfp4", "bits": 4, "group_size": 16},
]
MODE_IDS = [f"{mode['mode']}-{mode['bits']}-g{mode['group_size']}" for mode in MODES]


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    """Layout A, float32, hidden 128: wide enough for groups of 128."""
    return write_random_release(tmp_path_factory.mktemp("layouts") / "a", size="golden-128", dtype="float32")


@pytest.fixture(scope="session")
def loaded(release):
    return load_release(release)


@pytest.fixture(scope="session")
def half(tmp_path_factory):
    """Layout A as published, bfloat16."""
    return write_random_release(tmp_path_factory.mktemp("layouts") / "half", size="tiny")


def quantization(module):
    return {"mode": module.mode, "bits": module.bits, "group_size": module.group_size}


# Names


@pytest.mark.parametrize(
    ("stored", "canonical"),
    [
        ("model.language_model.layers.3.mlp.up_proj.weight", "language_model.layers.3.mlp.up_proj.weight"),
        ("language_model.model.layers.3.mlp.up_proj.scales", "language_model.layers.3.mlp.up_proj.scales"),
        ("model.layers.0.linear_attn.A_log", "language_model.layers.0.linear_attn.A_log"),
        ("model.norm.weight", "language_model.norm.weight"),
        ("language_model.lm_head.weight", "lm_head.weight"),
        ("lm_head.biases", "lm_head.biases"),
        ("memory_projection.weight", "head.memory_projection.weight"),
        ("layers.2.multihead_attn.in_proj_bias", "head.layers.2.multihead_attn.in_proj_bias"),
        ("head.evidence_layers.0.feedforward.1.bias", "head.evidence_layers.0.feedforward.3.bias"),
        ("head.evidence_layers.0.feedforward.layers.3.bias", "head.evidence_layers.0.feedforward.3.bias"),
        ("head.residual_scorer.1.weight", "head.residual_scorer.3.weight"),
        ("head.residual_gate", "head.residual_gate"),
    ],
)
def test_stored_name_has_its_canonical_place(stored, canonical):
    assert place(stored).name == canonical


@pytest.mark.parametrize(
    ("part", "row"), [("query", 0), ("key", 1), ("value", 2), ("q", 0), ("k", 1), ("v", 2)]
)  # fmt: skip
def test_split_projection_becomes_rows_of_in_proj(part, row):
    place_of_weight = place(f"head.layers.1.self_attn.{part}_proj.weight")
    assert place_of_weight == ("head", "head.layers.1.self_attn.in_proj_weight", row)


@pytest.mark.parametrize("prefix", ["model.visual.", "visual.", "vision_tower.", "model.vision_tower."])
def test_vision_names_are_recognized(prefix):
    assert place(f"{prefix}blocks.0.attn.qkv.weight").room == "vision"


def test_placing_a_canonical_name_changes_nothing(loaded):
    names = [name for name, _ in tree_flatten(loaded.model.parameters())]
    assert [place(name).name for name in names] == names


# Same logits


@pytest.mark.parametrize("letter", writers.PLAIN)
def test_layout_gives_the_release_logits_bit_for_bit(letter, release, loaded, tmp_path):
    copy = load_release(writers.PLAIN[letter](release, tmp_path / letter))
    assert copy.info.layout.letter == ("B" if letter == "G" else letter)  # G is B until something is quantized
    assert writers.logits(copy) == writers.logits(loaded)


@pytest.mark.parametrize("prefix", ["language_model.model.", "model."])
@pytest.mark.parametrize("lm_head", ["language_model.", ""])
def test_prefixes_mix_freely(prefix, lm_head, release, loaded, tmp_path):
    out = writers.start_folder(release, tmp_path / "out")
    writers.save(out / "model.safetensors", writers.mlx_tensors(writers.read_backbone(release), prefix, lm_head))
    writers.copy_head(release, out)
    assert writers.logits(load_release(out)) == writers.logits(loaded)


def test_head_listed_in_the_index_without_prefix_is_found(release, loaded, tmp_path):
    out = writers.start_folder(release, tmp_path / "out")
    writers.shard(out, writers.mlx_tensors(writers.read_backbone(release)) | writers.read_head(release))
    assert writers.logits(load_release(out)) == writers.logits(loaded)


def test_tied_output_rows_are_the_embedding(tmp_path):
    folder = write_random_release(tmp_path / "tied", dtype="float32", tie_word_embeddings=True)
    model = load_release(folder).model
    assert np.array_equal(model.lm_head.weight, model.language_model.embed_tokens.weight)


def test_tied_quantized_output_rows_are_the_embedding(tmp_path):
    source = write_random_release(tmp_path / "tied", dtype="float32", tie_word_embeddings=True)
    folder = writers.write_d(source, tmp_path / "d", {"mode": "affine", "bits": 8, "group_size": 32})
    model = load_release(folder, dequantize=False).model
    assert isinstance(model.lm_head, nn.QuantizedEmbedding)
    assert np.array_equal(model.lm_head.scales, model.language_model.embed_tokens.scales)


# Norms, convolutions (trap 1)


def test_release_norms_are_shifted_in_float32(half):
    raw = writers.read_backbone(half)["model.language_model.layers.0.input_layernorm.weight"]
    gain = load_release(half, dtype="bfloat16").model.language_model.layers[0].input_layernorm.weight
    assert gain.dtype == mx.float32
    assert np.array_equal(gain, 1.0 + raw.astype(mx.float32))


def test_release_convolution_takes_taps_before_channels(release, loaded):
    raw = writers.read_backbone(release)["model.language_model.layers.0.linear_attn.conv1d.weight"]
    weight = loaded.model.language_model.layers[0].linear_attn.conv1d.weight
    assert weight.shape == (raw.shape[0], 4, 1)
    assert np.array_equal(weight[:, :, 0], raw[:, 0, :])


def test_gated_norm_is_not_shifted(release, loaded):
    raw = writers.read_backbone(release)["model.language_model.layers.0.linear_attn.norm.weight"]
    assert np.array_equal(loaded.model.language_model.layers[0].linear_attn.norm.weight, raw)


@pytest.mark.parametrize("mtp", [False, True], ids=["plain", "mtp"])
def test_loading_what_was_loaded_changes_nothing(mtp, release, loaded, tmp_path):
    out = writers.start_folder(release, tmp_path / "again")
    again = dict(tree_flatten(loaded.model.parameters()))
    extra = {"mtp.layers.0.input_layernorm.weight": mx.zeros((128,))} if mtp else {}
    writers.save(out / "model.safetensors", again | extra)
    reloaded = load_release(out)
    assert reloaded.info.skipped_mtp_tensors == mtp
    assert all(np.array_equal(value, again[name]) for name, value in writers.parameters(reloaded).items())


def test_mtp_in_a_release_does_not_stop_the_shift(release, loaded, tmp_path):
    out = shutil.copytree(release, tmp_path / "mtp")
    extra = {"mtp.fc.weight": mx.zeros((4, 4))}
    writers.save(out / "model.safetensors", writers.read_backbone(release) | extra, "pt")
    assert writers.logits(load_release(out)) == writers.logits(loaded)


@pytest.mark.parametrize(("writer", "gain"), [("pt", 1.25), ("mlx", 0.25)])
def test_one_tap_convolution_leaves_the_decision_to_the_writers_mark(writer, gain, tmp_path):
    folder = write_random_release(tmp_path / "k1", dtype="float32", linear_conv_kernel_dim=1)
    tensors = writers.read_backbone(folder)
    name = "model.language_model.norm.weight"
    tensors[name] = mx.full(tensors[name].shape, 0.25)
    writers.save(folder / "model.safetensors", tensors, writer)
    assert load_release(folder).model.language_model.norm.weight[0].item() == gain


def test_no_evidence_of_the_norms_shift_is_refused(tmp_path):
    folder = write_random_release(tmp_path / "k1", dtype="float32", linear_conv_kernel_dim=1)
    mx.save_safetensors(str(folder / "model.safetensors"), writers.read_backbone(folder))
    with pytest.raises(CheckpointError, match="norms are stored minus one"):
        load_release(folder)


def test_two_conversions_in_one_folder_are_refused(release, tmp_path):
    out = shutil.copytree(release, tmp_path / "mixed")
    tensors = writers.read_backbone(release)
    name = "model.language_model.layers.0.linear_attn.conv1d.weight"
    writers.save(out / "model.safetensors", tensors | {name: tensors[name].swapaxes(1, 2)}, "pt")
    with pytest.raises(CheckpointError, match="two conversions"):
        load_release(out)


# Vision (trap 2)


@pytest.mark.parametrize("letter", ["A", "B", "E", "F"])
def test_skipped_vision_tensors_are_counted(letter, release, tmp_path):
    folder = release if letter == "A" else writers.PLAIN[letter](release, tmp_path / letter)
    stored = [name for name in writers.read_backbone(folder) if re.match(r"model\.visual|vision_tower", name)]
    assert load_release(folder).info.skipped_vision_tensors == len(stored) > 0


# Quantized


@pytest.mark.parametrize("mode", MODES, ids=MODE_IDS)
def test_quantized_modules_are_kept_as_stored(mode, release, tmp_path):
    model = load_release(writers.write_b(release, tmp_path / "b", mode), dequantize=False).model
    layer = model.language_model.layers[0]
    for module, kind in (
        (layer.mlp.down_proj, nn.QuantizedLinear),
        (layer.linear_attn.in_proj_a, nn.QuantizedLinear),
        (model.language_model.layers[3].self_attn.q_proj, nn.QuantizedLinear),
        (model.language_model.embed_tokens, nn.QuantizedEmbedding),
        (model.lm_head, nn.QuantizedEmbedding),
    ):
        assert isinstance(module, kind) and quantization(module) == mode


@pytest.mark.parametrize("mode", MODES, ids=MODE_IDS)
def test_unpacked_weights_are_those_of_mlx(mode, release, tmp_path):
    folder = writers.write_b(release, tmp_path / "b", mode)
    stored = writers.read_backbone(folder)
    name = "language_model.model.layers.0.linear_attn.out_proj"
    wanted = mx.dequantize(
        stored[f"{name}.weight"],
        stored[f"{name}.scales"],
        stored.get(f"{name}.biases"),
        mode["group_size"],
        mode["bits"],
        mode["mode"],
        dtype=mx.float32,
    )
    out_proj = load_release(folder, dequantize=True).model.language_model.layers[0].linear_attn.out_proj
    assert type(out_proj) is nn.Linear
    assert np.array_equal(out_proj.weight, wanted)


def test_bfloat16_scales_are_unpacked_without_rounding(half, tmp_path):
    folder = writers.write_d(half, tmp_path / "d", {"mode": "affine", "bits": 4, "group_size": 32})
    stored = writers.read_backbone(folder)
    name = "language_model.model.layers.0.mlp.up_proj"
    weight, scales, biases = (stored[f"{name}.{leaf}"] for leaf in ("weight", "scales", "biases"))
    assert scales.dtype == mx.bfloat16
    wanted = mx.dequantize(weight, scales.astype(mx.float32), biases.astype(mx.float32), 32, 4)
    up_proj = load_release(folder, dequantize=True).model.language_model.layers[0].mlp.up_proj
    assert np.array_equal(up_proj.weight, wanted)


@pytest.mark.parametrize("letter", ["B", "C", "D", "E", "F", "G"])
def test_kept_and_unpacked_modules_of_a_layout_decide_alike(letter, release, tmp_path):
    folder = writers.PLAIN[letter](release, tmp_path / letter, AFFINE)
    kept, unpacked = load_release(folder, dequantize=False), load_release(folder, dequantize=True)
    assert kept.info.layout.letter == letter
    assert kept.info.quantized_modules > 0 and unpacked.info.quantized_modules == 0
    np.testing.assert_allclose(writers.logits(kept), writers.logits(unpacked), atol=2e-3, rtol=0)


@pytest.mark.parametrize("mode", MODES, ids=MODE_IDS)
def test_kept_and_unpacked_modules_of_a_mode_decide_alike(mode, release, tmp_path):
    folder = writers.write_d(release, tmp_path / "d", mode)
    kept, unpacked = load_release(folder, dequantize=False), load_release(folder, dequantize=True)
    np.testing.assert_allclose(writers.logits(kept), writers.logits(unpacked), atol=2e-3, rtol=0)


def test_layer_overrides_are_found_by_shape(release, tmp_path):
    eight = {"mode": "affine", "bits": 8, "group_size": 32}
    overrides = {"language_model.model.layers.1.linear_attn.out_proj": eight}
    folder = writers.write_f(release, tmp_path / "f", AFFINE, overrides)
    layers = load_release(folder, dequantize=False).model.language_model.layers
    assert quantization(layers[1].linear_attn.out_proj) == eight
    assert quantization(layers[0].linear_attn.out_proj) == AFFINE


@pytest.mark.parametrize(
    "key", ["layers.1.mlp.up_proj", "model.layers.1.mlp.up_proj", "model.language_model.layers.1.mlp.up_proj"]
)
def test_override_keys_may_carry_any_prefix(key, release, tmp_path):
    eight = {"bits": 8, "group_size": 64}
    folder = writers.write_f(release, tmp_path / "f", AFFINE, {"language_model.model.layers.1.mlp.up_proj": eight})
    config = writers.read_json(folder / "config.json")
    for field in ("quantization", "quantization_config"):
        config[field] = AFFINE | {key: eight}
    writers.write_json(folder / "config.json", config)
    assert load_release(folder, dequantize=False).model.language_model.layers[1].mlp.up_proj.bits == 8


def test_unquantized_lm_head_beside_quantized_layers(release, tmp_path):
    model = load_release(writers.write_g(release, tmp_path / "g", AFFINE), dequantize=False).model
    assert type(model.lm_head) is nn.Embedding
    assert isinstance(model.language_model.embed_tokens, nn.QuantizedEmbedding)


def test_false_override_yields_to_stored_scales(release, tmp_path):
    folder = writers.write_b(release, tmp_path / "b", AFFINE)
    config = writers.read_json(folder / "config.json")
    config["quantization"]["lm_head"] = False
    writers.write_json(folder / "config.json", config)
    assert isinstance(load_release(folder, dequantize=False).model.lm_head, nn.QuantizedEmbedding)


def test_quantization_is_found_without_any_declaration(release, tmp_path):
    folder = writers.write_b(release, tmp_path / "b", AFFINE)
    config = writers.read_json(folder / "config.json")
    del config["quantization"], config["quantization_config"]
    writers.write_json(folder / "config.json", config)
    assert quantization(load_release(folder, dequantize=False).model.lm_head) == AFFINE


def test_declaration_against_the_shapes_names_the_module(release, tmp_path):
    folder = writers.write_b(release, tmp_path / "b", AFFINE)
    config = writers.read_json(folder / "config.json")
    config["quantization"]["language_model.lm_head"] = {"bits": 8, "group_size": 64}
    writers.write_json(folder / "config.json", config)
    with pytest.raises(CheckpointError, match=r"language_model.lm_head.weight: .*declares bits 8.*4-bit affine g64"):
        load_release(folder)


def test_foreign_quantization_is_refused_by_name(release, tmp_path):
    out = shutil.copytree(release, tmp_path / "gptq")
    config = writers.read_json(out / "config.json") | {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    writers.write_json(out / "config.json", config)
    with pytest.raises(CheckpointError, match='"gptq"'):
        load_release(out)


def test_quantized_head_is_unpacked(release, loaded, tmp_path):
    out = shutil.copytree(release, tmp_path / "out")
    head = writers.quantized(writers.read_head(release), lambda _: {"mode": "affine", "bits": 8, "group_size": 32})
    writers.save(out / "joint_head.safetensors", head)
    copy = load_release(out, dequantize=False)
    assert type(copy.model.head.memory_projection) is nn.Linear
    difference = np.abs(copy.model.head.memory_projection.weight - loaded.model.head.memory_projection.weight)
    assert 0 < float(difference.max()) < 0.01


# Adapters (layout H, trap 8)


def test_adapter_beside_a_release_is_merged_into_its_rows(release, loaded, tmp_path):
    folder = writers.write_h(release, tmp_path / "h")
    merged = load_release(folder)
    pairs = mx.load(str(folder / "adapter" / "adapter_model.safetensors"))
    stem = "base_model.model.model.language_model.layers.0.linear_attn.in_proj_qkv.lora"
    a, b = (np.array(pairs[f"{stem}_{side}.weight"]) for side in "AB")
    base, new = (
        np.array(one.model.language_model.layers[0].linear_attn.in_proj_qkv.weight) for one in (loaded, merged)
    )
    assert merged.info.layout.letter == "H"
    np.testing.assert_allclose(new - base, 8.0 / 4 * (b @ a), atol=1e-6, rtol=0)


def test_every_projection_of_an_adapter_is_merged(release, loaded, tmp_path):
    merged = writers.parameters(load_release(writers.write_h(release, tmp_path / "h")))
    before = writers.parameters(loaded)
    matrices = [name for name in before if ".layers." in name and name.endswith("_proj.weight") or "in_proj_" in name]
    text = [name for name in matrices if name.startswith("language_model.")]
    assert len(text) > 20 and all(np.abs(merged[name] - before[name]).max() > 0 for name in text)


def test_trained_head_beside_an_adapter_is_the_one_loaded(release, loaded, tmp_path):
    merged = load_release(writers.write_h(release, tmp_path / "h"))
    wanted = np.array(loaded.model.head.memory_projection.weight) * 1.125
    assert np.array_equal(merged.model.head.memory_projection.weight, wanted)


def test_rank_stabilized_adapter_divides_by_the_root_of_the_rank(release, tmp_path):
    plain = load_release(writers.write_h(release, tmp_path / "plain", alpha=8.0))
    stabilized = load_release(writers.write_h(release, tmp_path / "rs", alpha=4.0, use_rslora=True))
    name = "language_model.layers.0.mlp.up_proj.weight"
    assert np.array_equal(writers.parameters(plain)[name], writers.parameters(stabilized)[name])


@pytest.mark.parametrize(
    ("fact", "value"),
    [("use_dora", True), ("bias", "all"), ("modules_to_save", ["lm_head"]), ("init_lora_weights", "pissa")],
)
def test_adapter_that_plain_merging_would_falsify_is_refused(fact, value, release, tmp_path):
    folder = writers.write_h(release, tmp_path / "h", **{fact: value})
    with pytest.raises(AdapterError, match=fact):
        load_release(folder)


def test_unknown_adapter_key_is_an_error(release, tmp_path):
    folder = writers.write_h(release, tmp_path / "h")
    file = folder / "adapter" / "adapter_model.safetensors"
    extra = {"base_model.model.model.language_model.layers.9.mlp.up_proj.lora_A.weight": mx.zeros((4, 128))}
    writers.save(file, mx.load(str(file)) | extra, "pt")
    with pytest.raises(AdapterError, match=r"layers\.9\.mlp\.up_proj\.lora_A\.weight: changes nothing"):
        load_release(folder)


@pytest.mark.parametrize(
    ("side", "shape", "expected"),
    [("A", (4, 127), "must give"), ("B", (256, 3), "must give"), ("A", None, "its other half is missing")],
)
def test_adapter_pair_that_does_not_fit_is_an_error(side, shape, expected, release, tmp_path):
    folder = writers.write_h(release, tmp_path / "h")
    file = folder / "adapter" / "adapter_model.safetensors"
    pairs = mx.load(str(file))
    mx.eval(pairs)
    name = f"base_model.model.model.language_model.layers.0.mlp.up_proj.lora_{side}.weight"
    del pairs[name]
    writers.save(file, pairs | ({} if shape is None else {name: mx.zeros(shape)}), "pt")
    with pytest.raises(AdapterError, match=expected):
        load_release(folder)


def test_adapter_beside_modules_kept_quantized_decides_as_merged(release, tmp_path):
    source = writers.write_h(release, tmp_path / "h", alpha=0.5)
    folder = writers.write_b(release, tmp_path / "b", AFFINE)
    shutil.copytree(source / "adapter", folder / "adapter")
    beside, merged = (load_release(folder, dtype="float32", dequantize=way) for way in (False, True))
    assert isinstance(beside.model.language_model.layers[0].mlp.up_proj, nn.QuantizedLinear)
    np.testing.assert_allclose(writers.logits(beside), writers.logits(merged), atol=2e-4, rtol=0)
