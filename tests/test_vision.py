"""The vision tower by itself: against transformers' on the same weights, and each of its forms against the other."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map

from clef_mlx.config import VisionConfig
from clef_mlx.errors import CheckpointError
from clef_mlx.model.cores import attend, gelu_tanh
from clef_mlx.model.paths import override_paths
from clef_mlx.model.positions import patch_places, resample
from clef_mlx.model.vision import VisionModel

FACTS = {
    "depth": 2, "hidden_size": 32, "intermediate_size": 72, "num_heads": 2, "in_channels": 3, "patch_size": 16,
    "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 64, "out_hidden_size": 64,
}  # fmt: skip
PUBLISHED_HEADS = {"hidden_size": 144, "intermediate_size": 300}  # heads of 72, a width that no kernel has
GRIDS = [(1, 16, 16), (3, 8, 12), (1, 2, 40), (1, 2, 2), (5, 4, 2)]
FORMS = [{"attention": "blocked", "elementwise": "polynomial"}, {"attention": "fused", "elementwise": "builtin"}]


def tower_of(seed: int = 0, dtype: mx.Dtype = mx.float32, **facts) -> VisionModel:
    """Random weights; norms off 1, no bias zero."""
    random = np.random.default_rng(seed)

    def draw(parameter: mx.array) -> mx.array:
        values = random.standard_normal(parameter.shape, np.float32)
        values = values / parameter.shape[-1] ** 0.5 if parameter.ndim > 1 else 0.3 * values + 1.0
        return mx.array(values).astype(dtype)

    tower = VisionModel(VisionConfig.from_json(FACTS | facts, hidden_size=64, where="config.json"))
    tower.update(tree_map(draw, tower.parameters()))
    return tower


def pixels_of(grid: tuple[int, int, int], seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (np.prod(grid), 1536)).astype(np.float32)


@pytest.mark.live
@pytest.mark.parametrize("form", FORMS, ids=["numpy", "mlx"])
@pytest.mark.parametrize("heads", [{}, PUBLISHED_HEADS], ids=["heads of 16", "heads of 72"])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_tower_equals_transformers(grid, heads, form):
    pytest.importorskip("transformers", reason="the tower's source")
    tower, pixels = tower_of(**heads), pixels_of(grid)
    with override_paths(**form):
        ours = np.array(tower(mx.array(pixels), grid))
    assert np.abs(ours - transformers_rows(tower, heads, pixels, grid)).max() <= 1e-5 * np.abs(ours).max()


def transformers_rows(tower: VisionModel, facts: dict, pixels: np.ndarray, grid: tuple[int, int, int]) -> np.ndarray:
    import torch
    from mlx.utils import tree_flatten
    from transformers.models.qwen3_5.configuration_qwen3_5 import Qwen3_5VisionConfig
    from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5VisionModel

    config = Qwen3_5VisionConfig(**FACTS | facts)
    config._attn_implementation = "eager"
    judge = Qwen3_5VisionModel(config).eval()
    weights = {name: torch.from_numpy(np.array(value)) for name, value in tree_flatten(tower.parameters())}
    name = "patch_embed.proj.weight"
    judge.load_state_dict(weights | {name: weights[name].reshape(judge.patch_embed.proj.weight.shape)}, strict=True)
    with torch.inference_mode():
        return judge(torch.from_numpy(pixels), grid_thw=torch.tensor([grid])).pooler_output.numpy()


def test_frames_of_a_clip_never_see_each_other():
    tower, pixels = tower_of(), pixels_of((3, 4, 6))
    together = np.array(tower(mx.array(pixels), (3, 4, 6)))
    alone = [np.array(tower(mx.array(frame), (1, 4, 6))) for frame in np.split(pixels, 3)]
    assert np.abs(together - np.concatenate(alone)).max() <= 1e-5


def test_patches_come_in_squares():
    places = patch_places((1, 4, 4), 2).tolist()
    assert places[:6] == [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [0, 3]]
    assert places[8:10] == [[2, 0], [2, 1]]


def test_corners_of_the_table_are_those_of_the_picture():
    taps, shares = resample((1, 6, 10), 8, 2)
    places = patch_places((1, 6, 10), 2)
    for corner, tap in (((0, 0), 0), ((0, 9), 7), ((5, 0), 56), ((5, 9), 63)):
        at = int(np.flatnonzero((places == corner).all(axis=1))[0])
        assert sum(shares[at][taps[at] == tap]) == 1.0


def test_a_grid_as_large_as_the_table_takes_it_as_it_is():
    taps, shares = resample((1, 8, 8), 8, 2)
    places = patch_places((1, 8, 8), 2)
    assert (taps[np.arange(64), shares.argmax(axis=1)] == places[:, 0] * 8 + places[:, 1]).all()
    assert (shares.max(axis=1) == 1.0).all()


@pytest.mark.parametrize("spread", [0.1, 3.0, 40.0], ids=["flat", "usual", "sharp"])
def test_attention_in_numpy_equals_the_plain_formula(spread):
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((700, 3, 24)).astype(np.float32) for _ in range(3))
    q *= np.float32(spread)
    scores = np.einsum("nhd,mhd->hnm", q.astype(np.float64), k) * 24**-0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = np.einsum("hnm,mhd->nhd", weights / weights.sum(axis=-1, keepdims=True), v)
    rounding = 1e-6 + 5e-7 * np.abs(scores).max()  # of the scores, which float32 holds to so much
    assert np.abs(attend(q, k, v, 24**-0.5) - expected.reshape(700, 72)).max() <= rounding


def test_gelu_in_numpy_equals_the_plain_formula_everywhere():
    x = np.concatenate([np.linspace(-12, 12, 4000), [-1e30, -1e4, -90.0, 0.0, 90.0, 1e4, 1e30]]).astype(np.float32)
    wide = x.astype(np.float64)
    with np.errstate(over="ignore"):
        expected = 0.5 * wide * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
    ours = gelu_tanh(x[None])[0]
    assert np.abs(ours - expected)[np.abs(x) < 100].max() <= 2e-6
    assert np.allclose(ours, expected, rtol=1e-5, atol=2e-6)


def test_work_in_threads_is_the_same_every_time():
    q, k, v = (np.random.default_rng(seed).standard_normal((900, 2, 16)).astype(np.float32) for seed in range(3))
    first = attend(q, k, v, 0.25)
    assert all((attend(q, k, v, 0.25) == first).all() for _ in range(5))


@pytest.mark.parametrize("form", FORMS, ids=["numpy", "mlx"])
def test_float16_stays_finite_where_the_mlp_goes_beyond_its_range(form):
    """The last product of an MLP reaches 1e6 here, as it does in trained towers of this kind."""
    exact, half = tower_of(), tower_of(dtype=mx.float16)
    for tower in (exact, half):
        mlp = tower.blocks[0].mlp
        mlp.linear_fc2.weight = mlp.linear_fc2.weight * (1e4 if tower is half else mx.array(1e4))
        mlp.linear_fc1.bias = mlp.linear_fc1.bias + 100
    pixels = mx.array(pixels_of((1, 8, 8)))
    with override_paths(**form):
        ours, expected = (np.array(tower(pixels, (1, 8, 8)).astype(mx.float32)) for tower in (half, exact))
    assert np.isfinite(ours).all()
    assert np.abs(ours - expected).max() <= 0.02 * np.abs(expected).max()


@pytest.mark.parametrize("form", FORMS, ids=["numpy", "mlx"])
def test_bfloat16_rows_are_near_those_of_float32(form):
    pixels = mx.array(pixels_of((1, 8, 8)))
    with override_paths(**form):
        rounded = tower_of(dtype=mx.bfloat16)(pixels, (1, 8, 8))
        exact = np.array(tower_of()(pixels, (1, 8, 8)))
    assert rounded.dtype == mx.bfloat16
    assert np.abs(np.array(rounded.astype(mx.float32)) - exact).max() <= 0.05 * np.abs(exact).max()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"hidden_act": "gelu"}, "hidden_act must be gelu_pytorch_tanh, got 'gelu'"),
        ({"num_heads": 3}, "hidden_size must be a multiple of heads, got 32 and 3"),
        ({"hidden_size": 36}, "a head's width must be a multiple of 4, got 18"),
        ({"num_position_embeddings": 60}, "num_position_embeddings must be a square number, got 60"),
        ({"out_hidden_size": 128}, "out_hidden_size must equal the backbone's 64, got 128"),
        ({"deepstack_visual_indexes": [1]}, "deepstack_visual_indexes must be empty, got [1]"),
        ({"depth": 0}, "depth must be between 1 and 4096, got 0"),
        ({"rope_parameters": {"rope_theta": -1}}, "rope_theta must be finite and above 0, got -1"),
    ],
)
def test_facts_that_cannot_be_are_refused(facts, words):
    with pytest.raises(CheckpointError) as caught:
        VisionConfig.from_json(FACTS | facts, hidden_size=64, where="config.json: vision_config")
    assert words in str(caught.value)


def test_missing_fact_is_named():
    with pytest.raises(CheckpointError, match="vision_config: patch_size is missing"):
        facts = {name: value for name, value in FACTS.items() if name != "patch_size"}
        VisionConfig.from_json(facts, hidden_size=64, where="config.json: vision_config")
