"""Pictures: what is accepted, what is refused in one line, and how much memory either takes."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from pathlib import Path

import media_bank as bank
import numpy as np
import pytest
from media_reading import Reader
from PIL import Image

from clef_mlx.errors import ContextLengthError, RequestError, TooLargeError

SIZE = (300, 200)


@pytest.fixture(scope="module")
def reader(tiny_release):
    return Reader(tiny_release)


def same(one, other):
    return one.key == other.key and np.array_equal(one.pixel_values, other.pixel_values)


def refused(reader, value, *, kind=RequestError, **options):
    """The one line that says why a picture is refused."""
    with pytest.raises(kind) as caught:
        reader.image(value, **options)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("images[0]: ")
    assert caught.value.location == ("images", 0)
    return str(caught.value)


def test_every_way_to_give_a_picture_gives_the_same_record(reader, tmp_path):
    picture = bank.picture(*SIZE)
    content, path = bank.png(picture), bank.saved(picture, tmp_path / "a.png")
    url = bank.data_url(content)
    ways = [picture, path, str(path), content, bytearray(content), memoryview(content), bank.pixels(*SIZE), url]
    ways += [url.partition(",")[2], {"content_type": "image/png", "base64": url.partition(",")[2]}]
    first, *rest = [reader.image(way) for way in ways]
    assert all(same(first, other) for other in rest)


def test_base64_may_be_broken_into_lines(reader):
    url = bank.data_url(bank.png(bank.picture(*SIZE)))
    lines = "\n".join(url[start : start + 76] for start in range(0, len(url), 76))
    assert same(reader.image(lines.replace("base64,\n", "base64,")), reader.image(url))


def test_names_count_from_the_base_folder(reader, tmp_path):
    bank.saved(bank.picture(*SIZE), tmp_path / "a.png")
    assert same(reader.image("a.png", base=tmp_path), reader.image(bank.picture(*SIZE)))


def test_no_media_is_none(reader):
    assert reader.read({}) is None


def test_turned_picture_has_another_key(reader):
    upright = reader.image(bank.picture(256, 256))
    turned = reader.image(bank.picture(256, 256).transpose(Image.Transpose.ROTATE_90))
    assert upright.key != turned.key


def test_same_pixels_in_another_grid_have_another_key(reader):
    plain = [reader.image(Image.new("RGB", size)) for size in ((512, 256), (256, 512))]
    assert np.array_equal(plain[0].pixel_values, plain[1].pixel_values)
    assert plain[0].key != plain[1].key


def test_picture_of_the_caller_is_left_as_it_is(reader):
    picture = bank.picture(*SIZE, mode="RGBA")
    before = picture.tobytes()
    reader.image(picture)
    assert picture.mode == "RGBA"
    assert picture.tobytes() == before


def test_transparency_of_a_file_is_dropped_and_of_a_picture_laid_on_white(reader, tmp_path):
    clear = Image.new("RGBA", (256, 256), (255, 0, 0, 0))
    path = bank.saved(clear, tmp_path / "clear.png")
    assert same(reader.image(path), reader.image(Image.new("RGB", (256, 256), (255, 0, 0))))
    assert same(reader.image(clear), reader.image(Image.new("RGB", (256, 256), (255, 255, 255))))


def test_clipped_greys_are_noted(reader):
    assert reader.image(bank.picture(*SIZE, mode="I;16")).notes[0].startswith("images[0]: greys above 255 became white")
    assert not reader.image(bank.picture(*SIZE, mode="I")).notes


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I;16L", "I;16N"])
def test_greys_of_16_bits_are_read_in_every_order_of_bytes(reader, mode):
    dark, light = (reader.image(Image.new(mode, SIZE, grey)) for grey in (7, 300))
    assert same(dark, reader.image(Image.new("L", SIZE, 7)))
    assert not dark.notes
    assert light.notes[0].startswith("images[0]: greys above 255 became white")


def test_max_pixels_says_what_was_resized(reader):
    media = reader.read({"images": [bank.picture(640, 480), bank.picture(64, 64)]}, max_pixels=100_000)
    assert media.notes == ("images[0]: 640x480 became 352x256 instead of 640x480, for max_pixels 100000.",)
    assert media.grid_thw == ((1, 16, 22), (1, 16, 16))


def test_max_pixels_above_the_picture_changes_nothing(reader):
    assert same(reader.image(bank.picture(640, 480), max_pixels=10**6), reader.image(bank.picture(640, 480)))


def test_least_max_pixels_is_one_token(reader):
    assert reader.image(bank.picture(640, 480), max_pixels=1024).grid_thw == ((1, 2, 2),)


@pytest.mark.parametrize("size", [(1, 1), (1, 200), (31, 33), (200, 1), (6400, 32)])
def test_small_and_long_pictures_become_whole_tokens(reader, size):
    ((_, height, width),) = reader.image(bank.picture(*size)).grid_thw
    assert height % 2 == width % 2 == 0
    assert height * width * 256 >= 65536


def test_too_long_a_picture_is_refused(reader):
    assert "differ by at most 200 times, got 6433x32" in refused(reader, bank.picture(6433, 32))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "must be a Pillow image"),
        (7, "got 7"),
        (["a.png"], "got an array of 1 item"),
        ({"url": "http://example.com/a.png"}, "must hold the file as base64 text"),
        (b"", "got an empty one"),
        ("", "got an empty one"),
        (b"%PDF-1.7 and more", "must be a picture in PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "must be a picture in PNG"),
        ("no-such-file.png", "There is no such file"),
        ("http://127.0.0.1/a.png", "Nothing is fetched"),
        ("data:image/png,abc", "must be a data URL in base64"),
        ("data:image/png;base64,%%%", "got"),
        ("\0", "got"),
        (np.zeros((8, 8, 3)), "whole numbers from 0 to 255, got float64"),
        (np.full((8, 8, 3), 256), "whole numbers from 0 to 255"),
        (np.zeros((8, 8, 7), np.uint8), "got 8x8x7"),
        (np.zeros((2, 8, 8, 3), np.uint8), "got 2x8x8x3"),
        (np.zeros((0, 8, 3), np.uint8), "at least one pixel"),
        (np.zeros((8, 0), np.uint8), "at least one pixel"),
    ],
)
def test_wrong_pictures_are_refused_in_one_line(reader, value, words):
    assert words in refused(reader, value)


@pytest.mark.parametrize("name", ["a.png", "/etc/hostname", "file:///etc/hostname", Path("/etc/hostname")])
def test_names_are_not_read_where_paths_are_not_allowed(reader, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bank.saved(bank.picture(*SIZE), tmp_path / "a.png")
    refused(reader, name, allow_paths=False)


def test_folder_is_refused(reader, tmp_path):
    assert "a folder" in refused(reader, tmp_path)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"])
def test_cut_file_is_refused(reader, kind):
    stream = io.BytesIO()
    bank.picture(*SIZE).save(stream, kind)
    content = stream.getvalue()
    assert "damaged" in refused(reader, content[: len(content) // 2])


def test_picture_over_the_cap_is_refused_before_it_is_decoded(reader):
    assert "at most 59,999 pixels, got 300x200" in refused(
        reader, bank.png(bank.picture(*SIZE)), kind=TooLargeError, most_pixels=59_999
    )


def test_too_many_pictures_are_refused_before_they_are_read(reader):
    request = {"images": [bank.picture(256, 256)] * 3 + [b"never looked at"] * 1000}
    with pytest.raises(ContextLengthError, match=r"images\[2\]: .* max_length 150 tokens, got 192") as caught:
        reader.read(request, max_tokens=150)
    assert (caught.value.needed_tokens, caught.value.limit_tokens) == (192, 150)


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"do_resize": False}, "media_kwargs.do_resize: is not known"),
        ({"fps": 1, "num_frames": 4}, "must not stand beside fps"),
        ({"fps": 0}, "media_kwargs.fps: must be a number above 0"),
        ({"fps": float("nan")}, "media_kwargs.fps: must be a number above 0"),
        ({"fps": "2"}, "media_kwargs.fps: must be a number above 0"),
        ({"num_frames": 2.0}, "media_kwargs.num_frames: must be a whole number"),
        ({"do_sample_frames": 1}, "media_kwargs.do_sample_frames: must be true or false"),
        ({"size": {"longest_edge": 5}}, "shortest_edge and longest_edge"),
        ({"min_pixels": 10**12}, "must not ask for more pixels than it allows"),
        ({"videos_kwargs": {"min_pixels": 1}}, "media_kwargs.videos_kwargs: must hold size"),
        ({"images_kwargs": 3}, "media_kwargs.images_kwargs: must be an object"),
        ({3: 4}, "media_kwargs.3: is not known"),
        ({"video_metadata": [{"fps": 3}]}, "one entry a clip, got 1 for 0"),
    ],
)
def test_wrong_media_kwargs_are_refused_in_one_line(reader, kwargs, words):
    with pytest.raises(RequestError) as caught:
        reader.read({"images": [bank.picture(*SIZE)], "media_kwargs": kwargs})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bounds_for_images_alone_leave_clips(reader):
    request = {"images": [bank.picture(640, 480)], "videos": [bank.clip(4, 96, 64)]}
    media = reader.read(request | {"media_kwargs": {"images_kwargs": {"max_pixels": 70_000}}})
    assert media.grid_thw == ((1, 14, 18), (2, 4, 6))


def test_pictures_read_at_once_equal_pictures_read_in_turn(reader):
    pictures = [bank.png(bank.picture(200 + seed, 100, seed)) for seed in range(6)]
    alone, together = [reader.image(content).key for content in pictures], [b""] * 6

    def read(index):
        together[index] = reader.image(pictures[index]).key

    threads = [threading.Thread(target=read, args=(index,)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert together == alone


BOMB = """
import struct, sys, zlib
from media_reading import Reader
from clef_mlx.errors import TooLargeError

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024

side, packer = 20_000, zlib.compressobj(9)
rows = b"".join(packer.compress(bytes(side // 8 + 1)) for _ in range(side)) + packer.flush()
header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
bomb = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
reader, before = Reader(sys.argv[1]), peak()
try:
    reader.image(bomb)
except TooLargeError as error:
    print(round(peak() - before), error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_bomb_is_refused_in_little_memory(tiny_release):
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(tiny_release)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        timeout=120,
    )
    grown, _, message = done.stdout.strip().partition(" ")
    assert int(grown) < 200, done.stderr
    assert message.startswith("images[0]: must have at most 67,108,864 pixels")
