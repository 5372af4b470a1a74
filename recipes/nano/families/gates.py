"""Shell commands and tool calls to questions a gate asks: allow, ask or block, and what the call does."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano.case import Asked, Case, Split, pick
from recipes.nano.families import gates_commands as commands
from recipes.nano.families import gates_tools
from recipes.nano.families.gates_commands import Command
from recipes.nano.naming import Label, ask_choice, ask_name, ask_score, ask_yes_no, kept
from recipes.nano.wording import lines, words

NAME = "gates"
RISKS = {
    "s": Label(
        words("allow; safe; low; run it; harmless"), words("only reads; nothing is changed; looks at something")
    ),
    "a": Label(
        words("ask; confirm; medium; ask first; caution"),
        words("changes something; uses the network; can be mended; installs or restarts"),
    ),
    "b": Label(
        words("block; dangerous; high; deny; forbid"),
        words("destroys data; leaks secrets; runs unknown code; deletes for good"),
    ),
}
LADDERS = (
    ("low", "medium", "high"),
    ("safe", "some risk", "dangerous"),
    ("harmless", "needs care", "dangerous"),
    ("only reads", "changes something", "destroys data or leaks secrets"),
)
KINDS = {
    "-": Label(words("read; read only; look; inspect; view"), words("only reads; shows something; nothing is changed")),
    "w": Label(words("change; write; modify; edit; update"), words("changes files or services; writes something")),
    "d": Label(words("delete; remove; deletion; erase; destroy"), words("deletes files or data; removes something")),
    "n": Label(
        words("network; remote; internet; transfer; online"), words("talks to another machine; uses the network")
    ),
    "s": Label(
        words("secrets; read secrets; credentials; passwords; secret"), words("reads keys or passwords; secrets")
    ),
}
TOPICS = {
    "files": Label(words("files; file; folders; filesystem"), words("files; folders; text files")),
    "disks": Label(words("disks; disk; drives; partitions"), words("disks; partitions; mounts")),
    "git": Label(words("git; version control; repository; branches"), words("git; commits; branches; repositories")),
    "containers": Label(words("containers; docker; kubernetes; pods"), words("docker; containers; pods; kubernetes")),
    "services": Label(words("services; system services; systemd; daemons"), words("services; systemctl; service logs")),
    "processes": Label(words("processes; process; running programs; pids"), words("processes; pids; running programs")),
    "packages": Label(
        words("packages; package; installation; dependencies"), words("packages; pip, npm or apt; installs")
    ),
    "database": Label(words("database; sql; tables; db"), words("database tables; sql; rows")),
    "users": Label(words("users; user; user accounts; accounts"), words("user accounts; users; groups")),
    "network": Label(words("network; internet; remote host; download"), words("remote hosts; downloads; network")),
    "secrets": Label(words("secrets; passwords; credentials; keys"), words("passwords; keys; tokens; credentials")),
}
RISK_TEXTS = lines("""
How risky is this command?
What should the gate do?
How risky is it?
Classify the risk of the command.
Gate decision
Rate the risk.
Rate the danger of the command.
What is the risk?
How dangerous is it?
Which risk level fits?
How dangerous is this command?
How much harm can it do?
Risk of the command
What should be done with the command?
Risk level
Rate the risk of this command.
""")
KIND_TEXTS = lines("""
What does the command do?
What is the effect?
Which kind of command is it?
What kind of action is it?
Classify the command.
Effect of the command
What would the command do?
Which effect does it have?
What does this shell command do?
Which kind of effect is it?
What kind of command is this?
Type of action
""")
TOPIC_TEXTS = lines("""
What is the command about?
Which area does the command touch?
What does it deal with?
What does the command work on?
On what does the command act?
Topic of the command
Which category fits?
Area of the command
What is it about?
Which topic fits the command?
What does the command act on?
Category
""")
ABOUT = lines("""
Is it about {a}?
Is the command about {a}?
Does it deal with {a}?
Does the command concern {a}?
Does this concern {a}?
Does the command deal with {a}?
Is this about {a}?
Has the command to do with {a}?
Is {a} the topic?
Does it concern {a}?
Is the topic {a}?
Does it have to do with {a}?
Is this command about {a}?
""")
# Flag -> ids, what is said of the command. Shared by all splits, as the frames are not.
DOES = {
    "l": (("read_only", "only_reads"), ("only read", "only look", "only show something")),
    "d": (("deletes", "deletion"), ("delete something", "delete data", "remove something")),
    "n": (("network", "uses_network"), ("use the network", "connect to another machine")),
    "s": (("secrets", "reads_secrets"), ("read secrets", "read passwords or keys")),
    "w": (("changes", "writes"), ("change something", "change anything", "modify something")),
    "r": (("root", "needs_root"), ("need root", "use sudo", "run as root")),
}
FRAMES = lines("""
Does the command {d}?
Does it {d}?
Does this command {d}?
Would the command {d}?
Will it {d}?
Does this {d}?
Would this {d}?
Will the command {d}?
Does this shell command {d}?
Would it {d}?
Does the shell command {d}?
Will this {d}?
True if the command would {d}.
Would this command {d}?
""")
RULES = {
    "d": ("deleting", "deleting data", "removing files"),
    "n": ("network access", "using the network", "talking to other machines"),
    "s": ("reading secrets", "reading passwords", "access to credentials"),
    "w": ("changes", "changing anything", "changing files"),
    "r": ("sudo", "root", "using sudo"),
}
BREAKS = lines("""
Rule: no {r}. Does the command break the rule?
Policy: {r} not allowed. Is the command against it?
Rule: {r} forbidden. Is the command forbidden?
Policy: no {r}. Must the command be stopped?
If {r} is forbidden, is the command forbidden?
Rule: {r} not allowed. Does the command break it?
Policy: {r} forbidden. Does the command break the policy?
{r} is not allowed. Must it be stopped?
{r} is forbidden. Does the command break this rule?
Policy: no {r}. Is the command against the policy?
""")
TARGETS = lines("""
Which {w} is named?
Which {w} does it name?
What is the {w}?
Name the {w}.
Which {w} does the command act on?
Which {w} is it about?
The {w} in the command
Which {w} does the command name?
""")
SAID = lines("""
$ {c}
The agent wants to run: {c}
Command: {c}
Run `{c}`
bash: {c}
The command: {c}
Next command: `{c}`
shell> {c}
The agent runs: {c}
Shell command: {c}
# {c}
Next command: {c}
agent@dev:~$ {c}
""")
KEYS = lines("""
command
cmd
shell
bash
shell_command
run
bash_command
next_command
run_command
""")


def draw(random: Random, split: Split) -> Case:
    """A tool call or a shell command with the questions that may be asked about it."""
    if random.random() < 0.45:
        return gates_tools.draw(random, split)
    (command,) = random.choices(commands.COMMANDS, commands.WEIGHTS)
    held = commands.fill(random, split)
    asked = [_risk(random, split, command), _danger(random, split, command), *_kind(random, split, command)]
    asked += _flags(random, split, command) + _topic(random, split, command)
    if random.random() < 0.3:
        asked += _target(random, split, command, held)
    return Case(_state(random, split, command.text.format(**held)), tuple(asked), NAME)


def _state(random: Random, split: Split, text: str) -> Any:
    if random.random() < 0.6:
        return text if random.random() < 0.35 else pick(random, SAID, split).format(c=text)
    key = pick(random, KEYS, split)
    return random.choice(({key: text}, {"tool": random.choice(("bash", "shell", "terminal")), "input": {key: text}}))


def _risk(random: Random, split: Split, command: Command) -> Asked:
    others = [one for one in RISKS if one != command.risk]
    return ask_choice(random, split, ("risk", "gate", "decision", "verdict"), RISK_TEXTS, RISKS, command.risk, others)


def _danger(random: Random, split: Split, command: Command) -> Asked:
    level = "sab".index(command.risk)
    return ask_score(random, split, ("danger", "risk_level", "harm"), RISK_TEXTS, random.choice(LADDERS), level)


def _kind(random: Random, split: Split, command: Command) -> list[Asked]:
    """The most telling effect among those it does not have."""
    right = next(flag for flag in "sdnw-" if flag in command.flags)
    clear = {flag: commands.holds(command, "l" if flag == "-" else flag) for flag in KINDS}
    others = [flag for flag in KINDS if flag != right and clear[flag] is False]
    if clear[right] is None or not others:
        return []
    others = random.sample(others, random.randrange(1, len(others) + 1))
    return [ask_choice(random, split, ("effect", "kind", "action", "type"), KIND_TEXTS, KINDS, right, others)]


def _flags(random: Random, split: Split, command: Command) -> list[Asked]:
    """Yes/no questions on what it does and on rules against it, as often true as false."""
    asked = []
    for flag, (ids, does) in DOES.items():
        holds, share = commands.holds(command, flag), commands.SHARES[flag]
        if holds is None:
            continue
        if kept(random, holds, share):
            asked.append(ask_yes_no(random, split, ids, FRAMES, holds, d=random.choice(does)))
        if flag in RULES and random.random() < 0.2 and kept(random, holds, share):
            rule = random.choice(RULES[flag])
            asked.append(ask_yes_no(random, split, ("forbidden", "policy", "breaks_rule"), BREAKS, holds, r=rule))
    return random.sample(asked, min(4, len(asked)))


def _topic(random: Random, split: Split, command: Command) -> list[Asked]:
    if command.topic not in TOPICS:
        return []
    # A remote host may hold files, and a secret is one.
    near = {"network": {"files", "git"}, "secrets": {"files", "containers"}, "disks": {"files"}}
    others = [
        one
        for one in TOPICS
        if one != command.topic and one not in near.get(command.topic, ()) and command.topic not in near.get(one, ())
    ]
    others = [one for one in others if one != "network" or "n" not in command.flags]
    some = random.sample(others, random.choice((1, 2, 3, 4)))
    named = command.topic if (holds := random.random() < 0.5) else random.choice(others)
    key = random.choice(TOPICS[named].keys)
    return [
        ask_choice(random, split, ("topic", "area", "category"), TOPIC_TEXTS, TOPICS, command.topic, some),
        ask_yes_no(random, split, ("about", "topic", "concerns"), ABOUT, holds, a=key),
    ]


def _target(random: Random, split: Split, command: Command, held: dict[str, str]) -> list[Asked]:
    """What the command acts on, read from the command."""
    holes = {"host": "host", "branch": "branch", "svc": "service", "table": "table", "dir": "folder", "file": "file"}
    for hole, what in holes.items():
        if command.text.count(f"{{{hole}}}") == 1 and f"{{{hole}2}}" not in command.text:
            others = [commands.fill(random, split)[hole] for _ in range(random.choice((1, 2, 3)))]
            if set(others) - {held[hole]}:
                return [ask_name(random, split, what, TARGETS, held[hole], others, w=what)]
    return []
