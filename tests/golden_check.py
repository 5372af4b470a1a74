"""Reads the goldens and holds a loaded model against them: for the golden tests, and for the test of those."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDENS = Path(__file__).parent / "goldens"
# fp32 against torch fp32, the most that a probability may differ. It is never widened: a difference has a reason.
MAX_DP = 2e-5


def goldens(size: str) -> dict[str, Any]:
    return json.loads((GOLDENS / f"{size}.json").read_text(encoding="utf-8"))


def same_weights(size: str, folder: Path) -> bool:
    """Whether the release rebuilt from its seed is the one the goldens were recorded on."""
    recorded = goldens(size)["metadata"]["weights"]
    return all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in recorded.items())


def softmax(logits: list[float]) -> np.ndarray:
    weights = np.exp(np.asarray(logits) - np.max(logits))
    return weights / weights.sum()


def check_record(model: Any, golden: dict[str, Any]) -> float:
    """Assert ids, spans and probabilities of one golden record; return the largest difference in probability."""
    trace = model.trace(golden["request"], control_tokens="publisher", **golden["options"])
    assert trace["input_ids"] == golden["input_ids"]
    for at, question in enumerate(golden["questions"]):
        assert trace["question_spans"][at] == question["span"]
        assert trace["option_spans"][at] == question["option_spans"]
        assert trace["option_ids"][at] == question["option_ids"]
    worst = 0.0
    for question, logits in zip(golden["questions"], golden["logits"], strict=True):
        ours = [trace["probabilities"][question["id"]][option] for option in question["option_ids"]]
        worst = max(worst, np.abs(np.array(ours) - softmax(logits)).max())
    assert worst <= MAX_DP, golden["name"]
    return worst
