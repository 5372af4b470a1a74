"""Requests of every kind the model must agree on: the three types, all counts, nested and multilingual text.

`requests()` gives the same list every time. With the small tokenizer of random releases the records are 100 to 6,000
tokens long.
"""

from __future__ import annotations

import random
import unicodedata
from typing import Any

WORDS = (
    "the customer writes that parcel order money back late team invoice amount bank account new service down error "
    "timeout connection retry tool call delete file price lamp week message angry calm urgent answer state open closed"
).split()
TEXTS = {
    "english": "She was told twice that it would come this week; it didn't. I'd like my $20.50 back, and I'll wait!",
    "german": "Der Kunde schreibt, dass die Bestellung nicht angekommen ist. Straße, Größe, Übermäßigkeit.",
    "french": "Le client demande un remboursement : « où est ma commande ? » Ça dépasse l'entendement, hélas.",
    "japanese": "ご注文の商品がまだ届いていません。返金をお願いします。カタカナ、ひらがな、漢字。",
    "chinese": "客户说订单还没有收到，请尽快退款。二〇二四年十二月三十一日，共１２３元。",
    "korean": "주문한 상품이 아직 도착하지 않았습니다. 환불해 주세요.",
    "arabic": "العميل يقول إن الطلب لم يصل بعد. السَّلَامُ عَلَيْكُمْ، رقم ١٢٣٤٥.",
    "hebrew": "הלקוח אומר שההזמנה לא הגיעה. שָׁלוֹם עֲלֵיכֶם.",
    "hindi": "ग्राहक कहता है कि ऑर्डर अभी तक नहीं आया है। क्षत्रिय, ज्ञान, श्री।",
    "thai": "ลูกค้าบอกว่ายังไม่ได้รับสินค้า กรุณาคืนเงิน",
    "emoji": "Great 👍🏽👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 thanks!! 😡😡 ☕️ 1️⃣",
    "combining": "x\u0301y\u0308z\u0331 a\u0323\u0307 Z\u0351\u0327\u0489 \u0301alone e\u0301 \u212b \u1e9b\u0323",
    "controls": "a\u0000b\tc\r\nd\u2028e\u00a0f\u200bg\ufeffh \u0007",
    "code": "def f(x):\n    return {'a': [x ** 2 for _ in range(10)]}  # why?\n\n\n\t\tif x<=3 and y>=4: pass",
    "spaces": "  leading\n\n\n   and   many      spaces   \n trailing   ",
}


def requests() -> list[dict[str, Any]]:
    """More than 60 requests as JSON values."""
    draw = random.Random(20)
    bank = [one_text(text) for text in TEXTS.values()]
    bank += [one_text(unicodedata.normalize("NFD", TEXTS[name])) for name in ("german", "korean", "arabic")]
    bank += [choices(count, draw) for count in (1, 2, 3, 5, 11, 26, 64, 100, 255)]
    bank += [levels(count, draw) for count in range(1, 11)]
    bank += [many_questions(count, draw) for count in (2, 3, 7, 16, 33, 64)]
    bank += [long_state(words, draw) for words in (0, 1, 5, 12, 60, 130, 300, 700, 1500, 3300)]
    bank += [three_types(state, draw) for state in STATES]
    return bank + _edges()


STATES: tuple[Any, ...] = (
    None,
    "",
    0,
    -12.5e-30,
    True,
    [],
    {},
    [[[[[]]]], {"b": {"a": [1, 2.0, None, False, "x"]}}],
    {"z": 1, "a": {"y": "ü", "x": ["é", {"k": "日本"}]}, "10": "ten", "9": "nine", "": "empty name"},
    {"quote": 'say "hi" \\ / \b\f', "line": "one\ntwo", "html": "<b>&amp;</b>", "big": 12345678901234567890},
    {"conversation": [{"role": "user", "content": text} for text in TEXTS.values()]},
)


def noul(instructions: Any = "Is this message urgent?", **fields: Any) -> dict[str, Any]:
    return {"type": "noul", "instructions": instructions, **fields}


def phrase(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(words))


def three_types(state: Any, draw: random.Random) -> dict[str, Any]:
    return {
        "model": "clef",
        "state": state,
        "questions": {
            "urgent": noul(),
            "team": {
                "type": "choice",
                "instructions": "Which team should answer it?",
                "criteria": {"tech": "errors and timeouts", "billing": "invoices", "other": None},
            },
            "anger": {"type": "score", "instructions": phrase(draw, 6), "criteria": ["calm", "angry", "furious"]},
        },
    }


def one_text(text: str) -> dict[str, Any]:
    """The same text as state, instructions, id, option id and description."""
    choice = {"type": "choice", "instructions": text, "criteria": {text: text, "b": text[:7], text[3:9]: None}}
    score = {"type": "score", "instructions": {"ask": text}, "criteria": [text[:20], {"level": text[5:30]}]}
    return {"model": "clef", "state": text, "questions": {text[:12]: choice, "level": score}}


def choices(count: int, draw: random.Random) -> dict[str, Any]:
    order = draw.sample(range(count), count)
    criteria = {f"option {number}": phrase(draw, number % 4) or None for number in order}
    return {
        "model": "clef",
        "state": {"note": phrase(draw, 20)},
        "questions": {"pick": {"type": "choice", "instructions": "Which one?", "criteria": criteria}},
    }


def levels(count: int, draw: random.Random) -> dict[str, Any]:
    criteria = [phrase(draw, 1 + level % 3) for level in range(count)]
    question = {"type": "score", "instructions": f"How {draw.choice(WORDS)} is it?", "criteria": criteria}
    return {"model": "clef", "state": phrase(draw, 30), "questions": {f"score {count}": question}}


def many_questions(count: int, draw: random.Random) -> dict[str, Any]:
    questions: dict[str, Any] = {}
    for number in range(count):
        criteria = {f"{word}{number}": None for word in draw.sample(WORDS, 3)}
        kinds = (
            noul(phrase(draw, 5)),
            {"type": "choice", "instructions": phrase(draw, 4), "criteria": criteria},
            {"type": "score", "instructions": phrase(draw, 4), "criteria": draw.sample(WORDS, 1 + number % 5)},
        )
        questions[f"q{number}"] = kinds[number % 3]
    return {"model": "clef", "state": phrase(draw, 40), "questions": questions}


def long_state(words: int, draw: random.Random) -> dict[str, Any]:
    lines = [{"at": at, "text": phrase(draw, 10)} for at in range(words // 10)]
    request = three_types({"log": lines, "rest": phrase(draw, words % 10)}, draw)
    if words < 100:  # the shortest records: one question
        request["questions"] = {"urgent": noul()}
    return request


def _edges() -> list[dict[str, Any]]:
    """Instructions and descriptions that are null, empty or falsy; keys that sort as text."""
    falsy = {f"f{at}": noul(value) for at, value in enumerate((None, "", 0, False, [], {}, 0.0, "0"))}
    criteria = {"10": None, "2": "", "1": "one", "B": {"k": [1, None]}, "a": 0, "Ä": False, "ä": [], "": "no id"}
    return [
        {"model": "clef", "state": "x", "questions": falsy},
        {"model": "clef", "state": "x", "questions": {"no instructions": {"type": "noul"}}},
        {"model": "clef", "state": "x", "questions": {"c": {"type": "choice", "criteria": criteria}}},
        {"model": "clef", "state": "x", "questions": {"c": {"type": "choice", "criteria": {"a": None, "b": "B"}}}},
        {"model": "clef", "state": "x", "questions": {"s": {"type": "score", "criteria": [None, "", 0, {}, "top"]}}},
        {
            "model": "clef",
            "state": "x",
            "questions": {
                "yes": noul(criteria={"true": "It is so.", "false": None}),
                "no": noul(criteria={"false": ""}),
                "neither": noul(criteria={}),
                "null": noul(criteria=None),
                "objects": noul({"b": 1, "a": ["x"]}, criteria={"true": {"is": True}, "false": [False]}),
            },
        },
    ]
