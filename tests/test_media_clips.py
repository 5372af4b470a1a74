"""Clips: what is accepted, which frames the model sees, and when it is told they were."""

from __future__ import annotations

import sys

import media_bank as bank
import numpy as np
import pytest
from media_reading import Reader
from PIL import Image

from clef_mlx.errors import ContextLengthError, RequestError, TooLargeError
from clef_mlx.media import clips
from clef_mlx.media.prompt import pair_times


@pytest.fixture(scope="module")
def reader(tiny_release):
    return Reader(tiny_release)


@pytest.fixture(scope="module")
def text(reader):
    """Media -> the placeholder text, runs of pads as one."""

    def read(media):
        decoded = reader.tokenizer._publisher.decode(media.input_ids, skip_special_tokens=False)
        return decoded.replace("<|video_pad|>", "*").replace("<|vision_start|>", "(").replace("<|vision_end|>", ")")

    return read


def same(one, other):
    return one.key == other.key and np.array_equal(one.pixel_values, other.pixel_values)


def refused(reader, value, *, kind=RequestError, media_kwargs=None, **options):
    with pytest.raises(kind) as caught:
        reader.clip(value, media_kwargs, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def written(path, frames, codec="ffv1", pixel_format="bgr0", rate=12):
    """A video file; the default codec loses nothing."""
    av = pytest.importorskip("av", reason="video files are read by the video extra's decoder")
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pixel_format
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return path


def test_every_way_to_give_frames_gives_the_same_record(reader, tmp_path):
    clip = bank.clip(5, 96, 64)
    np.save(tmp_path / "clip.npy", clip)
    pictures = [Image.fromarray(frame) for frame in clip]
    (tmp_path / "frames").mkdir()
    for number, picture in enumerate(pictures):
        picture.save(tmp_path / "frames" / f"{number + 8}.png")  # 10 comes after 9, not after 1
    (tmp_path / "frames" / "notes.txt").write_text("no frame")
    ways = [clip, pictures, list(clip), tuple(pictures), np.moveaxis(clip, -1, 1), {"frames": pictures}]
    ways += [tmp_path / "clip.npy", str(tmp_path / "clip.npy"), tmp_path / "frames"]
    ways += [[bank.png(picture) for picture in pictures]]
    first, *rest = [reader.clip(way) for way in ways]
    assert first.grid_thw == ((2, 4, 6),)
    assert all(same(first, other) for other in rest)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_animation_is_its_frames_at_its_rate(reader, tmp_path, kind):
    colours = [Image.new("RGB", (96, 64), (shade, 0, 255 - shade)) for shade in (0, 80, 160, 240, 200, 100)]
    path, first, *rest = tmp_path / f"a.{kind.lower()}", *colours
    lossless = {"lossless": True} if kind == "WEBP" else {}
    first.save(path, save_all=True, append_images=rest, duration=250, **lossless)
    with_rate = {"video_metadata": {"total_num_frames": 6, "fps": 4}}
    expected = reader.clip(colours, with_rate)
    assert same(reader.clip(path), expected)
    assert same(reader.clip(path.read_bytes(), allow_paths=False), expected)
    assert same(reader.clip(bank.data_url(path.read_bytes(), "image/gif"), allow_paths=False), expected)
    with Image.open(path) as opened:
        assert same(reader.clip(opened), expected)


def test_video_file_is_its_frames_at_its_rate(reader, tmp_path):
    clip = bank.clip(9, 96, 64)
    path = written(tmp_path / "clip.mkv", clip, rate=3)
    expected = reader.clip(clip, {"video_metadata": {"total_num_frames": 9, "fps": 3.0}})
    assert expected.grid_thw == ((3, 4, 6),)
    assert same(reader.clip(path), expected)
    assert same(reader.clip(path.read_bytes(), allow_paths=False), expected)


def test_common_video_file_is_close_to_its_frames(reader, tmp_path):
    smooth = np.stack([np.full((64, 96, 3), 40 * frame, np.uint8) for frame in range(6)])
    path = written(tmp_path / "clip.mp4", smooth, codec="mpeg4", pixel_format="yuv420p", rate=24)
    ours = reader.clip(path, {"do_sample_frames": False})
    expected = reader.clip(smooth, {"do_sample_frames": False})
    assert np.abs(ours.pixel_values - expected.pixel_values).max() < 0.1


def test_missing_decoder_is_named(reader, tmp_path, monkeypatch):
    (tmp_path / "a.mp4").write_bytes(b"\0\0\0\x18ftypisom")
    monkeypatch.setitem(sys.modules, "av", None)
    assert "pip install 'clef-mlx[video]'" in refused(reader, tmp_path / "a.mp4")


def test_frames_are_sampled_twice_a_second_by_default(reader):
    clip = bank.clip(60, 64, 64)
    known = {"video_metadata": [{"total_num_frames": 60, "fps": 12}]}  # five seconds
    assert same(reader.clip(clip, known), reader.clip(clip, known | {"num_frames": 10}))


def test_unknown_rate_counts_as_24_a_second(reader, text):
    assert text(reader.clip(bank.clip(4, 64, 64))) == "(<0.0 seconds>(****)<0.1 seconds>(****))\n"


def test_all_frames_are_taken_where_none_are_to_be_sampled(reader, text):
    media = reader.clip({"frames": list(bank.clip(5, 64, 64)), "fps": 2}, {"do_sample_frames": False})
    assert text(media) == "(<0.2 seconds>(****)<1.2 seconds>(****)<2.0 seconds>(****))\n"


def test_times_of_frames_sampled_before_are_those_of_their_indices(reader, text):
    metadata = {"total_num_frames": 100, "fps": 10, "frames_indices": [0, 30, 60, 90]}
    media = reader.clip(bank.clip(4, 64, 64), {"do_sample_frames": False, "video_metadata": [metadata]})
    assert text(media) == "(<1.5 seconds>(****)<7.5 seconds>(****))\n"


def test_odd_last_frame_is_its_own_partner(reader):
    odd = reader.clip(bank.clip(3, 64, 64), {"do_sample_frames": False})
    even = np.concatenate([bank.clip(3, 64, 64), bank.clip(3, 64, 64)[-1:]])
    assert np.array_equal(odd.pixel_values, reader.clip(even, {"do_sample_frames": False}).pixel_values)
    assert pair_times([0, 1, 2], 1.0, 2) == [0.5, 2.0]


def test_single_frame_is_a_pair_of_itself(reader, text):
    media = reader.clip(bank.clip(1, 64, 64))
    assert media.grid_thw == ((1, 4, 4),)
    assert text(media) == "(<0.0 seconds>(****))\n"


def test_only_chosen_frames_are_decoded(reader):
    frames = list(bank.clip(9, 64, 64))
    frames[4] = b"never looked at"
    assert reader.clip(frames, {"num_frames": 4}).grid_thw == ((2, 4, 4),)  # frames 0, 3, 5 and 8


def test_transparent_frames_are_laid_on_white(reader):
    clear = np.zeros((4, 64, 64, 4), np.uint8)
    assert same(reader.clip(clear), reader.clip(np.full((4, 64, 64, 3), 255, np.uint8)))


def test_max_pixels_is_of_each_frame(reader):
    media = reader.clip(bank.clip(4, 640, 480), max_pixels=10_000)
    assert media.grid_thw == ((2, 4, 6),)
    assert media.notes == ("videos[0]: 640x480 became 96x64 instead of 640x480, for max_pixels 10000.",)


def test_clip_longer_than_the_record_is_refused_before_it_is_decoded(reader):
    frames = [bank.picture(256, 256)] + [b"never looked at"] * 20_000
    with pytest.raises(ContextLengthError, match=r"videos\[0\]: .* max_length 5000 tokens, got 10001"):
        reader.clip(frames, {"do_sample_frames": False}, max_tokens=5000)


def test_animation_of_too_many_pixels_is_refused(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(clips, "MOST_ANIMATION_PIXELS", 3 * 96 * 64 - 1)
    assert "3 of 96x64" in refused(reader, bank.animation(tmp_path), kind=TooLargeError)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "videos[0]: must be a list of frames"),
        (3.5, "videos[0]: must be a list of frames"),
        ([], "videos[0]: must hold at least one frame"),
        ({"frames": []}, "must hold at least one frame"),
        ({"frames": [bank.picture(64, 64)], "fps": 0}, "videos[0].fps: must be a number above 0"),
        (np.zeros((0, 64, 64, 3), np.uint8), "must hold at least one frame"),
        (np.zeros((4, 0, 64, 3), np.uint8), "frames of at least one pixel"),
        (np.zeros((64, 64, 3), np.uint8), "must be an array [frames, height, width, 3], got 64x64x3"),
        (np.zeros((4, 64, 64, 3)), "whole numbers from 0 to 255, got float64"),
        ([bank.picture(64, 64), bank.picture(64, 96)], "videos[0][1]: must be as large as the first frame, 64x64"),
        ([bank.picture(64, 64), "nothing"], "videos[0][1]: must be a file's path"),
        ("no-such-clip.gif", "There is no such file"),
        (b"", "must be"),
        (b"no video at all, whatever decoder", "must be"),
        (np.zeros((4, 32, 6464, 3), np.uint8), "differ by at most 200 times"),
    ],
)
def test_wrong_clips_are_refused_in_one_line(reader, value, words):
    assert words in refused(reader, value)


def test_folder_without_frames_is_refused(reader, tmp_path):
    assert "a folder of frames" in refused(reader, tmp_path)


@pytest.mark.parametrize("content", [b"no array", b"\x93NUMPY\x01\x00v\x00{'descr'"])
def test_damaged_array_file_is_refused(reader, tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    assert "must be a .npy array" in refused(reader, tmp_path / "a.npy")


def test_array_file_of_objects_is_never_unpickled(reader, tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "must be a .npy array" in refused(reader, tmp_path / "a.npy")


def test_video_file_without_frames_is_refused(reader, tmp_path):
    av = pytest.importorskip("av", reason="video files are read by the video extra's decoder")
    with av.open(str(tmp_path / "sound.wav"), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
        frame.rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    assert "without pictures" in refused(reader, tmp_path / "sound.wav")


def test_cut_video_file_is_refused(reader, tmp_path):
    path = written(tmp_path / "clip.mp4", bank.clip(6, 96, 64), codec="mpeg4", pixel_format="yuv420p")
    path.write_bytes(path.read_bytes()[:-400])
    assert refused(reader, path).startswith("videos[0]: ")


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ([{"total_num_frames": 9}], "at most the clip's 4 frames"),
        ([{"total_num_frames": 4, "rate": 3}], "must be objects of total_num_frames, fps"),
        ([{"fps": 0}], "must be a number above 0"),
        ([{}, {}], "one entry a clip, got 2 for 1"),
        ([{"frames_indices": "0123"}], "frames_indices must be whole numbers"),
        (["x"], "must be objects of total_num_frames"),
    ],
)
def test_wrong_metadata_is_refused_in_one_line(reader, metadata, words):
    assert words in refused(reader, bank.clip(4, 64, 64), media_kwargs={"video_metadata": metadata})


def test_indices_must_be_one_a_frame(reader):
    kwargs = {"do_sample_frames": False, "video_metadata": {"frames_indices": [0, 1, 2]}}
    assert "got 3 for 4 frames" in refused(reader, bank.clip(4, 64, 64), media_kwargs=kwargs)


def test_capped_frames_have_fewer_tokens(reader):
    clip = np.zeros((4, 960, 1280, 3), np.uint8)
    plain = reader.clip(clip, {"do_sample_frames": False})
    capped = reader.clip(clip, {"do_sample_frames": False, "cap_pixels_per_frame": True})
    assert (plain.grid_thw, capped.grid_thw) == (((2, 60, 80),), ((2, 48, 64),))
