"""Calibration finds the temperature that made the labels, claims only held-out gains, and is used as asked."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from adapter_writers import PEFT_PREFIX, UP, factors, peft_pair, write_peft
from serving import REQUEST, served

import clef_mlx
from clef_mlx.calibrate.crossfit import crossfit, folds_of
from clef_mlx.calibrate.fit import fit, rows_of, scaled
from clef_mlx.calibration import Calibration, Scale, parse_calibration, read_calibration
from clef_mlx.cli import main
from clef_mlx.errors import CheckpointError
from clef_mlx.evaluate.cases import Case
from clef_mlx.labelled import parse_labelled

QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"tech": "Faults", "billing": "Money", "art": None}},
}
TEMPERATURE, BIAS = 2.5, 0.4


def softmax(logits):
    weights = np.exp(logits - np.max(logits))
    return weights / weights.sum()


def drawn(count, options, temperature, bias=0.0, seed=0):
    """Probabilities a model might give, and labels drawn at another temperature."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 3, (count, options))
    shift = np.eye(options)[0] * bias
    labels = (logits / temperature + shift + rng.gumbel(size=logits.shape)).argmax(axis=1)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return list(weights / weights.sum(axis=1, keepdims=True)), list(np.eye(options)[labels])


def cases_of(probabilities, targets, type="choice", question=lambda number: "q"):
    return [
        Case(n, f"a:{n}", question(n), type, None, tuple(map(str, range(len(p)))), t, p)
        for n, (p, t) in enumerate(zip(probabilities, targets, strict=True))
    ]


@pytest.fixture(scope="module")
def release(tiny_release, tmp_path_factory):
    """The tiny release in a folder of our own, to write beside it."""
    return shutil.copytree(tiny_release, tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def data(release, tmp_path_factory):
    """Requests labelled with the model's own distributions at TEMPERATURE, nouls moved by BIAS."""
    file = tmp_path_factory.mktemp("data") / "data.jsonl"
    requests = [{"state": f"Ticket {number}: the heating is off.", "questions": QUESTIONS} for number in range(36)]
    with clef_mlx.load(release) as model, file.open("w") as lines:
        for request, decision in zip(requests, model.decide_many(requests), strict=True):
            logits = {name: np.log(list(row.values())) / TEMPERATURE for name, row in decision.probabilities.items()}
            moved = logits | {"urgent": logits["urgent"] + [BIAS, 0]}
            labels = {
                name: dict(zip(decision.probabilities[name], softmax(row).tolist(), strict=True))
                for name, row in moved.items()
            }
            lines.write(json.dumps(request | {"labels": labels}) + "\n")
    return file


@pytest.fixture(scope="module")
def calibrated(release, data, tmp_path_factory):
    """The release with what `clef-mlx calibrate` stored for it."""
    folder = shutil.copytree(release, tmp_path_factory.mktemp("calibrated") / "tiny")
    assert main(["calibrate", str(data), "--model", str(folder), "--bias"]) == 0
    return folder


@pytest.fixture(scope="module")
def scales(calibrated):
    """What was stored, by type."""
    return {scale["type"]: scale for scale in json.loads((calibrated / "calibration.json").read_text())["scales"]}


# ---- the fit ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.4, 1.0, 3.0])
def test_fit_finds_the_temperature_that_drew_the_labels(temperature):
    scale = fit(rows_of(*drawn(20_000, 4, temperature)), bias=False)
    assert scale.temperature == pytest.approx(temperature, rel=0.05) and scale.bias == 0


def test_fit_finds_temperature_and_bias_together():
    scale = fit(rows_of(*drawn(20_000, 2, 2.0, bias=-0.7)), bias=True)
    assert (scale.temperature, scale.bias) == (pytest.approx(2.0, rel=0.05), pytest.approx(-0.7, abs=0.05))


def test_fit_is_exact_on_distributions():
    p = [softmax(np.array(row)) for row in ([2.0, -1.0], [0.3, 0.1], [-4.0, 1.0], [1.0, 3.0])]
    targets = [softmax(np.log(row) / 1.7 + [0.25, 0]) for row in p]
    scale = fit(rows_of(p, targets), bias=True)
    assert (scale.temperature, scale.bias) == (pytest.approx(1.7, rel=1e-6), pytest.approx(0.25, rel=1e-6))


def test_fit_is_the_minimum():
    rows = rows_of(*drawn(300, 3, 2.0))
    best = fit(rows, bias=False).temperature

    def loss(temperature):
        return -(rows.targets * np.log(scaled(rows, Scale(temperature)))).sum()

    assert loss(best) < min(loss(best * 1.001), loss(best / 1.001))


def test_fit_takes_questions_of_any_number_of_options():
    wide, wide_labels = drawn(3000, 6, 2.0)
    narrow, narrow_labels = drawn(3000, 2, 2.0, seed=1)
    scale = fit(rows_of(wide + narrow, wide_labels + narrow_labels), bias=False)
    assert scale.temperature == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize(("right", "bound"), [(True, 0.1), (False, 10.0)])
def test_fit_stays_within_bounds(right, bound):
    p = [np.array([0.6, 0.4])] * 50
    targets = [np.array([1.0, 0.0] if right else [0.0, 1.0])] * 50
    assert fit(rows_of(p, targets), bias=False).temperature == pytest.approx(bound)


def test_fit_bears_probabilities_of_zero():
    p = [np.array([1.0, 0.0]), np.array([0.7, 0.3])] * 20
    scale = fit(rows_of(p, [np.array([0.0, 1.0]), np.array([1.0, 0.0])] * 20), bias=True)
    assert np.isfinite([scale.temperature, scale.bias]).all()


# ---- held out --------------------------------------------------------------------------------------------------------


def test_requests_of_one_state_share_a_fold_whatever_their_order():
    states = [f"s{number % 10}" for number in range(30)]
    data = [
        parse_labelled({"state": state, "questions": {"u": {"type": "noul"}}, "labels": {"u": True}}, "a:1")
        for state in states
    ]
    folds = folds_of(data)
    by_state = dict(zip(states, folds, strict=True))
    assert [by_state[state] for state in states] == folds.tolist()
    assert np.bincount(folds).tolist() == [6] * 5
    assert folds_of(data[::-1]).tolist() == folds.tolist()[::-1]


def test_pictures_are_part_of_a_state():
    asked = {"state": None, "questions": {"u": {"type": "noul"}}, "labels": {"u": True}}
    data = [parse_labelled(asked | {"images": [f"{number}.png"]}, "a:1") for number in (0, 1, 2, 3, 4, 0)]
    folds = folds_of(data).tolist()
    assert sorted(folds[:5]) == [0, 1, 2, 3, 4] and folds[5] == folds[0]


def test_overconfident_answers_are_scaled_and_the_gain_is_held_out():
    cases = cases_of(*drawn(500, 3, 3.0))
    (found,) = crossfit(cases, np.arange(500) % 5, per="type", bias=False)
    assert found.key == ("choice", None) and found.scale.temperature == pytest.approx(3.0, rel=0.25)
    assert found.after.nll < found.before.nll - 0.1 and found.after.ece < 0.5 * found.before.ece
    assert found.after.accuracy == found.before.accuracy  # a temperature changes no answer
    in_sample = scaled(rows_of(*drawn(500, 3, 3.0)), found.scale)
    fitted_nll = -np.log((in_sample * [case.target for case in cases]).sum(1)).mean()
    assert found.after.nll > fitted_nll  # the figure shown is not the flattering one


def test_well_calibrated_answers_are_left_alone():
    """Where nothing is to be gained, a fit can only chase noise; its held-out loss says so."""
    refused = sum(
        crossfit(cases_of(*drawn(60, 3, 1.0, seed=seed)), np.arange(60) % 5, per="type", bias=False)[0].scale is None
        for seed in range(20)
    )
    assert refused >= 10


def test_nothing_is_kept_without_a_gain():
    p, _ = drawn(60, 3, 1.0)
    (found,) = crossfit(cases_of(p, p), np.arange(60) % 5, per="type", bias=False)
    assert found.after.nll == pytest.approx(found.before.nll)
    assert (found.scale, found.reason) == (None, "no gain on held-out requests")


def test_bias_that_costs_right_answers_is_dropped():
    p = [softmax(np.array([gap, 0.0])) for gap in np.linspace(-4, 4, 60)]
    targets = [np.array([row[0] > 0.5, row[0] <= 0.5], float) for row in p[:-12]] + [np.array([0.0, 1.0])] * 12
    (found,) = crossfit(cases_of(p, targets, type="noul"), np.arange(60) % 5, per="type", bias=True)
    assert found.scale is not None and found.scale.bias == 0
    assert found.reason == "kept without bias, which did not help" and found.after.accuracy == found.before.accuracy


def test_few_cases_and_a_single_state_are_not_fitted():
    (few,) = crossfit(cases_of(*drawn(29, 3, 3.0)), np.arange(29) % 5, per="type", bias=False)
    assert (few.scale, few.reason) == (None, "fewer than 30 labelled questions")
    (single,) = crossfit(cases_of(*drawn(60, 3, 3.0)), np.zeros(60, int), per="type", bias=False)
    assert (single.scale, single.reason) == (None, "a single state, so nothing could be held out")


def test_labels_that_are_all_alike_store_no_temperature():
    right = [np.array([0.8, 0.2])] * 60
    cases = cases_of(right, [np.array([1.0, 0.0])] * 60)
    (alike,) = crossfit(cases, np.arange(60) % 5, per="type", bias=False)
    assert (alike.scale, alike.reason) == (None, "no temperature down to 0.1 is low enough")


def test_every_question_may_have_its_own_temperature():
    hot, cold = drawn(400, 3, 4.0), drawn(400, 3, 0.5, seed=1)
    cases = cases_of(hot[0] + cold[0], hot[1] + cold[1], question=lambda number: "hot" if number < 400 else "cold")
    found = crossfit(cases, np.arange(800) % 5, per="question", bias=False)
    assert [one.key for one in found] == [("choice", "hot"), ("choice", "cold")]
    assert found[0].scale.temperature > 3 and found[1].scale.temperature < 0.7


# ---- the command, and what uses its file -----------------------------------------------------------------------------


def test_calibrate_stores_what_made_the_labels(scales):
    assert scales["noul"] == {
        "type": "noul",
        "temperature": pytest.approx(TEMPERATURE, rel=1e-3),
        "bias": pytest.approx(BIAS, abs=1e-3),
    }
    assert scales["choice"] == {"type": "choice", "temperature": pytest.approx(TEMPERATURE, rel=1e-3)}


def test_same_model_and_data_make_the_same_file(cli, calibrated, release, data, tmp_path):
    ran = cli("calibrate", data, "--model", release, "--bias", "--out", tmp_path / "a.json", "--json")
    assert ran.code == 0, ran.err
    stored = (calibrated / "calibration.json").read_bytes()
    assert (tmp_path / "a.json").read_bytes() == stored
    assert ran.lines == [json.loads(stored) | {"stored": str(tmp_path / "a.json")}]
    assert set(ran.lines[0]["files"]) == {"model.safetensors", "joint_head.safetensors"}


def test_decide_applies_it_only_when_asked(cli, calibrated, scales):
    request = ["--state", "It is cold.", "--noul", "urgent=Is it urgent?", "--choice", "t=Who: a, b"]
    traced = ["decide", *request, "--model", calibrated, "--format", "trace"]
    (plain,), (ran,) = cli(*traced).lines, cli(*traced, "--calibrated").lines
    assert "x_calibration" not in plain and ran["logits"] == plain["logits"]
    noul, choice = scales["noul"], scales["choice"]
    assert ran["x_calibration"] == {
        "urgent": {"temperature": noul["temperature"], "bias": noul["bias"]},
        "t": {"temperature": choice["temperature"]},
    }
    urgent, team = (np.array(row) for row in ran["logits"])
    expected = softmax(urgent / noul["temperature"] + [noul["bias"], 0])
    assert ran["answers"]["urgent"]["noul"] == pytest.approx(expected[0], rel=1e-6)
    assert list(ran["probabilities"]["t"].values()) == pytest.approx(softmax(team / choice["temperature"]), rel=1e-6)


def test_eval_of_the_calibrated_model_finds_the_labels(cli, calibrated, data):
    plain = cli("eval", data, "--model", calibrated, "--json").lines[0]["models"][0]["all"]
    after = cli("eval", data, "--model", calibrated, "--calibrated", "--json").lines[0]["models"][0]["all"]
    assert after["nll"] < plain["nll"] and after["brier"] < 1e-6 < plain["brier"]


def test_python_decides_calibrated_by_call_and_isolated(calibrated):
    with clef_mlx.load(calibrated) as model:
        plain = model.decide("It is cold.", QUESTIONS)
        assert plain.calibration == {} and "x_calibration" not in plain.to_dict()
        asked = model.decide("It is cold.", QUESTIONS, calibrated=True, isolate=True)
        assert set(asked.calibration) == {"urgent", "team"} == set(asked.to_dict()["x_calibration"])


def test_server_answers_calibrated(calibrated, scales):
    decisions = {"input": "It is cold.", "questions": [{"type": "predicate", "name": "u", "instructions": "Urgent?"}]}
    with served(calibrated, options=clef_mlx.Options(round=None, calibrated=True)) as server:
        body, decided = server.ask().json(), server.ask(decisions, "/v1/decisions").json()
    assert body["x_calibration"]["urgent"]["temperature"] == scales["noul"]["temperature"]
    assert decided["x_calibration"]["u"] == body["x_calibration"]["urgent"]
    with clef_mlx.load(calibrated, calibrated=True, round=None) as model:
        expected = model.systemone(REQUEST)["answers"]
    assert body["answers"]["urgent"]["noul"] == pytest.approx(expected["urgent"]["noul"], rel=1e-5)


def test_server_names_each_model_without_calibration_before_it_listens(cli, calibrated, release, tmp_path):
    other = shutil.copytree(release, tmp_path / "other")
    ran = cli("serve", "--model", calibrated, "--model", other, "--calibrated", "--check")
    assert ran.code == 1 and not ran.out
    assert "must hold calibration.json to decide calibrated, got none in other" in ran.err


def test_unfitted_questions_stay_as_they_are(cli, calibrated, release, data, tmp_path):
    folder = shutil.copytree(release, tmp_path / "tiny")
    assert cli("calibrate", data, "--model", folder, "--per", "question", "--bias").code == 0
    questions = {"urgent": QUESTIONS["urgent"], "other": QUESTIONS["urgent"]}
    with clef_mlx.load(folder, round=None) as model:
        plain, asked = model.decide("It is cold.", questions), model.decide("It is cold.", questions, calibrated=True)
    assert set(asked.calibration) == {"urgent"}
    assert asked.probabilities["other"] == plain.probabilities["other"]
    assert asked.probabilities["urgent"] != plain.probabilities["urgent"]


def test_eval_says_that_it_was_calibrated(cli, calibrated, data):
    ran = cli("eval", data, "--model", calibrated, "--calibrated", "--json")
    assert ran.lines[0]["models"][0]["name"] == "tiny, calibrated"


def test_calibrate_for_people_shows_held_out_figures(cli, release, data):
    ran = cli("calibrate", data, "--model", release, "--out", release.parent / "other.json")
    assert ran.code == 0, ran.err
    assert "NLL, ECE and accuracy: on held-out requests, before and after." in ran.out
    assert "→" in ran.out and "kept" in ran.out
    assert (release.parent / "other.json").is_file() and not (release / "calibration.json").exists()


def test_nothing_is_stored_without_a_gain(cli, release, data, tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text("".join(data.read_text().splitlines(keepends=True)[:10]))
    ran = cli("calibrate", few, "--model", release)
    assert ran.code == 0 and "fewer than 30 labelled questions" in ran.out
    assert ran.out.endswith("Nothing is stored; the last column says why.\n")
    assert not (release / "calibration.json").exists()


def test_calibrate_refuses_data_that_cannot_be_decided(cli, release, data):
    ran = cli("calibrate", data, "--model", release, "--max-length", 20)
    assert ran.code == 1 and len(ran.err.splitlines()) == 1
    assert f"36 of 36 requests cannot be decided, the first: {data}:1: " in ran.err


def test_conversion_leaves_the_calibration_behind(cli, calibrated, tmp_path):
    assert cli("convert", "--model", calibrated, "--out", tmp_path / "q4", "--bits", 4, "--no-report").code == 0
    assert not (tmp_path / "q4" / "calibration.json").exists()


# ---- a file that does not fit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [["decide", "--state", "a", "--noul", "u=b"], ["serve", "--check"]], ids=["decide", "serve"]
)
def test_model_without_calibration_says_so(cli, tiny_release, command):
    ran = cli(*command, "--model", tiny_release, "--calibrated")
    assert ran.code == 1 and ran.out == ""
    assert "must hold calibration.json to decide calibrated, got none" in ran.err
    assert "Run clef-mlx calibrate first." in ran.err


def test_calibration_of_other_weights_is_refused(calibrated, tmp_path):
    other = shutil.copytree(calibrated, tmp_path / "other")
    head = bytearray((other / "joint_head.safetensors").read_bytes())
    head[-1] ^= 1
    (other / "joint_head.safetensors").write_bytes(head)
    with pytest.raises(CheckpointError, match=r'must be fitted to this model, got one of another "joint_head'):
        read_calibration(other)


GOOD = {
    "format": 1,
    "model": "tiny",
    "files": {"model.safetensors": {"bytes": 3, "sha256": "ab"}},
    "fit": {},
    "scales": [
        {"type": "noul", "temperature": 2, "bias": 0.5},
        {"type": "choice", "question": "t", "temperature": 0.5},
    ],
}


def test_scales_of_questions_come_before_those_of_types():
    request = parse_labelled({"state": "", "questions": QUESTIONS, "labels": {"urgent": True}}, "a:1").parsed
    scales = {("choice", None): Scale(2.0), ("choice", "team"): Scale(3.0), ("score", "urgent"): Scale(9.0)}
    assert Calibration(scales).scales_of(request.questions) == {"team": Scale(3.0)}
    assert parse_calibration(GOOD).scales == {("noul", None): Scale(2.0, 0.5), ("choice", "t"): Scale(0.5)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "calibration.json: format: must be 1, got 2. Run clef-mlx calibrate again."),
        ({"date": "today"}, "calibration.json: fields must be files, fit, format, model, scales"),
        ({"files": {"../a": {"bytes": 1, "sha256": ""}}}, "calibration.json: files: must map names of weight files"),
        ({"scales": {}}, "calibration.json: scales: must be an array, got an object of 0 members."),
        (
            {"scales": [{"type": "noul", "temperature": 0}]},
            "scales[0].temperature: must be a number from 0.001 to 1000, got 0.",
        ),
        ({"scales": [{"type": "noul", "temperature": True}]}, "must be a number from 0.001 to 1000, got true."),
        ({"scales": [{"type": "noul", "temperature": 1e-320}]}, "must be a number from 0.001 to 1000, got 1"),
        ({"scales": [{"type": "noul", "temperature": 10**400}]}, "must be a number from 0.001 to 1000, got an integer"),
        (
            {"scales": [{"type": "noul", "temperature": 1, "bias": 1e308}]},
            "scales[0].bias: must be a number up to 1000",
        ),
        (
            {"scales": [{"type": "choice", "temperature": 1, "bias": 1}]},
            "scales[0].bias: must be a number up to 1000, of",
        ),
        ({"scales": [{"type": "noul", "temperature": 1, "shift": 1}]}, "scales[0]: must be an object of type,"),
        ({"scales": [{"type": "noul", "temperature": 1}] * 2}, "scales[1]: must differ from the others"),
    ],
)
def test_damaged_calibration_is_refused_in_one_line(change, message):
    with pytest.raises(CheckpointError) as caught:
        parse_calibration(GOOD | change)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_calibration_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "calibration.json").write_text('{"format": NaN}')
    with pytest.raises(CheckpointError, match=r"^calibration\.json: line 1, column 12: numbers must be finite"):
        read_calibration(tmp_path)


def test_adapters_make_another_model_of_it(calibrated, tmp_path):
    adapter = write_peft(tmp_path / "adapter", peft_pair(PEFT_PREFIX + UP, *factors(calibrated, UP)))
    with pytest.raises(CheckpointError, match="calibrated: must be of a model without adapters, got some"):
        clef_mlx.load(calibrated, adapter=adapter, calibrated=True)
