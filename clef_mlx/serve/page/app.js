// The page: what is typed becomes a request, the answer becomes bars, and both become history.

import * as api from "./api.js";
import { showAnswers } from "./answers.js";
import { EXAMPLES } from "./examples.js";
import { keepDraft, readDraft, remember, watchHistory } from "./history.js";
import { pictureAt, watchPictures } from "./pictures.js";
import { clearProblems, mark } from "./problems.js";
import { addQuestion, fieldAt, freshId, ownProblems } from "./questions.js";
import { readForm, requestJson, showForm, showVerdict } from "./request.js";
import { fit } from "./rows.js";
import { snippet } from "./snippets.js";

const $ = (selector) => document.querySelector(selector);
const READY_EVERY_MS = 1500;
let running = null; // AbortController of the decision under way
let latest = null; // the answer on show

async function decide() {
  if (running) return running.abort();
  clearProblems();
  $("#failure").textContent = "";
  const form = readForm();
  if (refuse()) return;
  running = new AbortController();
  busy(true);
  const result = await api.decide(requestJson(form, undefined, ""), running.signal);
  running = null;
  busy(false);
  if (result.needsKey) askForKey();
  if (result.answer) show(form, result);
  else explain(result.problems);
}

function show(form, { answer, ms, requestId }) {
  latest = answer;
  showAnswers(form, answer, { ms, requestId });
  $("#copy-answer").hidden = false;
  remember({ at: Date.now(), form, answer, ms });
  const { top, bottom } = $("#answers-panel").getBoundingClientRect();
  if (top > innerHeight * 0.8 || bottom < 0) $("#answers-title").focus(), $("#answers-panel").scrollIntoView();
}

// Marks what cannot be sent truthfully; true if there is any.
function refuse() {
  const found = ownProblems();
  if (showVerdict()) found.unshift([$("#state"), "This is no JSON yet. Mend it, or switch to Text."]);
  found.forEach(([field, message]) => mark(field, message));
  found[0]?.[0].focus();
  return found.length > 0;
}

// Messages go next to the field they name; those that name none, or one out of sight, stand at the button.
function explain(problems) {
  const homeless = problems.filter(({ loc, message }) => {
    const field = fieldOf(loc);
    if (field) mark(field, message);
    return !field;
  });
  $("#failure").textContent = homeless.map((problem) => problem.message).join("\n");
  document.querySelector("[aria-invalid]")?.focus();
}

function fieldOf([name, ...rest]) {
  if (name === "state" || name === "model") return $(`#${name}`);
  if (name === "images") return pictureAt(rest[0]) ?? $("#pick");
  if (name === "questions") return rest.length ? fieldAt(rest) : $("[data-add]");
  return null;
}

function busy(on) {
  $("#decide").textContent = on ? "Stop" : "Decide";
  $("#answers-panel").setAttribute("aria-busy", String(on));
}

function askForKey() {
  const told = api.savedKey() ? "That key was refused. Ask whoever runs this server." : "This server asks for its key";
  $("#key-form label").textContent = told;
  $("#key-toggle").hidden = false;
  openKey(true);
}

function openKey(open) {
  $("#key-form").hidden = !open;
  $("#key-toggle").setAttribute("aria-expanded", String(open));
  if (open) $("#key").focus();
}

async function loadModels() {
  const chosen = $("#model").value || readDraft()?.model;
  const found = await api.models();
  if (found.needsKey) return askForKey();
  $("#model").replaceChildren(...found.map((id) => new Option(id, id)));
  if (found.includes(chosen)) $("#model").value = chosen;
  $("#key-toggle").hidden = !api.savedKey();
}

async function connect() {
  try {
    const [ready] = await Promise.all([api.ready(), loadModels()]);
    say(ready ? "Ready" : "Loading the model…", ready ? "good" : "");
    if (!ready) setTimeout(connect, READY_EVERY_MS);
  } catch {
    say("Not connected", "bad");
    setTimeout(connect, READY_EVERY_MS * 2);
  }
}

function say(text, tone) {
  $("#status").textContent = text;
  $("#status").dataset.tone = tone;
}

// Browsers keep the clipboard from pages of other machines; those get the old way.
async function copy(text) {
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else {
    const area = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: text }));
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("#said").textContent = "Copied";
}

function watchCopies() {
  const flash = (button) => {
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  const on = (button, text) => button.addEventListener("click", () => copy(text()).then(() => flash(button)));
  on($("#copy-code"), () => snippet(language(), readForm()));
  on($("#copy-answer"), () => JSON.stringify(latest, null, 2));
}

const language = () => $("input[name=language]:checked").value;

function refresh() {
  const form = readForm();
  showVerdict();
  $("#code").textContent = snippet(language(), form);
  keepDraft(form);
}

function watchTheme() {
  const order = ["auto", "light", "dark"];
  const button = $("#theme");
  const draw = () => (button.textContent = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" }[localStorage.getItem("clef.theme") ?? "auto"]);
  button.setAttribute("aria-label", "Colours: change between automatic, light and dark");
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(localStorage.getItem("clef.theme") ?? "auto") + 1) % order.length];
    if (next === "auto") localStorage.removeItem("clef.theme"), delete document.documentElement.dataset.theme;
    else localStorage.setItem("clef.theme", next), (document.documentElement.dataset.theme = next);
    draw();
  });
  draw();
}

function watchKeys() {
  const apple = /Mac|iPhone|iPad/.test(navigator.platform);
  $("#shortcut").textContent = apple ? "⌘ ↵" : "Ctrl ↵";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.preventDefault(), decide();
    if (event.key === "Escape" && running) running.abort();
  });
}

function watchForm() {
  $("#ask").addEventListener("submit", (event) => (event.preventDefault(), decide()));
  $("#ask").addEventListener("input", refresh);
  $("#ask").addEventListener("change", refresh);
  $("#model").addEventListener("change", refresh);
  $("#state").addEventListener("input", () => fit($("#state")));
  for (const radio of document.querySelectorAll("input[name=language]")) radio.addEventListener("change", refresh);
  for (const button of document.querySelectorAll("[data-add]")) {
    button.addEventListener("click", () => {
      addQuestion({ id: freshId(), type: button.dataset.add }).querySelector(".instructions").focus();
      refresh();
    });
  }
  $("#example").append(...Object.keys(EXAMPLES).map((name) => new Option(name, name)));
  $("#example").addEventListener("change", ({ target }) => {
    if (target.value) showForm({ model: $("#model").value, ...EXAMPLES[target.value] });
    target.value = "";
    clearProblems();
    refresh();
  });
}

function watchKey() {
  $("#key-toggle").addEventListener("click", () => openKey($("#key-form").hidden));
  $("#key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    api.saveKey($("#key").value);
    openKey(false);
    $("#failure").textContent = "";
    connect().then(refresh);
  });
}

watchTheme();
watchKeys();
watchPictures(refresh);
watchForm();
watchKey();
watchCopies();
watchHistory(({ form, answer }) => {
  showForm(form);
  clearProblems();
  latest = answer;
  showAnswers(form, answer);
  refresh();
});
showForm(readDraft() ?? { model: "", ...Object.values(EXAMPLES)[0] });
connect().then(refresh);
