"""How fast are the forms each kernel comes in, alone: delta rule, convolution, attention, exp and its kin, products?

Regime: one layer of the bench release (8 heads of 128; attention 4 heads on 2 of 256), batch of one, float32 unless
named otherwise. Inputs are ready and outputs evaluated inside the timed region; forms of one kind alternate. mlx-lm's
token-by-token ops stand beside ours for the delta rule: they are what MLX runs where its Metal kernel does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from setting import finish, numbers, parser, say_machine

from clef_mlx.bench.measure import alternate, peak_bytes

# isort: split
import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.gated_delta import gated_delta_ops

from clef_mlx.model import attention, delta, elementwise
from clef_mlx.model.paths import override_paths, paths
from clef_mlx.model.text import CausalConv

HEADS, DIM = 8, 128
Forms = dict[str, Callable[[], Any]]


def evaluated(call: Callable[..., Any], *inputs: Any, **changes: str | bool) -> Callable[[], None]:
    """A call that waits for its result, under other paths where named."""

    def run() -> None:
        with override_paths(**changes):
            mx.eval(call(*inputs))

    mx.eval(inputs)
    return run


def delta_forms(tokens: int, recurrent: bool) -> Forms:
    """Realistic inputs: normalized keys, decays near one for most heads."""
    q, k, v = (mx.random.normal((1, tokens, HEADS, DIM)) for _ in range(3))
    q, k = delta.l2_normalize(q, DIM**-0.5), delta.l2_normalize(k)
    log_decay = -nn.softplus(mx.random.normal((1, tokens, HEADS)) - 2.0)
    beta = mx.sigmoid(mx.random.normal((1, tokens, HEADS)))
    state = mx.zeros((1, HEADS, DIM, DIM))
    inputs = (q, k, v, log_decay, beta, state)
    forms = {"chunkwise": evaluated(delta.delta_chunkwise, *inputs)}
    if mx.metal.is_available():
        forms["packed"] = evaluated(delta.delta_packed, *inputs)
    if recurrent:
        forms["recurrent"] = evaluated(delta.delta_recurrent, *inputs)
        forms["mlx-lm ops"] = evaluated(gated_delta_ops, q, k, v, mx.exp(log_decay), beta, state)
    return forms


def conv_forms(tokens: int) -> Forms:
    channels, kernel = 3 * HEADS * DIM, 4
    x, before = mx.random.normal((1, tokens, channels)), mx.zeros((1, kernel - 1, channels))
    ours = CausalConv(channels, kernel)
    ours.weight = mx.random.normal((channels, kernel, 1))

    def conv1d(x: mx.array) -> mx.array:
        return nn.silu(mx.conv1d(mx.concatenate([before, x], axis=1), ours.weight, groups=channels))

    mx.eval(ours.parameters(), before)
    forms = {"ours": evaluated(ours, x, before), "mx.conv1d, nn.silu": evaluated(conv1d, x)}
    if paths().fuse:
        forms["ours, op by op"] = evaluated(ours, x, before, fuse=False)
    return forms


def attention_forms(keys: int, queries: int) -> Forms:
    """The last `queries` positions over all keys, as a chunk of a long record sees them."""
    q = mx.random.normal((1, 4, min(queries, keys), 256))
    k, v = (mx.random.normal((1, 2, keys, 256)) for _ in range(2))
    call = partial(attention.causal_attention, scale=256**-0.5)
    return {form: evaluated(call, q, k, v, attention=form) for form in ("blocked", "fused")}


def elementwise_forms(call: Callable[[mx.array], mx.array], elements: int) -> Forms:
    x = -mx.abs(mx.random.normal((elements // 1024, 1024)))  # exp's callers never go far above zero
    return {form: evaluated(call, x, elementwise=form) for form in ("polynomial", "builtin")}


def product_forms(rows: int, width: int = 1024, out: int = 3072, group: int = 64) -> Forms:
    """x [rows, width] times a weight [out, width] in the ways it may be stored."""
    x, weight = mx.random.normal((rows, width)), mx.random.normal((out, width))
    narrow = x.astype(mx.bfloat16), weight.astype(mx.bfloat16)
    forms = {
        "float32": evaluated(lambda x, w: x @ w.T, x, weight),
        "bfloat16": evaluated(lambda x, w: x @ w.T, *narrow),
    }
    for bits in (8, 4):
        packed = mx.quantize(weight, group, bits)
        named = {"group_size": group, "bits": bits}

        def quantized(x: mx.array, *packed: mx.array, named: dict[str, int] = named) -> mx.array:
            return mx.quantized_matmul(x, *packed, transpose=True, **named)

        def unpacked(x: mx.array, *packed: mx.array, named: dict[str, int] = named) -> mx.array:
            return x @ mx.dequantize(*packed, **named).T

        forms[f"{bits}-bit quantized_matmul"] = evaluated(quantized, x, *packed)
        forms[f"{bits}-bit dequantize, then float32"] = evaluated(unpacked, x, *packed)
    return forms


def main() -> None:
    options = parser(__doc__, runs=5)
    options.add_argument("--tokens", type=numbers, default=[512, 2048, 4096], metavar="N,N", help="of the delta rule")
    options.add_argument("--keys", type=numbers, default=[2560, 7680, 15360], metavar="N,N", help="of attention")
    options.add_argument("--rows", type=numbers, default=[256, 2048], metavar="N,N", help="of a product")
    options.add_argument("--most-recurrent", type=int, default=4096, help="longest record for token-by-token forms")
    told = options.parse_args()
    found = say_machine()
    chunk = paths().prefill_tokens
    kinds: dict[str, Forms] = {}
    for tokens in told.tokens:
        kinds[f"delta rule, {tokens} tokens"] = delta_forms(tokens, tokens <= told.most_recurrent)
    kinds[f"causal conv, {told.tokens[0]} tokens"] = conv_forms(told.tokens[0])
    for keys in told.keys:
        kinds[f"attention, {min(chunk, keys)} queries, {keys} keys"] = attention_forms(keys, chunk)
    for call in (elementwise.exp, elementwise.sigmoid, elementwise.silu, elementwise.softmax):
        kinds[f"{call.__name__}, 1M elements"] = elementwise_forms(call, 1 << 20)
    for rows in told.rows:
        kinds[f"product, {rows} x 1024 by 3072"] = product_forms(rows)
    rows = [row for kind, forms in kinds.items() for row in measured(kind, forms, told.runs)]
    finish("kernels", found, told, rows=rows)


def measured(kind: str, forms: Forms, runs: int) -> list[dict[str, Any]]:
    """One row a form; `slower` is its minimum over that of the kind's first form."""
    print(kind)
    timings = alternate(forms, runs)
    first = next(iter(timings.values())).min_s
    rows = []
    for form, timing in timings.items():
        extra, slower = peak_bytes(forms[form]), timing.min_s / first
        rows.append({"kind": kind, "form": form, **timing.to_dict(), "extra_bytes": extra, "slower": slower})
        print(
            f"  {form:30} min {timing.min_s * 1000:9.2f} ms, median {timing.median_s * 1000:9.2f} ms, "
            f"extra {extra / 2**20:8,.0f} MiB, {slower:6.2f}x"
        )
    return rows


if __name__ == "__main__":
    main()
