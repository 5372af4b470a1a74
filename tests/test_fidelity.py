"""The fidelity report: what a conversion costs in decisions, also where a release does not fit into memory."""

from __future__ import annotations

import importlib.util
import io
import json
import random
import shutil
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest
from layout_writers import read_backbone, save, write_b, write_h
from requests_bank import many_questions, one_text, three_types
from rich.console import Console

import clef_mlx
from clef_mlx import answers
from clef_mlx.convert import fidelity, pictures, tables
from clef_mlx.convert.distance import divergence
from clef_mlx.convert.fidelity import Fidelity, compare, difference
from clef_mlx.engine import thread
from clef_mlx.engine.layerwise import layered_logits
from clef_mlx.errors import ModelFault
from clef_mlx.schema import parse_request
from clef_mlx.weights.adapters.spec import adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import plan_folder
from clef_mlx.weights.parted import PartedRelease
from clef_mlx.weights.random_release import write_random_release

TOO_LITTLE = 1000  # bytes, for any release
TOLERANCE = 2e-5  # the same sums in other batches, float32
FOUR_BITS = {"mode": "affine", "bits": 4, "group_size": 64}


def bank():
    draw = random.Random(4)
    return [
        three_types("short", draw),
        many_questions(7, draw),
        one_text("Straße 日本"),
        three_types({"a": [1, 2]}, draw),
    ]


@pytest.fixture(scope="module")
def four_bits(random_release, tmp_path_factory):
    return write_b(random_release("golden-128"), tmp_path_factory.mktemp("converted") / "4bit", FOUR_BITS)


@pytest.fixture(scope="module")
def report(random_release, four_bits):
    return compare(random_release("golden-128"), four_bits, bank())


def layered(folder, records, **options):
    def run():
        release = PartedRelease(folder, **options)
        return layered_logits(release, records, 0)[0], release.keeps

    return thread.run(run)


def largest_dp(one, other):
    pairs = zip(one, other, strict=True)
    p, q = ([answers.probabilities(record) for record in side] for side in zip(*pairs, strict=True))
    return max(np.abs(a - b).max() for mine, yours in zip(p, q, strict=True) for a, b in zip(mine, yours, strict=True))


@pytest.mark.parametrize("memory", [None, TOO_LITTLE], ids=["kept", "streamed"])
@pytest.mark.parametrize("layout", ["release", "quantized", "adapter"])
def test_layer_by_layer_answers_like_the_normal_path(random_release, four_bits, tmp_path, layout, memory):
    source = random_release("golden-128")
    folder = {"release": source, "quantized": four_bits}.get(layout) or write_h(source, tmp_path / "adapted")
    with clef_mlx.load(folder, dtype="float32") as model:
        records = [model.encode(request) for request in bank()]
        normal = [[np.array(question) for question in model.logits([record])[0]] for record in records]
    made, kept = layered(folder, records, memory_bytes=memory)
    assert kept == (memory is None)
    assert largest_dp(normal, made) <= TOLERANCE


def test_tied_rows_are_found_layer_by_layer(tmp_path):
    folder = write_random_release(tmp_path / "tied", tie_word_embeddings=True)
    with clef_mlx.load(folder, dtype="float32") as model:
        records = [model.encode(request) for request in bank()]
        normal = [[np.array(question) for question in model.logits([record])[0]] for record in records]
    made, _ = layered(folder, records, memory_bytes=TOO_LITTLE)
    assert largest_dp(normal, made) <= TOLERANCE


def test_streaming_holds_little_more_than_a_part(tmp_path):
    folder = write_random_release(tmp_path / "deep", "golden-256", num_hidden_layers=24)
    with clef_mlx.load(folder, dtype="float32") as model:
        records = [model.encode(bank()[0])]
        whole = model.memory.weights
    thread.run(mx.clear_cache)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    layered(folder, records, memory_bytes=TOO_LITTLE)
    assert mx.get_peak_memory() - before < whole / 4


def test_release_equals_itself(tiny_release):
    made = compare(tiny_release, tiny_release, bank())
    assert made.summary().max_dp == 0
    assert made.summary().changed == 0


def test_releases_that_do_not_fit_are_streamed(random_release, four_bits, report):
    made = compare(random_release("golden-128"), four_bits, bank(), memory_bytes=TOO_LITTLE)
    assert made.streamed == ("original", "converted")
    assert report.streamed == ()
    for mine, yours in zip(made.differences, report.differences, strict=True):
        assert abs(mine.dp - yours.dp) <= 2 * TOLERANCE


def test_original_is_closed_before_the_converted_is_opened(tiny_release, monkeypatch):
    held, right = [], fidelity.load

    def load(*args, **options):
        held.append(thread.run(mx.get_active_memory))
        return right(*args, **options)

    monkeypatch.setattr(fidelity, "load", load)
    compare(tiny_release, tiny_release, bank()[:1])
    assert held[1] <= held[0] + 4096


def test_adapters_belong_to_the_original(tiny_release, tmp_path):
    adapted = write_h(tiny_release, tmp_path / "adapted")
    specs = adapter_specs(adapted / "adapter")
    # The folder's own trained head lies beside the adapter, so both sides have it.
    assert compare(tiny_release, adapted, bank()[:2], adapters=specs).summary().max_dp <= TOLERANCE


def test_report_has_every_question(report):
    assert len(report.differences) == sum(len(request["questions"]) for request in bank())
    assert report.by_type.keys() == {"noul", "choice", "score", "all"}
    assert report.summary().questions == len(report.differences)


def test_quantizing_moves_answers_a_little(report):
    summary = report.summary()
    assert 0 < summary.mean_dp < summary.max_dp < 1
    assert 0 < summary.mean_kl < 1


def test_worst_cases_come_first(report):
    keys = [(-each.changed, -each.dp) for each in report.worst]
    assert keys == sorted(keys)
    assert report.worst[0].dp == max(each.dp for each in report.differences if each.changed == report.worst[0].changed)


def test_sizes_are_those_of_the_files(random_release, four_bits, report):
    for side, folder in enumerate((random_release("golden-128"), four_bits)):
        stored = sum(tensor.nbytes for file in read_folder(folder).files for tensor in file.tensors.values())
        assert sum(size[side] for size in report.sizes.values()) == stored


def test_report_is_json(report):
    facts = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert facts["requests"] == len(bank())
    assert facts["summary"]["all"]["max_dp"] == report.summary().max_dp
    assert facts["worst"][0]["before"] == report.worst[0].before


def asked(question, before, after):
    request = {"state": 0, "questions": {"q": question}}
    return difference(1, request, parse_request(request).questions[0], before, after)


def test_noul_changes_at_one_half():
    question = {"type": "noul"}
    near = asked(question, {"true": 0.51, "false": 0.49}, {"true": 0.5, "false": 0.5})
    over = asked(question, {"true": 0.51, "false": 0.49}, {"true": 0.49, "false": 0.51})
    assert (near.changed, over.changed) == (False, True)
    assert over.dp == pytest.approx(0.02)


def test_choice_changes_with_its_likeliest_option():
    question = {"type": "choice", "criteria": {"b": None, "a": None, "c": None}}
    before = {"b": 0.4, "a": 0.4, "c": 0.2}
    assert not asked(question, before, {"b": 0.45, "a": 0.15, "c": 0.4}).changed
    assert asked(question, before, {"b": 0.39, "a": 0.41, "c": 0.2}).changed


def test_score_moves_by_levels():
    question = {"type": "score", "criteria": ["low", "mid", "high"]}
    moved = asked(question, {"0": 0.5, "1": 0.3, "2": 0.2}, {"0": 0.4, "1": 0.3, "2": 0.3})
    assert not moved.changed
    assert moved.level == pytest.approx(0.2)


def test_divergence_has_the_right_value():
    assert divergence([0.5, 0.5], [0.25, 0.75]) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))
    assert divergence([1.0, 0.0], [1.0, 0.0]) == 0
    assert np.isfinite(divergence([0.5, 0.5], [1.0, 0.0]))


def test_broken_conversion_is_an_error(tiny_release, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_release, broken)
    tensors = read_backbone(tiny_release)
    tensors["model.language_model.norm.weight"] *= float("nan")
    save(broken / "model.safetensors", tensors, "pt")
    with pytest.raises(ModelFault, match="must be finite"):
        compare(tiny_release, broken, bank()[:1])


def test_terminal_table_names_types_and_kinds(report):
    page = io.StringIO()
    Console(width=100, file=page).print(tables.terminal(report))
    for word in ("noul", "choice", "score", "lm_head", "max dp", "changed"):
        assert word in page.getvalue()


def test_markdown_rows_are_whole_whatever_the_ids_hold(report):
    first = report.differences[0]
    odd = Fidelity((replace(first, question="a|b\nc", changed=True),), report.sizes)
    rows = [line for line in tables.markdown(odd).splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {8, 6}
    assert "a\\|b�c" in rows[-1]


def test_picture_is_drawn_into_the_folder(report, four_bits):
    pytest.importorskip("matplotlib")
    assert pictures.draw(four_bits, report) is None
    assert (four_bits / pictures.NAME).read_bytes().startswith(b"\x89PNG")


def test_picture_without_matplotlib_is_a_line(report, four_bits, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    note = pictures.draw(four_bits, report)
    assert note.startswith("conversion_report.png: not drawn, matplotlib is not installed.")


def test_heat_map_shows_the_stored_bits(four_bits):
    _, _, plan = plan_folder(read_folder(four_bits))
    grid = pictures.bits_by_layer(plan)
    row = grid[pictures.ROWS.index("mlp.down_proj")]
    assert row == [4, 4, 4, 4]
    attention = grid[pictures.ROWS.index("self_attn.q_proj")]
    assert np.isnan(attention[:3]).all()
    assert attention[3] == 4
