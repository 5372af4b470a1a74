// The whole form: to a request body, to a record for the history, and back onto the page.

import { jsonFault } from "./fault.js";
import { pairs, raw, toJson } from "./json.js";
import { clearPictures, readPictures } from "./pictures.js";
import { readQuestions, showQuestions, toWire } from "./questions.js";
import { fit } from "./rows.js";

const state = document.querySelector("#state");
const model = document.querySelector("#model");
const verdict = document.querySelector("#json-verdict");

const mode = () => document.querySelector("input[name=mode]:checked").value;

// {model, mode, state, questions, pictures: how many}: what the history keeps.
export const readForm = () => ({
  model: model.value,
  mode: mode(),
  state: state.value,
  questions: readQuestions(),
  pictures: readPictures().length,
});

export function showForm(form) {
  document.querySelector(`input[name=mode][value=${form.mode}]`).checked = true;
  state.value = form.state;
  if ([...model.options].some((option) => option.value === form.model)) model.value = form.model;
  clearPictures();
  showQuestions(form.questions);
  showVerdict();
  fit(state);
}

// The request as JSON text. A JSON state goes out as it was typed: the server judges it, digit for digit.
export function requestJson(form, images = readPictures().map((picture) => picture.url), indent = "  ", more = []) {
  const content = form.mode === "json" ? raw(form.state || "null") : form.state;
  const members = [["state", content], ["questions", pairs(form.questions.map((question) => [question.id, toWire(question)]))]];
  if (form.model) members.unshift(["model", form.model]);
  if (images.length) members.push(["images", images]);
  return toJson(pairs([...members, ...more]), indent);
}

// Says under the state whether it is JSON; returns the fault, or null. A text is never a fault.
export function showVerdict() {
  verdict.hidden = mode() !== "json";
  if (verdict.hidden) return null;
  const empty = !state.value.trim();
  const fault = empty ? null : jsonFault(state.value);
  verdict.classList.toggle("bad", Boolean(fault));
  if (fault) verdict.textContent = `Line ${fault.line}, column ${fault.column}: ${fault.message}`;
  else verdict.textContent = empty ? "Any JSON value; nothing is null." : `Valid JSON: ${described(JSON.parse(state.value))}`;
  return fault;
}

function described(value) {
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  if (Array.isArray(value)) return `an array of ${counted(value.length, "item")}`;
  if (value && typeof value === "object") return `an object with ${counted(Object.keys(value).length, "name")}`;
  return value === null ? "null" : `a ${typeof value}`;
}
