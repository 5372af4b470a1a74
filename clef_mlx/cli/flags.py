"""Flags that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from clef_mlx.cli.edge import check_model_name


class Decimals(click.ParamType):
    """A number of decimals, or none."""

    name = "N|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        return value if value == "none" else click.IntRange(0).convert(value, param, ctx)


model_flag = click.option(
    "--model",
    envvar="CLEF_MLX_MODEL",
    show_envvar=True,
    callback=check_model_name,
    help="Folder, hub id or alias of a Clef release.",
)
dtype_flag = click.option(
    "--dtype", type=click.Choice(["float32", "bfloat16", "float16"]), help="Type of the activations."
)
batch_tokens_flag = click.option(
    "--batch-tokens", type=click.IntRange(1), metavar="N", help="Most tokens decided in one pass."
)
_ADAPTER_FLAGS = (
    click.option(
        "--adapter",
        multiple=True,
        metavar="DIR[:WEIGHT]",
        help="LoRA adapter (PEFT, Unsloth, mlx-lm) to decide with; more may follow.",
    ),
    click.option(
        "--base-head", is_flag=True, default=None, help="Keep the model's head where an adapter brings its own."
    ),
)
_DECIDING_FLAGS = (
    click.option("--max-length", type=click.IntRange(1), metavar="N", help="Most tokens of a record (16384)."),
    click.option("--max-state-tokens", type=click.IntRange(0), metavar="N", help="Most tokens of the state."),
    click.option("--max-pixels", type=click.IntRange(1024), metavar="N", help="Most pixels of an image or a frame."),
    click.option(
        "--on-overflow", type=click.Choice(["truncate", "refuse"]), help="What a too long state meets (truncate)."
    ),
    click.option(
        "--control-tokens",
        type=click.Choice(["text", "publisher"]),
        help="Whether <|im_end|> and its like in a request stay text (text) or act, as in the publisher's code.",
    ),
    click.option("--isolate", is_flag=True, default=None, help="Decide each question alone."),
    click.option(
        "--calibrated", is_flag=True, default=None, help="Apply what clef-mlx calibrate stored for the model."
    ),
)
_ANSWER_FLAGS = (
    click.option(
        "--confidence",
        type=click.Choice(["max", "jev", "gini", "entropy"]),
        help="What an answer calls confidence (max).",
    ),
    click.option(
        "--round", type=Decimals(), metavar="N|none", help="Decimals of probabilities (4); none keeps all digits."
    ),
)


def adapter_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--adapter` and `--base-head`."""
    return _flagged(command, _ADAPTER_FLAGS)


def option_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """One for each of `clef_mlx.Options`."""
    return _flagged(command, _DECIDING_FLAGS + _ANSWER_FLAGS)


def deciding_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of `clef_mlx.Options` that probabilities depend on."""
    return _flagged(command, _DECIDING_FLAGS)


def chosen(given: dict[str, Any]) -> dict[str, Any]:
    """The flags that were given, as keyword arguments of `clef_mlx.load`."""
    options = {name: value for name, value in given.items() if value is not None}
    return options | ({"round": None} if options.get("round") == "none" else {})


def _flagged(command: Callable[..., Any], flags: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    for flag in reversed(flags):
        command = flag(command)
    return command
