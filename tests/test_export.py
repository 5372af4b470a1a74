"""An export decides like the engine, whatever pads it, and is refused in one line where it cannot."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial

import clef_mlx.blas
import layout_writers as writers
import mlx.core as mx
import numpy as np
import pytest

import clef_mlx
from clef_mlx.engine import thread
from clef_mlx.errors import CheckpointError, RequestError
from clef_mlx.export import export as exporting
from clef_mlx.export.export import export
from clef_mlx.export.exported import check_export
from clef_mlx.export.forward import Weights
from clef_mlx.export.manifest import read_manifest
from clef_mlx.export.slots import Arguments, Slots
from clef_mlx.schema import parse_request
from clef_mlx.weights.load import load_release

SLOTS = Slots((256, 640), questions=3, options=10)
REQUEST = {
    "state": {"order": 12, "text": "The lamp has not arrived. <|im_end|>", "paid": 20.5},
    "questions": {
        "late": {"type": "noul"},
        "team": {"type": "choice", "criteria": {"shipping": "Parcels", "billing": None, "10": None, "2": None}},
        "mood": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"]},
    },
}


DECIDE = """
import io, sys
from pathlib import Path
import numpy as np
from clef_mlx.engine import thread
from clef_mlx.export.exported import open_export
from clef_mlx.export.slots import Arguments

def decide():
    exported = open_export(Path(sys.argv[1]))
    cases = [Arguments(*(given[f"{n}.{name}"] for name in Arguments._fields)) for n in range(len(given) // 6)]
    return {f"{n}.{i}": value for n, case in enumerate(cases) for i, value in enumerate(exported.decide(case))}

given = np.load(io.BytesIO(sys.stdin.buffer.read()))
made = io.BytesIO()
np.savez(made, **thread.run(decide))
sys.stdout.buffer.write(made.getvalue())
"""


@pytest.fixture(scope="module")
def source(random_release):
    return random_release("golden-128")


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    return export(str(source), tmp_path_factory.mktemp("export") / "out", SLOTS)


@pytest.fixture(scope="module")
def model(source):
    with clef_mlx.load(source) as model:
        yield model


@pytest.fixture(scope="module")
def decided(made, model) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Logits and probabilities by name of a case, from a process in which MLX has run in no other thread."""
    record, short = model.encode(REQUEST), model.encode({"state": "Cold.", "questions": {"urgent": {"type": "noul"}}})
    poisoned = SLOTS.fill(record, 640, pad_token_id=77)
    poisoned.question_types[3:] = 2
    poisoned.option_owners[9:] = 1
    cases = {"plain": SLOTS.fill(record, 640, 0), "poisoned": poisoned}
    cases |= {f"short in {length}": SLOTS.fill(short, length, 0) for length in SLOTS.lengths}
    given = io.BytesIO()
    np.savez(given, **{f"{n}.{name}": v for n, a in enumerate(cases.values()) for name, v in a._asdict().items()})
    command = [sys.executable, "-c", DECIDE, str(made.out)]
    found = subprocess.run(command, input=given.getvalue(), stdout=subprocess.PIPE, check=True, timeout=120)
    arrays = np.load(io.BytesIO(found.stdout))
    return {name: (arrays[f"{n}.0"], arrays[f"{n}.1"]) for n, name in enumerate(cases)}


def test_export_holds_what_its_manifest_names(made):
    manifest = json.loads((made.out / "manifest.json").read_text())
    assert set(manifest["files"].values()) | {"manifest.json"} == {file.name for file in made.out.iterdir()}
    assert (manifest["lengths"], manifest["questions"], manifest["options"]) == ([256, 640], 3, 10)
    assert (manifest["device"], manifest["dtype"], manifest["mlx"]) == ("cpu", "float32", mx.__version__)
    assert [argument["name"] for argument in manifest["inputs"]] == list(Arguments._fields)
    assert manifest["checked"]["cases"] >= 4
    assert manifest["checked"]["max_probability_difference"] <= 2e-5


def test_export_stores_the_models_weights_once_in_the_manifests_order(made, source):
    stored = mx.load(str(made.out / "model.safetensors"))
    weights = Weights(thread.run(load_release, source).model)
    assert [facts["name"] for facts in read_manifest(made.out).weights] == weights.names == sorted(stored)
    assert all(
        np.array_equal(stored[n].view(mx.uint8), v.view(mx.uint8))
        for n, v in zip(weights.names, weights.values, strict=True)
        if v.ndim
    )


def test_tied_parameters_are_stored_once(source):
    model = thread.run(load_release, source).model
    every = len(Weights(model).names)
    model.lm_head.weight = model.language_model.embed_tokens.weight
    weights = Weights(model)
    assert len(weights.names) == every - 1
    weights.give(model, [mx.zeros(value.shape) for value in weights.values])
    assert not model.lm_head.weight.any() and model.lm_head.weight is model.language_model.embed_tokens.weight


def test_trace_decides_like_the_model(decided, model):
    logits, probabilities = decided["plain"]
    expected = model.trace(REQUEST)
    assert logits[:9] == pytest.approx(np.concatenate(expected["logits"]), abs=2e-5)
    answers = [
        expected["probabilities"][q.id][o.option_id] for q in parse_request(REQUEST).questions for o in q.options
    ]
    assert probabilities[:9] == pytest.approx(answers, abs=2e-5)
    assert (logits[9:], probabilities[9:]) == (np.float32(-1e30), 0)


def test_a_quantized_model_stays_quantized_in_its_trace(source, tmp_path, monkeypatch):
    writers.write_b(source, tmp_path / "4bit", {"group_size": 32, "bits": 4, "mode": "affine"})
    # A processor without a GPU unpacks what it loads; a Mac does not.
    monkeypatch.setattr(exporting, "load_release", partial(load_release, dequantize=False))
    made = export(str(tmp_path / "4bit"), tmp_path / "out", Slots((256,), 2, 8))
    assert made.checked.max_probability_difference <= 2e-5
    assert "uint32" in {facts["dtype"] for facts in made.manifest.weights}


def test_padding_and_unused_slots_never_leak(decided):
    for plain, poisoned in zip(decided["plain"], decided["poisoned"], strict=True):
        assert np.array_equal(plain, poisoned)


def test_lengths_agree(decided):
    assert decided["short in 256"][1] == pytest.approx(decided["short in 640"][1], abs=1e-6)


@pytest.mark.parametrize(
    "slots, message",
    [
        (Slots((256,), 3, 10), "request: must be at most 256 tokens in this export, got 3"),
        (Slots((640,), 2, 10), "questions: must be at most 2 questions in this export, got 3. Ask fewer at once."),
        (Slots((640,), 3, 8), "questions: must be at most 8 options in all in this export, got 9."),
    ],
)
def test_a_record_too_large_is_refused(model, slots, message):
    with pytest.raises(RequestError, match=f"^{re.escape(message)}"):
        slots.length_for(model.encode(REQUEST))


def test_the_smallest_length_that_holds_a_record_is_taken(model):
    record = model.encode(REQUEST)
    tokens = len(record.input_ids)
    assert Slots((64, tokens, tokens + 1), 3, 10).length_for(record) == tokens
    assert Slots((64, tokens - 1, tokens + 1), 3, 10).length_for(record) == tokens + 1


def test_export_is_refused_on_another_device(made, tmp_path):
    manifest = json.loads((made.out / "manifest.json").read_text()) | {"device": "metal"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="was traced for metal, but this machine decides on cpu. Export it again"):
        check_export(tmp_path)


@pytest.mark.parametrize("change", [{"format": "x"}, {"format_version": 2}, {"lengths": []}, {"weights": None}])
def test_another_format_is_refused_in_one_line(made, tmp_path, change):
    manifest = json.loads((made.out / "manifest.json").read_text()) | change
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises((CheckpointError, RequestError)) as refused:
        read_manifest(tmp_path)
    assert "\n" not in str(refused.value)


def test_goldens_notice_another_weight(made, tmp_path, cli):
    folder = shutil.copytree(made.out, tmp_path / "changed")
    stored = mx.load(str(folder / "model.safetensors"))
    mx.eval(stored)
    name = "head.residual_scorer.3.weight"
    mx.save_safetensors(str(folder / "model.safetensors"), stored | {name: stored[name] + 0.5})
    ran = cli("export", "--check", folder)
    assert (ran.code, json.loads(ran.out)["passed"]) == (1, False)


def change_manifest(folder, **facts):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | facts))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "tokenizer.json").unlink(),
        lambda folder: (folder / "goldens.json").write_text('{"cases": []}'),
        lambda folder: change_manifest(folder, encoding={}),
        lambda folder: change_manifest(folder, lengths=[64, 4096]),
    ],
    ids=["no tokenizer", "no goldens", "no encoding", "other lengths"],
)
def test_check_notices_what_a_host_program_would_trip_over(made, tmp_path, cli, spoil):
    folder = shutil.copytree(made.out, tmp_path / "export")
    spoil(folder)
    ran = cli("export", "--check", folder)
    assert ran.code == 1 and ran.err.count("\n") == 1 and ran.err.endswith("again.\n")


def test_export_that_decides_otherwise_leaves_nothing(source, tmp_path, monkeypatch):
    wrong = exporting.check_export
    monkeypatch.setattr(
        exporting, "check_export", lambda folder: replace(wrong(folder), max_probability_difference=0.1)
    )
    with pytest.raises(CheckpointError, match="probabilities must be within 2e-05 of the engine's, got 1.0e-01"):
        export(str(source), tmp_path / "out", Slots((256,), 2, 8))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["--lengths", "64"], 1, "lengths: must hold a request of one yes/no question, which takes"),
        (["--lengths", "x"], 2, "must be whole numbers with commas between them, got x. Write 256,1024."),
        (["--lengths", "1"], 1, "lengths: must be from 64 to 65536, got 1."),
        (["--questions", "0"], 1, "questions: must be from 1 to 256, got 0."),
        (["--check", "y"], 2, "--check reads an export that exists. Leave out MODEL and --out."),
    ],
)
def test_export_refuses_in_one_line(cli, tiny_release, tmp_path, arguments, code, message):
    ran = cli("export", tiny_release, "--out", tmp_path / "out", *arguments)
    assert ran.code == code
    assert message in ran.err and ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_export_never_replaces_a_folder(cli, tiny_release, tmp_path):
    (tmp_path / "mine").write_text("")
    ran = cli("export", tiny_release, "--out", tmp_path)
    assert (ran.code, ran.err) == (1, f"clef-mlx: {tmp_path}: exists already. Name another folder with --out.\n")


def test_export_keeps_half_precision(cli, tiny_release, tmp_path):
    ran = cli("export", tiny_release, "--out", tmp_path / "out", "--lengths", "256", "--dtype", "bfloat16")
    assert (ran.code, json.loads(ran.out)["dtype"]) == (0, "bfloat16")
    assert {facts["dtype"] for facts in read_manifest(tmp_path / "out").weights} == {"bfloat16", "float32"}


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes that the system enforces")
def test_a_full_disk_is_one_line_and_leaves_nothing(source, tmp_path):
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20));"
        "from clef_mlx.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "export", str(source), "--out", str(tmp_path / "out"), "--lengths", "256"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert re.fullmatch(r"clef-mlx: \S+out: cannot be written: file too large\. Free some space, .*\n", done.stderr)
    assert list(tmp_path.iterdir()) == []
