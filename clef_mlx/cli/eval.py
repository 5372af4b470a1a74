"""`clef-mlx eval`: models on labelled requests, side by side, for people, programs and pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import FAILED, model_name, named, printable, say
from clef_mlx.cli.files import check_target, write_whole
from clef_mlx.cli.flags import batch_tokens_flag, chosen, deciding_flags, dtype_flag
from clef_mlx.cli.waiting import Meter, status

if TYPE_CHECKING:
    from clef_mlx import Clef
    from clef_mlx.evaluate.cases import Decided
    from clef_mlx.labelled import Labelled

PRECISIONS = (0.99, 0.95)


class Precision(click.ParamType):
    """A share of right answers below 1."""

    name = "P"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        share = click.FLOAT.convert(value, param, ctx)
        if not 0.5 <= share < 1:
            self.fail(f"must be from 0.5 to below 1, as in 0.99, got {value}.", param, ctx)
        return share


@click.command("eval")
@click.argument("files", metavar="FILE.jsonl...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Folder, hub id or alias of a Clef release; more are compared with the first.",
)
@click.option(
    "--adapter",
    "adapters",
    multiple=True,
    metavar="DIR[:WEIGHT]",
    help="Compare the model with itself under this LoRA adapter; more may follow.",
)
@dtype_flag
@batch_tokens_flag
@deciding_flags
@click.option(
    "--precision",
    "precisions",
    multiple=True,
    type=Precision(),
    help="Show how many cases can be decided alone at this share of right answers (0.99 and 0.95).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--markdown", type=click.Path(path_type=Path), metavar="FILE.md", help="Write the report as a page, too.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw reliability and risk curves.")
def command(
    files: tuple[Path, ...],
    models: tuple[str, ...],
    adapters: tuple[str, ...],
    precisions: tuple[float, ...],
    as_json: bool,
    markdown: Path | None,
    plot: Path | None,
    **given: Any,
) -> int:
    """Measure models on labelled requests, side by side.

    A line of FILE.jsonl is a request with "labels": {question: true, "option", a level, or a distribution}, and a
    "group" to report by, if any. All lines are checked before a model is loaded.
    """
    _check_targets(markdown, plot)
    from clef_mlx.labelled import load_labelled

    candidates = _candidates(models, adapters)
    data = load_labelled(files)
    batch_tokens = given.pop("batch_tokens")
    decided = {
        name: decide_with(loading, data, batch_tokens) for name, loading in _named(candidates, chosen(given)).items()
    }
    from clef_mlx.evaluate.report import document

    report = document([str(file) for file in files], data, decided, precisions or PRECISIONS)
    _print(report, as_json)
    _write(report, markdown, plot)
    return FAILED if any(one.failures for one in decided.values()) else 0


def decide_with(loading: dict[str, Any], data: list[Labelled], batch_tokens: int | None) -> Decided:
    """Load a model as `clef_mlx.load` is told, decide all of the data, and let the model go."""
    from clef_mlx.evaluate.cases import decide_labelled

    with loaded(**loading) as model, Meter(None, answers_scroll=False) as meter:
        meter.expect(len(data))
        return decide_labelled(model, data, batch_tokens=batch_tokens, progress=meter.done)


@contextmanager
def loaded(name: str, **options: Any) -> Iterator[Clef]:
    import clef_mlx

    with status(f"Loading {named(name)} …"):
        model = clef_mlx.load(name, **options)
    for note in filter(None, (model.info.note, *model.info.adapter_notes)):
        say(f"{note}.")
    with model:
        yield model


def _candidates(models: tuple[str, ...], adapters: tuple[str, ...]) -> list[dict[str, Any]]:
    """What is loaded, one after another: models, or one model with and without adapters."""
    if len(models) > 1 and adapters:
        raise click.UsageError("--adapter compares one model with itself. Give one --model.")
    given = [*models, *adapters]
    if twice := next((name for name in given if given.count(name) > 1), None):
        raise click.UsageError(f"{named(twice)} is given twice. Name different ones to compare.")
    from clef_mlx.weights.hub import default_model

    names = [model_name(name) for name in models] or [default_model().name]
    return [{"name": name} for name in names] + [{"name": names[0], "adapter": adapter} for adapter in adapters]


def _named(candidates: list[dict[str, Any]], options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Candidates by the name that the report gives them: a folder's own where that tells them apart."""
    whole = [" + ".join(candidate.values()) for candidate in candidates]
    short = [" + ".join(map(_short, candidate.values())) for candidate in candidates]
    names = short if len(set(short)) == len(short) else whole
    if options.get("calibrated"):
        names = [f"{name}, calibrated" for name in names]
    return {name: {**candidate, **options} for name, candidate in zip(names, candidates, strict=True)}


def _short(name: str) -> str:
    path = Path(name).expanduser()
    return path.absolute().name if path.exists() else name


def _check_targets(markdown: Path | None, plot: Path | None) -> None:
    for target in filter(None, (markdown, plot)):
        check_target(target)
    if plot:
        from clef_mlx.evaluate.plot import check_plotting

        check_plotting()


def _print(report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(report, allow_nan=False))
        return
    from clef_mlx.cli.eval_table import print_report

    print_report(report)


def _write(report: dict[str, Any], markdown: Path | None, plot: Path | None) -> None:
    if markdown:
        from clef_mlx.evaluate.markdown import markdown as page

        write_whole(markdown, lambda draft: draft.write_text(printable_lines(page(report)), encoding="utf-8"))
    if plot:
        from clef_mlx.evaluate.plot import plot as draw

        write_whole(plot, lambda draft: draw(report, draft))


def printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
