"""Reads pictures and clips with a release's own processor: what the media tests do again and again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clef_mlx.media import ProcessorConfig, prepare
from clef_mlx.record import Media
from clef_mlx.tokenizer import ReleaseTokenizer


class Reader:
    """One release's processor and tokenizer."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = ReleaseTokenizer.from_folder(folder)
        self.processor = ProcessorConfig.from_folder(folder)

    def read(self, request: dict[str, Any], *, max_tokens: int = 16384, **options: Any) -> Media:
        """The media of a request body; text may name files unless said otherwise."""
        return prepare(
            request.get("images", ()),
            request.get("videos", ()),
            request.get("media_kwargs", {}),
            processor=self.processor,
            encode=lambda text: self.tokenizer.encode(text, "publisher"),
            max_tokens=max_tokens,
            **({"allow_paths": True} | options),
        )

    def image(self, value: Any, **options: Any) -> Media:
        return self.read({"images": [value]}, **options)

    def clip(self, value: Any, media_kwargs: dict[str, Any] | None = None, **options: Any) -> Media:
        return self.read({"videos": [value], "media_kwargs": media_kwargs or {}}, **options)
