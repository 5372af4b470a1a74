"""A loaded model: alone, batched, chunked, repeated and from many threads, the answers are the same."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import mlx.core as mx
import numpy as np
import pytest

import clef_mlx
from clef_mlx.engine import forward, thread
from clef_mlx.engine.prefill import even_cuts
from clef_mlx.model.paths import override_paths
from clef_mlx.schema import parse_request

QUESTIONS = {
    "urgent": {"type": "noul", "instructions": "Is it urgent?"},
    "team": {"type": "choice", "criteria": {"billing": "invoices", "technical": "errors", "sales": None}},
    "anger": {"type": "score", "criteria": ["calm", "annoyed", "furious"]},
}


def request(words: int, **fields):
    return {"state": "the parcel is late again and nobody answers " * words, "questions": QUESTIONS, **fields}


@pytest.fixture(scope="module")
def model(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", round=None) as loaded:
        yield loaded


def flat(decision) -> np.ndarray:
    return np.array([p for question in decision.probabilities.values() for p in question.values()])


def test_repeated_decisions_are_bit_equal(model):
    a, b = request(3), request(40)
    first = model.decide(**a)
    other = model.decide(**b)
    again = model.decide(**a)
    assert again == first
    assert other == model.decide(**b)


@pytest.mark.parametrize("pad", [0, 7, 300])
@pytest.mark.parametrize("order", [1, -1])
def test_padding_never_leaks(model, order, pad):
    records = [model.encode(request(words)) for words in (1, 60)][::order]
    alone = [model.logits([record])[0] for record in records]
    network = model._release.model
    together = thread.run(forward.batch_logits, network, records, pad)
    for one, batched in zip(alone, together, strict=True):
        for left, right in zip(one, batched, strict=True):
            assert np.abs(np.array(left) - np.array(right)).max() <= 1e-4
            assert np.abs(np.array(mx.softmax(left) - mx.softmax(right))).max() <= 1e-5


def test_chunk_size_does_not_change_answers(model):
    body = request(60)
    whole = flat(model.decide(**body))
    for tokens in (64, 100, 1000):
        with override_paths(prefill_tokens=tokens):
            assert np.abs(flat(model.decide(**body)) - whole).max() <= 1e-5


@pytest.mark.parametrize(
    ("start", "end", "step", "ends"),
    [
        (0, 256, 256, [256]),
        (0, 319, 256, [319]),
        (0, 320, 256, [256, 320]),
        (100, 612, 256, [356, 612]),
        (0, 40, 256, [40]),
        (0, 3, 1, [1, 2, 3]),
    ],
)
def test_chunks_are_even_and_a_small_rest_is_no_step(start, end, step, ends):
    assert even_cuts(start, end, step) == ends


def test_every_kernel_form_gives_the_same_answers(model):
    body = request(20)
    expected = flat(model.decide(**body))
    for change in (
        {"delta": "recurrent"},
        {"attention": "fused"},
        {"elementwise": "builtin"},
        {"elementwise": "builtin", "fuse": True},
    ):
        with override_paths(**change):
            assert np.abs(flat(model.decide(**body)) - expected).max() <= 1e-5


def test_all_option_orders_give_bit_equal_probabilities(model):
    criteria = {"a": "first", "b": None, "c": "third", "d": "fourth"}
    seen = []
    for order in itertools.permutations(criteria):
        question = {"type": "choice", "criteria": {key: criteria[key] for key in order}}
        decision = model.decide("x", {"q": question})
        assert list(decision["q"]["probabilities"]) == list(order)
        seen.append({key: decision.probabilities["q"][key] for key in criteria})
    assert len(seen) == 24
    assert all(probabilities == seen[0] for probabilities in seen)


def test_many_threads_get_the_serial_answers(model):
    bodies = [request(words % 9 + 1) for words in range(32)]
    serial = [model.decide(**body) for body in bodies]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda body: model.decide(**body), bodies)) == serial


def test_decide_many_answers_in_order_and_keeps_errors_in_place(model):
    bodies = [request(50), {"state": "x"}, request(1), request(20), {"state": "x", "questions": {}}]
    done = []
    outcomes = list(model.decide_many(bodies, batch_tokens=2000, progress=done.append))
    assert [type(outcome) for outcome in outcomes] == [
        clef_mlx.Decision,
        clef_mlx.RequestError,
        clef_mlx.Decision,
        clef_mlx.Decision,
        clef_mlx.RequestError,
    ]
    assert sum(done) == len(bodies)
    for body, outcome in zip(bodies, outcomes, strict=True):
        if isinstance(outcome, clef_mlx.Decision):
            assert np.abs(flat(outcome) - flat(model.decide(**body))).max() <= 2e-5


def test_a_fault_in_one_request_is_its_own(model, monkeypatch):
    right = forward.ClefModel.schema_vectors

    def poisoned(self, record, normed, offset):
        vectors = right(self, record, normed, offset)
        return vectors._replace(last=vectors.last * float("nan")) if len(record.input_ids) > 500 else vectors

    monkeypatch.setattr(forward.ClefModel, "schema_vectors", poisoned)
    outcomes = list(model.decide_many([request(3), request(1), request(60), request(2)]))[1:]
    assert [type(outcome).__name__ for outcome in outcomes] == ["Decision", "ModelFault", "Decision"]
    with pytest.raises(clef_mlx.ModelFault, match="finite"):
        model.decide(**request(60))


def test_isolated_question_ignores_its_neighbours_and_its_name(model):
    together = model.decide("late parcel", QUESTIONS, isolate=True)
    alone = model.decide("late parcel", {"another name": QUESTIONS["team"] | {"instructions": "team"}}, isolate=True)
    p, q = together.probabilities["team"], alone.probabilities["another name"]
    assert p == pytest.approx(q, abs=2e-5)
    assert together.usage["input_tokens"] > model.decide("late parcel", QUESTIONS).usage["input_tokens"]


def test_systemone_is_the_publishers_shape(model):
    body = model.systemone({"model": "clef", "state": {"a": 1}, "questions": QUESTIONS}, round=4)
    assert list(body) == ["model", "answers", "usage"]
    assert body["model"] == "clef"
    assert list(body["answers"]) == list(QUESTIONS)
    assert body["answers"]["anger"]["legend"] == {"0": "calm", "1": "annoyed", "2": "furious"}
    assert body["answers"]["urgent"]["noul"] == round(body["answers"]["urgent"]["noul"], 4)


def test_truncated_state_is_said_in_the_answer(model):
    body = model.decide(**request(200), max_length=400).to_dict()
    assert body["usage"]["input_tokens"] == 400
    assert body["x_truncated_tokens"] > 0
    with pytest.raises(clef_mlx.ContextLengthError, match="400"):
        model.decide(**request(200), max_length=400, on_overflow="refuse")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on_overflow": "crop"}, "truncate, refuse"),
        ({"max_length": 0}, "max_length"),
        ({"isolate": 1.5}, "isolate"),
        ({"colour": "red"}, "colour"),
        ({"round": 99}, "round"),
    ],
)
def test_unknown_option_is_refused_by_name(model, options, said):
    with pytest.raises(clef_mlx.RequestError, match=said):
        model.decide("x", QUESTIONS, **options)


def test_empty_picture_is_refused_plainly(model):
    with pytest.raises(clef_mlx.RequestError, match="must be a picture file, got an empty one"):
        model.decide("x", QUESTIONS, images=[b""])


@pytest.mark.parametrize("media", [b"GIF89a", "a.png", {"a": 1}, 3, np.zeros((2, 8, 8, 3), np.uint8)])
@pytest.mark.parametrize("field", ["images", "videos"])
def test_one_picture_in_place_of_a_list_is_refused_plainly(model, field, media):
    with pytest.raises(clef_mlx.RequestError, match=f"^{field}: must be an array, got .* in an array.$"):
        model.decide("x", QUESTIONS, **{field: media})


def test_media_kwargs_that_are_no_object_are_refused_plainly(model):
    with pytest.raises(clef_mlx.RequestError, match="^media_kwargs: must be an object, got 3"):
        model.decide("x", QUESTIONS, media_kwargs=3)


def test_closed_model_says_so(random_release):
    model = clef_mlx.load(random_release("tiny"))
    model.close()
    model.close()
    with pytest.raises(clef_mlx.ClefError, match="closed"):
        model.decide("x", QUESTIONS)


def test_trace_says_that_the_state_was_cut(model):
    assert model.trace(request(200), max_length=400)["x_truncated_tokens"] > 0
    assert "x_truncated_tokens" not in model.trace(request(1))


def test_model_is_known_by_its_folders_name(random_release, tmp_path, monkeypatch):
    folder = tmp_path / "my release"
    folder.symlink_to(random_release("tiny"))
    with clef_mlx.load(folder) as loaded:
        assert loaded.decide("x", QUESTIONS).model == "my release"
    monkeypatch.setenv("CLEF_MLX_MODEL", str(random_release("tiny")))
    with clef_mlx.load() as loaded:
        assert loaded.name == random_release("tiny").name


@pytest.mark.parametrize("batch_tokens", [0, -1, 1.5, True, "x"])
def test_batch_tokens_must_be_a_count(model, batch_tokens):
    with pytest.raises(clef_mlx.RequestError, match="batch_tokens"):
        model.decide_many([], batch_tokens=batch_tokens)


def test_no_records_have_no_logits(model):
    assert model.logits([]) == []
    assert list(model.decide_many([])) == []


def test_options_are_checked_however_they_are_made():
    with pytest.raises(clef_mlx.RequestError, match="max_length"):
        clef_mlx.Options(max_length=-5)


def test_requests_together_keep_their_own_options(model):
    parsed = parse_request(request(3))
    options = [model.options.with_(round=2), model.options.with_(isolate=True), model.options]
    prepared = [model.prepare(parsed, one) for one in options]
    made = {index: outcome for finished in model.decide_together(prepared) for index, outcome in finished.items()}
    for index, one in enumerate(options):
        alone = model.decide(**request(3), isolate=one.isolate)
        assert np.abs(flat(made[index]) - flat(alone)).max() <= 2e-5
    assert made[0].answers["urgent"]["noul"] == round(flat(made[2])[0], 2)


def test_forgotten_prefixes_are_computed_anew(model):
    model.decide(**request(40))
    assert model.decide(**request(40)).reused_tokens > 0
    model.forget()
    assert model.decide(**request(40)).reused_tokens == 0
