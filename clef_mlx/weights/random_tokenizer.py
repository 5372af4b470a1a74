"""A small byte-level BPE tokenizer with the Qwen control tokens, for releases made of random weights.

It is learnt from the text below, so that ordinary words cost about as many tokens as in a real vocabulary.
It knows nothing of weights.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from clef_mlx.tokenizer import byte_level_splits

# In the release's order; the flag is the release's `special`.
CONTROL_TOKENS = {
    "<|endoftext|>": True,
    "<|im_start|>": True,
    "<|im_end|>": True,
    "<|vision_start|>": True,
    "<|vision_end|>": True,
    "<|vision_pad|>": True,
    "<|image_pad|>": True,
    "<|video_pad|>": True,
    "<tool_call>": False,
    "</tool_call>": False,
    "<tool_response>": False,
    "</tool_response>": False,
    "<think>": False,
    "</think>": False,
}
MERGES = 700
TEXT = """\
system user assistant STATE:

SCHEMA FIELDS:

FIELD 1
ID: a
TYPE: noul
INSTRUCTION: Is it true?
ALLOWED OPTIONS:
OPTION 1: {"option_id":"true"}
OPTION 2: {"option_id":"false"}
END FIELD

FIELD 2
ID: b
TYPE: choice
INSTRUCTION: Which?
ALLOWED OPTIONS:
OPTION 1: {"option_id":"a"}
OPTION 2: {"option_id":"b"}
END FIELD

JOINT SCHEMA DECISIONS: Read the complete state and schema. Decide every field jointly. Each answer must be exactly one
of that field's allowed options. noul choice score {"description":"The proposition is true or the answer is yes.",
"option_id":"true"} {"description":"The proposition is false or the answer is no.","option_id":"false"}
{"option_id":"0"}
{"customer":"The parcel has not arrived","order":{"id":12,"items":[{"name":"lamp","price":20}]},"status":"open"}
The customer writes that the order has not arrived and asks for the money back. She was told twice that it would come
this week. Is this message urgent? Which team should answer it? How angry is the customer? The invoice was paid late,
the amount does not match, and the bank account is new. The service is down, the log says: error, timeout, connection
refused, retry in ten seconds. Should the tool be called with these arguments? It would delete all the files.
the of and to in is that it for was on are as with they be at this have from or one had by but not what all were when
we there can an your which their if will each about how up out them then many some so these would other into has more
two like him see time could no make than first been its who now people my made over did down only way find use may
Der Kunde schreibt, dass die Bestellung nicht angekommen ist und er das Geld zurück haben möchte. Ist die Nachricht
dringend? Welche Abteilung ist für die Rechnung zuständig? Le client demande un remboursement pour la commande.
El cliente no ha recibido el pedido y quiere hablar con una persona.
ご注文の商品がまだ届いていません。返金をお願いします。
客户说订单还没有收到，请尽快退款。 العميل يقول إن الطلب لم يصل بعد ग्राहक कहता है कि ऑर्डर अभी तक नहीं आया है
"""


def build_tokenizer() -> Tokenizer:
    """The tokenizer, the same on every machine."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = _learn_merges(MERGES)
    vocabulary = {token: index for index, token in enumerate(dict.fromkeys([*alphabet, *map("".join, merges)]))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = byte_level_splits()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens(
        [AddedToken(text, normalized=False, special=special) for text, special in CONTROL_TOKENS.items()]
    )
    return tokenizer


def write_tokenizer(folder: Path) -> None:
    """Write tokenizer.json and tokenizer_config.json as the release names them."""
    build_tokenizer().save(str(folder / "tokenizer.json"))
    facts = {
        "add_prefix_space": False,
        "bos_token": None,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "errors": "replace",
        "image_token": "<|image_pad|>",
        "model_max_length": 262144,
        "pad_token": "<|endoftext|>",
        "processor_class": "Qwen3VLProcessor",
        "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
        "video_token": "<|video_pad|>",
        "vision_bos_token": "<|vision_start|>",
        "vision_eos_token": "<|vision_end|>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(facts, indent=2) + "\n")


@cache
def _learn_merges(count: int) -> list[tuple[str, str]]:
    """Byte pair encoding's own rule, the most frequent neighbours first; ties go to the smaller pair.

    The library's trainer would start threads, and a later fork would then print a warning.
    """
    pieces = [piece for piece, _ in byte_level_splits().pre_tokenize_str(TEXT)]
    words = [(list(word), times) for word, times in Counter(pieces).items()]
    pairs: Counter[tuple[str, str]] = Counter()
    for symbols, times in words:
        for pair in zip(symbols, symbols[1:], strict=False):
            pairs[pair] += times
    merges = []
    for _ in range(count):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for symbols, times in words:
            _merge(symbols, best, times, pairs)
        del pairs[best]
    return merges


def _merge(symbols: list[str], pair: tuple[str, str], times: int, pairs: Counter[tuple[str, str]]) -> None:
    """Join `pair` wherever it stands in one word, and keep the counts of neighbours right."""
    if pair not in zip(symbols, symbols[1:], strict=False):
        return
    for neighbours in zip(symbols, symbols[1:], strict=False):
        pairs[neighbours] -= times
    at = 0
    while at < len(symbols) - 1:
        if (symbols[at], symbols[at + 1]) == pair:
            symbols[at : at + 2] = ["".join(pair)]
        at += 1
    for neighbours in zip(symbols, symbols[1:], strict=False):
        pairs[neighbours] += times
