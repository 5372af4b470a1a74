"""Our probabilities against the publisher's torch code, run here and now on the same random weights."""

from __future__ import annotations

import numpy as np
import pytest
from golden_check import MAX_DP

import clef_mlx

pytest.importorskip("torch", reason="the publisher's code runs on torch")
pytest.importorskip("clef_finetune", reason="it carries the publisher's code")

SHORT = 4000  # characters of a request
pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.mark.parametrize("size", ["golden-128", "golden-256"])
def test_fp32_probabilities_equal_the_publishers(size, random_release):
    from publisher import Publisher
    from requests_bank import requests

    folder = random_release(size)
    publisher = Publisher(folder)
    differences = {}
    with clef_mlx.load(folder, dtype="float32") as model:
        # The larger model's long requests are compared with recorded answers (test_goldens): they take minutes here.
        every = list(requests())
        chosen = every if size == "golden-128" else [request for request in every if len(str(request)) < SHORT][::3]
        for at, request in enumerate(chosen):
            trace = model.trace(request, control_tokens="publisher")
            assert trace["input_ids"] == list(publisher.encode(request).input_ids)
            ours = [
                [trace["probabilities"][question][option] for option in options]
                for question, options in zip(request["questions"], trace["option_ids"], strict=True)
            ]
            theirs = publisher.probabilities(request)
            differences[at] = max(np.abs(a - b.numpy()).max() for a, b in zip(map(np.array, ours), theirs, strict=True))
    assert len(differences) >= (60 if size == "golden-128" else 15)
    assert {at: d for at, d in differences.items() if d > MAX_DP} == {}


@pytest.mark.parametrize("size", ["golden-256"])
def test_bf16_is_no_further_from_fp32_than_the_publishers(size, random_release):
    """Mean over requests of the largest |dp| to torch fp32, same weights, each side's own bf16."""
    import torch
    from publisher import Publisher
    from requests_bank import requests

    folder = random_release(size)
    chosen = [request for request in requests() if len(str(request)) < SHORT][:20]
    exact = Publisher(folder)
    rounded = Publisher(folder, torch.bfloat16)
    ours, theirs = [], []
    with clef_mlx.load(folder, dtype="bfloat16") as model:
        for request in chosen:
            truth = exact.probabilities(request)
            theirs.append(
                max((a - b).abs().max().item() for a, b in zip(rounded.probabilities(request), truth, strict=True))
            )
            trace = model.trace(request, control_tokens="publisher")
            p = [
                np.array([trace["probabilities"][question][option] for option in options])
                for question, options in zip(request["questions"], trace["option_ids"], strict=True)
            ]
            ours.append(max(np.abs(a - b.numpy()).max() for a, b in zip(p, truth, strict=True)))
    assert len(chosen) >= 20
    assert np.mean(ours) <= np.mean(theirs)
