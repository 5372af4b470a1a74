"""Recipes x layouts: what is written is the release, rounded once where the recipe says so and nowhere else."""

from __future__ import annotations

import hashlib
import json
import shutil

import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.cli.convert import RECIPES
from clef_mlx.convert import convert as convert_module
from clef_mlx.convert import source as source_module
from clef_mlx.convert.account import Target
from clef_mlx.convert.check import REQUEST, verify
from clef_mlx.convert.convert import convert
from clef_mlx.convert.recipes import NAMES, UNIFORM
from clef_mlx.convert.settings import Settings
from clef_mlx.convert.watch import Watch
from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.weights.inspect import inspect_release
from clef_mlx.weights.load import load_release
from clef_mlx.weights.random_release import write_random_release

QKV = "language_model.model.layers.1.linear_attn.in_proj_qkv"
NORM = "language_model.model.layers.0.input_layernorm.weight"
A_LOG = "language_model.model.layers.0.linear_attn.A_log"
QUANTIZED = ("mixed-4bit", *UNIFORM)
FOUR = {"mode": "affine", "bits": 4, "group_size": 64}


@pytest.fixture(scope="session")
def release(random_release):
    """Layout A as published, bfloat16, hidden 128."""
    return random_release("golden-128")


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    """Layout A in float32: its norms are exact in every layout."""
    return write_random_release(tmp_path_factory.mktemp("wide") / "a", dtype="float32")


def made(source, out, **settings):
    return convert(source, out, Settings(report=False, **settings)).out


def tensors(folder):
    return writers.read_backbone(folder)


def weights_hash(folder):
    return [
        hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("model.safetensors", "joint_head.safetensors")
    ]


def bits_of(folder, module):
    """As the stored shapes say."""
    held = tensors(folder)
    groups = held[f"{module}.scales"].shape[1]
    width = groups * writers.read_json(folder / "config.json")["quantization"]["group_size"]
    return held[f"{module}.weight"].shape[1] * 32 / width


# Values


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
def test_the_source_precision_gives_the_release_logits_bit_for_bit(size, dtype, random_release, tmp_path):
    folder = made(random_release(size), tmp_path / "out", recipe="bf16")
    before, after = load_release(random_release(size), dtype=dtype), load_release(folder, dtype=dtype)
    assert writers.logits(after) == writers.logits(before)


@pytest.fixture(scope="module")
def direct(wide, tmp_path_factory):
    """Hashes of the release converted itself, with vision (False) and without (True)."""
    folder = tmp_path_factory.mktemp("direct")
    return {only: weights_hash(made(wide, folder / str(only), text_only=only)) for only in (False, True)}


@pytest.mark.parametrize("letter", writers.PLAIN)
def test_every_layout_converts_to_the_same_weights(letter, wide, direct, tmp_path):
    copy = writers.PLAIN[letter](wide, tmp_path / letter)
    assert weights_hash(made(copy, tmp_path / "through")) == direct[letter in ("C", "D")]


def test_the_names_of_recipes_are_those_of_the_command_line():
    assert RECIPES == NAMES


@pytest.mark.parametrize("recipe", ["bf16", "mixed-4bit", "nvfp4"])
def test_converting_a_conversion_to_its_own_recipe_changes_no_bit(recipe, release, tmp_path):
    once = made(release, tmp_path / "once", recipe=recipe)
    again = made(once, tmp_path / "again", recipe=recipe)
    assert weights_hash(again) == weights_hash(once)


@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
@pytest.mark.parametrize("recipe", QUANTIZED)
def test_quantized_values_are_those_of_mlx(recipe, size, random_release, tmp_path):
    held = tensors(made(random_release(size), tmp_path / "out", recipe=recipe))
    raw = tensors(random_release(size))["model.language_model.layers.1.linear_attn.in_proj_qkv.weight"]
    setting = UNIFORM.get(recipe) or UNIFORM["8bit"]  # the first half of mixed-4bit
    wanted = mx.quantize(raw, setting.group_size, setting.bits, setting.mode)
    for leaf, value in zip(("weight", "scales", "biases"), wanted, strict=False):
        assert mx.array_equal(held[f"{QKV}.{leaf}"], value)


def test_norms_are_shifted_once_and_exactly(release, tmp_path):
    raw = tensors(release)["model.language_model.layers.0.input_layernorm.weight"]
    gain = tensors(made(release, tmp_path / "out", recipe="4bit"))[NORM]
    assert gain.dtype == mx.float32
    assert mx.array_equal(gain, 1.0 + raw.astype(mx.float32))


def test_norms_of_an_mlx_source_stay_as_they_are(release, tmp_path):
    source = writers.write_b(release, tmp_path / "b")
    assert mx.array_equal(tensors(made(source, tmp_path / "out", recipe="4bit"))[NORM], tensors(source)[NORM])


def test_a_stray_mtp_tensor_changes_nothing(release, tmp_path):
    source = shutil.copytree(release, tmp_path / "mtp")
    writers.save(source / "model.safetensors", tensors(release) | {"mtp.norm.weight": mx.ones((128,))}, "pt")
    plain, stray = made(release, tmp_path / "plain"), made(source, tmp_path / "stray")
    assert weights_hash(stray) == weights_hash(plain)


@pytest.mark.parametrize("recipe", ["fp16", "fp32", "4bit", "nvfp4"])
def test_decays_keep_their_stored_type(recipe, release, tmp_path):
    raw = tensors(release)["model.language_model.layers.0.linear_attn.A_log"]
    kept = tensors(made(release, tmp_path / "out", recipe=recipe))[A_LOG]
    assert kept.dtype == raw.dtype and mx.array_equal(kept, raw)


def test_the_gated_norm_is_not_shifted(release, tmp_path):
    raw = tensors(release)["model.language_model.layers.0.linear_attn.norm.weight"]
    kept = tensors(made(release, tmp_path / "out"))["language_model.model.layers.0.linear_attn.norm.weight"]
    assert mx.array_equal(kept, raw)


def test_the_convolution_has_its_taps_first(release, tmp_path):
    raw = tensors(release)["model.language_model.layers.0.linear_attn.conv1d.weight"]
    kept = tensors(made(release, tmp_path / "out"))["language_model.model.layers.0.linear_attn.conv1d.weight"]
    assert mx.array_equal(kept, raw.swapaxes(1, 2))


@pytest.mark.parametrize("recipe", ["fp16", "4bit", "mxfp8"])
def test_vision_passes_untouched_in_mlx_axes(recipe, release, tmp_path):
    held, raw = tensors(made(release, tmp_path / "out", recipe=recipe)), tensors(release)
    wanted = {name: value for name, value in writers.mlx_tensors(raw).items() if name.startswith("vision_tower.")}
    assert {name for name in held if name.startswith("vision_tower.")} == set(wanted)
    assert all(mx.array_equal(held[name], value) and held[name].dtype == value.dtype for name, value in wanted.items())


def test_the_head_passes_untouched(release, tmp_path):
    kept, raw = (writers.read_head(folder) for folder in (made(release, tmp_path / "out", recipe="fp16"), release))
    assert kept.keys() == raw.keys()
    assert all(mx.array_equal(kept[name], raw[name]) and kept[name].dtype == raw[name].dtype for name in raw)


def test_rows_taken_in_blocks_give_the_same_bytes(release, tmp_path, monkeypatch):
    whole = made(release, tmp_path / "whole")
    monkeypatch.setattr(source_module, "BLOCK_ELEMENTS", 3 * 128)
    monkeypatch.setattr(source_module, "COPY_BYTES", 100)
    assert weights_hash(made(release, tmp_path / "blocks")) == weights_hash(whole)


def test_several_files_hold_what_one_would(release, tmp_path):
    folder, one = (made(release, tmp_path / str(most), max_shard_bytes=most) for most in (200_000, 10**9))
    files = sorted(file.name for file in folder.glob("model-*.safetensors"))
    assert len(files) > 3 and files[0] == f"model-00001-of-{len(files):05d}.safetensors"
    assert all((folder / name).stat().st_size < 210_000 for name in files)
    assert writers.logits(load_release(folder)) == writers.logits(load_release(one))


# Recipes


@pytest.mark.parametrize(
    ("module", "bits"),
    [
        ("layers.0.linear_attn.out_proj", 8),
        ("layers.3.self_attn.k_proj", 8),
        ("layers.0.linear_attn.in_proj_z", 8),
        ("layers.2.linear_attn.in_proj_z", 6),
        ("layers.0.mlp.down_proj", 6),
        ("layers.3.mlp.down_proj", 5),
        ("layers.0.mlp.gate_proj", 4),
        ("embed_tokens", 6),
    ],
)
def test_mixed_4bit_spends_bits_where_answers_need_them(module, bits, release, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "mixed"
    folder = folder if folder.exists() else made(release, folder)
    assert bits_of(folder, f"language_model.model.{module}") == bits


def test_mixed_4bit_leaves_what_drives_the_decays(release, tmp_path):
    folder = made(release, tmp_path / "out")
    held, config = tensors(folder), writers.read_json(folder / "config.json")
    for part in ("in_proj_a", "in_proj_b"):
        module = f"language_model.model.layers.0.linear_attn.{part}"
        assert f"{module}.scales" not in held and config["quantization"][module] is False


def test_uniform_4bit_quantizes_what_the_common_converters_do(release, tmp_path):
    held = tensors(made(release, tmp_path / "out", recipe="4bit"))
    left = {
        name
        for name, value in held.items()
        if value.dtype != mx.uint32 and f"{name.removesuffix('.weight')}.scales" not in held
    }
    matrices = {
        name for name in left if held[name].ndim == 2 and not name.startswith("vision") and name.endswith(".weight")
    }
    assert matrices == set()
    config = writers.read_json(tmp_path / "out" / "config.json")
    assert config["quantization"] == config["quantization_config"] == {"group_size": 64, "bits": 4, "mode": "affine"}


def test_bits_make_a_uniform_recipe(release, tmp_path):
    folder = made(release, tmp_path / "out", bits=5, group_size=32)
    assert writers.read_json(folder / "config.json")["quantization"] == {"group_size": 32, "bits": 5, "mode": "affine"}


@pytest.mark.parametrize(
    ("word", "stored"), [("8", "8-bit affine g64"), ("bf16", "bfloat16"), ("4", "4-bit affine g64")]
)
def test_lm_head_has_bits_of_its_own(word, stored, release, tmp_path):
    folder = made(release, tmp_path / "out", lm_head=word)
    share = next(share for share in inspect_release(folder).shares if share.kind == "lm_head")
    assert list(share.storage) == [stored]


def test_tied_output_rows_get_the_bits_of_lm_head(tmp_path):
    source = write_random_release(tmp_path / "tied", tie_word_embeddings=True)
    assert bits_of(made(source, tmp_path / "out"), "language_model.model.embed_tokens") == 8


def test_the_last_override_wins(release, tmp_path):
    folder = made(
        release, tmp_path / "out", overrides=("layers.0.mlp.*=8", "*.up_proj=bf16", "layers.0.mlp.up_proj=6:32")
    )
    setting = writers.read_json(folder / "config.json")["quantization"]
    stem = "language_model.model.layers"
    assert setting[f"{stem}.0.mlp.up_proj"] == {"group_size": 32, "bits": 6, "mode": "affine"}
    assert setting[f"{stem}.0.mlp.gate_proj"]["bits"] == 8
    assert setting[f"{stem}.1.mlp.up_proj"] is False


def test_an_override_may_have_a_mode(release, tmp_path):
    folder = made(release, tmp_path / "out", overrides=("*.mlp.*=4:32:mxfp4",))
    assert load_release(folder, dequantize=False).model.language_model.layers[0].mlp.up_proj.mode == "mxfp4"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"overrides": ("layers.9.*=8",)}, r"override: .*matches no module"),
        ({"overrides": ("*.up_proj",)}, "must be PATTERN=bits"),
        ({"overrides": ("*.up_proj=7",)}, "bits must be one of"),
        ({"overrides": ("*.up_proj=4:48",)}, "group size must be one of"),
        ({"overrides": ("*.up_proj=4:64:mxfp4",)}, "mxfp4 has 4 bits and groups of 32"),
        ({"overrides": ("*.up_proj=4:64:int",)}, "mode must be one of"),
        ({"overrides": ("*.in_proj_a=4:128", "*.k_proj=4:64:affine:2")}, "must be PATTERN=bits"),
        ({"recipe": "4bit", "bits": 3}, "two ways to choose"),
        ({"recipe": "4bit", "dequantize": True}, "two ways to choose"),
        ({"recipe": "bf16", "group_size": 32}, "quantizes nothing"),
        ({"bits": 7}, "bits must be one of"),
        ({"mode": "nvfp4"}, "needs --bits"),
        ({"recipe": "mxfp4", "group_size": 64}, "mxfp4 has 4 bits"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused_in_a_line(settings, message, release, tmp_path):
    with pytest.raises(ClefError, match=message) as caught:
        made(release, tmp_path / "out", **settings)
    assert "\n" not in str(caught.value) and not (tmp_path / "out").exists()


def test_an_override_that_does_not_divide_the_rows_is_refused(tmp_path):
    source = write_random_release(tmp_path / "tiny")
    with pytest.raises(ClefError, match="has rows of 64, not a multiple of 128"):
        made(source, tmp_path / "out", overrides=("*.up_proj=4:128",))


# Quantized sources


@pytest.mark.parametrize("recipe", ["8bit", "mixed-4bit", "bf16"])
def test_a_quantized_source_is_not_rounded_again_unasked(recipe, release, tmp_path):
    source = writers.write_b(release, tmp_path / "b", FOUR)
    with pytest.raises(CheckpointError, match="is stored as 4-bit affine g64 already.*--requantize"):
        made(source, tmp_path / "out", recipe=recipe)


def test_requantizing_keeps_what_has_its_bits_already(release, tmp_path):
    source = writers.write_b(release, tmp_path / "b", FOUR)
    folder = made(source, tmp_path / "out", recipe="4bit", lm_head="8", requantize=True)
    assert mx.array_equal(tensors(folder)[f"{QKV}.weight"], tensors(source)[f"{QKV}.weight"])
    assert bits_of(folder, "language_model.lm_head") == 8


def test_dequantizing_gives_the_logits_of_the_quantized(release, tmp_path):
    source = writers.write_b(release, tmp_path / "b", FOUR)
    folder = made(source, tmp_path / "out", recipe="fp32", dequantize=True)
    assert "quantization" not in writers.read_json(folder / "config.json")
    before = load_release(source, dtype="float32", dequantize=True)
    assert writers.logits(load_release(folder, dtype="float32")) == writers.logits(before)


def test_dequantizing_the_unquantized_is_refused(release, tmp_path):
    with pytest.raises(CheckpointError, match="nothing in the source is quantized"):
        made(release, tmp_path / "out", dequantize=True)


# Adapters


@pytest.fixture(scope="module")
def adapted(wide, tmp_path_factory):
    """Layout H: the release with a clef-finetune adapter and its trained head in it."""
    return writers.write_h(wide, tmp_path_factory.mktemp("adapted") / "h")


def test_an_adapter_in_the_folder_is_merged_as_loading_merges_it(adapted, tmp_path):
    folder = made(adapted, tmp_path / "out", recipe="fp32")
    assert writers.logits(load_release(folder)) == writers.logits(load_release(adapted))
    assert not (folder / "adapter").exists()


def test_an_adapter_named_by_option_gives_the_same(adapted, wide, tmp_path):
    given = made(wide, tmp_path / "given", recipe="4bit", adapters=(str(adapted),))
    assert weights_hash(given) == weights_hash(made(adapted, tmp_path / "inside", recipe="4bit"))


def test_base_head_leaves_the_trained_head_out(adapted, wide, tmp_path):
    folder = made(wide, tmp_path / "out", adapters=(str(adapted),), base_head=True)
    assert mx.array_equal(writers.read_head(folder)["memory_projection.weight"],
                          writers.read_head(wide)["memory_projection.weight"])  # fmt: skip


def test_what_an_adapter_changed_is_reported_and_recorded(adapted, wide, tmp_path):
    result = convert(wide, tmp_path / "out", Settings(report=False, adapters=(f"{adapted}=0.5",)))
    names = {row["name"] for row in result.changed}
    assert "language_model.layers.0.linear_attn.in_proj_qkv.weight" in names
    assert all(0 < row["relative"] < 10 for row in result.changed)
    (entry,) = writers.read_json(tmp_path / "out" / "conversion.json")["adapters"]
    assert (entry["name"], entry["weight"]) == (adapted.name, 0.5)
    assert list(entry["files"]) == ["adapter_model.safetensors"]


def test_an_adapter_on_quantized_weights_needs_a_word(adapted, wide, tmp_path):
    source = writers.write_b(wide, tmp_path / "b", FOUR)
    with pytest.raises(CheckpointError, match="--requantize"):
        made(source, tmp_path / "out", recipe="4bit", adapters=(str(adapted),))


# The report


@pytest.fixture
def calibration(tmp_path):
    """Two short requests."""
    lines = [json.dumps(REQUEST | {"state": state}) for state in ("The heating is off.", "Thank you for the flowers.")]
    (tmp_path / "two.jsonl").write_text("\n".join(lines))
    return tmp_path / "two.jsonl"


def test_the_report_is_measured_and_left_in_the_folder(tiny_release, calibration, tmp_path):
    result = convert(tiny_release, tmp_path / "out", Settings(calibration=calibration))
    report = writers.read_json(tmp_path / "out" / "conversion_report.json")
    assert report["fidelity"]["requests"] == 2
    assert 0 < report["fidelity"]["summary"]["all"]["max_dp"] == result.fidelity.summary().max_dp < 1
    assert (tmp_path / "out" / "conversion_report.png").read_bytes().startswith(b"\x89PNG")
    assert "| all |" in (tmp_path / "out" / "README.md").read_text()


def test_the_source_precision_changes_no_answer(tiny_release, calibration, tmp_path):
    result = convert(tiny_release, tmp_path / "out", Settings(recipe="bf16", calibration=calibration))
    assert result.fidelity.summary().max_dp == 0


def test_an_interrupted_report_leaves_a_whole_model(tiny_release, calibration, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(convert_module, "compare", interrupted)
    notes = []
    with pytest.raises(KeyboardInterrupt):
        convert(tiny_release, tmp_path / "out", Settings(calibration=calibration), Watch(note=notes.append))
    assert notes == [f"{tmp_path / 'out'}: is complete, but without a report."]
    assert verify(tmp_path / "out").passed


def test_requests_that_are_wrong_are_said_before_anything_is_written(tiny_release, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(ClefError, match=r"bad\.jsonl:1"):
        convert(tiny_release, tmp_path / "out", Settings(calibration=tmp_path / "bad.jsonl"))
    assert not (tmp_path / "out").exists()


def test_a_target_decides_what_no_option_has(tiny_release, calibration, tmp_path):
    settings = Settings(target=Target(bits=7.5), lm_head="8", calibration=calibration, report=False)
    result = convert(tiny_release, tmp_path / "out", settings)
    assert result.bits <= 7.5 and result.recipe == "7.5bit-measured"
    assert bits_of(result.out, "language_model.lm_head") == 8
    assert result.chosen["measured"]["requests"] == 2


# The folder


def test_text_only_leaves_the_vision_tower_out(release, tmp_path):
    folder = made(release, tmp_path / "out", text_only=True)
    assert not inspect_release(folder).vision
    assert writers.logits(load_release(folder)) == writers.logits(load_release(made(release, tmp_path / "all")))


@pytest.mark.parametrize("recipe", ["mixed-4bit", "4bit", "mxfp4"])
def test_mlx_lm_reads_every_module_with_its_own_bits(recipe, release, tmp_path):
    from mlx_lm.utils import load_model

    folder = made(release, tmp_path / "out", recipe=recipe, text_only=True)
    theirs, _ = load_model(folder)
    ours = load_release(folder, dequantize=False).model
    pairs = [(theirs.language_model.lm_head, ours.lm_head)]
    for layer, own in zip(theirs.layers, ours.language_model.layers, strict=True):
        pairs.append((layer.mlp.down_proj, own.mlp.down_proj))
    for module, own in pairs:
        assert (module.bits, module.group_size, module.mode) == (own.bits, own.group_size, own.mode)
        assert mx.array_equal(module.weight, own.weight)


def test_sidecars_and_the_licence_come_along(release, tmp_path):
    source = shutil.copytree(release, tmp_path / "source")
    (source / "LICENSE").write_text("Terms.")
    (source / "README.md").write_text("---\nlicense: apache-2.0\n---\nThe source's own words.")
    (source / "modeling.py").write_text("raise SystemExit")
    folder = made(source, tmp_path / "out")
    copied = {"LICENSE", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "preprocessor_config.json"}
    assert all((folder / name).read_bytes() == (source / name).read_bytes() for name in copied)
    assert not (folder / "modeling.py").exists()
    card = (folder / "README.md").read_text()
    assert "license: apache-2.0" in card and "own words" not in card


def test_the_record_names_source_recipe_tool_and_hashes(release, tmp_path):
    source = shutil.copytree(release, tmp_path / "source")
    config = writers.read_json(source / "config.json")
    writers.write_json(
        source / "config.json", config | {"_name_or_path": "Cloudflare/clef-flash", "_commit_hash": "a" * 40}
    )
    folder = made(source, tmp_path / "out", overrides=("*.up_proj=5",))
    record = writers.read_json(folder / "conversion.json")
    digest = hashlib.sha256((source / "model.safetensors").read_bytes()).hexdigest()
    assert (record["source"], record["revision"]) == ("Cloudflare/clef-flash", "a" * 40)
    assert record["source_files"]["model.safetensors"] == digest
    assert record["recipe"] == "mixed-4bit" and record["overrides"] == ["*.up_proj=5"]
    assert record["tool"]["name"] == "clef-mlx"
    found = inspect_release(folder)
    assert (found.source, found.revision) == ("Cloudflare/clef-flash", "a" * 40)


def test_a_hub_cache_of_links_is_read_and_named(tiny_release, tmp_path):
    revision = "b" * 40
    snapshot = tmp_path / "models--Cloudflare--clef-flash" / "snapshots" / revision
    blobs = snapshot.parents[1] / "blobs"
    snapshot.mkdir(parents=True)
    shutil.copytree(tiny_release, blobs)
    for file in blobs.iterdir():
        (snapshot / file.name).symlink_to(f"../../blobs/{file.name}")
    result = convert(snapshot, tmp_path / "out", Settings(report=False))
    assert (result.source, result.revision) == ("Cloudflare/clef-flash", revision)
    assert not any(file.is_symlink() for file in result.out.iterdir())


def test_a_record_tells_no_paths(release, tmp_path):
    assert str(tmp_path) not in (made(release, tmp_path / "out") / "conversion.json").read_text()


def test_the_folder_is_named_after_source_and_recipe(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert made(release, None, recipe="8bit").name == f"{release.name}-8bit"


def test_the_same_conversion_gives_the_same_bytes(release, tmp_path):
    first, second = (made(release, tmp_path / name / "out") for name in "ab")
    names = sorted(file.name for file in first.iterdir())
    assert names == sorted(file.name for file in second.iterdir())
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_numbers_for_programs_are_plain_json(release, tmp_path):
    facts = json.loads(json.dumps(convert(release, tmp_path / "out", Settings(report=False)).to_dict()))
    assert facts["recipe"] == "mixed-4bit" and facts["nbytes"] < facts["source_bytes"]
    assert np.isclose(
        facts["bits"],
        sum(share["stored_bytes"] for share in facts["shares"] if _text(share))
        * 8
        / sum(share["parameters"] for share in facts["shares"] if _text(share)),
        atol=0.05,
    )


def _text(share):
    return share["kind"] in ("lm_head", "embed_tokens", "linear attention", "full attention", "mlp")
