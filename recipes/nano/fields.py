"""The words of records: what kinds there are, what their fields are called, and what each field holds."""

from __future__ import annotations

ENTITIES = tuple(
    """ticket;order;device;user;booking;employee;invoice;project;sensor;account;parcel;contract;vehicle;meeting;course;
    patient;reservation;product;request;task;shipment;customer;supplier;subscription;server;job;claim;member;event;
    machine;room;apartment;delivery;payment;report;issue;flight;trip;document;record;application;lead;policy;repair;
    loan;licence;recipe;workshop;campaign;asset;visit;build;deployment;table;file;entry;case;listing;rental;purchase
    """.replace("\n    ", "").split(";")
)
MODIFIERS = tuple(
    """billing shipping primary backup previous current internal external home target source default preferred assigned
    original final first last local remote main second temporary regional customer vendor sender new old early late
    public private secondary alternate initial next front rear inner outer official actual planned expected requested
    approved emergency technical legal central nearest parent linked test night summer winter annual daily weekly
    """.split()
)
HEADS = {
    "person": """owner;contact;manager;assignee;reviewer;author;driver;teacher;doctor;buyer;seller;guest;host;agent;
    approver;requester;reporter;supervisor;coach;tenant;landlord;client;recipient;sender;technician;translator;editor;
    trainer;sponsor;lead;patient;caller;organizer;inspector;accountant;witness;referee;creator;applicant;operator;
    nurse;lawyer;speaker;student;neighbour;partner;deputy;consultant;chair;member""",
    "city": """city;location;site;office;destination;origin;warehouse;branch;station;airport;hometown;port;depot;venue;
    birthplace;stop;headquarters;showroom;pickup point;factory""",
    "firm": """company;supplier;vendor;carrier;employer;manufacturer;insurer;bank;publisher;retailer;brand;distributor;
    contractor;agency;provider;dealer;hotel;airline;landlord company;restaurant""",
    "code": """ticket number;order number;serial number;reference;tracking number;sku;invoice number;customer id;batch;
    booking code;part number;licence plate;asset tag;contract number;room;case id;policy number;session id;passport
    number;seat;locker;article number;voucher code;shelf;gate;hostname;dock;account number;build;model""",
    "date": """due date;start date;deadline;order date;delivery date;birthday;expiry date;end date;arrival;departure;
    purchase date;renewal date;inspection date;release date;check-in date;signature date;hire date;last login""",
    "clock": """start time;opening time;closing time;pickup time;alarm;boarding time;check-in time;meeting time;end
    time;arrival time;curfew;slot""",
    "email": "email;email address;contact email;notification email;reply address;login email;mail;work email",
    "phone": "phone;phone number;mobile;fax;telephone;hotline;mobile number;callback number",
    "amount": """price;total;amount;budget;discount;fee;deposit;salary;rent;balance;cost;tax;shipping cost;limit;refund;
    tip;fine;premium;credit;subtotal""",
    "version": "version;firmware;release;driver version;software version;kernel;api version;app version",
    "thing": """item;product;gift;article;device;equipment;accessory;spare part;prize;tool;belonging;sample;object;
    furniture;attachment;replacement""",
    "tag": "category;topic;label;tag;subject;area;theme;type;group;keyword;section;hobby;specialty;channel;genre;field",
    "count": """quantity;floor;page count;seats;guests;weight;age;rating;attempts;stock;retries;port;height;length;
    rooms;temperature;pages;copies;visitors;score""",
    "status": "status;state;condition;stage;phase;progress;result;outcome;step;order status",
    "team": "team;department;unit;division;squad;desk;queue;branch office;crew;cost centre",
    "country": "country;nationality;country of origin;region;market;residence;territory;citizenship",
    "way": "channel;payment method;shipping method;contact method;transport;delivery method;medium;route;source;mode",
    "colour": "color;colour;paint;finish;fabric color;frame color;label color;background",
    "level": "priority;severity;risk;importance;urgency;impact;threat level;difficulty",
    "weekday": "weekday;day;delivery day;collection day;day off;cleaning day;market day;closing day",
    "language": "language;mother tongue;locale;subtitle language;interface language;audio",
    "plan": "plan;tier;package;subscription;edition;membership;tariff;licence type",
}
FIELDS: tuple[tuple[str, str], ...] = tuple(
    (head.replace("\n    ", " ").strip(), kind) for kind, heads in HEADS.items() for head in heads.split(";")
)
LISTS: tuple[tuple[str, str, str], ...] = (
    # list's name, one of them, kind
    ("tags", "tag", "tag"),
    ("items", "item", "thing"),
    ("members", "member", "person"),
    ("skills", "skill", "tag"),
    ("languages", "language", "language"),
    ("labels", "label", "tag"),
    ("watchers", "watcher", "person"),
    ("categories", "category", "tag"),
    ("participants", "participant", "person"),
    ("allowed countries", "allowed country", "country"),
    ("roles", "role", "team"),
    ("features", "feature", "tag"),
    ("stops", "stop", "city"),
    ("accessories", "accessory", "thing"),
    ("reviewers", "reviewer", "person"),
    ("topics", "topic", "tag"),
    ("attendees", "attendee", "person"),
    ("colors", "color", "colour"),
    ("products", "product", "thing"),
    ("cities", "city", "city"),
    ("permissions", "permission", "tag"),
    ("guests", "guest", "person"),
    ("amenities", "amenity", "tag"),
    ("suppliers", "supplier", "firm"),
    ("open days", "open day", "weekday"),
    ("hobbies", "hobby", "tag"),
    ("teams", "team", "team"),
    ("departments", "department", "team"),
    ("owners", "owner", "person"),
    ("equipment", "piece of equipment", "thing"),
    ("keywords", "keyword", "tag"),
    ("subjects", "subject", "tag"),
    ("visited cities", "visited city", "city"),
    ("payment methods", "payment method", "way"),
    ("interests", "interest", "tag"),
    ("versions", "version", "version"),
)
FLAGS = tuple(
    """active verified archived locked encrypted public refundable urgent signed insured fragile taxable hidden enabled
    confirmed approved editable billable shared muted pinned deleted paid shipped printed visible certified connected
    recurring blocked registered vaccinated furnished gluten-free waterproof rechargeable wireless returnable discounted
    subscribed automatic remote mandatory optional flagged reviewed tested translated published reserved occupied
    accessible online available calibrated charged broken new damaged heated private featured official external exempt
    """.split()
)
HAVINGS = tuple(
    """attachment;warranty;balcony;garage;backup;invoice;receipt;photo;manual;parking space;discount;password;signature;
    criminal record;driving licence;helper;garden;elevator;alarm;camera;screen;battery;passport;visa;website;contract;
    guarantee;deposit;allergy;pet;insurance card;spare key;certificate;subscription;voucher;membership;fireplace;pool;
    comment;error;reply;prescription;ticket;reservation;coupon;cover letter;degree;logo;barcode;label
    """.replace("\n    ", "").split(";")
)
# A state word with what it says about one yes/no matter. Shared by all splits: meanings cannot be guessed.
MEANINGS: tuple[tuple[tuple[str, ...], dict[str, bool], tuple[str, ...]], ...] = (
    (
        ("payment status", "payment", "billing status", "invoice status"),
        {"paid": True, "settled": True, "paid in full": True, "unpaid": False, "overdue": False, "outstanding": False,
         "payment failed": False, "awaiting payment": False, "pending": False},
        ("Has it been paid?", "Is it paid?", "Has the money been received?", "Is the bill settled?",
         "Did the customer pay?", "Is the payment complete?", "Was the {e} paid?", "Has payment been made?"),
    ),
    (
        ("status", "ticket status", "state", "issue status"),
        {"open": True, "reopened": True, "unresolved": True, "in progress": True, "new": True, "closed": False,
         "resolved": False, "done": False, "solved": False, "completed": False},
        ("Is the {e} still open?", "Does the {e} still need work?", "Is there work left on this {e}?",
         "Is the {e} unresolved?", "Is it still open?", "Is this {e} unfinished?", "Does the {e} remain open?"),
    ),
    (
        ("status", "ticket status", "state", "case status"),
        {"open": False, "reopened": False, "unresolved": False, "in progress": False, "new": False, "closed": True,
         "resolved": True, "done": True, "solved": True, "completed": True},
        ("Is the {e} closed?", "Has the {e} been resolved?", "Is the {e} done?", "Has it been solved?",
         "Is the work finished?", "Has this {e} been completed?", "Is the {e} finished?"),
    ),
    (
        ("shipping status", "delivery status", "shipment", "parcel status", "delivery"),
        {"delivered": True, "handed to recipient": True, "received": True, "arrived": True, "in transit": False,
         "shipped": False, "lost": False, "out for delivery": False, "returned to sender": False, "packed": False,
         "not shipped": False},
        ("Has the parcel arrived?", "Was it delivered?", "Is the delivery complete?", "Has the recipient got it?",
         "Did the package reach the customer?", "Has the {e} been delivered?", "Is it already there?"),
    ),
    (
        ("account status", "status", "user status", "state", "membership"),
        {"active": True, "enabled": True, "in good standing": True, "suspended": False, "disabled": False,
         "deactivated": False, "locked": False, "closed": False, "banned": False, "blocked": False},
        ("Is the account active?", "Can the user log in?", "Is this account usable?", "May the user sign in?",
         "Is the user active?", "Is the account in use?", "Is access allowed for this account?"),
    ),
    (
        ("stock", "availability", "stock status", "inventory"),
        {"in stock": True, "available": True, "ready to ship": True, "sold out": False, "out of stock": False,
         "unavailable": False, "discontinued": False, "backordered": False},
        ("Can it be ordered now?", "Is it available?", "Is the product in stock?", "Do we have it on the shelf?",
         "Is the {e} available right now?", "Can the customer buy it today?", "Is it in stock?"),
    ),
    (
        ("approval", "approval status", "decision", "review"),
        {"approved": True, "accepted": True, "granted": True, "rejected": False, "denied": False, "declined": False,
         "refused": False, "awaiting review": False, "under review": False},
        ("Has it been approved?", "Was the request accepted?", "Did the reviewer say yes?", "Is the approval there?",
         "Has approval been granted?", "Was the {e} approved?", "Is the decision positive?"),
    ),
    (
        ("build", "test result", "pipeline", "result", "check"),
        {"passed": True, "successful": True, "green": True, "ok": True, "failed": False, "broken": False,
         "error": False, "crashed": False, "timed out": False},
        ("Did it succeed?", "Did the build pass?", "Was the run successful?", "Are the tests green?",
         "Did the check pass?", "Did everything go well?", "Is the result positive?"),
    ),
    (
        ("server status", "service", "process", "service state", "connection"),
        {"running": True, "up": True, "online": True, "healthy": True, "stopped": False, "down": False,
         "offline": False, "crashed": False, "unreachable": False},
        ("Is it running?", "Is the service up?", "Is the server online?", "Can the service be reached?",
         "Is the system working?", "Is it up?", "Is the service available?"),
    ),
    (
        ("contract status", "licence", "subscription", "validity", "certificate"),
        {"valid": True, "current": True, "renewed": True, "in force": True, "expired": False, "lapsed": False,
         "terminated": False, "revoked": False, "cancelled": False},
        ("Is it still valid?", "Is the contract in force?", "Is the licence valid?", "Does it still apply?",
         "Is the subscription running?", "Is it currently valid?", "Can it still be used?"),
    ),
    (
        ("meeting status", "appointment", "booking status", "reservation status"),
        {"confirmed": True, "taking place": True, "booked": True, "cancelled": False, "called off": False,
         "dropped": False, "withdrawn": False},
        ("Will it take place?", "Is the appointment on?", "Is the booking confirmed?", "Is the meeting happening?",
         "Does the {e} take place?", "Is the reservation still on?", "Is it going ahead?"),
    ),
    (
        ("door", "gate", "window", "valve"),
        {"open": True, "wide open": True, "ajar": True, "closed": False, "shut": False, "locked": False},
        ("Is it open?", "Is the door open?", "Can one walk through?", "Does it stand open?", "Has it been left open?"),
    ),
    (
        ("power", "light", "heating", "pump", "motor", "alarm"),
        {"on": True, "switched on": True, "off": False, "switched off": False, "turned off": False, "turned on": True},
        ("Is it on?", "Is it switched on?", "Is the device on?", "Has it been turned on?", "Is it turned on?"),
    ),
)  # fmt: skip
