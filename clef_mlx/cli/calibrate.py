"""`clef-mlx calibrate`: temperatures that make a model's probabilities honest, stored beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import console, model_name, printable, say
from clef_mlx.cli.eval import loaded
from clef_mlx.cli.files import check_target, write_whole
from clef_mlx.cli.flags import batch_tokens_flag, dtype_flag, model_flag
from clef_mlx.cli.waiting import Meter
from clef_mlx.errors import RequestError

if TYPE_CHECKING:
    from clef_mlx import Clef
    from clef_mlx.calibrate.crossfit import Figures, Fitted
    from clef_mlx.evaluate.cases import Case
    from clef_mlx.labelled import Labelled

COLUMNS = ("cases", "temperature", "bias", "NLL", "ECE", "accuracy", "")


@click.command("calibrate")
@click.argument("files", metavar="FILE.jsonl...", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_flag
@dtype_flag
@batch_tokens_flag
@click.option("--max-length", type=click.IntRange(1), metavar="N", help="Most tokens of a record (16384).")
@click.option(
    "--per",
    type=click.Choice(["type", "question"]),
    default="type",
    show_default=True,
    help="Fit one temperature for all questions of a type, or one a question id.",
)
@click.option("--bias", is_flag=True, help="Also fit how far the logit of a yes/no question's true is moved.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Where to write; only calibration.json in the model's folder is applied by --calibrated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    files: tuple[Path, ...],
    model: str | None,
    batch_tokens: int | None,
    per: str,
    bias: bool,
    out: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Fit a model's probabilities to labelled requests.

    Lines of FILE.jsonl are those of clef-mlx eval. Temperatures are kept where they lower the cross-entropy of requests
    they were not fitted to, and stored as calibration.json beside the model. --calibrated of decide, serve and eval
    applies them.
    """
    from clef_mlx.calibrate.record import record
    from clef_mlx.calibration import FILE
    from clef_mlx.labelled import load_labelled
    from clef_mlx.weights.hub import default_model, resolve

    name = model_name(model) if model else default_model().name
    target = out or resolve(name) / FILE
    check_target(target)
    data = load_labelled(files, again=True)  # to be hashed
    options = {option: value for option, value in given.items() if value is not None}
    with loaded(name, **options) as clef:
        cases = _decided(clef, data, batch_tokens)
        fitted = _fitted(data, cases, per, bias)
        document = record(clef.name, clef.info.folder, files, fitted, per=per, bias=bias, dtype=clef.info.dtype)
    if document["scales"]:
        write_whole(target, lambda draft: draft.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8"))
    _print(document, fitted, target, as_json)
    return 0


def _decided(clef: Clef, data: list[Labelled], batch_tokens: int | None) -> list[Case]:
    """Raises RequestError unless all of the data can be decided."""
    from clef_mlx.evaluate.cases import decide_labelled

    with Meter(None, answers_scroll=False) as meter:
        meter.expect(len(data))
        decided = decide_labelled(clef, data, batch_tokens=batch_tokens, progress=meter.done)
    if decided.failures:
        count = len(decided.failures)
        first = f"{decided.failures[0].where}: {decided.failures[0].error}"
        raise RequestError(f"data: {count:,} of {len(data):,} requests cannot be decided, the first: {first}")
    return decided.cases


def _fitted(data: list[Labelled], cases: list[Case], per: str, bias: bool) -> list[Fitted]:
    from clef_mlx.calibrate.crossfit import crossfit, folds_of
    from clef_mlx.evaluate.report import one_class_notes

    for note in one_class_notes(data):
        say(f"{note}.")
    return crossfit(cases, folds_of(data), per=per, bias=bias)


def _print(document: dict[str, Any], fitted: Sequence[Fitted], target: Path, as_json: bool) -> None:
    stored = str(target) if document["scales"] else None
    if as_json:
        print(json.dumps(document | {"stored": stored}, allow_nan=False))
    else:
        _print_table(fitted)
        # A model's own folder may hold an earlier fit, which stays.
        left = f" {target} is from an earlier fit; delete it to be rid of it." if target.exists() else ""
        print(printable(f"Stored in {stored}." if stored else f"Nothing is stored; the last column says why.{left}"))


def _print_table(fitted: Sequence[Fitted]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("question", overflow="fold", min_width=len("question"))
    for column in COLUMNS:
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for one in fitted:
        type, question_id = one.key
        scale = one.scale
        table.add_row(
            Text(printable(type if question_id is None else question_id)),
            f"{one.cases:,}",
            f"{scale.temperature:.3f}" if scale else "–",
            f"{scale.bias:+.3f}" if scale and scale.bias else "–",
            *_changes(one.before, one.after),
            Text(one.reason, "" if scale else "yellow"),
        )
    page = console()
    page.width = max(page.width, 120)
    page.print(table)
    print("NLL, ECE and accuracy: on held-out requests, before and after.")


def _changes(before: Figures | None, after: Figures | None) -> list[str]:
    if before is None or after is None:
        return ["–", "–", "–"]
    ece = "–" if before.ece is None or after.ece is None else f"{before.ece:.3f} → {after.ece:.3f}"
    return [f"{before.nll:.3f} → {after.nll:.3f}", ece, f"{before.accuracy:.1%} → {after.accuracy:.1%}"]
