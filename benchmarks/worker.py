"""One side of `compare.py`: loads a release in one implementation, then answers requests line by line over pipes.

Runs in an environment of its own, where clef_mlx may not be installed: imports here are local to each side. Seconds are
taken inside, from request body to probabilities, so the pipe is not in them. Each side says first what it is.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Probabilities = dict[str, dict[str, float]]
Decide = Callable[[dict[str, Any]], tuple[Probabilities, int]]  # -> by question and option, and the record's tokens


def ours(folder: Path) -> tuple[Decide, dict[str, str]]:
    import clef_mlx

    model = clef_mlx.load(folder, dtype="float32", prefix_bytes=0)

    def decide(request: dict[str, Any]) -> tuple[Probabilities, int]:
        decision = model.decide(request["state"], request["questions"])
        return decision.probabilities, decision.usage["input_tokens"]

    return decide, {"clef_mlx": clef_mlx.__version__, "mlx": version("mlx")}


def torch(folder: Path) -> tuple[Decide, dict[str, str]]:
    """The publisher's own code, as the tests run it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from publisher import Publisher

    publisher = Publisher(folder)

    def decide(request: dict[str, Any]) -> tuple[Probabilities, int]:
        record = publisher.encode(request)
        rows = publisher.probabilities(request)
        named = {
            question.question_id: dict(zip(question.option_ids, row.tolist(), strict=True))
            for question, row in zip(record.questions, rows, strict=True)
        }
        return named, len(record.input_ids)

    return decide, {name: version(name) for name in ("torch", "transformers", "clef-finetune")}


def vlm(folder: Path) -> tuple[Decide, dict[str, str]]:
    """mlx-vlm's `predict` without its rounding, on the same BLAS as ours where this is Linux."""
    if sys.platform == "linux":
        ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)
    import mlx.core as mx
    from mlx_vlm.models.clef.clef import QUESTION_TYPES, Clef
    from mlx_vlm.utils import load

    model, processor = load(str(folder))
    encoder = Clef(model, processor)

    def decide(request: dict[str, Any]) -> tuple[Probabilities, int]:
        ids, rows, _ = encoder._sequence(request["state"], request["questions"])
        logits = model(
            mx.array([ids]),
            [(row[2], len(row[3])) for row in rows],
            [span for row in rows for span in row[3]],
            mx.array([QUESTION_TYPES[row[1]["type"]] for row in rows]),
        )
        named, start = {}, 0
        for name, _, _, spans, labels in rows:
            values = mx.softmax(logits[start : start + len(spans)].astype(mx.float32)).tolist()
            named[name] = dict(zip(labels, values, strict=True))
            start += len(spans)
        return named, len(ids)

    return decide, {name: version(name) for name in ("mlx-vlm", "mlx", "transformers")}


SIDES = {"ours": ours, "torch": torch, "mlx-vlm": vlm}


def main() -> None:
    side, folder = sys.argv[1:]
    # Libraries print; the pipe is for documents only.
    pipe, sys.stdout = sys.stdout, sys.stderr
    decide, versions = SIDES[side](Path(folder))
    print(json.dumps(versions), file=pipe, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        start = time.perf_counter()
        probabilities, tokens = decide(request)
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "tokens": tokens, "probabilities": probabilities}), file=pipe, flush=True)


if __name__ == "__main__":
    main()
