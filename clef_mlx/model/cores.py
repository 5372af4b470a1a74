"""Attention and GELU of the vision tower in numpy, on every core of a processor, for processors without a GPU.

MLX's CPU backend works elementwise on one core, in calls of 5 to 20 ns an element on x86; a picture of 1024x768 has 4e9
scores. numpy's own exp is vectorized and lets go of the interpreter, so threads share it. Arrays that come in are
evaluated. The twins in plain MLX are in `vision`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

SAFE_SCORE = 50.0  # a sum of 2^24 exps of such scores is far from float32's end, and so is its reciprocal
BLOCK_BYTES = 8 << 20  # scores of one head worked on at a time
PIECE_BYTES = 256 << 10  # what one core takes of them: small enough for its own cache


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float) -> np.ndarray:
    """softmax(scale q k^T) v per head, everyone sees everyone. q, k, v [N, H, D] float32 -> [N, H * D]."""
    N, H, D = q.shape
    out = np.empty((N, H, D), dtype=np.float32)
    rows = min(N, max(1, BLOCK_BYTES // (4 * N)))
    scores = np.empty((rows, N), dtype=np.float32)
    ones = np.ones((N, 1), dtype=np.float32)  # one more value of all ones: its sum is that of the weights
    for head in range(H):
        queries, keys = q[:, head] * np.float32(scale), k[:, head].T
        values = np.concatenate([v[:, head], ones], axis=1)
        weigh = _exponentiate if _largest_score(queries, keys) <= SAFE_SCORE else _exponentiate_shifted
        for start in range(0, N, rows):
            block = np.matmul(queries[start : start + rows], keys, out=scores[: N - start])
            _spread(weigh, block, block)
            sums = block @ values
            np.divide(sums[:, :D], sums[:, D:], out=out[start : start + rows, head])
    return out.reshape(N, H * D)


def _largest_score(queries: np.ndarray, keys: np.ndarray) -> float:
    """What no score of queries [N, D] and keys [D, N] exceeds: the longest of each, in one direction."""
    return float(np.linalg.norm(queries, axis=1).max() * np.linalg.norm(keys, axis=0).max())


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The GELU with tanh, of x [N, F] float32, in a new array. Source: torch.nn.GELU(approximate="tanh")."""
    out = np.empty_like(x)
    _spread(_gelu_tanh, x, out)
    return out


def _exponentiate(scores: np.ndarray, weights: np.ndarray) -> None:
    np.exp(scores, out=weights)


def _exponentiate_shifted(scores: np.ndarray, weights: np.ndarray) -> None:
    """exp(scores - the row's largest): two more steps, for scores whose exp or its sum could overflow."""
    np.subtract(scores, scores.max(axis=1, keepdims=True), out=weights)
    np.exp(weights, out=weights)


def _gelu_tanh(x: np.ndarray, out: np.ndarray) -> None:
    """x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3): the same as x (1 + tanh u) / 2 with fewer steps."""
    twice = np.float32(-2.0 * math.sqrt(2.0 / math.pi))
    np.multiply(x, x, out=out)
    out *= twice * np.float32(0.044715)
    out += twice
    out *= x
    np.minimum(out, np.float32(87.0), out=out)  # beyond it exp overflows and the result is zero anyway
    np.exp(out, out=out)
    out += np.float32(1.0)
    np.divide(x, out, out=out)


def _spread(work: Callable[[np.ndarray, np.ndarray], None], first: np.ndarray, second: np.ndarray) -> None:
    """Do the rows of both arrays in pieces that suit a core's cache, the cores in turn."""
    step = max(1, PIECE_BYTES // (first.itemsize * first.shape[1]))
    share = -(-len(first) // (step * _cores())) * step

    def part(start: int) -> None:
        # Whoever reads the logits finds what is not finite; numpy's warning would come once and name nothing.
        with np.errstate(all="ignore"):
            for at in range(start, min(start + share, len(first)), step):
                end = min(at + step, start + share)
                work(first[at:end], second[at:end])

    list(_workers().map(part, range(0, len(first), share)))


@cache
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads for numpy alone; MLX stays in its own."""
    return ThreadPoolExecutor(_cores(), thread_name_prefix="clef-mlx-cores")
