"""`clef-mlx decide` and its edges, on a tiny random release."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clef_mlx.cli.reading import at, open_source
from clef_mlx.cli.table import DecisionTable
from clef_mlx.errors import ContextLengthError, ModelFault

EXAMPLES = Path(__file__).parent.parent / "examples"
QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"sales": None, "billing": "Money."}},
    "anger": {"type": "score", "criteria": ["calm", "annoyed", "angry"]},
}
GOOD = json.dumps({"state": "The heating is off.", "questions": QUESTIONS})
OTHER = json.dumps({"state": "Thank you.", "questions": QUESTIONS})
NO_QUESTIONS = json.dumps({"state": "x", "questions": {}})
PROGRAM = [sys.executable, "-c", "import sys; from clef_mlx.cli import main; sys.exit(main())"]


@pytest.fixture
def request_file(tmp_path):
    def write(content: str | bytes, name: str = "request.json") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def start(tiny_release: Path, *argv: object) -> subprocess.Popen:
    environment = os.environ | {"CLEF_MLX_MODEL": str(tiny_release)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*PROGRAM, *map(str, argv)], env=environment, text=True, **pipes)


# What comes out


def test_decide_in_a_pipe_prints_one_json_answer(cli, request_file):
    result = cli("decide", request_file(GOOD))
    answer = json.loads(result.out)
    assert result.code == 0 and result.err == ""
    assert list(answer) == ["model", "answers", "usage"]
    assert list(answer["answers"]) == ["urgent", "team", "anger"]
    assert list(answer["answers"]["team"]["probabilities"]) == ["sales", "billing"]


def test_decide_table_shows_answers_and_bars(cli, request_file):
    result = cli("decide", "--format", "table", request_file(GOOD))
    assert result.code == 0
    assert all(word in result.out for word in ("urgent", "yes", "billing", "annoyed", "1 request", "tokens", "█"))


def test_decide_jsonl_reports_a_bad_line_in_its_place(cli, request_file):
    path = request_file("\n".join([GOOD, '{"state": NaN}', "", NO_QUESTIONS, OTHER]), "requests.jsonl")
    result = cli("decide", path)
    first, syntax, rule, last = result.lines
    assert result.code == 1
    assert "answers" in first and "answers" in last
    assert syntax["error"]["line"] == 2 and syntax["error"]["message"].startswith(f"{path}:2")
    assert rule["error"]["line"] == 4 and rule["error"]["location"] == ["questions"]
    assert result.err.startswith(f"clef-mlx: 2 of 4 requests failed, the first: {path}:2")
    assert result.err.count("\n") == 1


def test_bad_last_line_is_reported(cli, request_file):
    result = cli("decide", request_file(GOOD + "\n[1]\n", "requests.jsonl"))
    assert result.code == 1 and "answers" in result.lines[0] and result.lines[1]["error"]["line"] == 2


def test_jsonl_equals_one_by_one(cli, request_file):
    together = cli("decide", request_file(GOOD + "\n" + OTHER, "requests.jsonl")).lines
    alone = [json.loads(cli("decide", request_file(text)).out) for text in (GOOD, OTHER)]
    for one, other in zip(together, alone, strict=True):
        assert one["answers"]["urgent"]["noul"] == pytest.approx(other["answers"]["urgent"]["noul"], abs=1e-4)


def test_json_format_of_several_requests_is_one_array(cli, request_file):
    result = cli("decide", "--format", "json", request_file(f"{GOOD}\n{NO_QUESTIONS}", "requests.jsonl"))
    answer, error = json.loads(result.out)
    assert result.code == 1 and "answers" in answer and "error" in error


@pytest.mark.parametrize("name, text", [("one.json", GOOD), ("one.jsonl", GOOD + "\n"), ("-", GOOD)])
def test_json_format_of_one_request_is_one_object_whatever_it_came_from(cli, request_file, name, text):
    path = name if name == "-" else request_file(text, name)
    assert "answers" in json.loads(cli("decide", "--format", "json", path, stdin=text.encode()).out)


def test_json_format_of_one_bad_line_leaves_stdout_empty(cli, request_file):
    result = cli("decide", "--format", "json", request_file(NO_QUESTIONS + "\n", "one.jsonl"))
    assert result.code == 1 and result.out == "" and result.err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\x89PNG\n\0", None], ids=["empty", "binary", "missing"])
def test_file_that_cannot_be_read_is_reported_in_its_place(cli, request_file, tmp_path, content):
    bad = tmp_path / "nope.json" if content is None else request_file(content, "bad.json")
    result = cli("decide", request_file(GOOD, "a.json"), bad, request_file(OTHER, "b.json"))
    first, error, last = result.lines
    assert result.code == 1 and "answers" in first and "answers" in last
    assert error["error"]["message"].startswith(str(bad)) and error["error"]["type"] == "RequestError"


def test_line_with_a_zero_byte_is_one_bad_line(cli, request_file):
    result = cli("decide", request_file(f'{GOOD}\n{{"state": "\0"}}\n{OTHER}\n', "requests.jsonl"))
    assert [list(line)[0] for line in result.lines] == ["model", "error", "model"] and result.code == 1


def test_placed_errors_keep_their_class_and_facts():
    fault = at("here", ModelFault("logits: must be finite."))
    assert type(fault) is ModelFault and str(fault) == "here: logits: must be finite."
    long = at("here", ContextLengthError("too long", ("state",), needed_tokens=9, limit_tokens=5))
    assert (type(long), long.location, long.needed_tokens) == (ContextLengthError, ("state",), 9)


def test_several_files_are_answered_in_order(cli, request_file):
    paths = [request_file(GOOD, "a.json"), request_file("{", "b.json"), request_file(OTHER, "c.json")]
    result = cli("decide", *paths)
    assert [list(line)[0] for line in result.lines] == ["model", "error", "model"] and result.code == 1


def test_trace_shows_everything_unrounded(cli, request_file):
    (trace,) = cli("decide", "--format", "trace", request_file(GOOD)).lines
    names = ["input_ids", "question_spans", "option_spans", "option_ids", "logits", "probabilities", "answers", "usage"]
    assert list(trace) == names
    assert sum(trace["probabilities"]["team"].values()) == pytest.approx(1, abs=1e-6)
    assert trace["usage"]["input_tokens"] == len(trace["input_ids"])


@pytest.mark.parametrize("flags", [["--isolate"], ["--batch-tokens", "9"], ["--round", "2"]])
def test_trace_refuses_flags_it_has_no_use_for(cli, request_file, flags):
    result = cli("decide", "--model", "/nowhere", "--format", "trace", *flags, request_file(GOOD))
    assert result.code == 2 and flags[0] in result.err and result.err.count("\n") == 1


def test_round_none_keeps_all_digits(cli, request_file):
    short, full = (
        json.loads(cli("decide", "--round", decimals, request_file(GOOD)).out)["answers"]["urgent"]["noul"]
        for decimals in (2, "none")
    )
    assert short == round(full, 2) and full != round(full, 6)


def test_confidence_may_be_another(cli, request_file):
    top, gini = (
        json.loads(cli("decide", "--confidence", kind, request_file(GOOD)).out)["answers"]["team"]["confidence"]
        for kind in ("max", "gini")
    )
    assert top != gini


def test_trace_of_a_bad_request_is_an_error_line(cli, request_file):
    result = cli("decide", "--format", "trace", request_file(NO_QUESTIONS))
    assert result.code == 1 and result.lines[0]["error"]["location"] == ["questions"]


def test_every_example_is_answered(cli):
    result = cli("decide", *sorted(EXAMPLES.glob("*.json*")))
    assert result.code == 0
    many = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in EXAMPLES.glob("*.jsonl"))
    assert len(result.lines) == len(list(EXAMPLES.glob("*.json"))) + many


def test_long_questions_show_their_likeliest_options(capsys):
    probabilities = {f"option {number}": (number + 1) / 5050 for number in range(100)}
    answer = {"type": "choice", "choice": "option 99", "confidence": 0.02, "probabilities": probabilities}
    DecisionTable().print("x", {"model": "m", "answers": {"q": answer}, "usage": {"input_tokens": 1}})
    shown = capsys.readouterr().out
    assert "option 99" in shown and "option 91" not in shown and "and 92 less likely" in shown


@pytest.mark.parametrize("columns", [80, 60, 40, 20])
def test_narrow_tables_keep_every_number(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    probabilities = {"a rather long name of an option": 0.75, "another long name, of the other": 0.25}
    answer = {"type": "choice", "choice": next(iter(probabilities)), "confidence": 1.0, "probabilities": probabilities}
    answers = {"the id of a question that goes on and on": answer}
    DecisionTable().print("x", {"model": "m", "answers": answers, "usage": {"input_tokens": 1}})
    lines = capsys.readouterr().out.splitlines()
    shown = "\n".join(lines)
    assert all(number in shown for number in ("100.0%", "0.750", "0.250")) and max(map(len, lines)) <= max(columns, 40)


def test_ids_cannot_steer_the_terminal(cli, request_file):
    questions = {"\u001b[2J\u202eid": QUESTIONS["urgent"]}
    request = json.dumps({"state": "x", "model": "\u001b]0;m\u0007", "questions": questions})
    result = cli("decide", "--format", "table", request_file(request))
    assert result.code == 0 and not set("\u001b\u202e\u0007") & set(result.out)


def test_terminal_without_unicode_still_gets_a_table(tiny_release, request_file):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    argv = [*PROGRAM, "decide", "--format", "table", "--model", str(tiny_release), str(request_file(GOOD))]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    assert "urgent" in done.stdout and done.stderr == ""


def test_json_is_ascii_where_stdout_is_not_unicode(tiny_release):
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    argv = [*PROGRAM, "decide", "--model", str(tiny_release), str(EXAMPLES / "booking-ja.json")]
    done = subprocess.run(argv, env=environment, capture_output=True, check=True)
    assert "用件" in json.loads(done.stdout.decode("ascii"))["answers"]


# Pipes


def test_pipe_may_hold_one_document(cli):
    pretty = json.dumps(json.loads(GOOD), indent=2)
    assert list(json.loads(cli("decide", "-", stdin=b"\n" + pretty.encode()).out)) == ["model", "answers", "usage"]


def test_pipe_may_hold_a_request_a_line(cli):
    assert len(cli("decide", stdin=f"{GOOD}\n{OTHER}\n".encode()).lines) == 2


def test_pipe_with_a_damaged_first_line_keeps_the_rest(cli):
    result = cli("decide", "-", stdin=f'{{"state": "cut\n{OTHER}\n'.encode())
    assert result.code == 1 and result.lines[0]["error"]["line"] == 1 and "answers" in result.lines[1]


def test_pipe_first_line_waits_for_no_second(monkeypatch):
    read, write = os.pipe()
    monkeypatch.setattr("sys.stdin", os.fdopen(read, "r"))
    os.write(write, GOOD.encode() + b"\n")
    assert next(open_source("-").items).request["state"] == "The heating is off."
    os.close(write)


# Questions as flags


def test_flags_make_a_request_in_their_order(cli):
    flags = [
        "--noul",
        "a=Is it?",
        "--score",
        "b=How: low, mid, high",
        "--noul",
        "c=Or: is it?",
        "--choice",
        "d=Which: x, y",
    ]
    answers = json.loads(cli("decide", "--state", "The heating is off.", *flags).out)["answers"]
    assert [(key, value["type"]) for key, value in answers.items()] == [
        ("a", "noul"),
        ("b", "score"),
        ("c", "noul"),
        ("d", "choice"),
    ]
    assert answers["b"]["legend"] == {"0": "low", "1": "mid", "2": "high"}


def test_flags_equal_the_same_request_file(cli, request_file):
    request = {
        "state": "Off.",
        "questions": {"a": {"type": "choice", "instructions": "Is: it", "criteria": {"x": None, "y": None}}},
    }
    by_flags = cli("decide", "--state", "Off.", "--choice", "a=Is: it: x, y").out
    assert json.loads(by_flags) == json.loads(cli("decide", request_file(json.dumps(request))).out)


@pytest.mark.parametrize("name, content", [("state.txt", "Off."), ("state.json", '{"heating": "off"}')])
def test_state_is_read_from_a_file(cli, request_file, name, content):
    state = json.loads(content) if name.endswith(".json") else content
    by_file = cli("decide", "--state", f"@{request_file(content, name)}", "--noul", "a=Is it?").out
    request = {"state": state, "questions": {"a": {"type": "noul", "instructions": "Is it?"}}}
    assert json.loads(by_file) == json.loads(cli("decide", "-", stdin=json.dumps(request).encode()).out)


def test_doubled_at_sign_begins_a_text(cli, request_file):
    by_flag = cli("decide", "--state", "@@mention me", "--noul", "a=Is it?").out
    request = {"state": "@mention me", "questions": {"a": {"type": "noul", "instructions": "Is it?"}}}
    assert json.loads(by_flag) == json.loads(cli("decide", request_file(json.dumps(request))).out)


def test_flags_are_utf8_in_any_locale(tiny_release):
    environment = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    argv = [*PROGRAM, "decide", "--model", str(tiny_release), "--state", "Grüße", "--noul"]
    done = subprocess.run([*argv, "für=Ist es für uns?"], env=environment, capture_output=True, check=True)
    assert list(json.loads(done.stdout)["answers"]) == ["für"]
    done = subprocess.run([*argv, b"a=\xff"], env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "--noul: must be UTF-8" in done.stderr and done.stderr.count("\n") == 1


def test_state_is_read_from_a_pipe(cli):
    by_pipe = cli("decide", "--state", "@-", "--noul", "a=Is it?", stdin=b"Off.").out
    assert by_pipe == cli("decide", "--state", "Off.", "--noul", "a=Is it?").out


@pytest.mark.parametrize(
    "argv, words",
    [
        (["--noul", "a=Is it?"], "--state is missing"),
        (["--state", "x"], "--state needs a question"),
        (["--state", "x", "--noul", "Is it?"], "'id=question'"),
        (["--state", "x", "--choice", "a=Which"], "'id=question: a, b, c'"),
        (["--state", "x", "--choice", "a=Which: x, ,y"], "'id=question: a, b, c'"),
        (["--state", "x", "--choice", "a=Which: x, x"], "options must differ"),
        (["--state", "x", "--choice", "when=At 10:30?"], "'id=question: a, b, c'"),
        (["--state", "x", "--choice", "when=Which: this"], "two or more"),
        (["--round", "few"], "few"),
        (["--confidence", "high"], "high"),
        (["--state", "x", "--noul", "a=Is it?", "--noul", "a=Is it?"], '"a" twice'),
        (["--state", "@nowhere.txt", "--noul", "a=Is it?"], "nowhere.txt cannot be read"),
        (["--state", "x", "--noul", "a=Is it?", "file.json"], "not both"),
        (["-", "-"], "must be given once"),
        (["--format", "xml"], "xml"),
        (["--max-length", "0"], "max-length"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(cli, argv, words):
    result = cli("decide", *argv)
    assert result.code == 2 and result.out == ""
    assert result.err.startswith("clef-mlx: ") and words in result.err and result.err.count("\n") == 1


def test_unknown_verb_is_one_line_and_code_2(cli):
    result = cli("dicide")
    assert result.code == 2 and "dicide" in result.err and result.err.count("\n") == 1


# Models


def test_inspect_shows_what_a_folder_holds(cli, tiny_release):
    result = cli("inspect", tiny_release)
    assert result.code == 0
    assert all(word in result.out for word in ("publisher's release", "head", "vision", "bfloat16", "memory"))


def test_inspect_json_counts_the_parameters(cli, tiny_release):
    found = json.loads(cli("inspect", "--json", tiny_release).out)
    assert found["layout"]["letter"] == "A" and found["vision"] is True
    assert found["parameters"]["total"] == sum(share["parameters"] for share in found["shares"])


def test_inspect_takes_the_default_model(cli):
    assert cli("inspect").code == 0


@pytest.mark.parametrize("verb", ["inspect", "decide"])
def test_unknown_model_lists_the_aliases(cli, request_file, verb):
    argv = ["inspect", "clef-falsh"] if verb == "inspect" else ["decide", "--model", "clef-falsh", request_file(GOOD)]
    result = cli(*argv)
    assert result.code == 1 and result.out == "" and result.err.count("\n") == 1
    assert result.err.startswith("clef-mlx: clef-falsh") and "clef-flash-8bit" in result.err


def test_inspect_refuses_a_tokenizer_with_the_words_of_decide(cli, request_file, tiny_release, tmp_path):
    broken = shutil.copytree(tiny_release, tmp_path / "broken")
    (broken / "tokenizer.json").write_text("{")
    by_inspect, by_decide = cli("inspect", broken), cli("decide", "--model", broken, request_file(GOOD))
    assert by_inspect.code == by_decide.code == 1
    assert by_inspect.err == by_decide.err and "tokenizer.json" in by_inspect.err


@pytest.mark.parametrize("name", ["two\nlines", "long" * 2000], ids=["newline", "long"])
def test_model_names_are_shortened_and_escaped(cli, request_file, name):
    for result in (
        cli("inspect", name),
        cli("decide", "--model", name, request_file(GOOD)),
        cli("bench", "--model", name),
    ):
        assert result.code == 1 and result.err.count("\n") == 1 and len(result.err) < 400


# What is refused


@pytest.mark.parametrize(
    "argument", [GOOD * 9, '{"state": "x"}', "x" * 5000, "/dev/null/x"], ids=["request", "short", "long", "no folder"]
)
def test_argument_that_is_no_file_is_one_short_line(cli, argument):
    result = cli("decide", argument)
    assert result.code == 1 and result.err.count("\n") == 1 and len(result.err) < 300
    assert ("--state" in result.err) == argument.startswith("{")


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "got nothing"),
        (b" \n\n", "got nothing"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary data"),
        (b"\xff\xfe{", "UTF-8"),
        (b"{", "request.json"),
        (b'{"state": "x"}', "questions"),
        (NO_QUESTIONS.encode(), "questions"),
        (f"[{GOOD}]".encode(), "request.json"),
        (f"{GOOD}\n{GOOD}".encode(), "request.json"),
    ],
    ids=["empty", "blank", "binary", "utf-16", "cut", "no questions", "zero questions", "array", "two documents"],
)
def test_bad_file_is_one_line_before_any_loading(cli, request_file, content, words):
    result = cli("decide", "--model", "/nowhere", request_file(content))
    assert result.code == 1 and result.out == ""
    assert result.err.startswith("clef-mlx: ") and words in result.err and result.err.count("\n") == 1


def test_missing_file_is_one_line(cli, tmp_path):
    result = cli("decide", tmp_path / "nowhere.json")
    assert result.code == 1 and "no such file" in result.err and result.err.count("\n") == 1


def test_folder_as_request_is_one_line(cli, tmp_path):
    result = cli("decide", tmp_path)
    assert result.code == 1 and "got a folder" in result.err and result.err.count("\n") == 1


def test_unreadable_model_is_one_line(cli, request_file, tmp_path):
    result = cli("decide", "--model", tmp_path / "no-model", request_file(GOOD))
    assert result.code == 1 and "no-model" in result.err and result.err.count("\n") == 1


def test_images_are_refused_in_their_place(cli, request_file):
    request = json.loads(GOOD) | {"images": ["photo.png"]}
    result = cli("decide", request_file(json.dumps(request)))
    assert result.code == 1 and "images" in result.err and result.err.count("\n") == 1


# Long states


def long_request() -> str:
    return json.dumps({"state": "The heating is off. " * 400, "questions": {"urgent": QUESTIONS["urgent"]}})


def test_truncation_is_reported_twice(cli, request_file):
    result = cli("decide", "--max-length", 600, request_file(long_request()))
    dropped = json.loads(result.out)["x_truncated_tokens"]
    assert result.code == 0 and dropped > 0 and f"{dropped:,} tokens" in result.err


def test_refusal_names_need_and_limit(cli, request_file):
    result = cli("decide", "--max-length", 600, "--on-overflow", "refuse", request_file(long_request()))
    assert result.code == 1 and "600" in result.err and result.err.count("\n") == 1


def test_control_tokens_option_changes_the_encoding(cli, request_file):
    path = request_file(json.dumps({"state": "a<|im_end|>b", "questions": {"urgent": QUESTIONS["urgent"]}}))
    counts = [
        cli("decide", "--format", "trace", "--control-tokens", mode, path).lines[0]["usage"]["input_tokens"]
        for mode in ("text", "publisher")
    ]
    assert counts[0] > counts[1]


# The process


def test_interrupt_is_one_line_and_code_130(tiny_release):
    with start(tiny_release, "decide", "--format", "trace", "-") as process:
        process.stdin.write(GOOD + "\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("{")  # it is now waiting for another line
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr.read() == "clef-mlx: interrupted.\n"


def test_interrupt_leaves_a_whole_array(tiny_release):
    with start(tiny_release, "decide", "--format", "json", "-") as process:
        process.stdin.write(f"{GOOD}\n{NO_QUESTIONS}\n{{\n" * 64)
        process.stdin.flush()
        shown = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert len(json.loads(shown + process.stdout.read())) >= 2


def shell(tiny_release: Path, arguments: str) -> subprocess.CompletedProcess:
    """Run the program in a shell, which redirects."""
    environment = os.environ | {"CLEF_MLX_MODEL": str(tiny_release)}
    command = ["bash", "-c", f"{shlex.join(PROGRAM)} {arguments}"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "arguments, code",
    [
        ("decide <&-", 2),
        ("decide - <&-", 1),
        ("decide --state @- --noul 'a=Is it?' <&-", 1),
        ("--help >&-", 1),
        ("decide --state x --noul 'a=Is it?' >&-", 1),
        ("decide --state x --noul 'a=Is it?' --format json > /dev/full", 1),
        ("decide --state x --noul 'a=Is it?' --format table > /dev/full", 1),
        ("inspect > /dev/full", 1),
        ("doctor --json > /dev/full", 1),
        ("--help > /dev/full", 1),
    ],
)
def test_stream_that_cannot_be_used_is_one_line(tiny_release, arguments, code):
    done = shell(tiny_release, arguments)
    assert done.returncode == code and done.stdout == ""
    assert done.stderr.startswith("clef-mlx: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_reader_that_leaves_is_code_141_in_every_format(tiny_release, format):
    flags = f"decide --state x --noul 'a=Is it?' --format {format}"
    done = shell(tiny_release, f"{flags} | true; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (141, "")


def test_closed_pipe_ends_quietly(tiny_release):
    with start(tiny_release, "decide", "--format", "trace", "-") as process:
        process.stdin.write(GOOD + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(OTHER + "\n")
        process.stdin.close()
        assert process.wait(timeout=20) == 141
        assert process.stderr.read() == ""


def test_program_that_closes_nothing_exits_cleanly(tiny_release):
    # MLX's thread must outlive the interpreter; before it did, most of such exits aborted.
    code = "import sys, clef_mlx; clef_mlx.load(sys.argv[1]).decide('x', {'a': {'type': 'noul'}})"
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code, str(tiny_release)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def seconds_of(argv: list[str]) -> float:
    """The better of two runs; the first may read from a cold disk."""
    times = []
    for _ in range(2):
        started = time.perf_counter()
        subprocess.run([*PROGRAM, *argv], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return min(times)


# The targets are 0.5 s and 2.5 s on an idle machine; twice that here, since others may be using this one.


def test_help_is_instant():
    assert seconds_of(["--help"]) < 1.0


def test_decision_of_a_tiny_release_is_quick(tiny_release, request_file):
    assert seconds_of(["decide", "--model", str(tiny_release), str(request_file(GOOD))]) < 5.0


def test_binary_pipe_without_lines_is_refused_at_once(monkeypatch):
    with open("/dev/zero") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        (item,) = open_source("-").items
        assert "binary data" in str(item.error)
