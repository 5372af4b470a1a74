from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from clef_mlx.weights.random_release import NOTICE, SIZES, write_random_release, write_safetensors

GOLDENS = Path(__file__).parent / "goldens"


@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
def test_goldens_were_recorded_from_these_very_weights(random_release, size):
    """If this fails, the builder changed: record again with `python -m goldens.record` in tests/."""
    recorded = json.loads((GOLDENS / f"{size}.json").read_text(encoding="utf-8"))["metadata"]["weights"]
    release = random_release(size)
    assert recorded == {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in recorded}


def test_seed_changes_the_weights(tiny_release, tmp_path):
    other = write_random_release(tmp_path, seed=1)
    assert (other / "model.safetensors").read_bytes() != (tiny_release / "model.safetensors").read_bytes()


def test_release_says_loudly_that_it_is_random(tiny_release):
    assert (tiny_release / "RANDOM_WEIGHTS.txt").read_text() == NOTICE
    assert "meaningless" in NOTICE


def read(files: list[Path]) -> dict[str, np.ndarray]:
    tensors = {}
    for file in files:
        with safe_open(file, framework="numpy") as opened:
            tensors |= {name: opened.get_tensor(name) for name in opened.keys()}
    return tensors


def test_shards_hold_what_one_file_holds(tmp_path):
    one = write_random_release(tmp_path / "one", dtype="float32")
    three = write_random_release(tmp_path / "three", dtype="float32", shards=3)
    whole = read([one / "model.safetensors"])
    parts = read([three / f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)])
    index = json.loads((three / "model.safetensors.index.json").read_text())
    assert whole.keys() == parts.keys() == index["weight_map"].keys()
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    assert index["metadata"]["total_size"] == sum(tensor.nbytes for tensor in whole.values())


def test_bfloat16_rounds_to_nearest_with_ties_to_even(tmp_path):
    def bits(value):
        write_safetensors(tmp_path / "x.safetensors", {"x": np.array([value], np.float32)}, "bfloat16")
        return int.from_bytes((tmp_path / "x.safetensors").read_bytes()[-2:], "little")

    # bfloat16 has 8 bits of mantissa: 1 + 1/256 lies half way, and goes to the even neighbour.
    values = (1.0, 1 + 1 / 256, 1 + 3 / 256, 1 + 1 / 256 + 2**-20, -2.5)
    assert [bits(value) for value in values] == [0x3F80, 0x3F80, 0x3F82, 0x3F81, 0xC020]


def test_facts_can_be_replaced(tmp_path):
    release = write_random_release(tmp_path, hidden_size=32, attention_bias=True, head={"layers": 3})
    with safe_open(release / "model.safetensors", framework="numpy") as opened:
        assert "model.language_model.layers.3.self_attn.q_proj.bias" in opened.keys()
    config = json.loads((release / "config.json").read_text())
    head = json.loads((release / "joint_head_config.json").read_text())
    widths = config["text_config"]["hidden_size"], config["vision_config"]["out_hidden_size"], head["hidden_size"]
    assert widths == (32, 32, 32)
    assert head["layers"] == 3


def test_tied_release_has_no_lm_head(tmp_path):
    release = write_random_release(tmp_path, tie_word_embeddings=True)
    with safe_open(release / "model.safetensors", framework="numpy") as opened:
        assert "lm_head.weight" not in opened.keys()
    assert json.loads((release / "config.json").read_text())["tie_word_embeddings"] is True


@pytest.mark.parametrize("size", sorted(set(SIZES) - {"bench"}))
def test_decays_cover_their_whole_range(tmp_path, size):
    release = write_random_release(tmp_path, size, dtype="float32")
    tensors = read([release / "model.safetensors"])
    for name in (name for name in tensors if name.endswith("A_log")):
        softplus = np.log1p(np.exp(tensors[name.replace("A_log", "dt_bias")].astype(np.float64)))
        rates = np.exp(tensors[name]) * softplus
        assert rates.min() < 2e-4 and rates.max() > 50


@pytest.mark.live
@pytest.mark.parametrize("size", sorted(set(SIZES) - {"bench"}))
def test_publishers_library_finds_every_key_and_no_other(random_release, size):
    pytest.importorskip("torch", reason="transformers' models run on torch, which is not installed here")
    import publisher

    load = publisher.Qwen3_5ForConditionalGeneration.from_pretrained
    _, found = load(random_release(size), output_loading_info=True)
    assert not any(found.values())
