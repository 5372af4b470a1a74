"""Requests as people send them, of a wanted length in tokens and a wanted number of questions.

The state is a support conversation made of whole sentences; the same seed gives the same request on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

SENTENCES = (
    "The customer writes that the parcel has not arrived and asks for the money back.",
    "She was told twice that it would come this week.",
    "Our records show that the order left the warehouse on the third of the month.",
    "The invoice was paid late, the amount does not match, and the bank account is new.",
    "The service is down again; the log says timeout, connection refused, retry in ten seconds.",
    "I have attached the receipt and a photo of the damaged lamp.",
    "Please tell me which team is responsible, because nobody answers the phone.",
    "We changed the shipping address before the order was closed.",
    "The agent promised a refund of 20.50 within five days, and two weeks have passed.",
    "If this is not solved by Friday, I will cancel the contract and write a public review.",
    "Thank you for your patience; we are looking into it and will answer today.",
    "The tool was called with the wrong account number and would have deleted all files.",
)
# Short words, mostly of one token each, to reach a length exactly.
FILLERS = (" the", " and", " order", " of", " to", " a", " now", " 1", " it", ".", " x")
DESCRIPTIONS = ("Charges, invoices and refunds.", "Errors, outages and logs.", "Parcels and addresses.", None)

TokenCount = Callable[[dict[str, Any]], int]


def questions(count: int, options: int | None = None) -> dict[str, dict[str, Any]]:
    """`count` questions of the three types in turn.

    With `options` they are choices that have so many options together, bare ones to keep the schema short.
    """
    if options is not None:
        share, more = divmod(options, count)
        return {f"field_{i}": _choice(i, share + (i < more), described=False) for i in range(count)}
    kinds = (_noul, lambda i: _choice(i, 4), _score)
    return {f"field_{i}": kinds[i % 3](i) for i in range(count)}


def request_of(
    tokens: int, asked: dict[str, dict[str, Any]], count: TokenCount, *, seed: int = 0, model: str = "clef"
) -> dict[str, Any]:
    """A request of exactly `tokens` tokens, or the nearest below; the shortest there is, where that is longer.

    `count` tells the tokens of a request.
    """

    def with_state(state: str) -> dict[str, Any]:
        return {"model": model, "state": state, "questions": asked}

    words = _words(seed, tokens)
    fitting = _most(len(words), lambda n: count(with_state(" ".join(words[:n]))) <= tokens)
    return with_state(_fill(" ".join(words[:fitting]), tokens, lambda text: count(with_state(text))))


def grown(request: dict[str, Any], tokens: int, count: TokenCount, *, seed: int = 1) -> dict[str, Any]:
    """The same request after more was said: its state goes on for at most `tokens` tokens.

    A space begins a new word, so the tokens so far stay as they were.
    """
    target = count(request) + tokens
    words = ["Update", f"{seed}:", *_words(seed, tokens)]  # other seeds part ways at once

    def longer(more: int) -> dict[str, Any]:
        return request | {"state": " ".join([request["state"], *words[:more]])}

    return longer(_most(len(words), lambda more: count(longer(more)) <= target))


def edited(request: dict[str, Any], tokens: int, count: TokenCount, *, seed: int = 1) -> dict[str, Any]:
    """The same request with about the last `tokens` tokens of its state written anew."""
    whole = count(request)
    words = request["state"].split(" ")
    kept = max(1, round(len(words) * (1 - tokens / whole)))
    short = request | {"state": " ".join(words[:kept])}
    return grown(short, whole - count(short), count, seed=seed)


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number below `limit` that fits, or 0, by halving."""
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _words(seed: int, tokens: int) -> list[str]:
    """At least `tokens` words; a word is a token or more."""
    draw = random.Random(seed)
    words: list[str] = []
    while len(words) < tokens + 1:
        words += draw.choice(SENTENCES).split()
    return words


def _fill(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """Add short words until the count is met, as far as any of them fits."""
    while (missing := tokens - count(text)) > 0:
        fitting = next((text + word for word in FILLERS if tokens - missing < count(text + word) <= tokens), None)
        if fitting is None:
            break
        text = fitting
    return text


def _noul(number: int) -> dict[str, Any]:
    return {"type": "noul", "instructions": f"Is point {number} of the message urgent?"}


def _choice(number: int, options: int, described: bool = True) -> dict[str, Any]:
    texts = DESCRIPTIONS if described else (None,)
    criteria = {f"team {option}": texts[option % len(texts)] for option in range(options)}
    return {"type": "choice", "instructions": f"Which team should answer point {number}?", "criteria": criteria}


def _score(number: int) -> dict[str, Any]:
    return {"type": "score", "instructions": f"How angry is point {number}?", "criteria": ["calm", "annoyed", "angry"]}
