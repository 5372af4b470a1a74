"""The next-token loss of training: its hand-written gradient is that of MLX's own forms."""

from __future__ import annotations

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import numpy as np

from clef_mlx.model.elementwise import cross_entropy
from clef_mlx.model.paths import override_paths
from clef_mlx.train.forward import differentiable


def test_cross_entropy_has_the_builtin_value_and_gradient():
    random = np.random.default_rng(0)
    logits = mx.array(3 * random.standard_normal((50, 300)).astype(np.float32))
    ids, weights = mx.array(random.integers(0, 300, 50)), mx.array(random.standard_normal(50).astype(np.float32))
    step = mx.value_and_grad(lambda logits: (cross_entropy(logits, ids) * weights).sum())
    with override_paths(elementwise="builtin"):
        value, gradient = step(logits)
        mx.eval(value, gradient)
    with differentiable():
        own_value, own_gradient = step(logits)
        mx.eval(own_value, own_gradient)
    assert abs(own_value.item() - value.item()) < 1e-3
    assert mx.abs(own_gradient - gradient).max().item() < 1e-6
