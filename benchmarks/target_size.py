"""Does spending bits by measurement beat the same width everywhere, on requests that had no part in the choice?

Regime: a release (by default a random one, whose answers mean nothing; its sensitivities are those of its shapes and
draws, not of a trained model), the shipped calibration requests, a third of them held out. A target as large as each
uniform width.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from setting import finish, parser, release, say_machine

from clef_mlx.convert import budget
from clef_mlx.convert.account import Target
from clef_mlx.convert.calibration import read_requests
from clef_mlx.weights import random_release


def main() -> None:
    options = parser(__doc__, runs=1)
    options.add_argument("--model", type=Path, help="folder of a release (default: a random one of --size)")
    options.add_argument(
        "--size", default="golden-128", choices=random_release.SIZES, help="size of the random release"
    )
    options.add_argument("--bits", type=float, nargs="+", default=[4.5, 5.5, 6.5], help="targets, mean stored bits")
    options.add_argument("--tokens", type=int, default=budget.MEASURED_TOKENS, help="tokens of the measured requests")
    options.add_argument("--calibration", type=Path, help="requests of your own (default: the shipped set)")
    told = options.parse_args()
    found = say_machine()
    budget.MEASURED_TOKENS = told.tokens
    source = told.model or release(told.size)
    requests = read_requests(told.calibration)
    print(f"{'random weights' if told.model is None else source.name}, {len(requests)} requests\n")
    print(f"{'target':>6}  {'KL chosen':>9}  {'KL uniform':>10}  {'ratio':>5}  {'seconds':>7}   (held-out requests)")
    rows = [_row(source, requests, bits) for bits in told.bits]
    finish("target_size", found, told, random=told.model is None, rows=rows)


def _row(source: Path, requests: list[dict[str, Any]], bits: float) -> dict[str, Any]:
    started = time.monotonic()
    made = budget.choose(source, requests, Target(bits=bits))
    seconds = time.monotonic() - started
    chosen, uniform = made.held_out.chosen, made.held_out.uniform
    ratio = "" if uniform is None else f"{chosen / uniform:.2f}"
    print(f"{bits:6.2f}  {chosen:9.5f}  {uniform or 0:10.5f}  {ratio:>5}  {seconds:7.1f}   {made.sentence()}")
    return {
        "bits": bits,
        "seconds": seconds,
        **{key: value for key, value in made.to_dict().items() if key != "groups"},
    }


if __name__ == "__main__":
    main()
