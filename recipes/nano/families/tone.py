"""Invented reviews and mails -> sentiment, rating, what is judged, urgency, anger and politeness."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from recipes.nano import messages, values
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.wording import fill
from recipes.nano.words import tone as say

NAME = "tone"
REVIEW = ("the review", "the text", "the writer", "the customer", "this review")
MAIL = ("the message", "the text", "the writer", "the customer", "the sender", "this message")
ABOUT_ASPECT = (
    "Is the review about the {x}?", "Does the review mention the {x}?", "Does the writer talk about the {x}?",
    "The review is about the {x}.", "Is the {x} mentioned?", "Does the text speak of the {x}?",
    "Does the customer write about the {x}?", "Is the text about the {x}?", "The writer mentions the {x}.",
    "Check if the {x} is mentioned.", "Does it say something about the {x}?", "Is it about the {x}?",
)  # fmt: skip


def draw(random: Random, split: Split) -> Case:
    """A review, or a mail with more or less urgency, anger and politeness."""
    return (_review if random.random() < 0.5 else _mail)(random, split, messages.language(random))


def _review(random: Random, split: Split, language: str) -> Case:
    strength = random.randrange(5)
    aspect = None
    sentences = []
    for _ in range(random.choice((1, 1, 2))):
        if language != "en" or random.random() < 0.5:
            said = say.SAID if language == "en" else say.FOREIGN_SAID[language]
            text = random.choice(said[strength])
            # the first sentence is carried, so that no held-out state was seen
            bare = 0.6 if sentences else 0
            sentences.append(messages.sentence(random, split, text, language, say.OPINING, bare))
        else:
            # a review judges one aspect at most, so that the question for it has one answer
            about = random.choice(say.THINGS)
            if random.random() < 0.7:
                aspect = aspect or random.choice(tuple(say.ASPECTS))
                about = random.choice(say.ASPECTS[aspect])
            slots = {"x": about, "a": random.choice(say.ADJECTIVES[strength])}
            sentences.append(messages.upper(fill(pick(random, say.JUDGING, split), random, split, slots)))
    sentences = list(dict.fromkeys(sentences))
    if random.random() < 0.35:
        fact = fill(pick(random, say.FACTUAL[language], split), random, split)
        sentences.insert(random.randrange(2) * len(sentences), fact)
    asked = [sentiment(random, split, strength)]
    asked.append(messages.rate(random, split, say.RATING_IDS, say.RATING_ASKS, say.RATING_LADDERS, strength))
    for _ in range(2):
        asked += _stated(random, split, REVIEW, _opinion(strength), _opinion(random.randrange(5)))
    if aspect:
        asked += [_aspect(random, split, aspect), _about(random, split, aspect)]
    return Case(_review_state(random, split, " ".join(sentences)), messages.unlike(asked), f"{NAME}/sentiment")


def _opinion(strength: int) -> dict[str, bool | None]:
    return {"positive": strength > 2, "negative": strength < 2}


def sentiment(random: Random, split: Split, strength: int) -> Asked:
    """A choice of positive and negative, and neutral in most."""
    right = ("negative", "negative", "neutral", "positive", "positive")[strength]
    names = [name for name in say.SENTIMENT if name in (right, "positive", "negative") or random.random() < 0.7]
    given = messages.options(random, say.SENTIMENT, names)
    return messages.choose(random, split, say.SENTIMENT_IDS, say.SENTIMENT_ASKS, given, right)


def _stated(
    random: Random, split: Split, subjects: tuple[str, ...], mine: dict[str, bool | None], other: dict[str, bool | None]
) -> list[Asked]:
    return [
        messages.state(random, split, say.FACTS[name], subjects, name, holds)
        for name, holds in messages.differing(mine, other).items()
    ]


def _aspect(random: Random, split: Split, aspect: str) -> Asked:
    others = random.sample([one for one in say.ASPECTS if one != aspect], random.randrange(1, 5))
    spell = random.choice(messages.STYLES)
    names = [spell(one) for one in random.sample([aspect, *others], len(others) + 1)]
    return choice(random.choice(say.ASPECT_IDS), pick(random, say.ASPECT_ASKS, split), names, spell(aspect))


def _about(random: Random, split: Split, aspect: str) -> Asked:
    holds = random.random() < 0.5
    named = aspect if holds else random.choice([one for one in say.ASPECTS if one != aspect])
    text = pick(random, ABOUT_ASPECT, split).format(x=named)
    return noul(f"about_{named}" if random.random() < 0.5 else random.choice(messages.NOUL_IDS), text, holds)


def _review_state(random: Random, split: Split, text: str) -> Any:
    forms: tuple[Callable[[], Any], ...] = (
        lambda: {"review": text, "author": values.first_name(random, split)},
        lambda: {"product": random.choice(say.THINGS), "comment": text},
        lambda: f"Review by {values.first_name(random, split)}: {text}",
        lambda: text.lower(),
        lambda: {"text": text},
    )
    return random.choice(forms)() if random.random() < 0.5 else text


def _mail(random: Random, split: Split, language: str) -> Case:
    mine = _feelings(random)
    levels = [
        random.choice(ladder[language][level])
        for ladder, level in zip((say.ANGER, say.URGENCY, say.MANNERS), mine, strict=True)
        if level is not None
    ]
    # without a matter all sentences are carried, so that no held-out state was seen
    matter = random.random() < 0.6
    bare = 0.6 if matter else 0
    sentences = [messages.sentence(random, split, one, language, say.FEELING, bare) for one in levels]
    random.shuffle(sentences)
    if matter:
        sentences.insert(0, fill(pick(random, say.MATTERS[language], split), random, split))
    anger, urgency, manners = mine
    asked: list[Asked] = []
    if urgency is not None:
        asked.append(random.choice(urgency_asked(random, split, urgency)))
    if anger is not None:
        asked.append(random.choice(anger_asked(random, split, anger)))
    if manners is not None:
        asked.append(messages.rate(random, split, say.MANNERS_IDS, say.MANNERS_ASKS, say.MANNERS_LADDERS, manners))
    for _ in range(2):
        asked += _stated(random, split, MAIL, stated(*mine), stated(*_feelings(random)))
    return Case(_mail_state(random, split, " ".join(sentences)), messages.unlike(asked), f"{NAME}/mail")


def _feelings(random: Random) -> tuple[int | None, int | None, int | None]:
    """Anger, urgency and manners; the calm do not insult, and the furious are not polite."""
    anger = random.choice((0, 1, 2, 3, None, None))
    urgency = random.choice((0, 1, 2, 3, None)) if anger is not None else random.randrange(4)
    allowed = (1, 2) if anger in (0, 1) else (0, None) if anger in (2, 3) else (0, 1, 2)
    return anger, urgency, random.choice(allowed) if random.random() < 0.6 else None


def stated(anger: int | None, urgency: int | None, manners: int | None) -> dict[str, bool | None]:
    """What may be said of a message of these levels; nothing where people may differ."""
    angry = None if anger == 1 or (anger is None and manners == 0) else (anger or 0) > 1
    rude = None if manners is None and (anger or 0) > 1 or anger == 3 and manners != 0 else manners == 0
    return {
        "angry": angry,
        "urgent": None if urgency == 1 else (urgency or 0) > 1,
        "polite": None if manners in (None, 1) else manners == 2,
        "rude": rude,
    }


def anger_asked(random: Random, split: Split, anger: int) -> list[Asked]:
    """A score and a choice of anger, 0 to 3."""
    return [
        messages.rate(random, split, say.ANGER_IDS, say.ANGER_ASKS, say.ANGER_LADDERS, anger),
        _laddered(random, split, say.ANGER_IDS, say.ANGER_ASKS, say.ANGER_LADDERS, anger),
    ]


def urgency_asked(random: Random, split: Split, urgency: int) -> list[Asked]:
    """A score and a choice of urgency, 0 to 3."""
    return [
        messages.rate(random, split, say.URGENCY_IDS, say.URGENCY_ASKS, say.URGENCY_LADDERS, urgency),
        _laddered(random, split, say.URGENCY_IDS, say.URGENCY_ASKS, say.URGENCY_LADDERS, urgency),
    ]


def _laddered(random: Random, split: Split, ids: tuple, asks: tuple, ladders: tuple, level: int) -> Asked:
    """The levels of a ladder as options of a choice."""
    levels, places = random.choice(ladders)
    spell = random.choice(messages.STYLES)
    names = [spell(one) for one in random.sample(levels, len(levels))]
    return choice(random.choice(ids), pick(random, asks, split), names, spell(levels[places[level]]))


def _mail_state(random: Random, split: Split, text: str) -> Any:
    forms: tuple[Callable[[], Any], ...] = (
        lambda: {"from": values.person(random, split), "text": text},
        lambda: {"ticket": random.randrange(100, 9999), "message": text},
        lambda: f"From: {values.person(random, split)}\n\n{text}",
        lambda: [{"role": "customer", "text": text}],
        lambda: f"Dear {values.person(random, split)}, {text}",
    )
    return random.choice(forms)() if random.random() < 0.5 else text
