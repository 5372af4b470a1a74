"""Texts of training requests -> nano's byte-level BPE, whose words are the same token wherever they stand.

The release's pattern hands a word over together with the space or punctuation before it. A model this small does not
learn that ` open`, `"open` and `open` are one word, so no merge reaches across: a space is a token of its own, but
before the most frequent words, which are never looked up.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from clef_mlx import encoding
from clef_mlx.labelled import parse_labelled
from clef_mlx.schema import render
from clef_mlx.tokenizer import byte_level_splits
from clef_mlx.weights.random_tokenizer import CONTROL_TOKENS

VOCABULARY = 6144  # control tokens included
SPACED_WORDS = 24  # function words that take their space along
# Pieces of the prompt's frame, a token each instead of some 80 a request. Only the frame is encoded with added tokens:
# in a request's own text they stay text.
FRAME = (
    encoding.OPENING,
    encoding.SCHEMA_HEADER,
    encoding.OPTIONS_HEADER,
    encoding.FIELD_END,
    encoding.CLOSING,
    *(encoding.OPTION_HEADER.format(number=number) for number in range(1, 13)),
)
ENOUGH = 30  # occurrences of a piece that count
# Letters apart from everything else, so that merges never join a word to what stands before it; digits one by one.
PIECES = re.compile(r"[^\W\d_]+| ?[^\w\s]+|\d|_|\s+")


def learn_tokenizer(lines: Iterable[Mapping[str, Any]]) -> Tokenizer:
    """Learn from labelled lines; the same lines give the same tokenizer."""
    counts = Counter(piece for line in lines for text in _texts(line) for piece in PIECES.findall(text))
    counts.update(dict.fromkeys(PIECES.findall(encoding.FIELD_HEADER), ENOUGH))
    spaced = [word for word in _by_frequency(counts) if word.isascii() and word.isalpha()][:SPACED_WORDS]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(CONTROL_TOKENS) - len(FRAME) - len(spaced),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    # Beyond some count a word has its token anyway.
    words = (piece for piece in _by_frequency(counts) for _ in range(min(counts[piece], ENOUGH)))
    tokenizer.train_from_iterator(words, trainer)
    return _with_spaces(tokenizer, spaced)


def _by_frequency(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda piece: (-counts[piece], piece))


def _with_spaces(learnt: Tokenizer, words: Iterable[str]) -> Tokenizer:
    """The learnt merges under the release's own pattern, then a merge of the space and each of `words`."""
    model = json.loads(learnt.to_str())["model"]
    vocabulary: dict[str, int] = dict(model["vocab"])
    merges = [tuple(pair) for pair in model["merges"]]
    space = "Ġ"  # how byte-level BPE writes it
    for word in words:
        if word in vocabulary:
            merges.append((space, word))
            vocabulary[space + word] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = byte_level_splits()
    tokenizer.decoder = decoders.ByteLevel()
    added = CONTROL_TOKENS | dict.fromkeys(FRAME, False)
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=special) for text, special in added.items()])
    return tokenizer


def _texts(line: Mapping[str, Any]) -> Iterator[str]:
    request = parse_labelled(dict(line), "line").parsed
    yield render(request.state)
    for question in request.questions:
        yield f"ID: {question.id}\nTYPE: {question.type}\nINSTRUCTION: "
        yield render(question.instructions)
        for number, option in enumerate(question.options, start=1):
            yield f"OPTION {number}: {render({'option_id': option.option_id, 'description': option.description})}\n"
