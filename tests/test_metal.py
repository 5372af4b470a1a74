"""On an Apple GPU: the whole model against itself on the CPU, and its memory."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

import clef_mlx
from clef_mlx.engine import thread
from clef_mlx.model.paths import override_paths, paths

pytestmark = pytest.mark.metal

REQUEST = {
    "state": "the parcel is late again and nobody answers " * 60,
    "questions": {
        "urgent": {"type": "noul"},
        "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
        "anger": {"type": "score", "criteria": ["calm", "annoyed", "furious"]},
    },
}


def flat(decision) -> np.ndarray:
    return np.array([p for question in decision.probabilities.values() for p in question.values()])


def test_metal_chooses_the_packed_kernel_and_fused_attention():
    assert (paths().delta, paths().attention, paths().elementwise) == ("packed", "fused", "builtin")


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 2e-5), ("float16", 0.02), ("bfloat16", 0.05)])
def test_metal_kernels_answer_like_plain_ops(random_release, dtype, tolerance):
    with clef_mlx.load(random_release("bench"), dtype=dtype) as model:
        kernels = flat(model.decide(**REQUEST))
        with override_paths(delta="chunkwise", attention="blocked"):
            plain = flat(model.decide(**REQUEST))
    assert np.abs(kernels - plain).max() <= tolerance


def test_metal_peak_memory_grows_linearly(random_release):
    with clef_mlx.load(random_release("bench"), prefix_bytes=0) as model:

        def peak(words: int) -> int:
            thread.run(mx.reset_peak_memory)
            held = mx.get_active_memory()
            model.decide("late parcel " * words, REQUEST["questions"])
            return mx.get_peak_memory() - held

        peak(1000)
        assert peak(6000) <= 3.5 * peak(2000)
