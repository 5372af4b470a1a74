"""Invented log lines -> severity, area, next action, state, and whether something failed or was solved."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Case, Split, pick
from recipes.nano.naming import ask_choice, ask_name, ask_score, ask_yes_no, kept
from recipes.nano.wording import fill, lines
from recipes.nano.words import logs as say
from recipes.nano.words.logs_lines import EVENTS as RAW_EVENTS

NAME = "logs"
# Shared by all splits, as they hold the words that carry meaning; the names in them and what stands around are not.
EVENTS = {name: {severity: lines(text) for severity, text in group.items()} for name, group in RAW_EVENTS.items()}
SEVERITIES = {"info": 22, "warning": 20, "error": 22, "critical": 16, "recovered": 20}
# Names are pairs of words, so that a held-out name is new and its words are not.
SERVICES = tuple(
    f"{thing}-{role}"
    for thing in "orders users catalog search media cart stock reports chat profile maps prices news jobs".split()
    for role in "api worker web proxy sync gateway server job".split()
)
TABLES = tuple(
    f"{age}_{thing}"
    for age in "old new open daily all".split()
    for thing in "orders users events items products tasks reports visits contracts prices".split()
)
PATHS = tuple(
    f"/{root}/{name}"
    for root in "var data mnt srv opt home".split()
    for name in "lib store files app media u01".split()
)


def _service(random: Random, split: Split) -> str:
    return pick(random, SERVICES, split)


def _host(random: Random, split: Split) -> str:
    name = random.choice(("node", "srv", "host", "vm", "edge", "core", "rack"))
    return random.choice(("{}{}", "{}-{}")).format(name, random.randrange(1, 60))


SLOTS: dict[str, Any] = {
    "svc": _service,
    "host": _host,
    "path": lambda random, split: pick(random, PATHS, split),
    "table": lambda random, split: pick(random, TABLES, split),
    "user": lambda random, split: values.coin(random),
    "id": lambda random, split: str(random.randrange(10, 9999)),
    "id2": lambda random, split: f"{random.randrange(256, 4096):x}",
    "big": lambda random, split: str(random.randrange(100, 9999)),
    "ms": lambda random, split: str(random.randrange(30, 600) * 100),
    "ms2": lambda random, split: str(random.randrange(20, 400)),
    "d": lambda random, split: str(random.randrange(10)),
    "d2": lambda random, split: str(random.randrange(2, 20)),
    "port": lambda random, split: str(random.choice((22, 80, 443, 5432, 6379, 8080, 9000))),
    "letter": lambda random, split: random.choice("abcdef"),
    "version": lambda random, split: f"{random.randrange(1, 9)}.{random.randrange(20)}",
    "domain2": lambda random, split: f"{values.coin(random)}.{random.choice(('com', 'org', 'net'))}",
}


def draw(random: Random, split: Split) -> Case:
    """One to three log lines about one event, with 5 to 8 questions."""
    severity = random.choices(tuple(SEVERITIES), tuple(SEVERITIES.values()))[0]
    area = random.choice(tuple(say.AREAS))
    slots = SLOTS | {"svc": _service(random, split), "host": _host(random, split)}
    entries = [("info" if severity == "recovered" else severity, _message(random, split, area, severity, slots))]
    if severity == "recovered" and random.random() < 0.5:
        entries.insert(0, ("error", _message(random, split, area, "error", slots)))
    if random.random() < 0.2:
        noise = fill(random.choice(say.NOISE), random, split, slots)
        entries.insert(random.randrange(len(entries) + 1), ("info", noise))
    asked = [_area(random, split, area), _about(random, split, area, random.random() < 0.5)]
    if severity != "recovered":
        asked += _severity(random, split, severity)
    asked += _state_and_action(random, split, severity) + _facts(random, split, severity)
    state = _state(random, split, entries, slots)
    if random.random() < 0.3 and slots["svc"] in str(state):
        others = [_service(random, split) for _ in range(random.choice((1, 2, 3)))]
        others = [one for one in others if one not in str(state)]
        if others:
            asked.append(ask_name(random, split, "service", say.SERVICE_ASKS, slots["svc"], others))
    return Case(state, tuple(asked), f"{NAME}/{severity}")


def _message(random: Random, split: Split, area: str, severity: str, slots: dict[str, Any]) -> str:
    """A whole event of the area, or a subject of the area and what is said of it."""
    if area not in say.WHOLE and random.random() < 0.5:
        text = f"{random.choice(say.AREAS[area].things)} {random.choice(say.PREDICATES[severity])}"
    else:
        text = random.choice(EVENTS[area][severity])
    text = fill(text, random, split, slots)
    text = text[0].upper() + text[1:] if random.random() < 0.15 else text
    if random.random() < 0.3:
        return text
    return fill(pick(random, say.WRAPS, split), random, split, slots | {"m": text})


def _state(random: Random, split: Split, entries: list[tuple[str, str]], slots: dict[str, Any]) -> Any:
    """The lines in one format, most with a printed level; some as JSON."""
    printed, spelling = random.random() < 0.6, random.randrange(4)
    day, second = f"2026-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}", random.randrange(86000)
    as_json, template = random.random() < 0.2, pick(random, say.FORMATS, split)
    names = random.choice(
        (("level", "service", "msg"), ("level", "service", "message"), ("severity", "source", "text"))
    )
    rows: list[Any] = []
    for severity, message in entries:
        level = say.PRINTED[severity][spelling]
        if as_json:
            row = dict(zip(names, (level, slots["svc"], message), strict=True))
            rows.append(row if printed else {key: row[key] for key in names[1:]})
        elif printed:
            time = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            fields = {"level": level, "message": message, "service": slots["svc"], "date": day, "time": time}
            rows.append(fill(template, random, split, slots | fields))
        else:
            rows.append(message)
        second += random.randrange(1, 60)
    if as_json:
        return rows[0] if len(rows) == 1 else rows
    text = "\n".join(rows)
    return random.choice((text, text, text, {"log": text}))


def _severity(random: Random, split: Split, severity: str) -> list[Asked]:
    others = [one for one in say.SEVERITIES if one != severity]
    others = random.sample(others, random.choice((1, 2, 3, 3)))
    level = list(say.SEVERITIES).index(severity)
    return [
        ask_choice(random, split, say.SEVERITY_IDS, say.SEVERITY_ASKS, say.SEVERITIES, severity, others),
        ask_score(random, split, say.SEVERITY_IDS, say.SEVERITY_ASKS, random.choice(say.LADDERS), level),
    ]


def _other_areas(area: str) -> list[str]:
    return [one for one in say.AREAS if one != area and frozenset((one, area)) not in say.CONFLICTS]


def _area(random: Random, split: Split, area: str) -> Asked:
    others = random.sample(_other_areas(area), random.choice((1, 2, 3, 3, 4, 5)))
    return ask_choice(random, split, say.AREA_IDS, say.AREA_ASKS, say.AREAS, area, others)


def _about(random: Random, split: Split, area: str, holds: bool) -> Asked:
    named = area if holds else random.choice(_other_areas(area))
    key = random.choice(say.AREAS[named].keys)
    ids = (*say.ABOUT_IDS, f"is_{key.replace(' ', '_')}")
    return ask_yes_no(random, split, ids, say.ABOUT, holds, a=key)


def _state_and_action(random: Random, split: Split, severity: str) -> list[Asked]:
    action = {"warning": "watch", "error": "ticket", "critical": "page"}.get(severity, "ignore")
    others = random.sample([one for one in say.ACTIONS if one != action], random.choice((1, 2, 3)))
    asked = [ask_choice(random, split, say.ACTION_IDS, say.ACTION_ASKS, say.ACTIONS, action, others)]
    if severity != "warning":
        status = {"info": "fine", "recovered": "solved"}.get(severity, "broken")
        # What is solved is fine, too.
        others = [one for one in say.STATUSES if one != status and {one, status} != {"fine", "solved"}]
        asked.append(ask_choice(random, split, say.STATUS_IDS, say.STATUS_ASKS, say.STATUSES, status, others))
    return asked


def _facts(random: Random, split: Split, severity: str) -> list[Asked]:
    asked = []
    for ids, true, false, what, clauses in say.FACTS.values():
        if severity in (*true, *false):
            yes, no = (sum(SEVERITIES[one] for one in side) for side in (true, false))
            holds = severity in true
            if kept(random, holds, yes / (yes + no)):
                said = {"x": random.choice(what), "c": random.choice(clauses)}
                frames = random.choice((say.IS_FRAMES, say.CLAUSE_FRAMES))
                asked.append(ask_yes_no(random, split, ids, frames, holds, **said))
    return random.sample(asked, min(3, len(asked)))
