// JSON text to the first place where it is none, as the server judges it. Browsers word and place their own errors
// each in their way, or not at all, and let names given twice pass.

const MOST_DEPTH = 128; // the server's own limit
const TOKEN = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/y;
const SPACE = /[ \t\n\r]*/y;
const WORD = /[^\s,:{}[\]"]+|"[^"\n]{0,20}|./suy;

// {message, line, column}, or null for good JSON.
export function jsonFault(text) {
  try {
    const scanner = new Scanner(text);
    scanner.value("a value", 0);
    if (scanner.token) scanner.fail("nothing after the value");
    return null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const before = text.slice(0, fault.offset).split("\n");
    return { message: fault.message, line: before.length, column: [...before.at(-1)].length + 1 };
  }
}

class Fault extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

// Holds the token at hand; each method reads one thing of the grammar and leaves the next token at hand.
class Scanner {
  constructor(text) {
    this.text = text;
    this.end = 0;
    this.next();
  }

  next() {
    this.start = this.match(SPACE, this.end).end;
    const { found, end } = this.match(TOKEN, this.start);
    // Two words in a row, such as 01 or truefalse, are one mistake.
    const joined = /[\w.+-]$/.test(found) && /[\w.+-]/.test(this.text[end] ?? "");
    this.token = joined ? "" : found;
    this.end = end;
    if (!this.token && this.start < this.text.length) this.token = "?";
  }

  match(pattern, from) {
    pattern.lastIndex = from;
    const found = pattern.exec(this.text)?.[0] ?? "";
    return { found, end: from + found.length };
  }

  fail(expected) {
    const got = this.start < this.text.length ? this.match(WORD, this.start).found : "the end";
    throw new Fault(`expected ${expected}, got ${got}`, this.start);
  }

  take(token, expected) {
    if (this.token !== token) this.fail(expected);
    this.next();
  }

  value(expected, depth) {
    if (depth > MOST_DEPTH) throw new Fault(`nested deeper than ${MOST_DEPTH}`, this.start);
    if (this.token === "{") return this.list("}", (names) => this.member(names, depth));
    if (this.token === "[") return this.list("]", () => this.value("a value", depth + 1));
    if (!/^["\-\dtfn]/.test(this.token)) this.fail(expected);
    if (/^[-\d]/.test(this.token) && !Number.isFinite(Number(this.token))) this.fail("a number in reach");
    this.next();
  }

  list(close, item) {
    const names = new Set();
    this.next();
    while (this.token !== close) {
      item(names);
      if (this.token === close) break;
      this.take(",", `a comma or ${close}`);
      if (this.token === close) this.fail("more after the comma");
    }
    this.next();
  }

  member(names, depth) {
    if (this.token[0] !== '"') this.fail('a name in "double quotes"');
    const name = JSON.parse(this.token);
    if (names.has(name)) throw new Fault(`the name ${this.token} is given twice`, this.start);
    names.add(name);
    this.next();
    this.take(":", "a colon");
    this.value("a value", depth + 1);
  }
}
