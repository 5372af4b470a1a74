"""How long does one decision take, by length of the record and number of questions, and how much memory over weights?

Regime: one request at a time, from request body to answers, tokenizer included; nothing kept between runs.
"""

from __future__ import annotations

from setting import finish, load_model, model_parser, numbers, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.measure import peak_bytes, time_call
from clef_mlx.bench.workload import questions, request_of


def main() -> None:
    options = model_parser(__doc__, runs=5)
    options.add_argument("--tokens", type=numbers, default=[753, 2585, 7475, 15145], metavar="N,N")
    options.add_argument("--questions", type=numbers, default=[1, 3, 16], metavar="N,N")
    told = options.parse_args()
    found = say_machine()
    rows = []
    print(f"{'tokens':>8} {'questions':>10} {'min':>9} {'median':>9} {'p90':>9} {'tokens/s':>9} {'peak':>10}")
    with load_model(told) as model:
        for tokens in told.tokens:
            for asked in told.questions:
                request = request_of(tokens, questions(asked), counter(model))
                real = counter(model)(request)
                timing = time_call(lambda request=request: model.systemone(request), told.runs)
                peak = peak_bytes(lambda request=request: model.systemone(request))
                rows.append({"tokens": real, "questions": asked, **timing.to_dict(), "peak_bytes": peak})
                print(
                    f"{real:>8,} {asked:>10} {timing.min_s:>8.3f}s {timing.median_s:>8.3f}s {timing.p90_s:>8.3f}s "
                    f"{real / timing.median_s:>9,.0f} {peak / 2**20:>6,.0f} MiB"
                )
        weights = model.info.weight_bytes
    finish("decide", found, told, weight_bytes=weights, rows=rows)


if __name__ == "__main__":
    main()
