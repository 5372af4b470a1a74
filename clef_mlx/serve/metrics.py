"""What happens in the server, as numbers for Prometheus.

One registry for the process; every function may be called from any thread. Nothing here is about a request's content.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest

from clef_mlx.engine.budget import Memory
from clef_mlx.engine.decision import Decision

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
POWERS = tuple(2**n for n in range(8))

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)  # resident memory and open files; Linux alone tells

_responses = Counter("clef_responses", "Responses by route and status.", ["route", "status"], registry=REGISTRY)
_response_seconds = Histogram(
    "clef_response_seconds",
    "From a request's first byte to its response.",
    ["route"],
    buckets=SECONDS,
    registry=REGISTRY,
)
_phase_seconds = Histogram(
    "clef_phase_seconds",
    "Of a decision: body (read), waiting (queue), tokens and pictures (encode), the pass that decided it (model).",
    ["phase"],
    buckets=SECONDS,
    registry=REGISTRY,
)
_waiting = Gauge("clef_waiting_requests", "Requests that wait for the model.", registry=REGISTRY)
_batch = Histogram(
    "clef_batch_requests", "Requests decided in one pass of the model.", buckets=POWERS, registry=REGISTRY
)
_prefixes = Counter("clef_prefixes", "Decisions that continued a known state, or none.", ["result"], registry=REGISTRY)
_tokens = Counter(
    "clef_tokens", "Tokens of decided requests: all, known from before, cut off.", ["kind"], registry=REGISTRY
)
_errors = Counter("clef_errors", "Requests that were not decided, by kind of error.", ["kind"], registry=REGISTRY)
_models = Counter(
    "clef_model_events", "Models loaded, unloaded, reloaded or failed.", ["model", "event"], registry=REGISTRY
)
_model_bytes = Gauge("clef_model_bytes", "Memory of a loaded model by kind.", ["model", "kind"], registry=REGISTRY)
_mlx_bytes = Gauge("clef_mlx_bytes", "Memory of MLX in this process by kind.", ["kind"], registry=REGISTRY)
_ready = Gauge("clef_ready", "1 while decisions succeed.", registry=REGISTRY)

_mlx_bytes.labels("active").set_function(mx.get_active_memory)
_mlx_bytes.labels("cache").set_function(mx.get_cache_memory)
_mlx_bytes.labels("peak").set_function(mx.get_peak_memory)


def observe_response(route: str, status: int, seconds: float) -> None:
    """A response left, or its client did."""
    _responses.labels(route, status).inc()
    _response_seconds.labels(route).observe(seconds)


def observe_phase(phase: str, seconds: float) -> None:
    """A request was in a phase: read, queue, encode or model."""
    _phase_seconds.labels(phase).observe(seconds)


def count_waiting(count: Callable[[], int]) -> None:
    """Ask `count` for the requests that wait, whenever the metrics are read."""
    _waiting.set_function(count)


def observe_pass(requests: int) -> None:
    """The model finished so many requests at once."""
    _batch.observe(requests)


def observe_decision(decision: Decision) -> None:
    reused = decision.reused_tokens
    _prefixes.labels("hit" if reused else "miss").inc()
    _tokens.labels("input").inc(decision.usage["input_tokens"])
    _tokens.labels("reused").inc(reused)
    _tokens.labels("truncated").inc(decision.truncated_tokens)


def observe_error(error: BaseException) -> None:
    """By the name of its class: nothing of what it says."""
    _errors.labels(type(error).__name__).inc()


def observe_model(model: str, event: str) -> None:
    """A model was loaded, unloaded, reloaded, or failed to."""
    _models.labels(model, event).inc()


def observe_memory(model: str, memory: Memory | None) -> None:
    """What a model holds; None: it is gone."""
    held = {} if memory is None else {"weights": memory.weights, "prefixes": memory.prefixes}
    for kind in ("weights", "prefixes"):
        _model_bytes.labels(model, kind).set(held.get(kind, 0))


def observe_ready(ready: bool) -> None:
    _ready.set(ready)


def render() -> tuple[bytes, str]:
    """All metrics as text, and its media type."""
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
