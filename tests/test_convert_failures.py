"""Whatever goes wrong in a conversion is one line, and nothing is left that could be taken for a model."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import layout_writers as writers
import mlx.core as mx
import pytest

from clef_mlx.cli import main
from clef_mlx.convert import staging
from clef_mlx.convert.convert import convert
from clef_mlx.convert.settings import Settings
from clef_mlx.errors import CheckpointError, ClefError
from clef_mlx.weights.load import load_release

ROOT = Path(__file__).parents[1]
UP = "model.language_model.layers.0.mlp.up_proj.weight"
# Writes so slowly that it can be stopped in the middle, and says when it has begun.
SLOW = """
import sys, time
from clef_mlx.cli import main
from clef_mlx.convert.write import ShardFile
write = ShardFile.write
def slowly(self, *rest):
    print("writing", file=sys.stderr, flush=True)
    time.sleep(0.2)
    write(self, *rest)
ShardFile.write = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def source(tiny_release, tmp_path):
    """A copy that may be damaged."""
    return shutil.copytree(tiny_release, tmp_path / "source")


def run(*argv, **options):
    return subprocess.run(
        [sys.executable, str(ROOT / "convert.py"), "--no-report", *map(str, argv)],
        capture_output=True, text=True, timeout=120, **options,
    )  # fmt: skip


def slow_conversion(source, out, *argv):
    """A process in the midst of writing."""
    command = [sys.executable, "-c", SLOW, "convert", "--no-report", "--model", str(source), "--out", str(out), *argv]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr.readline() == "writing\n"
    return child


def left_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def refuse(source, out, **settings):
    with pytest.raises(ClefError) as caught:
        convert(source, out, Settings(report=False, **settings))
    assert "\n" not in str(caught.value)
    return str(caught.value)


# The destination


def test_an_existing_folder_is_not_touched(tiny_release, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    assert "exists already" in refuse(tiny_release, tmp_path / "out")
    assert left_in(tmp_path / "out") == ["notes.txt"]


def test_an_empty_folder_is_filled(tiny_release, tmp_path):
    (tmp_path / "out").mkdir()
    convert(tiny_release, tmp_path / "out", Settings(report=False))
    assert (tmp_path / "out" / "config.json").is_file()


def test_force_replaces_a_model(tiny_release, tmp_path):
    for recipe in ("bf16", "4bit"):
        convert(tiny_release, tmp_path / "out", Settings(recipe=recipe, report=False, force=True))
    assert writers.read_json(tmp_path / "out" / "conversion.json")["recipe"] == "4bit"
    assert left_in(tmp_path) == ["out"]


def test_force_deletes_nothing_but_models(tiny_release, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    assert "holds no model" in refuse(tiny_release, tmp_path / "out", force=True)
    assert left_in(tmp_path / "out") == ["notes.txt"]


def test_the_source_is_never_its_own_destination(source):
    assert "is the source itself" in refuse(source, source, force=True)
    assert "must not lie in each other" in refuse(source, source / "out")
    assert "must not lie in each other" in refuse(source, source.parent, force=True)


def test_a_link_to_the_source_is_the_source(source, tmp_path):
    (tmp_path / "link").symlink_to(source)
    assert "is the source itself" in refuse(source, tmp_path / "link", force=True)


def test_a_read_only_source_is_fine(source, tmp_path):
    for file in source.iterdir():
        file.chmod(0o444)
    source.chmod(0o555)
    convert(source, tmp_path / "out", Settings(report=False))
    assert os.access(tmp_path / "out" / "tokenizer.json", os.W_OK)


def test_a_destination_that_cannot_be_written_is_one_line(tiny_release, tmp_path):
    (tmp_path / "file").write_text("")
    assert f"cannot be written: {tmp_path}/file is a file" in refuse(tiny_release, tmp_path / "file" / "new" / "out")


def test_a_destination_without_permission_is_one_line(tiny_release, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o555)
    code = "import sys; from clef_mlx.cli import main; sys.exit(main(sys.argv[1:]))"
    argv = ["convert", "--model", str(tiny_release), "--out", str(tmp_path / "mine" / "out")]
    # Root may write everywhere, unless it gives that up.
    kept = ["--inh-caps", "-dac_override", "--bounding-set", "-dac_override"]
    drop = [shutil.which("setpriv") or pytest.skip("root needs setpriv"), *kept] if os.geteuid() == 0 else []
    done = subprocess.run([*drop, sys.executable, "-c", code, *argv], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "cannot be written: permission denied" in done.stderr and done.stderr.count("\n") == 1
    assert left_in(tmp_path / "mine") == []


# Disks


def test_a_disk_that_is_too_small_is_said_before_starting(tiny_release, tmp_path, monkeypatch):
    monkeypatch.setattr(staging.shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(10**9, 10**9, 10**5))
    assert "0.00 GB free there" in refuse(tiny_release, tmp_path / "out")
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("limit", [1000, 200_000])
def test_a_disk_that_fills_up_leaves_nothing(limit, tiny_release, tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = run("--model", tiny_release, "--out", tmp_path / "out", preexec_fn=small_files)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "cannot be written: file too large. Free some space" in done.stderr
    assert left_in(tmp_path) == []


# Interrupts


def test_an_interrupt_leaves_nothing(tiny_release, tmp_path):
    child = slow_conversion(tiny_release, tmp_path / "out")
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert errors.splitlines()[-1] == "clef-mlx: interrupted." and "Traceback" not in errors
    assert left_in(tmp_path) == []


def test_a_killed_run_leaves_no_model_and_the_next_says_so(tiny_release, tmp_path):
    child = slow_conversion(tiny_release, tmp_path / "out")
    child.kill()
    child.communicate(timeout=60)
    assert left_in(tmp_path) == [".out.unfinished"]
    with pytest.raises(CheckpointError):
        load_release(tmp_path / ".out.unfinished")
    done = run("--model", tiny_release, "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "found an unfinished conversion" in done.stderr and done.stderr.count("\n") == 1
    assert left_in(tmp_path) == ["out"]


def test_two_runs_do_not_write_one_folder(tiny_release, tmp_path):
    child = slow_conversion(tiny_release, tmp_path / "out")
    try:
        assert "another conversion is writing it now" in refuse(tiny_release, tmp_path / "out")
        assert child.poll() is None
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)


def test_a_model_that_was_being_replaced_is_put_back(tiny_release, tmp_path):
    convert(tiny_release, tmp_path / ".out.replaced", Settings(report=False))
    assert "exists already" in refuse(tiny_release, tmp_path / "out")
    assert left_in(tmp_path) == ["out"]


# The source


def test_a_gguf_is_refused_by_name(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(100))
    assert "GGUF files are not read" in refuse(tmp_path / "model.gguf", tmp_path / "out")


def test_a_folder_without_a_head_is_a_chat_model(source, tmp_path):
    for name in ("joint_head.safetensors", "joint_head_config.json"):
        (source / name).unlink()
    assert "is a chat model" in refuse(source, tmp_path / "out")


def test_a_pointer_is_no_weight_file(source, tmp_path):
    (source / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    assert "Git LFS pointer" in refuse(source, tmp_path / "out")


def test_a_truncated_file_is_refused_before_anything_is_written(source, tmp_path):
    file = source / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-10])
    assert "file is truncated: expected" in refuse(source, tmp_path / "out")
    assert left_in(tmp_path) == ["source"]


@pytest.mark.parametrize("recipe", ["4bit", "bf16", "mxfp8"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_not_finite_is_named(value, recipe, source, tmp_path):
    held = writers.read_backbone(source)
    held[UP] = mx.where(mx.arange(held[UP].size).reshape(held[UP].shape) == 5, value, held[UP])
    writers.save(source / "model.safetensors", held, "pt")
    message = refuse(source, tmp_path / "out", recipe=recipe)
    assert "mlp.up_proj" in message and "NaN or infinity" in message
    assert left_in(tmp_path) == ["source"]


def test_a_narrower_type_that_overflows_is_named(source, tmp_path):
    held = writers.read_backbone(source)
    held[UP] = held[UP] * 1e6
    writers.save(source / "model.safetensors", held, "pt")
    message = refuse(source, tmp_path / "out", recipe="fp16")
    assert UP in message and "choose a wider dtype" in message


# The command line


def test_the_script_at_the_top_is_the_same_command(tiny_release, tmp_path):
    command = [sys.executable, str(ROOT / "convert.py"), "--model", str(tiny_release), "--out", str(tmp_path / "out")]
    done = subprocess.run([*command, "--no-report"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == ""
    facts = json.loads(done.stdout)
    assert facts["recipe"] == "mixed-4bit" and facts["out"] == str(tmp_path / "out")


def test_help_has_examples(capsys):
    assert main(["convert", "--help"]) == 0
    assert "clef-mlx convert --model Cloudflare/clef-flash --out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--target-size", "5GB", "--target-bits", "4.6"], "two ways to say one thing"),
        (["--max-shard-size", "5"], "--max-shard-size: must be a size with a unit"),
        (["--recipe", "4bit", "--bits", "3"], "--recipe 4bit and --bits are two ways"),
        (["--override", "nothing=4"], 'override: "nothing" matches no module'),
        (["--target-bits", "nan"], "--target-bits must be finite, got nan"),
        (["--target-bits", "inf"], "--target-bits must be finite, got inf"),
        (["--max-shard-size", "0GB"], "--max-shard-size must be above 0, got 0GB"),
        (["--calibration", "x.jsonl", "--no-report"], "--calibration is read for the report or a target"),
    ],
)
def test_options_that_contradict_are_one_line(argv, message, tiny_release, tmp_path, capsys):
    assert main(["convert", "--model", str(tiny_release), "--out", str(tmp_path / "out"), *argv]) in (1, 2)
    errors = capsys.readouterr().err
    assert message in errors and errors.count("\n") == 1


# Memory


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the anonymous pages of a process")
def test_memory_stays_far_below_the_largest_tensor(random_release, tmp_path):
    """Tables of 19 MB in bfloat16, in blocks of 256 k elements instead of 16 M."""
    from clef_mlx.weights.random_release import write_random_release

    source = write_random_release(tmp_path / "source", vocab_size=150_000)
    code = """
import json, sys, threading, time
from pathlib import Path
from clef_mlx.convert import source, write
from clef_mlx.convert.convert import read_folder
from clef_mlx.convert.job import make_job
from clef_mlx.convert.settings import Settings
from clef_mlx.convert.watch import Watch
from clef_mlx.engine import thread
source.BLOCK_ELEMENTS = 1 << 18
def anonymous():
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("RssAnon")).split()[1])
folder, out = map(Path, sys.argv[1:])
out.mkdir()
job = make_job(read_folder(folder), Settings(), Watch())
before, most = anonymous(), [0]
def advance(nbytes):
    most[0] = max(most[0], anonymous())
thread.run(write.write_shards, out, job, Watch(advance=advance))
print(most[0] - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(source), str(tmp_path / "out")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8_000_000
