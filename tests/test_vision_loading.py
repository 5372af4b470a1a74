"""The tower from every layout a release may have, kept quantized or unpacked, and what is wrong with one."""

from __future__ import annotations

import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest
from media_bank import clip, picture
from mlx.utils import tree_flatten

import clef_mlx
from clef_mlx.engine import thread
from clef_mlx.errors import CheckpointError, RequestError
from clef_mlx.weights.load import load_release

QUESTIONS = {"paid": {"type": "noul"}, "kind": {"type": "choice", "criteria": {"receipt": None, "photo": None}}}
PATCHES = "patch_embed.proj.weight"
G32 = {"bits": 8, "group_size": 32}


@pytest.fixture(scope="module")
def release(random_release):
    return random_release("tiny")


@pytest.fixture(scope="module")
def tower(release):
    """The published layout's parameters."""
    return parameters(release)


def parameters(folder, **options) -> dict[str, np.ndarray]:
    loaded = thread.run(load_release, folder, dtype="float32", **options)
    model = thread.run(loaded.vision.load)
    return {name: np.array(value) for name, value in tree_flatten(model.parameters())}


def rows(folder, **options) -> np.ndarray:
    """What the tower makes of a small picture."""
    loaded = thread.run(load_release, folder, **options)
    pixels = np.random.default_rng(0).uniform(-1, 1, (24, 1536)).astype(np.float32)
    return thread.run(lambda: np.array(loaded.vision.load()(mx.array(pixels), (1, 4, 6)).astype(mx.float32)))


def rewritten(release, out, change) -> str:
    """A copy whose backbone tensors are what `change` makes of them."""
    folder = writers.write_i(release, out)
    writers.save(folder / "model.safetensors", change(writers.read_backbone(release)), "pt")
    return folder


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    assert all((found[name] == expected[name]).all() for name in expected)


def test_patches_are_one_product_over_channels_frames_rows_and_columns(release, tower):
    stored = np.array(writers.read_backbone(release)[f"model.visual.{PATCHES}"].astype(mx.float32))
    assert stored.shape == (32, 3, 2, 16, 16)
    assert (tower[PATCHES] == stored.reshape(32, -1)).all()


@pytest.mark.parametrize("letter", ["B", "E", "F", "G", "I"])
def test_tower_of_a_layout_is_the_releases_bit_for_bit(letter, release, tower, tmp_path):
    assert_same(parameters(writers.PLAIN[letter](release, tmp_path / "out")), tower)


@pytest.mark.parametrize("prefix", ["visual.", "vision_tower.", "model.vision_tower."])
def test_any_prefix_will_do(prefix, release, tower, tmp_path):
    def renamed(tensors):
        return {name.replace("model.visual.", prefix): value for name, value in tensors.items()}

    assert_same(parameters(rewritten(release, tmp_path / "out", renamed)), tower)


@pytest.mark.parametrize(
    "setting", [G32, {"bits": 4, "group_size": 32}, {"bits": 4, "group_size": 32, "mode": "mxfp4"}], ids=str
)
def test_quantized_linears_are_kept_or_unpacked_alike(setting, release, tmp_path):
    """The second product of an MLP is 72 wide, which no group divides, as 4304 in the published ones."""

    def quantized(tensors):
        return writers.quantized(
            tensors,
            lambda module: setting if "visual." in module and tensors[f"{module}.weight"].shape[-1] % 32 == 0 else None,
        )

    folder = rewritten(release, tmp_path / "out", quantized)
    kept, unpacked = (rows(folder, dtype="float32", dequantize=dequantize) for dequantize in (False, True))
    assert np.abs(kept - unpacked).max() <= 1e-4 * np.abs(unpacked).max()
    loaded = thread.run(load_release, folder, dtype="float32", dequantize=False)
    model = thread.run(loaded.vision.load)
    assert "scales" in model.blocks[0].attn.qkv
    assert "scales" not in model.blocks[0].mlp.linear_fc2
    assert "scales" not in model.pos_embed
    assert sum(value.nbytes for _, value in tree_flatten(model.parameters())) == loaded.vision.nbytes


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_decides_nearly_as_float32(dtype, random_release):
    folder = random_release("golden-128")
    answers = []
    for kind in ("float32", dtype):
        with clef_mlx.load(folder, dtype=kind) as model:
            decision = model.decide("A receipt.", QUESTIONS, images=[picture(300, 200)])
            answers.append(np.array([p for found in decision.probabilities.values() for p in found.values()]))
    assert np.abs(answers[0] - answers[1]).max() <= 0.02


@pytest.mark.parametrize("letter", ["C", "D"])
@pytest.mark.parametrize("media", [{"images": [picture(64, 64)]}, {"videos": [clip(2, 64, 64)]}], ids=list)
def test_release_without_a_tower_says_so(letter, media, release, tmp_path):
    with clef_mlx.load(writers.PLAIN[letter](release, tmp_path / "out"), dtype="float32") as model:
        with pytest.raises(RequestError, match="this model has no vision tower") as caught:
            model.decide("A receipt.", QUESTIONS, **media)
        assert caught.value.location == tuple(media)
        body = {"state": "Words.", "questions": QUESTIONS}
        refused, answered = model.decide_many([body | media, body])
        assert isinstance(refused, RequestError)
        assert answered.answers


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda t: {k: v for k, v in t.items() if "blocks.1.norm2.bias" not in k},
            "visual.blocks.1.norm2.bias: missing",
        ),
        (lambda t: t | {"model.visual.deepstack.0.weight": mx.zeros((2,))}, "visual.deepstack.0.weight: not in this"),
        (lambda t: t | {f"model.visual.{PATCHES}": mx.zeros((32, 3, 2, 8, 32))}, "shape must be [32, 2, 16, 16, 3] or"),
        (lambda t: t | {f"visual.{PATCHES}": mx.zeros((32, 1536))}, "stored twice"),
        (lambda t: t | {"model.visual.pos_embed.weight": mx.zeros((64, 32), mx.int32)}, "dtype must be one of F32"),
    ],
    ids=["missing", "unknown", "misshapen", "twice", "integers"],
)
def test_tower_that_does_not_fit_is_refused_at_the_first_picture(change, words, release, tmp_path):
    folder = rewritten(release, tmp_path / "out", lambda tensors: change(dict(tensors)))
    with clef_mlx.load(folder, dtype="float32") as model:
        assert model.decide("A receipt.", QUESTIONS).answers
        with pytest.raises(CheckpointError) as caught:
            model.decide("A receipt.", QUESTIONS, images=[picture(64, 64)])
        assert words in str(caught.value)


def test_sidecars_of_another_tower_are_refused(release, tmp_path):
    folder = writers.write_i(release, tmp_path / "out")
    values = writers.read_json(folder / "processor_config.json")
    values["image_processor"]["patch_size"] = 14
    writers.write_json(folder / "processor_config.json", values)
    with (
        clef_mlx.load(folder, dtype="float32") as model,
        pytest.raises(CheckpointError, match="image_processor: patch"),
    ):
        model.decide("A receipt.", QUESTIONS, images=[picture(64, 64)])
