"""Shell commands and tool calls to questions a gate asks: allow, ask or block, and what the call does."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import values
from recipes.nano.case import Asked, Case, Split, choice, noul, pick, score
from recipes.nano.families import gates_commands as commands
from recipes.nano.families import gates_tools
from recipes.nano.families.gates_commands import Command

NAME = "gates"
RISKS: tuple[dict[str, tuple[str, str | None]], ...] = (
    {"s": ("safe", "only looks, changes nothing"), "a": ("ask", "changes something or uses the network"),
     "b": ("block", "destroys data, leaks secrets or runs unknown code")},
    {"s": ("allow", "read-only"), "a": ("ask", "makes changes or talks to other machines; a person confirms"),
     "b": ("deny", "data loss, secrets or unread code from the internet")},
    {"s": ("safe", None), "a": ("ask", None), "b": ("block", None)},
    {"s": ("allow", None), "a": ("confirm", None), "b": ("deny", None)},
    {"s": ("run", "harmless, only reads"), "a": ("ask_user", "an ordinary change or a network request"),
     "b": ("refuse", "deletes or overwrites data for good, exposes credentials, or pipes a download into a shell")},
    {"s": ("low", "read only"), "a": ("medium", "a change that can be undone, or network"),
     "b": ("high", "irreversible, leaks credentials or runs a downloaded script")},
    {"s": ("ok", "looks at something"), "a": ("needs_review", "modifies something or goes online"),
     "b": ("dangerous", "wipes data, reads secrets or executes a remote script")},
)  # fmt: skip
RISK_TEXTS = (
    "How risky is this command?",
    "May the agent run this command?",
    "Should the command be run?",
    "What should the gate do?",
    "Decide about the shell command.",
    "Classify the command.",
    "Is it fine to execute this?",
    "How should we treat this command?",
    "What is the right reaction to this command?",
    "Rate the danger of the command.",
    "Choose what happens with this command.",
    "Can this run without asking?",
    "Gate decision for the command",
    "Which handling fits this shell command?",
)
SCORE_TEXTS = (
    "How dangerous is it?",
    "How risky is this command?",
    "Rate the risk.",
    "How much harm can it do?",
    "Danger of this command",
)
SCORE_LEVELS = (
    (
        "harmless, only reads",
        "changes something or uses the network",
        "destroys data, leaks secrets or runs unread code",
    ),
    ("none", "some", "severe"),
    ("safe", "needs care", "dangerous"),
)
# Flag -> wordings whose answer is yes where the flag is set, then wordings for no.
YES: dict[str, tuple[str, ...]] = {
    "x": (
        "Is this command destructive?",
        "Can this destroy data for good?",
        "Would data be lost if this runs?",
        "Is something lost that cannot be brought back?",
        "Does the command irreversibly destroy something?",
        "Could running this wipe out work or data?",
        "Is the effect destructive?",
        "Does it permanently remove or overwrite data?",
    ),
    "d": (
        "Does the command delete something?",
        "Does it remove files or data?",
        "Is anything deleted?",
        "Will something be gone afterwards?",
        "Does this delete data?",
        "Is this a deletion?",
    ),
    "n": (
        "Does the command use the network?",
        "Does it contact another machine?",
        "Does this need a network connection?",
        "Does it go online?",
        "Will it connect to a remote host?",
        "Is network access needed?",
        "Does it talk to another server?",
        "Would it fail without a network?",
    ),
    "s": (
        "Does the command read secrets?",
        "Does it touch credentials?",
        "Are keys, tokens or passwords exposed?",
        "Does this access sensitive secrets?",
        "Could this leak a secret?",
        "Does it show a password, key or token?",
        "Are credentials involved?",
        "Is secret material read?",
    ),
    "w": (
        "Does the command change anything?",
        "Does it modify files or the system's state?",
        "Does this write, change or delete something?",
        "Will anything be different after it ran?",
        "Does it make changes?",
        "Does running it alter something?",
        "Is something modified?",
    ),
    "r": (
        "Does the command run with root rights?",
        "Does it use sudo?",
        "Is it run as root?",
        "Does it ask for elevated privileges?",
        "Does this need administrator rights?",
        "Is root access used?",
    ),
}
NO: dict[str, tuple[str, ...]] = {
    "w": (
        "Is this command read-only?",
        "Does it only look at things?",
        "Does the command leave everything as it is?",
        "Is it a pure query without changes?",
        "Does it only read?",
        "Is nothing changed by it?",
    ),
    "n": ("Does it run purely locally?", "Does it work offline?", "Does it stay on this machine?", "Is it local only?"),
}
RULES: dict[str, tuple[str, ...]] = {
    "n": ("No network access.", "Commands must not contact other machines.", "The network is off limits.",
          "Nothing may go online.", "Stay offline.", "Network use is forbidden."),
    "d": ("Nothing may be deleted.", "Deleting is forbidden.", "Never delete files or data.", "No deletions.",
          "Removing data is not allowed.", "Do not remove anything."),
    "w": ("Only read-only commands are allowed.", "Nothing may be changed.", "Read only: no changes at all.",
          "Commands must not modify anything.", "Looking is fine, changing is not.", "No changes."),
    "r": ("No sudo.", "Root rights are forbidden.", "Commands must run without root.", "Never use sudo.",
          "Elevated privileges are not allowed.", "Do not run anything as root."),
    "s": ("Secrets must not be read.", "Keys and passwords are off limits.", "Do not touch credentials.",
          "Never show tokens or keys.", "No access to secrets.", "Credentials must stay unread."),
}  # fmt: skip
BREAKS = (
    "Does the command break the rule?",
    "Is the rule violated?",
    "Does this go against the policy?",
    "Is the policy broken?",
    "Does the command violate the policy?",
    "Would running it be against the rule?",
)
KEEPS = (
    "Is the command allowed by the rule?",
    "Does the command comply with the policy?",
    "Is this permitted under the policy?",
    "Does it respect the rule?",
    "Is it allowed?",
    "May it run under this policy?",
)
TOPICS = ("files", "disks", "git", "containers", "services", "processes", "packages", "database", "users")
TOPIC_TEXTS = (
    "What is the command about?",
    "Which area does it belong to?",
    "What kind of command is it?",
    "Which topic fits the command?",
    "Sort the command.",
)
# Changes that some call a deletion or a loss.
DOUBTFUL = ("uninstall", "remove", "/d'", "mv ", ">", "stop", "kill", "merge", "checkout", "UPDATE", "apply", "cp ",
            "| ", "-o ", "sed -i", "tee ", "pull", "scp", "rsync", "stash", "umount", "shutdown", "reboot", "dd ", "<(",
            "scale", "-xzf", "unzip", "gzip", "restart", "-a")  # fmt: skip
# Losses that some would not call a deletion.
OVERWRITES = ("dd ", "mkfs", "wipefs", "reset --hard", "push --force", "push -f", "truncate", "rsync", "TRUNCATE")
SAID = (
    "{c}",
    "{c}",
    "{c}",
    "$ {c}",
    "The agent wants to run: {c}",
    "Command: {c}",
    "Run `{c}`",
    "bash: {c}",
    "Proposed command:\n{c}",
    "Next step: `{c}`",
    "shell> {c}",
    "About to execute {c}",
)


def draw(random: Random, split: Split) -> Case:
    if random.random() < 0.45:
        return gates_tools.draw(random, split)
    return _shell(random, split)


def _shell(random: Random, split: Split) -> Case:
    command = _choose(random, split)
    held = fill(random, split)
    text = command.text.format(**held)
    flags = command.flags + ("r" if "sudo " in text else "")
    rule = random.choice("nddwrs") if random.random() < 0.35 else ""
    rule = rule if rule and not _doubtful(command, rule) else ""
    asked = [_risk(random, split, command), _danger(random, split, command)]
    asked += _flags(random, split, command, flags) + _topic(random, split, command)
    asked += _target(random, split, command, held)
    if rule:
        asked += _policy(random, split, rule, rule in flags)
    return Case(_state(random, split, text, rule), tuple(asked), NAME)


def _doubtful(command: Command, flag: str) -> bool:
    """Whether people would disagree: is a stopped service a deletion, does a local database use the network?"""
    if flag in command.flags:
        return flag == "d" and any(word in command.text for word in OVERWRITES)
    if flag in "dx":
        # Whether removing a temporary file is destructive is a matter of taste, too.
        return command.risk != "s" and any(word in command.text for word in (*DOUBTFUL, "rm "))
    if flag == "n":
        return command.topic == "database"
    return flag == "w" and "n" in command.flags and "s" in command.flags


def _flags(random: Random, split: Split, command: Command, flags: str) -> list[Asked]:
    """Yes/no questions, about as many of either answer."""
    asked = [_flag(random, split, flag, flag in flags) for flag in "xdnswr" if not _doubtful(command, flag)]
    yes = [one for one in asked if one.label]
    # Few commands read secrets or use sudo: asked each time, the answer would nearly always be no.
    no = [one for one in asked if not one.label and not (one.id in ("secrets", "root") and random.random() < 0.5)]
    if command.risk == "s":  # that nothing changes is what matters here
        change = [one for one in asked if one.id == "changes"]
        return yes + change + random.sample([one for one in no if one not in change], 1)
    return yes + random.sample(no, min(len(no), len(yes)))


def _choose(random: Random, split: Split) -> Command:
    """Each risk a third; commands with root rights or secrets often enough."""
    found = commands.BY_RISK[split][random.choice("sab")]
    sought = random.choice("rnssswwwwwww")
    rare = [one for one in found if (sought == "r" and "sudo" in one.text) or sought in one.flags]
    return random.choice(rare or found)


def fill(random: Random, split: Split) -> dict[str, str]:
    """Invented values for every hole of a command."""

    def word() -> str:
        return values.coin(random) if random.random() < 0.4 else pick(random, commands.NAMES, split)

    def folder() -> str:
        root = random.choice(commands.ROOTS)
        return f"{root}/{word()}" if random.random() < 0.7 else f"{root}/{word()}/{word()}"

    def file() -> str:
        return f"{word()}.{random.choice(commands.EXTENSIONS)}"

    return {
        "dir": folder(),
        "dir2": folder(),
        "file": file(),
        "file2": file(),
        "log": f"{word()}.log",
        "tmp": random.choice(commands.TEMPS),
        "word": word(),
        "word2": values.coin(random),
        "ext": random.choice(commands.EXTENSIONS),
        "n": str(random.randrange(1, 100)),
        "pid": str(random.randrange(100, 30000)),
        "port": str(random.randrange(80, 9999)),
        "hash": f"{random.randrange(16**7):07x}",
        "host": f"{word()}.{random.choice(('example.com', 'example.org', 'internal', 'test', 'example.net'))}",
        "user": values.first_name(random, split).lower(),
        "secret": random.choice(commands.SECRETS),
        "token": random.choice(commands.TOKENS),
        "disk": random.choice(("sda", "sdb", "nvme0n1", "vdb", "sdc")),
        "branch": random.choice(("main", "develop", f"feature/{word()}", f"fix-{word()}", word())),
        "svc": random.choice(("nginx", "redis", "postgres", word(), f"{word()}-api", f"{word()}-worker")),
        "ns": random.choice(("default", "staging", "production", word())),
        "pkg": random.choice(("numpy", "requests", "htop", "flask", word(), word())),
        "table": word(),
        "db": f"{word()}db",
    }


def _risk(random: Random, split: Split, command: Command) -> Asked:
    named = random.choice(RISKS)
    options = {named[risk][0]: named[risk][1] for risk in random.sample("sab", 3)}
    return choice(random.choice(("risk", "gate", "decision", "verdict", "q")), pick(random, RISK_TEXTS, split), options,
                  named[command.risk][0])  # fmt: skip


def _danger(random: Random, split: Split, command: Command) -> Asked:
    text = pick(random, SCORE_TEXTS, split)
    return score(
        random.choice(("danger", "risk_level", "harm")), text, random.choice(SCORE_LEVELS), "sab".index(command.risk)
    )


def _topic(random: Random, split: Split, command: Command) -> list[Asked]:
    if command.topic not in TOPICS:
        return []
    wrong = random.sample([topic for topic in TOPICS if topic != command.topic], random.choice((2, 3, 4)))
    options = random.sample([*wrong, command.topic], len(wrong) + 1)
    return [choice("topic", pick(random, TOPIC_TEXTS, split), options, command.topic)]


def _flag(random: Random, split: Split, flag: str, is_set: bool) -> Asked:
    names = {"x": "destructive", "d": "deletes", "n": "network", "s": "secrets", "w": "changes", "r": "root"}
    negated = flag in NO and random.random() < 0.3
    text = pick(random, (NO if negated else YES)[flag], split)
    return noul(names[flag] if random.random() < 0.8 else "check", text, is_set != negated)


def _target(random: Random, split: Split, command: Command, held: dict[str, str]) -> list[Asked]:
    """What the command acts on, read from the command."""
    for hole, what in (
        ("host", "host"),
        ("branch", "branch"),
        ("svc", "service"),
        ("table", "table"),
        ("dir", "folder"),
    ):
        if command.text.count(f"{{{hole}}}") == 1 and "{dir2}" not in command.text:
            others = [fill(random, split)[hole] for _ in range(random.choice((1, 2, 3)))]
            ids = sorted({held[hole], *others})
            text = pick(random, gates_tools.TARGETS, split).format(w=what)
            if len(ids) > 1:
                return [choice(what, text, random.sample(ids, len(ids)), held[hole])]
    return []


def _policy(random: Random, split: Split, rule: str, broken: bool) -> list[Asked]:
    turned = random.random() < 0.5
    asked = [noul("policy", pick(random, KEEPS if turned else BREAKS, split), broken != turned)]
    allow, deny = random.choice((("allow", "deny"), ("yes", "no"), ("permit", "reject"), ("pass", "stop")))
    text = pick(random, ("What does the rule say?", "Decide by the policy.", "By the rule, what happens?",
                         "Apply the policy to the command.", "Under this policy:"), split)  # fmt: skip
    asked.append(choice("by_policy", text, random.sample((allow, deny), 2), deny if broken else allow))
    return asked


def _state(random: Random, split: Split, text: str, rule: str) -> Any:
    form = random.random()
    held: dict[str, Any] = {}
    if form < 0.4:
        said = pick(random, SAID, split).format(c=text)
        return f"{random.choice(('Policy', 'Rule'))}: {pick(random, RULES[rule], split)}\n{said}" if rule else said
    if form < 0.7:
        held = {random.choice(("command", "cmd", "shell", "command_line", "run")): text}
        if random.random() < 0.4:
            held[random.choice(("cwd", "working_dir", "directory"))] = (
                f"/home/{pick(random, values.FIRST, split).lower()}"
            )
        if random.random() < 0.2:
            held["timeout"] = random.choice((10, 30, 60, 120))
    else:
        name = random.choice(("bash", "shell", "run_command", "terminal", "execute", "exec"))
        key = random.choice(("arguments", "args", "input", "parameters"))
        held = {random.choice(("tool", "name", "function")): name, key: {random.choice(("command", "cmd")): text}}
    if rule:
        held[random.choice(("policy", "rule", "rules"))] = pick(random, RULES[rule], split)
    return held
