"""The pipe as another program meets it: a real child, real lines, every way to go wrong answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from piping import LONG_STATE, NOUL, PATIENCE_SECONDS, PIPE, piped, request

import clef_mlx
from clef_mlx.pipe.lines import read_lines
from clef_mlx.pipe.protocol import FIELDS, Limits

RECEIPT = Path(__file__).parent.parent / "examples" / "receipt.png"
CAP = 20_000  # bytes of a line, of the shared child
CHOICE = {"type": "choice", "criteria": {"plumber": "Water", "b": None, "a": ""}}


@pytest.fixture(scope="module")
def child(tiny_release):
    """One for all tests that leave it alive, which is what they test."""
    with piped(tiny_release, "--max-line-bytes", str(CAP), "--round", "none") as child:
        yield child


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release, round=None) as model:
        yield model


def assert_alive(child):
    (answer,) = child.ask(request("alive"))
    assert answer["id"] == "alive" and 0 <= answer["answers"]["urgent"]["noul"] <= 1


def nouls(answers):
    return [answer["answers"]["urgent"]["noul"] for answer in answers]


# What it says.


def test_hello_tells_version_protocol_model_limits_and_options(child, tiny_release):
    told = {name: child.hello[name] for name in ("hello", "version", "protocol", "model", "limits")}
    limits = {"line_bytes": CAP, "pending": Limits().pending}
    facts = {"version": clef_mlx.__version__, "protocol": 1, "model": tiny_release.name, "limits": limits}
    assert told == {"hello": "clef-mlx", **facts}
    assert child.hello["options"]["max_length"] == 16384 and child.hello["options"]["round"] is None


def test_waiting_requests_are_answered_in_order_like_decide(child, model):
    states = [f"Room {number}. " + "It is cold here. " * (number % 7) for number in range(16)]
    answers = child.ask(*(request(number, state) for number, state in enumerate(states)))
    alone = [model.decide(state, {"urgent": NOUL})["urgent"]["noul"] for state in states]
    assert [answer["id"] for answer in answers] == list(range(16))
    assert nouls(answers) == pytest.approx(alone, abs=2e-5)


def test_answer_is_the_system_one_answer_under_its_id(child, model):
    asked = request("a", {"room": 7}) | {"questions": {"urgent": NOUL, "who": CHOICE}}
    (answer,) = child.ask(asked)
    expected = model.systemone({"state": {"room": 7}, "questions": asked["questions"]})
    assert answer.keys() == {"id"} | expected.keys() and answer["usage"] == expected["usage"]
    assert answer["answers"]["who"]["probabilities"] == pytest.approx(
        expected["answers"]["who"]["probabilities"], abs=2e-5
    )


@pytest.mark.parametrize("id", ["ä 1", "", 0, -7, 1.5, 10**30, None])
def test_id_comes_back_as_it_went(child, id):
    (answer,) = child.ask(request(id))
    assert answer["id"] == id and type(answer["id"]) is type(id) and "answers" in answer


def test_line_out_is_ascii(child):
    child.send_bytes(json.dumps(request("a\u2028ä\n"), ensure_ascii=False).encode() + b"\n")
    line = child.stdout.readline()
    assert line.isascii() and json.loads(line)["id"] == "a\u2028ä\n"


def test_request_without_an_id_is_answered_with_null(child):
    child.send({"state": "x", "questions": {"urgent": NOUL}})
    assert child.answer().items() >= {"id": None, "model": child.hello["model"]}.items()


def test_options_hold_for_one_request(child):
    rounded, whole = child.ask(request(1, options={"round": 2}), request(2))
    assert nouls([rounded]) == [round(nouls([whole])[0], 2)] and nouls([whole]) != nouls([rounded])


def test_pictures_are_read_from_paths(child):
    (answer,) = child.ask(request(1, None, images=[str(RECEIPT)]))
    assert "answers" in answer, answer


# Bad lines.


@pytest.mark.parametrize(
    "line, told",
    [
        (b"not json", "must be JSON"),
        (b'{"id": 1, "state": "x"', "must be JSON"),
        (b'{"state": "\xff"}', "must be UTF-8 text, got byte 0xff at offset 11"),
        (b'{"state": "a\x00b"}', "must be JSON"),
        (b"\x00", "must be JSON"),
        (b"[" * 1000, "at most 128 levels deep"),
        (b'{"id": 1, "id": 2}', "names must be unique"),
        (b'{"id": 1, "state": NaN}', "got NaN"),
        (b"5", "must be an object, got 5"),
        (b"[]", "must be an object, got an array of 0 items"),
        (b'{"cancel": null}', "must be the id of a request"),
        (b'{"cancel": [1]}', "must be a string or a number, got an array"),
        (b'{"cancel": 1, "state": 2}', 'must stand alone, got "state" beside it'),
        (b'{"id": true, "state": "x", "questions": {"a": {"type": "noul"}}}', "id: must be a string or a number"),
    ],
)
def test_bad_line_is_answered_and_the_process_lives(child, line, told):
    child.send_bytes(line + b"\n")
    answer = child.answer()
    assert answer["id"] is None and told in answer["error"]["message"]
    assert "\n" not in answer["error"]["message"] and answer["error"]["type"] == "RequestError"
    assert_alive(child)


@pytest.mark.parametrize(
    "change, location, told",
    [
        ({"optoins": {}}, ["optoins"], f"Known: {', '.join(FIELDS)}, or cancel alone."),
        ({"options": {"rounds": 1}}, ["options"], '"rounds" is unknown'),
        ({"options": [1]}, ["options"], "options: must be an object"),
        ({"questions": {"a": {"type": "bool"}}}, ["questions", "a", "type"], "Yes/no questions are noul."),
        ({"images": ["no-such.png"]}, ["images", 0], "no such file"),
    ],
)
def test_bad_request_is_answered_under_its_id(child, change, location, told):
    (answer,) = child.ask(request("x") | change)
    assert answer["id"] == "x" and answer["error"]["location"] == location and told in answer["error"]["message"]


def test_state_that_does_not_fit_is_an_error_of_its_class(child):
    (answer,) = child.ask(request(1, "word " * 200, options={"max_length": 100, "on_overflow": "refuse"}))
    assert answer["error"]["type"] == "ContextLengthError"


def test_giant_line_is_answered_and_not_held(child):
    child.send_bytes(b'{"id": 1, "state": "' + b"x" * 3_000_000 + b'"}\n')
    assert f"at most {CAP} bytes, got 3000022" in child.answer()["error"]["message"]
    assert_alive(child)


def test_blank_lines_and_windows_line_ends_are_no_fault(child):
    child.send_bytes(b"\n\r\n  \n" + json.dumps(request(1)).encode() + b"\r\n")
    assert child.answer()["id"] == 1


def test_error_tells_its_line(child):
    child.send_bytes(b"x\n\n\ny\n")
    first, second = child.answer()["error"], child.answer()["error"]
    assert second["line"] == first["line"] + 3 > 3 and f"stdin:{first['line']}: " in first["message"]


def test_id_that_waits_is_refused_and_the_first_is_answered(child):
    first, second = child.ask(request(1, LONG_STATE[: CAP - 200]), request(1))
    assert first["id"] == 1 and "answers" in first
    assert second["id"] is None and second["error"]["location"] == ["id"]
    assert child.ask(request(1))[0]["id"] == 1  # free again


@pytest.mark.parametrize("most", [10, 11, 12])
def test_lines_are_cut_at_the_cap(most):
    reading, writing = os.pipe()
    os.write(writing, b"a" * 11 + b"\nshort\n" + b"b" * 11)
    os.close(writing)
    lines = list(read_lines(reading, most))
    os.close(reading)
    whole = most >= 11
    assert [line.text for line in lines] == [b"a" * 11 if whole else None, b"short", b"b" * 11 if whole else None]
    assert [line.number for line in lines] == [1, 2, 3] and lines[0].size_bytes == 11


# Cancelling.


def test_cancelled_request_is_answered_once_as_cancelled(tiny_release):
    with piped(tiny_release) as child:
        child.send(request(1, LONG_STATE), request(2), request(3), {"cancel": 2}, {"cancel": 2}, {"cancel": "none"})
        _, answers, _ = child.end()
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert answers[1]["error"]["type"] == "cancelled" and answers[1]["error"]["line"] == 2
    assert "answers" in answers[0] and "answers" in answers[2]


WATCHED = """
import os
from clef_mlx.engine import thread
from clef_mlx.engine.clef import Clef
decide_together = Clef.decide_together
def watched(self, requests, **options):
    os.write(2, b"begun\\n")
    try:
        yield from decide_together(self, requests, **options)
    except thread.Abandoned:
        os.write(2, b"stopped\\n")
        raise
Clef.decide_together = watched
"""


@pytest.fixture
def busy(tiny_release):
    """A child in the middle of request 1, which takes seconds."""
    with piped(tiny_release, before=WATCHED) as child:
        child.send(request(1, 5 * LONG_STATE))
        assert [child.stderr.readline() for _ in range(2)] == [b"begun\n"] * 2  # the first is the warm-up
        yield child


def test_running_request_stops_when_cancelled(busy):
    busy.send({"cancel": 1})
    assert busy.answer()["error"]["type"] == "cancelled"
    assert "answers" in busy.ask(request(1))[0]
    assert busy.end()[2] == "stopped\nbegun\n"


def test_cancel_after_the_answer_does_nothing(child):
    child.ask(request(1))
    child.send({"cancel": 1})
    assert_alive(child)


# Waiting, and ending.


def long_id(number):
    """Of 8 kB, so that a few answers fill a pipe."""
    return f"{number} {'x' * 8000}"


def fill(child, most=200):
    """Write requests until no more are taken for a while. -> how many were written whole, and the rest of the last."""
    os.set_blocking(child.stdin.fileno(), False)
    for number in range(most):
        left = json.dumps(request(long_id(number))).encode() + b"\n"
        end = time.monotonic() + 0.5
        while left and time.monotonic() < end:
            try:
                left = left[os.write(child.stdin.fileno(), left) :]
            except BlockingIOError:
                time.sleep(0.02)
        if left:
            return number, left
    raise AssertionError("it read on without being read")


@pytest.fixture
def filled(tiny_release):
    with piped(tiny_release, "--max-pending", "2") as child:
        yield child, *fill(child)


def test_unread_answers_stop_the_reading_and_none_is_lost(filled):
    child, count, rest = filled
    # Its answers and what waits; the rest stands in the pipes.
    assert count < 60
    os.set_blocking(child.stdin.fileno(), True)
    writing = threading.Thread(target=child.send_bytes, args=(rest,))
    writing.start()
    answers = [child.answer() for _ in range(count + 1)]
    writing.join(PATIENCE_SECONDS)
    assert [answer["id"] for answer in answers] == list(map(long_id, range(count + 1)))
    assert all("answers" in answer for answer in answers)


def test_signal_ends_a_child_whose_answers_nobody_reads(filled):
    child, _, _ = filled
    child.send_signal(signal.SIGTERM)
    assert child.wait(10) == 143


def test_end_of_stdin_answers_what_waits_and_exits_0(tiny_release):
    with piped(tiny_release) as child:
        child.send(*map(request, range(5)))
        child.send_bytes(json.dumps(request(5)).encode())  # without a newline
        code, answers, err = child.end()
    assert (code, [answer["id"] for answer in answers], err) == (0, list(range(6)), "")


@pytest.mark.parametrize(
    "number, code, told", [(signal.SIGTERM, 143, ""), (signal.SIGINT, 130, "clef-mlx: interrupted.\n")]
)
def test_signal_answers_what_waits_as_cancelled(busy, number, code, told):
    busy.send(request(2))
    time.sleep(0.5)
    busy.send_signal(number)
    left = [json.loads(line) for line in busy.stdout]
    assert (busy.wait(PATIENCE_SECONDS), busy.stderr.read().decode()) == (code, f"stopped\n{told}")
    assert [(answer["id"], answer["error"]["type"]) for answer in left] == [(1, "cancelled"), (2, "cancelled")]


def test_closed_stdout_is_a_quiet_end(tiny_release):
    with piped(tiny_release) as child:
        child.stdout.close()
        child.send(request(1))
        assert (child.wait(PATIENCE_SECONDS), child.stderr.read()) == (141, b"")


def test_stdout_carries_nothing_that_libraries_print(tiny_release):
    noise = """
import os
from clef_mlx.engine import warm_up
decide_once = warm_up.decide_once
def noisy(model):
    print("printed")
    os.write(1, b"written\\n")
    decide_once(model)
warm_up.decide_once = noisy
"""
    with piped(tiny_release, before=noise) as child:
        code, answers, err = child.end()
    assert (code, answers) == (0, []) and set(err.split()) == {"printed", "written"}


def test_fault_of_the_model_is_one_requests_own(tiny_release):
    fault = """
from clef_mlx.engine.clef import Clef
decide_together = Clef.decide_together
def broken(self, requests, **options):
    if any(asked.request.state == "break" for asked in requests):
        raise RuntimeError("planted")
    return decide_together(self, requests, **options)
Clef.decide_together = broken
"""
    with piped(tiny_release, before=fault) as child:
        child.send(*(request(number, state) for number, state in enumerate(["good", "break", "good", "good"])))
        code, answers, err = child.end()
    assert [answer.get("error", {}).get("type") for answer in answers] == [None, "ModelFault", None, None]
    assert code == 0 and "planted" in err


def test_model_that_cannot_be_loaded_is_an_answer_and_1(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PIPE, "pipe", "--model", str(tmp_path)], input=b"", capture_output=True
    )
    told = json.loads(done.stdout)
    assert done.returncode == 1 and told["error"]["type"] == "CheckpointError"
    assert done.stderr.decode() == f"clef-mlx: {told['error']['message']}\n"
