"""The latency curve of a loaded model: every length with every number of questions, beside the least time there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clef_mlx.bench.measure import peak_bytes, product_rate, time_call
from clef_mlx.bench.roofline import chip_named, forward_flops
from clef_mlx.bench.workload import questions, request_of
from clef_mlx.config import ReleaseConfig
from clef_mlx.engine import thread
from clef_mlx.engine.clef import Clef
from clef_mlx.weights.files import read_folder


def config_of(folder: Path) -> ReleaseConfig:
    """The facts of a release folder."""
    files = read_folder(folder)
    return ReleaseConfig.from_json(files.config, files.head_config, where="config.json")


def roof(model: Clef, chip: str) -> dict[str, Any]:
    """The rate of products measured here in the model's dtype, and the public figures of the chip where known."""
    public = chip_named(chip)
    return {
        "dtype": model.info.dtype,
        "measured_flop_s": thread.run(product_rate, model.info.dtype),
        "public": vars(public) if public else None,
    }


def counter(model: Clef) -> Callable[[dict[str, Any]], int]:
    """Tells the tokens of a request, as `workload` asks for them."""
    return lambda request: len(model.encode(request).input_ids)


def latency_rows(
    model: Clef, tokens: list[int], asked: list[int], runs: int, flop_s: float
) -> Iterator[dict[str, Any]]:
    """Measure every combination, shortest first. `floor_s` is the time its products alone take at `flop_s`.

    The model must not reuse prefixes, or every run after the first would find the work done.
    """
    config = config_of(model.info.folder)
    for length in tokens:
        for count in asked:
            request = request_of(length, questions(count), counter(model))
            real = counter(model)(request)

            def decide(request: dict[str, Any] = request) -> None:
                model.systemone(request)

            timing = time_call(decide, runs)
            floor_s = forward_flops(config, real) / flop_s
            yield {
                "tokens": real,
                "questions": count,
                **timing.to_dict(),
                "tokens_s": real / timing.median_s,
                "peak_bytes": peak_bytes(decide),
                "floor_s": floor_s,
                "of_roof": floor_s / timing.min_s,
            }
