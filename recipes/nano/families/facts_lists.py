"""Lists of invented records to questions about one of them, about which one, and about whether any."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from recipes.nano import asking, records
from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.records import capital, key_of, with_article
from recipes.nano.values import near_code, several

ID_KEYS = ("id", "id", "name", "nr", "number", "key", "ref", "title", "code", "no")
ID_KINDS = ("code", "code", "code", "person", "thing", "city", "tag")


class _Table:
    """Records of one kind: `ids`, and per column its name, kind and values."""

    def __init__(self, random: Random, split: Split) -> None:
        self.random, self.split = random, split
        self.entity = records.entity(random, split)
        id_kind = random.choice(ID_KINDS)
        size = random.choice((2, 2, 3, 3, 4))
        found = [str(value) for value in several(random, split, id_kind, size + 1)]
        self.ids, self.stranger = found[:-1], found[-1]
        if id_kind == "code" and random.random() < 0.5:
            changed = near_code(random, self.ids[0])
            self.stranger = changed if changed not in self.ids else self.stranger
        chosen = records.names(random, split, 4)
        self.columns = chosen[: random.choice((1, 2, 2, 3))]
        self.values: dict[str, list[str]] = {}
        self.outsiders: dict[str, str] = {}
        for name, kind in self.columns:
            *inside, self.outsiders[name] = [
                str(value) for value in several(random, split, kind, size + 1, tuple(found))
            ]
            if random.random() < 0.3 and size > 2:
                inside[random.randrange(1, size)] = inside[0]
            self.values[name] = inside

    def words(self, column: str, row: int, value: str | None = None) -> dict[str, str]:
        said = self.values[column][row] if value is None else value
        return {
            "e": self.entity,
            "ae": with_article(self.entity),
            "i": self.ids[row],
            "f": column,
            "F": capital(column),
            "v": said,
        }

    def text(self, wordings: tuple[str, ...], **words: str) -> str:
        return pick(self.random, wordings, self.split).format(**words)


def draw(random: Random, split: Split) -> Case:
    table = _Table(random, split)
    asked: list[Asked] = []
    for name, _ in table.columns:
        for row in random.sample(range(len(table.ids)), 2):
            asked.append(_lookup(table, name, row))
            asked.append(_equality(table, name, row))
        asked += [*_which(table, name), _any(table, name)]
    asked.append(_listed(table))
    return Case(_state(table), tuple(random.sample(asked, min(len(asked), 10))), "facts")


def _lookup(table: _Table, name: str, row: int) -> Asked:
    random = table.random
    options = sorted({*table.values[name], table.outsiders[name]})
    if random.random() < 0.5:
        options.remove(table.outsiders[name])
    options = random.sample(options, len(options))
    said = table.values[name][row]
    if len(options) < 2:
        options.append(table.outsiders[name])
    text = table.text(asking.RECORD_LOOKUP, **table.words(name, row))
    return choice(f"{name} {table.ids[row]}".replace(" ", "_"), text, options, said)


def _equality(table: _Table, name: str, row: int) -> Asked:
    random, said = table.random, table.values[name][row]
    same = random.random() < 0.5
    others = sorted({value for value in table.values[name] if value != said}) or [table.outsiders[name]]
    value = said if same else random.choice(others) if random.random() < 0.75 else table.outsiders[name]
    text = table.text(asking.RECORD_EQUALITY, **table.words(name, row, value))
    return noul(random.choice(("check", "q", f"{name}_ok".replace(" ", "_"), "match")), text, same)


def _which(table: _Table, name: str) -> list[Asked]:
    single = [row for row, value in enumerate(table.values[name]) if table.values[name].count(value) == 1]
    if not single:
        return []
    row = table.random.choice(single)
    text = table.text(asking.WHICH_RECORD, **table.words(name, row))
    ids = table.random.sample(table.ids, len(table.ids))
    return [choice(table.random.choice(("which", "q", table.entity.replace(" ", "_"))), text, ids, table.ids[row])]


def _any(table: _Table, name: str) -> Asked:
    there = table.random.random() < 0.5
    value = table.random.choice(table.values[name]) if there else table.outsiders[name]
    return noul("any", table.text(asking.ANY_RECORD, **table.words(name, 0, value)), there)


def _listed(table: _Table) -> Asked:
    there = table.random.random() < 0.5
    words = table.words(table.columns[0][0], 0) | {"i": table.random.choice(table.ids) if there else table.stranger}
    return noul("listed", table.text(asking.HAS_RECORD, **words), there)


def _state(table: _Table) -> Any:
    random = table.random
    style, id_key = random.choice(records.KEY_STYLES), random.choice(ID_KEYS)
    keys = [key_of(name, style) for name, _ in table.columns]
    id_key = id_key if id_key not in keys else "entry"
    rows = [
        dict(zip([id_key, *keys], [id, *(table.values[name][row] for name, _ in table.columns)], strict=True))
        for row, id in enumerate(table.ids)
    ]
    form = random.random()
    if form < 0.25:
        return rows
    if form < 0.45:
        return {key_of(f"{table.entity}s", "snake"): rows}
    if form < 0.55:
        return {row.pop(id_key): row if len(row) > 1 else next(iter(row.values())) for row in rows}
    if form < 0.62:
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    if form < 0.76:
        join = random.choice((" | ", ",", ";", "\t", ", "))
        return "\n".join(join.join(line) for line in ([id_key, *keys], *(row.values() for row in rows)))
    return _sentences(table)


def _sentences(table: _Table) -> str:
    first = table.random.choice(("{E} {i}: ", "{i}: ", "- {i}: ", "{i} has ", "{E} {i} has "))
    inner = "{f} {v}" if "has" in first else table.random.choice(("{f} {v}", "{f} is {v}", "{f}: {v}"))
    lines = []
    for row, id in enumerate(table.ids):
        told = [inner.format(f=name, v=table.values[name][row]) for name, _ in table.columns]
        lines.append(first.format(E=capital(table.entity), i=id) + ", ".join(told) + ".")
    return table.random.choice(("\n", " ")).join(lines)
