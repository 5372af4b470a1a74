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
EMBEDDING_STD = 0.1
BIAS = 3.0  # of the first embedding row, in standard deviations: the constant that gates open by
COPIED = 0.5  # how much of what a layer finds it writes into the stream
NOISE = 0.1  # of a matrix's usual standard deviation, where it does not begin at random altogether
SMALLEST_STEP, LARGEST_STEP = 1e-3, 1e-1  # of the recurrent state's decay, per unit of exp(A_log)


def config() -> dict[str, Any]:
    """config.json of the release."""
    return {
        "architectures": ["Qwen3_5ForConditionalGeneration"],
        "model_type": "qwen3_5",
        "text_config": TEXT,
        "tie_word_embeddings": True,
    }


def fresh_model(seed: int, embeddings: np.ndarray) -> ClefModel:
    """Weights to begin with: seeded, with `embeddings` [tokens, HIDDEN] of unit length, made to match and copy words.

    Finding a question's words in the state takes a circuit of several layers, which random weights of this size do not
    find in an hour on two cores. So queries begin equal to keys, which makes a word look for itself; values and outputs
    as each other's inverse, which copies what was found; and the delta rule's keys a token or two late, which binds a
    word to what follows it. Everything is trained from there.
    """
    model = ClefModel(ReleaseConfig.from_json(config(), HEAD, where="config.json"))
    drawn = [
        (name, mx.array(_draw(name, value.shape, seed, embeddings))) for name, value in tree_flatten(model.parameters())
    ]
    model.update(tree_unflatten(drawn))
    mx.eval(model.parameters())
    return model


def _draw(name: str, shape: tuple[int, ...], seed: int, embeddings: np.ndarray) -> np.ndarray:
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    last = name.rpartition(".")[2]
    if name.endswith("A_log"):
        return np.log(random.uniform(1.0, 16.0, shape)).astype(np.float32)
    if name.endswith("dt_bias"):
        step = np.exp(random.uniform(math.log(SMALLEST_STEP), math.log(LARGEST_STEP), shape))
        return np.log(np.expm1(step)).astype(np.float32)
    if last.endswith("logit_scale"):
        return np.full(shape, math.log(5.0), np.float32)
    if not shape or last in ("bias", "in_proj_bias"):
        return np.zeros(shape, np.float32)
    if "norm" in name:
        return np.ones(shape, np.float32)
    if "embed" in name and "type" not in name or name.startswith("lm_head"):
        return _embedding(shape, random, embeddings)
    plain = random.standard_normal(shape) / math.sqrt(math.prod(shape[1:]))
    begun = _begun(name, shape, seed)
    return (plain if begun is None else begun + NOISE * plain).astype(np.float32)


def _embedding(shape: tuple[int, ...], random: np.random.Generator, embeddings: np.ndarray) -> np.ndarray:
    rows = random.standard_normal(shape) * EMBEDDING_STD
    rows[: len(embeddings)] = embeddings * EMBEDDING_STD * math.sqrt(HIDDEN)
    rows[:, 0] = BIAS * EMBEDDING_STD
    return rows.astype(np.float32)


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
        taps[rows, -1], taps[rows, -2 - head] = 0.0, 1.0
    return taps


def _opened(shape: tuple[int, ...]) -> np.ndarray:
    """Gates that read the embeddings' constant."""
    rows = np.zeros(shape)
    rows[:, 0] = 1.0 / BIAS
    return 2.0 * rows
