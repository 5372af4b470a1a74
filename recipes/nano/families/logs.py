"""Invented log lines -> severity, component, next action, and whether something failed, recovered or needs a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import SPLITS, Asked, Case, Split, choice, noul, part, pick, score
from recipes.nano.wording import ask, fill, lines, options, worded
from recipes.nano.words import logs as say
from recipes.nano.words import logs_access as access
from recipes.nano.words.logs_lines import EVENTS as RAW_EVENTS
from recipes.nano.words.logs_lines import NOISE as RAW_NOISE

NAME = "logs"
EVENTS = {name: {severity: lines(text) for severity, text in group.items()} for name, group in RAW_EVENTS.items()}
NOISE = lines(RAW_NOISE)


def _pools(split: Split) -> dict[str, dict[str, tuple[str, ...]]]:
    """Severity -> component -> a split's templates. All components share one list, as their own are short."""
    pools: dict[str, dict[str, tuple[str, ...]]] = {}
    for severity in ("info", "warning", "error", "critical", "recovered"):
        flat = tuple((name, template) for name, group in EVENTS.items() for template in group[severity])
        pool = pools.setdefault(severity, {})
        for name, template in part(flat, split):
            pool[name] = (*pool.get(name, ()), template)
    return pools


POOLS = {split: _pools(split) for split in SPLITS}
SUBJECTS = ("the log", "the entry", "the message", "this log", "the event", "this line")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SERVICES = tuple(
    """api web worker frontend backend gateway search catalog orders users reports media image-proxy scheduler cart
    inventory notifier analytics recommender profile gallery chat exporter importer planner tracker ledger crawler
    portal shipping-api stock-sync pricing wiki forum calendar translator renderer feed maps quotes""".split()
)
TABLES = tuple(
    """orders users events items invoices products sessions customers tasks tickets stock reports articles accounts
    bookings visits comments pictures contracts prices logs shipments jobs points""".split()
)
PATHS = tuple(
    """/var/lib /data /mnt/store /srv/files /home /var/log /opt/app /backup /tmp /media/share /var/spool /export
    /mnt/raid /u01""".split()
)


def _service(random: Random, split: Split) -> str:
    name = pick(random, SERVICES, split) if random.random() < 0.7 else values.coin(random)
    return name if random.random() < 0.7 else f"{name}-{random.randrange(1, 10)}"


def _host(random: Random, split: Split) -> str:
    name = (
        random.choice(("node", "srv", "host", "vm", "edge", "core", "rack"))
        if random.random() < 0.5
        else values.coin(random)
    )
    return random.choice(("{}{}", "{}-{}", "{}-{}.internal", "{}{}.example.net")).format(name, random.randrange(1, 60))


SLOTS: dict[str, Any] = {
    "svc": _service,
    "host": _host,
    "path": lambda random, split: pick(random, PATHS, split),
    "table": lambda random, split: pick(random, TABLES, split),
    "user": lambda random, split: values.first_name(random, split).lower(),
    "id": lambda random, split: str(random.randrange(100, 99999)),
    "id2": lambda random, split: f"{random.randrange(4096, 65535):x}",
    "big": lambda random, split: str(random.randrange(100, 9999)),
    "ms": lambda random, split: str(random.randrange(3000, 60000)),
    "ms2": lambda random, split: str(random.randrange(20, 400)),
    "d": lambda random, split: str(random.randrange(10)),
    "d2": lambda random, split: str(random.randrange(2, 20)),
    "port": lambda random, split: str(
        random.choice((22, 80, 443, 5432, 6379, 8080, 9000, random.randrange(1024, 65000)))
    ),
    "letter": lambda random, split: random.choice("abcdef"),
    "version": lambda random, split: f"{random.randrange(1, 9)}.{random.randrange(20)}.{random.randrange(10)}",
    "domain2": lambda random, split: f"{values.coin(random)}.{random.choice(('com', 'org', 'net', 'example'))}",
}


# what stays the same from a failure to its recovery
SAME = ("svc", "host", "path", "table", "user", "id", "id2", "d", "domain2")


def draw(random: Random, split: Split) -> Case:
    """One to six log lines about one event, or a request in an access log, with 4 to 8 questions."""
    if random.random() < 0.1:
        return _access(random, split)
    severity = random.choices(("info", "warning", "error", "critical"), (26, 20, 30, 24))[0]
    recovered = severity in ("error", "critical") and random.random() < 0.4
    components = POOLS[split][severity]
    if recovered:
        components = [one for one in components if one in POOLS[split]["recovered"] and one != "security"]
    component = random.choice(tuple(components))
    fixed = SLOTS | {name: SLOTS[name](random, split) for name in SAME}
    printed = random.random() < 0.6
    wanted = "debug" if severity == "info" and printed and random.random() < 0.35 else severity
    entries = [(wanted, _message(random, split, component, severity, fixed))]
    if recovered:
        entries.append(("info", _message(random, split, component, "recovered", fixed)))
    single = len(entries) == 1
    noise = random.choice((0, 0, 1, 1, 2, 3)) if severity != "info" else 0
    for _ in range(noise):
        where = random.randrange(len(entries) + 1)
        entries.insert(where, ("info", fill(pick(random, NOISE, split), random, split, SLOTS)))
    form = random.choice(FORMS)
    state = _state(random, split, form, entries, printed)
    asked = _severity(random, split, wanted, printed) if single else []
    asked += [_component(random, split, component, severity), _about(random, split, component)]
    if component != "security" or severity != "error":
        asked.append(_action(random, split, severity, recovered))
    asked += _facts(random, split, component, severity, recovered)
    return Case(state, tuple(asked), f"{NAME}/{'recovered' if recovered else severity}")


def _access(random: Random, split: Split) -> Case:
    """A line of a web server's access log and questions about its status."""
    right = random.choice(tuple(access.STATUSES))
    status = random.choice(access.STATUSES[right])
    method, size = random.choice(access.METHODS), random.randrange(100, 90000)
    page = fill(pick(random, access.PAGES, split), random, split, SLOTS)
    year, month, day, second = _stamp(random)
    ip = ".".join(str(random.randrange(1, 255)) for _ in range(4))
    stamp = f"{day:02}/{MONTHS[month - 1]}/{year}:{_clock(second)} +0000"
    state = random.choice(
        (
            f'{ip} - - [{stamp}] "{method} {page} HTTP/1.1" {status} {size}',
            f'{ip} - - [{stamp}] "{method} {page} HTTP/2" {status} {size} "-" "Mozilla/5.0"',
            f"{method} {page} {status} {size % 900} ms",
            {"method": method, "path": page, "status": status, "client": ip},
            f"level=info method={method} path={page} status={status} bytes={size}",
        )
    )
    asked = []
    for _ in range(2):
        names = [right, *random.sample([one for one in access.KINDS if one != right], random.choice((1, 2, 3)))]
        random.shuffle(names)
        given = options(access.KINDS, names, random, split)
        ids, text = access.IDS, pick(random, access.ASKS, split)
        asked.append(choice(random.choice(ids), text, dict(given.values()), given[right][0]))
    for name in ("success", "server", "client"):
        asked.append(ask(access.FACTS[name], name == right, random, split, SUBJECTS))
    return Case(state, tuple(asked), f"{NAME}/access")


def _message(random: Random, split: Split, component: str, severity: str, slots: dict[str, Any]) -> str:
    text = fill(random.choice(POOLS[split][severity][component]), random, split, slots)
    return text[0].upper() + text[1:] if random.random() < 0.4 else text


def _severity(random: Random, split: Split, severity: str, printed: bool) -> list[Asked]:
    """Severity as choice and as score. Without a printed level only what the words say is asked."""
    asked = []
    text = pick(random, say.SEVERITY_ASKS, split)
    if printed:
        names = [one for one in say.SEVERITIES if one == severity or random.random() < 0.75]
        if len(names) < 2:
            names = list(say.SEVERITIES)
        random.shuffle(names)
        given = options(say.SEVERITY_KINDS, names, random, split)
        asked.append(choice(random.choice(say.SEVERITY_IDS), text, dict(given.values()), given[severity][0]))
    coarse = {"debug": "low", "info": "low", "warning": "medium"}.get(severity, "high")
    given = options(say.COARSE_KINDS, random.sample(list(say.COARSE_KINDS), 3), random, split)
    text = pick(random, say.SEVERITY_ASKS, split)
    asked.append(choice(random.choice(say.SEVERITY_IDS), text, dict(given.values()), given[coarse][0]))
    levels, places = pick(random, say.SEVERITY_LADDERS, split)
    level = places[max(0, say.SEVERITIES.index(severity) - 1)]
    asked.append(score(random.choice(say.SEVERITY_IDS), pick(random, say.SEVERITY_ASKS, split), levels, level))
    return asked


def _component(random: Random, split: Split, component: str, severity: str) -> Asked:
    others = [one for one in EVENTS if one != component and frozenset((one, component)) not in say.CONFLICTS]
    if severity == "warning" and component != "timeout":
        # many a warning says that something is slow
        others = [one for one in others if one != "timeout"]
    names = [component, *random.sample(others, random.choice((1, 2, 2, 3, 3, 4, 5, 6)))]
    random.shuffle(names)
    given = options(say.COMPONENTS, names, random, split)
    text = worded(random, say.COMPONENT_ASKS, split)
    return choice(random.choice(say.COMPONENT_IDS), text, dict(given.values()), given[component][0])


def _about(random: Random, split: Split, component: str) -> Asked:
    holds = random.random() < 0.5
    others = [one for one in EVENTS if one != component and frozenset((one, component)) not in say.CONFLICTS]
    kind = say.COMPONENTS[component if holds else random.choice(others)]
    a, b, c = random.sample(kind.things, 3)
    key = random.choice(kind.keys[:4])
    text = pick(random, say.ABOUT, split).format(key=key, a=a, b=b, c=c)
    id = random.choice(("about", "match", "is_component", f"is_{key.replace(' ', '_')}", "concerns", "check", "q1"))
    return noul(id, text, holds)


def _action(random: Random, split: Split, severity: str, recovered: bool) -> Asked:
    right = (
        "ignore"
        if recovered or severity == "info"
        else {"warning": "watch", "error": "ticket", "critical": "page"}[severity]
    )
    names = [right, *random.sample([one for one in say.ACTIONS if one != right], random.choice((1, 2, 3, 3)))]
    random.shuffle(names)
    given = options(say.ACTIONS, names, random, split)
    return choice(
        random.choice(say.ACTION_IDS), pick(random, say.ACTION_ASKS, split), dict(given.values()), given[right][0]
    )


def _facts(random: Random, split: Split, component: str, severity: str, recovered: bool) -> list[Asked]:
    language = random.choices(("en", "de", "es", "fr"), (70, 10, 10, 10))[0]
    holds = {}
    if severity != "warning":
        # an attack is no failure of the system
        if component != "security":
            holds["failure"] = severity != "info"
        holds["person"] = severity != "info" and not recovered
    if severity in ("error", "critical") and component != "security":
        holds["recovered"] = recovered
    if severity in ("error", "critical") and not recovered and (component != "security" or severity == "critical"):
        holds["outage"] = severity == "critical"
    if component == "security" and severity != "info" or component != "authentication" and random.random() < 0.12:
        holds["security"] = component == "security"
    chosen = random.sample(list(holds), min(3, len(holds)))
    return [ask(say.FACTS[fact], holds[fact], random, split, SUBJECTS, language) for fact in chosen]


Entry = tuple[str, str]
Form = Callable[[Random, Split, str, str, str, int], Any]


def _stamp(random: Random) -> tuple[int, int, int, int]:
    return random.randrange(2020, 2030), random.randrange(1, 13), random.randrange(1, 29), random.randrange(86000)


def _clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def _state(random: Random, split: Split, form: str, entries: list[Entry], printed: bool) -> Any:
    year, month, day, second = _stamp(random)
    host, service = _host(random, split), _service(random, split)
    spelling = random.randrange(4)
    rows: list[Any] = []
    for severity, message in entries:
        level = say.PRINTED[severity][spelling] if printed else ""
        date = f"{year}-{month:02}-{day:02}"
        rows.append(_row(form, level, message, date, _clock(second), host, service, f"{MONTHS[month - 1]} {day:2}"))
        second = min(second + random.randrange(1, 60), 86399)
    if form == "json":
        return rows[0] if len(rows) == 1 else random.choice(({"logs": rows}, rows))
    text = "\n".join(rows)
    return random.choice((text, text, text, {"log": text}, {"service": service, "output": text}))


def _row(form: str, level: str, message: str, date: str, clock: str, host: str, service: str, short: str) -> Any:
    if form == "json":
        return {"time": f"{date}T{clock}Z", **({"level": level} if level else {}), "service": service, "msg": message}
    if form == "logfmt":
        return (
            f"ts={date}T{clock}Z "
            + (f"level={level} " if level else "")
            + f"svc={service} msg={json.dumps(message, ensure_ascii=False)}"
        )
    if form == "syslog":
        return f"{short} {clock} {host} {service}: " + (f"{level}: " if level else "") + message
    if form == "python":
        return f"{date} {clock},123 - {service} - " + (f"{level} - " if level else "") + message
    if form == "bracket":
        return (f"[{level}] " if level else "") + f"{service}: {message}"
    if form == "iso":
        return f"{date}T{clock}Z " + (f"{level} " if level else "") + f"[{service}] {message}"
    if form == "kubernetes":
        return f"{clock} pod/{service} " + (f"{level} " if level else "") + message
    if form == "ci":
        return f"{clock} {service} > " + (f"{level}: " if level else "") + message
    return (f"{level} " if level else "") + message


FORMS = ("kubernetes", "json", "logfmt", "syslog", "python", "bracket", "iso", "ci", "plain", "plain", "json")
