"""The gated delta rule: how a linear-attention layer reads and writes its state.

Per value head, with state S [Dv, Dk], log decay g <= 0, and write strength beta:

    S = exp(g) S;  S = S + beta (v - S k) k^T;  out = S q

Three forms share one signature and agree; `gated_delta_rule` picks by device. Everything is float32. q and k come
normalized, q scaled; key head h serves the consecutive value heads h*R to h*R+R-1.

    q, k       [B, L, K, Dk]     v     [B, L, H, Dv]     (H = K * R)
    log_decay  [B, L, H]         beta  [B, L, H]
    state      [B, H, Dv, Dk]    ->  out [B, L, H, Dv], state
"""

from __future__ import annotations

import mlx.core as mx

from clef_mlx.model.elementwise import exp
from clef_mlx.model.paths import paths

CHUNK = 64  # tokens solved together; the triangular solve is 64 x 64
LEAF = 8  # the solve's smallest block; the Neumann product is exact and well conditioned up to 16
# e^-80 is 1e-35: what decays further is gone in float32, while sums of the raw value would lose their digits.
LOG_DECAY_FLOOR = -80.0


def l2_normalize(x: mx.array, scale: float = 1.0) -> mx.array:
    """x / sqrt(sum(x^2) + 1e-6) * scale over the last axis, in float32.

    `mx.fast.rms_norm` adds its eps to the mean, hence the division by the width.
    Source: transformers `l2norm` in modeling_qwen3_5.py.
    """
    width = x.shape[-1]
    return mx.fast.rms_norm(x.astype(mx.float32), None, 1e-6 / width) * (scale * width**-0.5)


def gated_delta_rule(
    q: mx.array, k: mx.array, v: mx.array, log_decay: mx.array, beta: mx.array, state: mx.array
) -> tuple[mx.array, mx.array]:
    """Run the form that is fast here; see the module for shapes."""
    form = {"packed": delta_packed, "chunkwise": delta_chunkwise, "recurrent": delta_recurrent}[paths().delta]
    return form(q, k, v, mx.maximum(log_decay, LOG_DECAY_FLOOR), beta, state)


def delta_recurrent(
    q: mx.array, k: mx.array, v: mx.array, log_decay: mx.array, beta: mx.array, state: mx.array
) -> tuple[mx.array, mx.array]:
    """One token at a time: the definition, and the slow twin of the other two forms."""
    repeats = v.shape[2] // k.shape[2]
    q, k = (mx.repeat(x, repeats, axis=2) for x in (q, k))
    outs = []
    for t in range(v.shape[1]):
        state = state * mx.exp(log_decay[:, t])[..., None, None]
        read = (state @ k[:, t, :, :, None]).squeeze(-1)  # [B, H, Dv]
        write = beta[:, t, :, None] * (v[:, t] - read)
        state = state + write[..., None] * k[:, t, :, None, :]
        outs.append((state @ q[:, t, :, :, None]).squeeze(-1))
    return mx.stack(outs, axis=1), state


def delta_packed(
    q: mx.array, k: mx.array, v: mx.array, log_decay: mx.array, beta: mx.array, state: mx.array
) -> tuple[mx.array, mx.array]:
    """mlx-lm's Metal kernel, its packed variant where Dk is 128; decay and state stay float32."""
    # Imported here: mlx-lm brings transformers along, which costs seconds and is needed on Metal only.
    from mlx_lm.models.gated_delta import gated_delta_kernel

    return gated_delta_kernel(q, k, v, mx.exp(log_decay), beta, state)


def delta_chunkwise(
    q: mx.array, k: mx.array, v: mx.array, log_decay: mx.array, beta: mx.array, state: mx.array
) -> tuple[mx.array, mx.array]:
    """Whole chunks by matrix products, the state carried from chunk to chunk.

    Inside a chunk the writes w solve (I + A) w = beta (v - exp(G) S k), A[i, j] = beta_i exp(G_i - G_j) k_i.k_j for
    j < i, G the running sum of log decays (the WY form of Yang et al. 2024, "Gated Delta Networks").
    """
    B, L, K, Dk = k.shape
    H, Dv = v.shape[2:]
    R = H // K
    C = CHUNK if L > CHUNK // 2 else max(LEAF, 1 << (L - 1).bit_length())
    N = -(-L // C)
    # [B, heads, N, C, ...]; the padding writes nothing (beta 0) and keeps the state (log decay 0).
    q, k, v = (_chunked(x, N, C) for x in (q, k, v))
    log_decay, beta = (_chunked(x[..., None], N, C) for x in (log_decay, beta))
    within, from_start = _decays(log_decay.squeeze(-1), C)  # [B, H, N, C, C], [B, H, N, C, 1]

    # One product per key head, rows k then q, serves its R value heads.
    rows = mx.concatenate([k, q], axis=-2)  # [B, K, N, 2C, Dk]
    products = rows @ k.swapaxes(-1, -2)
    within = within.reshape(B, K, R, N, C, C)
    beta, v = (x.reshape(B, K, R, N, C, -1) for x in (beta, v))
    strict = mx.tril(mx.ones((C, C)), -1)
    inverse = (_inverse_trained if paths().trained else unit_lower_inverse)(
        within * (products[..., :C, :] * strict)[:, :, None] * beta
    )
    mix = within * products[:, :, None, ..., C:, :]

    from_start = from_start.reshape(B, K, R, N, C, 1)
    seen_decay = mx.concatenate([from_start, from_start], axis=-2)
    to_end = within[..., -1, :, None]  # decay from each token to the chunk's end
    carried = state.swapaxes(-1, -2).reshape(B, K, R, Dk, Dv)
    # Split, not indexed: the gradient of N slices is one concatenation instead of N arrays of the whole size.
    per_chunk = (rows[:, :, None], seen_decay, inverse, beta, v, mix, from_start, to_end)
    outs = []
    for chunk in zip(*(_each(part, N) for part in per_chunk), strict=True):
        rows_n, seen_decay_n, inverse_n, beta_n, v_n, mix_n, from_start_n, to_end_n = chunk
        seen, seen_by_q = mx.split((rows_n @ carried) * seen_decay_n, 2, axis=-2)
        writes = inverse_n @ (beta_n * (v_n - seen))
        outs.append(seen_by_q + mix_n @ writes)
        kept = carried * from_start_n[..., -1:, :]
        carried = kept + rows_n[..., :C, :].swapaxes(-1, -2) @ (to_end_n * writes)
    out = outs[0] if N == 1 else mx.concatenate(outs, axis=-2)
    out = out.reshape(B, H, N * C, Dv)[:, :, :L].swapaxes(1, 2)
    return out, carried.reshape(B, H, Dk, Dv).swapaxes(-1, -2)


def _chunked(x: mx.array, chunks: int, size: int) -> mx.array:
    """[B, L, heads, D] -> [B, heads, chunks, size, D], zeros after the last token."""
    B, L, heads, D = x.shape
    if (missing := chunks * size - L) > 0:
        x = mx.pad(x, [(0, 0), (0, missing), (0, 0), (0, 0)])
    return x.reshape(B, chunks, size, heads, D).transpose(0, 3, 1, 2, 4)


def _each(x: mx.array, chunks: int) -> list[mx.array]:
    """[B, K, R, chunks, ...] -> one array [B, K, R, ...] per chunk."""
    return [part.squeeze(3) for part in mx.split(x, chunks, axis=3)]


def _decays(log_decay: mx.array, size: int) -> tuple[mx.array, mx.array]:
    """Decays between tokens i >= j of a chunk [..., C, C] (zero above), and from its start [..., C, 1].

    Each exponent is a sum of its own terms, by a product with triangular ones. Differences of one running sum would
    lose the digits of small decays once a large one has been added.
    """
    lower = mx.tril(mx.ones((size, size)))
    after = mx.concatenate([mx.tril(mx.ones((size, size)), -1), mx.ones((size, 1))], axis=1)  # [l, j]: l > j; then all
    sums = lower @ (log_decay[..., None] * after)  # [..., i, j] = sum of j < l <= i
    decays = exp(sums)
    return decays[..., :size] * lower, decays[..., size:]


def unit_lower_inverse(strict: mx.array) -> mx.array:
    """(I + strict)^-1 for strictly lower triangular blocks [..., C, C], C a power of two times LEAF.

    Leaves by the Neumann product (I - A)(I + A^2)(I + A^4), exact as A^8 = 0, then exact 2 x 2 block merges. Doubling
    all the way instead overflows on near-identical keys.
    """
    C = strict.shape[-1]
    leaves = C // LEAF
    blocks = strict.reshape(*strict.shape[:-2], leaves, LEAF, leaves, LEAF)
    a = mx.stack([blocks[..., i, :, i, :] for i in range(leaves)], axis=-3)  # [..., leaves, LEAF, LEAF]
    eye = mx.eye(LEAF)
    a2 = a @ a
    inverse = (eye - a) @ (eye + a2) @ (eye + a2 @ a2)
    size = LEAF
    while size < C:
        size *= 2
        half, pairs = size // 2, C // size
        low = strict.reshape(*strict.shape[:-2], pairs, size, pairs, size)
        low = mx.stack([low[..., i, half:, i, :half] for i in range(pairs)], axis=-3)
        top, bottom = inverse[..., 0::2, :, :], inverse[..., 1::2, :, :]
        corner = -(bottom @ low @ top)
        inverse = mx.concatenate(
            [
                mx.concatenate([top, mx.zeros_like(top)], axis=-1),
                mx.concatenate([corner, bottom], axis=-1),
            ],
            axis=-2,
        )
    return inverse.squeeze(-3)


_inverse_trained = mx.custom_function(unit_lower_inverse)


@_inverse_trained.vjp
def _(strict: mx.array, cotangent: mx.array, inverse: mx.array) -> mx.array:
    """d(I + A)^-1 = -(I + A)^-1 dA (I + A)^-1, below the diagonal."""
    turned = inverse.swapaxes(-1, -2)
    return mx.tril(-(turned @ cotangent @ turned), -1)
