"""The publisher's picture processor as a judge, its images through transformers' Pillow backend.

Clips need torchvision, which needs a torch of its own: without it this reads images alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import publisher  # noqa: F401 - it says where the judge's code is, before anything of it is imported
from transformers import AutoTokenizer
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.qwen3_vl.processing_qwen3_vl import Qwen3VLProcessor
from transformers.utils import is_torchvision_available


def load_processor(folder: str | Path) -> Any:
    """What `load_release_model` hands to the publisher's `encode_record`, but for the image backend."""
    parts = {
        "tokenizer": AutoTokenizer.from_pretrained(folder),
        "image_processor": Qwen2VLImageProcessorPil.from_pretrained(folder),
    }
    if is_torchvision_available():
        from transformers.models.qwen3_vl.video_processing_qwen3_vl import Qwen3VLVideoProcessor

        return Qwen3VLProcessor(**parts, video_processor=Qwen3VLVideoProcessor.from_pretrained(folder))
    return _images_alone(parts)


def _images_alone(parts: dict[str, Any]) -> Any:
    """A processor whose constructor is passed by: it refuses to stand without a video processor."""
    processor = Qwen3VLProcessor.__new__(Qwen3VLProcessor)
    for name, part in parts.items():
        setattr(processor, name, part)
    tokens = {name: f"<|{name}|>" for name in ("vision_start", "vision_end")}
    for name, token in (tokens | {name: f"<|{name}_pad|>" for name in ("image", "video")}).items():
        setattr(processor, f"{name}_token", token)
        setattr(processor, f"{name}_token_id", parts["tokenizer"].convert_tokens_to_ids(token))
    return processor
