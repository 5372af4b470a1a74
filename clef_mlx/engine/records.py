"""Checked requests -> the records a release's tokenizer and picture processor make of them."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from clef_mlx.calibration import Calibration, read_calibration
from clef_mlx.encoding import encode_request
from clef_mlx.engine.options import Options
from clef_mlx.errors import CheckpointError
from clef_mlx.media import ProcessorConfig, prepare
from clef_mlx.record import EncodedRecord, Media
from clef_mlx.schema import Request, isolate
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.vision import VisionSource


class Prepared(NamedTuple):
    """A checked request with the records it becomes: one, or one per question when isolated."""

    request: Request
    options: Options
    records: tuple[EncodedRecord, ...]
    calibration: Calibration | None = None

    @property
    def pixel_bytes(self) -> int:
        """What its pictures hold, which are the same in all its records."""
        media = self.records[0].media
        return 0 if media is None else media.pixel_values.nbytes


class Encoder:
    """Encodes requests for one release, in whatever thread asks."""

    def __init__(self, folder: Path, tokenizer: ReleaseTokenizer, vision: VisionSource, *, adapted: bool) -> None:
        self.folder, self.tokenizer, self.vision, self.adapted = folder, tokenizer, vision, adapted

    @cached_property
    def calibration(self) -> Calibration:
        """The folder's own. Raises CheckpointError, also where adapters made another model of it."""
        if self.adapted:
            rule = "must be of a model without adapters, got some. Merge them with clef-mlx convert, and calibrate that"
            raise CheckpointError(f"calibrated: {rule}.")
        return read_calibration(self.folder)

    def prepare(self, request: Request, options: Options, allow_paths: bool) -> Prepared:
        """Raises RequestError, ContextLengthError, CheckpointError. Without `allow_paths` no file is read."""
        parts = isolate(request) if options.isolate else [request]
        media = self._media(request, options, allow_paths)
        records = tuple(self._encode(part, options, media) for part in parts)
        return Prepared(request, options, records, self.calibration if options.calibrated else None)

    def _media(self, request: Request, options: Options, allow_paths: bool) -> Media | None:
        """A request's pictures as the tower takes them."""
        if not request.images and not request.videos:
            return None
        self.vision.refuse_absent("images" if request.images else "videos")
        return prepare(
            request.images,
            request.videos,
            request.media_kwargs,
            processor=self._processor,
            encode=partial(self.tokenizer.encode, control_tokens="publisher"),
            max_tokens=options.max_length,
            max_pixels=options.max_pixels,
            allow_paths=allow_paths,
        )

    @cached_property
    def _processor(self) -> ProcessorConfig:
        processor, vision = ProcessorConfig.from_folder(self.folder), self.vision.config
        made_for = (vision.patch_size, vision.temporal_patch_size, vision.spatial_merge_size)
        for kind, facts in (("image", processor.image), ("video", processor.video)):
            if (cut := (facts.patch_size, facts.temporal_patch_size, facts.merge_size)) != made_for:
                rule = f"patch, temporal patch and merge size must be config.json's {made_for}, got {cut}"
                raise CheckpointError(f"{kind}_processor: {rule}. Take the release's own sidecars.")
        return processor

    def _encode(self, request: Request, options: Options, media: Media | None) -> EncodedRecord:
        return encode_request(
            self.tokenizer,
            request,
            max_length=options.max_length,
            max_state_tokens=options.max_state_tokens,
            on_overflow=options.on_overflow,
            control_tokens=options.control_tokens,
            media=media,
        )
