// One `clef-mlx pipe` as a child process: requests in, decisions out. Needs nothing but Node 18.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A request that was not decided: `type` is a class of clef_mlx's errors, or "cancelled". */
export class ClefError extends Error {
  constructor({ type, message, location = [] }) {
    super(message);
    this.name = "ClefError";
    this.type = type;
    this.location = location;
  }
}

export class Clef {
  #child;
  #waiting = []; // in the order of the requests, which is that of the answers
  #requests = 0;
  #ended = null;

  /** Start the child, and wait until its model has decided once. `args` are those of `clef-mlx pipe`. */
  static async start({ command = "clef-mlx", args = [], ...options } = {}) {
    const clef = new Clef(spawn(command, ["pipe", ...args], { stdio: ["pipe", "pipe", "inherit"], ...options }));
    clef.hello = await new Promise((resolve, reject) => clef.#waiting.push({ resolve, reject }));
    return clef;
  }

  constructor(child) {
    this.#child = child;
    child.stdin.on("error", () => {}); // the end of the child says it all
    child.on("error", (error) => this.#end(error));
    child.on("close", (code, signal) => this.#end(new Error(`clef-mlx pipe has ended (${signal ?? code}).`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { resolve, reject } = this.#waiting.shift();
      const answer = JSON.parse(line);
      answer.error ? reject(new ClefError(answer.error)) : resolve(answer);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Decide `{state, questions, ...}`. -> `{answers, usage, ...}`. Throws ClefError. An AbortSignal takes it back. */
  async decide(request, { signal } = {}) {
    signal?.throwIfAborted();
    if (this.#ended) throw this.#ended;
    const id = ++this.#requests;
    const cancel = () => this.#send({ cancel: id });
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const answer = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
      this.#send({ ...request, id });
      return await answer;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Take no more requests, answer those that wait, and end the child. */
  async close() {
    if (this.#ended) return;
    this.#child.stdin.end();
    await once(this.#child, "close");
  }

  #send(value) {
    this.#child.stdin.write(JSON.stringify(value) + "\n");
  }

  #end(error) {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}
