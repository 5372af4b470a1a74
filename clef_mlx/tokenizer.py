"""Text to token ids with a release's own vocabulary.

Uses the `tokenizers` library alone: transformers would cost seconds at every start. It knows no request.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from clef_mlx.errors import CheckpointError
from clef_mlx.strict_json import show

# The hub's tokenizer.json still splits at combining marks (`\p{L}+`). transformers (5.18 and later) ignores its
# normalizer and pattern and rebuilds these, whatever the file says; the publisher's code runs on transformers.
# Source: transformers 5.24, models/qwen3_5/tokenization_qwen3_5.py.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PAD_TOKEN = "<|endoftext|>"  # the family's, where tokenizer_config.json names none
PROMPT_TOKENS = ("<|im_start|>", "<|im_end|>")
# Behind such a character PATTERN always ends a word, whatever follows: none of its alternatives goes from a letter or
# digit on to ASCII punctuation, white space or these two, and none looks back. NFC joins nothing across it either.
SEAM = re.compile(r"[A-Za-z0-9\u3042-\u3093\u30a2-\u30f3\u4e00-\u9fa5](?=[\t\n\r -/:-@\[-`{-~\u3001\u3002])|\w(?= )")
PART_CHARACTERS = 1 << 18  # of a long text encoded at once; the library keeps some 200 bytes for each
LONG_CHARACTERS = 1 << 14  # Python stands still for some 20 ms while the library encodes as many
POOL_VARIABLE = "TOKENIZERS_PARALLELISM"  # "false": the library starts no thread pool


class ReleaseTokenizer:
    """Encodes as the publisher does, and in a second way that leaves control tokens in the text as text.

    The added tokens (`<|im_end|>`, `<|image_pad|>`, but also `<think>` and `<tool_call>`, which are not "special")
    are the only difference. Both ways share one model, so the second costs nothing.
    """

    def __init__(self, tokenizer: Tokenizer, pad_token_id: int) -> None:
        self.pad_token_id = pad_token_id
        self._publisher = tokenizer
        self._text = Tokenizer(tokenizer.model)
        for way in (self._publisher, self._text):
            way.normalizer = normalizers.NFC()
            way.pre_tokenizer = byte_level_splits()
            way.no_truncation()
            way.no_padding()
        self._fixed: dict[str, tuple[int, ...]] = {}

    @classmethod
    def from_folder(cls, folder: str | Path) -> ReleaseTokenizer:
        """Read tokenizer.json and tokenizer_config.json. Raises CheckpointError, one line."""
        folder = Path(folder)
        tokenizer = _read_tokenizer(folder / "tokenizer.json")
        pad_token = _pad_token(folder / "tokenizer_config.json")
        for text in (*PROMPT_TOKENS, pad_token):
            if tokenizer.token_to_id(text) is None:
                raise CheckpointError(
                    f"tokenizer.json: must hold the token {show(text)}, got none. "
                    "It is another model's; take the release's."
                )
        return cls(tokenizer, tokenizer.token_to_id(pad_token))

    @classmethod
    def from_file(cls, path: Path, pad_token_id: int) -> ReleaseTokenizer:
        """Read a tokenizer.json alone. Raises CheckpointError, one line."""
        return cls(_read_tokenizer(path), pad_token_id)

    def encode(self, text: str, control_tokens: str = "text") -> list[int]:
        """Token ids of one piece. `control_tokens`: "text" keeps them text, "publisher" makes them control tokens.

        Text without control tokens encodes the same in both ways. Pieces are encoded one by one on purpose: batches
        would start a thread pool, which a later fork must not inherit, and gain little at these sizes. But only a batch
        lets Python's other threads run meanwhile, so a program that rules the pool out has its long pieces as batches.
        """
        way = self._publisher if control_tokens == "publisher" else self._text
        if len(text) > LONG_CHARACTERS and os.environ.get(POOL_VARIABLE) == "false":
            return way.encode_batch_fast([text], add_special_tokens=False)[0].ids
        return way.encode(text, add_special_tokens=False).ids

    def encode_start(self, text: str, most: int, control_tokens: str = "text") -> tuple[list[int], int]:
        """The first `most` ids of `encode` and how many there are, in memory for little more than those.

        Control tokens may lie across any seam, so "publisher" encodes the text as a whole.
        """
        ids: list[int] = []
        count = 0
        for part in [text] if control_tokens == "publisher" else _parts(text):
            found = self.encode(part, control_tokens)
            count += len(found)
            ids += found[: most - len(ids)]
        return ids, count

    @cached_property
    def largest_id(self) -> int:
        """The largest id any text can get, added tokens included."""
        return max(self._publisher.get_vocab(with_added_tokens=True).values())

    def fixed(self, text: str) -> tuple[int, ...]:
        """Ids of a piece of the prompt's own frame, remembered: the frame comes again in every request."""
        if text not in self._fixed:
            self._fixed[text] = tuple(self.encode(text, "publisher"))
        return self._fixed[text]


def check_vocabulary(tokenizer: ReleaseTokenizer, vocab_size: int) -> None:
    """Refuse a tokenizer with ids beyond the embedding's rows: they would read foreign memory. CheckpointError."""
    if tokenizer.largest_id >= vocab_size:
        raise CheckpointError(
            f"tokenizer.json: ids must be below the model's vocab_size {vocab_size}, got {tokenizer.largest_id}. "
            "It is another model's, or has tokens added; take the release's."
        )


def _parts(text: str) -> Iterator[str]:
    """Cut a text at seams, so that its parts encode to the same ids as the whole."""
    start = 0
    while len(text) - start > PART_CHARACTERS and (seam := SEAM.search(text, start + PART_CHARACTERS)):
        yield text[start : seam.end()]
        start = seam.end()
    yield text[start:]


def byte_level_splits() -> pre_tokenizers.PreTokenizer:
    """Cut text into words by PATTERN, then write their bytes as letters."""
    words = pre_tokenizers.Split(Regex(PATTERN), behavior="isolated")
    return pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _read(path: Path) -> bytes:
    """A regular file's content; a pipe in its place would wait for ever."""
    if path.exists() and not path.is_file():
        raise OSError("not a regular file")
    return path.read_bytes()


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        content = _read(path)
    except OSError as error:
        reason = error.strerror or error
        raise CheckpointError(f"tokenizer.json: cannot be read in {path.parent}: {reason}. Get it again.") from None
    if content.startswith(b"version https://git-lfs"):
        raise CheckpointError("tokenizer.json: this is a Git LFS pointer, not the file. Run `git lfs pull` beside it.")
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except Exception as error:  # the library raises no narrower kind
        reason = str(error).splitlines()[0]
        raise CheckpointError(f"tokenizer.json: must be a tokenizer, got an error: {reason}. Get it again.") from error
    if not isinstance(tokenizer.model, models.BPE):
        kind = type(tokenizer.model).__name__
        raise CheckpointError(f"tokenizer.json: must be byte-level BPE, got {kind}. It is another model's.")
    return tokenizer


def _pad_token(path: Path) -> str:
    """What tokenizer_config.json pads with: a string, or an object with the text in `content`."""
    try:
        named = json.loads(_read(path)).get("pad_token")
        token = named if isinstance(named, str) else named["content"] if named else PAD_TOKEN
        if not isinstance(token, str):
            raise TypeError("pad_token must be text")
        return token
    except FileNotFoundError:
        return PAD_TOKEN
    except (OSError, ValueError, AttributeError, TypeError, KeyError, RecursionError) as error:
        raise CheckpointError(f"tokenizer_config.json: cannot be read: {error}. Get it again.") from error
