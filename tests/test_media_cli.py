"""Pictures and clips on the command line: in request files, with --image and --video, and the examples."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import media_bank as bank
import numpy as np
import pytest
from media_reading import Reader
from PIL import Image

from clef_mlx.errors import RequestError
from clef_mlx.media.naming import with_paths

EXAMPLES = Path(__file__).parent.parent / "examples"
NOUL = {"total": {"type": "noul", "instructions": "Is a total shown?"}}


@pytest.fixture(scope="module")
def reader(tiny_release):
    return Reader(tiny_release)


@pytest.fixture
def folder(tmp_path):
    """A folder with a picture, and others like it in the folder `elsewhere`."""
    (tmp_path / "requests").mkdir()
    (tmp_path / "elsewhere").mkdir()
    bank.saved(bank.picture(300, 200), tmp_path / "requests" / "a.png")
    bank.saved(bank.picture(64, 900), tmp_path / "elsewhere" / "a.png")
    return tmp_path / "requests"


def holds(trace, media):
    """Whether a record holds this media's placeholder ids."""
    ids, piece = trace["input_ids"], list(media.input_ids)
    return any(ids[start : start + len(piece)] == piece for start in range(len(ids) - len(piece) + 1))


def request(**media):
    return json.dumps({"state": "A receipt.", "questions": NOUL} | media)


def test_names_count_from_the_request_file(cli, reader, folder, monkeypatch):
    monkeypatch.chdir(folder.parent / "elsewhere")
    (folder / "one.json").write_text(request(images=["a.png"]))
    (folder / "lines.jsonl").write_text(request(images=["../elsewhere/a.png"]) + "\n" + request(images=["a.png"]))
    wide, tall = reader.image(bank.picture(300, 200)), reader.image(bank.picture(64, 900))
    done = cli("decide", folder / "one.json", folder / "lines.jsonl", "--format", "trace")
    assert done.code == 0, done.err
    assert [holds(trace, wide) for trace in done.lines] == [True, False, True]
    assert holds(done.lines[1], tall)


def test_names_in_a_pipe_count_from_the_current_folder(cli, reader, folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = cli("decide", "-", "--format", "trace", stdin=request(images=["a.png"]).encode())
    assert holds(done.lines[0], reader.image(bank.picture(300, 200)))


def test_data_urls_and_base64_stay_what_they_are(cli, reader, tmp_path):
    url = bank.data_url(bank.png(Image.new("RGB", (8, 8), (9, 8, 7))))
    (tmp_path / "one.json").write_text(request(images=[url, url.partition(",")[2]]))
    done = cli("decide", tmp_path / "one.json", "--format", "trace")
    assert holds(done.lines[0], reader.read({"images": [url, url]}))


def test_clips_in_request_files(cli, reader, folder):
    np.save(folder / "clip.npy", bank.clip(4, 96, 64))
    (folder / "frames").mkdir()
    for number, frame in enumerate(bank.clip_frames(4, 96, 64)):
        frame.save(folder / "frames" / f"{number}.png")
    names = [f"frames/{number}.png" for number in range(4)]
    videos = ["clip.npy", "frames", names, {"frames": names, "fps": 24}]
    (folder / "one.json").write_text(request(videos=videos, media_kwargs={"do_sample_frames": False}))
    done = cli("decide", folder / "one.json", "--format", "trace")
    assert done.code == 0, done.err
    expected = {"videos": [bank.clip(4, 96, 64)] * 4, "media_kwargs": {"do_sample_frames": False}}
    assert holds(done.lines[0], reader.read(expected))


def test_image_and_video_flags(cli, reader, folder):
    gif = bank.animation(folder)
    flags = ["--image", folder / "a.png", "--video", gif, "--image", folder / "a.png"]
    done = cli("decide", "--state", "x", "--noul", "total=Is a total shown?", *flags, "--format", "trace")
    assert done.code == 0, done.err
    assert holds(done.lines[0], reader.read({"images": [folder / "a.png"] * 2, "videos": [gif]}))


def test_picture_alone_needs_no_state(cli, reader, folder):
    done = cli("decide", "--image", folder / "a.png", "--noul", "total=Is a total shown?", "--format", "trace")
    assert done.code == 0, done.err
    assert holds(done.lines[0], reader.image(folder / "a.png"))


def test_picture_without_a_question_is_refused(cli, folder):
    done = cli("decide", "--image", folder / "a.png")
    assert done.code == 2
    assert "--image needs a question" in done.err


def test_picture_beside_a_request_file_is_refused(cli, folder):
    done = cli("decide", EXAMPLES / "invoice.json", "--image", folder / "a.png")
    assert done.code == 2


def test_max_pixels_is_said_on_stderr(cli, folder):
    flags = ["--image", folder / "a.png", "--noul", "total=Is a total shown?", "--max-pixels", "10000"]
    done = cli("decide", *flags, "--format", "json")
    assert done.code == 0, done.err
    assert "images[0]: 300x200 became 96x64 instead of 320x224, for max_pixels 10000." in done.err


def test_missing_picture_is_said_before_a_model_is_loaded(cli, tmp_path):
    (tmp_path / "one.json").write_text(request(images=["missing.png"]))
    done = cli("decide", tmp_path / "one.json", "--model", tmp_path / "no-model")
    assert done.code == 1
    assert 'images[0]: must be a file or a data URL, got "missing.png"' in done.err
    assert "no-model" not in done.err


def test_bad_picture_spoils_its_own_request_alone(cli, folder):
    (folder / "bad.png").write_bytes((folder / "a.png").read_bytes()[:200])
    lines = [request(images=["a.png"]), request(images=["bad.png"]), request(), request(images=["a.png"])]
    (folder / "lines.jsonl").write_text("\n".join(lines))
    done = cli("decide", folder / "lines.jsonl", "--format", "jsonl")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False, False]
    assert answers[0]["answers"] == answers[3]["answers"]
    assert done.code == 1


@pytest.mark.parametrize("value", ["http://127.0.0.1/a.png", "https://127.0.0.1/a.png"])
def test_urls_are_never_fetched(value, tmp_path):
    with pytest.raises(RequestError, match="Nothing is fetched"):
        with_paths({"images": [value]}, tmp_path)


def test_request_without_media_is_left_as_it_is(tmp_path):
    body = {"state": "x", "questions": NOUL}
    assert with_paths(body, tmp_path) == body


@pytest.mark.parametrize("name", ["receipt.json", "belt.json"])
def test_example_is_decided(cli, name):
    done = cli("decide", EXAMPLES / name, "--format", "json")
    assert done.code == 0, done.err
    asked = json.loads((EXAMPLES / name).read_text())["questions"]
    assert list(json.loads(done.out)["answers"]) == list(asked)


def test_drawn_examples_are_what_the_script_draws(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["draw_media.py", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "draw_media.py"), run_name="__main__")
    with Image.open(EXAMPLES / "belt.gif") as kept, Image.open(tmp_path / "belt.gif") as drawn:
        assert kept.n_frames == drawn.n_frames == 12
        for number in range(12):
            kept.seek(number)
            drawn.seek(number)
            assert kept.convert("RGB").tobytes() == drawn.convert("RGB").tobytes()
    with Image.open(EXAMPLES / "receipt.png") as kept, Image.open(tmp_path / "receipt.png") as drawn:
        # Letters differ a little where Pillow was built with another FreeType.
        difference = np.abs(np.asarray(kept, np.int16) - np.asarray(drawn, np.int16))
        assert kept.size == drawn.size
        assert difference.mean() < 2
