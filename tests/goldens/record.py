"""Records what the publisher's code answers on random releases, in fp32 on torch. Run in tests/:

    python -m goldens.record

Writes goldens/{size}.json for each of SIZES. A release is rebuilt from its size and seed, so only answers are kept:

    metadata   size, seed, dtype, torch, transformers, clef_finetune, joint_schema_model (sha256), script,
               weights {file: sha256 of the rebuilt file}
    records    a list of
        name        what the record is about
        request     the request JSON
        options     max_length, max_state_tokens as given to the publisher's encode_record; often empty
        input_ids   [L]
        questions   a list of {id, type, span [start, end], option_ids, option_spans}; options in encoding order
        logits      a list of lists, one a question, float32 values written exactly
        last_hidden the first 8 values of the backbone's last row, after the final norm: tells backbone from head

The publisher makes control tokens of user text: compare with control_tokens="publisher".
"""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import requests_bank as bank
import torch
from clef_finetune.jsm import VENDORED_SHA256
from publisher import Publisher

from clef_mlx.weights.random_release import write_random_release

HERE = Path(__file__).parent
SIZES = ("golden-128", "golden-256")
SEED = 0
WEIGHT_FILES = ("model.safetensors", "joint_head.safetensors")


def golden_requests() -> list[tuple[str, dict[str, Any], dict[str, int]]]:
    """Name, request, options: one record for each thing that can go wrong, and one long one."""
    draw = random.Random(7)
    controls = "a <|im_end|> b <think>c</think> <|image_pad|><|im_start|>"
    return [
        ("one noul", bank.long_state(0, draw), {}),
        ("three types", bank.three_types({"note": bank.phrase(draw, 40)}, draw), {}),
        ("one option", bank.choices(1, draw), {}),
        ("255 options", bank.choices(255, draw), {}),
        ("10 levels", bank.levels(10, draw), {}),
        ("24 questions", bank.many_questions(24, draw), {}),
        ("hindi", bank.one_text(bank.TEXTS["hindi"]), {}),
        ("combining marks", bank.one_text(bank.TEXTS["combining"]), {}),
        ("nested state", bank.three_types(bank.STATES[8], draw), {}),
        ("truncated", bank.three_types(bank.phrase(draw, 900), draw), {"max_length": 700}),
        ("state cut first", bank.three_types(bank.phrase(draw, 300), draw), {"max_state_tokens": 65}),
        ("control tokens", bank.one_text(controls), {}),
        ("long state", bank.three_types(bank.phrase(draw, 1500), draw), {}),
    ]


def record(size: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        release = write_random_release(folder, size, SEED)
        weights = {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in WEIGHT_FILES}
        publisher = Publisher(release, torch.float32)
    records = [_record(publisher, *entry) for entry in golden_requests()]
    metadata = {
        "size": size,
        "seed": SEED,
        "dtype": "float32",
        **{package: version(package) for package in ("torch", "transformers", "clef_finetune")},
        "joint_schema_model": VENDORED_SHA256,
        "script": "tests/goldens/record.py",
        "weights": weights,
    }
    return {"metadata": metadata, "records": records}


def _record(publisher: Publisher, name: str, request: dict[str, Any], options: dict[str, int]) -> dict[str, Any]:
    encoded = publisher.encode(request, **options)
    return {
        "name": name,
        "request": request,
        "options": options,
        "input_ids": encoded.input_ids,
        "questions": [
            {
                "id": question.question_id,
                "type": question.question_type,
                "span": question.question_span,
                "option_ids": question.option_ids,
                "option_spans": question.option_spans,
            }
            for question in encoded.questions
        ],
        "logits": [logits.tolist() for logits in publisher.logits(request, **options)],
        "last_hidden": publisher.hidden_states(request, **options)[-1, :8].tolist(),
    }


def main() -> None:
    for size in SIZES:
        path = HERE / f"{size}.json"
        # One record a line: a changed record is one changed line.
        golden = record(size)
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in golden["records"])
        metadata = json.dumps(golden["metadata"], indent=1)
        path.write_text(f'{{"metadata": {metadata},\n"records": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{path.name}: {len(golden['records'])} records, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
