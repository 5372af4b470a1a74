"""The publisher's own torch code as a judge: a release folder in, encodings and logits out.

`load_release_model` also builds the picture processor, which wants torchvision; text does not, so backbone, head and
tokenizer are loaded here just as it loads them, without the processor.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

# Read when these packages are imported or called: the judge is the vendored file, and nothing is downloaded.
os.environ["CLEF_FINETUNE_JSM"] = "vendored"
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from clef_finetune.jsm import load_jsm
from safetensors.torch import load_file
from transformers import AutoTokenizer, Qwen3_5ForConditionalGeneration
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()


@cache
def joint_schema_model() -> ModuleType:
    """The publisher's module, unmodified."""
    return load_jsm()


def load_tokenizer(folder: str | Path) -> Any:
    """The tokenizer as the publisher's processor would hold it."""
    return AutoTokenizer.from_pretrained(folder)


def encode(tokenizer: Any, request: dict[str, Any], **options: Any) -> Any:
    """The publisher's EncodedRecord; `options` are max_length and max_state_tokens."""
    return joint_schema_model().encode_record(tokenizer, request, **options)


class Publisher:
    """One release in the publisher's code, on the CPU."""

    def __init__(self, folder: str | Path, dtype: torch.dtype = torch.float32) -> None:
        folder = Path(folder)
        self.jsm = joint_schema_model()
        self.tokenizer = load_tokenizer(folder)
        backbone = Qwen3_5ForConditionalGeneration.from_pretrained(folder, dtype=dtype)
        backbone.config.use_cache = False
        head = self.jsm.JointSchemaHead(**json.loads((folder / "joint_head_config.json").read_text()))
        head.load_state_dict(load_file(folder / "joint_head.safetensors"), strict=True)
        self.model = self.jsm.ClefModel(backbone, head.to(dtype=dtype)).eval()

    def encode(self, request: dict[str, Any], **options: Any) -> Any:
        return encode(self.tokenizer, request, **options)

    def logits(self, request: dict[str, Any], **options: Any) -> list[torch.Tensor]:
        """One tensor of logits a question, in the load dtype. Pictures want a `processor` (see publisher_media)."""
        return self.batch_logits([self.encode(request, **options)])[0]

    @torch.inference_mode()
    def batch_logits(self, records: list[Any]) -> list[list[torch.Tensor]]:
        """The same of several encoded records as one batch."""
        return self.model(self.jsm.collate_records(records, self.tokenizer.pad_token_id, "cpu"))

    def probabilities(self, request: dict[str, Any], **options: Any) -> list[torch.Tensor]:
        """One float32 tensor of probabilities a question, as the publisher's `systemone` makes them."""
        return [logits.float().softmax(-1) for logits in self.logits(request, **options)]

    @torch.inference_mode()
    def hidden_states(self, request: dict[str, Any], **options: Any) -> torch.Tensor:
        """The backbone's output after its final norm, [L, D]."""
        input_ids = torch.tensor([self.encode(request, **options).input_ids])
        return self.model.language_model.model.language_model(input_ids=input_ids).last_hidden_state[0]
