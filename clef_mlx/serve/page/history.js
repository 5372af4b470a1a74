// Past decisions, in this browser's storage and nowhere else.

import { verdict } from "./answers.js";

const KEY = "clef.history";
const DRAFT = "clef.draft";
const MOST = 50;

const list = document.querySelector("#history");
const clear = document.querySelector("#clear-history");

// Entries are {at, form, answer, ms}, newest first.
const read = () => JSON.parse(localStorage.getItem(KEY) ?? "[]");

export const readDraft = () => JSON.parse(localStorage.getItem(DRAFT) ?? "null");
export const keepDraft = (form) => store(DRAFT, form);

export function watchHistory(open) {
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) open(read()[Number(button.dataset.index)]);
  });
  clear.addEventListener("click", () => {
    localStorage.removeItem(KEY);
    draw();
    document.querySelector("#history-title").focus();
  });
  // Another tab of this page writes the same history.
  window.addEventListener("storage", (event) => event.key === KEY && draw());
  draw();
}

export function remember(entry) {
  let entries = [entry, ...read()].slice(0, MOST);
  // A full store gives up its oldest half, then this entry.
  while (entries.length && !store(KEY, entries)) entries = entries.slice(0, Math.floor(entries.length / 2));
  draw();
}

function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch (error) {
    if (error.name !== "QuotaExceededError") throw error;
    return false;
  }
}

function draw() {
  const entries = read();
  list.replaceChildren(...entries.map(line));
  clear.hidden = !entries.length;
  document.querySelector("#no-history").hidden = entries.length > 0;
}

function line({ at, form, answer }, index) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.index = index;
  button.append(span("when", time(at)), span("what", summary(form, answer)), span("of", opening(form)));
  item.append(button);
  return item;
}

const summary = (form, answer) =>
  form.questions
    .filter(({ id }) => Object.hasOwn(answer.answers, id))
    .map(({ id }) => `${id}: ${verdict(answer.answers[id]).text}`)
    .join(" · ");

function opening(form) {
  const pictures = form.pictures ? `${form.pictures} picture${form.pictures === 1 ? "" : "s"} · ` : "";
  return pictures + (form.state.trim().replace(/\s+/g, " ").slice(0, 90) || "no text");
}

function time(at) {
  const then = new Date(at);
  const today = then.toDateString() === new Date().toDateString();
  return then.toLocaleString([], today ? { timeStyle: "short" } : { dateStyle: "short", timeStyle: "short" });
}

function span(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}
