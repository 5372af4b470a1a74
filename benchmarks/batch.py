"""What does batching save: many short requests through `decide_many` against one by one?

Regime: requests of about the same length, each with its own state; alternating runs of the whole lot.
"""

from __future__ import annotations

from setting import finish, load_model, model_parser, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.measure import alternate, peak_bytes
from clef_mlx.bench.workload import questions, request_of


def main() -> None:
    options = model_parser(__doc__, runs=5)
    options.add_argument("--requests", type=int, default=32)
    options.add_argument("--tokens", type=int, default=250, help="of each record, give or take a tenth (default 250)")
    options.add_argument("--batch-tokens", type=int, help="most padded tokens of a batch (default: the library's)")
    told = options.parse_args()
    found = say_machine()
    with load_model(told) as model:
        count = counter(model)
        lengths = [round(told.tokens * (0.9 + 0.2 * i / max(1, told.requests - 1))) for i in range(told.requests)]
        asked = questions(1)
        requests = [request_of(length, asked, count, seed=seed) for seed, length in enumerate(lengths)]

        def batched() -> list:
            return list(model.decide_many(requests, batch_tokens=told.batch_tokens))

        def alone() -> list:
            return [model.decide(request["state"], request["questions"]) for request in requests]

        timings = alternate({"batched": batched, "alone": alone}, told.runs)
        pairs = list(zip(batched(), alone(), strict=True))
        peaks = {"batched": peak_bytes(batched), "alone": peak_bytes(alone)}
        tokens = sum(count(request) for request in requests)
    max_dp = max(
        abs(p - b.probabilities[question][option])
        for a, b in pairs
        for question, options in a.probabilities.items()
        for option, p in options.items()
    )
    same = all(a.answers == b.answers for a, b in pairs)
    ratio = timings["batched"].min_s / timings["alone"].min_s
    for name, timing in timings.items():
        print(f"{name:8} min {timing.min_s:.3f}s, median {timing.median_s:.3f}s, peak {peaks[name] / 2**20:,.0f} MiB")
    print(f"{ratio:.3f}x by the minima, max |dp| {max_dp:.1e}, rounded answers {'equal' if same else 'differ'}")
    finish(
        "batch",
        found,
        told,
        tokens=tokens,
        **{name: timing.to_dict() for name, timing in timings.items()},
        ratio=ratio,
        max_dp=max_dp,
        same_answers=same,
        peak_bytes=peaks,
    )


if __name__ == "__main__":
    main()
