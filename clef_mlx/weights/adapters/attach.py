"""Adapters beside modules that stay quantized: the base keeps its bits, the difference is computed beside it."""

from __future__ import annotations

from collections.abc import Iterable

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from clef_mlx.model.adapted import AdaptedEmbedding, AdaptedLinear
from clef_mlx.weights.adapters.adapters import Adapters


def attach(model: nn.Module, adapters: Adapters, modules: Iterable[str], dtype: mx.Dtype) -> None:
    """Replace those of `modules` (paths in `model`, kept quantized, weights loaded) that an adapter changes.

    Names of parameters stay as they are. Factors take `dtype`, that of the activations; DoRA's gains stay float32.
    Called again for a module, it computes the branch anew.
    """
    if not adapters.adapters:
        return
    found = dict(model.named_modules())
    for path in modules:
        if not adapters.touches(f"{path}.weight"):
            continue
        module = found[path]
        branch = adapters.branch(f"{path}.weight", lambda start, stop, m=module: _rows(m, start, stop), _count(module))
        kind = AdaptedEmbedding if isinstance(module, nn.QuantizedEmbedding) else AdaptedLinear
        adapted = kind(module, branch.a.astype(dtype), branch.b.astype(dtype), branch.gain)
        adapted.freeze()
        mx.eval(adapted.parameters())
        model.update_modules(tree_unflatten([(path, adapted)]))


def _count(module: nn.QuantizedLinear | nn.QuantizedEmbedding) -> int:
    return module.weight.shape[0]


def _rows(module: nn.QuantizedLinear | nn.QuantizedEmbedding, start: int, stop: int) -> mx.array:
    """Rows of the packed matrix, unpacked in float32: with bfloat16 scales MLX would round every product."""
    biases = module.biases[start:stop].astype(mx.float32) if "biases" in module and module.biases is not None else None
    scales = module.scales[start:stop]
    scales = scales if biases is None else scales.astype(mx.float32)
    packed = module.weight[start:stop]
    return mx.dequantize(packed, scales, biases, module.group_size, module.bits, module.mode, dtype=mx.float32)
