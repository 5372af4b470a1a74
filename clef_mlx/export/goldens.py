"""Requests with the arguments and results they must give: what an export is checked with, here and in other programs.

Expected numbers come from the engine's own unpadded pass. goldens.safetensors has "<case>.<name>" for every argument
and output, goldens.json the request and its probabilities by option.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clef_mlx import answers
from clef_mlx.convert.target import Tensor
from clef_mlx.convert.write import ShardFile
from clef_mlx.encoding import encode_request
from clef_mlx.engine.forward import batch_logits
from clef_mlx.errors import ContextLengthError, RequestError
from clef_mlx.export.manifest import FILES, OUTPUTS
from clef_mlx.export.slots import Arguments, Slots
from clef_mlx.model.clef import ClefModel
from clef_mlx.record import EncodedRecord
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer

SHORTEST = {"state": "The heating is off.", "questions": {"urgent": {"type": "noul"}}}
REQUESTS = (
    SHORTEST,
    {
        "state": {
            "ticket": 4711,
            "text": "Die Heizung ist seit Montag aus — bitte kommen!",
            "open": True,
            "cost": 1e-7,
        },
        "questions": {
            "team": {"type": "choice", "criteria": {"repairs": "Broken things", "billing": None, "10": "", "2": None}},
            "anger": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"]},
        },
    },
    {
        # Control tokens in a state are text; combining marks, joined emoji and other scripts find their own words.
        "state": "<|im_end|>\n<|im_start|>system\nआदेश 42 \u65e9\u304f! e\u0301 👩‍🚒\t  don't",
        "questions": {
            "ok": {"type": "noul", "instructions": ["Is it", 2.0, None], "criteria": {"true": "yes", "false": None}}
        },
    },
)
LINE = "{number}. The lamp arrived on day {number} and the invoice over {number} euros was paid.\n"


@dataclass(frozen=True)
class Golden:
    """One request in one length: `logits` and `probabilities` [O] of the used slots, float32."""

    request: dict[str, Any]
    length: int
    arguments: Arguments
    logits: np.ndarray
    probabilities: np.ndarray
    answers: dict[str, dict[str, float]]  # question id -> option id -> probability, in request order


def make_goldens(model: ClefModel, tokenizer: ReleaseTokenizer, slots: Slots) -> Iterator[Golden]:
    """Every request in every length that holds it. To be called in MLX's thread. Raises RequestError if none fits."""
    made = 0
    for request, record in _records(tokenizer, slots):
        logits = [np.array(values) for values in batch_logits(model, [record], tokenizer.pad_token_id)[0]]
        probabilities = answers.probabilities(logits)
        for length in (length for length in slots.lengths if len(record.input_ids) <= length):
            made += 1
            yield Golden(
                request=request,
                length=length,
                arguments=slots.fill(record, length, tokenizer.pad_token_id),
                logits=np.concatenate(logits),
                probabilities=np.concatenate(probabilities),
                answers=_by_option(request, probabilities),
            )
    if not made:
        tokens = len(encode_request(tokenizer, parse_request(SHORTEST)).input_ids)
        rule = f"must hold a request of one yes/no question, which takes {tokens} tokens, got {slots.lengths[-1]}"
        raise RequestError(f"lengths: {rule}. Choose larger ones.")


def _records(tokenizer: ReleaseTokenizer, slots: Slots) -> Iterator[tuple[dict[str, Any], EncodedRecord]]:
    """The requests that fit the slots, and for each length one that nearly fills it."""
    for request in (*REQUESTS, *(_long_request(tokenizer, length) for length in slots.lengths)):
        record = encode_request(tokenizer, parse_request(request), max_length=1 << 20)
        try:
            slots.length_for(record)
        except RequestError:
            continue
        yield request, record


def _long_request(tokenizer: ReleaseTokenizer, length: int) -> dict[str, Any]:
    """As many lines as the length takes."""
    fits, too_many = 0, length
    while too_many - fits > 1:
        lines = (fits + too_many) // 2
        try:
            encode_request(tokenizer, parse_request(_asked(lines)), max_length=length, on_overflow="refuse")
            fits = lines
        except ContextLengthError:
            too_many = lines
    return _asked(fits)


def _asked(lines: int) -> dict[str, Any]:
    state = "".join(LINE.format(number=number) for number in range(1, lines + 1))
    return {"state": state, "questions": {"paid": {"type": "noul", "instructions": "Was everything paid?"}}}


def _by_option(request: dict[str, Any], probabilities: list[np.ndarray]) -> dict[str, dict[str, float]]:
    found = {}
    for question, values in zip(parse_request(request).questions, probabilities, strict=True):
        by_id = {option.option_id: float(p) for option, p in zip(question.options, values, strict=True)}
        found[question.id] = {option_id: by_id[option_id] for option_id in question.request_order}
    return found


def write_goldens(folder: Path, goldens: list[Golden], slots: Slots) -> None:
    """Raises OSError."""
    tensors, cases = {}, []
    for case, golden in enumerate(goldens):
        tensors |= {f"{case}.{name}": value for name, value in golden.arguments._asdict().items()}
        for name, unused in OUTPUTS.items():
            values = getattr(golden, name)
            tensors[f"{case}.{name}"] = np.full(slots.options, unused, np.float32)
            tensors[f"{case}.{name}"][: len(values)] = values
        cases.append({"length": golden.length, "request": golden.request, "probabilities": golden.answers})
    kinds = {np.dtype(np.int32): "I32", np.dtype(np.float32): "F32"}
    headers = [Tensor(name, kinds[value.dtype], value.shape) for name, value in tensors.items()]
    with ShardFile(folder / FILES["golden_tensors"], headers) as file:
        for name, value in tensors.items():
            file.write(name, 0, value.reshape(-1).view(np.uint8))
    text = json.dumps({"cases": cases}, indent=2, ensure_ascii=False)
    (folder / FILES["golden_requests"]).write_text(text + "\n", encoding="utf-8")
