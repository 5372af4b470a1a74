"""Adapters of every writer end in the right rows, merged or beside quantized weights, alone or together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import adapter_writers as adapters
import layout_writers as writers
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from adapter_writers import ALPHA, PEFT_PREFIX, QKV, RANK, UP
from click.testing import CliRunner
from mlx.utils import tree_flatten

import clef_mlx
from clef_mlx.cli.decide import command
from clef_mlx.weights.adapters.spec import AdapterSpec, adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.inspect import inspect_release
from clef_mlx.weights.load import load_release, plan_adapted

SCALE = ALPHA / RANK
REQUEST = {"state": "The parcel is late.", "questions": {"late": {"type": "noul"}}}


@pytest.fixture(scope="module")
def release(random_release) -> Path:
    return random_release("golden-128")


@pytest.fixture(scope="module")
def base(release) -> dict[str, np.ndarray]:
    return writers.parameters(load_release(release, dtype="float32"))


@pytest.fixture(scope="module")
def quantized(release, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("quantized") / "b"
    return writers.write_b(release, folder, {"mode": "affine", "bits": 4, "group_size": 32})


def differences(release: Path, base: dict[str, np.ndarray], *folders: Any) -> dict[str, np.ndarray]:
    """What loading with these adapters adds, by parameter, where it adds anything."""
    loaded = writers.parameters(load_release(release, adapters=adapter_specs(list(folders)), dtype="float32"))
    return {name: loaded[name] - value for name, value in base.items() if not np.array_equal(loaded[name], value)}


def text_name(module: str) -> str:
    return f"language_model.{module}.weight"


# Specs


def test_weight_follows_a_colon_or_an_equals_sign(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    found = adapter_specs([f"{folder}:0.5", f"{folder}=-2", (folder, 0.25), folder])
    assert found == tuple(AdapterSpec(folder, weight) for weight in (0.5, -2.0, 0.25, 1.0))


def test_path_that_exists_is_taken_as_it_is_whatever_colons_it_holds(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "run:0.5", [UP])
    assert adapter_specs(str(folder)) == (AdapterSpec(folder, 1.0),)
    assert adapter_specs(f"{folder}:2") == (AdapterSpec(folder, 2.0),)


def test_checkpoint_folder_stands_for_the_adapter_in_it(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "checkpoint-10" / "adapter", [UP])
    assert adapter_specs(tmp_path / "checkpoint-10") == (AdapterSpec(folder),)


# Keys


@pytest.mark.parametrize(
    "prefix",
    [
        "base_model.model.model.language_model.",
        "base_model.model.model.",  # trained on the text model alone, as Unsloth may
        "base_model.model.",
        "base_model.model.language_model.model.",
        "base_model.model.language_model.model.language_model.",  # with the publisher's ClefModel around it
        "base_model.model._orig_mod.model.language_model.",
        "module.base_model.model.model.language_model.",
        "model.language_model.",
    ],
)
def test_prefix_of_any_training_library_means_the_same_module(prefix, release, base, tmp_path):
    a, b = adapters.factors(release, UP)
    folder = adapters.write_peft(tmp_path / "a", adapters.peft_pair(prefix + UP, a, b))
    found = differences(release, base, folder)
    assert list(found) == [text_name(UP)]
    np.testing.assert_allclose(found[text_name(UP)], SCALE * (b @ a), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["default", "tickets"])
def test_adapter_name_inside_keys_is_no_part_of_them(name, release, base, tmp_path):
    a, b = adapters.factors(release, UP)
    pair = {f"{PEFT_PREFIX}{UP}.lora_A.{name}.weight": a, f"{PEFT_PREFIX}{UP}.lora_B.{name}.weight": b}
    assert list(differences(release, base, adapters.write_peft(tmp_path / "a", pair))) == [text_name(UP)]


@pytest.mark.parametrize("leaf", ["in_proj_{}", "{}_proj"])
def test_split_linear_attention_lands_in_the_fused_rows(leaf, release, base, tmp_path):
    _, b = adapters.factors(release, QKV)
    rows = {"q": slice(0, 64), "k": slice(64, 128), "v": slice(128, 256)}
    parts = {part: (adapters.draw((RANK, 128), 7 + n), b[own]) for n, (part, own) in enumerate(rows.items())}
    block = f"{PEFT_PREFIX}layers.0.linear_attn."
    pairs = [adapters.peft_pair(block + leaf.format(part), *pair) for part, pair in parts.items()]
    found = differences(release, base, adapters.write_peft(tmp_path / "a", {k: v for p in pairs for k, v in p.items()}))
    assert list(found) == [text_name(QKV)]
    for part, (a, own) in parts.items():
        np.testing.assert_allclose(found[text_name(QKV)][rows[part]], SCALE * (own @ a), atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("joined", "leaves"), [("in_proj_qkvz", ("in_proj_qkv", "in_proj_z")), ("in_proj_ba", ("in_proj_b", "in_proj_a"))]
)
def test_joined_linear_attention_is_taken_apart(joined, leaves, release, base, tmp_path):
    names = [text_name(f"layers.0.linear_attn.{leaf}") for leaf in leaves]
    rows = [base[name].shape[0] for name in names]
    a, b = adapters.draw((RANK, 128), 1), adapters.draw((sum(rows), RANK), 2)
    pair = adapters.peft_pair(f"{PEFT_PREFIX}layers.0.linear_attn.{joined}", a, b)
    found = differences(release, base, adapters.write_peft(tmp_path / "a", pair))
    assert sorted(found) == sorted(names)
    np.testing.assert_allclose(found[names[0]], SCALE * (b[: rows[0]] @ a), atol=1e-6, rtol=0)
    np.testing.assert_allclose(found[names[1]], SCALE * (b[rows[0] :] @ a), atol=1e-6, rtol=0)


@pytest.mark.parametrize("prefix", ["base_model.model.model.visual.", "base_model.model.visual.", "vision_tower."])
def test_vision_projections_split_or_not_land_in_the_fused_rows(prefix, release, tmp_path):
    a, b = adapters.draw((RANK, 32), 1), adapters.draw((32, RANK), 2)
    whole = adapters.peft_pair(prefix + "blocks.0.attn.qkv", a, np.concatenate([b, 0 * b, b]))
    split = adapters.peft_pair(prefix + "blocks.0.attn.q", a, b) | adapters.peft_pair(prefix + "blocks.0.attn.v", a, b)
    name, zeros = "visual.blocks.0.attn.qkv.weight", mx.zeros((96, 32))
    found = []
    for number, pairs in enumerate((whole, split)):
        folder = adapters.write_peft(tmp_path / str(number), pairs)
        planned = plan_adapted(read_folder(release), [AdapterSpec(folder)])
        found.append(np.array(planned.adapters.merge(name, zeros)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-7, rtol=0)
    np.testing.assert_allclose(found[0][64:], SCALE * (b @ a), atol=1e-6, rtol=0)


@pytest.mark.parametrize("dora", [False, True], ids=["lora", "dora"])
def test_adapter_on_a_quantized_vision_tower_computes_as_merged(dora, release, tmp_path):
    folder = writers.write_b(release, tmp_path / "b")
    setting = {"mode": "affine", "bits": 8, "group_size": 32}
    for file in folder.glob("model*.safetensors"):
        tensors = {name: mx.array(value) for name, value in mx.load(str(file)).items()}
        taken = writers.quantized(tensors, lambda module: setting if module.endswith("attn.qkv") else None)
        writers.save(file, taken)
    a, b = adapters.draw((RANK, 32), 1), adapters.draw((96, RANK), 2)
    lengths = 1.0 + np.abs(adapters.draw((96,), 3)) if dora else None
    pair = adapters.peft_pair("base_model.model.model.visual.blocks.0.attn.qkv", a, b, lengths)
    specs = [AdapterSpec(adapters.write_peft(tmp_path / "a", pair, use_dora=dora))]
    beside, merged = (
        load_release(folder, adapters=specs, dtype="float32", dequantize=unpack).vision.load().blocks[0].attn.qkv
        for unpack in (False, True)
    )
    assert isinstance(beside, nn.QuantizedLinear) and type(merged) is nn.Linear
    x = mx.array(adapters.draw((5, 32), 4, 1.0))
    np.testing.assert_allclose(np.array(beside(x)), np.array(merged(x)), atol=2e-5, rtol=0)


# Writers


def test_mlx_lm_factors_lie_the_other_way_round(release, base, tmp_path):
    a, b = adapters.factors(release, UP)
    folder = adapters.write_mlx(tmp_path / "a", adapters.mlx_pair(f"language_model.model.{UP}", a, b))
    found = differences(release, base, folder)
    np.testing.assert_allclose(found[text_name(UP)], SCALE * (b @ a), atol=1e-6, rtol=0)


def test_mlx_vlm_folder_with_alpha_is_divided_by_the_rank(release, base, tmp_path):
    a, b = adapters.factors(release, UP)
    pair = {f"language_model.model.{UP}.A": np.ascontiguousarray(a.T), f"language_model.model.{UP}.B": b.T.copy()}
    folder = adapters.write_mlx(tmp_path / "a", pair)
    writers.write_json(folder / "adapter_config.json", {"rank": RANK, "alpha": 2.0, "dropout": 0.0})
    found = differences(release, base, folder)
    np.testing.assert_allclose(found[text_name(UP)], 0.5 * (b @ a), atol=1e-6, rtol=0)


@pytest.mark.live
@pytest.mark.parametrize("dora", [False, True], ids=["lora", "dora"])
def test_mlx_lm_fuses_to_the_same_matrix(dora, release, base, tmp_path):
    pytest.importorskip("mlx_lm", reason="its own layers are the judge")
    from mlx_lm.tuner.dora import DoRALinear
    from mlx_lm.tuner.lora import LoRALinear

    linear = nn.Linear(128, 256, bias=False)
    linear.weight = mx.array(base[text_name(UP)])
    layer = (DoRALinear if dora else LoRALinear).from_base(linear, r=RANK, scale=3.0)
    a, b = adapters.factors(release, UP)
    layer.lora_a, layer.lora_b = mx.array(a.T), mx.array(b.T)
    lengths = np.array(layer.m * 1.1) if dora else None
    if dora:
        layer.m = mx.array(lengths)
    facts = {"fine_tune_type": "dora" if dora else "lora", "lora_parameters": {"rank": RANK, "scale": 3.0}}
    pair = adapters.mlx_pair(f"language_model.model.{UP}", a, b, lengths)
    found = differences(release, base, adapters.write_mlx(tmp_path / "a", pair, **facts))
    wanted = np.array(layer.fuse().weight) - base[text_name(UP)]
    np.testing.assert_allclose(found[text_name(UP)], wanted, atol=1e-6, rtol=0)


def test_mlx_lm_full_fine_tuning_is_taken_as_mlx_stores_it(release, base, tmp_path):
    """Gains with their one added already, taps before channels."""
    names = [text_name(f"layers.1.{part}") for part in ("input_layernorm", "linear_attn.conv1d", "mlp.down_proj")]
    tuned = {name: base[name] * np.float32(1.25) for name in names}
    stored = {f"language_model.model.{name.removeprefix('language_model.')}": value for name, value in tuned.items()}
    folder = adapters.write_mlx(tmp_path / "a", stored, fine_tune_type="full")
    loaded = writers.parameters(load_release(release, adapters=adapter_specs(folder), dtype="float32"))
    assert all(np.array_equal(loaded[name], tuned[name]) for name in names)


def test_modules_to_save_of_peft_are_oriented_as_released(release, base, tmp_path):
    norm = f"{PEFT_PREFIX}layers.1.input_layernorm"
    stored = {f"{norm}.weight": np.full((128,), 0.5, np.float32)}
    folder = adapters.write_peft(tmp_path / "a", stored, modules_to_save=["input_layernorm"])
    found = differences(release, base, folder)[text_name("layers.1.input_layernorm")]
    np.testing.assert_allclose(base[text_name("layers.1.input_layernorm")] + found, 1.5, atol=1e-6)


# Several, blocks, rounding, report


def test_several_adapters_add_up_by_weight(release, base, tmp_path):
    one = adapters.write_text(release, tmp_path / "one", [UP], seed=1)
    two = adapters.write_text(release, tmp_path / "two", [UP, QKV], seed=2)
    first, second = differences(release, base, one), differences(release, base, two)
    both = differences(release, base, f"{one}:0.5", f"{two}:-2")
    np.testing.assert_allclose(both[text_name(UP)], 0.5 * first[text_name(UP)] - 2 * second[text_name(UP)], atol=2e-6)
    np.testing.assert_allclose(both[text_name(QKV)], -2 * second[text_name(QKV)], atol=2e-6)


@pytest.mark.parametrize("dora", [False, True], ids=["lora", "dora"])
def test_rows_merged_block_by_block_equal_the_whole(dora, release, base, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [QKV], dora=dora)
    name, value = text_name(QKV), mx.array(base[text_name(QKV)])
    whole, parts = (plan_adapted(read_folder(release), [AdapterSpec(folder)]).adapters for _ in range(2))
    merged = whole.merge(name, value)
    blocks = [parts.merge(name, value[start : start + 100], start) for start in range(0, 256, 100)]
    np.testing.assert_allclose(np.concatenate([np.array(block) for block in blocks]), merged, atol=1e-7, rtol=0)
    assert parts.changed()[0].relative == pytest.approx(whole.changed()[0].relative, rel=1e-5)


def test_merging_rounds_once(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    exact, rounded = (
        load_release(release, adapters=[AdapterSpec(folder)], dtype=dtype).model.language_model.layers[0].mlp.up_proj
        for dtype in ("float32", "bfloat16")
    )
    assert mx.array_equal(rounded.weight, exact.weight.astype(mx.bfloat16))


def test_report_says_which_parameters_changed_and_by_how_much(release, base, tmp_path):
    folder = adapters.write_text(release, tmp_path / "tickets", [UP, QKV])
    found = plan_adapted(read_folder(release), [AdapterSpec(folder, 0.5)]).adapters
    for name in found.parameters:
        found.merge(name, mx.array(base[name]))
    rows = {row.name: row for row in found.changed()}
    a, b = adapters.factors(release, UP)
    assert rows[text_name(UP)].adapters == ("tickets:0.5",) and rows[text_name(UP)].rank == RANK
    wanted = np.linalg.norm(0.5 * SCALE * (b @ a)) / np.linalg.norm(base[text_name(UP)])
    assert rows[text_name(UP)].relative == pytest.approx(wanted, rel=1e-4)


# Beside quantized weights


def probabilities(release: Any) -> np.ndarray:
    logits = np.array(writers.logits(release))
    return np.concatenate([np.exp(part) / np.exp(part).sum() for part in (logits[:2], logits[2:])])


@pytest.mark.parametrize("dora", [False, True], ids=["lora", "dora"])
def test_adapter_beside_quantized_weights_decides_as_merged(dora, release, quantized, tmp_path):
    folders = [
        adapters.write_text(release, tmp_path / "a", [*adapters.LINEAR], dora=dora),
        adapters.write_text(release, tmp_path / "b", [UP, QKV], seed=9),
    ]
    specs = [AdapterSpec(folder, weight) for folder, weight in zip(folders, (0.5, 1.5), strict=True)]
    beside, merged = (
        load_release(quantized, adapters=specs, dtype="float32", dequantize=unpack) for unpack in (False, True)
    )
    plain = load_release(quantized, dtype="float32", dequantize=False)
    assert beside.info.quantized_modules == plain.info.quantized_modules > 20
    assert np.abs(probabilities(beside) - probabilities(plain)).max() > 1e-3
    assert np.abs(probabilities(beside) - probabilities(merged)).max() <= 2e-5


def test_adapter_beside_the_quantized_tables_decides_as_merged(release, quantized, tmp_path):
    rows = base_rows = writers.read_backbone(release)["lm_head.weight"].shape[0]
    prefix = "base_model.model."
    tensors = adapters.peft_pair(f"{prefix}lm_head", adapters.draw((RANK, 128), 1), adapters.draw((rows, RANK), 2))
    table = f"{prefix}model.language_model.embed_tokens.lora_embedding_"
    tensors |= {f"{table}A": adapters.draw((RANK, base_rows), 3), f"{table}B": adapters.draw((128, RANK), 4)}
    specs = [AdapterSpec(adapters.write_peft(tmp_path / "a", tensors))]
    beside, merged, plain = (
        load_release(quantized, adapters=chosen, dtype="float32", dequantize=unpack)
        for chosen, unpack in ((specs, False), (specs, True), ([], False))
    )
    assert isinstance(beside.model.lm_head, nn.QuantizedEmbedding)
    assert np.abs(probabilities(beside) - probabilities(plain)).max() > 1e-3
    assert np.abs(probabilities(beside) - probabilities(merged)).max() <= 2e-5


def test_module_saved_whole_is_unpacked_where_the_base_is_quantized(release, quantized, base, tmp_path):
    stored = {f"{PEFT_PREFIX}{UP}.weight": base[text_name(UP)] * np.float32(2.0)}
    folder = adapters.write_peft(tmp_path / "a", stored, modules_to_save=["0.mlp.up_proj"])
    model = load_release(quantized, adapters=[AdapterSpec(folder)], dtype="float32", dequantize=False).model
    mlp = model.language_model.layers[0].mlp
    assert type(mlp.up_proj) is nn.Linear and isinstance(mlp.gate_proj, nn.QuantizedLinear)
    assert np.array_equal(mlp.up_proj.weight, 2.0 * base[text_name(UP)])


def test_adapted_modules_keep_their_names_and_types(release, quantized, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", dora=True)
    plain, beside = (
        load_release(quantized, adapters=chosen, dtype="bfloat16", dequantize=False)
        for chosen in ([], [AdapterSpec(folder)])
    )
    before, after = (dict(tree_flatten(one.model.parameters())) for one in (plain, beside))
    assert set(before) <= set(after) and all(mx.array_equal(after[name], value) for name, value in before.items())
    assert {name.rpartition(".")[2] for name in set(after) - set(before)} == {"lora_a", "lora_b", "gain"}
    projection = beside.model.language_model.layers[0].linear_attn.in_proj_qkv
    assert projection(mx.zeros((1, 2, 128), mx.bfloat16)).dtype == mx.bfloat16


# The trained head


def write_head(release: Path, folder: Path, factor: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    trained = {name: value.astype(mx.float32) * factor for name, value in writers.read_head(release).items()}
    writers.save(folder / "joint_head.safetensors", trained, "pt")
    return folder


def head_of(release: Path, *folders: Any, base_head: bool = False) -> np.ndarray:
    loaded = load_release(release, adapters=adapter_specs(list(folders)), base_head=base_head, dtype="float32")
    return np.array(loaded.model.head.memory_projection.weight)


@pytest.mark.parametrize("where", ["inside", "around"])
def test_trained_head_beside_the_adapter_replaces_the_bases(where, release, base, tmp_path):
    checkpoint = tmp_path / "checkpoint"
    folder = adapters.write_text(release, checkpoint / "adapter", [UP])
    write_head(release, folder if where == "inside" else checkpoint, 1.25)
    own = base["head.memory_projection.weight"]
    assert np.array_equal(head_of(release, folder), own * np.float32(1.25))
    assert np.array_equal(head_of(release, folder, base_head=True), own)


def test_trained_head_replaces_one_that_lies_among_the_weights(release, tmp_path):
    folder = write_head(release, adapters.write_text(release, tmp_path / "a", [UP]), 1.25)
    native = writers.write_e(release, tmp_path / "e")
    wanted = head_of(release) * np.float32(1.25)
    assert np.array_equal(head_of(native, folder), wanted)


def test_head_in_a_folder_around_that_is_no_training_output_is_left_alone(release, base, tmp_path):
    write_head(release, tmp_path, 1.25)
    folder = adapters.write_text(release, tmp_path / "tickets", [UP])
    assert np.array_equal(head_of(release, folder), base["head.memory_projection.weight"])


def test_head_that_training_left_alone_need_not_be_there(release, base, tmp_path):
    folder = adapters.write_text(release, tmp_path / "c" / "adapter", [UP])
    (tmp_path / "c" / "train_config.json").write_text(json.dumps({"train": {"train_head": False}}))
    assert np.array_equal(head_of(release, folder), base["head.memory_projection.weight"])


# Through the public doors


def test_load_and_the_command_decide_with_an_adapter(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "tickets")
    file = tmp_path / "request.json"
    file.write_text(json.dumps(REQUEST))
    answers = {}
    for weight in (1.0, 0.5):
        with clef_mlx.load(release, adapter=(folder, weight)) as model:
            answers[weight] = model.systemone(REQUEST)["answers"]
            assert model.info.adapters == (("tickets",) if weight == 1 else ("tickets:0.5",))
    flags = ["--model", str(release), "--adapter", f"{folder}:0.5", "--format", "json", str(file)]
    done = CliRunner().invoke(command, flags, standalone_mode=False)
    assert done.exception is None, done.output
    assert json.loads(done.stdout)["answers"] == answers[0.5] != answers[1.0]


def test_server_decides_with_an_adapter(release, tmp_path):
    pytest.importorskip("uvicorn", reason="serving is an extra")
    from serving import served

    folder = adapters.write_text(release, tmp_path / "tickets")
    with clef_mlx.load(release, adapter=folder, round=None) as model:
        wanted = model.decide(**REQUEST)
    with clef_mlx.load(release, round=None) as model:
        plain = model.decide(**REQUEST)
    with served(release, adapters=(str(folder),)) as server:
        found = server.ask(REQUEST).json()["answers"]
    assert found == wanted.to_dict()["answers"] != plain.to_dict()["answers"]


def test_adapter_trained_on_a_model_of_another_name_is_said(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP], base_model_name_or_path="Qwen/Qwen3.5-9B")
    source = writers.write_f(release, tmp_path / "f")  # its marker names Cloudflare/clef-flash
    (note,) = load_release(source, adapters=[AdapterSpec(folder)]).info.adapter_notes
    assert "was trained on Qwen/Qwen3.5-9B" in note and "Cloudflare/clef-flash" in note
    copy = adapters.write_text(release, tmp_path / "c", [UP], base_model_name_or_path="/models/clef-flash")
    assert load_release(source, adapters=[AdapterSpec(copy)]).info.adapter_notes == ()


def test_adapter_of_a_folder_and_one_given_are_both_added(release, base, tmp_path):
    folder = writers.write_h(release, tmp_path / "h")
    given = adapters.write_text(release, tmp_path / "more", [UP], seed=5)
    inside, both = differences(folder, base), differences(folder, base, given)
    a, b = adapters.factors(release, UP, 5)
    np.testing.assert_allclose(both[text_name(UP)] - inside[text_name(UP)], SCALE * (b @ a), atol=2e-6)
    assert inspect_release(folder).adapter
