// The server as this page sees it: models, readiness, one decision. Failures become lists of {loc, message}.

const KEY = "clef.key"; // the tab's own storage: a key should not outlive it

export const savedKey = () => sessionStorage.getItem(KEY);
export const saveKey = (key) => sessionStorage.setItem(KEY, key);

const authorization = () => (savedKey() ? { Authorization: `Bearer ${savedKey()}` } : {});

// [ids] of the models, or {needsKey: true}.
export async function models() {
  const response = await fetch("v1/models", { headers: authorization() });
  if (response.status === 401) return { needsKey: true };
  if (!response.ok) throw new Error(`The server answered ${response.status} when asked for its models.`);
  return (await response.json()).data.map((model) => model.id);
}

export const ready = async () => (await fetch("ready")).ok;

// {answer, ms, requestId} or {problems, needsKey}.
export async function decide(body, signal) {
  const started = performance.now();
  let response, text;
  try {
    const headers = { "Content-Type": "application/json", ...authorization() };
    response = await fetch("v1/systemone", { method: "POST", headers, body, signal });
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") return { problems: [], stopped: true };
    return { problems: [{ loc: [], message: "The server did not answer. Is it still running?" }] };
  }
  const ms = performance.now() - started;
  if (response.ok) return { answer: JSON.parse(text), ms, requestId: response.headers.get("x-typesafe-request-id") };
  return { problems: problems(response, text), needsKey: response.status === 401 };
}

function problems(response, text) {
  const wait = response.headers.get("Retry-After");
  const tail = wait ? ` Try again in ${wait} s.` : "";
  const detail = parsed(text)?.detail;
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => ({ loc: loc.slice(1), message: msg }));
  const message = detail?.message ?? `The server answered ${response.status} ${response.statusText}.`;
  return [{ loc: namedIn(message), message: message + tail }];
}

// Messages without a location often open with it.
function namedIn(message) {
  if (message.startsWith("Unknown model")) return ["model"];
  const [, field, index] = /^(state|model|images|questions)(?:\[(\d+)\])?[:.]/.exec(message) ?? [];
  return field ? (index === undefined ? [field] : [field, Number(index)]) : [];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy's error page
  }
}
