"""Records what the publisher's code makes of pictures and clips, in fp32 on torch. Run in tests/:

    python -m goldens.record_media

It needs torchvision beside torch, for clips (recorded with torch 2.14.1 and torchvision 0.29.1), and of our own package
only what builds the random release: no MLX. Images go through transformers' Pillow backend, whose pixels do not depend
on the machine. Writes goldens/media-{size}.json:

    metadata   size, seed, dtype, torch, torchvision, transformers, pillow, clef_finetune, joint_schema_model (sha256),
               script, weights {file: sha256 of the rebuilt file}
    records    one a case of media_bank.cases(), by its name
        input_ids     {length, sha256 of int32 little-endian, media: [[id, times], ...], the piece before the state}
        grids         [[t, h, w], ...] images first, in patches
        image_count   so many of them are images
        pixels        {"images": ..., "videos": ...}, each {shape, sha256 of float32 little-endian, sample: every
                      `stride`-th value} or null
        positions     {sha256 of int32 [3, L], last: the column of the last token, largest}
        question_spans, option_spans
        logits        a list of lists, one a question, options in encoding order
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import media_bank as bank
import numpy as np
import torch
from clef_finetune.jsm import VENDORED_SHA256
from publisher import Publisher
from publisher_media import load_processor

from clef_mlx.weights.random_release import write_random_release

HERE = Path(__file__).parent
SIZE = "golden-128"
SEED = 0
SAMPLES = 16  # values kept of each pixel array
WEIGHT_FILES = ("model.safetensors", "joint_head.safetensors")
MEDIA_TOKENS = ("mm_token_type_ids", "image_grid_thw", "video_grid_thw")
PACKAGES = ("torch", "torchvision", "transformers", "pillow", "clef_finetune")


def record(folder: Path) -> dict[str, Any]:
    release = write_random_release(folder / "release", SIZE, SEED)
    publisher, processor = Publisher(release, torch.float32), load_processor(release)
    metadata = {
        "size": SIZE,
        "seed": SEED,
        "dtype": "float32",
        **{package: version(package) for package in PACKAGES},
        "joint_schema_model": VENDORED_SHA256,
        "script": "tests/goldens/record_media.py",
        "weights": {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in WEIGHT_FILES},
    }
    return {"metadata": metadata, "records": [_record(publisher, processor, case, folder) for case in bank.cases()]}


@torch.inference_mode()
def _record(publisher: Publisher, processor: Any, case: bank.Case, folder: Path) -> dict[str, Any]:
    encoded = publisher.encode(case.publisher_request(folder), processor=processor, **case.options)
    batch = publisher.jsm.collate_records([encoded], publisher.tokenizer.pad_token_id, "cpu")
    media = batch["media"]
    positions, _ = publisher.model.language_model.model.get_rope_index(
        batch["input_ids"], **{name: media[name] for name in MEDIA_TOKENS if name in media}
    )
    grids = [media[name].tolist() for name in ("image_grid_thw", "video_grid_thw") if name in media]
    logits = publisher.model(batch)[0]
    print(case.name, len(encoded.input_ids))
    return {
        "name": case.name,
        "input_ids": _ids(encoded),
        "grids": sum(grids, []),
        "image_count": len(media.get("image_grid_thw", ())),
        "pixels": {
            "images": _pixels(media, "pixel_values"),
            "videos": _pixels(media, "pixel_values_videos"),
        },
        "positions": _positions(positions[:, 0].numpy()),
        "question_spans": [question.question_span for question in encoded.questions],
        "option_spans": [question.option_spans for question in encoded.questions],
        "logits": [values.tolist() for values in logits],
    }


def _ids(encoded: Any) -> dict[str, Any]:
    start = encoded.media["token_offset"]
    piece = encoded.input_ids[start : start + len(encoded.media["mm_token_type_ids"])]
    return {
        "length": len(encoded.input_ids),
        "sha256": hashlib.sha256(np.array(encoded.input_ids, dtype="<i4")).hexdigest(),
        "media": [[token, len(list(run))] for token, run in groupby(piece)],
    }


def _pixels(media: dict[str, torch.Tensor], name: str) -> dict[str, Any] | None:
    if name not in media:
        return None
    values = media[name].numpy()
    stride = max(1, values.size // SAMPLES)
    return {
        "shape": values.shape,
        "sha256": hashlib.sha256(np.ascontiguousarray(values, dtype="<f4")).hexdigest(),
        "stride": stride,
        "sample": [round(float(value), 6) for value in values.reshape(-1)[::stride]],
    }


def _positions(positions: np.ndarray) -> dict[str, Any]:
    return {
        "sha256": hashlib.sha256(np.ascontiguousarray(positions, dtype="<i4")).hexdigest(),
        "last": positions[:, -1].tolist(),
        "largest": int(positions.max()),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        golden = record(Path(folder))
    path = HERE / f"media-{SIZE}.json"
    # One record a line: a changed record is one changed line.
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in golden["records"])
    metadata = json.dumps(golden["metadata"], indent=1)
    path.write_text(f'{{"metadata": {metadata},\n"records": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{path.name}: {len(golden['records'])} records, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
