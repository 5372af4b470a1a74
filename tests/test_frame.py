"""Frames get a column of answers for every question, and keep everything else."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

import clef_mlx
from clef_mlx.bulk import frame as frame_module

nw = pytest.importorskip("narwhals", reason="frames need the extra `frames`")
pd = pytest.importorskip("pandas", reason="compares pandas frames")
pl = pytest.importorskip("polars", reason="compares Polars frames")

QUESTIONS = {
    "late": {"type": "noul", "instructions": "Is it late?"},
    "team": {"type": "choice", "criteria": {"pumps": "wet", "lifts": None}},
    "harm": {"type": "score", "criteria": ["none", "some", "much"]},
}
TEXTS = ["The pump drips.", None, "The lift is stuck.", "Nothing.", "It hums."]
FRAMES = [pd.DataFrame, pl.DataFrame]


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release) as loaded:
        yield loaded


@pytest.fixture
def decide(model):
    def call(frame, state="text", **more):
        return clef_mlx.decide_frame(frame, state, more.pop("questions", QUESTIONS), model=model, **more)

    return call


@pytest.fixture
def decided(model, monkeypatch):
    """How many requests the engine was given."""
    seen = []
    plain = clef_mlx.Clef.decide_many

    def spy(self, requests, **more):
        seen.extend(requests)
        return plain(self, requests, **more)

    monkeypatch.setattr(clef_mlx.Clef, "decide_many", spy)
    return seen


@pytest.mark.parametrize("kind", FRAMES)
def test_frame_gets_the_answers_of_decide(decide, model, kind):
    made = decide(kind({"text": TEXTS, "n": [1, 2, 3, 4, 5]}))
    assert type(made) is kind
    assert list(made.columns) == ["text", "n", "late", "team", "team_confidence", "harm", "harm_confidence"]
    answer = model.decide(TEXTS[2], QUESTIONS)
    row = dict(zip(made.columns, nw.from_native(made).rows()[2], strict=True))
    assert row["team"] == answer["team"].choice
    assert row["late"] == pytest.approx(answer["late"].noul, abs=2e-4)
    assert row["harm"] == pytest.approx(answer["harm"].score, abs=2e-4)
    assert row["team_confidence"] == pytest.approx(answer["team"].confidence, abs=2e-4)


@pytest.mark.parametrize("kind", FRAMES)
def test_null_state_has_null_answers(decide, kind):
    made = nw.from_native(decide(kind({"text": TEXTS})))
    for name in ("late", "team", "harm", "harm_confidence"):
        assert made[name].is_null().to_list() == [False, True, False, False, False]


def test_pandas_index_and_order_stay(decide):
    frame = pd.DataFrame({"text": TEXTS}, index=[7, 7, "b", 3, 1])
    made = decide(frame)
    assert list(made.index) == [7, 7, "b", 3, 1]
    assert made["text"].equals(frame["text"])
    assert list(frame.columns) == ["text"]
    turned = decide(frame.iloc[::-1])
    assert list(turned["team"].dropna()) == list(made["team"].dropna())[::-1]


def test_columns_become_an_object(decide, decided):
    frame = pd.DataFrame(
        {
            "text": ["a", None, None],
            "price": [1.5, float("nan"), 2.0],
            "day": pd.to_datetime(["2024-05-01", None, "2024-05-02"]),
            "count": pd.array([1, None, 3], dtype="Int64"),
        }
    )
    made = decide(frame, ["text", "price", "day", "count"])
    assert [request["state"] for request in decided] == [
        {"text": "a", "price": 1.5, "day": "2024-05-01T00:00:00", "count": 1},
        {"text": None, "price": 2.0, "day": "2024-05-02T00:00:00", "count": 3},
    ]
    assert list(made["team"].isna()) == [False, True, False]


def test_polars_cells_become_json(decide, decided):
    frame = pl.DataFrame(
        {"tags": [["a", "b"]], "who": [{"id": 3}], "paid": [True], "day": [datetime.date(2024, 5, 1)]}
    ).with_columns(price=pl.lit(Decimal("1.20")))
    decide(frame, ["tags", "who", "paid", "day", "price"])
    (request,) = decided
    assert request["state"] == {
        "tags": ["a", "b"],
        "who": {"id": 3},
        "paid": True,
        "day": "2024-05-01",
        "price": "1.20",
    }


def test_state_may_be_a_function_of_the_row(decide, decided):
    decide(pl.DataFrame({"a": ["x", "y"], "b": [1, 2]}), lambda row: f"{row['a']}{row['b']}" if row["b"] > 1 else None)
    assert [request["state"] for request in decided] == ["y2"]


def test_probabilities_have_a_column_for_each_option(decide):
    made = decide(pl.DataFrame({"text": ["a"]}), probabilities=True, round=None)
    assert made.columns[2:] == [
        "team",
        "team_confidence",
        "team.pumps",
        "team.lifts",
        "harm",
        "harm_confidence",
        "harm.0",
        "harm.1",
        "harm.2",
    ]
    assert made["team.pumps"][0] + made["team.lifts"][0] == pytest.approx(1, abs=1e-6)


def test_row_that_cannot_be_decided_is_named(decide):
    frame = pd.DataFrame({"text": ["a", None, "word " * 500]})
    with pytest.raises(clef_mlx.RequestError, match="^row 2: state: must leave the record at most 300"):
        decide(frame, max_length=300, on_overflow="refuse")


def test_row_that_cannot_be_decided_may_be_null(decide):
    frame = pl.DataFrame({"text": ["a", None, "word " * 500]})
    made = decide(frame, max_length=300, on_overflow="refuse", on_error="null", prefix="ai_")
    assert made["ai_team"].is_null().to_list() == [False, True, True]
    assert made["ai_error"].is_null().to_list() == [True, True, False]


def test_empty_frame_gets_the_columns(decide):
    made = decide(pl.DataFrame({"text": []}, schema={"text": pl.String}))
    assert made.schema["team"] == pl.String
    assert made.schema["late"] == pl.Float64
    assert made.height == 0


def test_frame_reports_its_rows(decide, monkeypatch):
    monkeypatch.setattr(frame_module, "WINDOW_REQUESTS", 8)
    told = []
    decide(pl.DataFrame({"text": [None, "a"] * 15}), questions={"late": QUESTIONS["late"]}, progress=told.append)
    assert sum(told) == 30


def test_resume_decides_only_what_is_missing(decide, decided, tmp_path):
    frame = pl.DataFrame({"text": TEXTS})
    first = decide(frame, resume=tmp_path / "answers")
    assert len(decided) == 4
    longer = pl.concat([frame, pl.DataFrame({"text": ["More."]})])
    again = decide(longer, resume=tmp_path / "answers")
    assert len(decided) == 5
    assert again.head(5).equals(first)


def test_resume_after_an_interruption_is_the_same_frame(decide, decided, tmp_path, monkeypatch):
    monkeypatch.setattr(frame_module, "WINDOW_REQUESTS", 8)
    frame = pl.DataFrame({"text": [f"Case {number}" for number in range(20)]})
    ask = {"questions": {"late": QUESTIONS["late"]}, "round": None}
    whole = decide(frame, **ask)

    def stop(count, told=[]):  # noqa: B006 - counts its calls
        told.append(count)
        if sum(told) > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide(frame, resume=tmp_path / "answers", progress=stop, **ask)
    decided.clear()
    again = decide(frame, resume=tmp_path / "answers", **ask)
    assert again["late"].to_list() == pytest.approx(whole["late"].to_list(), abs=2e-5)
    assert len(decided) == 12


def test_resume_refuses_changed_rows_and_questions(decide, tmp_path):
    frame = pl.DataFrame({"text": ["a", "b"]})
    decide(frame, resume=tmp_path / "answers")
    with pytest.raises(clef_mlx.ClefError, match="its 2 answers belong to another input"):
        decide(pl.DataFrame({"text": ["a", "c"]}), resume=tmp_path / "answers")
    with pytest.raises(clef_mlx.ClefError, match="was begun with questions"):
        decide(frame, questions={"late": QUESTIONS["late"]}, resume=tmp_path / "answers")


@pytest.mark.parametrize(
    "make, rule",
    [
        (lambda: (pl.DataFrame({"a": [1]}), {}), 'state: must name columns, got "text". There are a.'),
        (lambda: (pl.DataFrame({"text": ["a"], "team": [1]}), {}), '"team" is a column already'),
        (lambda: (pl.LazyFrame({"text": ["a"]}), {}), "got LazyFrame. Collect"),
        (lambda: ([1], {}), "must be a pandas or Polars DataFrame"),
        (lambda: (pl.DataFrame({"text": ["a"]}), {"on_error": "skip"}), "on_error: must be raise or null"),
        (lambda: (pl.DataFrame({"text": [b"a"]}), {}), "row 0: text: must be text, a number or JSON, got bytes"),
        (lambda: (pl.DataFrame({"text": ["a"]}), {"rond": 1}), '"rond" is unknown'),
        (lambda: (pl.DataFrame({"text": ["a"]}), {"questions": {"x": {"type": "bool"}}}), "questions.x.type"),
        (lambda: (pd.DataFrame([["a", "b"]], columns=["text", "text"]), {}), "names must differ"),
    ],
)
def test_frame_is_refused_in_one_line(decide, make, rule):
    frame, more = make()
    with pytest.raises(clef_mlx.RequestError) as caught:
        decide(frame, **more)
    assert rule in str(caught.value)
    assert "\n" not in str(caught.value)


def test_model_may_be_a_name(tiny_release):
    made = clef_mlx.decide_frame(pl.DataFrame({"text": ["a"]}), "text", QUESTIONS, model=tiny_release)
    assert made["team"][0] in ("pumps", "lifts")
