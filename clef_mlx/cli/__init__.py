"""The command line: one verb a file, imported when that verb is called.

`clef-mlx --help` must stay instant, so nothing here may import MLX, a tokenizer or rich.
"""

from __future__ import annotations

from importlib import import_module

import click

from clef_mlx import __version__
from clef_mlx.cli.edge import run

# The summaries stand here because asking a verb for its own would import it.
VERBS = {
    "decide": "Answer the questions of request files.",
    "serve": "Answer System One clients on this machine.",
    "pipe": "Answer another program, a line a request.",
    "mcp": "Give agents a tool that decides.",
    "convert": "Turn Hugging Face weights into a smaller MLX folder.",
    "export": "Write a model as traces for programs without Python.",
    "train": "Train a model on labelled requests.",
    "eval": "Measure models on labelled requests, side by side.",
    "calibrate": "Fit a model's probabilities to labelled requests.",
    "verify": "Check a model folder: files, shapes, values and a decision.",
    "pull": "List public models, or download one and make it the default.",
    "list": "Show the models on this machine.",
    "remove": "Delete a downloaded model.",
    "inspect": "Show what a model folder holds and needs.",
    "doctor": "Show what runs here, how fast, and what would mend it.",
    "bench": "Measure how long decisions take here, and where the time goes.",
}


class Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return import_module(f"clef_mlx.cli.{name}").command if name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clef-mlx")
def command() -> None:
    """Typed decisions with Cloudflare's Clef models, in MLX."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted."""
    return run(command, argv)
