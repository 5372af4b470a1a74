"""What does a kept prefix save: new questions on a state seen before, a state that has grown, or changed at its end?

Regime: the same model twice, once keeping prefixes and once not, in alternating runs. Every run asks other questions
(or grows or changes the state anew), so no answer is ever read from a store.
"""

from __future__ import annotations

from typing import Any

from setting import finish, load_model, model_parser, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.measure import alternate
from clef_mlx.bench.workload import edited, grown, questions, request_of
from clef_mlx.engine.clef import Clef
from clef_mlx.engine.decision import Decision


class Series:
    """Decides one request after the other of a list and keeps the decisions."""

    def __init__(self, model: Clef, requests: list[dict[str, Any]]) -> None:
        self.model = model
        self.waiting = iter(requests)
        self.decisions: list[Decision] = []

    def __call__(self) -> None:
        request = next(self.waiting)
        self.decisions.append(self.model.decide(request["state"], request["questions"]))


def three(turn: int) -> dict[str, dict[str, Any]]:
    """Three questions nobody has asked before."""
    return {f"{name}_{turn}": question for name, question in questions(3).items()}


def compared(keeping: Clef, cold: Clef, requests: list[dict[str, Any]], runs: int) -> dict[str, Any]:
    """Both models on the same requests, one of them the warm-up."""
    series = {"reused": Series(keeping, requests), "cold": Series(cold, requests)}
    timings = alternate(series, runs)
    ours, theirs = (series[name].decisions for name in ("reused", "cold"))
    differences = [
        abs(p - b.probabilities[question][option])
        for a, b in zip(ours, theirs, strict=True)
        for question, options in a.probabilities.items()
        for option, p in options.items()
    ]
    return {
        "reused": timings["reused"].to_dict(),
        "cold": timings["cold"].to_dict(),
        "ratio": timings["reused"].min_s / timings["cold"].min_s,
        "reused_tokens": [decision.reused_tokens for decision in ours],
        "max_dp": max(differences),
    }


def main() -> None:
    options = model_parser(__doc__, runs=3)
    options.add_argument("--tokens", type=int, default=7475, help="of the first record (default 7475)")
    options.add_argument("--grown", type=int, default=300, help="tokens the state grows or changes by (default 300)")
    told = options.parse_args()
    found = say_machine()
    # Room for what is kept at the largest size asked for here.
    with load_model(told, prefix_bytes=2 << 30) as keeping, load_model(told) as cold:
        count = counter(cold)
        first = request_of(told.tokens, questions(3), count)
        keeping.decide(first["state"], first["questions"])
        turns = range(told.runs + 1)
        same = compared(keeping, cold, [first | {"questions": three(turn)} for turn in turns], told.runs)
        longer = [grown(first, told.grown, count, seed=turn + 1) for turn in turns]
        more = compared(keeping, cold, longer, told.runs)
        changed = [edited(first, told.grown, count, seed=turn + 100) for turn in turns]
        rewritten = compared(keeping, cold, changed, told.runs)
    rows = {"same_state": same, "grown_state": more, "edited_state": rewritten}
    for name, row in rows.items():
        print(
            f"{name:12} reused {row['reused']['min_s']:.3f}s, cold {row['cold']['min_s']:.3f}s (minima): "
            f"{row['ratio']:.3f}x, max |dp| {row['max_dp']:.1e}, tokens reused {row['reused_tokens']}"
        )
    finish("prefix", found, told, **rows)


if __name__ == "__main__":
    main()
