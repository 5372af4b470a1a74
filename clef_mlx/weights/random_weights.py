"""The tensors of a random release, under the publisher's names.

The draws are made so that no part of the model can be wrong unnoticed: norms are off 1, decays cover their whole
range, one key head of every linear layer is faint, no bias is zero. Uniform draws and IEEE arithmetic decide the
weights, so they are the same bytes on every machine. Knows no files.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

SMALLEST_DECAY, LARGEST_DECAY = 1e-4, 60.0  # -log of the factor one token leaves of the recurrent state
FAINT_KEYS = 0.01  # keys so short that the eps inside their norm shows

Tensors = Iterator[tuple[str, np.ndarray]]


class Draw:
    """Uniform draws, seeded per tensor: a new tensor leaves the others as they were."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, name: str, *shape: int, std: float, mean: float = 0.0) -> np.ndarray:
        random = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        values = random.random(shape, dtype=np.float32) - np.float32(0.5)
        return values * np.float32(std * math.sqrt(12.0)) + np.float32(mean)

    def linear(self, name: str, rows: int, columns: int, gain: float = 1.0) -> tuple[str, np.ndarray]:
        return name, self(name, rows, columns, std=gain / math.sqrt(columns))


def text_tensors(text: Mapping[str, Any], draw: Draw) -> Tensors:
    hidden, mlp = text["hidden_size"], text["intermediate_size"]
    stem = "model.language_model"
    yield f"{stem}.embed_tokens.weight", draw("embed_tokens", text["vocab_size"], hidden, std=0.7)
    for index, kind in enumerate(text["layer_types"]):
        layer = f"{stem}.layers.{index}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            yield _zero_centred_norm(f"{layer}.{norm}.weight", hidden, draw)
        yield from (_linear_attention if kind == "linear_attention" else _full_attention)(layer, text, draw)
        yield draw.linear(f"{layer}.mlp.gate_proj.weight", mlp, hidden)
        yield draw.linear(f"{layer}.mlp.up_proj.weight", mlp, hidden)
        yield draw.linear(f"{layer}.mlp.down_proj.weight", hidden, mlp)
    yield _zero_centred_norm(f"{stem}.norm.weight", hidden, draw)
    if not text["tie_word_embeddings"]:
        yield "lm_head.weight", draw("lm_head", text["vocab_size"], hidden, std=1.0)


def _zero_centred_norm(name: str, width: int, draw: Draw) -> tuple[str, np.ndarray]:
    """The release stores gamma - 1; gamma lies between 0.6 and 1.8 here."""
    return name, draw(name, width, std=0.35, mean=0.2)


def _linear_attention(layer: str, text: Mapping[str, Any], draw: Draw) -> Tensors:
    hidden, stem = text["hidden_size"], f"{layer}.linear_attn"
    key_dim = text["linear_num_key_heads"] * text["linear_key_head_dim"]
    heads = text["linear_num_value_heads"]
    value_dim = heads * text["linear_value_head_dim"]
    conv_dim = 2 * key_dim + value_dim
    name, qkv = draw.linear(f"{stem}.in_proj_qkv.weight", conv_dim, hidden)
    qkv[key_dim : key_dim + text["linear_key_head_dim"]] *= np.float32(FAINT_KEYS)
    yield name, qkv
    yield draw.linear(f"{stem}.in_proj_z.weight", value_dim, hidden)
    yield draw.linear(f"{stem}.in_proj_b.weight", heads, hidden, gain=2.0)
    yield draw.linear(f"{stem}.in_proj_a.weight", heads, hidden)
    name = f"{stem}.conv1d.weight"
    yield name, draw(name, conv_dim, 1, text["linear_conv_kernel_dim"], std=0.5)
    # Value heads take decays evenly spaced in log. Each is split at random into exp(A_log) * softplus(dt_bias).
    rates = np.geomspace(SMALLEST_DECAY, LARGEST_DECAY, heads)
    a_log = draw(f"{stem}.A_log", heads, std=1.0, mean=1.5).astype(np.float64)
    yield f"{stem}.A_log", a_log.astype(np.float32)
    yield f"{stem}.dt_bias", np.log(np.expm1(rates / np.exp(a_log))).astype(np.float32)
    name = f"{stem}.norm.weight"
    yield name, draw(name, text["linear_value_head_dim"], std=0.3, mean=1.3)
    yield draw.linear(f"{stem}.out_proj.weight", hidden, value_dim)


def _full_attention(layer: str, text: Mapping[str, Any], draw: Draw) -> Tensors:
    hidden, stem, head_dim = text["hidden_size"], f"{layer}.self_attn", text["head_dim"]
    queries, keys = text["num_attention_heads"] * head_dim, text["num_key_value_heads"] * head_dim
    # q_proj also makes the output gate, hence twice the rows.
    shapes = {"q": (2 * queries, hidden), "k": (keys, hidden), "v": (keys, hidden), "o": (hidden, queries)}
    for part, (rows, columns) in shapes.items():
        yield draw.linear(f"{stem}.{part}_proj.weight", rows, columns)
        if text["attention_bias"]:
            yield f"{stem}.{part}_proj.bias", draw(f"{stem}.{part}_proj.bias", rows, std=0.3)
    for norm in ("q_norm", "k_norm"):
        yield _zero_centred_norm(f"{stem}.{norm}.weight", head_dim, draw)


def _with_bias(name: str, rows: int, columns: int, draw: Draw) -> Tensors:
    yield draw.linear(f"{name}.weight", rows, columns)
    yield f"{name}.bias", draw(f"{name}.bias", rows, std=0.2)


def _layer_norm(name: str, width: int, draw: Draw) -> Tensors:
    yield f"{name}.weight", draw(f"{name}.weight", width, std=0.3, mean=1.2)
    yield f"{name}.bias", draw(f"{name}.bias", width, std=0.2)


def vision_tensors(vision: Mapping[str, Any], draw: Draw) -> Tensors:
    width, mlp, stem = vision["hidden_size"], vision["intermediate_size"], "model.visual"
    patch = (vision["in_channels"], vision["temporal_patch_size"], vision["patch_size"], vision["patch_size"])
    name = f"{stem}.patch_embed.proj"
    yield f"{name}.weight", draw(name, width, *patch, std=1 / math.sqrt(math.prod(patch)))
    yield f"{name}.bias", draw(f"{name}.bias", width, std=0.2)
    yield f"{stem}.pos_embed.weight", draw(f"{stem}.pos_embed", vision["num_position_embeddings"], width, std=0.5)
    for index in range(vision["depth"]):
        block = f"{stem}.blocks.{index}"
        yield from _layer_norm(f"{block}.norm1", width, draw)
        yield from _layer_norm(f"{block}.norm2", width, draw)
        yield from _with_bias(f"{block}.attn.qkv", 3 * width, width, draw)
        yield from _with_bias(f"{block}.attn.proj", width, width, draw)
        yield from _with_bias(f"{block}.mlp.linear_fc1", mlp, width, draw)
        yield from _with_bias(f"{block}.mlp.linear_fc2", width, mlp, draw)
    merged = width * vision["spatial_merge_size"] ** 2
    yield from _layer_norm(f"{stem}.merger.norm", width, draw)
    yield from _with_bias(f"{stem}.merger.linear_fc1", merged, merged, draw)
    yield from _with_bias(f"{stem}.merger.linear_fc2", vision["out_hidden_size"], merged, draw)


def head_tensors(head: Mapping[str, Any], draw: Draw, prior_scale: float) -> Tensors:
    hidden, width, mlp = head["hidden_size"], head["width"], head["feedforward"]
    yield from _layer_norm("hidden_norm", hidden, draw)
    for part in ("memory", "question", "option_question", "global", "option_context", "option_lexical"):
        yield draw.linear(f"{part}_projection.weight", width, hidden)
    yield "type_embedding.weight", draw("type_embedding", 3, width, std=1.0)
    for index in range(head["routing_layers"]):
        layer = f"evidence_layers.{index}"
        for norm in ("query_norm", "memory_norm", "feedforward_norm"):
            yield from _layer_norm(f"{layer}.{norm}", width, draw)
        yield from _attention(f"{layer}.attention", width, draw)
        yield from _with_bias(f"{layer}.feedforward.0", mlp, width, draw)
        yield from _with_bias(f"{layer}.feedforward.3", width, mlp, draw)
    for index in range(head["layers"]):
        layer = f"layers.{index}"
        for norm in ("norm1", "norm2", "norm3"):
            yield from _layer_norm(f"{layer}.{norm}", width, draw)
        yield from _attention(f"{layer}.self_attn", width, draw)
        yield from _attention(f"{layer}.multihead_attn", width, draw)
        yield from _with_bias(f"{layer}.linear1", mlp, width, draw)
        yield from _with_bias(f"{layer}.linear2", width, mlp, draw)
    for norm in ("option_summary_norm", "field_norm", "option_norm"):
        yield from _layer_norm(norm, width, draw)
    yield from _with_bias("residual_scorer.0", width, 4 * width, draw)
    yield from _with_bias("residual_scorer.3", 1, width, draw)
    # exp of the scales weighs the two cosines; sigmoid(0.7) lets two thirds of the joint part in. Larger scales would
    # pull the logits further apart and lift the last bits of float32 into the probabilities.
    for name, value in (("prior_logit_scale", prior_scale), ("joint_logit_scale", 2.5), ("residual_gate", 0.7)):
        yield name, np.array(value, dtype=np.float32)


def _attention(name: str, width: int, draw: Draw) -> Tensors:
    """torch.nn.MultiheadAttention's names: rows q | k | v in one matrix."""
    yield draw.linear(f"{name}.in_proj_weight", 3 * width, width)
    yield f"{name}.in_proj_bias", draw(f"{name}.in_proj_bias", 3 * width, std=0.2)
    yield from _with_bias(f"{name}.out_proj", width, width, draw)
