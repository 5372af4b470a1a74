// The question builder: cards on the page to questions, and back.
//
// A question here is {id, type, instructions, yes, no, options: [{id, description}], levels: [text]}. Switching the
// type keeps what the other types hold, so a look around loses nothing.

import { pairs } from "./json.js";
import { filled, fit, makeRows, typeThrough } from "./rows.js";

const list = document.querySelector("#questions");
const template = (id) => document.querySelector(id).content.firstElementChild.cloneNode(true);
const STARTING_ROWS = 2;
let made = 0;

const addCard = makeRows(list, makeCard, () => changed());

function changed() {
  list.dispatchEvent(new Event("input", { bubbles: true }));
}

export function addQuestion(question) {
  const card = addCard();
  fill(card, { instructions: "", yes: "", no: "", options: [], levels: [], ...question });
  return card;
}

export function showQuestions(questions) {
  list.replaceChildren();
  questions.forEach(addQuestion);
}

// A name that no card has yet.
export function freshId() {
  const taken = new Set(readQuestions().map((question) => question.id));
  let number = taken.size + 1;
  while (taken.has(`q${number}`)) number += 1;
  return `q${number}`;
}

export const readQuestions = () => [...list.children].map(read);

function read(card) {
  const value = (selector) => card.querySelector(selector).value;
  return {
    id: value(".id"),
    type: value(".type"),
    instructions: value(".instructions"),
    yes: value(".yes"),
    no: value(".no"),
    options: [...card.querySelectorAll(".options > li")].map((row) => ({
      id: row.querySelector(".option-id").value,
      description: row.querySelector(".description").value,
    })),
    levels: [...card.querySelectorAll(".levels > li .description")].map((input) => input.value),
  };
}

// Rows left empty are no part of the request.
export const askedOptions = (question) => question.options.filter((option) => option.id.trim() || option.description.trim());
export const askedLevels = (question) => question.levels.filter((level) => level.trim());

// A question as the wire has it, ready for `toJson`. Empty texts are left out: the server has its defaults.
export function toWire(question) {
  const wire = [["type", question.type]];
  if (question.instructions.trim()) wire.push(["instructions", question.instructions]);
  if (question.type === "noul") {
    const sides = [["true", question.yes], ["false", question.no]].filter(([, text]) => text.trim());
    if (sides.length) wire.push(["criteria", pairs(sides)]);
  } else if (question.type === "choice") {
    const options = askedOptions(question).map((option) => [option.id, option.description.trim() ? option.description : null]);
    wire.push(["criteria", pairs(options)]);
  } else {
    wire.push(["criteria", askedLevels(question)]);
  }
  return pairs(wire);
}

// What this page alone can tell: names that JSON would merge or that nobody meant. [[field, message]]
export function ownProblems() {
  const found = [];
  const seen = new Set();
  for (const card of list.children) {
    const id = card.querySelector(".id");
    if (!id.value) found.push([id, "Give this question a name."]);
    else if (seen.has(id.value)) found.push([id, `Another question is called “${id.value}”. Rename one.`]);
    seen.add(id.value);
    if (card.querySelector(".type").value === "choice") found.push(...optionProblems(card));
  }
  return found;
}

function optionProblems(card) {
  const found = [];
  const seen = new Set();
  for (const row of card.querySelectorAll(".options > li")) {
    const id = row.querySelector(".option-id");
    if (!filled(id) && filled(row.querySelector(".description"))) found.push([id, "Give this option a name."]);
    else if (filled(id) && seen.has(id.value)) found.push([id, `Another option is called “${id.value}”. Rename one.`]);
    seen.add(id.value);
  }
  return found;
}

// The field a server's location names below `questions`, or null.
export function fieldAt([id, part, name]) {
  const card = [...list.children].find((card) => card.querySelector(".id").value === id);
  if (!card) return null;
  const { type } = read(card);
  if (part === "type") return card.querySelector(".type");
  if (part === "instructions") return card.querySelector(".instructions");
  if (part !== "criteria") return card.querySelector(".id");
  if (type === "noul") return card.querySelector(name === "false" ? ".no" : ".yes");
  const rows = [...card.querySelectorAll(type === "choice" ? ".options > li" : ".levels > li")];
  const asked = rows.filter((row) => [...row.querySelectorAll("input")].some(filled));
  const row = type === "choice" ? asked.find((row) => row.querySelector(".option-id").value === name) : asked[name];
  return row?.querySelector("input") ?? card.querySelector(`[data-for="${type}"] [data-add-row]`);
}

function makeCard() {
  const card = template("#question-template");
  for (const field of card.querySelectorAll(".field:has(> label)")) {
    const input = field.querySelector("input, select, textarea");
    input.id = `question-field-${++made}`;
    field.querySelector("label").htmlFor = input.id;
  }
  const type = card.querySelector(".type");
  type.addEventListener("change", () => showType(card));
  const area = card.querySelector(".instructions");
  area.addEventListener("input", () => fit(area));
  for (const [kind, rowTemplate] of [["choice", "#option-template"], ["score", "#level-template"]]) {
    const group = card.querySelector(`[data-for="${kind}"]`);
    const rows = group.querySelector(".rows");
    const add = makeRows(rows, () => template(rowTemplate), () => (number(card), changed()));
    typeThrough(rows, add, () => (number(card), changed()));
    rows.addEventListener("input", () => number(card));
    group.querySelector("[data-add-row]").addEventListener("click", () => add().querySelector("input").focus());
  }
  return card;
}

function fill(card, question) {
  const set = (selector, value) => (card.querySelector(selector).value = value);
  for (const name of ["id", "type", "instructions", "yes", "no"]) set(`.${name}`, question[name]);
  const atLeast = (items, empty) => [...items, ...Array(Math.max(0, STARTING_ROWS - items.length)).fill(empty)];
  card.querySelector(".options").replaceChildren(
    ...atLeast(question.options, { id: "", description: "" }).map((option) => {
      const row = template("#option-template");
      row.querySelector(".option-id").value = option.id;
      row.querySelector(".description").value = option.description;
      return row;
    }),
  );
  card.querySelector(".levels").replaceChildren(
    ...atLeast(question.levels, "").map((level) => {
      const row = template("#level-template");
      row.querySelector(".description").value = level;
      return row;
    }),
  );
  number(card);
  showType(card);
  requestAnimationFrame(() => fit(card.querySelector(".instructions")));
}

function showType(card) {
  const type = card.querySelector(".type").value;
  for (const group of card.querySelectorAll(".criteria")) group.hidden = group.dataset.for !== type;
}

// Levels count from 0, as the answer does; empty rows are not asked and have no number.
function number(card) {
  let next = 0;
  for (const row of card.querySelectorAll(".levels > li")) {
    row.querySelector(".number").textContent = filled(row.querySelector(".description")) ? next++ : "–";
  }
}
