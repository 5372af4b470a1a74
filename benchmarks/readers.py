"""Does mlx-vlm read what `clef-mlx convert` writes, and decide as we do?

Regime: one random release, converted by us, read by both from the same folder, each in a process of its own. mlx-vlm
unpacks affine rows of the two tables to bfloat16, which costs it digits; that error of its own is measured by giving it
the same weights unpacked to float32. `apart` is ours against mlx-vlm, `own` mlx-vlm against itself unpacked, `unpacked`
ours against that. `apart` must lie within `own`, and `unpacked` within what float32 differs by anyway. `mlx-vlm` needs
an environment: give its Python, or let --build-env make one in .cache/.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from compare import Side, build
from setting import CACHE, finish, parser, release, say_machine

from clef_mlx.bench.workload import questions, request_of
from clef_mlx.convert.convert import convert
from clef_mlx.convert.settings import Settings
from clef_mlx.encoding import encode_request
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.random_release import SIZES

ALLOWED = 2.0  # times the error that mlx-vlm has of its own

Answers = list[dict[str, dict[str, float]]]  # probabilities by question and option, a request each


def distance(mine: Answers, theirs: Answers) -> float:
    """Largest difference of a probability over all requests, questions and options."""
    return max(
        abs(p - other[name][option])
        for one, other in zip(mine, theirs, strict=True)
        for name, options in one.items()
        for option, p in options.items()
    )


def answers(name: str, python: str, folder: Path, requests: list[dict[str, Any]]) -> Answers:
    with Side(name, python, folder) as side:
        return [side.decide(request)["probabilities"] for request in requests]


def compared(source: Path, recipe: str, python: str, requests: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    made = convert(source, folder / recipe, Settings(recipe=recipe, report=False)).out
    unpack = Settings(recipe="fp32", dequantize=recipe != "fp32", report=False)
    unpacked = convert(made, folder / f"{recipe}-unpacked", unpack).out
    ours = answers("ours", sys.executable, made, requests)
    theirs, plain = (answers("mlx-vlm", python, one, requests) for one in (made, unpacked))
    row = {"apart": distance(ours, theirs), "own": distance(theirs, plain), "unpacked": distance(ours, plain)}
    print(f"{recipe:12} " + ", ".join(f"{name} {value:.1e}" for name, value in row.items()), flush=True)
    return {"recipe": recipe} | row


def main() -> None:
    options = parser(__doc__, runs=1)
    options.add_argument("--size", default="golden-256", choices=SIZES, help="size of the random release")
    options.add_argument("--recipes", default="4bit,8bit,mixed-4bit,mxfp4,nvfp4", metavar="NAME,NAME")
    options.add_argument("--vlm-python", type=Path, metavar="PATH", help="Python that has mlx-vlm")
    options.add_argument("--build-env", action="store_true", help="make its environment if it is not given")
    options.add_argument("--cache", type=Path, default=CACHE, help="where releases and environments are made (.cache)")
    told = options.parse_args()
    if not (told.vlm_python or told.build_env):
        options.error("give --vlm-python, or --build-env")
    found = say_machine()
    python = str(told.vlm_python or build("mlx-vlm", told.cache))
    source = release(told.size, cache=told.cache)
    tokenizer = ReleaseTokenizer.from_folder(source)

    def count(request: dict[str, Any]) -> int:
        return len(encode_request(tokenizer, parse_request(request)).input_ids)

    requests = [request_of(tokens, questions(3), count) for tokens in (300, 700)]
    with tempfile.TemporaryDirectory() as temporary:
        recipes = ("fp32", *told.recipes.split(","))
        rows = [compared(source, recipe, python, requests, Path(temporary)) for recipe in recipes]
    finish("readers", found, told, rows=rows)
    least = rows[0]["apart"]
    for row in rows:
        if row["apart"] > row["own"] + ALLOWED * least or row["unpacked"] > ALLOWED * least:
            sys.exit(f"{row['recipe']}: further from mlx-vlm than its own error explains.")


if __name__ == "__main__":
    main()
