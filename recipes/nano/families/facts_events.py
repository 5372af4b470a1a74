"""Short invented stories to questions about who, what, where and when."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from recipes.nano.case import Asked, Case, Split, choice, noul, pick
from recipes.nano.records import capital
from recipes.nano.values import several


class _Event(NamedTuple):
    """Roles by letter: kind, questions for it, and statements of it with `{v}`. Sentences name every role."""

    roles: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]]
    sentences: tuple[str, ...]


def _event(roles: dict[str, tuple[str, str, str]], *sentences: str) -> _Event:
    """Questions and statements come as one text each, with "; " between."""
    split = {
        role: (kind, tuple(questions.split("; ")), tuple(told.split("; ")))
        for role, (kind, questions, told) in roles.items()
    }
    return _Event(split, sentences)


EVENTS = (
    _event(
        {
            "a": ("person", "Who bought the {x}?; Who is the buyer?; Who purchased the {x}?; Who paid for the {x}?; "
                  "Who got the {x}?", "Did {v} buy the {x}?; Is {v} the buyer?; {v} bought the {x}.; "
                  "Was the {x} bought by {v}?; Has {v} purchased the {x}?"),
            "b": ("person", "Who sold the {x}?; Who is the seller?; Who was the {x} bought from?; "
                  "From whom is the {x}?; "
                  "Who gave the {x} away?", "Did {v} sell the {x}?; Is {v} the seller?; {v} sold the {x}.; "
                  "Was the {x} bought from {v}?; Was the {x} sold by {v}?"),
            "x": ("thing", "What was sold?; What did {a} buy?; What did {b} sell?; Which item changed hands?; "
                  "What is this sale about?", "Did {a} buy a {v}?; Was a {v} sold?; Did {b} sell a {v}?; "
                  "Is this about a {v}?; The item is a {v}."),
            "c": ("city", "Where was the {x} sold?; In which city was the sale?; Where did {a} buy it?; "
                  "Where did this happen?; Which city is named?", "Was the {x} sold in {v}?; Did this happen in {v}?; "
                  "Is {v} the place of the sale?; The sale was in {v}.; Did {a} buy it in {v}?"),
        },
        "{a} bought a {x} from {b} in {c}.", "{b} sold a {x} to {a} in {c}.", "In {c}, {a} purchased a {x} from {b}.",
        "A {x} was sold by {b} to {a} in {c}.", "{a} got a {x} in {c}; the seller was {b}.",
        "In {c} {b} sold {a} a {x}.", "The {x} that {b} sold in {c} went to {a}.",
        "The buyer {a} paid {b} for a {x} in {c}.",
    ),
    _event(
        {
            "a": ("person", "Who sent the parcel?; Who is the sender?; Who is the parcel from?; Who mailed it?; "
                  "Who posted the parcel?", "Did {v} send the parcel?; Is {v} the sender?; Is the parcel from {v}?; "
                  "{v} sent it.; Was it sent by {v}?"),
            "b": ("person", "Who receives the parcel?; Who is the recipient?; Who is the parcel for?; "
                  "To whom does it go?; Who should get it?", "Is the parcel for {v}?; Is {v} the recipient?; "
                  "Does it go to {v}?; {v} should get it.; Was it addressed to {v}?"),
            "t": ("code", "What is the tracking number?; Which parcel is it?; Which number does the parcel have?; "
                  "Under which number is it tracked?; What is the parcel's number?", "Is the parcel's number {v}?; "
                  "Is it parcel {v}?; Is {v} the tracking number?; The number is {v}.; Is it tracked as {v}?"),
            "d": ("weekday", "On which day was it sent?; When was it sent?; Which day is named?; "
                  "When did the parcel leave?; What day was it posted?", "Was it sent on {v}?; Did it leave on {v}?; "
                  "Is {v} the day it was sent?; It was sent on {v}.; Was {v} the day of posting?"),
        },
        "{a} sent parcel {t} to {b} on {d}.", "On {d}, parcel {t} was sent to {b} by {a}.",
        "Parcel {t} from {a} for {b} left on {d}.", "{b} should get parcel {t}, which {a} mailed on {d}.",
        "Parcel {t}: sender {a}, recipient {b}, posted on {d}.", "On {d} {a} posted a parcel for {b}, number {t}.",
        "A parcel is on its way to {b}. {a} sent it on {d}; the number is {t}.",
    ),
    _event(
        {
            "a": ("person", "Who owns the {x}?; Whose {x} is it?; Who does the {x} belong to?; Who is the owner?; "
                  "Who lent the {x}?", "Does the {x} belong to {v}?; Is {v} the owner?; Does {v} own the {x}?; "
                  "It is {v}'s {x}.; Was the {x} lent by {v}?"),
            "b": ("person", "Who borrowed the {x}?; Who has the {x} now?; Who uses the {x}?; Who must give it back?; "
                  "Who took the {x}?", "Did {v} borrow the {x}?; Does {v} have the {x} now?; Has {v} taken the {x}?; "
                  "{v} borrowed it.; Must {v} give it back?"),
            "x": ("thing", "What was borrowed?; What did {b} borrow?; What does {a} own?; What was lent?; "
                  "Which thing is it?", "Did {b} borrow a {v}?; Was a {v} lent?; Does {a} own a {v}?; "
                  "The thing is a {v}.; Is it a {v}?"),
            "d": ("weekday", "When is it due back?; When must it be returned?; Until when may {b} keep it?; "
                  "On which day does it come back?; What is the day of return?", "Is it due on {v}?; "
                  "Must it be back on {v}?; Does it come back on {v}?; It is due on {v}.; Is the return on {v}?"),
        },
        "{b} borrowed a {x} from {a} and returns it on {d}.", "{a} lent {b} a {x} until {d}.",
        "The {x} belongs to {a}; {b} has borrowed it until {d}.", "{a} owns the {x}, but {b} uses it until {d}.",
        "{a}'s {x} is with {b}, due back on {d}.", "Until {d} {b} may keep the {x} of {a}.",
        "{b} took the {x} that {a} lent out; it must be back on {d}.",
    ),
    _event(
        {
            "a": ("person", "Who reported the problem?; Who is the reporter?; Who noticed it?; Who opened the ticket?; "
                  "Who raised it?", "Did {v} report the problem?; Is {v} the reporter?; Did {v} open the ticket?; "
                  "{v} reported it.; Was it reported by {v}?"),
            "b": ("person", "Who works on it?; Who is assigned?; Who handles the ticket?; Who is the assignee?; "
                  "Who takes care of it?", "Does {v} work on it?; Is {v} assigned?; Is the ticket assigned to {v}?; "
                  "{v} handles it.; Does {v} take care of it?"),
            "t": ("code", "Which ticket is it?; What is the ticket's number?; What is the id of the ticket?; "
                  "Which ticket did {a} open?; Under which id is it filed?", "Is it ticket {v}?; Is the id {v}?; "
                  "Is {v} the ticket's number?; The ticket is {v}.; Is it filed as {v}?"),
            "x": ("thing", "What is broken?; What does not work?; What is the ticket about?; "
                  "What did {a} have trouble with?; Which thing fails?", "Is the {v} broken?; Is it about the {v}?; "
                  "Does the {v} fail?; The {v} does not work.; Did {a} report the {v}?"),
        },
        "{a} opened ticket {t} about a broken {x}; it is assigned to {b}.",
        "Ticket {t} was reported by {a}: the {x} does not work. {b} handles it.",
        "{b} works on ticket {t}, which {a} reported because the {x} fails.",
        "The {x} is broken. {a} raised it as {t} and {b} takes care of it.",
        "{t} is with {b}. {a} noticed that the {x} does not work.",
        "A defect of the {x} was noticed by {a}; {b} is assigned to {t}.",
        "Assigned to {b}: ticket {t} from {a}, who says that the {x} is broken.",
    ),
    _event(
        {
            "a": ("person", "Who travels?; Who is the traveller?; Who booked the trip?; Who goes on the trip?; "
                  "Whose trip is it?", "Does {v} travel?; Is {v} the traveller?; Is it {v}'s trip?; "
                  "{v} goes on the trip.; Did {v} book it?"),
            "c": ("city", "Where does the trip start?; Where does {a} leave from?; What is the origin?; "
                  "From which city does it go?; Which city is the departure?", "Does the trip start in {v}?; "
                  "Does {a} leave from {v}?; Is {v} the origin?; It starts in {v}.; Is the departure in {v}?"),
            "e": ("city", "Where does the trip end?; Where does {a} go?; What is the destination?; "
                  "To which city does it go?; Which city does {a} travel to?", "Does the trip end in {v}?; "
                  "Does {a} go to {v}?; Is {v} the destination?; It ends in {v}.; Does {a} travel to {v}?"),
            "d": ("date", "When does {a} leave?; What is the date of the trip?; On which day is the trip?; "
                  "When does it start?; For when is it booked?", "Is the trip on {v}?; Does {a} leave on {v}?; "
                  "Is {v} the travel date?; It is on {v}.; Is it booked for {v}?"),
        },
        "{a} travels from {c} to {e} on {d}.", "On {d} {a} goes to {e}, starting in {c}.",
        "{a} booked a trip for {d}: {c} to {e}.", "The trip of {a} to {e} starts in {c} on {d}.",
        "{a} leaves {c} on {d} and goes to {e}.", "From {c}, {a} will travel to {e} on {d}.",
        "A seat to {e} is booked for {a}, leaving {c} on {d}.",
    ),
    _event(
        {
            "a": ("person", "Who was hired?; Who is the new employee?; Who starts?; Who joins the company?; "
                  "Who got the job?", "Was {v} hired?; Is {v} the new employee?; Does {v} join the company?; "
                  "{v} got the job.; Does {v} start?"),
            "b": ("person", "Who is the manager?; Who leads the team?; Who does {a} report to?; Who is {a}'s boss?; "
                  "Who manages {a}?", "Is {v} the manager?; Does {a} report to {v}?; Is {v} {a}'s boss?; "
                  "{v} leads the team.; Does {v} manage {a}?"),
            "t": ("team", "Which team is it?; In which team does {a} work?; Which department does {a} join?; "
                  "Where does {a} work?; What is {a}'s team?", "Does {a} join {v}?; Is it the {v} team?; "
                  "Does {a} work in {v}?; The team is {v}.; Is {v} {a}'s department?"),
            "f": ("firm", "Which company is it?; Where was {a} hired?; Who is the employer?; "
                  "Which firm does {a} work for?; What is the company called?", "Is the company {v}?; "
                  "Does {a} work for {v}?; Is {v} the employer?; {a} was hired by {v}.; Is the firm called {v}?"),
        },
        "{f} hired {a} for the {t} team; {b} is the manager.", "{a} joins {t} at {f} and reports to {b}.",
        "{b}, who leads {t} at {f}, is the boss of {a}, who starts now.",
        "At {f}, {a} will work in {t} under {b}.", "The new employee in {t} at {f} is {a}; the team is led by {b}.",
        "{a} got a job at {f}. The team is {t}, the manager {b}.",
    ),
    _event(
        {
            "a": ("person", "Who has the appointment?; Who is the patient?; Who is seen?; Whose appointment is it?; "
                  "Who comes to the practice?", "Is {v} the patient?; Does {v} have the appointment?; "
                  "Is it {v}'s appointment?; {v} is the patient.; Does {v} come to the practice?"),
            "b": ("person", "Who is the doctor?; Which doctor is it?; Who sees the patient?; Who treats {a}?; "
                  "With whom is the appointment?", "Is {v} the doctor?; Does {v} see him or her?; Does {v} treat {a}?; "
                  "The doctor is {v}.; Is the appointment with {v}?"),
            "d": ("weekday", "On which day is the appointment?; Which day is it?; When does {a} come?; "
                  "What day was agreed?; On what day is {a} seen?", "Is the appointment on {v}?; "
                  "Does {a} come on {v}?; "
                  "Is it on {v}?; The day is {v}.; Was {v} agreed?"),
            "h": ("clock", "At what time is it?; What time is the appointment?; At which hour does {a} come?; "
                  "When on that day?; Which time was agreed?", "Is it at {v}?; Is the appointment at {v}?; "
                  "Does {a} come at {v}?; The time is {v}.; Was {v} agreed as the time?"),
        },
        "{a} has an appointment with Dr. {b} on {d} at {h}.", "Dr. {b} sees {a} on {d} at {h}.",
        "On {d} at {h}, {a} comes to Dr. {b}.", "The appointment of patient {a} with Dr. {b} is at {h} on {d}.",
        "Patient {a}: {d}, {h}, Dr. {b}.", "At {h} on {d} Dr. {b} will treat {a}.",
    ),
    _event(
        {
            "f": ("firm", "Who sent the invoice?; Which company wants the money?; Who issued the invoice?; "
                  "From which firm is the bill?; Who bills?", "Did {v} send the invoice?; Is the bill from {v}?; "
                  "Did {v} issue it?; {v} wants the money.; Was it issued by {v}?"),
            "a": ("person", "Who has to pay?; Who received the invoice?; Who is billed?; To whom is the invoice?; "
                  "Who owes the money?", "Does {v} have to pay?; Did {v} receive the invoice?; Is {v} billed?; "
                  "{v} owes the money.; Is the invoice for {v}?"),
            "m": ("amount", "How much is it?; What is the amount?; How much has to be paid?; What is the total?; "
                  "Which sum is billed?", "Is the amount {v}?; Does it come to {v}?; Is the total {v}?; "
                  "{v} has to be paid.; Is {v} the sum billed?"),
            "d": ("date", "When is it due?; By when must it be paid?; What is the due date?; "
                  "Until when can {a} pay?; Which date is the deadline?", "Is it due on {v}?; Must it be paid by {v}?; "
                  "Is {v} the due date?; It is due on {v}.; Is the deadline {v}?"),
        },
        "{f} sent {a} an invoice of {m}, due on {d}.", "{a} owes {f} {m}, payable by {d}.",
        "By {d}, {a} must pay {m} to {f}.", "An invoice of {m} from {f} went to {a}; it is due on {d}.",
        "{f} wants {m} from {a} by {d}.", "The bill of {f} to {a} comes to {m}. Due date: {d}.",
    ),
    _event(
        {
            "a": ("person", "Who wrote the report?; Who is the author?; Whose text is it?; Who drafted it?; "
                  "By whom is it?", "Did {v} write it?; Is {v} the author?; Is it by {v}?; {v} wrote it.; "
                  "Was it written by {v}?"),
            "b": ("person", "Who reviewed it?; Who is the reviewer?; Who checked the report?; Who read it over?; "
                  "Who gave feedback?", "Did {v} review it?; Is {v} the reviewer?; Did {v} check it?; "
                  "{v} reviewed it.; Was it checked by {v}?"),
            "g": ("person", "Who approved it?; Who signed it off?; Who gave the approval?; Who released it?; "
                  "Who is the approver?", "Did {v} approve it?; Is {v} the approver?; Was it signed off by {v}?; "
                  "{v} approved it.; Did {v} release it?"),
        },
        "{a} wrote the report, {b} reviewed it and {g} approved it.",
        "The report by {a} was checked by {b} and signed off by {g}.",
        "{g} approved the report that {a} had written and {b} had reviewed.",
        "{b} checked the report of {a}; {g} gave the approval.", "Author: {a}. Reviewer: {b}. Approved by {g}.",
        "After {b} had reviewed the report, {g} released it. {a} is the author.",
    ),
)  # fmt: skip
FILLERS = (
    "Nothing else is known.", "Please file this.", "This was noted by phone.", "See the notes for more.",
    "Everything went well.", "The weather was fine.", "A copy is in the folder.", "No further steps are planned.",
)  # fmt: skip


def draw(random: Random, split: Split) -> Case:
    event = random.choice(EVENTS)
    held: dict[str, str] = {}
    for role, (kind, _, _) in event.roles.items():
        (value,) = several(random, split, kind, 1, tuple(held.values()))
        held[role] = str(value)
    text = pick(random, event.sentences, split).format(**held)
    if random.random() < 0.25:
        filler = pick(random, FILLERS, split)
        text = f"{filler} {text}" if random.random() < 0.5 else f"{text} {filler}"
    asked: list[Asked] = []
    for role in event.roles:
        asked += [_lookup(random, split, event, role, held), _stated(random, split, event, role, held)]
    state = {random.choice(("text", "note", "message", "summary")): text} if random.random() < 0.25 else text
    return Case(state, tuple(asked), "facts")


def _same_kind(event: _Event, role: str, held: dict[str, str]) -> list[str]:
    kind = event.roles[role][0]
    return [held[other] for other in event.roles if other != role and event.roles[other][0] == kind]


def _lookup(random: Random, split: Split, event: _Event, role: str, held: dict[str, str]) -> Asked:
    kind, questions, _ = event.roles[role]
    near = _same_kind(event, role, held)
    more = several(
        random, split, kind, random.choice((0, 1, 2)) if near else random.choice((1, 2, 3)), (*held.values(),)
    )
    ids = [held[role], *near, *map(str, more)]
    text = capital(pick(random, questions, split).format(**held))
    return choice(random.choice(("who", "q", "answer", "what", kind)), text, random.sample(ids, len(ids)), held[role])


def _stated(random: Random, split: Split, event: _Event, role: str, held: dict[str, str]) -> Asked:
    kind, _, told = event.roles[role]
    near, same = _same_kind(event, role, held), random.random() < 0.5
    value = held[role]
    if not same:
        value = random.choice(near) if near and random.random() < 0.75 else several(random, split, kind, 1, (value,))[0]
    text = pick(random, told, split).format(v=value, **held)
    return noul(random.choice(("q", "is_true", "check", "stated", kind)), capital(text), same)
