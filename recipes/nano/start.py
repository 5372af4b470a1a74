"""nano's shape and its weights before training: a model of the release's architecture, small enough for a processor."""

from __future__ import annotations

import math
import zlib
from typing import Any

from clef_mlx.config import ReleaseConfig
from clef_mlx.model.clef import ClefModel

# isort: split
import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

HIDDEN, LAYERS, MLP, VOCABULARY = 128, 4, 384, 6144
TEXT = {
    "attention_bias": False,
    "attention_dropout": 0.0,
    "full_attention_interval": 2,
    "head_dim": 64,
    "hidden_act": "silu",
    "hidden_size": HIDDEN,
    "initializer_range": 0.02,
    "intermediate_size": MLP,
    "layer_types": ["linear_attention", "full_attention"] * (LAYERS // 2),
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 64,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_value_head_dim": 64,
    "max_position_embeddings": 16384,
    "model_type": "qwen3_5_text",
    "num_attention_heads": 2,
    "num_hidden_layers": LAYERS,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-06,
    "rope_parameters": {
        "mrope_interleaved": True,
        "mrope_section": [3, 3, 2],
        "partial_rotary_factor": 0.25,
        "rope_theta": 100000,
        "rope_type": "default",
    },
    "tie_word_embeddings": True,
    "vocab_size": VOCABULARY,
}
HEAD = {"hidden_size": HIDDEN, "width": 128, "routing_layers": 2, "layers": 2, "heads": 4, "feedforward": 256}
EMBEDDING_STD = 1.5  # far above what a step of the optimizer adds to the stream, or every batch is learnt by heart
NOISE = 0.1  # of a matrix's usual standard deviation, where it does not begin at random altogether
FAINT = 0.002  # the same for what writes into the stream
COPIED, GATHERED = 0.1, 15.0  # how much of what it finds a matching head, and one that averages, writes into the stream
PRIOR_SCALE = 40.0
# Columns of the embeddings kept for facts about tokens, in multiples of their deviation.
CONSTANT, MARK, FLAG, RARITY = range(4)
FACTS = [CONSTANT, MARK, FLAG, RARITY]
GATE, WEIGHT = 40, 41  # dims of an attention head, behind the rotary ones, that let keys in and weigh them
SMALLEST_STEP, LARGEST_STEP = 1e-3, 1e-1  # of the recurrent state's decay, per unit of exp(A_log)


def config() -> dict[str, Any]:
    """config.json of the release."""
    return {
        "architectures": ["Qwen3_5ForConditionalGeneration"],
        "model_type": "qwen3_5",
        "text_config": TEXT,
        "tie_word_embeddings": True,
    }


def fresh_model(seed: int, embeddings: np.ndarray, rarity: np.ndarray, marker: int) -> ClefModel:
    """Weights to begin with: seeded, and able to compare what a state and an option are about.

    Random weights of this size need more labels than an hour on two cores can read until they see the state at all. So
    `embeddings` [tokens, HIDDEN] of unit length begin as `recipes.nano.embeddings` places them, weighed by `rarity`
    [tokens], -log of the share of requests with the token; the first layer flags what stands behind the token `marker`,
    which ends the state; and one attention head averages the state's tokens, rare ones first, for everything behind it.
    No vector that is normalized begins at zero, where the gradient of a norm is a thousand times too large.
    """
    model = ClefModel(ReleaseConfig.from_json(config(), HEAD, where="config.json"))
    shapes = {name: value.shape for name, value in tree_flatten(model.parameters())}
    values = {name: _draw(name, shape, seed) for name, shape in shapes.items()}
    _place_tokens(values, embeddings, rarity, marker)
    _flag_schema(values)
    for layer, kind in enumerate(TEXT["layer_types"]):
        if kind == "full_attention":
            _gather_state(values, layer, seed)
    model.update(tree_unflatten([(name, mx.array(value.astype(np.float32))) for name, value in values.items()]))
    mx.eval(model.parameters())
    return model


def _place_tokens(values: dict[str, np.ndarray], embeddings: np.ndarray, rarity: np.ndarray, marker: int) -> None:
    table = values["language_model.embed_tokens.weight"]
    table[: len(embeddings)] = embeddings * EMBEDDING_STD * math.sqrt(HIDDEN)
    seen = np.zeros(len(table))
    seen[: len(rarity)] = rarity
    table *= np.clip((seen / seen.max()) ** 2, 0.08, 1.0)[:, None]
    table[:, FACTS] = 0.0
    table[:, CONSTANT] = 3 * EMBEDDING_STD
    table[:, RARITY] = 2 * EMBEDDING_STD * np.clip(np.log(np.maximum(seen, 0.05) / 3), -2, 1)
    table[marker, MARK] = 10 * EMBEDDING_STD
    values["lm_head.weight"][:] = table
    values["head.hidden_norm.weight"][[CONSTANT, MARK, RARITY]] = 0.0


def _flag_schema(values: dict[str, np.ndarray]) -> None:
    """The first layer's second head tells by the direction of what it reads whether `marker` has been seen."""
    stem, width = "language_model.layers.0.linear_attn", TEXT["linear_key_head_dim"]
    inputs = values[f"{stem}.in_proj_qkv.weight"]
    for part, (own, marked) in enumerate((((CONSTANT, 0.2), (CONSTANT, 1.0)), *[((CONSTANT, 0.3), (MARK, 1.0))] * 2)):
        first = part * inputs.shape[0] // 3 + width
        inputs[first : first + width] *= NOISE
        inputs[first, own[0]] += own[1]
        inputs[first + 1, marked[0]] += marked[1]
        values[f"{stem}.conv1d.weight"][first : first + width] = np.eye(1, 4, 3)[..., None]  # the token itself
    values[f"{stem}.dt_bias"][1], values[f"{stem}.A_log"][1] = math.log(math.expm1(2e-4)), 0.0
    for name, slope in (("in_proj_a", 0.0), ("in_proj_b", 1.0)):
        values[f"{stem}.{name}.weight"][1] = slope * np.eye(1, HIDDEN, CONSTANT)
    outputs = values[f"{stem}.out_proj.weight"]
    outputs[FACTS] = 0.0
    outputs[:, width:] *= FAINT
    outputs[FLAG, width + 1] = 0.2 * EMBEDDING_STD


def _gather_state(values: dict[str, np.ndarray], layer: int, seed: int) -> None:
    """First head: behind the state, the mean of its tokens. Second head: its tokens like one's own."""
    stem, width = f"language_model.layers.{layer}.self_attn", TEXT["head_dim"]
    heads = TEXT["num_attention_heads"]
    queries = values[f"{stem}.q_proj.weight"].reshape(heads, 2, width, HIDDEN)[:, 0]
    keys, carried = (values[f"{stem}.{name}.weight"].reshape(heads, width, HIDDEN) for name in ("k_proj", "v_proj"))
    random = np.random.default_rng([seed, layer])
    queries[0], keys[0] = (0.02 * random.standard_normal((width, HIDDEN)) for _ in range(2))
    queries[0, GATE, FLAG], queries[0, WEIGHT, FLAG] = 0.7, 0.7
    keys[0, GATE, CONSTANT], keys[0, GATE, FLAG], keys[0, WEIGHT, RARITY] = 1.0, -2.0, 1.0
    queries[1, GATE, FLAG], keys[1, GATE, CONSTANT], keys[1, GATE, FLAG] = 1.5, 1.5, -3.0
    # The layers carry one half of the width each.
    turned = np.roll(_turned("carry", seed), layer // 2 * width, axis=0)
    turned[:, FACTS] = 0.0
    carried[:] = turned.reshape(heads, width, HIDDEN)
    out = np.concatenate([GATHERED * turned[:width], COPIED * EMBEDDING_STD * turned[width:]]).T
    values[f"{stem}.o_proj.weight"][:] = out


def _draw(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    last = name.rpartition(".")[2]
    if name.endswith("A_log"):
        return np.log(random.uniform(1.0, 16.0, shape)).astype(np.float32)
    if name.endswith("dt_bias"):
        step = np.exp(random.uniform(math.log(SMALLEST_STEP), math.log(LARGEST_STEP), shape))
        return np.log(np.expm1(step)).astype(np.float32)
    if last.endswith("logit_scale"):
        return np.full(shape, math.log(PRIOR_SCALE if last.startswith("prior") else 5.0), np.float32)
    if not shape or last in ("bias", "in_proj_bias"):
        return np.zeros(shape, np.float32)
    if "norm" in name:
        return np.ones(shape, np.float32)
    if "embed" in name and "type" not in name or name.startswith("lm_head"):
        return random.standard_normal(shape).astype(np.float32) * EMBEDDING_STD
    plain = random.standard_normal(shape) / math.sqrt(math.prod(shape[1:]))
    begun = _begun(name, shape, seed)
    if begun is None:
        return plain.astype(np.float32)
    writes = name.endswith(("linear_attn.out_proj.weight", "o_proj.weight", "down_proj.weight"))
    return (begun + (FAINT if writes else NOISE) * plain).astype(np.float32)


def _begun(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray | None:
    """What a matrix begins as beside noise; None where noise is all."""
    stem, _, part = name.removesuffix(".weight").rpartition(".")
    look, carry = (_turned(f"{stem} {what}", seed) for what in ("look", "carry"))
    match part:
        case "in_proj_qkv":
            return np.concatenate([look, look, carry])
        case "conv1d":
            return _taps(shape)
        case "in_proj_z":
            return _opened(shape)
        case "q_proj":  # query and gate, head by head; the gate begins half open
            heads = look.reshape(TEXT["num_attention_heads"], -1, HIDDEN)
            return np.concatenate([heads, np.zeros_like(heads)], axis=1).reshape(shape)
        case "k_proj":
            return look
        case "v_proj":
            return carry
        case "o_proj":
            return COPIED * carry.T
        case "in_proj_weight":
            return np.concatenate([look, look, carry])
        case "out_proj":
            return COPIED * carry.T
        case "memory_projection" | "question_projection":
            return np.eye(*shape)
        case "option_context_projection" | "option_question_projection" | "global_projection":
            return 0.3 * np.eye(*shape)
        case "option_lexical_projection":
            return np.eye(*shape) / EMBEDDING_STD
        case "down_proj" | "linear2" | "3":
            return np.zeros(shape)
    return None


def _turned(name: str, seed: int) -> np.ndarray:
    """A random rotation of the hidden width."""
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return np.linalg.qr(random.standard_normal((HIDDEN, HIDDEN)))[0]


def _taps(shape: tuple[int, ...]) -> np.ndarray:
    """The convolution [C, k, 1] over queries, keys and values: keys of the first head come one token late, of the
    second two, so that a word is bound to the first and the second token after it."""
    taps = np.zeros(shape)
    width = TEXT["linear_key_head_dim"]
    taps[:, -1] = 1.0
    for head in range(TEXT["linear_num_key_heads"]):
        rows = slice((TEXT["linear_num_key_heads"] + head) * width, (TEXT["linear_num_key_heads"] + head + 1) * width)
        taps[rows, -1], taps[rows, -2 - head] = 0.15, 1.0
    return taps


def _opened(shape: tuple[int, ...]) -> np.ndarray:
    """Gates that read the embeddings' constant."""
    rows = np.zeros(shape)
    rows[:, CONSTANT] = 0.7
    return rows
