"""Adapters that would change nothing, the wrong thing, or something else than their writer meant: one line each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import adapter_writers as adapters
import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest
from adapter_writers import ALPHA, LINEAR, PEFT_PREFIX, QKV, RANK, UP

import clef_mlx
from clef_mlx.errors import AdapterError, CheckpointError
from clef_mlx.weights.adapters.spec import adapter_specs
from clef_mlx.weights.load import load_release
from clef_mlx.weights.random_release import write_random_release


@pytest.fixture(scope="module")
def release(random_release) -> Path:
    return random_release("golden-128")


def refusal(release: Path, *folders: Any) -> str:
    with pytest.raises(AdapterError) as caught:
        load_release(release, adapters=adapter_specs(list(folders)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"r": 0}, "r must be a whole number >= 1, got 0"),
        ({"r": "8"}, "r must be a whole number"),
        ({"rank_pattern": {"up_proj": 0}}, "r must be a whole number >= 1, got 0"),
        ({"lora_alpha": None}, "lora_alpha must be a number, got null"),
        ({"r": 8}, r"must give [256, 128] with rank 8, got [256, 4] and [4, 128]"),
        ({"peft_type": "LOHA"}, 'peft_type must be "LORA", got "LOHA"'),
        ({"bias": "lora_only"}, 'bias must be "none"'),
        ({"lora_bias": True}, "lora_bias must be"),
        ({"alora_invocation_tokens": [1, 2]}, "alora_invocation_tokens must be null"),
        ({"layer_replication": [[0, 2], [1, 3]]}, "layer_replication must be null"),
        ({"trainable_token_indices": [3]}, "trainable_token_indices must be null"),
        ({"target_parameters": ["mlp.experts"]}, "target_parameters must be null"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights must be"),
        ({"use_dora": True}, "lora_magnitude_vector is missing beside it"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save names lm_head, which has no weights"),
        ({"target_modules": ["q_proj"]}, "is not among target_modules"),
        ({"target_modules": "(", }, "is no pattern"),
        ({"target_modules": 3}, "target_modules must be text or a list of names, got 3"),
        ({"target_modules": [3]}, "target_modules must be text or a list of names, got an array"),
        ({"exclude_modules": {"up_proj": 1}}, "exclude_modules must be text or a list of names"),
        ({"modules_to_save": 3}, "modules_to_save must be text or a list of names"),
        ({"rank_pattern": ["up_proj"]}, "rank_pattern must be an object, got an array of 1 item"),
        ({"alpha_pattern": 3}, "alpha_pattern must be an object, got 3"),
        ({"exclude_modules": ["up_proj"]}, "is not among target_modules"),
        ({"target_modules": ["up_proj"], "layers_to_transform": [1]}, "is not among target_modules"),
    ],
)  # fmt: skip
def test_config_that_means_something_else_is_refused(facts, expected, release, tmp_path):
    message = refusal(release, adapters.write_text(release, tmp_path / "a", [UP], **facts))
    assert expected in message and "\n" not in message


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("layers.9.mlp.up_proj", "changes nothing in this model"),
        ("layers.0.mlp.experts.0.up_proj", "changes nothing"),
        ("layers.0.self_attn.q_proj", "changes nothing"),  # a linear-attention layer has no such thing
        ("layers.3.self_attn.q", "changes nothing"),
    ],
)
def test_pair_without_a_place_is_named(stem, expected, release, tmp_path):
    a, b = adapters.factors(release, UP)
    pairs = adapters.peft_pair(PEFT_PREFIX + UP, a, b) | adapters.peft_pair(PEFT_PREFIX + stem, a, b)
    message = refusal(release, adapters.write_peft(tmp_path / "a", pairs))
    assert f"{stem}.lora_" in message and expected in message


@pytest.mark.parametrize(
    "key",
    [
        f"{PEFT_PREFIX}{UP}.lora_A.bias",
        f"{PEFT_PREFIX}{UP}.lora_E",
        "base_model.model.lm_head.weight",  # trained whole, but not among modules_to_save
        "head.memory_projection.lora_A.weight",
        "prompt_embeddings",
    ],
)
def test_key_that_nothing_uses_is_named(key, release, tmp_path):
    pair = adapters.peft_pair(PEFT_PREFIX + UP, *adapters.factors(release, UP))
    assert refusal(release, adapters.write_peft(tmp_path / "a", pair | {key: np.zeros((4, 4), np.float32)})).startswith(
        f"{key}: "
    )


def test_many_strange_keys_are_counted_and_the_first_named(release, tmp_path):
    a, b = adapters.factors(release, UP)
    pairs = [adapters.peft_pair(f"{PEFT_PREFIX}layers.{n}.mlp.up_proj", a, b) for n in range(4, 40)]
    message = refusal(release, adapters.write_peft(tmp_path / "a", {k: v for pair in pairs for k, v in pair.items()}))
    assert "36 problems" in message and "… and 26 more." in message


def test_adapter_for_a_base_of_another_size_is_refused(release, tmp_path):
    other = write_random_release(tmp_path / "tiny", "tiny")
    message = refusal(release, adapters.write_text(other, tmp_path / "a", [UP]))
    assert "must give [256, 128]" in message and "another base" in message


@pytest.mark.parametrize("side", ["lora_A", "lora_B", "lora_magnitude_vector"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_adapter_that_is_not_finite_is_refused_before_the_base_is_read(side, value, release, tmp_path):
    a, b = adapters.factors(release, UP)
    pair = adapters.peft_pair(PEFT_PREFIX + UP, a, b, np.ones((256,), np.float32))
    key = next(key for key in pair if side in key)
    pair[key].flat[1] = value
    folder = adapters.write_peft(tmp_path / "a", pair, use_dora=True)
    assert f"{key} must be finite, got NaN or infinity" in refusal(release, folder)


def test_scale_that_overflows_is_refused(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP], lora_alpha=1e38)
    assert f"language_model.{UP}.weight: must be finite after merging" in refusal(release, (folder, 1e30))


def test_integer_factors_are_refused(release, tmp_path):
    a, b = adapters.factors(release, UP)
    folder = adapters.write_peft(tmp_path / "a", adapters.peft_pair(PEFT_PREFIX + UP, a, b.astype(np.int32)))
    assert "dtype must be one of F32, F16, BF16, got I32" in refusal(release, folder)


def test_module_changed_by_two_names_is_refused(release, tmp_path):
    pairs = [adapters.peft_pair(prefix + QKV, *adapters.factors(release, QKV)) for prefix in
             (PEFT_PREFIX, "base_model.model.model.")]  # fmt: skip
    assert "is changed twice" in refusal(release, adapters.write_peft(tmp_path / "a", pairs[0] | pairs[1]))


def test_tables_that_the_model_ties_are_not_changed_by_an_adapter(tmp_path):
    tied = write_random_release(tmp_path / "tied", "tiny", tie_word_embeddings=True)
    rows, width = writers.read_backbone(tied)["model.language_model.embed_tokens.weight"].shape
    table = f"{PEFT_PREFIX}embed_tokens.lora_embedding_"
    pair = {f"{table}A": adapters.draw((RANK, rows)), f"{table}B": adapters.draw((width, RANK))}
    assert "ties to its output" in refusal(tied, adapters.write_peft(tmp_path / "a", pair))


def test_dora_of_an_embedding_is_refused(release, tmp_path):
    table = f"{PEFT_PREFIX}embed_tokens."
    pair = {
        f"{table}lora_embedding_A": adapters.draw((RANK, 1024)),
        f"{table}lora_embedding_B": adapters.draw((128, 4)),
    }
    pair |= {f"{table}lora_magnitude_vector.weight": adapters.draw((128,))}
    assert "DoRA of an embedding" in refusal(release, adapters.write_peft(tmp_path / "a", pair, use_dora=True))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"fine_tune_type": "prefix"}, "fine_tune_type must be one of lora, dora, full"),
        ({"lora_parameters": {"rank": 0, "scale": 2.0}}, "rank must be a whole number >= 1, got 0"),
        ({"lora_parameters": {"rank": RANK}}, "scale must be a number, got null"),
        ({"lora_parameters": {"rank": 8, "scale": 2.0}}, "with rank 8"),
        ({"fine_tune_type": "dora"}, "m is missing beside it"),
        ({"fine_tune_type": "full"}, "changes nothing"),
    ],
)
def test_mlx_config_that_does_not_fit_is_refused(facts, expected, release, tmp_path):
    pair = adapters.mlx_pair(f"language_model.model.{UP}", *adapters.factors(release, UP))
    assert expected in refusal(release, adapters.write_mlx(tmp_path / "a", pair, **facts))


def test_mlx_factors_in_pefts_orientation_are_refused(release, tmp_path):
    a, b = adapters.factors(release, UP)
    pair = {f"language_model.model.{UP}.lora_a": a, f"language_model.model.{UP}.lora_b": b}
    assert "must give [256, 128]" in refusal(release, adapters.write_mlx(tmp_path / "a", pair))


def test_patch_embedding_is_left_to_other_tools(release, tmp_path):
    stem = "base_model.model.model.visual.patch_embed.proj"
    pair = adapters.peft_pair(stem, adapters.draw((RANK, 3, 2, 16, 16)), adapters.draw((32, RANK, 1, 1, 1)))
    assert "how pictures are cut into patches" in refusal(release, adapters.write_peft(tmp_path / "a", pair))


# Folders


def _pickled(folder: Path) -> None:
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")


def _truncated(folder: Path) -> None:
    file = folder / "adapter_model.safetensors"
    file.write_bytes(file.read_bytes()[:-10])


def _emptied(folder: Path) -> None:
    writers.save(folder / "adapter_model.safetensors", {}, "pt")


def _pointer(folder: Path) -> None:
    (folder / "adapter_model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")


def _broken_config(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{")


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_pickled, "adapter_model.bin can run code when read"),
        (lambda folder: (folder / "adapter_model.safetensors").unlink(), "file is missing. Copy the whole folder"),
        (_truncated, "file is truncated"),
        (_emptied, "holds no weights"),
        (_pointer, "Git LFS pointer"),
        (_broken_config, "adapter_config.json: must be JSON"),
    ],
)
def test_damaged_folder_is_refused_in_one_line(spoil: Callable[[Path], Any], expected, release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    spoil(folder)
    with pytest.raises((AdapterError, CheckpointError)) as caught:
        load_release(release, adapters=adapter_specs(folder))
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_folder_that_is_no_adapter_is_refused(release, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for given, expected in (
        (tmp_path / "none", "no such folder"),
        (tmp_path / "none:0.5", "no such folder"),
        (tmp_path / "file", "is a file"),
        (tmp_path / "empty", "holds no adapter_config.json"),
        (release, "holds no adapter_config.json"),
    ):
        with pytest.raises(AdapterError, match=expected):
            clef_mlx.load(release, adapter=str(given))


@pytest.mark.parametrize("weight", ["half", "nan", "inf"])
def test_weight_that_is_no_number_is_refused(weight, release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    with pytest.raises(AdapterError, match="its weight must be"):
        adapter_specs(f"{folder}:{weight}")


@pytest.mark.parametrize("weight", [None, [1], {}, 10**400, float("nan")])
def test_weight_of_a_pair_that_is_no_number_is_refused(weight, release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    with pytest.raises(AdapterError, match="its weight must be"):
        adapter_specs((folder, weight))


@pytest.mark.parametrize("given", [3, [3], [None], {"a": 1}, [(3, 1.0)]])
def test_adapter_that_is_no_folder_is_refused(given):
    with pytest.raises(AdapterError, match="^adapter: must be a folder"):
        adapter_specs(given)


# Heads


@pytest.mark.parametrize("settings", [{"train": {"train_head": True}}, {"train": {}}, {"model": {"path": "x"}}])
def test_trained_head_that_is_missing_is_an_error(settings, release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "c" / "adapter", LINEAR)
    (tmp_path / "c" / "train_config.json").write_text(json.dumps(settings))
    message = refusal(release, folder)
    assert "joint_head.safetensors: is missing" in message and "--base-head" in message
    load_release(release, adapters=adapter_specs(folder), base_head=True)


def test_two_different_trained_heads_are_an_error(release, tmp_path):
    folders = [adapters.write_text(release, tmp_path / name, [UP]) for name in ("one", "two")]
    for number, folder in enumerate(folders):
        head = {name: value * (1.0 + number) for name, value in writers.read_head(release).items()}
        writers.save(folder / "joint_head.safetensors", head, "pt")
    assert "is another trained head" in refusal(release, *folders)
    writers.save(folders[1] / "joint_head.safetensors", dict(writers.read_head(release)), "pt")
    load_release(release, adapters=adapter_specs(folders))


def test_head_of_another_base_is_refused(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP])
    other = write_random_release(tmp_path / "tiny", "tiny")
    writers.save(folder / "joint_head.safetensors", dict(writers.read_head(other)), "pt")
    message = refusal(release, folder)
    assert "joint_head.safetensors: is no head for" in message and "shape must be" in message


def test_head_that_is_not_finite_is_refused(release, tmp_path):
    folder = adapters.write_text(release, tmp_path / "a", [UP], lora_alpha=ALPHA)
    head = dict(writers.read_head(release))
    head["memory_projection.weight"] = mx.full(head["memory_projection.weight"].shape, float("nan"))
    writers.save(folder / "joint_head.safetensors", head, "pt")
    with pytest.raises(CheckpointError, match="memory_projection.weight must be finite"):
        load_release(release, adapters=adapter_specs(folder))
