"""Flags that several verbs share."""

from __future__ import annotations

import click

from clef_mlx.cli.edge import check_model_name

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
