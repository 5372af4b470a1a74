"""Labelled lines become targets in the record's order, and every mistake in one is a line that says where."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from clef_mlx.errors import RequestError
from clef_mlx.labelled import load_labelled, parse_labelled, read_labelled

QUESTIONS = {
    "urgent": {"type": "noul"},
    "team": {"type": "choice", "criteria": {"tech": None, "billing": "Payments", "art": None}},
    "anger": {"type": "score", "criteria": ["calm", "cross", "furious"]},
}


def labelled(**labels):
    return {"state": "The heating is off.", "questions": QUESTIONS, "labels": labels}


def write(path, *lines):
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def test_targets_are_in_the_record_s_order():
    one = parse_labelled(labelled(anger=2, team="tech", urgent=False), "a:1")
    assert one.targets == {"urgent": (0.0, 1.0), "team": (0.0, 0.0, 1.0), "anger": (0.0, 0.0, 1.0)}
    assert [option.option_id for option in one.parsed.questions[1].options] == ["art", "billing", "tech"]
    assert list(one.targets) == ["urgent", "team", "anger"]


def test_target_of_a_distribution_sums_to_one():
    one = parse_labelled(labelled(team={"tech": 0.3333, "billing": 0.6666}, anger={"1": 1}), "a:1")
    assert one.targets["team"] == pytest.approx((0, 0.6666 / 0.9999, 0.3333 / 0.9999))
    assert sum(one.targets["team"]) == pytest.approx(1, abs=1e-15)
    assert one.targets["anger"] == (0.0, 1.0, 0.0)


def test_request_is_what_is_left_without_labels_and_group():
    value = labelled(urgent=True) | {"group": "house", "id": "7"}
    one = parse_labelled(value, "a:1")
    assert one.request == {"state": "The heating is off.", "questions": QUESTIONS, "id": "7"}
    assert (one.group, one.where, one.parsed.id) == ("house", "a:1", "7")
    assert "labels" in value


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"urgent": "yes"}, 'labels.urgent: must be true or false, got "yes". '),
        ({"urgent": 1}, "labels.urgent: must be true or false, got 1. "),
        ({"urgent": None}, "labels.urgent: must be true or false, got null. "),
        ({"team": "sales"}, 'labels.team: must be one of "art", "billing", "tech", got "sales". '),
        ({"team": ["tech"]}, 'labels.team: must be one of "art", "billing", "tech", got an array of 1 item. '),
        ({"anger": 3}, "labels.anger: must be a level from 0 to 2, got 3. "),
        ({"anger": 1.0}, "labels.anger: must be a level from 0 to 2, got 1.0. "),
        ({"anger": True}, "labels.anger: must be a level from 0 to 2, got true. "),
        ({"anger": -1}, "labels.anger: must be a level from 0 to 2, got -1. "),
        ({"mood": 1}, 'labels: must be labels of the request\'s questions, "urgent", "team", "anger", got "mood". '),
        ({"team": {"tech": 0.5, "art": 0.4}}, "labels.team: probabilities must sum to 1, got 0.9. "),
        (
            {"team": {"tech": 0.5, "law": 0.5}},
            'labels.team: must be a distribution over "art", "billing", "tech", got ',
        ),
        ({"urgent": {"true": 1.5}}, "labels.urgent.true: must be a probability from 0 to 1, got 1.5. "),
        ({"urgent": {"true": True}}, "labels.urgent.true: must be a probability from 0 to 1, got true. "),
        ({}, "labels: must be an object of at least one label, got an object of 0 members. "),
        ([], "labels: must be an object of at least one label, got an array of 0 items. "),
        (None, "labels: must be an object of at least one label, got nothing. "),
    ],
)
def test_wrong_label_is_refused_with_its_place(labels, message):
    with pytest.raises(RequestError) as caught:
        parse_labelled(labelled() | {"labels": labels}, "data.jsonl:4")
    assert str(caught.value).startswith(f"data.jsonl:4: {message}")
    assert "\n" not in str(caught.value) and caught.value.location[0] == "labels"


@pytest.mark.parametrize("group", ["", 3, ["a"]])
def test_group_is_a_text(group):
    with pytest.raises(RequestError, match="group: must be a non-empty string, got"):
        parse_labelled(labelled(urgent=True) | {"group": group}, "a:1")


def test_request_itself_is_checked():
    with pytest.raises(RequestError, match=r"^a:1: questions\.x\.type: must be noul, choice or score, got nothing"):
        parse_labelled({"state": "", "questions": {"x": {}}, "labels": {"x": True}}, "a:1")
    with pytest.raises(RequestError, match=r"^a:1: request: must be an object, got an array of 0 items"):
        parse_labelled([], "a:1")


def test_long_lists_of_options_are_cut_in_messages():
    criteria = {f"o{number:03}": None for number in range(40)}
    value = {"state": "", "questions": {"x": {"type": "choice", "criteria": criteria}}, "labels": {"x": "nine"}}
    with pytest.raises(RequestError, match=r'"o007" and 32 more, got "nine"'):
        parse_labelled(value, "a:1")


def test_lines_are_numbered_and_a_bad_one_is_an_error_in_its_place(tmp_path):
    file = write(tmp_path / "a.jsonl", labelled(urgent=True), "\n", '{"state": NaN}\n', labelled(anger=0))
    first, second, third = read_labelled(file)
    assert (first.where, first.line) == (f"{file}:1", 1)
    assert str(second).startswith(f"{file}:3: line 1, column 11: numbers must be finite, got NaN")
    assert (third.where, third.line) == (f"{file}:4", 4)


def test_all_bad_lines_are_listed_up_to_twenty(tmp_path):
    file = write(tmp_path / "a.jsonl", labelled(urgent=True), *[labelled(urgent=0)] * 25)
    with pytest.raises(RequestError) as caught:
        load_labelled([file])
    lines = str(caught.value).split("\n")
    assert [line.split(": ")[0] for line in lines[:20]] == [f"{file}:{number}" for number in range(2, 22)]
    assert lines[20:] == ["And 5 more bad lines."]


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda path: None, "cannot be read: no such file or directory."),
        (lambda path: path.mkdir(), "must be a file of labelled requests, got a folder."),
        (lambda path: path.write_text(" \n\n"), "must hold a labelled request a line, got nothing."),
    ],
)
def test_file_without_lines_is_refused(tmp_path, make, rule):
    make(file := tmp_path / "a.jsonl")
    with pytest.raises(RequestError) as caught:
        load_labelled([file])
    assert str(caught.value).startswith(f"{file}: {rule}")


def test_names_of_pictures_count_from_the_file_s_folder(tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "roof.png")
    (one,) = read_labelled(write(tmp_path / "a.jsonl", labelled(urgent=True) | {"images": ["roof.png"]}))
    assert [str(image) for image in one.request["images"]] == [str(tmp_path / "roof.png")]
