"""A folder that is not what it should be is found out, by what is wrong with it."""

from __future__ import annotations

import json
import shutil

import layout_writers as writers
import mlx.core as mx
import pytest

from clef_mlx.cli import main
from clef_mlx.convert.check import verify
from clef_mlx.convert.convert import convert
from clef_mlx.convert.settings import Settings
from clef_mlx.weights.random_release import write_random_release

FOUR = {"mode": "affine", "bits": 4, "group_size": 64}
UP = "language_model.model.layers.0.mlp.up_proj"


@pytest.fixture(scope="module")
def converted(tiny_release, tmp_path_factory):
    return convert(tiny_release, tmp_path_factory.mktemp("verify") / "out", Settings(report=False)).out


@pytest.fixture
def folder(converted, tmp_path):
    """A copy that may be damaged."""
    return shutil.copytree(converted, tmp_path / "out")


def found(folder):
    return {check.name: check for check in verify(folder).checks}


def rewrite(folder, changes, file="model.safetensors"):
    held = mx.load(str(folder / file))
    mx.eval(held)
    writers.save(folder / file, held | {name: change(held[name]) for name, change in changes.items()})


def test_a_conversion_passes_every_check(converted):
    checks = verify(converted).checks
    assert [check.name for check in checks] == [
        "names and shapes",
        "hashes",
        "norms",
        "values",
        "tokenizer",
        "decision",
    ]
    assert all(check.passed for check in checks)


@pytest.mark.parametrize("letter", ["A", *writers.PLAIN])
def test_every_layout_passes(letter, tiny_release, tmp_path):
    source = tiny_release if letter == "A" else writers.PLAIN[letter](tiny_release, tmp_path / letter)
    result = verify(source)
    assert result.passed
    assert {check.name for check in result.checks if check.passed is None} == {"hashes"}


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "joint_head.safetensors"])
def test_a_changed_byte_is_found_by_its_file(name, folder):
    content = bytearray((folder / name).read_bytes())
    place = content.rindex(b"0") if name.endswith(".json") else len(content) - 1
    content[place] ^= 1
    (folder / name).write_bytes(content)
    check = found(folder)["hashes"]
    assert check.passed is False and f"{name} has changed" in check.detail


def test_a_missing_sidecar_is_found(folder):
    (folder / "chat_template.jinja").unlink()
    assert "chat_template.jinja is missing" in found(folder)["hashes"].detail


def test_a_release_shifted_twice_is_found(tiny_release, tmp_path):
    shifted = {
        name: value + 1.0 if name.endswith(writers.NORMS) or name == "language_model.model.norm.weight" else value
        for name, value in writers.mlx_tensors(writers.read_backbone(tiny_release)).items()
    }
    out = writers.start_folder(tiny_release, tmp_path / "out")
    writers.save(out / "model.safetensors", shifted)
    writers.copy_head(tiny_release, out)
    check = found(out)["norms"]
    assert check.passed is False and check.detail.startswith("1 was added twice: gains from 1.")


def test_a_release_never_shifted_is_found(tiny_release, tmp_path):
    raw = writers.read_backbone(tiny_release)
    unshifted = {
        name: raw[name.replace("language_model.model.", "model.language_model.")] if "norm.weight" in name and
        name.replace("language_model.model.", "model.language_model.") in raw else value
        for name, value in writers.mlx_tensors(raw).items()
    }  # fmt: skip
    out = writers.start_folder(tiny_release, tmp_path / "out")
    writers.save(out / "model.safetensors", unshifted)
    writers.copy_head(tiny_release, out)
    check = found(out)["norms"]
    assert check.passed is False and check.detail.startswith("1 was never added")


@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
def test_norms_of_other_sizes_pass(size, random_release):
    assert found(random_release(size))["norms"].passed


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("model.safetensors", f"{UP}.scales"),
        ("model.safetensors", "language_model.model.norm.weight"),
        ("model.safetensors", "vision_tower.blocks.0.attn.proj.weight"),
        ("joint_head.safetensors", "memory_projection.weight"),
    ],
)
def test_a_value_that_is_not_finite_is_found_by_its_tensor(name, file, value, folder):
    rewrite(folder, {name: lambda held: mx.where(mx.arange(held.size).reshape(held.shape) == 3, value, held)}, file)
    check = found(folder)["values"]
    assert check.passed is False and name in check.detail


@pytest.mark.parametrize(("recipe", "code"), [("mxfp4", 255), ("mxfp8", 255), ("nvfp4", 127)])
def test_a_scale_that_means_nan_is_found(recipe, code, tiny_release, tmp_path):
    folder = convert(tiny_release, tmp_path / "out", Settings(recipe=recipe, report=False)).out
    assert found(folder)["values"].passed
    rewrite(folder, {f"{UP}.scales": lambda held: mx.full(held.shape, code, mx.uint8)})
    assert f"{UP}.scales" in found(folder)["values"].detail


def test_shapes_that_do_not_fit_the_config_are_found(folder):
    rewrite(folder, {"language_model.model.norm.weight": lambda held: held[:-1]})
    check = found(folder)["names and shapes"]
    assert check.passed is False and "shape must be [64], got [63]" in check.detail


def test_a_tokenizer_of_another_model_is_found(folder):
    tokenizer = writers.read_json(folder / "tokenizer.json")
    tokenizer["model"]["vocab"]["beyond"] = 10**6
    writers.write_json(folder / "tokenizer.json", tokenizer)
    assert found(folder)["tokenizer"].passed is False


def test_a_wrong_folder_is_not_loaded_for_a_decision(folder):
    rewrite(folder, {"language_model.model.norm.weight": lambda held: held * float("nan")})
    assert "decision" not in found(folder)


def test_the_exit_code_and_json_tell(folder, capsys):
    assert main(["verify", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True
    (folder / "chat_template.jinja").unlink()
    assert main(["verify", str(folder), "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["passed"] is False
    assert {"name", "passed", "detail"} == set(result["checks"][0])


def test_people_see_a_line_per_check(converted, capsys):
    assert main(["verify", str(converted)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and all(line.startswith("ok ") for line in lines)


def test_a_folder_without_a_head_is_one_line(folder, capsys):
    (folder / "joint_head.safetensors").unlink()
    assert main(["verify", str(folder)]) == 1
    errors = capsys.readouterr().err
    assert "joint_head.safetensors: file is missing" in errors and errors.count("\n") == 1


def test_a_tied_release_passes(tmp_path):
    assert verify(write_random_release(tmp_path / "tied", tie_word_embeddings=True)).passed
