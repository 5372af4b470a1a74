"""Means over token spans, in float32 whatever the dtype of the rows.

Differences of running sums would be one product for all spans, but lose short spans late in a record.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import numpy as np


def span_means(rows: mx.array, spans: Sequence[tuple[int, int]]) -> mx.array:
    """Mean of rows [T, D] over each (start, end). -> [S, D] float32.

    Spans of one length are gathered together, so the number of steps is that of distinct lengths.
    """
    bounds = np.asarray(spans, dtype=np.int64)
    lengths = bounds[:, 1] - bounds[:, 0]
    means, order = [], []
    for length in np.unique(lengths):
        members = np.flatnonzero(lengths == length)
        tokens = bounds[members, :1] + np.arange(length)  # [members, length]
        means.append(rows[mx.array(tokens)].astype(mx.float32).mean(axis=1))
        order.append(members)
    return mx.concatenate(means)[mx.array(np.argsort(np.concatenate(order)))]
