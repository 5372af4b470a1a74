// The official JavaScript SDK against the server at the given address; prints what it understood, as JSON.
import { createRequire } from "node:module";

const [url, key, modules] = process.argv.slice(2);
const { TypeSafeClient, choice, noul, score } = createRequire(`${modules}/`)("@typesafe-ai/sdk");

const client = new TypeSafeClient({ apiKey: key, baseURL: url });
const questions = {
  refund: noul("Does the customer ask for money back?"),
  plain: noul(),
  team: choice("Which team should answer?", { billing: "Payments", shipping: null }),
  mood: score("How does the customer feel?", ["calm", { label: "cross" }]),
};
const { data, requestId } = await client.systemOne({ state: { text: "Where is my parcel?" }, questions }).withResponse();
const models = await client.models.list();
let refusal;
try {
  await client.systemOne({ state: "x", questions: { q: choice("?", {}) } });
} catch (error) {
  refusal = { kind: error.constructor.name, status: error.status, text: error.message };
}
console.log(JSON.stringify({ data, requestId, models, refusal }));
