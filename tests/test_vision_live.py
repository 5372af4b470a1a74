"""Our probabilities for pictures against the publisher's torch code, here and now, on the same random weights.

Its pictures come through transformers' Pillow backend. Clips need torchvision; theirs are recorded, see
test_vision_goldens.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from golden_check import MAX_DP
from media_bank import QUESTIONS, picture

import clef_mlx

pytest.importorskip("torch", reason="the publisher's code runs on torch")
pytest.importorskip("clef_finetune", reason="it carries the publisher's code")

pytestmark = [pytest.mark.live, pytest.mark.slow]

STATE = "The customer writes that the parcel is late and asks for the money back. "


def requests() -> list[dict]:
    pictures = [[], [picture(300, 200)], [picture(64, 900, 1), picture(640, 480, 2)], [picture(96, 96, 3)] * 2, []]
    return [
        {"state": STATE * (4 * n), "questions": QUESTIONS, **({"images": images} if images else {})}
        for n, images in enumerate(pictures)
    ]


@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
def test_fp32_probabilities_of_pictures_equal_the_publishers_alone_and_batched(size, random_release):
    from publisher import Publisher
    from publisher_media import load_processor

    folder = random_release(size)
    publisher, processor = Publisher(folder), load_processor(folder)
    with clef_mlx.load(folder, dtype="float32", prefix_bytes=0) as model:
        records = [model.encode(request, control_tokens="publisher") for request in requests()]
        theirs = [publisher.encode(request, processor=processor) for request in requests()]
        assert [record.input_ids for record in records] == [record.input_ids for record in theirs]
        truth = [publisher.logits(request, processor=processor) for request in requests()]
        alone = [model.logits([record])[0] for record in records]
        batched = model.logits(records)
    for kind in (alone, batched, publisher.batch_logits(theirs)):
        differences = [dp(ours, judged) for ours, judged in zip(kind, truth, strict=True)]
        assert max(differences) <= MAX_DP


def dp(ours, theirs) -> float:
    """The largest difference in probability over a record's questions."""
    return max(np.abs(softmax(a) - softmax(b)).max() for a, b in zip(ours, theirs, strict=True))


def softmax(logits) -> np.ndarray:
    values = np.array(logits.tolist())
    weights = np.exp(values - values.max())
    return weights / weights.sum()
