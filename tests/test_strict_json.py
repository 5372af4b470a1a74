"""JSON text is read strictly, and every refusal is one short line that says where."""

from __future__ import annotations

import datetime
import json
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clef_mlx.errors import RequestError
from clef_mlx.strict_json import MAX_DEPTH, find_fault, parse_json, render, show, show_place

# A busy machine is no failure.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
characters = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | characters,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(characters, inner, max_size=4),
    max_leaves=20,
)


def refusal(text: str | bytes) -> str:
    with pytest.raises(RequestError) as caught:
        parse_json(text, where="f.json")
    return str(caught.value)


@calm
@given(json_values, st.booleans(), st.sampled_from([None, 2]))
def test_json_survives_a_round_trip(value, ensure_ascii, indent):
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert parse_json(text, where="f.json") == value
    assert parse_json(text.encode(), where="f.json") == value


@calm
@given(st.text(alphabet='[]{}",:\\ud8019ae.- \nNItrf') | st.text())
def test_reader_takes_only_what_the_standard_library_takes(text):
    try:
        value = parse_json(text, where="f.json")
    except RequestError as error:
        assert "\n" not in str(error)
    else:
        assert value == json.loads(text.removeprefix("\ufeff"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1,\n "b":2,\n "a":3}', 'line 3, column 2: names must be unique in their object, got "a" again.'),
        ('{"a":1,"b":{"a":1},"c":["a","a",{"x":"a","x" :2}]}', "line 1, column 42: names must be unique in their"),
        ('{"\\u0061":1,"a":2}', 'line 1, column 13: names must be unique in their object, got "a" again.'),
        ('["NaN", NaN]', "line 1, column 9: numbers must be finite, got NaN,"),
        ("[1,\n-Infinity]", "line 2, column 1: numbers must be finite, got -Infinity,"),
        ('{"a": Infinity}', "line 1, column 7: numbers must be finite, got Infinity,"),
        ("[1e40, 1e400]", "line 1, column 8: numbers must fit a double, got 1e400."),
        ("-1e400x", "line 1, column 1: numbers must fit a double, got -1e400."),
        ('"\\ud800"', "line 1, column 2: strings must be whole characters, got the lone surrogate \\ud800."),
        ('{"\\uDC00": 1}', "line 1, column 3: strings must be whole characters, got the lone surrogate \\uDC00."),
        (
            '"\\ud83d\\ud83d\\ude00"',
            "line 1, column 2: strings must be whole characters, got the lone surrogate \\ud83d",
        ),
        ('"\ud800"', "line 1, column 2: strings must be whole characters, got the lone surrogate \\ud800."),
        ('{"a":1} {"b":2}', 'line 1, column 9: the text must end after one value, got "{\\"b\\":2}".'),
        ("1" * 4301, "line 1, column 1: integers must have at most 4300 digits, got 4301."),
        ("[-" + "1" * 5000 + "]", "line 1, column 2: integers must have at most 4300 digits, got 5000."),
        ("", "must hold one JSON value, got nothing. The input is empty."),
        (b" \r\n", "must hold one JSON value, got nothing. The input is empty."),
        (b"\xef\xbb\xbf", "must hold one JSON value, got nothing. The input is empty."),
        (b'{"a":"\xff"}', "must be UTF-8 text, got byte 0xff at offset 6. Save the file as UTF-8."),
        ("[1]".encode("utf-16"), "must be UTF-8 text, got byte 0xff at offset 0."),
        (b"\x00\x01\x02", 'line 1, column 1: must be JSON, got "\\u0000\\u0001\\u0002".'),
        ('{"a":1,}', 'line 1, column 8: must be JSON, got "}".'),
        ("{'a':1}", "line 1, column 2: must be JSON, got \"'a':1}\"."),
        ("[1,\n2", "line 2, column 2: must be JSON, got the end of the text."),
        ('"tab\there"', 'line 1, column 5: must be JSON, got "\\there\\"".'),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "line 1, column 129: values must nest at most 128 levels deep"),
        ("[\n" * 100_000 + "]" * 100_000, "line 129, column 1: values must nest at most 128 levels deep"),
        ('{"a":' * 100_000, "line 1, column 641: values must nest at most 128 levels deep"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_text_gets_one_line_with_its_place(text, message):
    got = refusal(text)
    assert got.startswith(f"f.json: {message}")
    assert "\n" not in got
    assert len(got) < 250


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        ("\ufeff[1]", [1]),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\ud800"', "\\ud800"),
        ('"\\\\\\ud83d\\ude00"', "\\😀"),
        ("-" + "1" * 4300, -int("1" * 4300)),
        ("1e-400", 0.0),
        ('{"a":{"a":1},"b":[{"a":2}]}', {"a": {"a": 1}, "b": [{"a": 2}]}),
        ('"' + "[" * 1000 + '"', "[" * 1000),
        (" \n null \t", None),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_good_text_at_the_border_is_read(text, value):
    assert parse_json(text, where="f.json") == value


def test_depth_limit_itself_is_allowed():
    value = parse_json('{"a":[' * (MAX_DEPTH // 2) + "]}" * (MAX_DEPTH // 2), where="f.json")
    assert render(value).count("[") == MAX_DEPTH // 2


def test_message_never_repeats_a_long_text():
    assert len(refusal('{"a": "' + "x" * 1_000_000)) < 200
    assert len(refusal("[" + "9" * 1_000_000 + "]")) < 200
    name = json.dumps("n" * 100_000)
    assert len(refusal(f"{{{name}:1,{name}:2}}")) < 250


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 500_000,
        "[" * 1_000_000,
        "{" + ",".join(f'"k{i}":{i}' for i in range(70_000)) + ',"k69999":0}',
        '["' + "\\ud83d\\ude00" * 80_000 + '\\ud83d"]',
    ],
    ids=["unclosed string", "brackets", "late duplicate", "late surrogate"],
)
def test_hostile_megabyte_is_refused_in_linear_time(text):
    start = time.perf_counter()
    refusal(text)
    assert time.perf_counter() - start < 5  # 0.4 s at most on a slow core; a quadratic scan takes minutes


@calm
@given(json_values)
def test_render_writes_compact_sorted_json(value):
    expected = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert render(value) == (value if isinstance(value, str) else expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it\nis", "as it\nis"),
        ({"b": [1, 2.5, None, True], "a": "é😀"}, '{"a":"é😀","b":[1,2.5,null,true]}'),
        ((1, (2,)), "[1,[2]]"),
        ({10: "x", 2: "y"}, '{"2":"y","10":"x"}'),
        ({None: 1}, '{"null":1}'),
        (np.float64(0.1), "0.1"),
        (np.str_("s"), "s"),
        (0, "0"),
        ({}, "{}"),
    ],
    ids=repr,
)
def test_render_value(value, text):
    assert render(value) == text


CYCLE: list = []
CYCLE.append([CYCLE, CYCLE])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "request: must be finite, got nan."),
        ({"a": [1, {"b": float("-inf")}]}, "a[1].b: must be finite, got -inf."),
        ({"a": "\ud800"}, 'a: must be whole characters, got "\\ud800".'),
        ({"\udfff": 1}, 'request: keys must be whole characters, got "\\udfff".'),
        ([b"x"], "[0]: must be a string, number, true, false, null, list or dict, got a bytes."),
        (
            {"when": datetime.date(2026, 1, 1)},
            "when: must be a string, number, true, false, null, list or dict, got a ",
        ),
        ({"n": np.int64(3)}, "n: must be a string, number, true, false, null, list or dict, got a numpy.int64. Call "),
        (np.zeros(2), "request: must be a string, number, true, false, null, list or dict, got a numpy.ndarray."),
        ({"a", "b"}, "request: must be a string, number, true, false, null, list or dict, got a set."),
        ({(1, 2): 3}, "request: keys must be strings, got an array of 2 items."),
        ({1: "a", "1": "b"}, "request: keys must all be strings, got several kinds."),
        ({float("nan"): 1}, "request: keys must be finite, got nan."),
        (10**4300, "request: must have at most 4300 digits, got an integer of about 4301 digits."),
        (CYCLE, "request: must be a value JSON can write, got one that nests too deeply or contains itself."),
    ],
    ids=lambda value: "cycle" if value is CYCLE else type(value).__name__,
)
def test_render_refuses_what_json_cannot_hold(value, message):
    with pytest.raises(RequestError) as caught:
        render(value)
    assert str(caught.value).startswith(message)


def test_fault_carries_its_path():
    assert find_fault({"a": [0, {"b c": {1}}]}).path == ("a", 1, "b c")
    assert find_fault({"a": [0, {"b c": 1}]}) is None


def test_fault_is_found_below_pythons_own_stack():
    value: object = float("nan")
    for _ in range(900):
        value = [value]
    assert find_fault(value).path == (0,) * 900


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.5, "1.5"),
        ('a"b\n\x1b[31m\u202e\u2028', '"a\\"b\\n\\u001b[31m\\u202e\\u2028"'),
        ("x" * 61, '"' + "x" * 60 + '" … (61 characters)'),
        ({}, "an object of 0 members"),
        ([1], "an array of 1 item"),
        (10**5000, "an integer of about 5001 digits"),
        (np.bool_(True), "a numpy.bool"),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_shown_value_is_short_and_printable(value, shown):
    assert show(value) == shown


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ((), "request"),
        (("questions", "urgent", "type"), "questions.urgent.type"),
        (("questions", "질문", "criteria", 3), "questions.질문.criteria[3]"),
        (("questions", "with space", "type"), 'questions["with space"].type'),
        (("questions", "a.b"), 'questions["a.b"]'),
        ((0,) * 20, "[0][0][0][0][0][0]…[0][0]"),
    ],
    ids=repr,
)
def test_shown_place_reads_like_a_path(location, place):
    assert show_place(location) == place
