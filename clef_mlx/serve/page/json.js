// Values to JSON text and Python text, in the order given.
//
// A plain object would move names such as "10" to the front, and reading a typed number would round it; so objects
// are lists of pairs here, and JSON that a person wrote is carried as text.

export const pairs = (entries) => ({ pairs: entries });
export const raw = (text) => ({ raw: text });

const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|true|false|null/g;
const PYTHON = { true: "True", false: "False", null: "None" };

// JSON text of a string, a number, null, an array, `pairs` or `raw`; one item a line where `indent` is not empty.
export function toJson(value, indent = "  ", margin = "") {
  if (value?.raw !== undefined) return value.raw.trim();
  const inner = margin + indent;
  const lay = (items, open, close) => {
    if (!items.length) return open + close;
    const [before, between, after] = indent ? [`\n${inner}`, `,\n${inner}`, `\n${margin}`] : ["", ", ", ""];
    return open + before + items.join(between) + after + close;
  };
  if (Array.isArray(value)) return lay(value.map((item) => toJson(item, indent, inner)), "[", "]");
  if (value?.pairs) {
    const items = value.pairs.map(([name, item]) => `${JSON.stringify(name)}: ${toJson(item, indent, inner)}`);
    return lay(items, "{", "}");
  }
  return JSON.stringify(value);
}

// The same value as a Python literal. JSON's escapes of half characters mean something else to Python.
export const toPython = (json) =>
  json.replace(STRING_OR_WORD, (token) => PYTHON[token] ?? JSON.stringify(JSON.parse(token)));
