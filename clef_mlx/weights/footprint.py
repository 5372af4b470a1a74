"""What deciding takes beside the weights, from the config alone: the one estimate of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clef_mlx.config import ReleaseConfig, VisionConfig
from clef_mlx.model.attention import KEY_BLOCK, SCORE_BYTES
from clef_mlx.model.cores import BLOCK_BYTES
from clef_mlx.model.paths import paths
from clef_mlx.model.vision import MLP_ROWS

BLOCK_RESULTS = 8  # forms of one block of scores that the blocked attention holds at a time


@dataclass(frozen=True)
class Footprint:
    """Bytes by what holds them. Estimates of whole decisions come within about 15 % of the measured peak."""

    layer_rows: int  # a token's keys and values in one full-attention layer
    rows: int  # the same in all of them, and the head's memory row: what a kept prefix holds per token
    head: int  # what the head makes of one memory row, for one record at a time
    normed: int  # a hidden row that waits for the head
    states: int  # the linear-attention states of one record
    layer: int  # a layer's intermediate results for one token of a chunk, about four of its widest at a time
    scores: int  # one token's attention to another in a layer

    @classmethod
    def of(cls, config: ReleaseConfig, width: int) -> Footprint:
        """`width` is the bytes of an activation: 4 in float32."""
        text = config.text
        full = text.layer_types.count("full_attention")
        linear = len(text.layer_types) - full
        delta = math.prod((text.linear_num_value_heads, text.linear_value_head_dim, text.linear_key_head_dim))
        conv = (text.linear_conv_kernel_dim - 1) * text.conv_dim
        layer_rows = 2 * text.num_key_value_heads * text.head_dim * width
        return cls(
            layer_rows=layer_rows,
            rows=full * layer_rows + config.head.width * width,
            head=config.head.width * (width + 4),
            normed=text.hidden_size * width,
            states=linear * (4 * delta + width * conv),
            layer=4 * width * (4 * text.hidden_size + max(3 * text.intermediate_size, 4 * text.conv_dim)),
            scores=4 * text.num_attention_heads,
        )

    def deciding(
        self, tokens: int, *, batch: int = 1, chunk: int, shared: int = 0, known: int = 0, checkpoints: int = 0
    ) -> int:
        """Decide `batch` records padded to `tokens`, in chunks of `chunk` tokens of each.

        They share their first `shared` tokens, with states kept at `checkpoints`; the rows of `known` tokens are
        already held by someone else.
        """
        own = tokens - shared
        rows = (batch * own + shared - known) * self.rows
        joined = batch * tokens * self.layer_rows if shared else 0
        states = (2 * batch + checkpoints) * self.states
        taken = batch * min(chunk, tokens - known)
        return rows + joined + states + tokens * self.head + self._step(taken, tokens)

    def _step(self, taken: int, tokens: int) -> int:
        """Intermediate results of one step of `taken` tokens, with `tokens` to look at."""
        if paths().attention == "fused":
            return taken * self.layer + min(taken * tokens * self.scores, SCORE_BYTES)
        blocks = BLOCK_RESULTS * min(tokens, KEY_BLOCK) * self.scores
        return taken * (max(self.layer, blocks) + tokens * self.scores)


def seeing_bytes(config: VisionConfig, patches: Sequence[int], width: int) -> int:
    """What the tower takes beside its weights, for pictures of so many patches one after another.

    Each one's rows stay until the backbone has read them. `width` is the bytes of an activation.
    """
    most = max(patches)
    rows = 2 * width * config.out_hidden_size * sum(patches) // config.merged
    # What a block adds to and its input; q, k, v before and after turning, or the widened rows thrice.
    row = width * most * config.hidden_size
    widened = 3 * width * min(most, MLP_ROWS) * config.intermediate_size
    scores = BLOCK_BYTES if paths().attention == "blocked" else min(4 * config.num_heads * most**2, SCORE_BYTES)
    return rows + 4 * most * config.patch_dim + max(10 * row + scores, 4 * row + widened)
