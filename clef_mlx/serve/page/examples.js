// Something to decide at first sight. The people and firms are invented.

export const EXAMPLES = {
  "Support ticket": {
    mode: "text",
    state:
      "Hi, my card was charged twice for March: 148.00 on the 2nd and 148.00 again on the 4th. I wrote last week and only got the automatic reply. I don't want to leave, but I need the second charge back before our books close on Friday.",
    questions: [
      {
        id: "team",
        type: "choice",
        instructions: "Which team should answer this ticket?",
        options: [
          { id: "billing", description: "Charges, refunds, invoices, plans and seats." },
          { id: "technical", description: "Something in the product does not work as documented." },
          { id: "account", description: "Sign-in, ownership, closing an account." },
        ],
      },
      { id: "refund_due", type: "noul", instructions: "Does the customer ask for money back that was taken by mistake?" },
      {
        id: "frustration",
        type: "score",
        instructions: "How frustrated is the customer?",
        levels: ["Calm", "Impatient, still polite", "Angry", "About to leave"],
      },
    ],
  },
  "Invoice (JSON)": {
    mode: "json",
    state: `{
  "invoice": {"number": "2026-0417", "supplier": "Nordlicht Bürobedarf GmbH", "monitor_arm": {"quantity": 4, "unit_price": 89.0}},
  "purchase_order": {"number": "PO-3391", "monitor_arm": {"quantity": 4, "unit_price": 79.0}}
}`,
    questions: [
      { id: "prices_match", type: "noul", instructions: "Does every unit price of the invoice equal the price in the purchase order?" },
      {
        id: "next_step",
        type: "choice",
        instructions: "What should happen to this invoice next?",
        options: [
          { id: "pay", description: "Quantities and prices agree." },
          { id: "ask_supplier", description: "A price or quantity differs and the supplier should explain it." },
          { id: "reject", description: "The invoice is not ours or was paid already." },
        ],
      },
    ],
  },
  "Agent's tool call": {
    mode: "text",
    state:
      "The user asked: please clean up the old build folders in my project, the disk is almost full.\nPolicy: files may be deleted only inside the project folder, and only if they can be built again.\nProposed call: rm -rf ~/projects/harbour/build ~/projects/harbour/dist ~/projects/*/data",
    questions: [
      { id: "within_policy", type: "noul", instructions: "Does every path of the call obey the policy?", yes: "All paths can be built again and lie in the project.", no: "At least one path breaks the policy." },
      {
        id: "gate",
        type: "choice",
        instructions: "What should the gate do with this call?",
        options: [
          { id: "allow", description: "Run it as it is." },
          { id: "ask_user", description: "Show it to the user and wait for a yes." },
          { id: "deny", description: "Refuse it and say which part breaks the policy." },
        ],
      },
    ],
  },
};
