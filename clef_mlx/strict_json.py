"""JSON text to values and back, refusing what JSON does not have; knows nothing of requests.

The standard library does the parsing. It is lenient where a typed decision must not be: it keeps the last of two equal
names, reads NaN, turns 1e400 into infinity and passes half characters on. `show` and `show_place` are how values and
places look in error messages here and in the schema.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from clef_mlx.errors import RequestError

MAX_DEPTH = 128  # nested arrays and objects in a text; far above any real state, far below the interpreter's stack
MAX_INTEGER_DIGITS = 4300  # Python's own limit for decimal text, kept here even where a program lifts it
MAX_WALK_DEPTH = 2000  # Python values deeper than this are taken to contain themselves
MAX_SHOWN_CHARACTERS = 60
_NOT_JSON = (TypeError, ValueError, RecursionError)  # what the standard library's writer raises

# Possessive, and the closing quote optional: an unclosed string costs one pass, whatever it holds.
_TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]|[^\s\[\]{}",:]+', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*+:")
_CONTAINERS = frozenset((dict, list))
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
# Everything up to the first escape that is half a character.
_WHOLE_CHARACTERS = re.compile(
    r"(?:[^\\]++|\\(?!u[dD][89a-fA-F]).|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*+", re.DOTALL
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_PLAIN_NAME = re.compile(r"[\w-]{1,60}")


class SyntaxFault(RequestError):
    """Text that is no JSON, as far as the character at `offset`; its other faults are JSON that is refused."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class _Refused(Exception):
    """A parse hook met something JSON does not have: the rule it breaks and the text it was read from."""

    def __init__(self, rule: str, lexeme: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.lexeme = lexeme


class _DuplicateName(Exception):
    """An object names one member twice."""


class Fault(NamedTuple):
    """Where inside a value, and which rule it breaks."""

    path: tuple[str | int, ...]
    rule: str


def parse_json(text: str | bytes, *, where: str) -> Any:
    """Read one JSON value; `where` opens every message. Raises RequestError with line and column.

    A leading byte order mark is skipped: editors on Windows write one, and nobody sees it.
    """
    text = _decode(text, where)
    if not text.strip():
        raise SyntaxFault(f"{where}: must hold one JSON value, got nothing. The input is empty.", 0)
    _refuse_surrogate_escapes(text, where)
    try:
        value = _DECODER.decode(text)
    except RecursionError:  # far deeper than the limit; the standard library stops before the stack does
        raise _too_deep(text, where) from None
    except json.JSONDecodeError as error:
        raise _syntax_error(text, where, error) from None
    except _Refused as refused:
        position = next(token.start() for token in _TOKENS.finditer(text) if token.group().startswith(refused.lexeme))
        raise _error_at(text, where, position, refused.rule) from None
    except _DuplicateName:
        position, name = next(_duplicate_names(text))
        message = f"names must be unique in their object, got {show(name)} again. Remove one of the two."
        raise _error_at(text, where, position, message) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(value):
        raise _too_deep(text, where)
    return value


def render(value: Any) -> str:
    """The text the model reads for a value: a string as it is, anything else as compact JSON with sorted keys.

    Raises RequestError naming the place of whatever JSON text cannot hold.
    Source: joint_schema_model.py::render, which lets NaN through; here it is refused.
    """
    try:
        return _write(value)
    except _NOT_JSON:
        fault = _first_fault(value)
        raise RequestError(f"{show_place(fault.path)}: {fault.rule}", fault.path) from None


def find_fault(value: Any) -> Fault | None:
    """The first thing inside a value that JSON text cannot hold, or None."""
    try:
        _write(value)
    except _NOT_JSON:
        return _first_fault(value)
    return None


def show(value: Any) -> str:
    """A value in a message: short, on one line, control characters escaped, never the whole of a long state."""
    match value:
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return _show_string(value)
        case int():
            digits = math.ceil(abs(value).bit_length() * math.log10(2))
            return int.__repr__(value) if digits <= MAX_SHOWN_CHARACTERS else f"an integer of about {digits} digits"
        case float():
            return float.__repr__(value)
        case dict():
            return f"an object of {len(value)} {'member' if len(value) == 1 else 'members'}"
        case list() | tuple():
            return f"an array of {len(value)} {'item' if len(value) == 1 else 'items'}"
    kind = type(value)
    return f"a {kind.__qualname__}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{kind.__qualname__}"


def show_place(location: tuple[str | int, ...]) -> str:
    """`("questions", "my id", "criteria", 3)` as `questions["my id"].criteria[3]`; the whole is `request`."""
    place = ""
    for position, step in enumerate(location):
        if 6 <= position < len(location) - 2:
            place += "…" if position == 6 else ""
            continue
        if isinstance(step, str) and _PLAIN_NAME.fullmatch(step):
            place += f".{step}"
        else:
            place += f"[{show(step)}]"
    return place.removeprefix(".") or "request"


def _show_string(value: str) -> str:
    quoted = json.dumps(value[:MAX_SHOWN_CHARACTERS], ensure_ascii=False)
    # Direction marks and line separators would rearrange the message on a terminal.
    quoted = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in quoted)
    return quoted if len(value) <= MAX_SHOWN_CHARACTERS else f"{quoted} … ({len(value)} characters)"


def _decode(text: str | bytes, where: str) -> str:
    if isinstance(text, bytes):
        try:
            return text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            byte, offset = error.object[error.start], error.start
            message = f"{where}: must be UTF-8 text, got byte 0x{byte:02x} at offset {offset}. Save the file as UTF-8."
            raise RequestError(message) from None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _surrogate_error(text, where, error.start, f"\\u{ord(text[error.start]):04x}") from None
    return text.removeprefix("\ufeff")


def _refuse_surrogate_escapes(text: str, where: str) -> None:
    position = _WHOLE_CHARACTERS.match(text).end()
    if escape := _SURROGATE_ESCAPE.match(text, position):
        raise _surrogate_error(text, where, position, escape.group())


def _is_too_deep(value: Any) -> bool:
    """Level by level, so that the check itself needs no stack."""
    level: Iterable[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        # The parser makes exact types only; `isinstance` would double the time of a large text.
        containers = [item for item in level if type(item) in _CONTAINERS]
        if not containers:
            return False
        level = chain.from_iterable([item.values() if type(item) is dict else item for item in containers])
    return True


def _too_deep(text: str, where: str) -> RequestError:
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += _STEPS.get(token.group(), 0)
        if depth > MAX_DEPTH:
            break
    rule = f"values must nest at most {MAX_DEPTH} levels deep, got more. Flatten the value or send it as text."
    return _error_at(text, where, token.start(), rule)


def _surrogate_error(text: str, where: str, position: int, shown: str) -> RequestError:
    rule = f"strings must be whole characters, got the lone surrogate {shown}. Send both halves or neither."
    return _error_at(text, where, position, rule)


def _syntax_error(text: str, where: str, error: json.JSONDecodeError) -> RequestError:
    rest = text[error.pos : error.pos + 20].split("\n")[0]
    got = show(rest) if rest else "the end of the line" if error.pos < len(text) else "the end of the text"
    if error.msg == "Extra data":
        rule = f"the text must end after one value, got {got}. Remove the rest; one request a line is .jsonl."
        return _error_at(text, where, error.pos, rule)
    reason = error.msg.removesuffix(" starting at").removesuffix(" at")
    rule = f"must be JSON, got {got}. The JSON reader says: {reason}."
    return SyntaxFault(str(_error_at(text, where, error.pos, rule)), error.pos)


def _error_at(text: str, where: str, position: int, rule: str) -> RequestError:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return RequestError(f"{where}: line {line}, column {column}: {rule}")


def _duplicate_names(text: str) -> Iterator[tuple[int, str]]:
    """Positions of repeated names. Slow and only for the message; the text is known to parse up to the first."""
    names: list[set[str]] = []
    for token in _TOKENS.finditer(text):
        lexeme = token.group()
        if lexeme in "[{":
            names.append(set())
        elif lexeme in "]}":
            names.pop()
        elif lexeme[0] == '"' and _COLON.match(text, token.end()):
            name = json.loads(lexeme)
            if name in names[-1]:
                yield token.start(), name
            names[-1].add(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateName
    return members


def _integer(lexeme: str) -> int:
    if len(lexeme.lstrip("-")) > MAX_INTEGER_DIGITS:
        digits = len(lexeme.lstrip("-"))
        raise _Refused(f"integers must have at most {MAX_INTEGER_DIGITS} digits, got {digits}. Send text.", lexeme)
    return int(lexeme)


def _float(lexeme: str) -> float:
    value = float(lexeme)
    if math.isinf(value):
        shown = lexeme if len(lexeme) <= MAX_SHOWN_CHARACTERS else f"one of {len(lexeme)} characters"
        raise _Refused(f"numbers must fit a double, got {shown}. Send it as text.", lexeme)
    return value


def _constant(lexeme: str) -> float:
    raise _Refused(f"numbers must be finite, got {lexeme}, which JSON does not have. Send null or text.", lexeme)


def _write(value: Any) -> str:
    text = value if isinstance(value, str) else _ENCODER.encode(value)
    text.encode()  # a lone surrogate has no UTF-8 and raises
    return text


def _first_fault(value: Any) -> Fault:
    """Depth first, with a stack of its own: the value may be deeper than Python's."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while pending:
        path, value = pending.pop()
        if len(path) > MAX_WALK_DEPTH:
            break
        rule = _members_fault(value) if isinstance(value, dict) else _scalar_fault(value)
        if rule:
            return Fault(path, rule)
        if isinstance(value, dict):
            pending.extend((path + (str(key),), member) for key, member in reversed(value.items()))
        elif isinstance(value, list | tuple):
            pending.extend((path + (index,), value[index]) for index in reversed(range(len(value))))
    return Fault((), "must be a value JSON can write, got one that nests too deeply or contains itself. Flatten it.")


def _scalar_fault(value: Any) -> str | None:
    match value:
        case str():
            return (
                None if _is_whole(value) else f"must be whole characters, got {show(value)}. It holds a lone surrogate."
            )
        case float():
            return None if math.isfinite(value) else f"must be finite, got {show(value)}. Send null or text."
        case int():
            try:
                int.__repr__(value)
            except ValueError:
                return f"must have at most {MAX_INTEGER_DIGITS} digits, got {show(value)}. Send text."
            return None
        case None | list() | tuple():
            return None
    remedy = "Call .item() or .tolist()." if type(value).__module__ == "numpy" else "Convert it first."
    return f"must be a string, number, true, false, null, list or dict, got {show(value)}. {remedy}"


def _members_fault(members: dict[Any, Any]) -> str | None:
    for key in members:
        if not isinstance(key, str | int | float | None):
            return f"keys must be strings, got {show(key)}. Convert them first."
        if fault := _scalar_fault(key):
            return f"keys {fault}"
    try:
        sorted(members)
    except TypeError:
        return "keys must all be strings, got several kinds. Convert them first."
    return None


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
