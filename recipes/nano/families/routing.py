"""Invented tickets, mails and chats -> which team, which intent, which language, and facts about the message."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from recipes.nano import messages, values
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.families import tone
from recipes.nano.wording import fill
from recipes.nano.words import routing as say
from recipes.nano.words import tone as feelings
from recipes.nano.words.topics import CONFLICTS, TOPICS
from recipes.nano.words.topics_foreign import FOREIGN

NAME = "routing"
ENDINGS = ("", "", "", "", " team", " department")
SUBJECTS = ("the message", "the text", "the sender", "the customer", "the writer", "this message")
TEXTS = ("the message", "the text", "this message", "this text")
# Verbs that only a text can do, or be.
OF_TEXTS = ("spam", "phone", "order", "deadline", "attachment")
# Where a wish makes sense.
WISHES = {
    "refund": ("billing", "technical", "shipping", "returns", "scheduling"),
    "replacement": ("returns", "shipping"),
    "cancel": ("billing", "shipping", "technical", "returns", "scheduling"),
}


class Message:
    """A message under construction: its sentences, and what is true of it."""

    def __init__(self, random: Random, language: str):
        self.random, self.language = random, language
        self.topic = random.choice(tuple(TOPICS))
        self.kind = self._kind()
        self.wish = self._wish() if self.topic != "spam" and random.random() < 0.5 else None
        some = 0 if self.topic == "spam" else random.choice((0, 1, 1, 2) if not self.wish else (0, 1))
        self.extras = random.sample((*say.FACTS, "anger", "urgency", "anger", "urgency"), some)
        self.anger = random.randrange(4) if "anger" in self.extras else None
        self.urgency = random.randrange(4) if "urgency" in self.extras else None
        self.question = False

    def _kind(self) -> str:
        """What the first sentence is: trouble, another sentence, or a noun that is asked about, failing, or named."""
        random, topic = self.random, TOPICS[self.topic]
        if self.language != "en":
            return "foreign"
        kinds = [kind for kind in ("trouble", "other") if topic[kind]]
        if topic["nouns"] and random.random() < 0.45:
            return random.choice(("asking", "failing", "about") if topic["trouble"] else ("asking", "about"))
        return random.choice(kinds)

    def _wish(self) -> str | None:
        allowed = [wish for wish, topics in WISHES.items() if self.topic in topics] * 2 + ["call"]
        if self.kind in ("other", "asking", "about") and self.topic not in ("cancellation", "feedback"):
            allowed.append("thanks")
        return self.random.choice(allowed)

    def facts(self) -> dict[str, bool | None]:
        """Yes-or-no facts; nothing where people may differ."""
        stated = tone.stated(self.anger, self.urgency, None)
        facts: dict[str, bool | None] = {name: name in self.extras for name in say.FACTS}
        facts |= {wish: self.wish == wish for wish in say.WISHES}
        facts |= {"angry": stated["angry"], "urgent": stated["urgent"], "spam": self.topic == "spam"}
        # an urgent message may set a deadline in other words, and a deadline makes it urgent or not
        if (self.urgency or 0) > 0:
            facts["deadline"] = True if facts["deadline"] else None
        if facts["deadline"] and self.urgency is None:
            facts["urgent"] = None
        if self.kind == "foreign" or self.wish or self.topic == "spam":
            facts["problem"] = facts["question"] = None
        else:
            facts["problem"] = self.kind in ("trouble", "failing")
            facts["question"] = None if self.kind == "other" else self.kind == "asking"
        if self.topic == "cancellation":
            facts["cancel"] = None
        if self.topic in ("feedback", "returns"):
            facts["thanks" if self.topic == "feedback" else "replacement"] = None
        return facts

    def intent(self) -> str | None:
        if self.wish or self.topic == "spam":
            return self.wish or "spam"
        if self.topic in ("cancellation", "feedback", "returns"):
            return None
        return {"trouble": "problem", "failing": "problem", "asking": "question"}.get(self.kind)


def draw(random: Random, split: Split) -> Case:
    """A message of one topic with questions."""
    language = messages.language(random)
    message = Message(random, language)
    text = _written(random, split, message)
    asked = [
        _team(random, split, message),
        _team(random, split, message),
        _about(random, split, message),
        _about(random, split, message),
    ]
    if intent := message.intent():
        asked.append(_intent(random, split, message, intent))
    if random.random() < (0.1 if language == "en" else 0.6):
        asked.append(_language(random, split, language))
    if message.urgency is not None:
        asked += tone.urgency_asked(random, split, message.urgency)
    if message.anger is not None:
        asked += tone.anger_asked(random, split, message.anger)
    for _ in range(2):
        differing = messages.differing(message.facts(), Message(random, language).facts())
        asked += [_fact(random, split, name, holds) for name, holds in differing.items()]
    state, kind = _laid_out(random, split, message, text)
    return Case(state, messages.unlike(asked), f"{NAME}/{kind}")


def _written(random: Random, split: Split, message: Message) -> str:
    language, topic = message.language, TOPICS[message.topic]

    def said(texts: tuple[str, ...], bare: float = 0.6) -> str:
        return messages.sentence(random, split, random.choice(texts), language, say.SAYING, bare)

    if message.kind == "foreign":
        sentences = [said(FOREIGN[language][message.topic], 0)]
    elif message.kind in ("trouble", "other"):
        sentences = [said(topic[message.kind], 0)]
    else:
        within = {"asking": say.ASKING, "failing": say.FAILING, "about": say.ABOUT}[message.kind]
        noun = fill(random.choice(topic["nouns"]), random, split)
        sentences = [messages.upper(fill(pick(random, within, split), random, split, {"x": noun}))]
    if message.topic == "spam" and random.random() < 0.5:
        sentences.append(said(topic["other"] if language == "en" else FOREIGN[language]["spam"]))
    more = [said(say.FACTS[name][language]) for name in say.FACTS if name in message.extras]
    if message.wish:
        more.append(said(say.WISHES[message.wish][language]))
    if message.anger is not None:
        more.append(said(feelings.ANGER[language][message.anger]))
    if message.urgency is not None:
        more.append(said(feelings.URGENCY[language][message.urgency]))
    random.shuffle(more)
    if message.topic != "spam" and random.random() < 0.2:
        more.insert(0, fill(pick(random, say.FILLER[language], split), random, split))
    if more and random.random() < 0.25:
        sentences.insert(0, more.pop())
    return " ".join(dict.fromkeys(sentences + more))


def _laid_out(random: Random, split: Split, message: Message, text: str) -> tuple[Any, str]:
    """The message as plain text or JSON, and what it may be called."""
    body = text
    if message.language == "en" and random.random() < 0.25:
        body = f"{fill(pick(random, say.GREETINGS, split), random, split)} {text}"
    if random.random() < 0.2:
        ends = say.CLOSINGS if message.language == "en" else say.FOREIGN_ENDS[message.language]
        body = f"{body}\n{fill(pick(random, ends, split), random, split)}"
    subject = fill(pick(random, say.SUBJECTS, split), random, split)
    forms: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: {"subject": subject, "body": body}, "mail"),
        (lambda: f"Subject: {subject}\n\n{body}", "mail"),
        (lambda: {"text": body, "id": random.randrange(100, 99999)}, "ticket"),
        (lambda: {"ticket": {"message": body, "customer": values.person(random, split)}}, "ticket"),
        (lambda: f"Customer: {text}", "chat"),
        (lambda: text.lower(), "chat"),
        (lambda: [{"role": "customer", "text": text}], "chat"),
    )
    form, kind = random.choice(forms)
    return (form(), kind) if random.random() < 0.5 else (body, "message")


def _team(random: Random, split: Split, message: Message) -> Asked:
    names = [message.topic, *_others(random, message)[: random.choice((1, 1, 2, 2, 3, 4))]]
    given = messages.options(random, TOPICS, names, random.choice(ENDINGS))
    return messages.choose(random, split, say.TEAM_IDS, say.TEAM_ASKS, given, message.topic)


def _others(random: Random, message: Message) -> list[str]:
    """Topics that the message is not about, in random order."""
    wished = {"refund": ("billing", "returns"), "cancel": ("cancellation",), "replacement": ("returns",)}
    unfit = (*wished.get(message.wish or "", ()), *(("feedback",) if message.wish == "thanks" else ()))
    others = [
        one
        for one in TOPICS
        if one != message.topic and one not in unfit and frozenset((one, message.topic)) not in CONFLICTS
    ]
    random.shuffle(others)
    return others


def _about(random: Random, split: Split, message: Message) -> Asked:
    holds = random.random() < 0.5
    name = message.topic if holds else _others(random, message)[0]
    key = random.choice(TOPICS[name]["keys"])
    text = pick(random, say.ABOUT_ASKS, split).format(key=key)
    named = f"is_{key.replace(' ', '_')}" if random.random() < 0.5 else random.choice(messages.NOUL_IDS)
    return noul(named, text, holds)


def _intent(random: Random, split: Split, message: Message, right: str) -> Asked:
    others = [one for one in say.INTENTS if one != right]
    if message.wish:
        # who reports a problem and wants something does both
        others = [one for one in others if one not in ("problem", "question")]
    names = [right, *random.sample(others, random.randrange(1, min(3, len(others)) + 1))]
    given = messages.options(random, say.INTENTS, names)
    return messages.choose(random, split, say.INTENT_IDS, say.INTENT_ASKS, given, right)


def _fact(random: Random, split: Split, name: str, holds: bool) -> Asked:
    says = say.FACTS.get(name) or say.INTENTS.get(name)
    phrases = says["says"] if says else feelings.FACTS[name]
    return messages.state(random, split, phrases, TEXTS if name in OF_TEXTS else SUBJECTS, name, holds)


def _language(random: Random, split: Split, language: str) -> Asked:
    others = random.sample([one for one in say.LANGUAGES if one != language], random.randrange(1, 4))
    if random.random() < 0.4:
        holds = random.random() < 0.5
        named = say.LANGUAGES[language if holds else others[0]][0]
        return noul(
            random.choice(("language_check", *messages.NOUL_IDS)),
            pick(random, say.IS_LANGUAGE, split).format(key=named),
            holds,
        )
    form = random.randrange(4)
    names = [say.LANGUAGES[one][form] for one in random.sample([*others, language], len(others) + 1)]
    return choice("language", pick(random, say.LANGUAGE_ASKS, split), names, say.LANGUAGES[language][form])
