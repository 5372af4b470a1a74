"""`clef-mlx train` from outside: what it writes, says and refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import training

QUICK = ("--rank", 4, "--epochs", 1, "--batch-size", 4)
MLX_LAUNCH = Path(sys.executable).with_name("mlx.launch")


@pytest.fixture
def data(tmp_path) -> Path:
    return training.write_short(tmp_path / "d.jsonl", 8)


@pytest.fixture
def valid(tmp_path) -> Path:
    return training.write_short(tmp_path / "v.jsonl", 2)


@pytest.fixture
def train(cli, tiny_release, tmp_path):
    """`clef-mlx train` into tmp_path/out."""

    def run(*argv: Any, model: Path = tiny_release) -> Any:
        return cli("train", *argv, "--model", model, "--out", tmp_path / "out", *QUICK)

    return run


def refusal(ran: Any) -> str:
    """The one line on stderr of a run that was refused."""
    assert ran.code in (1, 2) and not ran.out
    (line,) = ran.err.splitlines()
    return line


def test_train_takes_the_default_model(cli, data, valid, tmp_path):
    ran = cli("train", data, "--valid", valid, "--out", tmp_path / "out", *QUICK)
    assert ran.code == 0, ran.err


def test_loss_that_is_not_finite_on_held_out_requests_is_refused(train, data, valid):
    message = refusal(train(data, "--valid", valid, "--learning-rate", 1e9, "--batch-size", 8))
    assert "step 1: loss of held-out requests must be finite" in message and message.endswith(
        "Lower the learning rate."
    )


def test_one_of_few_lines_is_held_out(train, data):
    ran = train(data)
    assert "no --valid: 1 of the lines is held out to validate on; too few to tell two steps apart." in ran.err
    assert json.loads(ran.out)["held_out"] == 1


def test_train_writes_an_adapter_that_decide_takes(train, cli, data, valid, tmp_path, tiny_release):
    ran = train(data, "--valid", valid)
    assert ran.code == 0, ran.err
    made = json.loads(ran.out)
    assert made["event"] == "trained" and made["kind"] == "adapter"
    assert (made["requests"], made["held_out"], made["steps"], made["modules"]) == (8, 2, 2, 31)
    request = tmp_path / "r.json"
    request.write_text(json.dumps({key: value for key, value in training.line(3).items() if key != "labels"}))
    for adapter in (tmp_path / "out", tmp_path / "out" / "adapter"):
        decided = cli("decide", request, "--adapter", adapter)
        assert decided.code == 0, decided.err


def test_full_training_writes_a_release(train, cli, data, valid, tmp_path):
    ran = train(data, "--valid", valid, "--full", "--save-as", "float32")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["kind"] == "release"
    assert cli("verify", tmp_path / "out").code == 0


def test_progress_is_a_line_a_validation_where_no_terminal_is(train, data, valid):
    lines = train(data, "--valid", valid).err.splitlines()
    assert [line.partition(" · ")[0] for line in lines] == ["clef-mlx: step 1 of 2", "clef-mlx: step 2 of 2"]
    assert "tokens/s · held out " in lines[0] and lines[0].endswith(" left")


def changed(path: Path, **members: Any) -> Path:
    """The good file with another second line."""
    lines = path.read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | members)
    path.write_text("\n".join(lines))
    return path


def test_label_that_names_no_option_is_refused(train, data, tmp_path):
    said = refusal(train(changed(data, labels={"again": "maybe"})))
    assert f'{data}:2: labels.again: must be true or false, got "maybe".' in said
    assert not (tmp_path / "out").exists()


def test_missing_labels_are_refused(train, data):
    assert f"{data}:2: labels: must be an object of at least one label" in refusal(train(changed(data, labels={})))


def test_label_of_no_question_is_refused(train, data):
    assert f"{data}:2: labels: must be labels of the request's" in refusal(train(changed(data, labels={"x": True})))


def test_pictures_are_refused(train, data, valid):
    (data.parent / "a.png").write_bytes(b"never read")
    ran = train(changed(data, images=["a.png"]), "--valid", valid)
    assert f"{data}:2: images: must be left out" in refusal(ran)


def test_empty_data_is_refused(train, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n\n")
    assert "must hold a labelled request a line, got nothing" in refusal(train(tmp_path / "empty.jsonl"))


def test_missing_file_is_refused(train, tmp_path):
    assert "nowhere.jsonl: cannot be read: no such file" in refusal(train(tmp_path / "nowhere.jsonl"))


def test_one_sided_question_is_named(train, tmp_path, valid):
    lines = [training.line(4 * index + 3) | {"labels": {"again": True}} for index in range(12)]
    ran = train(training.write_lines(tmp_path / "yes.jsonl", lines), "--valid", valid)
    assert ran.code == 0
    said = 'question "again": all 12 labels are "true". Add requests where it is another.'
    assert ran.err.splitlines()[0] == f"clef-mlx: {said}"


def test_long_line_is_refused_by_its_place(train, data, valid):
    ran = train(changed(data, state="word " * 400), "--valid", valid, "--max-length", 500)
    said = refusal(ran)
    assert f"{data}:2: must be at most 500 tokens, got " in said and "--on-long skip" in said


def test_long_lines_are_skipped_and_counted(train, data, valid):
    argv = ("--valid", valid, "--max-length", 500, "--on-long", "skip")
    ran = train(changed(data, state="word " * 400), *argv)
    assert json.loads(ran.out)["too_long"] == 1
    assert "clef-mlx: left out as longer than 500 tokens: 1 of the lines." in ran.err


def test_unknown_target_is_refused(train, data, valid):
    assert 'got "qproj"' in refusal(train(data, "--valid", valid, "--target", "qproj"))


def test_target_twice_said_is_wrong_usage(train, data):
    assert train(data, "--target", "q_proj", "--target-pattern", ".*").code == 2
    assert train(data, "--full", "--freeze-head").code == 2


def test_existing_output_is_refused(train, data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    assert "exists already" in refusal(train(data))
    assert "holds no run to go on with" in refusal(train(data, "--resume"))


def test_run_killed_before_its_first_checkpoint_starts_anew(train, data, valid, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "train_log.jsonl").write_text('{"step": 1}\n')
    assert refusal(train(data, "--resume")).endswith("holds no run to go on with. Leave --resume out.")
    assert train(data, "--valid", valid).code == 0
    assert len((tmp_path / "out" / "train_log.jsonl").read_text().splitlines()) == 2
    assert refusal(train(data)).endswith("exists already. Name another folder with --out.")


@pytest.mark.parametrize("flag", ["--alpha", "--learning-rate", "--warmup", "--clip", "--brier"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_number_that_is_not_finite_is_wrong_usage(train, data, flag, value):
    assert train(data, flag, value).code == 2


def test_weights_that_are_not_finite_are_not_written(train, tmp_path):
    """A single step, whose loss was still finite, and nothing held out that would show it."""
    rates = ("--learning-rate", 1e30, "--head-learning-rate", 1e38)
    said = train(training.write_short(tmp_path / "one.jsonl", 1), *rates)
    assert said.code == 1 and said.err.splitlines()[-1].endswith("got others. Lower the learning rate.")
    assert not (tmp_path / "out" / "train_config.json").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
@pytest.mark.parametrize("verb", ["train", "calibrate"])
def test_pipe_is_refused_unread(cli, tiny_release, tmp_path, verb):
    os.mkfifo(tmp_path / "pipe")
    out = ("--out", tmp_path / "out")
    said = refusal(cli(verb, tmp_path / "pipe", "--model", tiny_release, *out))
    assert "pipe: must be a file, which can be read twice, got a pipe" in said


def test_done_run_is_not_resumed(train, data, valid):
    train(data, "--valid", valid)
    assert "holds a run that is done already" in refusal(train(data, "--valid", valid, "--resume"))


def command(model: Path, data: Path, valid: Path, out: Path, *more: Any) -> list[str]:
    argv = ["train", data, "--valid", valid, "--model", model, "--out", out, *QUICK, *more]
    return [str(part) for part in argv]


CLEF = [sys.executable, "-c", "import sys; from clef_mlx.cli import main; sys.exit(main())"]


@pytest.mark.slow
def test_interrupted_run_says_how_to_go_on_and_ends_the_same(tiny_release, data, valid, tmp_path):
    whole, out = tmp_path / "whole", tmp_path / "out"
    more = ("--epochs", 4, "--checkpoint-every", 1)
    argv = CLEF + command(tiny_release, data, valid, out, *more)
    child = subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 120
    while not (out / "checkpoint" / "state.json").is_file() and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=120)
    assert child.returncode == 130
    assert said.splitlines()[-2:] == [
        f"clef-mlx: {out}: the run is kept. Give the same command with --resume to go on.",
        "clef-mlx: interrupted.",
    ]
    assert f"{out}: holds a run that is not done" in ran(argv).stderr
    for one in (argv + ["--resume"], CLEF + command(tiny_release, data, valid, whole, *more)):
        assert ran(one).returncode == 0
    assert not (out / "checkpoint").exists()
    for name in ("adapter/adapter_model.safetensors", "joint_head.safetensors"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()


def ran(argv: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a way to limit file sizes, as Linux has")
def test_full_disk_is_one_line(tiny_release, data, valid, tmp_path):
    """A limit on the size of files is met as a full disk is."""
    argv = command(tiny_release, data, valid, tmp_path / "out")
    code = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
    done = subprocess.run([sys.executable, "-c", code + CLEF[2], *argv], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"{tmp_path / 'out'}: cannot be written: " in done.stderr.splitlines()[-1]
    assert "No checkpoint was left there." in done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(not MLX_LAUNCH.is_file(), reason="mlx.launch is not installed beside Python")
def test_two_processes_train_as_one(tiny_release, data, valid, tmp_path):
    import mlx.core as mx

    one, two = tmp_path / "one", tmp_path / "two"
    subprocess.run(CLEF + command(tiny_release, data, valid, one), capture_output=True, timeout=300, check=True)
    launched = [str(MLX_LAUNCH), "-n", "2", "--", *CLEF, *command(tiny_release, data, valid, two)]
    alone = {"env": os.environ | {"OMP_NUM_THREADS": "1"}, "start_new_session": True}
    child = subprocess.Popen(launched, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **alone)
    try:
        out, err = child.communicate(timeout=100)
    finally:
        if child.poll() is None:  # two that wait for each other would spin for ever
            os.killpg(child.pid, signal.SIGKILL)
    assert child.returncode == 0, err
    assert out.count('"event": "trained"') == 1
    assert losses(two) == pytest.approx(losses(one), rel=1e-4)
    mine, theirs = (mx.load(str(folder / "adapter" / "adapter_model.safetensors")) for folder in (one, two))
    # AdamW's first steps make whole steps of what is zero but for rounding, so a few values may be a step apart.
    far = mx.concatenate([mx.abs(mine[key] - theirs[key]).reshape(-1) for key in mine])
    assert (far > 1e-6).mean().item() < 0.01


def losses(out: Path) -> list[float]:
    rows = [json.loads(line) for line in (out / "train_log.jsonl").read_text().splitlines()]
    return [row["loss"] for row in rows] + [row["valid"]["loss"] for row in rows if "valid" in row]
