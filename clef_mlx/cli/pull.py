"""`clef-mlx pull`: what there is to download, or one model downloaded, checked and made the default."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import console, model_name, printable, say
from clef_mlx.cli.waiting import status
from clef_mlx.strict_json import show

if TYPE_CHECKING:
    from clef_mlx.weights.catalog import Offer

EPILOG = """\b
Examples:
  clef-mlx pull                     what there is, and what fits this machine
  clef-mlx pull clef-flash          4-bit, by its alias
  clef-mlx pull owner/name@v1.0     one revision of a model of the hub
  clef-mlx pull ./my-conversion     make a folder of yours the default
"""


@click.command("pull", epilog=EPILOG)
@click.argument("name", required=False)
@click.option("--no-default", is_flag=True, help="Leave the default model as it is.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str | None, no_default: bool, as_json: bool) -> int:
    """Download the model NAME (alias, hub id or folder) and make it the default; without NAME list what there is.

    A broken connection is taken up where it broke, and files that came whole are kept for the next try. Every file is
    compared with the hub's hash. The list needs no network: its sizes are computed from the published shapes.
    """
    if name is None:
        return _offer(as_json)
    facts = _pull(model_name(name), progress=not as_json and sys.stderr.isatty())
    if not no_default:
        from clef_mlx.weights.hub import ENVIRONMENT, set_default

        facts["default_in"] = str(set_default(facts["model"]))
        if (other := os.environ.get(ENVIRONMENT)) and other != facts["model"]:
            say(f"{ENVIRONMENT} is set to {show(other)} and goes before the default.")
    if as_json:
        print(json.dumps(facts, indent=2))
    else:
        print(printable(_sentence(facts)))
    return 0


def _pull(name: str, progress: bool) -> dict[str, Any]:
    """Bring a model here and look at it as loading would, without reading its weights."""
    from clef_mlx.weights.download import fetch, plan_download, split_name
    from clef_mlx.weights.hub import resolve
    from clef_mlx.weights.inspect import inspect_release
    from clef_mlx.weights.refusals import gigabytes

    expanded = os.path.abspath(os.path.expanduser(name))
    parts = None if os.path.exists(expanded) else split_name(name)
    if parts is None:
        folder, model, downloaded = resolve(name), expanded if os.path.exists(expanded) else name, 0
    else:
        plan = plan_download(*parts)
        if progress and plan.bytes_missing:
            say(f"downloading {gigabytes(plan.bytes_missing)} of {gigabytes(plan.bytes_total)} to {plan.cache}.")
        folder, model, downloaded = fetch(plan, progress=progress), name, plan.bytes_missing
    with status("Checking the files …"):
        found = inspect_release(folder)
    if found.load_note:
        say(f"{printable(name)}: {found.load_note}.")
    return {
        "model": model,
        "folder": str(folder),
        "revision": folder.name if parts else None,
        "downloaded_bytes": downloaded,
        "weight_bytes": found.weight_bytes,
    }


def _sentence(facts: dict[str, Any]) -> str:
    came = (
        f"{facts['downloaded_bytes'] / 1e6:,.1f} MB downloaded" if facts["downloaded_bytes"] else "nothing to download"
    )
    default = " It is the default model now." if "default_in" in facts else ""
    return f"{facts['model']} is in {facts['folder']} ({came}, all files checked).{default}"


def _offer(as_json: bool) -> int:
    from clef_mlx.weights.catalog import offers

    with status("Computing sizes …"):
        found = offers()
    if as_json:
        print(json.dumps([_facts(offer) for offer in found], indent=2))
    else:
        _print(found)
    return 0


def _facts(offer: Offer) -> dict[str, Any]:
    return offer.checkpoint._asdict() | {
        "download_bytes": offer.download,
        "memory_bytes": offer.memory,
        "fits": offer.fits,
    }


def _print(found: list[Offer]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("model", no_wrap=True)
    table.add_column("alias", no_wrap=True)
    table.add_column("GB", justify="right", no_wrap=True)
    for tokens in found[0].memory:
        table.add_column(f"{tokens // 1024}k", justify="right", no_wrap=True)
    table.add_column("fits", no_wrap=True)
    for offer in found:
        sizes = [f"{size / 1e9:.1f}" for size in (offer.download, *offer.memory.values())]
        table.add_row(offer.checkpoint.name, offer.checkpoint.alias or "", *sizes, offer.fits)
    page = console()
    page.print(table)
    page.print("\nGB: to download. 1k, 4k, 16k: memory in GB for a record of so many tokens.")
    page.print("By arithmetic, without pictures. Slowly: on a CPU, float32 does not fit.")
    page.print("Download one: clef-mlx pull clef-flash. Make one: clef-mlx convert --help")
