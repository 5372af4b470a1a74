"""`clef-mlx convert`: a release becomes a smaller MLX folder, with a report of what that cost."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import check_model_name, say
from clef_mlx.cli.verify import WORDS

if TYPE_CHECKING:
    from clef_mlx.convert.convert import Conversion

# The names stand here because asking for them would import MLX.
RECIPES = ("mixed-4bit", "4bit", "8bit", "bf16", "fp16", "fp32", "mxfp4", "nvfp4", "mxfp8")
LM_HEAD = ("bf16", "8", "6", "5", "4", "3")
EXAMPLES = """\b
Examples:
  clef-mlx convert --model Cloudflare/clef-flash --out clef-flash-mixed-4bit
  clef-mlx convert --model ./clef-flash --recipe 8bit --lm-head bf16
  clef-mlx convert --model ./clef-flash --override 'layers.0.*=8' --override '*.down_proj=5:64'
  clef-mlx convert --model ./clef-flash --adapter ./my-adapter --recipe bf16
  clef-mlx convert --model ./clef-flash --target-size 5.0GB --calibration requests.jsonl
"""


@click.command("convert", epilog=EXAMPLES)
@click.option("--model", required=True, callback=check_model_name, help="Folder, hub id or alias of a Clef release.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write (default: NAME-RECIPE, here).")
@click.option("--recipe", type=click.Choice(RECIPES), help="How modules are quantized (mixed-4bit).")
@click.option("--bits", type=int, metavar="N", help="Instead of a recipe: the same bits for every module.")
@click.option("--group-size", type=int, metavar="N", help="Weights that share a scale (64).")
@click.option("--mode", type=click.Choice(["affine", "mxfp4", "nvfp4", "mxfp8"]), help="Kind of --bits (affine).")
@click.option(
    "--override",
    "overrides",
    multiple=True,
    metavar="PATTERN=BITS[:GROUP[:MODE]]",
    help="Other bits for the modules a glob matches; bf16 leaves them unquantized. Repeatable, the last one wins.",
)
@click.option("--lm-head", type=click.Choice(LM_HEAD), help="Bits of the rows that the decision head reads.")
@click.option(
    "--target-size", metavar="SIZE", help="Instead of a recipe: spend this much by measurement, such as 5.0GB."
)
@click.option("--target-bits", type=float, metavar="B", help="The same, as mean bits a text weight, such as 4.6.")
@click.option(
    "--calibration",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Requests to measure on (default: a set that ships).",
)
@click.option(
    "--adapter",
    "adapters",
    multiple=True,
    metavar="DIR[:WEIGHT]",
    help="Merge a LoRA adapter and take its trained head. Repeatable.",
)
@click.option("--base-head", is_flag=True, help="Keep the base model's head whatever the adapter brings.")
@click.option("--text-only", is_flag=True, help="Leave the vision tower out.")
@click.option("--dequantize", is_flag=True, help="Unpack a quantized source, to bf16 or as --recipe fp16 or fp32 says.")
@click.option("--requantize", is_flag=True, help="Round weights again that are quantized already.")
@click.option("--max-shard-size", default="5GB", show_default=True, metavar="SIZE", help="Largest file.")
@click.option("--no-report", is_flag=True, help="Do not measure what changed in the decisions.")
@click.option("--force", is_flag=True, help="Replace the output folder if it holds a model.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, as in a pipe.")
def command(model: str, out: Path | None, as_json: bool, **given: Any) -> int:
    """Turn Hugging Face weights into a smaller MLX folder.

    Any layout is read: the publisher's, mlx-community's, mlx-lm's, mlx-vlm's, with an adapter or without. Tensors are
    streamed, so memory hardly matters. The folder gets its name only when it is complete, checked and has decided.
    """
    from clef_mlx.cli.waiting import Phases
    from clef_mlx.convert.convert import convert

    settings = _settings(**given)
    with Phases() as bar:
        made = convert(model, out, settings, bar.watch(say))
    if as_json or not sys.stdout.isatty():
        print(json.dumps(made.to_dict(), indent=2))
    else:
        _print(made)
    return 0


def _settings(
    *,
    target_size: str | None,
    target_bits: float | None,
    no_report: bool,
    max_shard_size: str,
    **given: Any,
) -> Any:
    from clef_mlx.convert.account import Target, parse_size
    from clef_mlx.convert.settings import Settings

    if target_size is not None and target_bits is not None:
        raise click.UsageError("--target-size and --target-bits are two ways to say one thing. Leave one of them out.")
    if given["calibration"] and no_report and target_size is target_bits is None:
        raise click.UsageError("--calibration is read for the report or a target. Leave out it or --no-report.")
    if (shard_bytes := parse_size(max_shard_size, option="--max-shard-size")) < 1:
        raise click.UsageError(f"--max-shard-size must be above 0, got {max_shard_size}. Write 5GB.")
    target = None
    if target_size is not None:
        target = Target(nbytes=parse_size(target_size))
    elif target_bits is not None:
        if not math.isfinite(target_bits):
            raise click.UsageError(f"--target-bits must be finite, got {target_bits}. Write a number such as 4.6.")
        target = Target(bits=target_bits)
    return Settings(
        target=target,
        report=not no_report,
        max_shard_bytes=shard_bytes,
        **given,
    )


def _print(made: Conversion) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from clef_mlx.cli.edge import console, printable
    from clef_mlx.convert.card import size, storage_words
    from clef_mlx.convert.tables import terminal

    page = console()
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("modules")
    table.add_column("parameters", justify="right")
    table.add_column("size", justify="right")
    table.add_column("stored as")
    for share in made.shares:
        table.add_row(share.kind, f"{share.parameters:,}", size(share.stored_bytes), storage_words(share))
    page.print(table)
    if made.fidelity is not None:
        page.print(terminal(made.fidelity))
    for line in _lines(made):
        page.print(Text(printable(line)), soft_wrap=True)


def _lines(made: Conversion) -> Iterator[str]:
    from clef_mlx.convert.card import size

    for check in made.checks:
        yield f"{WORDS[check.passed][0]:8}{check.name}: {check.detail}"
    if made.changed:
        most = max(made.changed, key=lambda row: row["relative"])
        yield f"{'merged':8}{len(made.changed)} parameters, most of all {most['name']} by {most['relative']:.2%}"
    yield (
        f"{made.out}: {size(made.nbytes)} from {size(made.source_bytes)}, {made.bits:.2f} bits a text weight, "
        f"written in {made.seconds:.1f} s at {made.mb_per_s:,.0f} MB/s"
    )
