"""`clef-mlx bench`: how fast this machine decides, where the time goes, and how far that is from what it could do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clef_mlx.cli.edge import named, printable
from clef_mlx.cli.flags import dtype_flag, model_flag
from clef_mlx.cli.waiting import status

if TYPE_CHECKING:
    from clef_mlx import Clef
    from clef_mlx.bench.profile import Profile

PROFILE_RUNS = 3


class Counts(click.ParamType):
    """Whole numbers with commas between: 512,2048."""

    name = "counts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        if isinstance(value, list):
            return value
        parts = str(value).split(",")
        if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"must be whole numbers above 0 with commas between, got {value!r}.", param, ctx)
        return sorted({int(part) for part in parts})


@click.command("bench")
@model_flag
@dtype_flag
@click.option("--tokens", type=Counts(), default="512,2048,8192", show_default=True, help="Lengths of the record.")
@click.option("--questions", type=Counts(), default="1,3", show_default=True, help="Questions asked at once.")
@click.option(
    "--runs", type=click.IntRange(1), default=5, show_default=True, help="Timed runs of each, after a warm-up."
)
@click.option("--profile", is_flag=True, help="Also break the longest record's time down by part.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="PNG", help="Draw the latency curve.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--share", is_flag=True, help="Print one Markdown row for the table in benchmarks/RESULTS.md.")
def command(
    model: str | None,
    dtype: str | None,
    tokens: list[int],
    questions: list[int],
    runs: int,
    profile: bool,
    plot: Path | None,
    as_json: bool,
    share: bool,
) -> int:
    """Measure how long decisions take here, and how much memory.

    Requests are made up, each run does all its work anew, and the text means nothing; only its length matters.
    """
    if as_json and share:
        raise click.UsageError("Give --json or --share, not both.")
    if plot:
        from clef_mlx.bench.plot import check_plotting

        check_plotting()
    quiet = as_json or share
    with _load(model, dtype, max(tokens)) as loaded:
        document = _measure(loaded, tokens, questions, runs, profile, quiet)
    if plot:
        _plot(document, plot)
    if as_json:
        print(json.dumps(document))
    if share:
        from clef_mlx.bench.share import shared_row

        print(printable(shared_row(document["machine"], document["model"], document["rows"])))
    return 0


def _load(model: str | None, dtype: str | None, longest: int) -> Clef:
    import clef_mlx

    with status(f"Loading {named(model) if model else 'the default model'} …"):
        # No prefix is kept: the second run of a request would only look up the first one's work.
        return clef_mlx.load(model, dtype=dtype, prefix_bytes=0, max_length=max(longest, 16384))


def _measure(
    model: Clef, tokens: list[int], questions: list[int], runs: int, profile: bool, quiet: bool
) -> dict[str, Any]:
    from clef_mlx.bench.curve import latency_rows, roof
    from clef_mlx.bench.machine import machine

    found, facts = machine(), _facts(model)
    ceiling = roof(model, found["chip"])
    if not quiet:
        _print_start(found, facts)
    rows = []
    with status("Measuring …"):
        for row in latency_rows(model, tokens, questions, runs, ceiling["measured_flop_s"]):
            rows.append(row)
            if not quiet:
                _print_row(row)
        parts = _profile(model, max(tokens), max(questions)) if profile else None
    if not quiet:
        _print_roof(ceiling)
        if parts:
            _print_profile(parts)
    document = {"benchmark": "bench", "machine": found, "model": facts, "roof": ceiling, "rows": rows}
    return document | ({"profile": parts.to_dict()} if parts else {})


def _facts(model: Clef) -> dict[str, Any]:
    info = model.info
    return {
        "name": info.source or info.folder.name,
        "revision": info.revision,
        "layout": info.layout.letter,
        "dtype": info.dtype,
        "quantized_modules": info.quantized_modules,
        "weight_bytes": info.weight_bytes,
    }


def _profile(model: Clef, tokens: int, asked: int) -> Profile:
    from clef_mlx.bench.curve import counter
    from clef_mlx.bench.profile import profile_decision
    from clef_mlx.bench.workload import questions, request_of

    return profile_decision(model, request_of(tokens, questions(asked), counter(model)), runs=PROFILE_RUNS)


def _print_start(found: dict[str, Any], facts: dict[str, Any]) -> None:
    memory = found["memory_bytes"] / 1e9
    print(f"{found['chip']}, {found['cores']} cores, {memory:.0f} GB, {found['system']}, mlx {found['mlx']}")
    quantized = f", {facts['quantized_modules']} modules quantized" if facts["quantized_modules"] else ""
    print(printable(f"{facts['name']}, weights {facts['weight_bytes'] / 1e6:,.0f} MB, {facts['dtype']}{quantized}"))
    names = ("median", "p90", "min", "tokens/s", "peak", "of roof")
    print(f"\n{'tokens':>8} {'questions':>10} " + " ".join(f"{name:>9}" for name in names))


def _print_row(row: dict[str, Any]) -> None:
    seconds = " ".join(f"{row[name]:>8.3f}s" for name in ("median_s", "p90_s", "min_s"))
    print(
        f"{row['tokens']:>8,} {row['questions']:>10} {seconds} {row['tokens_s']:>9,.0f} "
        f"{row['peak_bytes'] / 1e6:>6,.0f} MB {row['of_roof']:>9.0%}",
        flush=True,
    )


def _print_roof(ceiling: dict[str, Any]) -> None:
    print("\npeak: memory over the weights. of roof: the time of the products alone, over the fastest run.")
    print(f"The roof is measured: {ceiling['measured_flop_s'] / 1e9:,.0f} GFLOP/s in {ceiling['dtype']} products here.")
    public = ceiling["public"]
    if public is None:
        print("No public peak rate of this chip is known here.")
        return
    print(f"Public figure of the chip: {public['fp32_tflops']} TFLOP/s in float32 ({public['fp32_source']}),")
    bandwidth, source = public["bandwidth_gb_s"], public["bandwidth_source"]
    print(f"memory {bandwidth:.0f} GB/s ({source})." if bandwidth else "memory rate unknown.")
    if public["matrix_units"]:
        print("Its matrix units, whose rate Apple does not publish, may run 16-bit products faster than that.")


def _print_profile(parts: Profile) -> None:
    print(f"\n{'part':22} {'seconds':>9} {'share':>7} {'calls':>6}")
    for part, seconds in parts.seconds.items():
        print(f"{part:22} {seconds:>8.3f}s {seconds / parts.total_s:>7.1%} {parts.calls[part]:>6}")
    print(f"{'sum':22} {parts.total_s:>8.3f}s, undisturbed {parts.undisturbed_s:.3f}s")
    print("Each part was made to finish before the next, so the sum exceeds the undisturbed time; read the shares.")


def _plot(document: dict[str, Any], path: Path) -> None:
    from clef_mlx.bench.plot import plot_latency

    title = f"{document['model']['name']}, {document['model']['dtype']}, on {document['machine']['chip']}"
    plot_latency(document["rows"], title, path)
