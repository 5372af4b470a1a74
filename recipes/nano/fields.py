"""The words of records: what kinds there are, what their fields are called, and what each field holds.

Field words are shared by all splits: a model this small looks a field up by words it knows.
"""

from __future__ import annotations

ENTITIES = tuple(
    """ticket order device user booking project account parcel contract car meeting course product request task shipment
    server job member event machine room delivery payment report issue flight trip document record lead policy loan
    recipe workshop campaign visit build file entry case rental purchase invoice lamp bike phone house letter book song
    """.split()
)
MODIFIERS = tuple(
    """billing shipping main backup current home target default final first last local second new old public night test
    work parent summer inner outer left right top next legal""".split()
)
HEADS = {
    "person": """owner;contact;manager;assignee;reviewer;author;driver;teacher;doctor;buyer;seller;guest;host;agent;
    approver;reporter;coach;tenant;client;recipient;sender;editor;trainer;sponsor;patient;caller;organizer;inspector;
    creator;nurse;lawyer;speaker;student;partner;tester;winner;translator""",
    "city": "city;location;site;office;destination;origin;branch;station;airport;port;depot;venue",
    "firm": "company;supplier;vendor;carrier;employer;maker;bank;publisher;brand;agency;provider;hotel",
    "code": "id;number;reference;sku;batch;booking code;part number;plate;asset tag;seat;locker;gate;model;serial",
    "day": "date;due date;start date;deadline;birthday;expiry;end date;arrival;departure;release date",
    "status": "status;state;condition;stage;phase;progress;result;outcome;step",
    "team": "team;department;unit;division;desk;queue;crew",
    "role": "role;job title;position;access;rank",
    "country": "country;nationality;region;market;residence",
    "way": "channel;payment method;transport;medium;source;mode",
    "colour": "color;paint;finish;background;light",
    "level": "priority;severity;risk;importance;impact;urgency",
    "weekday": "weekday;day;closing day;market day",
    "language": "language;locale;audio",
    "plan": "plan;tier;package;subscription;edition",
    "period": "period;interval;billing cycle;frequency",
    "size": "size;format;shape;material",
    "thing": "item;article;gift;equipment;prize;tool;sample",
    "tag": "category;topic;label;tag;subject;theme;type;group;section;hobby;genre",
    "count": "quantity;floor;seats;weight;age;rating;stock;pages;copies;score",
}
FIELDS: tuple[tuple[str, str], ...] = tuple(
    (head.replace("\n    ", "").strip(), kind) for kind, heads in HEADS.items() for head in heads.split(";")
)
LISTS: tuple[tuple[str, str, str], ...] = (
    # list's name, one of them, kind
    ("tags", "tag", "tag"), ("items", "item", "thing"), ("members", "member", "person"), ("skills", "skill", "tag"),
    ("languages", "language", "language"), ("labels", "label", "tag"), ("watchers", "watcher", "person"),
    ("categories", "category", "tag"), ("roles", "role", "role"), ("countries", "country", "country"),
    ("stops", "stop", "city"), ("colors", "color", "colour"), ("topics", "topic", "tag"), ("cities", "city", "city"),
    ("guests", "guest", "person"), ("teams", "team", "team"), ("owners", "owner", "person"), ("days", "day", "weekday"),
    ("suppliers", "supplier", "firm"), ("products", "product", "thing"), ("sizes", "size", "size"),
)  # fmt: skip
# What "is it ...?" may be asked about; the same words with an underscore are the key.
FLAGS = (
    *"""active verified archived locked public refundable urgent signed insured fragile hidden enabled approved shared
    muted pinned deleted paid shipped visible connected blocked furnished waterproof wireless automatic optional
    tested published reserved online available charged broken new done open empty ready complete late sold clean
    safe valid cancelled
    """.split(),
    "in stock", "on sale", "out of date", "in use",
)  # fmt: skip
# What "is there ...?" and "does it have ...?" may be asked about.
HAVINGS = tuple(
    """attachment warranty balcony garage backup invoice receipt photo manual discount password signature garden alarm
    camera screen battery passport visa website contract deposit allergy pool comment error reply logo
    """.split()
)
# Two words that exclude each other, then another word for each. Shared by all splits: meanings cannot be guessed.
STATES: tuple[tuple[str, str, str, str], ...] = (
    ("open", "closed", "reopened", "resolved"),
    ("paid", "unpaid", "settled", "overdue"),
    ("shipped", "waiting", "sent", "in the warehouse"),
    ("delivered", "in transit", "received", "lost"),
    ("active", "inactive", "enabled", "disabled"),
    ("approved", "rejected", "accepted", "declined"),
    ("confirmed", "cancelled", "booked", "called off"),
    ("finished", "running", "done", "in progress"),
    ("available", "sold out", "in stock", "out of stock"),
    ("online", "offline", "up", "down"),
    ("valid", "expired", "in force", "revoked"),
    ("passed", "failed", "successful", "broken"),
    ("signed", "unsigned", "signed off", "awaiting signature"),
    ("full", "empty", "filled up", "used up"),
    ("new", "used", "unused", "second-hand"),
    ("public", "private", "visible to all", "internal"),
    ("locked", "unlocked", "shut", "unsecured"),
    ("clean", "dirty", "washed", "soiled"),
    ("returned", "kept", "sent back", "in use"),
    ("published", "draft", "released", "unpublished"),
    ("ready", "planned", "prepared", "not started"),
    ("occupied", "free", "taken", "vacant"),
    ("blocked", "allowed", "banned", "permitted"),
    ("charged", "flat", "fully charged", "discharged"),
)
# Field -> who, where or when is asked, and the same with a value.
VERBS: dict[str, tuple[str, str]] = {
    "owner": ("Who owns the {e}?", "Does {v} own the {e}?"),
    "manager": ("Who manages the {e}?", "Does {v} manage the {e}?"),
    "assignee": ("Who is the {e} assigned to?", "Is the {e} assigned to {v}?"),
    "reviewer": ("Who reviews the {e}?", "Does {v} review the {e}?"),
    "author": ("Who wrote the {e}?", "Did {v} write the {e}?"),
    "driver": ("Who drives?", "Does {v} drive?"),
    "teacher": ("Who teaches?", "Does {v} teach?"),
    "buyer": ("Who bought the {e}?", "Did {v} buy the {e}?"),
    "seller": ("Who sold the {e}?", "Did {v} sell the {e}?"),
    "host": ("Who hosts the {e}?", "Does {v} host the {e}?"),
    "approver": ("Who approved the {e}?", "Did {v} approve the {e}?"),
    "reporter": ("Who reported the {e}?", "Did {v} report the {e}?"),
    "recipient": ("Who received the {e}?", "Did {v} receive the {e}?"),
    "sender": ("Who sent the {e}?", "Did {v} send the {e}?"),
    "editor": ("Who edited the {e}?", "Did {v} edit the {e}?"),
    "trainer": ("Who trains?", "Does {v} train?"),
    "caller": ("Who called?", "Did {v} call?"),
    "organizer": ("Who organized the {e}?", "Did {v} organize the {e}?"),
    "inspector": ("Who inspected the {e}?", "Did {v} inspect the {e}?"),
    "creator": ("Who created the {e}?", "Did {v} create the {e}?"),
    "speaker": ("Who speaks?", "Does {v} speak?"),
    "tester": ("Who tested the {e}?", "Did {v} test the {e}?"),
    "winner": ("Who won?", "Did {v} win?"),
    "translator": ("Who translated the {e}?", "Did {v} translate the {e}?"),
    "city": ("Where is the {e}?", "Is the {e} in {v}?"),
    "location": ("Where is the {e}?", "Is the {e} in {v}?"),
    "destination": ("Where does the {e} go?", "Does the {e} go to {v}?"),
    "origin": ("Where does the {e} come from?", "Does the {e} come from {v}?"),
    "country": ("In which country is the {e}?", "Is the {e} in {v}?"),
    "date": ("When is the {e}?", "Is the {e} on {v}?"),
    "due date": ("When is the {e} due?", "Is the {e} due on {v}?"),
    "start date": ("When does the {e} start?", "Does the {e} start on {v}?"),
    "end date": ("When does the {e} end?", "Does the {e} end on {v}?"),
    "color": ("What color is the {e}?", "Is the {e} {v}?"),
    "weekday": ("On which day is the {e}?", "Is the {e} on {v}?"),
    "carrier": ("Who ships the {e}?", "Does {v} ship the {e}?"),
    "maker": ("Who made the {e}?", "Did {v} make the {e}?"),
    "publisher": ("Who published the {e}?", "Did {v} publish the {e}?"),
    "payment method": ("How is the {e} paid?", "Is the {e} paid by {v}?"),
    "quantity": ("How many are there?", "Are there {v}?"),
    "age": ("How old is the {e}?", "Is the {e} {v} years old?"),
    "priority": ("How urgent is the {e}?", "Is the {e} of {v} priority?"),
    "team": ("Which team has the {e}?", "Does {v} have the {e}?"),
}
