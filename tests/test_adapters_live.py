"""Our merge against PEFT's own, in torch, for every variant: each tensor, and the probabilities that follow."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest

import clef_mlx
from clef_mlx.engine.forward import batch_logits
from clef_mlx.weights.adapters.adapters import Adapters
from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.layouts import CONV, ZERO_CENTRED_NORM
from clef_mlx.weights.load import load_release, plan_adapted

pytest.importorskip("torch", reason="PEFT's merge runs on torch")
pytest.importorskip("peft", reason="its merge is the judge")
pytest.importorskip("clef_finetune", reason="it carries the publisher's code")

pytestmark = [
    pytest.mark.live,
    # The judges' own, about transformers' next version and about tables that are saved along.
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning"),
]

TENSOR = 1e-6
MAX_DP = 2e-5
TEXT = r".*language_model\.layers\.\d+\.(?:linear_attn|self_attn|mlp)\.[a-z_]*proj[a-z_]*"
EVERYWHERE = {"r": 4, "lora_alpha": 8, "target_modules": TEXT}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": EVERYWHERE,
    "suffixes": {"r": 3, "lora_alpha": 5, "target_modules": ["q_proj", "in_proj_qkv", "out_proj", "down_proj"]},
    "rslora": EVERYWHERE | {"use_rslora": True},
    "dora": EVERYWHERE | {"use_dora": True},
    "rslora-dora": EVERYWHERE | {"use_rslora": True, "use_dora": True},
    "patterns": EVERYWHERE
    | {"rank_pattern": {"in_proj_qkv": 7, r"0\.mlp\.up_proj": 2}, "alpha_pattern": {r".*\.o_proj": 3, "q_proj": 20}},
    "layers": {"r": 4, "lora_alpha": 4, "target_modules": ["up_proj", "in_proj_z"], "layers_to_transform": [0, 2]},
    "exclude": EVERYWHERE | {"exclude_modules": ["in_proj_a", "in_proj_b"]},
    "vision": {"r": 4, "lora_alpha": 8, "target_modules": r".*visual\.(?:blocks|merger)\..*(?:qkv|proj|fc\d)"},
    "vision-dora": {"r": 4, "lora_alpha": 8, "use_dora": True, "target_modules": r".*visual\.blocks\..*qkv"},
    "tables": {"r": 4, "lora_alpha": 8, "target_modules": ["embed_tokens", "lm_head"]},
    "lm-head-dora": {"r": 4, "lora_alpha": 8, "use_dora": True, "target_modules": ["lm_head"]},
    "saved": EVERYWHERE | {"modules_to_save": ["lm_head", "0.input_layernorm", "conv1d", "self_attn.q_norm"]},
}


@pytest.fixture(scope="module")
def release(random_release) -> Path:
    return random_release("golden-128")


@pytest.fixture(scope="module")
def publisher(release):
    from publisher import Publisher

    return Publisher(release)


def trained(publisher, folder: Path, seed: int = 0, **facts: Any) -> Any:
    """Write an adapter whose every parameter is off its start, as training leaves it; PEFT's model of it."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    model = get_peft_model(copy.deepcopy(publisher.model.language_model), LoraConfig(**facts))
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "lora_magnitude" in name:
                value.mul_(1 + 0.2 * torch.randn_like(value))
            elif value.requires_grad:
                value.add_(0.03 * torch.randn_like(value))
    model.save_pretrained(folder)
    return model


def finished(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Torch's parameters under our names and as our model takes them."""
    from clef_mlx.weights.layouts import place

    made = {}
    for key, value in state.items():
        name, array = place(key).name, value.detach().float().numpy()
        if ZERO_CENTRED_NORM.fullmatch(name):
            array = array + np.float32(1.0)
        made[name] = array.swapaxes(1, 2) if CONV.fullmatch(name) else array
    return made


def merged(adapters: Adapters, base: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.array(adapters.merge(name, mx.array(base[name]))) for name in adapters.parameters}


def probabilities(release: Any) -> list[np.ndarray]:
    logits = batch_logits(release.model, [writers.record(release.config.text.vocab_size)], 0)[0]
    return [np.array(mx.softmax(question)) for question in logits]


@pytest.mark.parametrize("variant", VARIANTS)
def test_merge_equals_pefts_in_every_tensor(variant, release, publisher, tmp_path):
    model = trained(publisher, tmp_path / "a", **VARIANTS[variant])
    base = finished(publisher.model.language_model.state_dict())
    wanted = finished(model.merge_and_unload().state_dict())
    adapters = plan_adapted(read_folder(release), [AdapterSpec(tmp_path / "a")]).adapters
    ours = base | merged(adapters, base)
    moved = {name for name, value in wanted.items() if not np.array_equal(value, base[name])}
    assert moved and moved <= set(adapters.parameters)
    assert {name: d for name in wanted if (d := np.abs(ours[name] - wanted[name]).max()) > TENSOR} == {}


@pytest.mark.parametrize("variant", [name for name in VARIANTS if not name.startswith("vision")])
def test_decisions_with_an_adapter_equal_the_publishers_on_pefts_merge(variant, release, publisher, tmp_path):
    from requests_bank import requests

    model = trained(publisher, tmp_path / "a", **VARIANTS[variant]).merge_and_unload()
    tuned = copy.copy(publisher)
    tuned.model = copy.deepcopy(publisher.model)
    tuned.model.language_model = model.eval()
    worst = 0.0
    with clef_mlx.load(release, adapter=tmp_path / "a", dtype="float32") as ours:
        for request in [one for one in requests() if len(str(one)) < 500][::20]:
            trace = ours.trace(request, control_tokens="publisher")
            for (question, options), p in zip(
                zip(request["questions"], trace["option_ids"], strict=True), tuned.probabilities(request), strict=True
            ):
                mine = np.array([trace["probabilities"][question][option] for option in options])
                worst = max(worst, float(np.abs(mine - p.numpy()).max()))
    assert worst <= MAX_DP


@pytest.mark.parametrize("variant", ["plain", "rslora-dora", "tables", "lm-head-dora", "saved"])
def test_pefts_adapter_beside_quantized_weights_equals_it_merged_into_them(variant, release, publisher, tmp_path):
    trained(publisher, tmp_path / "a", **VARIANTS[variant])
    folder = writers.write_b(release, tmp_path / "b", {"mode": "affine", "bits": 8, "group_size": 32})
    beside, merged = (
        load_release(folder, adapters=[AdapterSpec(tmp_path / "a")], dtype="float32", dequantize=unpack)
        for unpack in (False, True)
    )
    differences = [np.abs(p - q).max() for p, q in zip(probabilities(beside), probabilities(merged), strict=True)]
    assert max(differences) <= MAX_DP


def test_two_weighted_adapters_equal_pefts_sum(release, publisher, tmp_path):
    """PEFT merges one after the other; scaling alpha is what a weight means there."""
    first = trained(publisher, tmp_path / "a", seed=1, **EVERYWHERE)
    second = trained(publisher, tmp_path / "b", seed=2, **EVERYWHERE | {"lora_alpha": 2})
    base = finished(publisher.model.language_model.state_dict())
    one, two = (finished(model.merge_and_unload().state_dict()) for model in (first, second))
    specs = [AdapterSpec(tmp_path / "a", 0.5), AdapterSpec(tmp_path / "b", -2.0)]
    ours = merged(plan_adapted(read_folder(release), specs).adapters, base)
    for name, value in ours.items():
        wanted = base[name] + 0.5 * (one[name] - base[name]) - 2.0 * (two[name] - base[name])
        np.testing.assert_allclose(value, wanted, atol=5e-6, rtol=0)


def test_what_clef_finetune_writes_decides_as_its_own_model(release, publisher, tmp_path):
    """Its export, without the export: adapter/, joint_head.safetensors and train_config.json side by side."""
    from clef_finetune.model import discover_lora_targets, targets_regex
    from safetensors.torch import save_file

    checkpoint = tmp_path / "checkpoint-10"
    targets = targets_regex(discover_lora_targets(publisher.model.language_model))
    model = trained(publisher, checkpoint / "adapter", r=4, lora_alpha=8, target_modules=targets)
    tuned = copy.copy(publisher)
    tuned.model = copy.deepcopy(publisher.model)
    tuned.model.language_model = model.eval()
    head = next(module for name, module in tuned.model.named_children() if "head" in name)
    for value in head.parameters():
        value.data.mul_(1.05)
    save_file(
        {key: value.contiguous() for key, value in head.state_dict().items()}, checkpoint / "joint_head.safetensors"
    )
    (checkpoint / "train_config.json").write_text(json.dumps({"train": {"train_head": True}}))
    request = {
        "state": "The parcel is late.",
        "questions": {"late": {"type": "noul"}, "n": {"type": "score", "criteria": ["a", "b", "c"]}},
    }
    with clef_mlx.load(release, adapter=checkpoint, dtype="float32") as ours:
        mine = ours.trace(request, control_tokens="publisher")["probabilities"]
    for question, p in zip(request["questions"], tuned.probabilities(request), strict=True):
        np.testing.assert_allclose(list(mine[question].values()), p.numpy(), atol=MAX_DP, rtol=0)
