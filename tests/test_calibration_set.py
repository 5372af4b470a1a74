"""The shipped calibration requests are many, varied and valid; a user's own are read with clear errors."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from clef_mlx.convert.calibration import MAX_LENGTH, encode_all, read_requests, thinned
from clef_mlx.errors import RequestError
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer

SCRIPTS = {"ja": r"[\u3042-\u30f3]", "zh": r"[\u4e00-\u9fa5]", "ar": r"[\u0621-\u064a]", "de": r"[äöüß]"}
GOOD = {"state": "x", "questions": {"q": {"type": "noul"}}}


@pytest.fixture(scope="module")
def shipped():
    return read_requests()


@pytest.fixture(scope="module")
def lengths(shipped, qwen_release):
    records = encode_all(ReleaseTokenizer.from_folder(qwen_release), shipped)
    assert not any(record.truncated_tokens for record in records)
    return [len(record.input_ids) for record in records]


def test_shipped_requests_are_about_sixty(shipped):
    assert 60 <= len(shipped) <= 80


def test_shipped_requests_have_names_of_their_own(shipped):
    assert len({request["id"] for request in shipped}) == len(shipped)


def test_shipped_languages_are_english_first_and_six_others(shipped):
    counts = Counter(request["id"][:2] for request in shipped)
    assert counts.pop("en") >= 30
    assert counts.keys() == {"de", "es", "fr", "ja", "zh", "ar"}
    assert min(counts.values()) >= 4


@pytest.mark.parametrize("language", SCRIPTS)
def test_shipped_texts_are_in_their_language(shipped, language):
    mine = [json.dumps(request, ensure_ascii=False) for request in shipped if request["id"].startswith(language)]
    assert all(re.search(SCRIPTS[language], text) for text in mine)


def test_shipped_questions_are_of_all_types(shipped):
    counts = Counter(question["type"] for request in shipped for question in request["questions"].values())
    assert all(counts[name] >= 40 for name in ("noul", "choice", "score"))


def test_shipped_questions_have_few_and_many_options(shipped):
    questions = [question for request in shipped for question in parse_request(request).questions]
    counts = {len(question.options) for question in questions if question.type == "choice"}
    assert min(counts) == 3
    assert sum(count >= 20 for count in counts) >= 3


def test_shipped_states_are_texts_and_json(shipped):
    counts = Counter(type(request["state"]) for request in shipped)
    assert counts[str] >= 20
    assert counts[dict] >= 10


def test_shipped_addresses_are_nobodys(shipped):
    text = json.dumps(shipped, ensure_ascii=False)
    hosts = re.findall(r"(?:://|@)([\w.-]+)", text)
    assert all(host.endswith(".example") for host in hosts)


def test_shipped_records_are_short_and_long(lengths):
    assert max(lengths) < MAX_LENGTH
    assert sum(1000 <= length <= 2500 for length in lengths) >= 5
    assert sum(length < 300 for length in lengths) >= 8


def test_any_even_part_of_the_shipped_set_has_every_language(shipped):
    for start in range(3):
        assert len({request["id"][:2] for request in shipped[start::3]}) >= 6


def test_thinned_records_come_from_the_whole_list(shipped, tiny_release):
    records = encode_all(ReleaseTokenizer.from_folder(tiny_release), shipped)
    total = sum(len(record.input_ids) for record in records)
    few = thinned(records, total // 4)
    assert few == records[::4]
    assert thinned(records, total) == records


def write(tmp_path, *lines):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_own_file_is_read_in_order_past_blank_lines(tmp_path):
    path = write(tmp_path, json.dumps(GOOD | {"state": 1}), "", json.dumps(GOOD | {"state": 2}), "")
    assert [request["state"] for request in read_requests(path)] == [1, 2]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([json.dumps(GOOD), "{oops"], "mine.jsonl:2: "),
        ([json.dumps(GOOD | {"questions": {}})], "mine.jsonl:1: questions: "),
        ([json.dumps(GOOD | {"images": ["x"]})], "mine.jsonl:1: images: calibration requests must be text alone"),
        ([""], "must hold a request a line, got none"),
        ([json.dumps([GOOD])], "mine.jsonl:1: request: must be an object"),
    ],
    ids=["no JSON", "no questions", "a picture", "nothing", "an array"],
)
def test_own_file_with_a_fault_is_refused_by_line(tmp_path, lines, message):
    with pytest.raises(RequestError, match=re.escape(message)) as error:
        read_requests(write(tmp_path, *lines))
    assert "\n" not in str(error.value)


def test_missing_own_file_is_said(tmp_path):
    with pytest.raises(RequestError, match="nowhere.jsonl cannot be read: no such file"):
        read_requests(tmp_path / "nowhere.jsonl")


def test_folder_as_own_file_is_said(tmp_path):
    with pytest.raises(RequestError, match="cannot be read: is a directory"):
        read_requests(tmp_path)
