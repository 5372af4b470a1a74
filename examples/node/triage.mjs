// Sort tickets while others are read: node examples/node/triage.mjs
import { Clef } from "./clef.mjs";

const tickets = [
  "The kiosk at the north gate prints blank tickets since eight.",
  "Could the newsletter come on Fridays instead?",
  "I was charged twice for the same booking.",
];
const questions = {
  team: { type: "choice", criteria: { repairs: "Something is broken.", billing: "Charges, refunds.", wishes: null } },
  today: { type: "noul", instructions: "Must someone act today?" },
};

const clef = await Clef.start();
console.log(`${clef.hello.model} is ready, clef-mlx ${clef.hello.version}`);
const decisions = await Promise.all(tickets.map((state) => clef.decide({ state, questions })));
for (const [index, { answers }] of decisions.entries()) {
  console.log(`${answers.team.choice}, today ${answers.today.noul}: ${tickets[index]}`);
}

const abort = new AbortController();
const taken = clef.decide({ state: tickets[0].repeat(200), questions }, { signal: abort.signal });
abort.abort();
await taken.catch((error) => console.log(`${error.type}: ${error.message}`));
await clef.close();
