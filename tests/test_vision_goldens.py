"""Positions and probabilities of records with media against the publisher's, recorded (see goldens/record_media.py)."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import media_bank as bank
import numpy as np
import pytest
from golden_check import MAX_DP, softmax

import clef_mlx
from clef_mlx.model.positions import record_positions

GOLDEN = json.loads((Path(__file__).parent / "goldens" / "media-golden-128.json").read_text())
RECORDS = {record["name"]: record for record in GOLDEN["records"]}
CASES = {case.name: case for case in bank.cases()}
BATCH = 8
# The largest picture takes most of the time.
TIMED = [pytest.param(name, marks=pytest.mark.slow) if name == "image 3000x2000" else name for name in CASES]


@pytest.fixture(scope="module")
def model(random_release):
    folder = random_release("golden-128")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in GOLDEN["metadata"]["weights"]}
    assert digests == GOLDEN["metadata"]["weights"]
    with clef_mlx.load(folder, dtype="float32", control_tokens="publisher", prefix_bytes=0) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def encoded(model, tmp_path_factory):
    """Case name -> its record, read once."""
    folder = tmp_path_factory.mktemp("bank")
    return cache(lambda name: model.encode(CASES[name].request(folder), **CASES[name].options))


def dp(name: str, logits) -> float:
    pairs = zip(logits, RECORDS[name]["logits"], strict=True)
    return max(np.abs(softmax(np.array(ours).tolist()) - softmax(theirs)).max() for ours, theirs in pairs)


@pytest.mark.parametrize("name", CASES)
def test_positions_equal_the_recorded(model, encoded, name):
    positions = record_positions(encoded(name), model._release.config, 2)
    assert positions[:, -1].tolist() == RECORDS[name]["positions"]["last"]
    assert positions.max() == RECORDS[name]["positions"]["largest"]
    digest = hashlib.sha256(np.ascontiguousarray(positions, dtype="<i4")).hexdigest()
    assert digest == RECORDS[name]["positions"]["sha256"]


@pytest.mark.parametrize("name", TIMED)
def test_probabilities_equal_the_recorded(model, encoded, name):
    assert dp(name, model.logits([encoded(name)])[0]) <= MAX_DP


def test_probabilities_in_batches_with_text_equal_the_recorded(model, encoded):
    """Each batch has short and long records, pictures and clips, and a text without either between them."""
    text = model.encode({"state": "Only words here. " * 20, "questions": bank.QUESTIONS})
    alone = np.concatenate([np.array(question) for question in model.logits([text])[0]])
    names = [name for name in CASES if len(encoded(name).input_ids) < 1200]
    assert len(names) >= 45
    worst = {}
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        records = [encoded(name) for name in batch]
        *found, words = model.logits([*records[1:], records[0], text])
        worst |= {name: dp(name, logits) for name, logits in zip([*batch[1:], batch[0]], found, strict=True)}
        assert np.abs(np.concatenate([np.array(question) for question in words]) - alone).max() <= 2e-5
    assert {name: value for name, value in worst.items() if value > MAX_DP} == {}
