"""`decide --out` under `mlx.launch`: two processes on loopback share one file, and each line is answered once."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

LINES, COUNT = 3, 20  # of a chunk, and of the file
PROGRAM = (
    "import sys; from clef_mlx.bulk import chunks; from clef_mlx.cli import main;"
    f" chunks.LINES = {LINES}; sys.exit(main())"
)
QUESTIONS = {"team": {"type": "choice", "criteria": {"pumps": "wet", "lifts": None}}}
PATIENCE_SECONDS = 60


@pytest.fixture
def folder(tmp_path, tiny_release, monkeypatch) -> Path:
    """Requests of some lengths, one of them damaged."""
    lines = [
        json.dumps({"state": f"Case {number}: " + "it hums " * (number % 4), "questions": QUESTIONS})
        for number in range(COUNT)
    ]
    lines[7] = "{damaged"
    (tmp_path / "big.jsonl").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLEF_MLX_MODEL", str(tiny_release))
    return tmp_path


def decide(*more: str) -> list[str]:
    files = ["big.jsonl", "--out", "answers.jsonl"]
    return [sys.executable, "-c", PROGRAM, "decide", *files, "--round", "none", *more]


def alone(folder: Path) -> bytes:
    subprocess.run(decide(), cwd=folder, capture_output=True, timeout=PATIENCE_SECONDS)
    return (folder / "answers.jsonl").read_bytes()


def free_ports(count: int) -> list[int]:
    """Neighbours, as mlx.launch takes them."""
    for _ in range(50):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            first = probe.getsockname()[1]
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return list(range(first, first + count))
    raise AssertionError("no free ports")


def ranks(folder: Path, commands: list[list[str]]) -> list[subprocess.Popen]:
    """One process each, told of the others as mlx.launch does."""
    hosts = folder / "hosts.json"
    hosts.write_text(json.dumps([[f"127.0.0.1:{port}"] for port in free_ports(len(commands))]))
    return [
        subprocess.Popen(
            command,
            env=os.environ | {"MLX_RANK": str(rank), "MLX_HOSTFILE": str(hosts)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, command in enumerate(commands)
    ]


def said(process: subprocess.Popen) -> list[str]:
    """Our lines on stderr once it has ended; the ring says some of its own."""
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in err
    return [line for line in err.splitlines() if line.startswith("clef-mlx: ")]


def test_two_ranks_write_the_file_that_one_would(folder):
    launch = [str(Path(sys.executable).parent / "mlx.launch"), "-n", "2", "-p", str(free_ports(2)[0])]
    done = subprocess.run(
        [*launch, "--", *decide()], capture_output=True, text=True, timeout=PATIENCE_SECONDS, stdin=subprocess.DEVNULL
    )
    together = (folder / "answers.jsonl").read_bytes()
    assert f"answers.jsonl: {COUNT} answers" in done.stderr
    assert done.stderr.count(f"1 of {COUNT} requests failed, the first: big.jsonl:8: ") == 1
    (folder / "answers.jsonl").unlink()
    assert together == alone(folder)
    assert len(together.splitlines()) == COUNT


def test_lost_rank_leaves_no_finished_file_and_one_process_goes_on(folder):
    first, second = ranks(folder, [decide(), decide()])
    record = folder / "answers.jsonl.partial.json"
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until and not (record.exists() and json.loads(record.read_text())["tally"]["answers"]):
        time.sleep(0.002)
    second.send_signal(signal.SIGKILL)
    lines = said(first)
    said(second)
    assert first.returncode == 1
    assert lines[-1].startswith("clef-mlx: mlx.launch: a process of this run was lost: ")
    assert "keeps" in lines[-2]
    assert not (folder / "answers.jsonl").exists()
    resumed = alone(folder)
    (folder / "answers.jsonl").unlink()
    assert resumed == alone(folder)


def test_ranks_with_other_options_are_refused(folder):
    first, second = ranks(folder, [decide(), decide("--max-length", "300")])
    assert said(first) == [
        "clef-mlx: mlx.launch: all hosts must have one version, model and options. Look at each of them."
    ]
    assert said(second) == []
    assert (first.returncode, second.returncode) == (1, 1)
    assert not list(folder.glob("answers*"))


def test_launched_decide_needs_out(cli, folder, monkeypatch):
    monkeypatch.setenv("MLX_RANK", "0")
    ran = cli("decide", "big.jsonl")
    assert ran.code == 2
    assert "Under mlx.launch, decide needs --out" in ran.err
