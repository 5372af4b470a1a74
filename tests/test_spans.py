"""Means over spans."""

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
import numpy as np

from clef_mlx.model.spans import span_means


def test_span_means_come_back_in_order():
    rows = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    spans = [(40, 42), (0, 7), (3, 4), (10, 12), (0, 50), (49, 50)]
    expected = np.stack([rows[start:end].astype(np.float64).mean(0) for start, end in spans])
    assert np.abs(np.array(span_means(mx.array(rows), spans)) - expected).max() <= 1e-6


def test_short_span_late_in_a_bf16_record_keeps_its_value():
    rows = mx.full((16_000, 4), 100.0, mx.bfloat16)
    rows[15_990:15_992] = 0.5
    assert span_means(rows, [(15_990, 15_992)]).tolist() == [[0.5] * 4]
