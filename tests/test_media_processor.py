"""The picture sidecars of a release: where they are looked for, and what is refused."""

from __future__ import annotations

import json

import media_bank as bank
import pytest
from media_reading import Reader

from clef_mlx.errors import CheckpointError
from clef_mlx.media import ProcessorConfig
from clef_mlx.media.sizes import Bounds

IMAGE = {
    "patch_size": 16,
    "temporal_patch_size": 2,
    "merge_size": 2,
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
    "size": {"shortest_edge": 65536, "longest_edge": 16777216},
}
VIDEO = IMAGE | {"size": {"shortest_edge": 4096, "longest_edge": 25165824}}


@pytest.fixture
def folder(tmp_path):
    """Writes sidecars by name and gives their folder."""

    def write(**files):
        for name, values in files.items():
            (tmp_path / f"{name}.json").write_text(values if isinstance(values, str) else json.dumps(values))
        return tmp_path

    return write


def test_parts_of_the_common_file_go_first(folder):
    both = {"image_processor": IMAGE, "video_processor": VIDEO}
    config = ProcessorConfig.from_folder(folder(processor_config=both, preprocessor_config={}))
    assert config.image.bounds == Bounds(65536, 16777216)
    assert config.video.bounds == Bounds(4096, 25165824)


def test_separate_files_are_read(folder):
    config = ProcessorConfig.from_folder(
        folder(processor_config={}, preprocessor_config=IMAGE, video_preprocessor_config=VIDEO)
    )
    assert (config.image.bounds.least, config.video.bounds.least) == (65536, 4096)


def test_clips_take_the_image_file_where_they_have_none(folder):
    config = ProcessorConfig.from_folder(folder(preprocessor_config=IMAGE))
    assert config.video.bounds == config.image.bounds


def test_older_names_of_the_bounds_are_read(folder):
    older = {name: value for name, value in IMAGE.items() if name != "size"} | {"min_pixels": 3136, "max_pixels": 99999}
    assert ProcessorConfig.from_folder(folder(preprocessor_config=older)).image.bounds == Bounds(3136, 99999)


def test_sampling_defaults_are_the_processors_own(folder):
    video = ProcessorConfig.from_folder(folder(preprocessor_config=IMAGE)).video
    assert (video.sample, video.fps, video.num_frames, video.min_frames, video.max_frames) == (True, 2, None, 4, 768)


def test_facts_of_the_file_change_what_is_read(folder, tiny_release):
    reader = Reader(tiny_release)
    values = IMAGE | {"patch_size": 8, "image_mean": [0, 0, 0], "image_std": [1, 0.5, 2], "rescale_factor": 0.01}
    reader.processor = ProcessorConfig.from_folder(folder(preprocessor_config=values))
    media = reader.image(bank.picture(256, 256))
    assert media.grid_thw == ((1, 32, 32),)
    pixels = bank.pixels(256, 256)[0, 0] * 0.01 / [1, 0.5, 2]
    assert media.pixel_values[0].reshape(3, 2, 8, 8)[:, 1, 0, 0] == pytest.approx(pixels)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "preprocessor_config.json: file is missing"),
        ({"preprocessor_config": "{"}, "preprocessor_config.json: line 1"),
        ({"preprocessor_config": "[]"}, "preprocessor_config.json: must be an object"),
        ({"preprocessor_config": IMAGE | {"patch_size": 0}}, "patch_size must be a whole number from 1"),
        ({"preprocessor_config": IMAGE | {"size": {}}}, "size: shortest_edge must be a whole number"),
        ({"preprocessor_config": IMAGE | {"image_std": [0, 1, 1]}}, "image_std must be three numbers"),
        ({"preprocessor_config": IMAGE | {"image_mean": 0.5}}, "image_mean must be three numbers"),
        ({"preprocessor_config": IMAGE | {"do_normalize": False}}, "do_normalize must be True, got False"),
        ({"preprocessor_config": IMAGE | {"resample": 2}}, "resample must be 3, got 2"),
        ({"processor_config": {"image_processor": 5}}, "processor_config.json: image_processor: must be an object"),
        (
            {"preprocessor_config": IMAGE, "video_preprocessor_config": IMAGE | {"fps": 0}},
            "video_preprocessor_config.json: fps must be a number above 0",
        ),
    ],
)
def test_wrong_sidecars_are_refused_in_one_line(folder, files, words):
    with pytest.raises(CheckpointError) as caught:
        ProcessorConfig.from_folder(folder(**files))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
