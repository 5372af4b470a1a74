"""Small labelled sets and models to train on, shared by the training tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401
import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.train.adapters import prepare
from clef_mlx.train.batches import Batch, collate
from clef_mlx.train.examples import Examples
from clef_mlx.train.settings import TrainSettings
from clef_mlx.weights.load import LoadedRelease, load_release

TEAMS = {"repairs": "Something is broken.", "billing": "Money, invoices, refunds.", "sales": None}
MOODS = ["calm", "annoyed", "furious"]
PLAIN = {"rename": 0.0, "drop_descriptions": 0.0, "shuffle": 0.0}  # requests as they are written


def line(index: int) -> dict[str, Any]:
    """A request of one to three questions, every type and both kinds of label among the first four."""
    team, mood = list(TEAMS)[index % 3], index % len(MOODS)
    state = f"Ticket {index}: the {team} desk was asked {1 + mood} times. " + "It goes on. " * (index % 4 * 5)
    questions: dict[str, Any] = {
        "team": {"type": "choice", "instructions": "Who should answer?", "criteria": TEAMS},
        "mood": {"type": "score", "instructions": "How angry is the writer?", "criteria": MOODS},
        "again": {"type": "noul", "instructions": "Was it asked before?"},
    }
    labels: dict[str, Any] = {"team": team, "mood": mood, "again": mood > 0}
    if index % 4 == 1:
        labels = {"mood": {"0": 0.25, "2": 0.75}, "again": False}  # team has none
    if index % 4 == 2:
        del questions["mood"], labels["mood"]
    if index % 4 == 3:
        questions, labels = {"again": questions["again"]}, {"again": labels["again"]}
    return {"state": state, "questions": questions, "labels": labels}


def lines(count: int, first: int = 0) -> list[tuple[str, bytes]]:
    return [(f"data.jsonl:{i + 1}", json.dumps(line(i + first)).encode()) for i in range(count)]


def write_lines(path: Path, values: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def write_short(path: Path, count: int) -> Path:
    """Requests of one question."""
    return write_lines(path, [line(4 * index + 3) for index in range(count)])


def load(folder: Path, **options: Any) -> LoadedRelease:
    return load_release(folder, dtype="float32", **options)


def examples(folder: Path, count: int, settings: TrainSettings | None = None, first: int = 0) -> Examples:
    tokenizer = ReleaseTokenizer.from_folder(folder)
    return Examples(lines(count, first), tokenizer, settings or TrainSettings(**PLAIN))


def batch_of(folder: Path, count: int) -> Batch:
    found = examples(folder, count)
    return collate([found.plain(index) for index in range(count)], pad_token_id=0)


def prepared(folder: Path, settings: TrainSettings) -> LoadedRelease:
    release = load(folder)
    prepare(release.model, settings)
    return release


def moved(release: LoadedRelease, seed: int = 1, size: float = 0.05) -> LoadedRelease:
    """Every trainable parameter off its start, as training leaves it."""
    mx.random.seed(seed)
    found = tree_flatten(release.model.trainable_parameters())
    shifted = [(name, value + size * mx.random.normal(value.shape)) for name, value in found]
    release.model.update(tree_unflatten(shifted))
    return release


def flat(tree: Any) -> dict[str, mx.array]:
    return dict(tree_flatten(tree))
