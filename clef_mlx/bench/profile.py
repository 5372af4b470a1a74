"""Where a forward's time goes, part by part, by timing the real modules as they run.

Each part is made to finish before the next begins, so nothing overlaps and nothing is fused across parts: the parts'
sum exceeds the time of an undisturbed forward, and shares are what to read. Everything is put back afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
import mlx.nn as nn

from clef_mlx.engine.clef import Clef
from clef_mlx.model import attention, clef, head, norms, text

PARTS = (
    "tokenizer",
    "embedding",
    "norms",
    "delta projections",
    "delta convolution",
    "delta scan",
    "delta gates",
    "attention projections",
    "attention",
    "attention gates",
    "mlp",
    "backbone",
    "head memory",
    "head",
    "other",
)
# A linear layer belongs to what it stands in; outside all of these it is the head's memory projection.
PROJECTIONS = {"delta gates": "delta projections", "attention gates": "attention projections"}
WHOLE = ("backbone", "mlp", "head", "embedding", "norms")  # what runs inside these is theirs


@dataclass
class Profile:
    """Seconds by part of one decision, how often each ran, and the decision's time without any of this."""

    seconds: dict[str, float]
    calls: dict[str, int]
    undisturbed_s: float

    @property
    def total_s(self) -> float:
        return sum(self.seconds.values())

    def share(self, *parts: str) -> float:
        """What part of the sum these parts take."""
        return sum(self.seconds[part] for part in parts) / self.total_s

    def to_dict(self) -> dict[str, Any]:
        parts = {
            part: {"seconds": seconds, "share": seconds / self.total_s, "calls": self.calls[part]}
            for part, seconds in self.seconds.items()
        }
        return {"parts": parts, "sum_s": self.total_s, "undisturbed_s": self.undisturbed_s}


def profile_decision(model: Clef, request: dict[str, Any], *, runs: int = 3, only_head: bool = False) -> Profile:
    """Profile one decision, keeping of `runs` the one with the smallest sum.

    `only_head` times head and backbone and disturbs neither from within: the fairest view of the head's share. The
    model must not reuse prefixes, or there would be little to see.
    """
    model.systemone(request)
    best = min((_profile_once(model, request, only_head) for _ in range(runs)), key=lambda clock: clock.total_s)
    undisturbed = min(_seconds(lambda: model.systemone(request)) for _ in range(runs))
    return Profile({p: best.seconds[p] for p in PARTS if p in best.seconds}, best.calls, undisturbed)


def _profile_once(model: Clef, request: dict[str, Any], only_head: bool) -> _Clock:
    clock = _Clock()
    encode_s = _seconds(lambda: model.encode(request))
    with _wrapped(clock, only_head):
        whole_s = _seconds(lambda: model.systemone(request))
    timed = clock.total_s
    clock.add("tokenizer", encode_s)
    clock.add("other", max(0.0, whole_s - timed - encode_s))
    return clock


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@dataclass
class _Clock:
    """Adds up each part's own time: what runs inside another part is not counted twice."""

    seconds: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    stack: list[str] = field(default_factory=list)
    inner: list[float] = field(default_factory=list)

    @property
    def total_s(self) -> float:
        return sum(self.seconds.values())

    def add(self, part: str, seconds: float) -> None:
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds
        self.calls[part] = self.calls.get(part, 0) + 1

    def timed(self, call: Callable[..., Any], part: str) -> Callable[..., Any]:
        """`call`, its inputs ready before the clock starts and its outputs before it stops."""

        @wraps(call)
        def run(*args: Any, **kwargs: Any) -> Any:
            own = self._own(part)
            if own is None:
                return call(*args, **kwargs)
            mx.eval(args, kwargs)
            start = time.perf_counter()
            self.stack.append(own)
            self.inner.append(0.0)
            result = call(*args, **kwargs)
            mx.eval(result)
            spent = time.perf_counter() - start
            self.stack.pop()
            self.add(own, spent - self.inner.pop())
            if self.inner:
                self.inner[-1] += spent
            return result

        return run

    def _own(self, part: str) -> str | None:
        """The part this call is counted as; None where it is counted with what it stands in."""
        outer = self.stack[-1] if self.stack else None
        if outer in WHOLE or outer in PROJECTIONS.values():
            return None
        if part == "linear":
            return PROJECTIONS.get(outer or "", "head memory")
        return part


def _places(only_head: bool) -> list[tuple[Any, str, str]]:
    """What is wrapped: owner, attribute, part."""
    head_alone = [(head.JointSchemaHead, "__call__", "head"), (clef.ClefModel, "schema_vectors", "head")]
    linear = [(kind, "__call__", "linear") for kind in (nn.Linear, nn.QuantizedLinear)]
    memory = [(nn.LayerNorm, "__call__", "head memory"), *linear]
    if only_head:
        return [*head_alone, *memory, (text.TextModel, "__call__", "backbone")]
    return [
        *head_alone,
        *memory,
        *[(kind, "__call__", "embedding") for kind in (nn.Embedding, nn.QuantizedEmbedding)],
        *[(kind, "__call__", "norms") for kind in (norms.RMSNorm, norms.GatedRMSNorm)],
        (text.GatedDeltaNet, "__call__", "delta gates"),
        (text.CausalConv, "__call__", "delta convolution"),
        (text, "gated_delta_rule", "delta scan"),
        (attention.GatedAttention, "__call__", "attention gates"),
        (attention, "causal_attention", "attention"),
        (text.MLP, "__call__", "mlp"),
    ]


@contextmanager
def _wrapped(clock: _Clock, only_head: bool) -> Iterator[None]:
    """Time the parts within. Functions compiled inside a part run op by op meanwhile: a trace cannot be timed."""
    places = [(owner, name, getattr(owner, name), part) for owner, name, part in _places(only_head)]
    if not only_head:
        mx.disable_compile()
    try:
        for owner, name, original, part in places:
            setattr(owner, name, clock.timed(original, part))
        yield
    finally:
        for owner, name, original, _ in places:
            setattr(owner, name, original)
        mx.enable_compile()
