"""What does encoding a long request cost beyond the tokenizer's own time?

Regime: the whole way from request body to token ids and spans, against the tokenizer alone on the same state text;
alternating runs.
"""

from __future__ import annotations

from setting import finish, model_named, model_parser, say_machine

from clef_mlx.bench.measure import alternate
from clef_mlx.bench.workload import questions, request_of
from clef_mlx.encoding import encode_request
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.hub import resolve


def main() -> None:
    options = model_parser(__doc__, runs=15)
    options.add_argument("--tokens", type=int, default=16000)
    told = options.parse_args()
    found = say_machine()
    tokenizer = ReleaseTokenizer.from_folder(resolve(model_named(told)))

    def encode(request: dict) -> int:
        return len(encode_request(tokenizer, parse_request(request)).input_ids)

    request = request_of(told.tokens, questions(3), encode)
    timings = alternate(
        {"encoding": lambda: encode(request), "tokenizer": lambda: tokenizer.encode(request["state"])}, told.runs
    )
    beyond = timings["encoding"].min_s - timings["tokenizer"].min_s
    for name, timing in timings.items():
        print(f"{name:10} min {timing.min_s * 1000:7.2f} ms, median {timing.median_s * 1000:7.2f} ms")
    print(f"beyond the tokenizer: {beyond * 1000:.2f} ms")
    finish(
        "encode",
        found,
        told,
        tokens=encode(request),
        **{name: timing.to_dict() for name, timing in timings.items()},
        beyond_s=beyond,
    )


if __name__ == "__main__":
    main()
