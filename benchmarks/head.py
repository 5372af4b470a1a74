"""What share of a decision is the head's, when many questions with many options are asked?

Regime: the head's memory projection, span means and the head itself, each made to finish before the next; the backbone
undisturbed. The share is of the sum, tokenizer included.
"""

from __future__ import annotations

from setting import finish, load_model, model_parser, say_machine

from clef_mlx.bench.curve import counter
from clef_mlx.bench.profile import profile_decision
from clef_mlx.bench.workload import questions, request_of


def main() -> None:
    options = model_parser(__doc__, runs=5)
    options.add_argument("--tokens", type=int, default=2560)
    options.add_argument("--questions", type=int, default=16)
    options.add_argument("--options", type=int, default=96, help="of all questions together")
    told = options.parse_args()
    found = say_machine()
    with load_model(told) as model:
        request = request_of(told.tokens, questions(told.questions, told.options), counter(model))
        record = model.encode(request)
        found_options = sum(len(question.option_ids) for question in record.questions)
        profile = profile_decision(model, request, runs=told.runs, only_head=True)
    share = profile.share("head", "head memory")
    print(f"{len(record.input_ids):,} tokens, {len(record.questions)} questions, {found_options} options")
    for part, seconds in profile.seconds.items():
        print(f"{part:12} {seconds * 1000:9.1f} ms {seconds / profile.total_s:7.1%}")
    print(f"head and its memory together: {share:.1%}")
    finish(
        "head",
        found,
        told,
        tokens=len(record.input_ids),
        questions=len(record.questions),
        option_count=found_options,
        share=share,
        **profile.to_dict(),
    )


if __name__ == "__main__":
    main()
