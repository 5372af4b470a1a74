"""`clef-mlx train`: labelled requests make a model better at them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import named, printable, say
from clef_mlx.cli.flags import dtype_flag, model_flag
from clef_mlx.train.settings import TrainSettings

if TYPE_CHECKING:
    from clef_mlx.train.train import Trained

EXAMPLES = """\b
Examples:
  clef-mlx train tickets.jsonl --model Cloudflare/clef-flash --out tickets
  clef-mlx decide mail.json --model Cloudflare/clef-flash --adapter tickets
  clef-mlx train tickets.jsonl --valid held-out.jsonl --model ./clef-4bit --rank 32 --epochs 3 --out tickets
  clef-mlx train tickets.jsonl --model ./small --full --learning-rate 5e-4 --out small-tickets
  clef-mlx train tickets.jsonl --model ./small --full --learning-rate 5e-4 --out small-tickets --resume
  mlx.launch -n 2 clef-mlx train tickets.jsonl --model ./small --full --out small-tickets
"""


class Finite(click.FloatRange):
    """A range of numbers, of which nan, that no bound shuts out, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


MOST_RANK = 4096  # about the width of the largest release; more would say nothing that a whole matrix does not
SHARE, POSITIVE, COUNT, WEIGHT = Finite(0, 1), Finite(0, min_open=True), click.IntRange(1), Finite(0)
# Of the settings, in the order of the help: type, metavar, what it is.
SETTINGS: dict[str, tuple[click.ParamType, str, str]] = {
    "rank": (click.IntRange(1, MOST_RANK), "N", "Rank of each LoRA pair."),
    "alpha": (POSITIVE, "A", "LoRA is scaled by alpha / rank."),
    "learning_rate": (POSITIVE, "R", "Highest learning rate of the backbone."),
    "head_learning_rate": (POSITIVE, "R", "Highest learning rate of the head."),
    "weight_decay": (WEIGHT, "W", "Decay of matrices, at each step times the learning rate."),
    "warmup": (SHARE, "P", "Share of the steps in which the learning rate rises."),
    "clip": (POSITIVE, "N", "Longest gradient; a longer one is shortened to it."),
    "epochs": (COUNT, "N", "How often each request is seen."),
    "batch_size": (COUNT, "N", "Requests a step."),
    "batch_tokens": (COUNT, "N", "Most padded tokens computed at once; a step adds up as many batches as it takes."),
    "validate_every": (click.IntRange(0), "N", "Steps between validations; 0 validates 20 times in all."),
    "checkpoint_every": (click.IntRange(0), "N", "Steps between checkpoints; 0 makes one at each validation."),
    "smoothing": (SHARE, "P", "Share of each label spread over all options."),
    "brier": (WEIGHT, "W", "Weight of the Brier score in the loss."),
    "ordinal": (WEIGHT, "W", "Weight of a score's distance from its level in the loss."),
    "shuffle": (SHARE, "P", "Chance that a request's questions are shuffled."),
    "rename": (SHARE, "P", "Chance that its ids are renamed."),
    "drop_descriptions": (SHARE, "P", "Chance that a question's descriptions are left out."),
    "max_length": (COUNT, "N", "Most tokens of a request."),
    "seed": (click.IntRange(0), "N", "All that is random follows from it."),
}


def setting_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """A flag for each of SETTINGS, with TrainSettings' default."""
    defaults = {field.name: field.default for field in fields(TrainSettings)}
    for name, (kind, metavar, words) in reversed(SETTINGS.items()):
        flag = f"--{name.replace('_', '-')}"
        command = click.option(
            flag, name, type=kind, metavar=metavar, default=defaults[name], show_default=True, help=words
        )(command)
    return command


@click.command("train", epilog=EXAMPLES)
@click.argument("files", metavar="DATA.jsonl...", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_flag
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write.")
@click.option(
    "--valid",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help="Requests to choose the best step by (default: one line of twenty is held out).",
)
@click.option("--full", is_flag=True, help="Train every weight of an unquantized model, and write a whole release.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAME",
    help="Linear layers that get LoRA, by the end of their names, such as q_proj. Repeatable (default: all).",
)
@click.option("--target-pattern", metavar="REGEX", help="The same, by a pattern of their whole names.")
@click.option("--freeze-head", is_flag=True, help="Leave the decision head as it is.")
@setting_flags
@click.option("--checkpoint-layers", is_flag=True, help="Compute activations twice instead of keeping them.")
@click.option(
    "--on-long",
    type=click.Choice(["refuse", "skip"]),
    default="refuse",
    show_default=True,
    help="What a request of more than --max-length tokens meets.",
)
@dtype_flag
@click.option(
    "--save-as",
    type=click.Choice(["bfloat16", "float32"]),
    default="bfloat16",
    show_default=True,
    help="Type of the weights that --full writes.",
)
@click.option("--resume", is_flag=True, help="Go on with the interrupted run in --out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, as in a pipe.")
def command(
    files: tuple[Path, ...], model: str | None, out: Path, valid: tuple[Path, ...], as_json: bool, **given: Any
) -> int:
    """Train a model on labelled requests.

    A line of DATA.jsonl is a request with "labels": {question: true, "option", a level, or a distribution}. LoRA is
    trained on the text backbone, quantized or not, and the decision head beside it. OUT/ then holds an adapter that
    --adapter takes, here and in PEFT. An interrupted run goes on with --resume and ends with the same weights.
    """
    options = {name: given.pop(name) for name in ("resume", "dtype", "save_as")}
    options["skip_long"] = given.pop("on_long") == "skip"
    settings = _settings(**given)
    from clef_mlx.engine import ranks
    from clef_mlx.weights.hub import default_model

    group = ranks.join_group() if ranks.launched() else None
    leads = group is None or group.rank() == 0
    made = _train(files, model or default_model().name, out, settings, leads, valid=valid, group=group, **options)
    if leads:
        if as_json or not sys.stdout.isatty():
            print(json.dumps(made.to_dict(), indent=2))
        else:
            _print(made)
    return 0


def _settings(*, targets: tuple[str, ...], target_pattern: str | None, **given: Any) -> TrainSettings:
    if targets and target_pattern is not None:
        raise click.UsageError("--target and --target-pattern are two ways to say one thing. Leave one of them out.")
    if given["full"] and (targets or target_pattern is not None or given["freeze_head"]):
        raise click.UsageError("--full trains every weight. Leave --target, --target-pattern and --freeze-head out.")
    return TrainSettings(targets=targets if target_pattern is None else target_pattern, **given)


def _train(
    files: tuple[Path, ...], model: str, out: Path, settings: TrainSettings, leads: bool, **options: Any
) -> Trained:
    from clef_mlx.cli.train_progress import Training
    from clef_mlx.train import checkpoint
    from clef_mlx.train.train import train

    with Training() if leads else nullcontext() as progress:
        try:
            return train(files, model, out, settings, watch=progress and progress.watch(), **options)
        except KeyboardInterrupt:
            if leads and checkpoint.unfinished(out):
                say(f"{named(str(out))}: the run is kept. Give the same command with --resume to go on.")
            raise


def _print(made: Trained) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from clef_mlx.cli.edge import console

    page = console()
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("step", "loss", "cross-entropy", "right"):
        table.add_column(name, justify="right")
    if made.first is not None and made.best is not None:
        for step, row in ((int(made.first["step"]), made.first), (made.best_step, made.best)):
            table.add_row(f"{step:,}", f"{row['loss']:.4f}", f"{row['cross_entropy']:.4f}", f"{row['accuracy']:.1%}")
        page.print(f"On {made.held_out:,} held-out requests, before and at the best step:")
        page.print(table)
    rate = made.tokens / max(made.seconds, 1e-9)
    how = f"LoRA on {made.modules} layers" if made.kind == "adapter" else "all weights"
    lines = (
        f"{made.parameters:,} parameters ({how}), {made.requests:,} requests, {made.steps:,} steps, "
        f"{made.seconds:,.0f} s at {rate:,.0f} tokens/s",
        f"{made.out}: {made.kind} of step {made.best_step:,}. Decide with it: clef-mlx decide FILE --model "
        + (f"{named(made.model)} --adapter {made.out}" if made.kind == "adapter" else f"{made.out}"),
    )
    for text in lines:
        page.print(Text(printable(text)), soft_wrap=True)
