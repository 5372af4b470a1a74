"""Tool calls of agents: the kind of action, on what it acts, how risky it is, whether it fits a wish or a rule."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Case, Split, pick
from recipes.nano.families.gates_commands import NAMES
from recipes.nano.naming import Label, ask_choice, ask_name, ask_score, ask_yes_no, kept
from recipes.nano.values import code, several
from recipes.nano.wording import lines, words

# Kind -> verbs of tool names. Shared by all splits: meanings cannot be guessed.
VERBS = {
    "read": "get list read find search fetch show lookup view check query count open load".split(),
    "write": "update set edit change modify rename assign adjust patch move enable disable".split(),
    "create": "create add new make insert register generate".split(),
    "delete": "delete remove drop purge erase destroy clear".split(),
    "send": "send email forward share publish post notify mail".split(),
    "pay": "pay refund charge transfer_money reimburse buy pay_for".split(),
}
NOUNS = tuple(
    """order invoice user file ticket report note account booking customer contract message event photo product
    document project task""".split()
)
OBJECTS = {noun: Label((noun,), (f"the {noun}", f"{noun} data", f"one {noun}")) for noun in NOUNS}
KINDS = {
    "read": Label(
        words("read; look up; read only; search; view"),
        words("only reads; shows something; finds data; nothing is changed"),
    ),
    "write": Label(
        words("update; change; edit; modify; write"),
        words("changes something that exists; edits data; updates a record"),
    ),
    "create": Label(
        words("create; add; new; insert; make new"),
        words("makes something new; adds a record; creates data"),
    ),
    "delete": Label(
        words("delete; remove; erase; deletion; destroy"),
        words("deletes something; removes data; erases a record"),
    ),
    "send": Label(
        words("send; message; share; send out; notify"),
        words("sends something to somebody; shares data; mails a person"),
    ),
    "pay": Label(
        words("pay; payment; money; refund; transfer money"),
        words("moves money; pays or refunds; charges a card"),
    ),
}
RISK = {"read": 0, "write": 1, "create": 1, "send": 1, "delete": 2, "pay": 2}
RISKS = (
    Label(words("low; safe; harmless; allow; no risk"), words("only reads; nothing is changed; looks something up")),
    Label(
        words("medium; some risk; confirm; ask; caution"),
        words("changes, creates or sends; can be mended; changes something"),
    ),
    Label(words("high; dangerous; critical; block; high risk"), words("deletes or pays; cannot be undone; money")),
)
LADDERS = (
    ("low", "medium", "high"),
    ("safe", "some risk", "dangerous"),
    ("only reads", "changes or sends something", "deletes or pays"),
    ("harmless", "needs care", "dangerous"),
)
KIND_TEXTS = lines("""
What does the call do?
Which kind of action is this?
Classify the tool call.
What is the effect of the call?
What would this call do?
Type of action
What sort of action is it?
What is the kind of call?
Which action does the call take?
What kind of call is it?
What does the tool do?
Which kind of action does the tool take?
What does the agent want to do?
Action of the call
""")
OBJECT_TEXTS = lines("""
What is it about?
On what does the call act?
Which object does the call act on?
What kind of thing is it about?
What does the call concern?
Which thing is affected?
What is the object of the call?
What is the object?
Object of the call
Which kind of object is it?
What is the tool call about?
""")
ABOUT = lines("""
Is it about {n}?
Does the call concern {n}?
Does it act on {n}?
Is {n} affected?
Is the call about {n}?
Does this concern {n}?
Is the object {n}?
Does the tool call act on {n}?
Is {n} what the call acts on?
Is the tool call about {n}?
""")
IS_KIND = {
    "read": ("only read", "only look something up", "just read data"),
    "write": ("change something that exists", "update something", "edit something"),
    "create": ("create something new", "make something new", "add something new"),
    "delete": ("delete something", "remove something", "delete data"),
    "send": ("send something", "send a message", "share something"),
    "pay": ("pay something", "move money", "pay or refund money"),
}
DOES = lines("""
Does the call {d}?
Does it {d}?
Does this tool call {d}?
Would the call {d}?
Does the tool {d}?
Will it {d}?
Does this {d}?
Would this {d}?
Does the agent {d}?
Will the call {d}?
Would the tool {d}?
Does the action {d}?
Will this tool call {d}?
Would it {d}?
True if the call would {d}.
""")
CHANGES = lines("""
Does the call change anything?
Does this call change data?
Is anything changed?
Does it have side effects?
Would anything be changed by the call?
Does the call change something?
Is data changed by this call?
Does it do more than read?
Would the call change data?
Does this change anything?
Are there side effects?
Does the tool change anything?
""")
RISK_TEXTS = lines("""
How risky is the call?
How risky is this action?
What is the risk?
Rate the risk of the call.
Risk of the tool call
How much harm can it do?
How dangerous is the call?
What should the gate do?
Gate decision
Which risk level fits?
Risk level
How risky is the tool call?
Rate the risk.
How dangerous is this action?
""")
# A wish and the call are put side by side; the wish names the kind of action with words of the tools themselves.
WISHES = {
    "read": ("show me the {n}", "find the {n}", "look up the {n}", "read the {n}", "check the {n}"),
    "write": ("change the {n}", "update the {n}", "edit the {n}", "modify the {n}"),
    "create": ("create a new {n}", "add a new {n}", "make a new {n}", "create one more {n}"),
    "delete": ("delete the {n}", "remove the {n}", "erase the {n}", "delete that {n}"),
    "send": ("send the {n}", "share the {n}", "forward the {n}", "send out the {n}"),
    "pay": ("pay the {n}", "refund the {n}", "pay for the {n}", "refund money for the {n}"),
}
MATCHES = lines("""
The user said: {w}. Does the call do this?
User: {w}. Is this the right call?
The user asked: {w}. Does the call match?
Request: {w}. Does the call fit?
Asked for: {w}. Is it the right call?
The user asked: please {w}. Does the call do that?
User request: {w}. Does the call match it?
Does the call do what the user wants: {w}?
The wish is: {w}. Does the tool call fit?
Is this the right call for: {w}?
The request was: {w}. Does the call match it?
Wish: {w}. Is the call right?
Does the tool call fit the request: {w}?
Does the call match the request: {w}?
""")
RULE_WORDS = {
    "read": ("reading", "reading data"),
    "write": ("updating", "changing data"),
    "create": ("creating", "adding data"),
    "delete": ("deleting", "removing data"),
    "send": ("sending", "sharing data"),
    "pay": ("paying", "moving money"),
}
FORBIDS = lines("""
Rule: {r} is forbidden. Does the call break the rule?
Policy: {r} is not allowed. Is the call against it?
Rule: no {r}. Does the call break it?
{r} is forbidden. Is the call forbidden?
Policy: {r} is forbidden. Must the call be stopped?
{r} is not allowed. Does the call break the rule?
Rule: {r} is not allowed. Is the call forbidden?
Rule: {r} needs approval. Does the call need approval?
Policy: {r} must be confirmed. Must the call be confirmed?
{r} needs approval. Is approval needed?
If {r} is forbidden, is the call forbidden?
Rule: {r} must be confirmed. Is approval needed?
""")
WHICH = lines("""
Which {n} is it?
Which {n} is named?
What is the id of the {n}?
Which {n} does it act on?
Name the {n}.
Which {n} does the call name?
The id of the {n}
Which id does the call name?
""")
# How a call is written: keys of the tool and of its arguments, or one line.
FORMS = lines("""
tool arguments
name arguments
function arguments
tool args
tool input
tool_name parameters
function parameters
action input
name input
tool params
name parameters
function args
tool parameters
tool_name arguments
action arguments
action params
call arguments
""")
LINES = lines("""
{t}({a})
Call: {t}({a})
Tool call: {t}({a})
The agent calls {t}({a})
Next call: {t}({a})
tool: {t}({a})
agent> {t}({a})
The agent wants to call {t}({a})
Tool: {t}, arguments: {a}
call {t} with {a}
{t} {a}
Next tool call: {t}({a})
""")
ID_KEYS = ("id", "id", "{n}_id", "{n}_id", "ref", "{n}")
CHANGED = ("title", "status", "name", "text", "date", "priority")


def draw(random: Random, split: Split) -> Case:
    """A tool call with 6 to 10 questions."""
    kind, noun, id = random.choice(tuple(VERBS)), random.choice(NOUNS), code(random, split)
    asked = [_kind(random, split, kind), *_is_kind(random, split, kind), *_risk(random, split, kind)]
    asked += [_object(random, split, noun), _about(random, split, noun)]
    if random.random() < 0.7:
        asked.append(random.choice((_match(random, split, kind, noun), _rule(random, split, kind))))
    if kept(random, kind != "read", 5 / 6):
        asked.append(ask_yes_no(random, split, ("changes", "side_effects", "mutates"), CHANGES, kind != "read"))
    if random.random() < 0.3:
        ids = [str(other) for other in several(random, split, "code", random.choice((1, 2, 3)), (id,))]
        asked.append(ask_name(random, split, "target", WHICH, id, ids, n=noun))
    return Case(_state(random, split, kind, noun, id), tuple(asked), "gates")


def _state(random: Random, split: Split, kind: str, noun: str, id: str) -> Any:
    verb = random.choice(VERBS[kind])
    camel = verb.title().replace("_", "") + noun.capitalize()
    tool = random.choice(
        (f"{verb}_{noun}", f"{verb}_{noun}", f"{verb}_{noun}s", f"{noun}.{verb}", f"{verb}-{noun}", f"{noun}_{verb}",
         camel[0].lower() + camel[1:])
    )  # fmt: skip
    arguments = {random.choice(ID_KEYS).format(n=noun): id}
    if kind == "pay":
        arguments[random.choice(("amount", "sum", "total"))] = values.amount(random, split)
    if kind == "send":
        arguments[random.choice(("to", "recipient", "email"))] = f"{values.coin(random)}@{values.coin(random)}.com"
    if kind in ("write", "create"):
        arguments[random.choice(CHANGED)] = pick(random, NAMES, split).replace("_", " ")
    if random.random() < 0.65:
        keys = pick(random, FORMS, split).split()
        inner = {keys[0]: tool, keys[1]: arguments}
        return {random.choice(("call", "tool_call")): inner} if random.random() < 0.2 else inner
    written = ", ".join(f'{key}="{value}"' for key, value in arguments.items())
    return pick(random, LINES, split).format(t=tool, a=written)


def _others(random: Random, kind: str, number: int) -> list[str]:
    return random.sample([one for one in VERBS if one != kind], number)


def _kind(random: Random, split: Split, kind: str) -> Asked:
    others = _others(random, kind, random.choice((1, 2, 3, 4, 5)))
    return ask_choice(random, split, ("action", "kind", "effect", "type"), KIND_TEXTS, KINDS, kind, others)


def _is_kind(random: Random, split: Split, kind: str) -> list[Asked]:
    asked = []
    for holds in (True, False) if random.random() < 0.5 else (random.random() < 0.5,):
        named = kind if holds else _others(random, kind, 1)[0]
        ids = ("effect", f"is_{named}", f"does_{named}", "action")
        asked.append(ask_yes_no(random, split, ids, DOES, holds, d=random.choice(IS_KIND[named])))
    return asked


def _risk(random: Random, split: Split, kind: str) -> list[Asked]:
    ids, labels = ("risk", "risk_level", "danger", "gate"), {str(level): RISKS[level] for level in range(3)}
    others = [one for one in labels if one != str(RISK[kind])]
    return [
        ask_choice(random, split, ids, RISK_TEXTS, labels, str(RISK[kind]), others),
        ask_score(random, split, ids, RISK_TEXTS, random.choice(LADDERS), RISK[kind]),
    ]


def _object(random: Random, split: Split, noun: str) -> Asked:
    others = random.sample([one for one in NOUNS if one != noun], random.choice((1, 2, 3, 4)))
    return ask_choice(random, split, ("object", "entity", "resource", "thing"), OBJECT_TEXTS, OBJECTS, noun, others)


def _about(random: Random, split: Split, noun: str) -> Asked:
    holds = random.random() < 0.5
    named = noun if holds else random.choice([one for one in NOUNS if one != noun])
    article = random.choice(("the", "an" if named[0] in "aeio" else "a"))
    return ask_yes_no(random, split, ("about", f"is_{named}", "object"), ABOUT, holds, n=f"{article} {named}")


def _match(random: Random, split: Split, kind: str, noun: str) -> Asked:
    holds = random.random() < 0.5
    wish = random.choice(WISHES[kind if holds else _others(random, kind, 1)[0]]).format(n=noun)
    return ask_yes_no(random, split, ("match", "matches_request", "right_call"), MATCHES, holds, w=wish)


def _rule(random: Random, split: Split, kind: str) -> Asked:
    holds = random.random() < 0.5
    rule = random.choice(RULE_WORDS[kind if holds else _others(random, kind, 1)[0]])
    return ask_yes_no(random, split, ("forbidden", "policy", "breaks_rule"), FORBIDS, holds, r=rule)
