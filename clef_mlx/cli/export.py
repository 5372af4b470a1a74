"""`clef-mlx export`: a model becomes traces, weights and a manifest that a program without Python can run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clef_mlx.cli.edge import FAILED, check_model_name, console, printable, say
from clef_mlx.cli.flags import dtype_flag

if TYPE_CHECKING:
    from clef_mlx.export.export import Export
    from clef_mlx.export.exported import Checked

EXAMPLES = """\b
Examples:
  clef-mlx export clef-flash --out clef-flash-traces
  clef-mlx export ./my-model --out traces --lengths 256,1024,4096 --questions 8 --options 32
  clef-mlx export --check traces
"""


def _lengths(ctx: click.Context, param: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise click.BadParameter(
            f"must be whole numbers with commas between them, got {text}. Write 256,1024."
        ) from None


@click.command("export", epilog=EXAMPLES)
@click.argument("model", required=False, callback=check_model_name)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder to write.")
@click.option(
    "--lengths", default="256,1024", show_default=True, callback=_lengths, help="Tokens of a record, a trace each."
)
@click.option("--questions", type=int, default=4, show_default=True, metavar="N", help="Questions a request may ask.")
@click.option("--options", type=int, default=16, show_default=True, metavar="N", help="Options all of them may have.")
@dtype_flag
@click.option("--check", type=click.Path(path_type=Path), metavar="DIR", help="Only run an export's goldens here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, as in a pipe.")
def command(
    model: str | None,
    out: Path | None,
    lengths: tuple[int, ...],
    questions: int,
    options: int,
    dtype: str | None,
    check: Path | None,
    as_json: bool,
) -> int:
    """Export MODEL, a folder, hub id or alias, for programs without Python.

    DIR gets one MLX function with a trace for each length, the weights, a manifest that says how to fill its
    arguments, the tokenizer, and goldens to test with. It appears only when the goldens give the engine's own answers.
    Traces hold the kernels of this machine's device and take text alone.
    """
    as_json = as_json or not sys.stdout.isatty()
    if check is not None:
        if model is not None or out is not None:
            raise click.UsageError("--check reads an export that exists. Leave out MODEL and --out.")
        return _check(check, as_json)
    if model is None or out is None:
        raise click.UsageError("Name a model and a folder to write: clef-mlx export MODEL --out DIR.")
    from clef_mlx.cli.waiting import Phases
    from clef_mlx.export.export import export
    from clef_mlx.export.slots import Slots

    slots = Slots(lengths, questions, options)
    with Phases() as bar:
        made = export(model, out, slots, dtype, bar.watch(say))
    if as_json:
        print(json.dumps(made.to_dict(), indent=2))
    else:
        _print(made)
    return 0


def _check(folder: Path, as_json: bool) -> int:
    from dataclasses import asdict

    from clef_mlx.export.exported import check_export

    checked = check_export(folder)
    if as_json:
        print(json.dumps(asdict(checked) | {"passed": checked.passed}, indent=2))
    else:
        console().print(printable(f"{folder}: {_words(checked)}"), markup=False, soft_wrap=True)
    return 0 if checked.passed else FAILED


def _print(made: Export) -> None:
    page, slots = console(), made.manifest.slots
    lengths = ", ".join(map(str, slots.lengths))
    for line in (
        f"{made.out}: {made.nbytes / 1e6:,.1f} MB for {made.manifest.device}, {made.manifest.dtype}",
        f"traces of {lengths} tokens, {slots.questions} questions, {slots.options} options",
        _words(made.checked),
    ):
        page.print(printable(line), markup=False, soft_wrap=True)


def _words(checked: Checked) -> str:
    verdict = "ok" if checked.passed else "wrong"
    return (
        f"{verdict}: {checked.cases} goldens, probabilities within {checked.max_probability_difference:.1e} "
        f"of the engine's (at most {checked.tolerance:g})"
    )
