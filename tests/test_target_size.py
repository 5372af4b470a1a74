"""Bits spent by measurement: the bytes are exact, the choice is monotone, and it beats one width for all."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requests_bank import requests

import clef_mlx
from clef_mlx.convert import budget
from clef_mlx.convert.account import Account, Target, parse_size
from clef_mlx.convert.convert import convert
from clef_mlx.convert.distance import mean_divergence
from clef_mlx.convert.groups import BITS, group_up, kind_of, stored_bytes
from clef_mlx.convert.recipes import bits_per_weight, matrices, uniform
from clef_mlx.convert.sensitivity import Records, measure
from clef_mlx.convert.settings import Settings
from clef_mlx.convert.spend import Candidate, spend
from clef_mlx.convert.target import items_of
from clef_mlx.engine import thread
from clef_mlx.engine.layerwise import layered_logits
from clef_mlx.errors import RequestError
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import plan_folder
from clef_mlx.weights.parted import PartedRelease
from clef_mlx.weights.quantize import Quantization
from clef_mlx.weights.random_release import write_random_release

UNIFORM = Target(bits=4.5)  # what 4 bits for all take, with scales and biases
EIGHT = Quantization("affine", 8, 64)


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("5.0GB", 5_000_000_000), ("4800 mb", 4_800_000_000), ("1.5GiB", 1_610_612_736), ("12KB", 12_000), ("7b", 7)],
)
def test_size_is_read(text, nbytes):
    assert parse_size(text) == nbytes


@pytest.mark.parametrize("text", ["5", "GB", "-5GB", "5 XB", "", "5GB or so"])
def test_size_without_unit_is_refused(text):
    with pytest.raises(RequestError, match="--target-size: must be a size with a unit"):
        parse_size(text)


def plan_of(folder):
    return plan_folder(read_folder(folder))[2]


def account_of(folder, decided=None, text_only=False):
    plan = plan_of(folder)
    return Account.of(plan, group_up(plan, 4, decided or {}), decided or {}, text_only)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Target(nbytes=1000), r"--target-size: must be at least [\d.]+ KB, got 1 KB\."),
        (Target(nbytes=10**12), r"--target-size: must be at most [\d.]+ KB, got 1000 GB\."),
        (Target(bits=2.0), r"--target-bits: must be at least 3\.\d+, got 2\.000\."),
        (Target(bits=20.0), r"--target-bits: must be at most 16\.000, got 20\.000\."),
    ],
)
def test_target_out_of_reach_is_refused_with_what_is(tiny_release, target, message):
    with pytest.raises(RequestError, match=message) as error:
        budget.choose(tiny_release, [], target)
    assert "\n" not in str(error.value)


def test_bounds_named_in_a_refusal_are_reachable(tiny_release):
    account = account_of(tiny_release)
    for bits in (2.0, 20.0):
        with pytest.raises(RequestError) as error:
            account.room(Target(bits=bits))
        bound = float(re.search(r"must be at \w+ ([\d.]+)", str(error.value))[1])
        account.room(Target(bits=bound + 0.001 * (1 if bits == 2.0 else -1)))


def test_text_only_leaves_the_towers_bytes_to_the_modules(tiny_release):
    target = Target(nbytes=600_000)
    tower = sum(tensor.nbytes for tensor in plan_of(tiny_release).vision)
    rooms = [account_of(tiny_release, text_only=text_only).room(target) for text_only in (False, True)]
    assert rooms[1] - rooms[0] == tower > 0


def test_decided_modules_are_in_no_group(tiny_release):
    groups = account_of(tiny_release, {"lm_head": EIGHT}).groups
    assert all("lm_head" not in group.shapes for group in groups)


def test_groups_hold_every_matrix_but_the_untouched(tiny_release):
    grouped = [module for group in account_of(tiny_release).groups for module in group.shapes]
    rest = matrices(plan_of(tiny_release)).keys() - set(grouped)
    assert len(grouped) == len(set(grouped))
    assert {module.rpartition(".")[2] for module in rest} == {"in_proj_a", "in_proj_b"}


@pytest.mark.parametrize(
    "module", ["language_model.layers.0.linear_attn.conv1d", "head.linear1", "visual.blocks.0.fc1"]
)
def test_untouched_modules_have_no_kind(module):
    assert kind_of(module) is None


WIDTH = st.tuples(st.integers(1, 50), st.floats(0, 1, allow_subnormal=False))  # bytes, damage
WIDTHS = st.lists(WIDTH, min_size=1, max_size=5, unique_by=lambda width: width[0])
GROUPS = st.dictionaries(st.sampled_from("abcdef"), WIDTHS, min_size=1)


def as_candidates(groups):
    return {
        name: [Candidate(index, nbytes, damage) for index, (nbytes, damage) in enumerate(widths)]
        for name, widths in groups.items()
    }


def damage_of(chosen, groups):
    """As the spender sees it: more bytes never do more damage."""
    return sum(max(c.damage for c in groups[name] if c.nbytes >= mine.nbytes) for name, mine in chosen.items())


@given(GROUPS, st.integers(0, 100), st.integers(1, 100))
@settings(max_examples=300)
def test_more_room_never_buys_more_damage(groups, extra, more):
    candidates = as_candidates(groups)
    least = sum(min(nbytes for nbytes, _ in widths) for widths in groups.values())
    small, large = (spend(candidates, least + room) for room in (extra, extra + more))
    assert sum(c.nbytes for c in small.values()) <= least + extra
    assert damage_of(large, candidates) <= damage_of(small, candidates) + 1e-12


def test_bytes_go_where_they_help_most():
    cheap = [Candidate(4, 10, 0.1), Candidate(8, 20, 0.0)]
    dear = [Candidate(4, 10, 1.0), Candidate(8, 20, 0.0)]
    chosen = spend({"cheap": cheap, "dear": dear}, 30)
    assert {name: c.bits for name, c in chosen.items()} == {"cheap": 4, "dear": 8}


def test_noise_of_a_measurement_buys_nothing():
    odd = [Candidate(4, 10, 0.1), Candidate(5, 12, 0.3), Candidate(6, 14, 0.3)]
    assert spend({"odd": odd}, 100)["odd"].bits == 4


def short_requests():
    """Nine of them, of three types, by some 200 tokens."""
    return [request for request in requests() if len(json.dumps(request)) < 420][:9]


@pytest.fixture(scope="module")
def chosen(tiny_release):
    told = []
    made = budget.choose(tiny_release, short_requests(), UNIFORM, progress=lambda *step: told.append(step))
    return made, told


def test_choice_beats_one_width_for_all_on_held_out_requests(chosen):
    made, _ = chosen
    assert made.uniform_bits == 4
    assert made.held_out.requests == 3
    assert made.held_out.chosen < made.held_out.uniform
    assert made.measured.chosen < made.measured.uniform


def test_choice_is_no_larger_than_the_target(chosen, tiny_release):
    made, _ = chosen
    plan = plan_of(tiny_release)
    four = uniform(plan, Quantization("affine", 4, 64))
    assert made.bits == bits_per_weight(made.choice, plan) <= bits_per_weight(four, plan) == 4.5


def test_bytes_are_those_that_will_be_written(chosen, tiny_release):
    made, _ = chosen
    plan = plan_of(tiny_release)
    written = sum(item.nbytes for item in items_of(plan.recipes.values(), made.choice, "BF16"))
    assert made.nbytes == written + sum(tensor.nbytes for tensor in plan.vision)


def test_choice_has_a_word_for_every_matrix(chosen, tiny_release):
    made, _ = chosen
    assert made.choice.keys() == matrices(plan_of(tiny_release)).keys()
    assert all(q is None for module, q in made.choice.items() if module.endswith(("in_proj_a", "in_proj_b")))


def test_modules_of_a_group_get_the_same_bits(chosen, tiny_release):
    made, _ = chosen
    for group in account_of(tiny_release).groups:
        assert len({made.choice[module] and made.choice[module].bits for module in group.shapes}) == 1


def test_choice_is_json_and_a_sentence(chosen):
    made, _ = chosen
    facts = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert facts["target"] == {"bits": 4.5}
    assert facts["groups"][0].keys() == {"group", "bits", "bytes", "divergence"}
    assert "on 3 held-out requests" in made.sentence()
    assert "with 4 bits for all" in made.sentence()


def test_progress_is_told_to_its_end(chosen):
    _, told = chosen
    assert [done for _, done, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][1] == told[-1][2]


def encoded(folder):
    with clef_mlx.load(folder, dtype="float32") as model:
        return [model.encode(request) for request in short_requests()[:2]]


def test_measuring_is_the_same_with_and_without_room_for_the_weights(tiny_release):
    records = Records(encoded(tiny_release), 0)
    groups = [group for group in account_of(tiny_release).groups if group.name in ("layer 1, down", "lm_head")]

    def run(memory_bytes):
        release = PartedRelease(tiny_release, unpack=True, memory_bytes=memory_bytes)
        return measure(release, groups, records)

    kept, streamed = thread.run(run, None), thread.run(run, 1000)
    assert kept.keys() == {(group.name, bits) for group in groups for bits in group.bits}
    assert kept == streamed
    assert kept["layer 1, down", 3] > kept["layer 1, down", 8] > 0


def test_passes_do_not_change_what_is_measured(tiny_release, monkeypatch):
    records = Records(encoded(tiny_release), 0)
    groups = account_of(tiny_release).groups[:3]

    def run():
        return measure(PartedRelease(tiny_release, unpack=True), groups, records)

    together = thread.run(run)
    monkeypatch.setattr("clef_mlx.convert.sensitivity.HIDDEN_BYTES", 1)
    assert thread.run(run) == together


def test_weights_are_put_back_after_measuring(tiny_release):
    records = encoded(tiny_release)
    plan = plan_of(tiny_release)
    changes = {module: q for module, q in uniform(plan, Quantization("affine", 3, 64)).items() if q}

    def run():
        release = PartedRelease(tiny_release, unpack=True)
        first = layered_logits(release, records, 0)[0]
        changed, again = layered_logits(release, records, 0, [changes, {}])
        return first, changed, again

    first, changed, again = thread.run(run)
    assert all(np.array_equal(a, b) for x, y in zip(first, again, strict=True) for a, b in zip(x, y, strict=True))
    assert not np.array_equal(first[0][0], changed[0][0])


def made_up(release, groups, *_):
    """Damages without measuring."""
    return {(group.name, bits): 1 / bits for group in groups for bits in BITS}


@pytest.mark.parametrize(("dtype", "nbytes"), [("bfloat16", 440_000), ("float32", 700_000)])
def test_conversion_has_the_size_that_was_chosen(tmp_path, monkeypatch, dtype, nbytes):
    monkeypatch.setattr(budget, "measure", made_up)
    source = write_random_release(tmp_path / "source", dtype=dtype)
    calibration = tmp_path / "requests.jsonl"
    calibration.write_text("\n".join(map(json.dumps, short_requests()[:3])))
    target = Target(nbytes=nbytes)
    made = convert(source, tmp_path / "out", Settings(target=target, calibration=calibration, report=False))
    tensors = [tensor for file in read_folder(made.out).files for tensor in file.tensors.values()]
    written = sum(tensor.nbytes for tensor in tensors)
    assert written == made.nbytes == made.chosen["nbytes"]
    assert nbytes * 0.95 < written <= nbytes


def test_measured_is_what_a_conversion_answers(tiny_release, tmp_path):
    records = encoded(tiny_release)
    made = convert(tiny_release, tmp_path / "4bit", Settings(recipe="4bit", report=False))
    with clef_mlx.load(made.out, dtype="float32") as model:
        answered = [[np.array(question) for question in model.logits([record])[0]] for record in records]
    choice = uniform(plan_of(tiny_release), Quantization("affine", 4, 64))
    changes = {module: q for module, q in choice.items() if q}

    def run():
        return layered_logits(PartedRelease(tiny_release, unpack=True), records, 0, [changes])[0]

    assert mean_divergence(answered, thread.run(run)) < 1e-9


@pytest.mark.parametrize("bits", BITS)
def test_width_takes_its_bytes(bits):
    # 64 weights, with a scale and a bias of two bytes each
    assert stored_bytes((10, 64), Quantization("affine", bits, 64)) == 10 * (8 * bits + 4)
