"""Evaluation says what labelled requests support: figures worked out by hand, and the command on a real release."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

from clef_mlx.evaluate.cases import Case, Decided
from clef_mlx.evaluate.coverage import cases_needed, coverage_at, observed_at, risk_coverage
from clef_mlx.evaluate.intervals import bootstrap_mean, lower_bound, mcnemar, tail, wilson
from clef_mlx.evaluate.markdown import markdown
from clef_mlx.evaluate.metrics import calibration_error, macro_f1, reliability
from clef_mlx.evaluate.report import compare, document, figures
from clef_mlx.evaluate.wording import coverage_lines

NOUL = {"urgent": {"type": "noul", "instructions": "Is it urgent?"}}
CHOICE = {"team": {"type": "choice", "criteria": {"tech": "Faults", "billing": "Money"}}}
SCORE = {"anger": {"type": "score", "criteria": ["calm", "cross", "furious"]}}


def case(target, p, type="choice", request=0, question="q", group=None):
    names = {"noul": ("true", "false")}.get(type) or tuple(str(index) for index in range(len(p)))
    return Case(
        request, f"a.jsonl:{request + 1}", question, type, group, names, np.array(target, float), np.array(p, float)
    )


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def data(tmp_path):
    """Six requests about everyday things; one question has no label."""
    states = ["The heating is off.", "Thanks!", "I was charged twice.", "No hurry.", "It burns!", "Where is my parcel?"]
    return write_lines(
        tmp_path / "data.jsonl",
        [
            {
                "state": state,
                "questions": NOUL | CHOICE | SCORE,
                "labels": {"urgent": number % 2 == 0, "team": ["tech", "billing"][number // 3]}
                | ({"anger": number % 3} if number else {}),
                "group": ["odd", "even"][number % 2],
            }
            for number, state in enumerate(states)
        ],
    )


# ---- figures by hand -------------------------------------------------------------------------------------------------


def test_figures_of_one_case_by_hand():
    one = case([0, 1, 0], [0.2, 0.5, 0.3], type="score")
    found = figures([one])
    assert found["accuracy"] == found["macro_f1"] == 1
    assert found["nll"] == pytest.approx(-math.log(0.5))
    assert found["brier"] == pytest.approx(0.04 + 0.25 + 0.09)
    assert found["score_mae"] == pytest.approx(0.1)
    assert found["ece"] is None  # one case says nothing about calibration


def test_figures_of_a_distribution_label_by_hand():
    one = case([0.25, 0.75], [0.6, 0.4])
    found = figures([one])
    assert found["accuracy"] == 0
    assert found["nll"] == pytest.approx(-0.25 * math.log(0.6) - 0.75 * math.log(0.4))
    assert found["brier"] == pytest.approx(2 * 0.35**2)
    assert found["score_mae"] is None


def test_any_of_equal_labels_is_right():
    assert case([0.5, 0.5, 0], [0.1, 0.8, 0.1]).right
    assert not case([0.5, 0.5, 0], [0.1, 0.1, 0.8]).right


def test_impossible_label_costs_a_finite_amount():
    assert case([1, 0], [0, 1]).nll == pytest.approx(-math.log(1e-12))


def test_macro_f1_by_hand():
    # a: 1 of 2 found, none wrong: 2/3. b: found, with one false alarm: 2/3. c never occurs.
    assert macro_f1(["a", "a", "b"], ["a", "b", "b"]) == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert macro_f1(["a"], ["b"]) == 0


def test_macro_f1_of_several_questions_is_their_mean():
    same = [case([1, 0], [0.9, 0.1], request=number, question="a") for number in range(9)]
    wrong = [case([1, 0], [0.1, 0.9], question="b")]
    assert figures(same + wrong)["macro_f1"] == pytest.approx(0.5)


def test_calibration_error_by_hand():
    bins = reliability([0.6, 0.8, 0.9, 0.7], [True, True, False, False], bins=2)
    assert [part.count for part in bins] == [2, 2]
    assert [(part.confidence, part.accuracy) for part in bins] == [
        pytest.approx((0.65, 0.5)),
        pytest.approx((0.85, 0.5)),
    ]
    assert calibration_error(bins) == pytest.approx((0.15 + 0.35) / 2)


@pytest.mark.parametrize(("cases", "bins"), [(39, 1), (40, 2), (1000, 15)])
def test_bins_hold_twenty_cases_or_more(cases, bins):
    found = reliability(np.linspace(0.5, 1, cases), np.ones(cases))
    assert len(found) == bins and sum(part.count for part in found) == cases


def test_wilson_interval_of_a_known_case():
    # Newcombe 1998, table I: 81 of 263.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=5e-5)
    assert wilson(0, 10)[0] == 0


def test_bootstrap_draws_requests_and_repeats():
    values, requests = [0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]
    assert bootstrap_mean(values, requests) == (0.0, 1.0)  # two requests: all of one may be drawn
    spread = np.random.default_rng(1).random(400)
    low, high = bootstrap_mean(spread, range(400))
    assert (low, high) == bootstrap_mean(spread, range(400))
    assert (high - low) == pytest.approx(2 * 1.96 * spread.std() / 20, rel=0.1)


def test_tail_and_bound_of_the_binomial_by_hand():
    assert tail(2, 3, 0.5) == pytest.approx(4 / 8)
    assert tail(0, 5, 0.3) == 1
    assert lower_bound(10, 10, 0.05) == pytest.approx(0.05 ** (1 / 10))  # without an error it is a root
    assert lower_bound(0, 10, 0.05) == 0


def test_mcnemar_by_hand():
    assert mcnemar(0, 5) == 2 / 32
    assert mcnemar(1, 3) == 2 * (1 + 4) / 16
    assert mcnemar(4, 4) == mcnemar(0, 0) == 1


# ---- coverage --------------------------------------------------------------------------------------------------------


def test_coverage_is_claimed_where_enough_cases_support_it():
    confidences = np.concatenate([np.full(700, 0.95), np.full(300, 0.6)])
    right = np.concatenate([np.ones(700), np.arange(300) % 2]).astype(bool)
    found = coverage_at(0.99, confidences, right)
    assert (found.threshold, found.count, found.share, found.right) == (0.95, 700, 0.7, 700)
    assert 0.99 <= found.at_least == pytest.approx((0.05 / 20) ** (1 / 700))


def test_coverage_is_not_claimed_by_few_cases():
    confidences, right = np.linspace(0.5, 1, 596), np.ones(596, bool)
    assert coverage_at(0.99, confidences, right) is None
    assert observed_at(0.99, confidences, right).share == 1
    assert cases_needed(0.99) == 597
    assert coverage_at(0.99, np.linspace(0.5, 1, 597), np.ones(597, bool)).share == 1


def test_coverage_stays_honest_on_chance():
    """Cases that are right 9 times in 10 whatever their confidence support no 0.95."""
    rng = np.random.default_rng(0)
    claimed = [coverage_at(0.95, rng.random(800), rng.random(800) < 0.9) is not None for _ in range(100)]
    assert sum(claimed) <= 5


def test_coverage_line_says_threshold_or_why_not():
    right = [case([1, 0], [0.9341, 0.0659], request=number) for number in range(700)]
    (line,) = coverage_lines(figures(right, [0.99]))
    assert line == (
        "decide alone at 99 %: 100% of cases, those with confidence 0.9341 or more "
        "(700 of 700 right; at least 99.1 % with 95 % confidence)"
    )
    (line,) = coverage_lines(figures(right[:100], [0.99]))
    assert line == (
        "decide alone at 99 %: 100 cases do not support it (100 of 100 right from 0.9341 on); "
        "even without an error it takes 597 above one threshold"
    )


def test_risk_coverage_takes_equal_confidences_together():
    shares, risks = risk_coverage([0.9, 0.7, 0.9, 0.5], [True, False, False, True])
    assert shares.tolist() == [0.5, 0.75, 1.0]
    assert risks.tolist() == pytest.approx([0.5, 2 / 3, 0.5])


# ---- the judges, where they are installed ----------------------------------------------------------------------------


@pytest.mark.live
def test_figures_are_scikit_learn_s():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn judges the figures")
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(4), 300)
    labels = rng.integers(0, 4, 300)
    cases = [
        case(np.eye(4)[label], row, request=number) for number, (label, row) in enumerate(zip(labels, p, strict=True))
    ]
    found = figures(cases)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(labels, p.argmax(1)))
    assert found["macro_f1"] == pytest.approx(metrics.f1_score(labels, p.argmax(1), average="macro"))
    assert found["nll"] == pytest.approx(metrics.log_loss(labels, p))
    binary = metrics.brier_score_loss(labels == 0, p[:, 0])
    halves = [case([label == 0, label != 0], [row[0], 1 - row[0]]) for label, row in zip(labels, p, strict=True)]
    assert figures(halves)["brier"] == pytest.approx(2 * binary)


@pytest.mark.live
def test_intervals_and_tests_are_scipy_s():
    stats = pytest.importorskip("scipy.stats", reason="scipy judges the intervals")
    for hits, total in ((0, 7), (3, 7), (95, 100), (998, 1000)):
        share = stats.binomtest(hits, total)
        assert wilson(hits, total) == pytest.approx(tuple(share.proportion_ci(method="wilson")), abs=1e-12)
        one_sided = stats.binomtest(hits, total, alternative="greater").proportion_ci(0.95, method="exact")
        assert lower_bound(hits, total, 0.05) == pytest.approx(one_sided.low, abs=1e-9)
        assert tail(hits, total, 0.9) == pytest.approx(stats.binom.sf(hits - 1, total, 0.9))
    for gained, lost in ((0, 0), (2, 9), (30, 55)):
        expected = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1
        assert mcnemar(gained, lost) == pytest.approx(expected)


# ---- two models ------------------------------------------------------------------------------------------------------


def test_comparison_counts_changes_and_what_they_cost():
    a = [case([1, 0], [0.9, 0.1], request=n) for n in range(6)] + [case([1, 0], [0.2, 0.8], request=6)]
    b = [case([1, 0], [0.4, 0.6], request=n) for n in range(5)] + [case([1, 0], [0.8, 0.2], request=n) for n in (5, 6)]
    found = compare("a", a, "b", b)
    assert (found["cases"], found["changed"], found["gained"], found["lost"]) == (7, 6, 1, 5)
    assert found["mcnemar_p"] == pytest.approx(2 * (1 + 6) / 64)
    assert found["max_abs_dp"] == pytest.approx(0.6)
    assert found["changes"][0] == {"where": "a.jsonl:1", "question": "q", "label": "0", "a": "0", "b": "1"}


def test_comparison_leaves_out_what_one_could_not_decide():
    assert compare("a", [case([1, 0], [1, 0], request=3)], "b", [])["cases"] == 0


def test_names_cannot_break_a_markdown_table():
    one = case([1, 0], [0.9, 0.1], question="a|b\n<c>", group="g")
    page = markdown(document(["x.jsonl"], [], {"m": Decided([one])}, [0.99]))
    assert "| a\\|b &lt;c> | 1 | 100.0% |" in page


# ---- the command -----------------------------------------------------------------------------------------------------


def test_eval_reports_what_the_model_decided(cli, data, tiny_release):
    ran = cli("eval", data, "--json")
    assert ran.code == 0, ran.err
    (report,) = ran.lines
    assert report["data"] == {
        "files": [str(data)], "requests": 6, "labelled_questions": 17, "unlabelled_questions": 1, "notes": []
    }  # fmt: skip
    (model,) = report["models"]
    assert model["name"] == tiny_release.name
    requests = [json.loads(line) for line in data.read_text().splitlines()]
    answers = [line["answers"] for line in cli("decide", data, "--round", "none").lines]
    p = [answer["urgent"]["noul"] for answer in answers]
    truth = [request["labels"]["urgent"] for request in requests]
    urgent = model["by_question"]["urgent"]
    assert urgent["cases"] == 6 and urgent == model["by_type"]["noul"]
    assert urgent["accuracy"] == pytest.approx(np.mean([(q >= 0.5) == t for q, t in zip(p, truth, strict=True)]))
    nll = np.mean([-math.log(q if t else 1 - q) for q, t in zip(p, truth, strict=True)])
    assert urgent["nll"] == pytest.approx(nll, rel=1e-5)
    errors = [abs(a["anger"]["score"] - r["labels"]["anger"]) for a, r in list(zip(answers, requests, strict=True))[1:]]
    assert model["by_type"]["score"]["score_mae"] == pytest.approx(np.mean(errors), rel=1e-5)
    assert model["by_group"]["odd"]["cases"] + model["by_group"]["even"]["cases"] == 17


def test_eval_for_people_says_what_is_not_counted(cli, data):
    ran = cli("eval", data)
    assert ran.code == 0, ran.err
    assert "6 requests, 17 labelled questions; 1 question without a label not counted" in ran.out
    assert "decide alone at 99 %: 17 cases do not support it" in ran.out


def test_eval_compares_models_with_the_first(cli, data, tiny_release, tmp_path):
    from clef_mlx.weights.random_release import write_random_release

    other = write_random_release(tmp_path / "other", "tiny", seed=1)
    ran = cli("eval", data, "--model", tiny_release, "--model", other, "--json")
    (report,) = ran.lines
    (found,) = report["comparisons"]
    assert (found["a"], found["b"], found["cases"]) == (tiny_release.name, "other", 17)
    first, second = (model["all"]["accuracy"] for model in report["models"])
    assert (found["gained"] - found["lost"]) / 17 == pytest.approx(second - first)
    assert "answers changed" in cli("eval", data, "--model", tiny_release, "--model", other).out


def test_eval_writes_a_page_and_a_picture(cli, data, tmp_path):
    pytest.importorskip("matplotlib")
    page, picture = tmp_path / "report.md", tmp_path / "report.png"
    ran = cli("eval", data, "--markdown", page, "--plot", picture, "--json")
    assert ran.code == 0, ran.err
    accuracy = ran.lines[0]["models"][0]["all"]["accuracy"]
    assert f"| 17 | {accuracy:.1%} |" in page.read_text()
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.jsonl", "report.md", "report.png"]


def test_eval_lists_bad_lines_before_any_model_is_loaded(cli, tmp_path):
    good = {"state": "a", "questions": NOUL, "labels": {"urgent": True}}
    file = write_lines(tmp_path / "a.jsonl", [good | {"labels": {"urgent": 2}}, good, good | {"labels": {}}])
    ran = cli("eval", file, "--model", tmp_path / "no-model")
    assert (ran.code, ran.out) == (1, "")
    first, second = ran.err.splitlines()
    assert first.startswith(f"clef-mlx: {file}:1: labels.urgent: must be true or false, got 2.")
    assert second.startswith(f"{file}:3: labels: must be an object of at least one label")


def test_eval_counts_what_could_not_be_decided(cli, tmp_path):
    short = {"state": "a", "questions": NOUL, "labels": {"urgent": True}}
    file = write_lines(tmp_path / "a.jsonl", [short, short | {"state": "word " * 500}])
    ran = cli("eval", file, "--max-length", 400, "--on-overflow", "refuse", "--json")
    assert ran.code == 1
    (model,) = ran.lines[0]["models"]
    assert model["all"]["cases"] == 1
    assert [failure["where"] for failure in model["failures"]] == [f"{file}:2"]
    assert "1 request could not be decided" in cli("eval", file, "--max-length", 400, "--on-overflow", "refuse").out


def test_eval_warns_of_a_question_with_one_label(cli, tmp_path):
    line = {"state": "a", "questions": NOUL, "labels": {"urgent": True}}
    ran = cli("eval", write_lines(tmp_path / "a.jsonl", [line] * 10))
    assert "question urgent: all 10 labels are the same, so its figures say little" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--precision", "1"], 2, "must be from 0.5 to below 1, as in 0.99, got 1."),
        (["--markdown", "no/such/place.md"], 1, "must be in a folder that exists, got none there."),
        (["--model", "a", "--model", "a"], 2, "a is given twice. Name different ones to compare."),
        (["--model", "a", "--model", "b", "--adapter", "c"], 2, "--adapter compares one model with itself."),
    ],
)
def test_eval_refuses_in_one_line(cli, data, arguments, code, message):
    ran = cli("eval", data, *arguments)
    assert ran.code == code and message in ran.err and len(ran.err.splitlines()) == 1


def test_eval_says_that_plots_need_matplotlib(cli, data, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = cli("eval", data, "--plot", tmp_path / "a.png")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("clef-mlx: eval --plot: matplotlib must be installed") and "clef-mlx[bench]" in ran.err
