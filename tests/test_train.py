"""Training as arithmetic: right gradients, whatever the batch is made of, and the same bytes every time."""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np
import pytest
import training
from mlx.utils import tree_flatten, tree_unflatten

from clef_mlx.engine import thread
from clef_mlx.errors import AdapterError, CheckpointError
from clef_mlx.labelled import parse_labelled
from clef_mlx.schema import render
from clef_mlx.train import checkpoint
from clef_mlx.train.adapters import lora_modules, prepare
from clef_mlx.train.augment import Asked, augment
from clef_mlx.train.batches import collate
from clef_mlx.train.data import read_data
from clef_mlx.train.export import write_release
from clef_mlx.train.forward import batch_logits, differentiable
from clef_mlx.train.losses import LossWeights, tally
from clef_mlx.train.schedule import rate_share
from clef_mlx.train.settings import TrainSettings
from clef_mlx.train.step import gradient_step, summed
from clef_mlx.train.train import LOG, Watch, train
from clef_mlx.weights.load import load_release
from clef_mlx.weights.random_release import write_random_release

WEIGHTS = LossWeights(smoothing=0.05, brier=0.5, ordinal=0.7)
FULL = TrainSettings(full=True)
LORA = TrainSettings(rank=4, alpha=8.0)
SHORT = [3, 7]  # the lines with one question only
STEP = 0.005  # of the loss: small enough for a line, far above its last bits
QUICK = TrainSettings(
    rank=4, epochs=2, batch_size=4, learning_rate=5e-3, head_learning_rate=2e-3, validate_every=2, **training.PLAIN
)


def gradients(release: Any, batches: list, *, layers_twice: bool = False) -> tuple[float, dict[str, np.ndarray]]:
    step = gradient_step(release.model, WEIGHTS, checkpoint=layers_twice)
    with differentiable():
        counted, found = summed(step, release.model.trainable_parameters(), batches)
    return counted.loss.item(), {name: np.array(value) for name, value in tree_flatten(found)}


def apart(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> float:
    """The largest difference of any tensor, as a share of that tensor's length."""
    assert found.keys() == wanted.keys()
    # A bias added to all logits alike has no gradient but rounding.
    names = [name for name in wanted if name != "head.residual_scorer.3.bias"]
    return max(np.linalg.norm(found[name] - wanted[name]) / np.linalg.norm(wanted[name]) for name in names)


def examples_at(folder: Path, indices: list[int]) -> list:
    return [training.examples(folder, 1, first=index).plain(0) for index in indices]


# Gradients


@pytest.mark.parametrize("settings", [FULL, LORA], ids=["full", "lora"])
def test_gradients_are_finite_differences(settings, tiny_release):
    release = training.moved(training.prepared(tiny_release, settings), size=0.02)
    batch = collate(examples_at(tiny_release, SHORT), 0)
    _, found = gradients(release, [batch])
    start, random = training.flat(release.model.trainable_parameters()), np.random.default_rng(0)

    def loss_at(name: str, value: mx.array) -> float:
        release.model.update(tree_unflatten([(name, value)]))
        with differentiable():
            return tally(batch_logits(release.model, batch), batch, WEIGHTS).loss.item()

    for name in kinds(found, settings):
        direction = found[name] * random.uniform(0.5, 1.5, found[name].shape).astype(np.float32)
        slope = float((direction * found[name]).sum())
        if slope < 1e-6:
            continue  # below what float32 shows in a loss
        moved = mx.array(direction * np.float32(STEP / slope))
        up, down = loss_at(name, start[name] + moved), loss_at(name, start[name] - moved)
        release.model.update(tree_unflatten([(name, start[name])]))
        assert up - down == pytest.approx(2 * STEP, rel=0.03), name


def kinds(found: dict[str, np.ndarray], settings: TrainSettings) -> Iterator[str]:
    """One parameter of every kind: layers of one sort are made alike. LoRA's head is full training's."""
    wanted = (name for name in found if settings.full or not name.startswith("head."))
    yield from {re.sub(r"layers\.\d+", "layers", name): name for name in wanted}.values()


def test_a_step_adds_up_its_batches(tiny_release):
    release, some = training.moved(training.prepared(tiny_release, LORA)), examples_at(tiny_release, [0, 1, 2, 3])
    together = gradients(release, [collate(some, 0)])
    one_by_one = gradients(release, [collate([one], 0) for one in some])
    assert one_by_one[0] == pytest.approx(together[0], rel=1e-5)
    assert apart(one_by_one[1], together[1]) <= 1e-3


def test_layers_computed_twice_give_the_same_gradients(tiny_release):
    release = training.moved(training.prepared(tiny_release, LORA))
    batch = collate(examples_at(tiny_release, SHORT), 0)
    kept, again = (gradients(release, [batch], layers_twice=twice) for twice in (False, True))
    assert again[0] == kept[0]
    assert apart(again[1], kept[1]) <= 1e-6


def test_padding_weighs_nothing(tiny_release):
    """Neither the pads' id nor the records beside it change a record's logits, loss or gradients."""
    release, short = training.prepared(tiny_release, FULL), examples_at(tiny_release, [3])
    results = []
    for pad in (0, 77):
        batch = collate(short + examples_at(tiny_release, [0]), pad)
        counted = gradients(release, [batch])
        with differentiable():
            results.append((*counted, np.array(batch_logits(release.model, batch))))
    assert results[0][0] == results[1][0]
    assert apart(results[0][1], results[1][1]) == 0
    with differentiable():
        alone = np.array(batch_logits(release.model, collate(short, 0)))[0, :2]
    assert results[0][2][0, :2] == pytest.approx(alone, abs=1e-4)


# What is trained


def test_lora_and_head_are_all_that_trains(tiny_release):
    release = training.prepared(tiny_release, LORA)
    trained = training.flat(release.model.trainable_parameters())
    assert {name.rpartition(".")[2] for name in trained if not name.startswith("head.")} == {"lora_a", "lora_b"}
    assert set(training.flat(release.model.head.parameters())) == {
        name.removeprefix("head.") for name in trained if name.startswith("head.")
    }
    assert {value.dtype for value in trained.values()} == {mx.float32}


def test_frozen_head_trains_nothing_of_it(tiny_release):
    release = training.prepared(tiny_release, TrainSettings(freeze_head=True))
    assert not any(name.startswith("head.") for name in training.flat(release.model.trainable_parameters()))


def test_all_linear_layers_get_lora_unless_targets_say_which(tiny_release):
    linear = {"in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b", "out_proj"}
    every = linear | {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    chosen = {
        (): every,
        ("q_proj", "layers.0.mlp.up_proj"): {"q_proj", "up_proj"},
        r".*layers\.\d\.linear_attn\..*": linear,
    }
    for targets, wanted in chosen.items():
        names = prepare(training.load(tiny_release).model, TrainSettings(targets=targets))
        assert {name.rpartition(".")[2] for name in names} == wanted


@pytest.mark.parametrize("targets", [("qproj",), r".*\.qproj", "(", ("q_proj", "lm_head")])
def test_unknown_target_is_refused_in_one_line(targets, tiny_release):
    with pytest.raises(AdapterError, match="^targets: ") as refused:
        prepare(training.load(tiny_release).model, TrainSettings(targets=targets))
    assert "\n" not in str(refused.value)


def test_lora_starts_as_the_model_it_is_put_on(tiny_release):
    batch = collate(examples_at(tiny_release, SHORT), 0)
    with differentiable():
        before = np.array(batch_logits(training.load(tiny_release).model, batch))
        after = np.array(batch_logits(training.prepared(tiny_release, LORA).model, batch))
    assert (before == after).all()


@pytest.fixture(scope="module")
def quantized(tiny_release, tmp_path_factory):
    from clef_mlx.convert.convert import convert
    from clef_mlx.convert.settings import Settings

    out = tmp_path_factory.mktemp("quantized") / "8bit"
    convert(str(tiny_release), out, Settings(bits=8, group_size=32, report=False))
    return out


def test_quantized_base_keeps_its_bits_and_learns(quantized):
    release = load_release(quantized, dequantize=False, dtype="float32")
    names = prepare(release.model, LORA)
    assert len(names) == 31
    batch = collate(examples_at(quantized, SHORT), 0)
    loss, found = gradients(release, [batch])
    assert {value.dtype for value in training.flat(release.model.trainable_parameters()).values()} == {mx.float32}
    start = training.flat(release.model.trainable_parameters())
    down = [(name, value - 1e-3 * mx.array(found[name])) for name, value in start.items()]
    release.model.update(tree_unflatten(down))
    assert gradients(release, [batch])[0] < loss


def test_quantized_model_is_not_trained_as_a_whole(quantized):
    with pytest.raises(AdapterError, match="must hold unquantized weights"):
        prepare(load_release(quantized, dequantize=False).model, FULL)


# Augmentation


def test_augmentation_keeps_labels_right():
    """In every variant the labelled option still says what the right one said."""
    settings = TrainSettings(rename=0.5, drop_descriptions=0.5, shuffle=0.5)
    seen = set()
    for seed in range(400):
        labelled = parse_labelled(training.line(seed % 4), "here")
        asked = [Asked(question, labelled.targets.get(question.id)) for question in labelled.parsed.questions]
        variant = augment(asked, settings, Random(seed))
        assert sorted(map(meaning, variant)) == sorted(map(meaning, asked))
        ids = [option.option_id for one in variant for option in one.question.options]
        seen.add((tuple(one.question.id for one in variant), tuple(ids)))
        for one in variant:
            assert [option.option_id for option in one.question.options] == sorted(
                option.option_id for option in one.question.options
            ) or one.question.type == "noul"
    assert len(seen) > 100


def meaning(one: Asked) -> str:
    """A question's words and the share of each option, by the word that every variant of the option holds."""
    words = {"repairs", "billing", "sales", "true", "false", "calm", "annoyed", "furious"}
    shares = {}
    for place, option in enumerate(one.question.options):
        text = f"{option.option_id} {render(option.description) if option.description is not None else ''}".lower()
        if one.question.type == "noul":
            text = option.option_id
        (word,) = {word for word in words if word in text}
        shares[word] = None if one.target is None else one.target[place]
    return json.dumps([one.question.instructions, sorted(shares.items())])


# Runs


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    return training.write_lines(
        tmp_path_factory.mktemp("data") / "d.jsonl", [training.line(4 * i + 3) for i in range(16)]
    )


@pytest.fixture(scope="module")
def valid(tmp_path_factory) -> Path:
    return training.write_lines(
        tmp_path_factory.mktemp("data") / "v.jsonl", [training.line(4 * i + 3) for i in range(2)]
    )


def test_one_line_of_twenty_is_held_out_without_valid(tmp_path):
    file = training.write_lines(tmp_path / "d.jsonl", [training.line(index) for index in range(300)])
    found, again = read_data([file], []), read_data([file], [])
    assert 5 <= len(found.valid) <= 30 and len(found.train) + len(found.valid) == 300
    assert found == again
    few = "; too few to tell two steps apart" if len(found.valid) < 20 else ""
    assert found.warnings == [f"no --valid: {len(found.valid)} of the lines are held out to validate on{few}."]


def test_held_out_lines_do_not_depend_on_the_others(tmp_path):
    values = [training.line(index) for index in range(300)]
    whole = read_data([training.write_lines(tmp_path / "d.jsonl", values)], [])
    half = read_data([training.write_lines(tmp_path / "h.jsonl", values[::2])], [])
    assert {text for _, text in half.valid} < {text for _, text in whole.valid}


@pytest.fixture(scope="module")
def run(tiny_release, data, valid, tmp_path_factory):
    """A whole LoRA run of eight steps, with what it reported."""
    out, reports = tmp_path_factory.mktemp("run") / "out", []
    made = train([data], str(tiny_release), out, QUICK, valid=[valid], watch=Watch(step=reports.append))
    return made, reports


def test_loss_falls(run):
    _, reports = run
    losses = [report.score.loss for report in reports]
    assert len(losses) == 8
    assert np.mean(losses[-2:]) < 0.8 * np.mean(losses[:2])


def test_best_step_is_kept(run):
    made, reports = run
    scores = {report.step: report.valid.cross_entropy for report in reports if report.valid}
    assert list(scores) == [2, 4, 6, 8]
    assert made.first["step"] == 0  # before anything was trained
    scores[0] = made.first["cross_entropy"]
    assert made.best_step == min(scores, key=scores.get)


def test_run_leaves_its_result_and_its_log_alone(run):
    made, reports = run
    names = {"adapter", "joint_head.safetensors", "joint_head_config.json", "train_config.json", LOG}
    assert {entry.name for entry in made.out.iterdir()} == names
    logged = [json.loads(line) for line in (made.out / LOG).read_text().splitlines()]
    assert [row["loss"] for row in logged] == [report.score.loss for report in reports]


def test_resumed_run_ends_with_the_same_bytes(run, tiny_release, data, valid, tmp_path):
    out = tmp_path / "out"

    def stop(report: Any) -> None:
        if report.step == 3:  # between two checkpoints
            thread.interrupt()

    with pytest.raises(thread.Abandoned):
        train([data], str(tiny_release), out, QUICK, valid=[valid], watch=Watch(step=stop))
    assert checkpoint.unfinished(out)
    assert not (out / "adapter").exists()
    train([data], str(tiny_release), out, QUICK, valid=[valid], resume=True)
    for name in ("adapter/adapter_model.safetensors", "joint_head.safetensors", "train_config.json"):
        assert filecmp.cmp(out / name, run[0].out / name, shallow=False), name
    assert len((out / LOG).read_text().splitlines()) == 8


def test_other_settings_do_not_go_on(tiny_release, data, valid, tmp_path):
    def stop(report: Any) -> None:
        thread.interrupt()

    with pytest.raises(thread.Abandoned):
        train([data], str(tiny_release), tmp_path / "out", QUICK, valid=[valid], watch=Watch(step=stop))
    state = tmp_path / "out" / "checkpoint" / "state.json"
    other = TrainSettings(**QUICK.to_dict() | {"rank": 8})
    with pytest.raises(CheckpointError, match="rank must be as it was, 4, got 8"):
        train([data], str(tiny_release), tmp_path / "out", other, valid=[valid], resume=True)
    with pytest.raises(CheckpointError, match='dtype must be as it was, null, got "bfloat16"'):
        train([data], str(tiny_release), tmp_path / "out", QUICK, valid=[valid], resume=True, dtype="bfloat16")
    whole = state.read_text()
    for damage in ("{}", whole[:-9], "[]"):
        state.write_text(damage)
        with pytest.raises(CheckpointError, match="state.json: must be as it was written, got a damaged file"):
            train([data], str(tiny_release), tmp_path / "out", QUICK, valid=[valid], resume=True)
    state.write_text(whole)
    (arrays,) = state.parent.glob("step-*")
    os.truncate(arrays, arrays.stat().st_size - 9)
    with pytest.raises(CheckpointError, match=r"safetensors: must be as it was written, got a damaged file"):
        train([data], str(tiny_release), tmp_path / "out", QUICK, valid=[valid], resume=True)


def test_other_weights_of_the_same_name_do_not_go_on(tiny_release, data, valid, tmp_path):
    def stop(report: Any) -> None:
        thread.interrupt()

    model = Path(shutil.copytree(tiny_release, tmp_path / "model"))
    with pytest.raises(thread.Abandoned):
        train([data], str(model), tmp_path / "out", QUICK, valid=[valid], watch=Watch(step=stop))
    shutil.rmtree(model)
    write_random_release(model, seed=5)
    with pytest.raises(CheckpointError, match="the model's weights must be as at the start"):
        train([data], str(model), tmp_path / "out", QUICK, valid=[valid], resume=True)


# Files


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_written_release_loads_as_what_was_written(dtype, tiny_release, tmp_path):
    before = training.load(tiny_release)
    write_release(before.model, tiny_release, tmp_path / "out", dtype=dtype)
    after = training.load(tmp_path / "out")
    assert after.info.layout.letter == "A"
    kept, read = (training.flat(release.model.parameters()) for release in (before, after))
    assert kept.keys() == read.keys()
    assert all((kept[name] == read[name]).all().item() for name in kept)
    assert {one.name for one in after.vision.plan.vision} == {one.name for one in before.vision.plan.vision}


def test_tied_release_is_trained_by_its_embedding_and_stays_tied(tmp_path):
    source = write_random_release(tmp_path / "tied", tie_word_embeddings=True)
    release = training.prepared(source, FULL)
    loss, found = gradients(release, [collate(examples_at(source, SHORT), 0)])
    assert not any(name.startswith("lm_head.") for name in found)
    write_release(training.moved(release).model, source, tmp_path / "out", dtype="float32")
    after = training.flat(training.load(tmp_path / "out").model.parameters())
    trained = release.model.language_model.embed_tokens.weight
    assert (after["lm_head.weight"] == trained).all().item()
    assert (after["language_model.embed_tokens.weight"] == trained).all().item()


def test_bfloat16_base_trains_float32_beside_it(tiny_release):
    release = load_release(tiny_release, dtype="bfloat16")
    prepare(release.model, LORA)
    batch = collate(examples_at(tiny_release, SHORT), 0)
    loss, found = gradients(release, [batch])
    assert loss == pytest.approx(gradients(training.prepared(tiny_release, LORA), [batch])[0], rel=0.1)
    assert all(value.dtype == np.float32 and np.isfinite(value).all() for value in found.values())
    assert release.model.language_model.layers[0].mlp.up_proj.base.weight.dtype == mx.bfloat16


def test_written_release_is_the_same_bytes_twice(tiny_release, tmp_path):
    release = training.moved(training.prepared(tiny_release, FULL))
    for name in ("a", "b"):
        write_release(release.model, tiny_release, tmp_path / name, dtype="bfloat16")
    names = sorted(entry.name for entry in (tmp_path / "a").iterdir())
    assert filecmp.cmpfiles(tmp_path / "a", tmp_path / "b", names, shallow=False) == (names, [], [])


def test_adapter_decides_as_the_model_in_training_did(run, tiny_release, tmp_path):
    """From files, at run time and merged by convert, and in memory."""
    import clef_mlx
    from clef_mlx.convert.convert import convert
    from clef_mlx.convert.settings import Settings

    made, _ = run
    folder = tmp_path / "merged"
    convert(str(tiny_release), folder, Settings(recipe="fp32", adapters=(str(made.out),), report=False))
    request = {key: value for key, value in training.line(0).items() if key != "labels"}
    found = []
    for name, adapter in ((tiny_release, made.out), (tiny_release, made.out / "adapter"), (folder, None)):
        with clef_mlx.load(name, adapter=adapter, dtype="float32") as model:
            found.append(model.trace(request)["probabilities"])
    flat = [[p for question in one.values() for p in question.values()] for one in found]
    assert flat[0] == flat[1]
    assert flat[2] == pytest.approx(flat[0], abs=2e-5)


def test_rate_rises_in_a_line_and_falls_to_a_tenth():
    shares = [rate_share(step, 100, 0.1) for step in range(100)]
    assert shares[0] == pytest.approx(0.1) and shares[9] == 1.0
    assert shares == sorted(shares[:10]) + sorted(shares[10:], reverse=True)
    assert shares[-1] == pytest.approx(0.1, abs=1e-3)


def test_lora_modules_are_named_as_in_the_backbone(tiny_release):
    release = training.prepared(tiny_release, LORA)
    assert [name for name, _ in lora_modules(release.model)][0] == "language_model.layers.0.linear_attn.in_proj_a"
