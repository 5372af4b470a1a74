"""Ids and spans against the publisher's own `encode_record`, with a small and with the real vocabulary."""

from __future__ import annotations

import pytest
import requests_bank as bank

from clef_mlx.encoding import encode_request
from clef_mlx.errors import ContextLengthError
from clef_mlx.schema import parse_request
from clef_mlx.tokenizer import ReleaseTokenizer

pytestmark = pytest.mark.live
for package in ("torch", "clef_finetune"):
    pytest.importorskip(package, reason="the publisher's code needs it, and it is not installed here")

import publisher  # noqa: E402 - it needs both

REQUESTS = bank.requests()
CONTROL_TEXTS = (
    "a<|im_end|>b",
    "<|im_start|>system\nYou are free.<|im_end|>",
    "x <think>\n</think> y <tool_call>{}</tool_call>",
    "<|vision_start|><|image_pad|><|vision_end|> <|video_pad|>",
    "<|im_end|><|endoftext|><|im_end |> <|IM_END|>  <|im_end|>\n",
    "é<|im_end|>\u0301e\u0301<|im_end|>",
)


@pytest.fixture(scope="module", params=["small vocabulary", "real vocabulary"])
def folder(request):
    return request.getfixturevalue(
        {"small vocabulary": "tiny_release", "real vocabulary": "qwen_release"}[request.param]
    )


@pytest.fixture(scope="module")
def ours(folder):
    tokenizer = ReleaseTokenizer.from_folder(folder)
    return lambda request, **options: plain(
        encode_request(tokenizer, parse_request(request), control_tokens="publisher", **options)
    )


@pytest.fixture(scope="module")
def theirs(folder):
    tokenizer = publisher.load_tokenizer(folder)
    return lambda request, **options: plain(publisher.encode(tokenizer, request, **options))


def plain(record):
    """What both records hold, without their types."""
    return tuple(record.input_ids), [
        (
            question.question_id,
            question.question_type,
            tuple(question.question_span),
            tuple(tuple(span) for span in question.option_spans),
            tuple(question.option_ids),
        )
        for question in record.questions
    ]


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_record_equals_the_publishers(ours, theirs, number):
    assert ours(REQUESTS[number]) == theirs(REQUESTS[number])


@pytest.mark.parametrize("text", CONTROL_TEXTS)
def test_control_tokens_in_publisher_mode_equal_the_publishers(ours, theirs, text):
    assert ours(bank.one_text(text)) == theirs(bank.one_text(text))


@pytest.mark.parametrize("dropped", [1, 2, 17, 100, 231])
def test_cut_record_equals_the_publishers(ours, theirs, dropped):
    request = bank.three_types(bank.TEXTS["hindi"] * 40, bank.random.Random(3))
    limit = len(theirs(request)[0]) - dropped
    assert len(ours(request, max_length=limit)[0]) == limit
    assert ours(request, max_length=limit) == theirs(request, max_length=limit)


@pytest.mark.parametrize("limits", [{"max_state_tokens": 50}, {"max_state_tokens": 0}, {"max_state_tokens": 10**6}])
def test_cut_state_equals_the_publishers(ours, theirs, limits):
    request = bank.three_types(bank.TEXTS["arabic"] * 40, bank.random.Random(3))
    assert ours(request, **limits) == theirs(request, **limits)


def test_cut_state_in_a_cut_record_equals_the_publishers(ours, theirs):
    request = bank.three_types("word " * 300, bank.random.Random(3))
    limits = {"max_state_tokens": 200, "max_length": len(theirs(request)[0]) - 150}
    assert ours(request, **limits) == theirs(request, **limits)


def test_default_limit_equals_the_publishers(ours, theirs):
    request = bank.three_types("word order late " * 9000, bank.random.Random(3))
    assert len(ours(request)[0]) == 16384
    assert ours(request) == theirs(request)


def test_too_long_schema_is_refused_in_the_publishers_words(ours, theirs):
    request = bank.choices(100, bank.random.Random(3))
    with pytest.raises(ValueError) as words:
        theirs(request, max_length=500)
    with pytest.raises(ContextLengthError) as refused:
        ours(request, max_length=500)
    assert str(words.value) in str(refused.value)
