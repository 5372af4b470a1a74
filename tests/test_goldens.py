"""Our answers against the publisher's, recorded from its torch code in fp32 (see goldens/record.py)."""

from __future__ import annotations

import pytest
from golden_check import check_record, goldens, same_weights

import clef_mlx

SIZES = ("golden-128", "golden-256")
NAMES = [record["name"] for record in goldens(SIZES[0])["records"]]


@pytest.fixture(scope="module", params=SIZES)
def golden_model(request, random_release):
    folder = random_release(request.param)
    with clef_mlx.load(folder, dtype="float32") as model:
        yield request.param, folder, model


def test_golden_release_is_rebuilt_to_the_byte(golden_model):
    size, folder, _ = golden_model
    assert same_weights(size, folder)


@pytest.mark.parametrize("name", NAMES)
def test_golden_record(golden_model, name):
    size, _, model = golden_model
    check_record(model, next(record for record in goldens(size)["records"] if record["name"] == name))
