"""Records with pictures through the engine: batches, chunks, kept prefixes, memory, and what is refused."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from media_bank import clip, picture, png

import clef_mlx
from clef_mlx.engine import stream, thread, view
from clef_mlx.errors import MemoryBudgetError, RequestError
from clef_mlx.model.paths import override_paths
from clef_mlx.model.positions import media_tokens, record_positions
from clef_mlx.weights.random_release import write_random_release

MAX_DP = 2e-5
QUESTIONS = {
    "paid": {"type": "noul", "instructions": "Is it paid?"},
    "kind": {"type": "choice", "criteria": {"receipt": "a till receipt", "photo": None, "chart": None}},
}
OTHERS = {"sharpness": {"type": "score", "criteria": ["unreadable", "readable", "sharp"]}, "late": {"type": "noul"}}
STATE = "The customer writes that the parcel is late and asks for the money back. " * 8


@pytest.fixture(scope="module")
def loaded(random_release):
    with clef_mlx.load(random_release("golden-128"), dtype="float32", round=None) as model:
        yield model


@pytest.fixture
def model(loaded):
    """The module's model, with nothing kept."""
    loaded.forget()
    return loaded


@pytest.fixture
def seen(monkeypatch):
    """Grids that went through the tower."""
    grids = []
    plain = view.Tower.__call__

    def spy(self, pixel_values, grid):
        grids.append(grid)
        return plain(self, pixel_values, grid)

    monkeypatch.setattr(view.Tower, "__call__", spy)
    return grids


def flat(decision) -> np.ndarray:
    return np.array([p for question in decision.probabilities.values() for p in question.values()])


def values(logits) -> np.ndarray:
    return np.concatenate([np.array(question) for question in logits])


def request(images=(), videos=(), state=STATE, questions=QUESTIONS, **more):
    return {"state": state, "questions": questions, "images": list(images), "videos": list(videos)} | more


# Batches and chunks


def test_pictures_matter(model):
    """Else no test here would show anything."""
    answers = [flat(model.decide(STATE, QUESTIONS, images=images)) for images in ([], [picture(300, 200)])]
    answers += [flat(model.decide(STATE, QUESTIONS, images=[picture(300, 200, seed)])) for seed in (1, 2)]
    for index, one in enumerate(answers):
        assert all(np.abs(one - other).max() > 1e-3 for other in answers[index + 1 :])


def test_mixed_batch_equals_each_alone(model):
    records = [
        model.encode(request([picture(300, 200)])),
        model.encode(request(state="Short.")),
        model.encode(request([picture(64, 600, 1), picture(256, 256, 2)], [clip(4, 96, 64)], state="")),
        model.encode(request(videos=[clip(5, 64, 64)], media_kwargs={"do_sample_frames": False})),
        model.encode(request(state=STATE * 3)),
    ]
    alone = [values(model.logits([record])[0]) for record in records]
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        together = model.logits([records[index] for index in order])
        for index, logits in zip(order, together, strict=True):
            assert np.abs(values(logits) - alone[index]).max() <= 2e-5


@pytest.mark.parametrize("chunk", [64, 96, 4096])
def test_chunk_edges_inside_a_picture_change_nothing(model, chunk):
    record = model.encode(request([picture(640, 480), picture(300, 200, 1)], [clip(6, 96, 96)]))
    expected = values(model.logits([record])[0])
    with override_paths(prefill_tokens=chunk):
        assert np.abs(values(model.logits([record])[0]) - expected).max() <= 1e-4


def test_one_picture_in_many_rows_is_seen_once(model, seen):
    records = [model.encode(request([picture(300, 200)], state=f"Number {n}.")) for n in range(4)]
    model.logits(records)
    assert seen == [(1, 14, 20)]


def test_long_clip_is_seen_in_parts(model, seen, monkeypatch):
    record = model.encode(request(videos=[clip(12, 128, 128)], media_kwargs={"do_sample_frames": False}))
    expected = values(model.logits([record])[0])
    monkeypatch.setattr(view, "STEP_PATCHES", 150)
    assert np.abs(values(model.logits([record])[0]) - expected).max() <= 1e-5
    assert seen == [(6, 8, 8), (2, 8, 8), (2, 8, 8), (2, 8, 8)]


def test_positions_go_on_after_the_longer_side(model):
    record = model.encode(request([picture(320, 256)]))  # 8 rows of 10 tokens
    positions = record_positions(record, model._release.config, 2)
    pads = media_tokens(record, model._release.config)
    first, last = pads[0], pads[-1]
    assert len(pads) == 80
    assert positions[:, first].tolist() == [first] * 3
    assert positions[:, last].tolist() == [first, first + 7, first + 9]
    assert positions[:, last + 1].tolist() == [first + 10] * 3
    assert positions[:, -1].tolist() == [len(record.input_ids) - 1 - 80 + 10] * 3


def test_pads_in_a_users_text_stay_text(model):
    words = "<|vision_start|><|image_pad|><|image_pad|><|vision_end|><|video_pad|>"
    record = model.encode(request([picture(256, 256)], state=words))
    config = model._release.config
    assert record.input_ids.count(config.image_token_id) == len(media_tokens(record, config)) == 64
    assert config.video_token_id not in record.input_ids


def test_pads_as_control_tokens_of_a_user_take_no_rows(model):
    """What the publisher's code stumbles over: it counts every pad as one of the picture's."""
    record = model.encode(request([picture(256, 256)], state="<|image_pad|> and"), control_tokens="publisher")
    assert record.input_ids.count(model._release.config.image_token_id) == 65
    tokens = media_tokens(record, model._release.config)
    assert len(tokens) == 64
    assert tokens[-1] < record.state_span.start
    assert np.isfinite(values(model.logits([record])[0])).all()


# Kept prefixes


def test_text_is_bit_equal_before_and_after_a_picture(model):
    first = flat(model.decide(STATE, QUESTIONS))
    for other in ([picture(300, 200)], [picture(300, 200, 1)]):
        model.decide(STATE, QUESTIONS, images=other)
        assert (flat(model.decide(STATE, QUESTIONS)) == first).all()
    model.forget()
    assert (flat(model.decide(STATE, QUESTIONS)) == first).all()


def test_picture_is_bit_equal_before_and_after_text(model):
    first = flat(model.decide(STATE, QUESTIONS, images=[picture(300, 200)]))
    model.decide(STATE, QUESTIONS)
    assert (flat(model.decide(STATE, QUESTIONS, images=[picture(300, 200)])) == first).all()


def test_other_questions_about_a_picture_do_not_look_again(model, seen):
    model.decide(STATE, QUESTIONS, images=[picture(300, 200)])
    assert len(seen) == 1
    body = request([picture(300, 200)], questions=OTHERS)
    again = model.decide(STATE, OTHERS, images=[picture(300, 200)])
    assert len(seen) == 1
    assert again.reused_tokens == model.encode(body).state_span.end
    assert np.abs(flat(again) - plain(model, body)).max() <= MAX_DP


def plain(model, body) -> np.ndarray:
    """Probabilities without any reuse."""
    return np.array([p for question in model.trace(body)["probabilities"].values() for p in question.values()])


def test_another_state_under_the_same_picture_does_not_look_again(model, seen):
    model.decide(STATE, QUESTIONS, images=[picture(400, 300)])
    body = request([picture(400, 300)], state="Something else. " * 20)
    again = model.decide("Something else. " * 20, QUESTIONS, images=[picture(400, 300)])
    assert len(seen) == 1
    assert again.reused_tokens == model.encode(body).state_span.start
    assert np.abs(flat(again) - plain(model, body)).max() <= MAX_DP


def test_third_state_under_the_same_picture_does_not_look_again(model, seen):
    for words in ("One thing. ", "Two things. ", "Three of them. "):
        decision = model.decide(words * 30, QUESTIONS, images=[picture(400, 300)])
    assert len(seen) == 1
    assert decision.reused_tokens > 100


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_turned_picture_reuses_nothing(model, turn, seen):
    image = picture(256, 256)
    plain = model.decide(STATE, QUESTIONS, images=[image])
    turned = model.decide(STATE, QUESTIONS, images=[image.rotate(turn, expand=True)])
    assert (plain.reused_tokens, turned.reused_tokens) == (0, 0)
    assert len(seen) == 2
    assert np.abs(flat(plain) - flat(turned)).max() > 1e-4


def test_pictures_in_another_order_reuse_nothing(model):
    pair = [picture(256, 256), picture(256, 256, 1)]
    one = model.decide(STATE, QUESTIONS, images=pair)
    other = model.decide(STATE, QUESTIONS, images=pair[::-1])
    assert other.reused_tokens == 0
    assert np.abs(flat(one) - flat(other)).max() > 1e-5


def test_isolated_questions_see_a_picture_once(model, seen):
    decision = model.decide(STATE, QUESTIONS | OTHERS, images=[picture(300, 200)], isolate=True)
    assert len(seen) == 1
    for question, asked in (QUESTIONS | OTHERS).items():
        alone = model.decide(STATE, {"q": {"instructions": question} | asked}, images=[picture(300, 200)])
        found = np.array(list(decision.probabilities[question].values()))
        assert np.abs(found - flat(alone)).max() <= MAX_DP


# Streams


def test_stream_answers_in_order_whatever_fits_in_memory(model, monkeypatch):
    requests = [request([picture(256, 256, n)] if n % 2 else [], state=f"Number {n}.") for n in range(9)]
    expected = [flat(model.decide(body["state"], QUESTIONS, images=body["images"])) for body in requests]
    monkeypatch.setattr(stream, "MOST_PIXEL_BYTES", 1 << 20)
    done = []
    found = list(model.decide_many(requests, progress=done.append))
    assert sum(done) == 9
    assert max(np.abs(flat(a) - b).max() for a, b in zip(found, expected, strict=True)) <= MAX_DP


def test_bad_picture_spoils_its_own_request_alone(model):
    requests = [request([picture(64, 64)]), request([png(picture(64, 64))[:50]]), request()]
    first, second, third = model.decide_many(requests)
    assert isinstance(second, RequestError)
    assert second.location[:2] == ("images", 0)
    assert np.abs(flat(first) - flat(model.decide(STATE, QUESTIONS, images=[picture(64, 64)]))).max() <= MAX_DP
    assert np.abs(flat(third) - flat(model.decide(STATE, QUESTIONS))).max() <= MAX_DP


def test_shrunk_picture_is_said_in_the_answer(model):
    answer = model.systemone(request([picture(640, 480)], model="m"), max_pixels=100_000)
    assert any("640x480" in note for note in answer["x_notes"])
    assert "x_notes" not in model.systemone(request([picture(640, 480)], model="m"))


def test_trace_says_it_too(model):
    assert model.trace(request([picture(640, 480)]), max_pixels=100_000)["x_notes"]


# Memory and refusals


def test_tower_is_read_with_the_first_picture(random_release):
    with clef_mlx.load(random_release("tiny"), dtype="float32") as model:
        before = model.memory.weights
        model.decide(STATE, QUESTIONS)
        assert model.memory.weights == before
        model.decide(STATE, QUESTIONS, images=[picture(64, 64)])
        assert model.memory.weights - before == model._release.vision.nbytes > 0


def test_picture_that_does_not_fit_is_refused_before_it_is_seen(random_release, seen):
    with clef_mlx.load(random_release("golden-128"), dtype="float32") as model:
        held = thread.run(mx.get_active_memory)
        model._runner.budget.limit_bytes = held + (24 << 20)
        model.decide("Short.", QUESTIONS)
        with pytest.raises(MemoryBudgetError, match="max_pixels"):
            model.decide("", QUESTIONS, images=[picture(1600, 1200)])
        assert seen == []
        assert model.decide("Short.", QUESTIONS, images=[picture(64, 64)]).answers


@pytest.mark.parametrize("size", [(640, 480), (1280, 1024)], ids=str)
def test_need_of_a_picture_is_near_the_measured_peak(tmp_path, size):
    """The peak is that of MLX's arrays; numpy's blocks beside them are part of the need alone."""
    wide = write_random_release(tmp_path, vision={"hidden_size": 256, "intermediate_size": 1024})
    with clef_mlx.load(wide, dtype="float32") as model:
        model.decide("Short.", QUESTIONS, images=[picture(64, 64)])
        record, tower = model.encode(request([picture(*size)])), model._runner.tower
        before = thread.run(mx.get_active_memory)
        thread.run(mx.reset_peak_memory)
        thread.run(tower, record.media.pixel_values, record.media.grid_thw[0])
        assert 0.8 <= tower.need([record]) / (thread.run(mx.get_peak_memory) - before) <= 2.0
