"""Invented reviews and mails -> sentiment, rating, urgency, anger and politeness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Case, Split, choice, pick, score
from recipes.nano.wording import Kind, ask, fill, options, worded
from recipes.nano.words import tone as say
from recipes.nano.words import tone_en as english
from recipes.nano.words.tone_eu import FRENCH, GERMAN, SPANISH
from recipes.nano.words.tone_eu_more import MORE

NAME = "tone"
STRENGTHS = ("awful", "poor", "neutral", "good", "great")
ENGLISH: dict[str, Any] = {
    "great": english.GREAT,
    "good": english.GOOD,
    "poor": english.POOR,
    "awful": english.AWFUL,
    "great_said": english.GREAT_SAID,
    "good_said": english.GOOD_SAID,
    "neutral_said": english.NEUTRAL_SAID,
    "poor_said": english.POOR_SAID,
    "awful_said": english.AWFUL_SAID,
    "but": english.BUT,
    "anger": english.ANGER,
    "urgency": english.URGENCY,
    "manners": english.MANNERS,
    "matters": english.MATTERS,
    "aspect": english.ASPECTS,
    "frames": english.ABOUT_ASPECT,
}


def _joined(first: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Two word lists as one; ladders are joined level by level."""
    ladders = ("anger", "urgency", "manners")
    joined = {name: first[name] + one for name, one in more.items() if name not in ladders}
    steps = {name: tuple(a + b for a, b in zip(first[name], more[name], strict=True)) for name in ladders}
    return first | joined | steps


WORDS = {
    "en": ENGLISH,
    "de": _joined(GERMAN, MORE["de"]),
    "es": _joined(SPANISH, MORE["es"]),
    "fr": _joined(FRENCH, MORE["fr"]),
}
WRITERS = ("the writer", "the customer", "the author", "this person", "the reviewer")
SENDERS = ("the writer", "the customer", "the sender", "the author", "the user", "this person")


def draw(random: Random, split: Split) -> Case:
    """A review, or a mail with more or less urgency, anger and politeness."""
    language = random.choices(("en", "de", "es", "fr"), (70, 10, 10, 10))[0]
    return (_review if random.random() < 0.5 else _mail)(random, split, language)


def _review(random: Random, split: Split, language: str) -> Case:
    strength = random.choice((*range(5), 5, 5) if random.random() < 0.5 else range(5))
    mixed = strength == 5
    judged: dict[str, int] = {}
    if mixed:
        good, bad = random.choice((3, 4)), random.choice((0, 1))
        first, second = random.sample((good, bad), 2)
        joint = pick(random, WORDS[language]["but"], split) if random.random() < 0.6 else ""
        one = _opinion(random, split, language, first, judged, aspect=True)
        other = _opinion(random, split, language, second, judged, aspect=True)
        other = other[0].lower() + other[1:] if joint and other[:2] != "I " else other
        sentences = [one.rstrip(".!") + f", {joint} {other}" if joint else f"{one} {other}"]
    else:
        count = random.choice((1, 1, 2, 2, 3))
        sentences = [_opinion(random, split, language, strength, judged) for _ in range(count)]
        sentences = list(dict.fromkeys(sentences))
    # a factual sentence says nothing of the opinion
    if random.random() < 0.35:
        fact = fill(pick(random, FACTUAL[language], split), random, split, {"thing": _thing})
        sentences.insert(random.randrange(2) * len(sentences), fact)
    state = _review_state(random, split, " ".join(sentences))
    return Case(state, tuple(_review_questions(random, split, language, strength, judged)), f"{NAME}/sentiment")


FACTUAL = {
    "en": english.NEUTRAL_SAID[:1]
    + english.NEUTRAL_SAID[1:2]
    + english.NEUTRAL_SAID[10:12]
    + english.NEUTRAL_SAID[14:19],
    "de": (
        "Ich habe es im Mai gekauft.",
        "Der Laden liegt in {city}.",
        "Es kostet {amount}.",
        "Ich war am {n}. Tag dort.",
    ),
    "es": ("Lo compré en mayo.", "La tienda está en {city}.", "Cuesta {amount}.", "Fui el día {n2} con {name}."),
    "fr": ("Je l'ai acheté en mai.", "Le magasin est à {city}.", "Il coûte {amount}.", "J'y suis allé avec {name}."),
}


def _thing(random: Random, split: Split) -> str:
    return random.choice(english.THINGS)


def _opinion(
    random: Random, split: Split, language: str, strength: int, judged: dict[str, int], aspect: bool = False
) -> str:
    """A sentence of a strength; what it judges is noted in `judged`."""
    said, name = WORDS[language], STRENGTHS[strength]
    if strength == 2 or (not aspect and random.random() < 0.45):
        return fill(pick(random, said[f"{name}_said"], split), random, split, {"thing": _thing})
    adjective = random.choice(said[name])
    slots = {"adjective": adjective, "Adjective": adjective[0].upper() + adjective[1:], "thing": _thing}
    if language == "en" and not aspect and random.random() < 0.4:
        return fill(pick(random, english.ABOUT_THING, split), random, split, slots)
    about = random.choice([one for one in said["aspect"] if one not in judged])
    judged[about] = strength
    text = fill(pick(random, said["frames"], split), random, split, slots | {"aspect": about})
    return text[0].upper() + text[1:]


def _review_questions(
    random: Random, split: Split, language: str, strength: int, judged: dict[str, int]
) -> list[Asked]:
    right = ("negative", "negative", "neutral", "positive", "positive", "mixed")[strength]
    asked = [sentiment_asked(random, split, language, right), sentiment_asked(random, split, language, right)]
    levels, places = pick(random, say.RATING_LADDERS, split)
    label = places[2 if right == "mixed" else strength]
    asked.append(score(random.choice(say.RATING_IDS), pick(random, say.RATING_ASKS, split), levels, label))
    if right != "mixed":
        asked.append(ask(say.FACTS["satisfied"], right == "positive", random, split, WRITERS, language))
        asked.append(ask(say.FACTS["unhappy"], right == "negative", random, split, WRITERS, language))
    if language == "en":
        asked += [_aspect(random, split, judged) for _ in range(min(2, len(judged)))]
    return asked


def sentiment_asked(random: Random, split: Split, language: str, right: str) -> Asked:
    """A choice among feelings; what could be right as well is not among the options."""
    others = [name for name in say.SENTIMENT if name != right]
    if right == "mixed":
        others.remove("neutral")
    elif right == "neutral":
        others.remove("mixed")
    size = random.choice((1, 2, 2, 3))
    names = [right, *random.sample(others, min(size, len(others)))]
    random.shuffle(names)
    given = options(say.SENTIMENT, names, random, split)
    native = say.NATIVE_SENTIMENT_ASKS.get(language)
    asks = native if native and random.random() < 0.4 else say.SENTIMENT_ASKS
    return choice(random.choice(say.SENTIMENT_IDS), worded(random, asks, split), dict(given.values()), given[right][0])


def _aspect(random: Random, split: Split, judged: dict[str, int]) -> Asked:
    """What is thought of one aspect, among others judged otherwise; sometimes one that is not mentioned."""
    absent = random.random() < 0.25
    about = random.choice([one for one in english.ASPECTS if one not in judged] if absent else list(judged))
    right = "absent" if absent else "positive" if judged[about] > 2 else "negative"
    kinds: Mapping[str, Kind] = say.SENTIMENT | {"absent": say.ABSENT}
    names = ["positive", "negative", *(["absent"] if absent or random.random() < 0.5 else [])]
    random.shuffle(names)
    given = options(kinds, names, random, split)
    text = pick(random, say.ASPECT_ASKS, split).format(aspect=about)
    return choice(
        f"{about.replace(' ', '_')}_opinion" if random.random() < 0.5 else "aspect",
        text,
        dict(given.values()),
        given[right][0],
    )


def _review_state(random: Random, split: Split, text: str) -> Any:
    form = random.randrange(8)
    if form == 0:
        return {"review": text, "author": values.first_name(random, split), "date": values.date(random, split)}
    if form == 1:
        return {"product": random.choice(english.THINGS), "comment": text}
    if form == 2:
        return f"Review by {values.first_name(random, split)}: {text}"
    if form == 3:
        return text.lower()
    if form == 4:
        return {"source": random.choice(("survey", "shop", "app store", "forum")), "text": text}
    return text


def _mail(random: Random, split: Split, language: str) -> Case:
    said = WORDS[language]
    anger = random.choice((0, 0, 1, 2, 3, None))
    urgency = random.choice((0, 1, 2, 3, 4, None)) if anger in (0, 1, None) or random.random() < 0.5 else None
    manners = random.choice((0, 1, 2, 2)) if anger in (0, None) else random.choice((0, 1)) if anger == 3 else None
    if manners == 0 and anger in (0, None):
        anger = None
    sentences = [_fit(random, split, said["matters"])]
    parts = [(said["anger"], anger), (said["urgency"], urgency), (said["manners"], manners)]
    random.shuffle(parts)
    for ladder, level in parts:
        if level is not None:
            sentences.append(_fit(random, split, ladder[level]))
    if random.random() < 0.2:
        sentences[0], sentences[-1] = sentences[-1], sentences[0]
    text = " ".join(sentences)
    asked = _mail_questions(random, split, language, anger, urgency, manners)
    return Case(_mail_state(random, split, text), tuple(asked), f"{NAME}/mail")


def _fit(random: Random, split: Split, templates: Sequence[str]) -> str:
    text = fill(pick(random, templates, split), random, split)
    return text[0].upper() + text[1:]


def _mail_questions(
    random: Random, split: Split, language: str, anger: int | None, urgency: int | None, manners: int | None
) -> list[Asked]:
    asked: list[Asked] = []
    if urgency is not None:
        asked += urgency_asked(random, split, language, urgency)
    if anger is not None:
        asked += anger_asked(random, split, language, anger)
    # an insult is rude, however calm the rest; rage without an insult is neither
    if manners is not None and anger != 3:
        levels, places = pick(random, say.MANNERS_LADDERS, split)
        asked.append(
            score(random.choice(say.MANNERS_IDS), pick(random, say.MANNERS_ASKS, split), levels, places[manners])
        )
        asked.append(ask(say.FACTS["polite"], manners == 2, random, split, SENDERS, language))
    if manners is not None or anger in (0, 1, None):
        if anger != 3 or manners == 0:
            asked.append(ask(say.FACTS["rude"], manners == 0, random, split, SENDERS, language))
    return asked


def anger_asked(random: Random, split: Split, language: str, anger: int) -> list[Asked]:
    """Questions about a message of a known anger, 0 to 3."""
    levels, places = pick(random, say.ANGER_LADDERS, split)
    asked = [score(random.choice(say.ANGER_IDS), pick(random, say.ANGER_ASKS, split), levels, places[anger])]
    if anger != 1:
        asked.append(ask(say.FACTS["angry"], anger >= 2, random, split, SENDERS, language))
        given = options(say.ANGER_KINDS, random.sample((0, 2, 3), 3), random, split)
        text = pick(random, say.ANGER_ASKS, split)
        asked.append(choice(random.choice(say.ANGER_IDS), text, dict(given.values()), given[anger][0]))
    return asked


def urgency_asked(random: Random, split: Split, language: str, urgency: int) -> list[Asked]:
    """Questions about a message of a known urgency, 0 to 4."""
    native = say.NATIVE_URGENCY_ASKS.get(language)
    levels, places = pick(random, say.URGENCY_LADDERS, split)
    asks = native if native and random.random() < 0.4 else say.URGENCY_ASKS
    asked = [score(random.choice(say.URGENCY_IDS), pick(random, asks, split), levels, places[urgency])]
    given = options(say.URGENCY_KINDS, random.sample(list(say.URGENCY_KINDS), 3), random, split)
    right = ("low", "low", "medium", "high", "high")[urgency]
    asked.append(
        choice(random.choice(say.URGENCY_IDS), pick(random, asks, split), dict(given.values()), given[right][0])
    )
    if urgency != 2:
        asked.append(ask(say.FACTS["urgent"], urgency > 2, random, split, SENDERS, language))
    return asked


def _mail_state(random: Random, split: Split, text: str) -> Any:
    form = random.randrange(8)
    if form == 0:
        return {"from": values.person(random, split), "text": text}
    if form == 1:
        return {"ticket": random.randrange(100, 9999), "message": text, "created": values.date(random, split)}
    if form == 2:
        return f"From: {values.person(random, split)}\n\n{text}"
    if form == 3:
        return [{"role": "customer", "text": text}]
    return text
