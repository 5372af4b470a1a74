"""The bench: requests of exact length, timings, roofline, profile, the verb, and every script at its smallest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import mlx.core as mx
import mlx.nn as nn
import pytest

from clef_mlx.bench import plot, share
from clef_mlx.bench.curve import config_of, counter
from clef_mlx.bench.machine import machine
from clef_mlx.bench.measure import Timing, alternate, peak_bytes
from clef_mlx.bench.profile import PARTS, profile_decision
from clef_mlx.bench.roofline import CHIPS, chip_named, forward_flops
from clef_mlx.bench.workload import edited, grown, questions, request_of
from clef_mlx.cli import main
from clef_mlx.engine.clef import load
from clef_mlx.errors import RequestError
from clef_mlx.model import attention, text

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def model(tiny_release):
    with load(tiny_release, dtype="float32", prefix_bytes=0) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def count(model):
    return counter(model)


# Requests


@pytest.mark.parametrize("tokens", [450, 753, 2585, 15145])
def test_request_has_exactly_the_tokens_asked_for(count, tokens):
    assert count(request_of(tokens, questions(3), count)) == tokens


def test_request_too_short_for_its_questions_is_the_shortest_there_is(count):
    shortest = count({"state": "", "questions": questions(3)})
    assert shortest <= count(request_of(1, questions(3), count)) <= shortest + 2


def test_requests_of_other_seeds_differ_early(count):
    one, other = (request_of(600, questions(1), count, seed=seed)["state"] for seed in (1, 2))
    assert one[:200] != other[:200]


def test_questions_share_the_options_asked_for(model):
    record = model.encode({"state": "x", "questions": questions(16, 96)})
    assert [len(question.option_ids) for question in record.questions] == [6] * 16


def test_grown_state_continues_the_tokens(model, count):
    request = request_of(700, questions(1), count)
    longer = grown(request, 100, count, seed=5)
    assert 795 <= count(longer) <= 800
    before, after = model.encode(request), model.encode(longer)
    assert after.input_ids[: before.state_span.end] == before.input_ids[: before.state_span.end]


def test_edited_state_keeps_its_beginning_and_length(count):
    request = request_of(900, questions(1), count)
    changed = edited(request, 100, count, seed=5)
    assert abs(count(changed) - 900) <= 5
    assert changed["state"] != request["state"]
    assert changed["state"].startswith(request["state"][: len(request["state"]) // 2])


# Measuring


def test_timing_orders_its_runs():
    assert Timing.of([5.0, 1.0, 3.0, 2.0]) == Timing(min_s=1.0, median_s=2.5, p90_s=5.0, runs=4)


def test_p90_leaves_out_the_slowest_of_ten():
    assert Timing.of([float(i) for i in range(1, 11)]).p90_s == 9.0


def test_alternate_takes_turns_after_warming_up():
    order: list[str] = []
    timings = alternate({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, runs=2, warmup=1)
    assert order == ["a", "b"] * 3
    assert {name: timing.runs for name, timing in timings.items()} == {"a": 2, "b": 2}


def test_no_runs_are_refused():
    with pytest.raises(RequestError, match=r"runs: must be at least 1, got 0\."):
        alternate({"a": int}, runs=0)


def test_peak_is_what_a_call_adds():
    held = mx.ones((1024, 1024))
    mx.eval(held)
    peak = peak_bytes(lambda: mx.eval(mx.ones((512, 1024)) + 1.0))
    assert 2 << 20 <= peak <= 6 << 20


def test_machine_names_chip_and_versions():
    found = machine()
    assert all(found[name] for name in ("chip", "system", "python", "mlx", "clef_mlx", "cores", "memory_bytes"))


# Roofline


def test_forward_flops_are_the_known_ones_of_clef_flash(model):
    known = {
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "conv_dim": 8192,
        "value_dim": 4096,
        "layer_types": (["linear_attention"] * 3 + ["full_attention"]) * 8,
    }
    flash = SimpleNamespace(text=SimpleNamespace(**known), head=SimpleNamespace(width=1024))
    assert forward_flops(flash, 1) == pytest.approx(13.84e9, rel=0.02)
    quadratic = forward_flops(flash, 16384) - 16384 * forward_flops(flash, 1)
    assert quadratic == pytest.approx(17.6e12, rel=0.02)


def test_forward_flops_count_every_weight_of_a_layer(model, tiny_release):
    """From the shapes of the model itself, not from its config."""
    config = config_of(tiny_release)
    matrices = sum(
        module.weight.size
        for name, module in model._release.model.named_modules()
        if isinstance(module, nn.Linear) and (name.startswith("language_model.layers") or "memory_projection" in name)
    )
    state = config.text.linear_num_value_heads * config.text.linear_key_head_dim * config.text.linear_value_head_dim
    full = config.text.layer_types.count("full_attention")
    linear = len(config.text.layer_types) - full
    square = 2 * full * config.text.num_attention_heads * config.text.head_dim
    assert forward_flops(config, 1) == 2 * matrices + 8 * linear * state + square


def test_every_apple_chip_has_a_source():
    assert {name.split()[1] for name in CHIPS} == {"M1", "M2", "M3", "M4", "M5"}
    for chip in CHIPS.values():
        assert chip.fp32_tflops > 0 and chip.fp32_source
        assert (chip.bandwidth_gb_s is None) == (chip.bandwidth_source is None)


def test_unknown_chip_has_no_figures():
    assert chip_named("Apple M4 Max") is CHIPS["Apple M4 Max"]
    assert chip_named("some other chip") is None


# Profile


@pytest.fixture(scope="module")
def profile(model, count):
    return profile_decision(model, request_of(900, questions(3), count), runs=2)


def test_profile_finds_every_part_of_the_model(profile):
    assert set(profile.seconds) == set(PARTS) - {"backbone"}


def test_profile_counts_each_layer_once_a_chunk(profile, tiny_release):
    kinds = config_of(tiny_release).text.layer_types
    chunks, rest = divmod(profile.calls["mlp"], len(kinds))
    assert chunks and not rest
    assert profile.calls["delta scan"] == chunks * kinds.count("linear_attention")
    assert profile.calls["attention"] == chunks * kinds.count("full_attention")
    assert profile.calls["delta projections"] == 5 * profile.calls["delta scan"]
    assert profile.calls["attention projections"] == 4 * profile.calls["attention"]


def test_profile_sums_to_about_the_undisturbed_time(profile):
    assert 0.2 < profile.total_s / profile.undisturbed_s < 5.0  # a busy machine is no failure


def test_profile_shares_sum_to_one(profile):
    assert sum(part["share"] for part in profile.to_dict()["parts"].values()) == pytest.approx(1.0)


def test_profile_of_the_head_leaves_the_backbone_whole(model, count):
    found = profile_decision(model, request_of(900, questions(3), count), runs=2, only_head=True)
    assert set(found.seconds) == {"tokenizer", "backbone", "head memory", "head", "other"}
    assert found.share("head", "head memory") < 0.5 < found.share("backbone")


def test_profile_puts_everything_back(model, count):
    def places():
        return [nn.Linear.__call__, text.MLP.__call__, text.gated_delta_rule, attention.causal_attention]

    before, request = places(), request_of(450, questions(1), count)
    answer = model.systemone(request)
    profile_decision(model, request, runs=1)
    assert places() == before
    assert model.systemone(request) == answer


def test_profile_puts_everything_back_after_a_refusal(model):
    before = text.MLP.__call__
    with pytest.raises(RequestError):
        profile_decision(model, {"state": "x", "questions": {}}, runs=1)
    assert text.MLP.__call__ is before


# The verb


def bench(capsys, folder, *flags: str) -> str:
    assert main(["bench", "--model", str(folder), "--tokens", "450,900", "--runs", "1", *flags]) == 0
    return capsys.readouterr().out


def test_bench_prints_a_line_a_measurement(capsys, tiny_release):
    shown = bench(capsys, tiny_release, "--questions", "1,2")
    rows = re.findall(r"^ +(\d+) +(\d+) +[\d.]+s", shown, re.MULTILINE)
    assert rows == [("450", "1"), ("450", "2"), ("900", "1"), ("900", "2")]
    assert all(word in shown for word in ("GFLOP/s", "peak", "of roof"))


def test_bench_json_is_one_document(capsys, tiny_release):
    document = json.loads(bench(capsys, tiny_release, "--questions", "2", "--profile", "--json"))
    assert set(document) == {"benchmark", "machine", "model", "roof", "rows", "profile"}
    short, long = document["rows"]
    assert (short["tokens"], long["tokens"]) == (450, 900)
    assert 0 < short["min_s"] <= short["median_s"] <= short["p90_s"]
    assert short["peak_bytes"] < long["peak_bytes"]
    assert 0 < short["of_roof"] < 1
    assert set(document["profile"]["parts"]) <= set(PARTS)


def test_bench_share_is_a_row_of_the_results_table(capsys, tiny_release):
    row = bench(capsys, tiny_release, "--questions", "1", "--share")
    assert row.count("\n") == 1
    results = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    assert share.header() in results
    assert row.count("|") == share.header().splitlines()[0].count("|")
    assert str(tiny_release.parent) not in row


def test_bench_refuses_two_kinds_of_output(capsys, tiny_release):
    assert main(["bench", "--model", str(tiny_release), "--json", "--share"]) == 2
    assert "not both" in capsys.readouterr().err


@pytest.mark.parametrize("tokens", ["0", "12,x", "", "-5", "1.5"])
def test_bench_refuses_what_is_no_list_of_counts(capsys, tiny_release, tokens):
    assert main(["bench", "--model", str(tiny_release), f"--tokens={tokens}"]) == 2
    assert "whole numbers above 0" in capsys.readouterr().err


def test_bench_plots_a_picture(capsys, tiny_release, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `bench` draws")
    picture = tmp_path / "curve.png"
    bench(capsys, tiny_release, "--questions", "1", "--plot", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_bench_without_matplotlib_says_so_before_it_measures(capsys, tiny_release, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["bench", "--model", str(tiny_release), "--plot", str(tmp_path / "x.png")]) == 1
    error = capsys.readouterr().err
    assert "pip install matplotlib" in error and error.count("\n") == 1


def test_unwritable_picture_is_one_line(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `bench` draws")
    row = {"tokens": 5, "questions": 1, "min_s": 1.0, "median_s": 1.0, "p90_s": 1.0, "floor_s": 0.5}
    with pytest.raises(RequestError, match="must be writable"):
        plot.plot_latency([row], "title", tmp_path / "missing" / "x.png")


# The scripts


def script(name: str, *arguments: object) -> dict:
    """Run a script to its end; its last line of output is the document."""
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout.splitlines()[-1])
    assert document["benchmark"] == name
    assert document["machine"]["mlx"] and document["machine"]["chip"]
    return document


def test_decide_script_measures_longer_records_as_slower(tiny_release):
    rows = script("decide", "--model", tiny_release, "--tokens", "300,1500", "--questions", "1", "--runs", "3")["rows"]
    assert [row["tokens"] for row in rows] == [300, 1500]
    assert rows[0]["min_s"] < rows[1]["min_s"] and rows[0]["peak_bytes"] < rows[1]["peak_bytes"]


def test_prefix_script_reuses_the_state_and_answers_alike(tiny_release):
    document = script("prefix", "--model", tiny_release, "--tokens", 1500, "--grown", 100, "--runs", 1)
    same, more = document["same_state"], document["grown_state"]
    assert min(same["reused_tokens"]) > 1000 and min(more["reused_tokens"]) > 1000
    assert same["ratio"] > 0 and same["reused"]["runs"] == same["cold"]["runs"] == 1
    assert max(document[name]["max_dp"] for name in ("same_state", "grown_state", "edited_state")) < 2e-5


def test_batch_script_compares_equal_answers(tiny_release):
    document = script("batch", "--model", tiny_release, "--requests", 5, "--tokens", 250, "--runs", 1)
    assert document["max_dp"] < 2e-5 and document["ratio"] > 0
    assert 5 * 220 < document["tokens"] < 5 * 280


def test_head_script_tells_the_share(tiny_release):
    document = script("head", "--model", tiny_release, "--tokens", 900, "--questions", 4, "--options", 24, "--runs", 1)
    assert document["option_count"] == 24
    assert 0 < document["share"] < 0.6


def test_encode_script_subtracts_the_tokenizer(tiny_release):
    document = script("encode", "--model", tiny_release, "--tokens", 4000, "--runs", 3)
    assert document["tokens"] == 4000
    assert document["beyond_s"] < document["encoding"]["min_s"]


def test_load_script_measures_each_layout(tiny_release):
    arguments = ("--layouts", "A,B4", "--dtypes", "float32", "--runs", 1)
    rows = script("load", "--model", tiny_release, *arguments)["rows"]
    assert [row["layout"] for row in rows] == ["A", "B4"]
    assert all(row["min_s"] > 0 and row["weight_bytes"] > 0 for row in rows)


def test_kernels_script_measures_every_form():
    arguments = ("--tokens", 64, "--keys", 300, "--rows", 8, "--runs", 1)
    rows = script("kernels", *arguments)["rows"]
    forms = {row["kind"].split(",")[0]: set() for row in rows}
    for row in rows:
        forms[row["kind"].split(",")[0]].add(row["form"])
    assert {"chunkwise", "recurrent", "mlx-lm ops"} <= forms["delta rule"]
    assert forms["attention"] == {"blocked", "fused"}
    assert {"exp", "sigmoid", "silu", "softmax", "causal conv", "product"} <= set(forms)


@pytest.mark.live
@pytest.mark.slow
def test_compare_script_agrees_with_the_publisher(tmp_path):
    pytest.importorskip("torch", reason="the publisher's code runs on torch")
    pytest.importorskip("clef_finetune", reason="it carries the publisher's code")
    document = script("compare", "--size", "tiny", "--tokens", 450, "--runs", 1, "--cache", tmp_path)
    (row,) = document["rows"]
    assert row["tokens"]["ours"] == row["tokens"]["torch"] == 450
    assert row["ratio"]["torch"] > 0 and row["max_dp"]["torch"] < 2e-5


def test_results_name_only_scripts_that_exist():
    results = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    named = set(re.findall(r"benchmarks/(\w+\.py)", results))
    assert named == {path.name for path in BENCHMARKS.glob("*.py")} - {"setting.py", "vision_judge.py", "worker.py"}
