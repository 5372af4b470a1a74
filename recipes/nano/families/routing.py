"""Invented tickets, mails and chats -> which team, which intent, which language, and facts about the message."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Case, Split, choice, noul, part, pick
from recipes.nano.families import tone
from recipes.nano.wording import Told, ask, fill, lines, options, tell, worded
from recipes.nano.words import routing as say
from recipes.nano.words.routing_en import ENGLISH
from recipes.nano.words.routing_eu import FRENCH, GERMAN, SPANISH
from recipes.nano.words.routing_eu_more import MORE as EU
from recipes.nano.words.routing_more import MORE

NAME = "routing"
TEAM_ENDINGS = ("", "", "", "", "", " team", " department", " queue", " support")
WRITTEN = {"en": (ENGLISH, MORE), "de": (GERMAN, EU["de"]), "es": (SPANISH, EU["es"]), "fr": (FRENCH, EU["fr"])}
TOPICS = {
    language: {topic: lines(text + more.get(topic, "")) for topic, text in first.items()}
    for language, (first, more) in WRITTEN.items()
}
PEOPLE = ("the sender", "the customer", "the writer", "the user", "the author")
SUBJECTS = (
    "the sender",
    "the customer",
    "the message",
    "the writer",
    "this message",
    "the text",
    "the user",
    "the author",
)
# facts that depend on whole sentences in English only
ENGLISH_ONLY = ("again", "attachment", "phone")
SLOTS: dict[str, Any] = {
    "phone": lambda random, split: random.choice(("+{} {} {}", "0{} {} {}", "{}-{}-{}")).format(
        random.randrange(20, 99), random.randrange(100, 999), random.randrange(1000, 99999)
    ),
    "weekday_de": lambda random, split: random.choice(("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")),
    "weekday_es": lambda random, split: random.choice(("lunes", "martes", "miércoles", "jueves", "viernes")),
    "weekday_fr": lambda random, split: random.choice(("lundi", "mardi", "mercredi", "jeudi", "vendredi")),
}


class Message:
    """A message under construction: its sentences, and what is true of it."""

    def __init__(self, random: Random, split: Split, language: str, topic: str):
        self.random, self.split, self.language, self.topic = random, split, language, topic
        self.sentences: list[str] = []
        self.aside: str | None = None
        self.anger: int | None = None
        self.urgency: int | None = None
        self.slots: set[str] = set()
        self.marks = ""
        self.facts: dict[str, bool] = {}

    def add(self, templates: tuple[str, ...]) -> Told:
        return self.tell(pick(self.random, templates, self.split))

    def tell(self, template: str) -> Told:
        when = fill(pick(self.random, say.WHEN[self.language], self.split), self.random, self.split, SLOTS)
        told = tell(template, self.random, self.split, SLOTS | {"when": when})
        self.sentences.append(told.text)
        self.slots |= told.slots
        self.marks += told.marks
        return told

    def maybe(self, fact: str, opposite: str | None, chance: float, against: float = 0.15) -> None:
        """Adds a sentence that makes a fact true, or one that looks like it and makes it false, or nothing."""
        dice = self.random.random()
        self.facts[fact] = dice < chance
        if dice < chance:
            self.add(say.EXTRAS[fact][self.language])
        elif opposite and dice < chance + against:
            self.add(say.EXTRAS[opposite][self.language])


def draw(random: Random, split: Split) -> Case:
    """A message of one topic with 4 to 8 questions."""
    language = random.choices(("en", "de", "es", "fr"), (70, 10, 10, 10))[0]
    message = Message(random, split, language, random.choice(tuple(TOPICS[language])))
    _write(message)
    state, kind = _layout(message)
    asked = (
        [_team(message), _team(message), _language(message)]
        if random.random() < 0.35
        else [_team(message), _team(message)]
    )
    asked += [_about(message, kind) for _ in range(random.choice((0, 1, 1, 2)))]
    if intent := _intent(message):
        asked.append(intent)
    if message.urgency is not None:
        asked += tone.urgency_asked(random, split, language, message.urgency)
    if message.anger is not None:
        asked += tone.anger_asked(random, split, language, message.anger)
    mood = _mood(message)
    if mood and random.random() < 0.4:
        asked.append(tone.sentiment_asked(random, split, language, mood))
    asked += [
        ask(say.FACTS[fact], holds, random, split, _subjects(fact, kind), language) for fact, holds in _picked(message)
    ]
    return Case(state, tuple(asked), f"{NAME}/{kind}")


def _picked(message: Message) -> list[tuple[str, bool]]:
    """Up to five facts, as many true as false where possible: of most facts few messages have any."""
    random = message.random
    true = [(fact, holds) for fact, holds in message.facts.items() if holds]
    false = [(fact, holds) for fact, holds in message.facts.items() if not holds]
    chosen = random.sample(true, min(3, len(true)))
    chosen += random.sample(false, min(max(1, len(chosen)), len(false), 2))
    random.shuffle(chosen)
    return chosen


def _mood(message: Message) -> str | None:
    """The feeling of the whole message, where one may be told."""
    if message.aside or message.topic == "spam" or message.anger == 0 or message.facts.get("threat"):
        return None
    if "!" in message.marks:
        return "negative"
    return "positive" if "+" in message.marks else "neutral" if message.topic not in ("feedback", "legal") else None


def _subjects(fact: str, kind: str) -> tuple[str, ...]:
    """Who or what a question about the fact may speak of."""
    if fact == "spam":
        return ("this message", "the text", f"this {kind}", f"the {kind}")
    return PEOPLE if fact in ("refund", "threat", "human", "cancel") else SUBJECTS


def _write(message: Message) -> None:
    random, language, topic = message.random, message.language, message.topic
    first = pick(random, TOPICS[language][topic], message.split)
    main = message.tell(first)
    if topic == "spam":
        message.facts = {"spam": True}
        if random.random() < 0.4:
            message.add(TOPICS[language][topic])
        return
    if random.random() < 0.3:
        # two sentences of one topic agree: both report, or both ask
        others = [
            one for one in part(TOPICS[language][topic], message.split) if one != first and _mark(one) == main.marks
        ]
        if others:
            message.tell(random.choice(others))
    message.facts = {"spam": False, "problem": "!" in message.marks, "praise": "+" in message.marks}
    if "!" in message.marks and topic in ("billing", "returns", "shipping", "technical"):
        _refund(message)
    elif random.random() < 0.3:
        message.facts["refund"] = "$" in message.marks
    message.facts["cancel"] = "#" in message.marks
    if "!" in message.marks:
        message.maybe("threat", "loyal", 0.22)
        if message.facts["threat"] or topic == "cancellation":
            del message.facts["cancel"]
    if "phone" not in message.slots:
        message.maybe("human", "no_human", 0.18)
    _feelings(message)
    if message.urgency is None and topic not in ("scheduling", "hr", "cancellation", "legal"):
        message.maybe("deadline", "no_deadline", 0.22)
    if not message.slots & {"order"}:
        message.maybe("order", None, 0.25)
    message.facts["order"] = "order" in message.slots
    if language == "en":
        message.maybe("phone", None, 0.12)
        message.maybe("attachment", None, 0.12)
        message.facts["attachment"] = "attach" in " ".join(message.sentences).lower()
        if "!" in message.marks and "refund" not in message.facts:
            message.maybe("again", None, 0.3)
    _decorate(message)
    if message.anger is None:
        message.facts["question"] = "?" in " ".join(message.sentences)
    rest = message.sentences[1:]
    random.shuffle(rest)
    message.sentences = (
        rest[: (where := random.randrange(min(2, len(rest)) + 1))] + message.sentences[:1] + rest[where:]
    )


def _feelings(message: Message) -> None:
    """Sentences of known anger and urgency, as in the tone family."""
    random, said = message.random, tone.WORDS[message.language]
    if "!" in message.marks and random.random() < 0.35:
        message.anger = random.randrange(4)
        message.add(said["anger"][message.anger])
    if message.topic not in ("scheduling", "hr", "cancellation", "feedback") and random.random() < 0.25:
        message.urgency = random.randrange(5)
        message.add(said["urgency"][message.urgency])


def _mark(template: str) -> str:
    return template[: len(template) - len(template.lstrip("!+$#"))]


def _refund(message: Message) -> None:
    wanted = "$" in message.marks
    message.facts["refund"] = wanted
    if not wanted and message.topic != "technical" or message.random.random() < 0.3:
        dice = message.random.random()
        if dice < 0.35 or wanted:
            message.add(say.EXTRAS["refund"][message.language])
            message.facts["refund"] = True
            message.marks += "$"
        elif dice < 0.6:
            message.add(say.EXTRAS["no_refund"][message.language])


def _decorate(message: Message) -> None:
    random, language = message.random, message.language
    # now and then a long letter in which the matter must be found
    few = 4 if random.random() < 0.06 else 1 if random.random() < 0.4 else 0
    talk = part(say.SMALL_TALK[language], message.split)
    for template in random.sample(talk, min(few, len(talk))):
        message.tell(template)
    if language == "en" and random.random() < 0.25 and message.topic != "feedback":
        topic = random.choice(tuple(say.ASIDES))
        if topic != message.topic and frozenset((topic, message.topic)) not in say.CONFLICTS:
            message.add(say.ASIDES[topic])
            message.aside = topic


def _layout(message: Message) -> tuple[Any, str]:
    """The message as plain text or JSON, and what it may be called."""
    random, split, language = message.random, message.split, message.language
    greeting = fill(pick(random, say.GREETINGS[language], split), random, split) if random.random() < 0.55 else ""
    closing = fill(pick(random, say.CLOSINGS[language], split), random, split) if random.random() < 0.5 else ""
    if message.topic == "spam":
        greeting = closing = ""
    body = " ".join(message.sentences)
    if not greeting and random.random() < 0.12 and language == "en":
        body = body.lower().replace("'", "") if random.random() < 0.6 else body.upper()
    breaks = random.choice((" ", " ", "\n", "\n\n"))
    text = breaks.join(piece for piece in (greeting, body, closing) if piece)
    subject = pick(random, say.SUBJECTS[language], split)
    return random.choices(FORMS, FORM_WEIGHTS)[0](message, text, subject)


def _plain(message: Message, text: str, subject: str) -> tuple[Any, str]:
    return text, message.random.choice(("message", "ticket", "request"))


def _mail(message: Message, text: str, subject: str) -> tuple[Any, str]:
    head = message.random.choice(
        ("Subject: {subject}\n\n{text}", "From: {sender}\nSubject: {subject}\n\n{text}", "Mail from {sender}:\n{text}")
    )
    return head.format(subject=subject, text=text, sender=_sender(message)), "mail"


def _mail_json(message: Message, text: str, subject: str) -> tuple[Any, str]:
    body = message.random.choice(("body", "text", "content", "message"))
    mail = {"subject": subject, body: text, "from": _sender(message)}
    if message.random.random() < 0.4:
        mail["received"] = f"{values.date(message.random, message.split)} {values.clock(message.random, message.split)}"
    return mail, "mail"


def _ticket_json(message: Message, text: str, subject: str) -> tuple[Any, str]:
    random, split = message.random, message.split
    ticket: dict[str, Any] = {random.choice(("description", "text", "message", "details")): text}
    extra = {
        "id": lambda: random.randrange(100, 99999),
        "customer": lambda: values.person(random, split),
        "created": lambda: values.date(random, split),
        "channel": lambda: random.choice(("web", "app", "form", "portal")),
        "title": lambda: subject,
        "status": lambda: random.choice(("new", "open", "unread")),
    }
    for key in random.sample(list(extra), random.randrange(4)):
        ticket[key] = extra[key]()
    return ({"ticket": ticket} if random.random() < 0.4 else ticket), "ticket"


def _chat(message: Message, text: str, subject: str) -> tuple[Any, str]:
    random = message.random
    opener = {
        "en": ("Hello, how can I help you?", "Hi! What can I do for you?", "Welcome. How may I help?"),
        "de": ("Guten Tag, wie kann ich helfen?",),
        "es": ("Hola, ¿en qué puedo ayudar?",),
        "fr": ("Bonjour, comment puis-je vous aider ?",),
    }
    said = random.choice(opener[message.language])
    if "question" in message.facts:
        # the agent's own question must not decide
        message.facts.pop("question")
    if random.random() < 0.5:
        return [{"role": "agent", "text": said}, {"role": "customer", "text": " ".join(message.sentences)}], "chat"
    return f"Agent: {said}\nCustomer: {' '.join(message.sentences)}", "chat"


FORMS: tuple[Callable[..., tuple[Any, str]], ...] = (_plain, _mail, _mail_json, _ticket_json, _chat)
FORM_WEIGHTS = (42, 16, 16, 16, 10)


def _sender(message: Message) -> str:
    name = values.first_name(message.random, message.split)
    return message.random.choice(
        (name, f"{name.lower()}@{values.coin(message.random)}.com", f"{name} <{name.lower()}@mail.example>")
    )


def _team(message: Message) -> Asked:
    random, split, topic = message.random, message.split, message.topic
    others = [name for name in say.KINDS if name != topic and frozenset((name, topic)) not in say.CONFLICTS]
    random.shuffle(others)
    chosen: list[str] = []
    size = random.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7))
    for name in others:
        if len(chosen) < size and all(
            frozenset((name, one)) not in say.CONFLICTS or random.random() < 0.5 for one in chosen
        ):
            chosen.append(name)
    missing = random.random() < 0.12
    names = chosen if missing else [*chosen, topic]
    if missing or random.random() < 0.25:
        names.append("other")
    random.shuffle(names)
    given = _native_options(message, names) or options(say.KINDS_AND_OTHER, names, random, split, TEAM_ENDINGS)
    label = given["other" if missing else topic][0]
    native = say.NATIVE_ASK.get(message.language, ())
    text = pick(random, native, split) if native and random.random() < 0.35 else worded(random, say.TEAM_ASKS, split)
    return choice(random.choice(say.TEAM_IDS), text, dict(given.values()), label)


def _native_options(message: Message, names: list[str]) -> dict[str, tuple[str, str | None]] | None:
    native = say.NATIVE_KEYS.get(message.language, {})
    if message.random.random() < 0.3 and len(names) > 1 and all(name in native for name in names):
        return {name: (native[name], None) for name in names}
    return None


def _about(message: Message, kind: str) -> Asked:
    random, split, topic = message.random, message.split, message.topic
    holds = random.random() < 0.5
    others = [
        name
        for name in say.KINDS
        if name not in (topic, message.aside) and frozenset((name, topic)) not in say.CONFLICTS
    ]
    about = say.KINDS[topic if holds else random.choice(others)]
    a, b, c = random.sample(about.things, 3)
    text = pick(random, say.ABOUT, split)
    key = random.choice(about.keys[:4])
    text = text.format(state=kind, a=a, b=b, c=c, key=key)
    id = random.choice(
        ("about", "is_topic", "concerns", "match", "relevant", f"is_{key.replace(' ', '_')}", "check", "for_team")
    )
    return noul(id, text, holds)


def _intent(message: Message) -> Asked | None:
    marks, random = message.marks, message.random
    if message.topic == "spam":
        right = "spam"
    elif "$" in marks:
        right = "refund"
    elif "#" in marks:
        right = "cancel"
    elif "!" in marks:
        right = "problem"
    elif "+" in marks:
        right = "praise"
    elif message.facts.get("question"):
        right = "question"
    else:
        return None
    if message.facts.get("human") or message.facts.get("threat"):
        return None
    close = {"refund": "problem", "cancel": "question"}.get(right)
    others = [name for name in say.INTENTS if name not in (right, close)]
    names = random.sample(others, random.randrange(1, len(others) + 1)) + [right]
    random.shuffle(names)
    given = options(say.INTENTS, names, random, message.split)
    text = worded(random, say.INTENT_ASKS, message.split)
    return choice(random.choice(say.INTENT_IDS), text, dict(given.values()), given[right][0])


def _language(message: Message) -> Asked:
    random, language = message.random, message.language
    form = random.randrange(5)
    others = random.sample([one for one in say.LANGUAGES if one != language], random.randrange(1, 5))
    names = [*others, language]
    random.shuffle(names)
    text = worded(random, say.LANGUAGE_ASKS, message.split)
    if random.random() < 0.5:
        holds = random.random() < 0.5
        named = say.LANGUAGES[language if holds else others[0]][0]
        frame = random.choice(
            ("Is the message written in {}?", "The text is in {}.", "Is this {}?", "Is the language {}?", "{} text?")
        )
        return noul(
            random.choice(("language_check", f"is_{named.lower()}", "lang_ok", "q")), frame.format(named), holds
        )
    return choice(
        random.choice(say.LANGUAGE_IDS),
        text,
        [say.LANGUAGES[one][form] for one in names],
        say.LANGUAGES[language][form],
    )
