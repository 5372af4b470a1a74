"""`clef-mlx mcp`: a server that agents start."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from clef_mlx.cli.decide import load
from clef_mlx.cli.edge import BROKEN_PIPE, INTERRUPTED, model_name, say
from clef_mlx.cli.flags import adapter_flags, chosen, dtype_flag, option_flags
from clef_mlx.cli.reading import standard_input
from clef_mlx.errors import ClefError

EXTRA = "mcp: needs packages that are not installed ({missing}). Install them: pip install 'clef-mlx[mcp]'."


@click.command("mcp")
@click.option(
    "--model", "models", multiple=True, help="Folder, hub id or alias of a Clef release; several may be given."
)
@adapter_flags
@dtype_flag
@option_flags
def command(models: tuple[str, ...], adapter: tuple[str, ...], base_head: bool | None, **given: Any) -> int:
    """Give agents a tool that decides, over the Model Context Protocol on stdin and stdout.

    The tools are `decide` and `models`. A model is loaded when it is first asked; adapters belong to the first.
    """
    try:
        import_module("mcp.server.stdio")
    except ModuleNotFoundError as error:
        raise ClefError(EXTRA.format(missing=error.name)) from None
    from clef_mlx.weights.files import read_folder
    from clef_mlx.weights.hub import default_model

    standard_input()
    names = tuple(map(model_name, models)) or (default_model().name,)
    for name in names:  # what can be known early is told early
        if (folder := Path(name).expanduser()).exists():
            read_folder(folder)
    adapted = chosen({"adapter": adapter, "base_head": base_head})
    return _serve({name: (adapted if name == names[0] else {}) | chosen(given) for name in names})


def _serve(options: dict[str, dict[str, Any]]) -> int:
    import signal

    import anyio

    from clef_mlx.mcp import Models, serve

    def end(number: int) -> None:
        """At once: whoever reads stdin cannot be woken, and no answer is half of anything."""
        if number == signal.SIGINT:
            say("interrupted.")
        os._exit(INTERRUPTED if number == signal.SIGINT else 128 + number)

    async def run() -> None:
        import asyncio

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, partial(end, number))
        await serve(Models(options, lambda name: load(name, **options[name])))

    code = 0
    try:
        anyio.run(run)
    except* BrokenPipeError:  # the agent has left
        code = BROKEN_PIPE
    return code
