"""Random invented values: names, places, codes, dates, words. Names are shared out by split, other words are not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from recipes.nano.case import Split, pick

Maker = Callable[[Random, Split], "str | int"]
FIRST = tuple(
    """Mara Tom Lena Igor Aisha Pedro Nina Oskar Chloe Ravi Elif Jonas Wanda Hugo Priya Samuel Greta Mateo Yuki Anton
    Leila Bruno Sofia Dmitri Ines Karl Fatima Luca Hanna Kofi Maria Peter Olga Felix Rosa Victor Nadia Emil Clara Omar
    Julia Marco Ida Paul Zoe Adam Lucia Erik Amira Daniel Vera Simon Paula Nils Carmen David Alma Tariq Bianca Ludwig
    Sara Milan Petra Joel Anja Rafael Tilda Hassan Marta Oliver Jana Pablo Edith Liam Noor Stefan Lotte Andre Mila Boris
    Celia Martin Dora Ivan Eva Theo Ramona Lars Gloria Nathan Svetlana Albert Mina Robert Laura Kenji Agnes Diego Helen
    Ahmed Freya Louis Kira Gustav Monica Ben Tanja Alex Ruth Jakob Irene Carlos Maya Henrik Yara Philip Naomi Georg
    Anna Michael Linda James Susan Chris Emma Jack Grace Henry Alice George Kate Frank Nora Max Lisa Leo Amelie Finn
    Ali Mei Wei Chen Hiro Sanjay Anita Deepa Arjun Kwame Zuri Thabo Lindiwe Mehmet Zeynep Pierre Claire Antoine Camille
    """.split()
)
LAST = tuple(
    """Keller Novak Silva Okafor Brandt Rossi Meyer Tanaka Haddad Larsen Costa Weber Dubois Moreno Singh Kowalski Baker
    Fischer Ruiz Andersen Schmidt Patel Ferrari Lindqvist Bauer Nguyen Horvat Murphy Vogel Castillo Petrov Jansen Ito
    Richter Lopez Hoffmann Cohen Berger Marin Walsh Kaya Wagner Ortiz Popescu Eriksen Lang Santos Kim Huber Nikolaou
    Carter Blum Serrano Adeyemi Krause Lefevre Park Winter Romero Dahl Simon Vargas Sato Becker Quinn Toth Ziegler Reyes
    Morris Engel Navarro Chen Graf Fontaine Bell Otto Molina Hansen Cruz Lorenz Mendes Frost Pohl Garcia Hughes Kern
    """.split()
)
CITIES = tuple(
    """Leipzig Porto Lyon Graz Bergen Toledo Austin Kyoto Nairobi Bremen Malaga Nantes Basel Oslo Lima Denver Osaka
    Dresden Sevilla Lille Linz Riga Quito Boston Busan Lagos Kassel Bilbao Rennes Zurich Tallinn Bogota Dallas Hanoi
    Accra Hamburg Valencia Toulouse Salzburg Vilnius Santiago Seattle Taipei Tunis Berlin Madrid Paris Vienna Helsinki
    Montevideo Chicago Jakarta Cairo Cologne Granada Dijon Bern Krakow Cusco Portland Nagoya Dakar Munich Cadiz Metz
    Geneva Prague Medellin Atlanta Pune Rabat Essen Murcia Nice Lucerne Gdansk Rosario Phoenix Chennai London Rome
    Dublin Leeds Bristol Milan Turin Naples Athens Sofia Zagreb Utrecht Ghent Antwerp Malmo Aarhus Tampere Split
    """.split()
)
COLOURS = tuple(
    "red blue green yellow black white grey orange purple brown pink silver gold beige navy teal violet cream".split()
)
THINGS = tuple(
    """lamp chair desk printer monitor keyboard router camera bicycle tent kettle blender mixer drill ladder sofa
    mattress heater fan clock mirror rug shelf cabinet speaker headset tablet phone charger cable battery
    scanner projector microphone guitar piano helmet jacket backpack suitcase umbrella watch ring scarf boots
    sandals hammer saw wrench mower hose bucket shovel kayak surfboard skateboard scooter trailer tyre mug plate
    bowl knife pan toaster freezer dishwasher vacuum iron curtain pillow blanket carpet vase candle notebook
    pencil stapler calculator telescope microscope thermometer scale stroller crib puzzle chessboard racket
    trampoline treadmill dumbbell aquarium cage leash saddle barrel crate pallet valve pump filter motor sensor
    antenna switch adapter dongle server rack drone
    """.split()
)
STATUSES = tuple(
    """open;closed;pending;on hold;shipped;delivered;cancelled;approved;rejected;draft;archived;in progress;resolved;
    waiting;scheduled;completed;failed;paid;unpaid;overdue;refunded;blocked;active;inactive;suspended;expired;new;
    confirmed;in review;queued;running;paused;returned;lost;in transit;ready;escalated;assigned;processing;published;
    reopened;verified;locked;picked up;under repair;out of stock;in stock;declined;signed;planned;postponed;halted
    """.replace("\n    ", "").split(";")
)
LEVELS = tuple("low medium high critical normal urgent minor major severe trivial highest lowest".split())
TAGS = tuple(
    """billing mobile beta legacy export security hardware login garden winter kitchen outdoor vegan fragile express
    wholesale gift sample premium trial internal public draft seasonal vintage organic recycled imported local digital
    printed metal wooden cotton leather glass plastic ceramic travel sport music school office health finance legal
    marketing design research support training storage network database cloud backup payment delivery returns warranty
    repair cleaning safety energy water solar urgent remote parking breakfast wifi pool balcony sauna elevator
    python rust java swift german english french spanish painting chess cooking running swimming fishing
    """.split()
)
TEAMS = tuple(
    """sales support finance logistics marketing legal engineering security research purchasing production quality
    design training facilities payroll data billing operations returns platform mobile compliance warehouse editorial
    """.split()
)
COUNTRIES = tuple(
    """Germany Spain France Portugal Italy Austria Norway Sweden Finland Denmark Poland Greece Ireland Belgium Kenya
    Ghana Egypt Morocco India Japan Korea Vietnam Thailand Brazil Chile Peru Mexico Canada Australia Turkey Croatia
    """.split()
)
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
LANGUAGES = tuple("English German French Spanish Italian Dutch Polish Turkish Swedish Greek Czech Danish".split())
PLANS = tuple("basic pro team free starter business enterprise plus family student gold silver light standard".split())
ROLES = tuple(
    """admin editor viewer guest member owner developer designer analyst manager intern director clerk nurse cook driver
    engineer tester trainer lawyer pilot teacher cashier auditor operator moderator captain chef librarian sales
    """.split()
)
PERIODS = tuple("daily weekly monthly quarterly yearly hourly nightly once biweekly seasonal".split())
SIZES = tuple(
    """small medium large tiny huge round square oval flat tall narrow wide PDF CSV JSON paper wood steel cotton glass
    leather wool plastic A4 A5 XL
    """.split()
)
MONTHS = tuple("January February March April May June July August September October November December".split())
WAYS = tuple(
    """email;phone;chat;post;fax;web form;bank transfer;credit card;cash;invoice;PayPal;courier;pickup;air freight;
    train;truck;bicycle;bus;letter;app;voucher;direct debit;standard;express;overnight;sea freight;in person;video call
    """.replace("\n    ", "").split(";")
)
FIRMS = tuple(
    """Brightleaf Northgate Oakline Pixelhaus Ferrum Lumora Kestrel Tandem Velora Quarry Solaris Bluefin Marlow Arcadia
    Hexa Granite Willow Zenit Corvid Delta Nimbus Orchid Pinecone Redstone Saffron Topaz Umbra Vertex Wavecrest Yarrow
    Amberly Boreal Cinder Driftwood Elmwood Fjord Gable Harbor Inkwell Juniper Kodiak Lattice Meadow Nordwind Opaline
    """.split()
)
FIRM_ENDS = ("GmbH", "Ltd", "Inc", "AG", "SA", "Group", "Labs", "Logistics", "Foods", "Media", "Systems", "Trading")
_STARTS = "b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sh sk st t tr v w z".split()
_VOWELS = "a e i o u a e i o ai ea ou".split()
_ENDS = ["", "", "n", "r", "l", "s", "m", "t", "x", "nd", "rk", "st"]
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def coin(random: Random) -> str:
    """A word that no list holds, such as "trelan"."""
    syllables = random.choice((2, 2, 2, 3))
    word = "".join(random.choice(_STARTS) + random.choice(_VOWELS) for _ in range(syllables))
    return word + random.choice(_ENDS)


def first_name(random: Random, split: Split) -> str:
    return coin(random).capitalize() if random.random() < 0.12 else pick(random, FIRST, split)


def person(random: Random, split: Split) -> str:
    name = first_name(random, split)
    if random.random() < 0.55:
        return name
    last = coin(random).capitalize() if random.random() < 0.15 else pick(random, LAST, split)
    return f"{name} {last}"


def city(random: Random, split: Split) -> str:
    return coin(random).capitalize() if random.random() < 0.12 else pick(random, CITIES, split)


def firm(random: Random, split: Split) -> str:
    name = coin(random).capitalize() if random.random() < 0.35 else pick(random, FIRMS, split)
    return f"{name} {random.choice(FIRM_ENDS)}" if random.random() < 0.5 else name


def code(random: Random, split: Split) -> str:
    """An id in one of many forms; digits may start with 1 to 9."""
    letters = "".join(random.choice(_LETTERS) for _ in range(random.choice((1, 2, 2, 3))))
    digits = str(random.randrange(10 ** (size := random.choice((1, 2, 2, 3, 3, 4))), 10 ** (size + 1)))
    form = random.randrange(6)
    if form < 2:
        return f"{letters}-{digits}"
    if form == 2:
        return f"{letters}{digits}"
    if form == 3:
        return digits
    if form == 4:
        return f"{coin(random)}-{digits[:2]}"
    return f"{letters.lower()}_{digits}"


def date(random: Random, split: Split) -> str:
    return f"20{random.randrange(18, 30)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"


def clock(random: Random, split: Split) -> str:
    return f"{random.randrange(0, 24):02}:{random.choice(('00', '15', '30', '45', '05', '20', '40', '50'))}"


def amount(random: Random, split: Split) -> str:
    value = random.randrange(1, 10 ** random.choice((1, 2, 3, 3, 4)))
    cents = random.choice(("", "", ".50", ".90", ".99", ".25", ".00"))
    return f"{value}{cents} {random.choice(('EUR', 'USD', 'CHF', 'GBP'))}"


def count(random: Random, split: Split) -> int:
    return random.randrange(10 ** random.choice((1, 1, 2, 2, 3)))


def short_code(random: Random, split: Split) -> str:
    """An id of few tokens, such as B42, T-19, 417 or dreno-3."""
    letter, digits = random.choice(_LETTERS), str(random.randrange(10, 10 ** random.choice((2, 3))))
    return random.choice((f"{letter}{digits}", f"{letter}-{digits}", digits, f"{coin(random)}-{digits[0]}"))


def day(random: Random, split: Split) -> str:
    if random.random() < 0.3:
        return date(random, split)
    return random.choice(("{d} {m}", "{m} {d}")).format(d=random.randrange(1, 29), m=random.choice(MONTHS))


# Small closed lists are one vocabulary for all splits: two or three held-out words would make no fair options. A
# quarter is invented, so that a value must be read and cannot be known.
def _any(words: tuple[str, ...]) -> Maker:
    return lambda random, split: coin(random) if random.random() < 0.25 else random.choice(words)


def _or_coin(make: Maker) -> Maker:
    return lambda random, split: coin(random).capitalize() if random.random() < 0.2 else make(random, split)


KINDS: dict[str, Maker] = {
    "person": _or_coin(lambda random, split: random.choice((first_name, first_name, person))(random, split)),
    "city": _or_coin(city),
    "firm": lambda random, split: firm(random, split).split()[0],
    "code": short_code,
    "day": day,
    "thing": _any(THINGS),
    "tag": _any(TAGS),
    "count": count,
    "status": _any(STATUSES),
    "team": _any(TEAMS),
    "role": _any(ROLES),
    "country": _any(COUNTRIES),
    "way": _any(WAYS),
    "colour": _any(COLOURS),
    "level": _any(LEVELS),
    "period": _any(PERIODS),
    "size": _any(SIZES),
    "weekday": _any(WEEKDAYS),
    "language": _any(LANGUAGES),
    "plan": _any(PLANS),
}


def several(random: Random, split: Split, kind: str, number: int, taken: tuple = ()) -> list[str | int]:
    """`number` values of a kind, at most 7, all different and none of `taken`; a kind may be a list of words."""
    make = KINDS.get(kind) or _any(tuple(kind.split()))
    found: list[str | int] = []
    known = {_mark(kind, value) for value in taken}
    while len(found) < number:
        value = make(random, split)
        if _mark(kind, value) not in known:
            known.add(_mark(kind, value))
            found.append(value)
    return found


def _mark(kind: str, value: str | int) -> str:
    """What tells two values apart: Nina and Nina Cohen may be one person, a router a silver router."""
    words = str(value).lower().split() or [""]
    if kind in ("person", "firm"):
        return words[0]
    return words[-1] if kind == "thing" else " ".join(words)
