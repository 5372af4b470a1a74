"""Tool calls with a request or a policy to questions: right call, what it does, what is missing, allow or ask."""

from __future__ import annotations

from random import Random
from typing import Any

from recipes.nano import records
from recipes.nano.case import Asked, Case, Split, choice, noul, part, pick
from recipes.nano.records import capital, key_of, with_article
from recipes.nano.values import code, near_code, several

# Kind -> verbs of tool names, and how people ask for it. Shared by all splits: meanings cannot be guessed.
VERBS = {
    "read": ("get", "list", "read", "find", "search", "fetch", "show", "lookup", "view", "check"),
    "write": ("update", "set", "edit", "change", "modify", "rename", "assign", "adjust", "patch"),
    "create": ("create", "add", "new", "make", "insert", "register"),
    "delete": ("delete", "remove", "drop", "purge", "erase", "destroy"),
    "send": ("send", "email", "forward", "share", "publish", "post"),
    "pay": ("pay", "refund", "charge", "transfer_money", "reimburse", "credit"),
}
NOUNS = tuple(
    """order invoice user file ticket report note account booking customer contract message calendar event photo product
    document address playlist subscription device project task page comment backup record coupon profile group folder
    meeting reservation parcel lead form survey budget key label channel server webhook role article recipe course
    """.split()
)
REQUESTS = {
    "read": ("Show me {n} {i}.", "What does {n} {i} say?", "Look up {n} {i}.", "Can you check {n} {i}?",
             "I want to see {n} {i}.", "Open {n} {i} and tell me what is in it.", "Find {n} {i} for me.",
             "Read {n} {i} to me."),
    "write": ("Change {n} {i}.", "Please update {n} {i}.", "Edit {n} {i}, please.", "{n} {i} needs a correction.",
              "Modify {n} {i}.", "Adjust {n} {i} for me.", "Please correct {n} {i}.", "Can you change {n} {i}?"),
    "create": ("Create {n} {i}.", "Please add a new {n} {i}.", "Make a {n} called {i}.", "I need a new {n}, {i}.",
               "Set up {n} {i} from scratch.", "Add {n} {i}.", "Register a new {n} {i}.", "Please create {n} {i}."),
    "delete": ("Delete {n} {i}.", "Please remove {n} {i}.", "Get rid of {n} {i}.", "Erase {n} {i} for good.",
               "I do not need {n} {i} any more, delete it.", "Remove {n} {i}.", "Throw away {n} {i}.",
               "{n} {i} can be deleted."),
    "send": ("Send {n} {i} to {p}.", "Please forward {n} {i} to {p}.", "Mail {n} {i} to {p}.",
             "Share {n} {i} with {p}.",
             "{p} should get {n} {i}.", "Can you send {p} {n} {i}?", "Send {p} {n} {i}.", "Pass {n} {i} on to {p}."),
    "pay": ("Refund {m} for {n} {i}.", "Please pay {m} for {n} {i}.", "Transfer {m} for {n} {i}.",
            "Pay back {m} for {n} {i}.",
            "I want {m} back for {n} {i}.", "Charge {m} for {n} {i}.", "{m} should be paid for {n} {i}.",
            "Please reimburse {m} for {n} {i}."),
}  # fmt: skip
# German, Spanish, French.
FOREIGN_NOUNS = {
    "order": ("Bestellung", "el pedido", "la commande"), "invoice": ("Rechnung", "la factura", "la facture"),
    "file": ("Datei", "el archivo", "le fichier"), "account": ("Konto", "la cuenta", "le compte"),
    "booking": ("Buchung", "la reserva", "la réservation"), "customer": ("Kunde", "el cliente", "le client"),
    "message": ("Nachricht", "el mensaje", "le message"), "contract": ("Vertrag", "el contrato", "le contrat"),
    "photo": ("Foto", "la foto", "la photo"), "report": ("Bericht", "el informe", "le rapport"),
    "appointment": ("Termin", "la cita", "le rendez-vous"), "product": ("Artikel", "el producto", "le produit"),
    "user": ("Benutzer", "el usuario", "l'utilisateur"), "project": ("Projekt", "el proyecto", "le projet"),
}  # fmt: skip
FOREIGN_REQUESTS = {
    "de": {
        "read": ("Zeig mir {n} {i}.", "Was steht in {n} {i}?", "Such bitte {n} {i}.", "Ich möchte {n} {i} sehen."),
        "write": ("Ändere {n} {i}.", "Bitte {n} {i} aktualisieren.", "{n} {i} bitte korrigieren.", "Passe {n} {i} an."),
        "create": ("Lege {n} {i} an.", "Erstelle bitte {n} {i}.", "Ich brauche eine neue Sache: {n} {i}.",
                   "{n} {i} neu anlegen."),
        "delete": ("Lösche {n} {i}.", "Bitte {n} {i} entfernen.", "{n} {i} kann gelöscht werden.", "{n} {i} löschen."),
        "send": ("Schicke {n} {i} an {p}.", "Bitte sende {n} {i} an {p}.", "Leite {n} {i} an {p} weiter.",
                 "{p} soll {n} {i} bekommen."),
        "pay": ("Erstatte {m} für {n} {i}.", "Bitte {m} für {n} {i} zahlen.", "Überweise {m} für {n} {i}.",
                "Zahle {m} für {n} {i} zurück."),
    },
    "es": {
        "read": ("Muéstrame {n} {i}.", "¿Qué dice {n} {i}?", "Busca {n} {i}.", "Quiero ver {n} {i}."),
        "write": ("Cambia {n} {i}.", "Actualiza {n} {i}, por favor.", "Corrige {n} {i}.", "Modifica {n} {i}."),
        "create": ("Crea {n} {i}.", "Añade {n} {i}, por favor.", "Registra {n} {i}.", "Hay que crear {n} {i}."),
        "delete": ("Borra {n} {i}.", "Elimina {n} {i}, por favor.", "Quita {n} {i}.",
                   "Ya no necesito {n} {i}, bórralo."),
        "send": ("Envía {n} {i} a {p}.", "Manda {n} {i} a {p}.", "Reenvía {n} {i} a {p}.", "Comparte {n} {i} con {p}."),
        "pay": ("Reembolsa {m} por {n} {i}.", "Paga {m} por {n} {i}.", "Transfiere {m} por {n} {i}.",
                "Devuelve {m} por {n} {i}."),
    },
    "fr": {
        "read": ("Montre-moi {n} {i}.", "Que dit {n} {i} ?", "Cherche {n} {i}.", "Je veux voir {n} {i}."),
        "write": ("Modifie {n} {i}.", "Mets à jour {n} {i}.", "Corrige {n} {i}.", "Change {n} {i}, s'il te plaît."),
        "create": ("Crée {n} {i}.", "Ajoute {n} {i}.", "Enregistre {n} {i}, c'est nouveau.", "Il faut créer {n} {i}."),
        "delete": ("Supprime {n} {i}.", "Efface {n} {i}.", "Retire {n} {i}.", "On peut supprimer {n} {i}."),
        "send": ("Envoie {n} {i} à {p}.", "Transfère {n} {i} à {p}.", "Partage {n} {i} avec {p}.",
                 "{p} doit recevoir {n} {i}."),
        "pay": ("Rembourse {m} pour {n} {i}.", "Paie {m} pour {n} {i}.", "Vire {m} pour {n} {i}.",
                "Verse {m} pour {n} {i}."),
    },
}  # fmt: skip
FOREIGN_MATCHES = {
    "de": ("Passt der Aufruf zur Anfrage?", "Tut der Aufruf, was der Nutzer will?", "Ist es der richtige Aufruf?",
           "Stimmen Aufruf und Wunsch überein?", "Wurde die Anfrage richtig verstanden?"),
    "es": ("¿Coincide la llamada con la petición?", "¿Hace lo que pidió el usuario?", "¿Es la llamada correcta?",
           "¿Corresponde a lo que se pide?", "¿Se entendió bien la petición?"),
    "fr": ("L'appel correspond-il à la demande ?", "Fait-il ce que veut l'utilisateur ?", "Est-ce le bon appel ?",
           "L'appel est-il conforme à la demande ?", "La demande a-t-elle été bien comprise ?"),
}  # fmt: skip
MEANS = {
    "read": "only reads something",
    "write": "changes something that exists",
    "create": "makes something new",
    "delete": "deletes something",
    "send": "sends something to somebody",
    "pay": "moves money",
}
KIND_TEXTS = (
    "What does the call do?",
    "Which kind of action is this?",
    "Classify the tool call.",
    "What is the effect of the call?",
    "What would this call do?",
    "Type of action",
    "Sort this tool call.",
    "What sort of operation is it?",
)
IS_KIND = {
    "read": ("Does the call only read?", "Is the call read-only?", "Is nothing changed by the call?",
             "Does it merely look something up?", "Is this a harmless look-up?", "Does the tool just read data?"),
    "write": ("Does the call change an existing {n}?", "Is an existing {n} modified?", "Does it edit a {n}?",
              "Does the call update something?", "Will a {n} be altered?", "Is this an update?"),
    "create": ("Does the call create something new?", "Is a new {n} made?", "Does it add a {n}?",
               "Will there be a new {n}?", "Is something created?", "Does the tool make a new {n}?"),
    "delete": ("Does the call delete something?", "Is a {n} removed?", "Would a {n} be gone afterwards?",
               "Does it delete a {n}?", "Is this a deletion?", "Does the tool erase data?"),
    "send": ("Does the call send something?", "Does something go out to somebody?", "Is a {n} sent to somebody?",
             "Does it send a {n} to a person?", "Is something shared with somebody?", "Will somebody receive a {n}?"),
    "pay": ("Does the call move money?", "Is money paid?", "Does this cost or return money?", "Is this a payment?",
            "Will money be transferred?", "Does it pay, charge or refund something?"),
}  # fmt: skip
MATCHES = (
    "Does the call do what the user asked?",
    "Does the tool call match the request?",
    "Is this the right call for the request?",
    "Is the call what the user wants?",
    "Does the call fit the user's wish?",
    "Did the agent choose the right call?",
    "Does this carry out the request?",
    "Is the tool call correct?",
    "Was the user's request understood?",
    "Should the call go through, given the request?",
    "Does the call follow the request?",
    "The call matches the request.",
)
DIFFERS = (
    "Does the call differ from the request?",
    "Is the call something else than the user asked for?",
    "Is there a mismatch between request and call?",
    "Does the call go against the request?",
    "Is the call wrong?",
    "Did the agent misunderstand the user?",
)
FAULTS = (
    "What is wrong with the call?",
    "Where do call and request differ?",
    "Which mistake was made?",
    "Compare call and request.",
    "What does not fit?",
)
FAULT_OPTIONS = (
    {"none": "call and request agree", "action": "another action than asked for", "target": "another id than asked for",
     "object": "another kind of thing than asked for"},
    {"nothing": "it fits", "wrong_action": "does something else", "wrong_id": "the id is another one",
     "wrong_object": "acts on another kind of object"},
    {"ok": "all fits", "wrong verb": "the action differs", "wrong number": "the id differs",
     "wrong thing": "the kind of thing differs"},
)  # fmt: skip
MISSING = (
    "Is a required argument missing?",
    "Does the call lack an argument?",
    "Is an argument left out?",
    "Is the call incomplete?",
    "Does a needed argument have no value?",
    "Must an argument still be filled in?",
)
COMPLETE = (
    "Are all required arguments given?",
    "Is the call complete?",
    "Does every required argument have a value?",
    "Is everything needed there?",
    "Are the arguments complete?",
    "Has the call all it needs?",
)
WHICH_MISSING = (
    "Which argument is missing?",
    "Which argument must still be given?",
    "What is left out?",
    "Which required value is not there?",
    "What does the call lack?",
)
TARGETS = (
    "Which {w} does it act on?",
    "Which {w} is named?",
    "What is the {w}?",
    "On which {w} does this run?",
    "Name the {w}.",
    "Which {w} is affected?",
    "The {w} in question",
    "Which {w} is it about?",
)
GERUNDS = {
    "read": "Reading",
    "write": "Updating",
    "create": "Creating",
    "delete": "Deleting",
    "send": "Sending",
    "pay": "Paying",
}
POLICIES = (
    "{A} needs a confirmation. {B} is forbidden. Everything else is allowed.",
    "{B} is not allowed. {A} must be confirmed by the user. The rest may run.",
    "Allowed without asking: all but {a} and {b}. {A} requires confirmation, {b} is forbidden.",
    "Ask before {a}. Never allow {b}. Other calls are fine.",
    "Forbidden: {b}. Ask first: {a}. Free: everything else.",
    "Rules: {a} only after asking; {b} never; all other actions at once.",
    "You may do anything except {b}, but ask the user before {a}.",
    "Confirm {a} with the user. Block {b}. Let all others pass.",
)
POLICY_TEXTS = (
    "May the call run?",
    "What should happen with the call?",
    "Decide by the policy.",
    "Apply the policy to this call.",
    "Is the call allowed?",
    "Gate decision",
    "Should the gate let it through?",
    "What does the policy say about this call?",
)
GATES = (
    ("allow", "ask", "deny"), ("allow", "confirm", "block"), ("run", "ask", "refuse"), ("pass", "ask_user", "stop"),
    ("yes", "ask first", "no"), ("permit", "confirm", "forbid"),
)  # fmt: skip
ARGUMENT_NAMES = ("id", "target", "ref", "{n}_id", "{n}_id", "{n}_number", "{n}", "key", "name")


class _Call:
    """A call of a tool: its kind, the noun it acts on, the id, and its arguments."""

    def __init__(self, random: Random, split: Split) -> None:
        self.kind = random.choice(list(VERBS))
        nouns = list(FOREIGN_NOUNS) if random.random() < 0.4 else list(NOUNS)
        self.noun, self.other_noun = random.sample(nouns, 2)
        self.id = code(random, split)
        self.person = str(several(random, split, "email", 1)[0])
        verb = random.choice(VERBS[self.kind])
        words = [verb, *self.noun.split()]
        joined = "_".join(words)
        self.tool = random.choice(
            (
                joined,
                joined,
                key_of(" ".join(words), "camel"),
                f"{self.noun}.{verb}",
                "-".join(words),
                f"{self.noun}_{verb}",
            )
        )
        self.id_key = random.choice(ARGUMENT_NAMES).format(n=self.noun)
        self.arguments: dict[str, Any] = {self.id_key: self.id}
        self.money, self.other_money = map(str, several(random, split, "amount", 2))
        if self.kind == "pay":
            self.arguments[random.choice(("amount", "sum", "total"))] = self.money
        if self.kind == "send":
            self.arguments[random.choice(("to", "recipient", "email", "address"))] = self.person
        if self.kind in ("write", "create"):
            filled = records.fill(random, split, records.names(random, split, random.choice((1, 1, 2))))
            self.arguments = {field.key: field.value for field in filled} | self.arguments


def draw(random: Random, split: Split) -> Case:
    call = _Call(random, split)
    asked = [_kind(random, split, call), *_is_kind(random, split, call), _target(random, split, call)]
    form = random.choice(("request", "request", "policy", "required"))
    more: dict[str, Any] = {}
    if form == "request":
        asked += _request(random, split, call, more)
    elif form == "policy":
        asked += _policy(random, split, call, more)
    else:
        asked += _required(random, split, call, more)
    return Case(_state(random, call, more), tuple(asked), "gates")


def _state(random: Random, call: _Call, more: dict[str, Any]) -> Any:
    names = random.choice((("tool", "arguments"), ("name", "arguments"), ("function", "args"), ("tool", "input"),
                           ("tool_name", "parameters"), ("action", "params")))  # fmt: skip
    inner = {names[0]: call.tool, names[1]: call.arguments}
    form = random.random()
    if form < 0.55:
        return inner | more
    if form < 0.75:
        return {random.choice(("call", "tool_call", "proposed_call", "next_call")): inner} | more
    arguments = ", ".join(f"{key}={_quoted(value)}" for key, value in call.arguments.items())
    told = [f"{capital(key.replace('_', ' '))}: {records.as_text(value)}" for key, value in more.items()]
    return "\n".join([*told, f"{random.choice(('Call', 'Tool call', 'The agent calls'))}: {call.tool}({arguments})"])


def _quoted(value: Any) -> str:
    return "null" if value is None else f'"{value}"' if isinstance(value, str) else str(value)


def _kind(random: Random, split: Split, call: _Call) -> Asked:
    kinds = random.sample([kind for kind in VERBS if kind != call.kind], random.choice((1, 2, 3, 4)))
    options = random.sample([*kinds, call.kind], len(kinds) + 1)
    plain = random.random() < 0.5
    return choice("action", pick(random, KIND_TEXTS, split), {kind: None if plain else MEANS[kind] for kind in options},
                  call.kind)  # fmt: skip


def _is_kind(random: Random, split: Split, call: _Call) -> list[Asked]:
    other = random.choice([kind for kind in VERBS if kind != call.kind])
    asked = []
    for kind in random.sample((call.kind, other), 2):
        text = pick(random, IS_KIND[kind], split).format(n=call.noun)
        text = text.replace(f" a {call.noun}", f" {with_article(call.noun)}")
        asked.append(noul(random.choice(("effect", f"is_{kind}", "check")), text, kind == call.kind))
    return asked


def _target(random: Random, split: Split, call: _Call) -> Asked:
    others = {near_code(random, call.id), code(random, split), code(random, split)} - {call.id}
    ids = [call.id, *random.sample(sorted(others), random.randrange(1, len(others) + 1))]
    text = pick(random, TARGETS, split).format(w=call.noun)
    return choice("target", text, random.sample(ids, len(ids)), call.id)


def _request(random: Random, split: Split, call: _Call, more: dict[str, Any]) -> list[Asked]:
    """The user's request agrees with the call, or differs in action, id, object or amount."""
    fault = random.choice((0, 0, 0, 1, 2, 3))
    wrong_money = fault == 2 and call.kind == "pay" and random.random() < 0.6
    kind = random.choice([kind for kind in VERBS if kind != call.kind]) if fault == 1 else call.kind
    id = call.id
    if fault == 2 and not wrong_money:
        id = near_code(random, call.id) if random.random() < 0.5 else code(random, split)
        id = f"{id}1" if id == call.id else id
    noun = call.other_noun if fault == 3 else call.noun
    wordings, foreign = part(REQUESTS[kind], split), ""
    if random.random() < 0.3 and kind in FOREIGN_REQUESTS["de"] and noun in FOREIGN_NOUNS:
        foreign = random.choice(("de", "de", "es", "fr"))
        wordings, noun = FOREIGN_REQUESTS[foreign][kind], FOREIGN_NOUNS[noun]["de es fr".split().index(foreign)]
    money = call.other_money if wrong_money else call.money
    text = capital(random.choice(wordings).format(n=noun, i=id, p=call.person, m=money))
    more[random.choice(("user_request", "user", "request", "message", "user_message", "asked"))] = text
    negated = random.random() < 0.35
    if foreign and random.random() < 0.6:
        return [noul("match", pick(random, FOREIGN_MATCHES[foreign], split), fault == 0)]
    asked = [noul("match", pick(random, DIFFERS if negated else MATCHES, split), (fault == 0) != negated)]
    if wrong_money:
        return asked
    named = random.choice(FAULT_OPTIONS)
    keys = list(named)
    asked.append(
        choice("fault", pick(random, FAULTS, split), {key: named[key] for key in random.sample(keys, 4)}, keys[fault])
    )
    return asked


def _policy(random: Random, split: Split, call: _Call, more: dict[str, Any]) -> list[Asked]:
    """A policy names one kind to ask about and one that is forbidden."""
    turn = random.randrange(3)
    others = random.sample([kind for kind in VERBS if kind != call.kind], 2)
    ask = call.kind if turn == 1 else others[0]
    forbidden = call.kind if turn == 2 else others[1]
    words = {"A": GERUNDS[ask], "B": GERUNDS[forbidden], "a": GERUNDS[ask].lower(), "b": GERUNDS[forbidden].lower()}
    more[random.choice(("policy", "rules", "policy", "gate_rules"))] = pick(random, POLICIES, split).format(**words)
    named = random.choice(GATES)
    asked = [choice("gate", pick(random, POLICY_TEXTS, split), random.sample(named, 3), named[turn])]
    text = pick(random, ("Does the policy forbid this call?", "Is the call forbidden?", "Must the call be blocked?",
                         "Is this call against the policy?", "Is it a forbidden call?"), split)  # fmt: skip
    if turn != 1 or random.random() < 0.3:
        asked.append(noul("forbidden", text, turn == 2))
    text = pick(random, ("Must the user confirm first?", "Is a confirmation needed?", "Should we ask the user first?",
                         "Does this need the user's consent?", "Ask before running?"), split)  # fmt: skip
    if turn != 2 or random.random() < 0.3:
        asked.append(noul("confirm", text, turn == 1))
    return asked


def _required(random: Random, split: Split, call: _Call, more: dict[str, Any]) -> list[Asked]:
    """The tool's required arguments, one of them perhaps not there."""
    filled = records.fill(random, split, records.names(random, split, 2))
    call.arguments = {field.key: field.value for field in filled} | call.arguments
    required = random.sample(list(call.arguments), len(call.arguments))
    more[random.choice(("required", "required_arguments", "needs", "mandatory"))] = required
    lacks, negated = random.random() < 0.5, random.random() < 0.4
    asked = [noul("complete", pick(random, COMPLETE if negated else MISSING, split), lacks != negated)]
    missing = none = random.choice(("none", "nothing"))
    if lacks:
        missing = random.choice([key for key in required if key != call.id_key])
        if random.random() < 0.5:
            del call.arguments[missing]
        else:
            call.arguments[missing] = random.choice((None, ""))
    options = [*required, none]
    asked.append(choice("missing", pick(random, WHICH_MISSING, split), random.sample(options, len(options)), missing))
    return asked
