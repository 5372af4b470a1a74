// One answer JSON to bars. Options come in the order they were asked in, whatever order JavaScript would give them.

import { askedLevels, askedOptions } from "./questions.js";

const place = document.querySelector("#answers");
const facts = document.querySelector("#facts");
const MOST_BARS = 8; // a question may have 255 options; the likeliest are worth a line

const template = (id) => document.querySelector(id).content.firstElementChild.cloneNode(true);
const percent = (share) => `${(share * 100).toFixed(1)}%`;
const held = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

// `measured` is {ms, requestId}, known for a fresh answer.
export function showAnswers(form, answer, measured) {
  document.querySelector("#empty").hidden = true;
  place.replaceChildren(
    ...form.questions.filter((question) => held(answer.answers, question.id)).map((question) => drawn(question, answer.answers[question.id])),
  );
  showFacts(answer, measured);
}

// One line for lists: "yes 97.1%", "billing 61.0%", "1.20 of 3".
export function verdict(answer) {
  if (answer.type === "noul") return { text: answer.noul >= 0.5 ? "yes" : "no", share: Math.max(answer.noul, 1 - answer.noul) };
  if (answer.type === "choice") return { text: answer.choice, share: answer.confidence };
  return { text: `${answer.score.toFixed(2)} of ${Object.keys(answer.legend).length - 1}`, share: answer.confidence };
}

function drawn(question, answer) {
  const article = template("#answer-template");
  const { text, share } = verdict(answer);
  article.querySelector(".asked").append(element("b", question.id), question.instructions);
  article.querySelector("strong").textContent = text;
  article.querySelector(".confidence").textContent =
    answer.type === "noul" ? `${percent(share)} sure` : `confidence ${percent(share)}`;
  if (answer.type === "score") showScale(article, answer);
  showBars(article, bars(question, answer));
  return article;
}

// [{label, share, chosen}] in asked order.
function bars(question, answer) {
  if (answer.type === "noul") {
    const yes = answer.noul >= 0.5;
    return [{ label: "yes", share: answer.noul, chosen: yes }, { label: "no", share: 1 - answer.noul, chosen: !yes }];
  }
  if (answer.type === "choice") {
    const options = askedOptions(question).map((option) => option.id);
    return options.map((id) => ({ label: id, share: answer.probabilities[id], chosen: id === answer.choice }));
  }
  const highest = Math.max(...Object.values(answer.probabilities));
  return askedLevels(question).map((level, index) => ({
    label: `${index} · ${level}`,
    share: answer.probabilities[index],
    chosen: answer.probabilities[index] === highest,
  }));
}

function showBars(article, all) {
  const list = article.querySelector(".bars");
  const likeliest = [...all].sort((a, b) => b.share - a.share);
  list.append(...(all.length > MOST_BARS ? likeliest.slice(0, MOST_BARS) : all).map(bar));
  if (all.length <= MOST_BARS) return;
  const more = article.querySelector(".more");
  more.hidden = false;
  more.textContent = `${all.length - MOST_BARS} less likely`;
  more.addEventListener("click", () => {
    list.append(...likeliest.slice(MOST_BARS).map(bar));
    more.remove();
  });
}

function bar({ label, share, chosen }) {
  const item = template("#bar-template");
  item.classList.toggle("chosen", chosen);
  item.querySelector(".label").textContent = label;
  item.querySelector(".label").title = label;
  item.querySelector(".percent").textContent = percent(share);
  item.querySelector(".fill").style.setProperty("--share", share);
  return item;
}

// Where the expected level lies between the lowest and the highest.
function showScale(article, answer) {
  const steps = Object.keys(answer.legend).length - 1;
  if (!steps) return;
  const scale = article.querySelector(".scale");
  scale.hidden = false;
  scale.style.setProperty("--at", answer.score / steps);
  scale.style.setProperty("--steps", steps);
}

function showFacts(answer, measured) {
  const rows = [["Model", answer.model], ["Tokens", count(answer.usage.input_tokens)]];
  if (answer.x_reused_tokens) rows.push(["Known already", count(answer.x_reused_tokens)]);
  if (answer.x_truncated_tokens) rows.push(["Dropped to fit", `${count(answer.x_truncated_tokens)} of the state`]);
  const { queue, model } = answer.x_timing_ms;
  rows.push(["Waited", `${queue.toFixed(1)} ms`], ["Decided in", `${model.toFixed(1)} ms`]);
  if (measured) rows.push(["Round trip", `${measured.ms.toFixed(1)} ms`], ["Request", measured.requestId]);
  facts.replaceChildren(
    ...rows.map(([name, value]) => {
      const group = document.createElement("div");
      group.append(element("dt", name), element("dd", value));
      return group;
    }),
  );
}

const count = (tokens) => tokens.toLocaleString("en");

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
