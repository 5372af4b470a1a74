"""Our pixels, grids and ids against the publisher's, recorded with torchvision (see goldens/record_media.py)."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from itertools import groupby
from pathlib import Path

import media_bank as bank
import numpy as np
import pytest
from media_reading import Reader

from clef_mlx.encoding import encode_request
from clef_mlx.schema import parse_request

GOLDEN = json.loads((Path(__file__).parent / "goldens" / "media-golden-128.json").read_text())
RECORDS = {record["name"]: record for record in GOLDEN["records"]}
CASES = {case.name: case for case in bank.cases()}


@pytest.fixture(scope="module")
def reader(tiny_release):
    # The tokenizer and the processor of random releases are the same in every size.
    return Reader(tiny_release)


@pytest.fixture(scope="module")
def media(reader, tmp_path_factory):
    """Case name -> what we make of it; each is drawn and read once."""
    folder = tmp_path_factory.mktemp("bank")
    return cache(lambda name: reader.read(CASES[name].request(folder)))


def sha256(array, kind):
    return hashlib.sha256(np.ascontiguousarray(array, dtype=kind)).hexdigest()


def parts(record, pixel_values):
    """Our values of images and of clips, beside what was recorded of each."""
    rows = (record["pixels"]["images"] or {"shape": [0]})["shape"][0]
    pairs = [(record["pixels"]["images"], pixel_values[:rows]), (record["pixels"]["videos"], pixel_values[rows:])]
    return [(recorded, values) for recorded, values in pairs if recorded]


def test_bank_is_what_was_recorded():
    assert list(RECORDS) == list(CASES)
    assert len(CASES) >= 25


@pytest.mark.parametrize("name", CASES)
def test_grids_equal_the_recorded(media, name):
    assert [list(grid) for grid in media(name).grid_thw] == RECORDS[name]["grids"]
    assert media(name).image_count == RECORDS[name]["image_count"]


@pytest.mark.parametrize("name", CASES)
def test_placeholder_ids_equal_the_recorded(media, name):
    runs = [[token, len(list(run))] for token, run in groupby(media(name).input_ids)]
    assert runs == RECORDS[name]["input_ids"]["media"]


@pytest.mark.parametrize("name", CASES)
def test_whole_record_equals_the_recorded(reader, media, name):
    request = parse_request({"state": CASES[name].state, "questions": bank.QUESTIONS})
    record = encode_request(
        reader.tokenizer, request, control_tokens="publisher", media=media(name), **CASES[name].options
    )
    assert sha256(record.input_ids, "<i4") == RECORDS[name]["input_ids"]["sha256"]
    assert [list(question.question_span) for question in record.questions] == RECORDS[name]["question_spans"]


@pytest.mark.parametrize("name", CASES)
def test_pixels_equal_the_recorded_to_the_bit(media, name):
    for recorded, values in parts(RECORDS[name], media(name).pixel_values):
        assert list(values.shape) == recorded["shape"]
        assert sha256(values, "<f4") == recorded["sha256"]
