"""Pictures and clips against transformers itself: its Pillow backend, and its video processor where torchvision is."""

from __future__ import annotations

import io

import hypothesis
import hypothesis.strategies as st
import media_bank as bank
import numpy as np
import pytest
from media_reading import Reader
from PIL import Image

from clef_mlx.media.resample import resize_frame
from clef_mlx.media.sizes import Bounds, Size, frame_size, image_size

pytestmark = pytest.mark.live
for package in ("torch", "clef_finetune"):
    pytest.importorskip(package, reason="the publisher's code needs it, and it is not installed here")

import publisher  # noqa: E402 - it needs both
import publisher_media  # noqa: E402

CASES = bank.cases()
CLIPS = [case for case in CASES if case.videos is not bank.nothing]
IMAGES = [case for case in CASES if case.videos is bank.nothing]
TORCHVISION = pytest.mark.skipif(
    not publisher_media.is_torchvision_available(), reason="transformers reads clips with torchvision alone"
)
SIDES = st.integers(1, 5000)


@pytest.fixture(scope="module")
def ours(tiny_release):
    return Reader(tiny_release)


@pytest.fixture(scope="module")
def theirs(tiny_release):
    """A request body -> ids, pixel values and grids, images before clips."""
    processor = publisher_media.load_processor(tiny_release)

    def read(request):
        ids, media = publisher.joint_schema_model()._encode_media(processor, request)
        pixels = [media[name].numpy() for name in ("pixel_values", "pixel_values_videos") if name in media]
        grids = [media[name].tolist() for name in ("image_grid_thw", "video_grid_thw") if name in media]
        return tuple(ids), np.concatenate(pixels), tuple(map(tuple, sum(grids, [])))

    return read


def assert_equal(ours, theirs):
    ids, pixels, grids = theirs
    assert ours.input_ids == ids
    assert ours.grid_thw == grids
    assert np.array_equal(ours.pixel_values, pixels)


# transformers leaves the files it opens to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("case", IMAGES, ids=lambda case: case.name)
def test_images_equal_the_pillow_backend(ours, theirs, case, tmp_path):
    assert_equal(ours.read(case.request(tmp_path)), theirs(case.publisher_request(tmp_path)))


@TORCHVISION
@pytest.mark.parametrize("case", CLIPS, ids=lambda case: case.name)
def test_clips_equal_the_video_processor(ours, theirs, case, tmp_path):
    assert_equal(ours.read(case.request(tmp_path)), theirs(case.publisher_request(tmp_path)))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_jpeg_is_turned_as_transformers_turns_it(ours, theirs, orientation, tmp_path):
    path = bank.saved(bank.picture(300, 200), tmp_path / "a.jpg", **bank.turned(orientation))
    assert_equal(ours.image(path), theirs({"images": [str(path)]}))


@pytest.mark.parametrize(
    ("mode", "name"), [("CMYK", "a.jpg"), ("L", "a.jpg"), ("RGB", "a.webp"), ("RGBA", "a.webp"), ("1", "a.bmp")]
)
def test_lossy_and_odd_files_equal_transformers(ours, theirs, mode, name, tmp_path):
    path = bank.saved(bank.picture(300, 200, mode=mode), tmp_path / name)
    assert_equal(ours.image(path), theirs({"images": [str(path)]}))
    with Image.open(path) as opened:
        assert_equal(ours.image(opened), theirs({"images": [opened]}))


@pytest.mark.parametrize("mode", ["PA", "RGBa", "YCbCr", "LAB", "HSV", "I", "F"])
def test_rare_modes_equal_transformers(ours, theirs, mode):
    image = bank.picture(300, 200, mode="RGBA")
    image = image.convert({"LAB": "RGB"}.get(mode, "P" if mode == "PA" else "RGB"))
    image = Image.new("LAB", (300, 200), (90, 120, 60)) if mode == "LAB" else image
    image = bank.picture(300, 200, mode="RGBA").convert("RGBa") if mode == "RGBa" else image.convert(mode)
    assert_equal(ours.image(image), theirs({"images": [image]}))


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of min_pixels, which transformers still reads
@pytest.mark.parametrize("kwargs", [{"size": {"shortest_edge": 4096, "longest_edge": 40000}}, {"min_pixels": 300_000}])
def test_bounds_in_media_kwargs_equal_transformers(ours, theirs, kwargs):
    request = {"images": [bank.picture(300, 200)], "media_kwargs": kwargs}
    assert_equal(ours.read(request), theirs(request))


@pytest.mark.parametrize("width", [20, 333, 2000])
def test_max_pixels_is_their_longest_edge(ours, theirs, width):
    request = {"images": [bank.picture(width, 500)]}
    size = {"shortest_edge": 50_000, "longest_edge": 50_000}
    assert_equal(ours.read(request, max_pixels=50_000), theirs(request | {"media_kwargs": {"size": size}}))


@hypothesis.given(SIDES, SIDES, st.integers(1, 10**7), st.integers(0, 10**7))
def test_image_size_equals_smart_resize(height, width, least, more):
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    hypothesis.assume(max(height, width) / min(height, width) <= 200)
    expected = smart_resize(height, width, 32, least, least + more)
    assert image_size(Size(height, width), 32, Bounds(least, least + more)) == expected


@hypothesis.given(SIDES, SIDES, st.integers(2, 60), st.integers(1, 10**7), st.integers(0, 10**8))
def test_frame_size_equals_smart_resize(height, width, frames, least, more):
    from transformers.models.qwen3_vl.video_processing_qwen3_vl import smart_resize

    hypothesis.assume(max(height, width) / min(height, width) <= 190)
    expected = smart_resize(frames, height, width, 2, 32, least, least + more)
    assert frame_size(Size(height, width), frames, 2, 32, Bounds(least, least + more)) == expected


@hypothesis.given(*[st.integers(2, 300)] * 4, st.sampled_from([64, 200, 256]))  # torch fails over one pixel
def test_frame_is_resized_as_torch_resizes_it(height, width, to_height, to_width, levels):
    import torch

    frame = bank.pixels(width, height) // levels * 255 if levels < 256 else bank.pixels(width, height)
    planes = torch.from_numpy(np.moveaxis(frame, -1, 0).copy())[None]
    expected = torch.nn.functional.interpolate(planes, (to_height, to_width), mode="bicubic", antialias=True)
    ours = resize_frame(frame, Size(to_height, to_width))
    assert np.array_equal(ours, np.moveaxis(expected[0].numpy(), 0, -1))


def test_bytes_are_read_as_a_file(ours, theirs):
    content = io.BytesIO()
    bank.picture(300, 200).save(content, "JPEG", **bank.turned(8))
    url = bank.data_url(content.getvalue(), "image/jpeg")
    assert_equal(ours.image(content.getvalue(), allow_paths=False), theirs({"images": [url]}))
