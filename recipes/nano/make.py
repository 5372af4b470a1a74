"""The whole recipe: invented decisions -> tokenizer -> training -> a release in the publisher's layout.

    python -m recipes.nano.make OUT                     alone
    mlx.launch -n 2 -- python -m recipes.nano.make OUT  two processes share each step (on two cores, 1.6 times as fast)

The same command goes on after an interruption. Every process draws the same data from the same seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import clef_mlx.blas  # noqa: F401 - OpenBLAS must be in place before MLX
import mlx.core as mx
from tokenizers import Tokenizer

from clef_mlx.encoding import SCHEMA_HEADER
from clef_mlx.engine import ranks, thread
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.train import checkpoint
from clef_mlx.train.adapters import prepare
from clef_mlx.train.examples import Examples
from clef_mlx.train.export import write_release
from clef_mlx.train.loop import Report, Run, Trainer
from clef_mlx.train.settings import TrainSettings
from clef_mlx.weights.random_tokenizer import write_tokenizer
from recipes.nano.embeddings import embeddings
from recipes.nano.generate import lines
from recipes.nano.start import HEAD, HIDDEN, config, fresh_model
from recipes.nano.tokenizer import learn_tokenizer

SEED = 1
TRAIN, VALID, LEARNT_FROM = 96_000, 300, 15_000  # requests; the tokenizer learns from the first of them
SETTINGS = TrainSettings(
    full=True,
    learning_rate=2e-4,
    head_learning_rate=2e-4,
    weight_decay=0.05,
    warmup=0.03,
    batch_size=64,
    batch_tokens=2048,
    validate_every=200,
    checkpoint_every=20,
    smoothing=0.02,
    rename=0.1,
    drop_descriptions=0.3,
    max_length=2048,
    seed=SEED,
)
EVERY = 20  # steps between two lines of the log


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains clef-nano from nothing and writes it to OUT.")
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    train = list(lines("train", TRAIN, SEED))
    start = out / "start"
    first = not ranks.launched() or ranks.join().rank == 0
    if first:
        _write_start(start, train)
    if ranks.launched():
        ranks.join().gather(b"started")
    try:
        thread.run_to_end(_train, train, start, out, first)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. The same command goes on from here.\n")
        raise SystemExit(130) from None


def _write_start(start: Path, train: list[dict[str, Any]]) -> None:
    """Configs and tokenizer, all that a release has beside its weights."""
    start.mkdir(parents=True, exist_ok=True)
    (start / "config.json").write_text(json.dumps(config(), indent=2) + "\n")
    (start / "joint_head_config.json").write_text(json.dumps(HEAD, indent=2) + "\n")
    write_tokenizer(start)
    learn_tokenizer(train[:LEARNT_FROM]).save(str(start / "tokenizer.json"))


def _train(train: list[dict[str, Any]], start: Path, out: Path, first: bool) -> None:
    tokenizer = ReleaseTokenizer.from_folder(start)
    learnt = Tokenizer.from_file(str(start / "tokenizer.json"))
    placed = embeddings(train[:LEARNT_FROM], learnt, HIDDEN, SEED)
    model = fresh_model(SEED, *placed, marker=tokenizer.fixed(SCHEMA_HEADER)[0])
    prepare(model, SETTINGS)
    trainer = Trainer(
        model,
        Examples(_named("train", train), tokenizer, SETTINGS),
        Examples(_named("valid", list(lines("valid", VALID, SEED))), tokenizer, SETTINGS),
        SETTINGS,
        pad_token_id=tokenizer.pad_token_id,
        group=mx.distributed.init() if ranks.launched() else None,
    )
    about = {"settings": SETTINGS.to_dict(), "train": TRAIN}
    run = trainer.start()
    if checkpoint.unfinished(out):
        checkpoint.restore(run, out, about)
    log, began, recent = out / "train.log", time.perf_counter(), []
    if first:
        kept = [line for line in _lines(log) if json.loads(line)["step"] <= run.step]
        log.write_text("".join(f"{line}\n" for line in kept))

    def save(run: Run) -> None:
        if first:
            checkpoint.save(run, out, about)

    for report in trainer.fit(run, save):
        recent.append(report)
        if first and (report.valid or report.step % EVERY == 0):
            line = json.dumps(_summary(recent, time.perf_counter() - began))
            sys.stderr.write(f"{line}\n")
            with log.open("a") as file:
                file.write(f"{line}\n")
        if report.valid or report.step % EVERY == 0:
            recent = []
        try:
            thread.stop_if_abandoned()
        except thread.Abandoned:
            save(run)
            raise
    if first:
        write_release(model, start, out / "release", dtype="bfloat16")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.is_file() else []


def _named(split: str, made: list[dict[str, Any]]) -> list[tuple[str, bytes]]:
    return [(f"{split}:{n}", json.dumps(line, ensure_ascii=False).encode()) for n, line in enumerate(made, start=1)]


def _summary(reports: list[Report], seconds: float) -> Mapping[str, Any]:
    last, count = reports[-1], len(reports)
    summary = {
        "step": last.step,
        "of": last.steps,
        "loss": round(sum(report.score.loss for report in reports) / count, 4),
        "accuracy": round(sum(report.score.accuracy for report in reports) / count, 4),
        "tokens_per_second": round(
            sum(report.tokens for report in reports) / sum(report.seconds for report in reports)
        ),
        "seconds": round(seconds),
    }
    if last.valid is not None:
        summary["valid"] = {name: round(value, 4) for name, value in last.valid._asdict().items()}
    return summary


if __name__ == "__main__":
    main()
