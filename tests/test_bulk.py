"""`decide --out`: every line answered once, in order, whatever ends the run; and the same bytes as without an end."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clef_mlx.bulk import chunks
from clef_mlx.bulk.journal import Journal
from clef_mlx.cli import waiting
from clef_mlx.weights.fingerprint import fingerprint

LINES, COUNT = 4, 22  # of a chunk, and of the file, here
ARGUMENTS = ("--round", "none")
PROGRAM = (
    "import sys; from clef_mlx.bulk import chunks; from clef_mlx.cli import main;"
    " chunks.LINES = int(sys.argv.pop()); sys.exit(main())"
)
QUESTIONS = {
    "late": {"type": "noul", "instructions": "Zu spät?"},
    "team": {"type": "choice", "criteria": {"pumps": "wet", "lifts": None}},
}


def request_line(number: int) -> bytes:
    request = {"state": f"Fall {number}: Förderband " + "steht still " * (number % 5), "questions": QUESTIONS}
    return json.dumps(request, ensure_ascii=False).encode() + b"\n"


def big_file(folder: Path, count: int = COUNT) -> Path:
    """Requests, with a damaged line, one that breaks a rule, invalid UTF-8, blank lines, and no end of the last."""
    lines = [request_line(number) for number in range(count)]
    lines[3] = b"{damaged\n"
    lines[9] = b"\n  \n" + lines[9]
    lines[10] = b'{"state": "a", "questions": {"x": {"type": "bool"}}}\n'
    lines[17] = b'{"state": "\xff"}\n'
    path = folder / "big.jsonl"
    path.write_bytes(b"".join(lines).removesuffix(b"\n"))
    return path


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "LINES", LINES)


@pytest.fixture(scope="module")
def whole(tiny_release, tmp_path_factory) -> bytes:
    """What a run that nothing ends makes of `big_file`."""
    folder = tmp_path_factory.mktemp("whole")
    big_file(folder)
    child(tiny_release, folder).communicate(timeout=60)
    return (folder / "answers.jsonl").read_bytes()


def child(model: Path, folder: Path, *before: str, lines: int = LINES) -> subprocess.Popen:
    """The program in a process of its own, its files named from `folder`."""
    arguments = ["big.jsonl", "--out", "answers.jsonl", *ARGUMENTS, str(lines)]
    command = [*before, sys.executable, "-c", PROGRAM, "decide", *arguments]
    environment = os.environ | {"CLEF_MLX_MODEL": str(model)}
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def kept_answers(folder: Path) -> int:
    try:
        return json.loads((folder / "answers.jsonl.partial.json").read_bytes())["tally"]["answers"]
    except FileNotFoundError:
        return 0


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    big_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bulk(cli, folder, monkeypatch):
    """Run it in this process; `end_after` chunks an interrupt comes."""

    def run(*arguments, end_after: int | None = None):
        plain, calls = Journal.add, []

        def add(self, *args):
            plain(self, *args)
            calls.append(1)
            if len(calls) == end_after:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Journal, "add", add)
            return cli("decide", "big.jsonl", "--out", "answers.jsonl", *ARGUMENTS, *arguments)

    return run


def left(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.name.startswith("answers"))


def test_every_line_is_answered_once_in_order(whole):
    answers = [json.loads(line) for line in whole.splitlines()]
    assert len(answers) == COUNT
    assert [place for place, answer in enumerate(answers) if "error" in answer] == [3, 10, 17]
    assert answers[10]["error"]["line"] == 13  # two blank lines stand before it
    assert answers[17]["error"]["message"].startswith("big.jsonl:20: ")
    assert list(answers[-1]["answers"]) == ["late", "team"]


def test_answers_are_those_of_a_run_without_out(whole, cli, folder):
    printed = cli("decide", "big.jsonl", "--format", "jsonl", *ARGUMENTS).lines
    for there, here in zip(printed, map(json.loads, whole.splitlines()), strict=True):
        if "error" in there:
            assert there == here
        else:
            assert there["usage"] == here["usage"]
            assert there["answers"]["late"]["noul"] == pytest.approx(here["answers"]["late"]["noul"], abs=2e-5)


def test_killed_run_goes_on_to_the_same_bytes(whole, tiny_release, folder):
    seed = random.SystemRandom().randrange(1000)
    chance, kills = random.Random(seed), 0
    for _ in range(3):
        before, process = kept_answers(folder), child(tiny_release, folder)
        until = time.monotonic() + 60
        while kept_answers(folder) <= before and process.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        kills += process.wait(60) == -signal.SIGKILL
        process.stderr.close()
    process = child(tiny_release, folder)
    process.communicate(timeout=60)
    assert (folder / "answers.jsonl").read_bytes() == whole, f"seed {seed}"
    assert kills >= 2
    assert left(folder) == ["answers.jsonl"]


def test_interrupted_run_says_what_it_keeps_and_goes_on(whole, bulk, folder):
    ran = bulk(end_after=3)
    assert (ran.code, ran.out) == (130, "")
    assert "answers.jsonl.partial keeps 12 answers. The same command goes on after them." in ran.err
    again = bulk()
    assert "answers.jsonl.partial: going on after 12 answers." in again.err
    assert f"answers.jsonl: {COUNT} answers, {COUNT - 12} of them now at" in again.err
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_interrupted_twice_is_the_same(whole, bulk, folder):
    bulk(end_after=1)
    bulk(end_after=3)
    bulk()
    assert (folder / "answers.jsonl").read_bytes() == whole


@pytest.mark.parametrize("torn", [b'{"model": "ti', b'{"model": "tiny"}\n{"mo'])
def test_what_stands_after_the_certain_answers_is_made_again(whole, bulk, folder, torn):
    bulk(end_after=2)
    with open("answers.jsonl.partial", "ab") as partial:
        partial.write(torn)
    bulk()
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_failed_lines_count_across_an_interruption(bulk):
    bulk(end_after=2)
    ran = bulk()
    assert ran.code == 1
    assert f"3 of {COUNT} requests failed, the first: big.jsonl:4: line 1, column 2" in ran.err


def test_interrupt_after_the_last_answer_only_names_the_file(whole, bulk, folder):
    bulk(end_after=6)
    assert kept_answers(folder) == COUNT
    bulk()
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_changed_input_is_refused(bulk, folder):
    bulk(end_after=2)
    before = (folder / "answers.jsonl.partial").read_bytes()
    big = folder / "big.jsonl"
    big.write_bytes(big.read_bytes().replace(b"Fall 0", b"Fall 7", 1))
    ran = bulk()
    assert ran.code == 1
    assert ran.err.splitlines()[-1].endswith(
        "answers.jsonl.partial: its 8 answers belong to another input. "
        "Give the one it was begun with; --fresh begins again."
    )
    assert (folder / "answers.jsonl.partial").read_bytes() == before
    assert not (folder / "answers.jsonl").exists()


def test_input_cut_short_is_refused(bulk, folder):
    bulk(end_after=2)
    os.truncate("big.jsonl", 100)
    assert "belong to another input" in bulk().err


def test_input_may_grow(bulk, folder):
    bulk(end_after=2)
    with open("big.jsonl", "ab") as big:
        big.write(b"\n" + request_line(COUNT))
    bulk()
    assert len((folder / "answers.jsonl").read_bytes().splitlines()) == COUNT + 1


def test_changed_option_is_refused_by_name(bulk, folder):
    bulk(end_after=2)
    ran = bulk("--confidence", "gini")
    assert ran.code == 1
    assert 'was begun with confidence "max", got "gini". Give the same; --fresh begins again.' in ran.err
    assert kept_answers(folder) == 8


def test_changed_weights_are_refused(bulk, folder, tiny_release):
    bulk(end_after=2)
    other = folder / "other" / tiny_release.name
    shutil.copytree(tiny_release, other)
    weights = other / "model.safetensors"
    stored = bytearray(weights.read_bytes())
    stored[-1] ^= 1
    weights.write_bytes(stored)
    assert "was begun with weights" in bulk("--model", other).err


def test_fresh_begins_again(whole, bulk, folder):
    bulk("--confidence", "gini", end_after=2)
    ran = bulk("--fresh")
    assert "going on" not in ran.err
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_finished_file_is_never_replaced_unasked(bulk, folder):
    (folder / "answers.jsonl").write_text("precious")
    ran = bulk("--fresh")
    assert ran.code == 1
    assert ran.err.endswith("answers.jsonl: is there already. Name another file, or --overwrite it.\n")
    assert left(folder) == ["answers.jsonl"]
    assert (folder / "answers.jsonl").read_text() == "precious"


def test_overwritten_file_stays_until_the_end(whole, bulk, folder):
    (folder / "answers.jsonl").write_text("old")
    bulk("--overwrite", end_after=2)
    assert (folder / "answers.jsonl").read_text() == "old"
    bulk("--overwrite")
    assert (folder / "answers.jsonl").read_bytes() == whole
    assert left(folder) == ["answers.jsonl"]


def test_file_that_appeared_meanwhile_is_left_alone(whole, bulk, folder):
    bulk(end_after=6)
    (folder / "answers.jsonl").write_text("precious")
    assert "is there already" in bulk().err
    (folder / "answers.jsonl").unlink()
    bulk()
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_record_left_behind_by_a_finished_run_is_no_hindrance(whole, bulk, folder):
    bulk(end_after=6)
    (folder / "answers.jsonl.partial").rename(folder / "answers.jsonl")  # killed before the record went
    bulk("--overwrite")
    assert (folder / "answers.jsonl").read_bytes() == whole
    assert left(folder) == ["answers.jsonl"]


def test_requests_are_never_overwritten(bulk, folder):
    (folder / "answers.jsonl").hardlink_to(next(folder.glob("big*.jsonl")))
    before = (folder / "answers.jsonl").read_bytes()
    assert "--out must name another file than the requests." in bulk("--overwrite").err
    assert (folder / "answers.jsonl").read_bytes() == before


@pytest.mark.parametrize("record", ["5", "null", '{"format": 1, "tally": {"answers": "3"}}'])
def test_record_of_something_else_is_refused(bulk, folder, record):
    bulk(end_after=2)
    (folder / "answers.jsonl.partial.json").write_text(record)
    assert "must be the record of an interrupted run, got something else" in bulk().err


def test_strangers_partial_file_is_left_alone(bulk, folder):
    (folder / "answers.jsonl.partial").write_text("notes")
    ran = bulk()
    assert "must be of an interrupted run, got a file without answers.jsonl.partial.json" in ran.err
    assert (folder / "answers.jsonl.partial").read_text() == "notes"


@pytest.mark.parametrize("record", [b"{", b"[]", b'{"format": 9}', b'{"format": 1, "tally": {"answers": "x"}, "y": 1}'])
def test_damaged_record_is_refused_in_one_line(bulk, folder, record):
    bulk(end_after=2)
    (folder / "answers.jsonl.partial.json").write_bytes(record)
    ran = bulk()
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "must be the record of an interrupted run" in ran.err


def test_cut_partial_file_is_refused(bulk, folder):
    bulk(end_after=2)
    os.truncate("answers.jsonl.partial", 10)
    assert "must hold at least" in bulk().err


def test_two_runs_do_not_write_one_file(bulk, folder):
    with Journal(folder / "answers.jsonl", remedy=""):
        ran = bulk()
    assert ran.code == 1
    assert "answers.jsonl.partial: another run is writing it." in ran.err


def test_full_disk_is_one_line_and_loses_nothing(whole, tiny_release, folder):
    limited = child(tiny_release, folder, "bash", "-c", 'ulimit -f 2; exec "$@"', "bash")
    _, err = limited.communicate(timeout=60)
    assert limited.returncode == 1
    assert "answers.jsonl: cannot be written: file too large. Free some space, then run the same again." in err
    assert "Traceback" not in err
    assert kept_answers(folder) > 0
    child(tiny_release, folder).communicate(timeout=60)
    assert (folder / "answers.jsonl").read_bytes() == whole


def test_refused_model_leaves_no_file(bulk, folder):
    assert bulk("--model", "./nowhere").code == 1
    assert left(folder) == []


@pytest.mark.parametrize(
    "arguments, rule",
    [
        (["-", "--out", "a.jsonl"], "stdin: must be a file with one request a line"),
        (["one.json", "--out", "a.jsonl"], "one.json: must be a file with one request a line"),
        (["big.jsonl", "big.jsonl", "--out", "a.jsonl"], "--out is for one file"),
        (["--out", "a.jsonl", "--state", "a"], "--out is for one file"),
        (["big.jsonl", "--out", "a.jsonl", "--format", "table"], "--out writes jsonl, not table"),
        (["big.jsonl", "--fresh"], "--fresh needs --out"),
        (["big.jsonl", "--out", "big.jsonl"], "--out must name another file than the requests."),
        (["big.jsonl", "--out", "."], "must be the name of a file, got a folder"),
        (["big.jsonl", "--out", "nowhere/a.jsonl"], "cannot be written: no such file or directory"),
        (["nowhere.jsonl", "--out", "a.jsonl"], "nowhere.jsonl: cannot be read"),
        (["empty.jsonl", "--out", "a.jsonl"], "empty.jsonl: must hold a request, got nothing"),
        (["binary.jsonl", "--out", "a.jsonl"], "must be JSON text in UTF-8, got binary data"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_refused_in_one_line(cli, folder, arguments, rule):
    Path("empty.jsonl").touch()
    Path("binary.jsonl").write_bytes(b"\x00\x01")
    ran = cli("decide", *arguments)
    assert ran.code in (1, 2)
    assert rule in ran.err
    assert ran.err.count("\n") == 1
    assert not list(folder.glob("a.jsonl*"))


def test_log_tells_rate_and_time_left(bulk, monkeypatch):
    monkeypatch.setattr(waiting, "LOG_SECONDS", 0.0)
    assert "requests at" in (told := bulk().err.splitlines()[0])
    assert told.endswith(" left.")


def test_time_left_counts_only_this_runs_bytes(capsys, monkeypatch):
    monkeypatch.setattr(waiting, "LOG_SECONDS", 0.0)
    monkeypatch.setattr(time, "monotonic", iter([0.0, 10.0]).__next__)
    meter = waiting.Meter(1000, start_bytes=500, logged=True)
    meter.read(600, 10)
    meter.done(10)
    assert capsys.readouterr().err == "clef-mlx: 10 requests at 1.0/s, 0:00:40 left.\n"


def test_chunks_hold_so_many_requests_and_number_their_lines():
    cut = list(chunks.chunks(io.BytesIO(b"a\n\nb\rb\nc\nd\n\ne"), 5))
    assert [list(chunk.lines()) for chunk in cut] == [
        [(5, b"a\n"), (7, b"b\rb\n"), (8, b"c\n"), (9, b"d\n")],
        [(11, b"e")],
    ]


def test_chunks_hold_so_many_bytes(monkeypatch):
    monkeypatch.setattr(chunks, "BYTES", 6)
    cut = [chunk.text for chunk in chunks.chunks(io.BytesIO(b"aa\nbb\ncc\ndddddddddd\ne\n"), 1)]
    assert cut == [b"aa\nbb\n", b"cc\n", b"dddddddddd\n", b"e\n"]


def test_memory_stays_while_the_file_is_larger(tiny_release, tmp_path):
    damaged = b'{"state": "' + b"pump " * 400 + b"\n"
    with open(tmp_path / "big.jsonl", "wb") as big:
        for number in range(12_000):
            big.write(request_line(number % 5) if number % 400 == 0 else damaged)
    resident = []
    with child(tiny_release, tmp_path, lines=100) as process:
        while process.poll() is None and not (tmp_path / "answers.jsonl").exists():
            time.sleep(0.05)
            if kept_answers(tmp_path) > 2000:
                shown = subprocess.run(["ps", "-o", "rss=", "-p", str(process.pid)], capture_output=True, text=True)
                resident.append(int(shown.stdout or 0) / 1024)
        process.stderr.read()
    assert (tmp_path / "big.jsonl").stat().st_size > 24e6
    held = [mib for mib in resident if mib]
    assert len(held) >= 3
    assert max(held) - held[0] < 12, held


def test_fingerprint_sees_a_change_anywhere_and_no_place(tiny_release, tmp_path):
    copy = shutil.copytree(tiny_release, tmp_path / "elsewhere")
    assert fingerprint([copy]) == fingerprint([tiny_release])
    (copy / "tokenizer_config.json").write_text("{}")
    assert fingerprint([copy]) != fingerprint([tiny_release])
    assert fingerprint([tiny_release], ["0.5"]) != fingerprint([tiny_release])
