"""OpenAI's `client.decisions` against the server at the given address; prints what it understood, as JSON."""

import asyncio
import json
import sys

from openai import APIStatusError, AsyncOpenAI, OpenAI

URL, KEY, MODEL, *PICTURES = sys.argv[1:]
QUESTIONS = [
    {"type": "predicate", "name": "refund", "instructions": "Does the customer ask for money back?"},
    {
        "type": "choice",
        "instructions": "Is it about billing?",
        "choices": [{"value": "true", "description": "the word"}, {"value": True}, {"value": False}],
    },
    {
        "type": "score",
        "name": "mood",
        "instructions": [{"type": "input_text", "text": "How does the customer feel?"}],
        "levels": [{"label": "calm"}, {"label": "cross", "description": "short answers"}, {"label": "furious"}],
    },
]
CONVERSATION = [
    {"role": "developer", "content": "Tickets of a parcel service."},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Where is my parcel?"},
            {"type": "input_json", "data": {"order": 4471, "paid": True}},
        ],
    },
    {"type": "function_call", "call_id": "c1", "name": "track", "arguments": '{"order": 4471}'},
    {"type": "function_call_output", "call_id": "c1", "output": "in transit"},
]


async def awaited() -> dict:
    async with AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1") as client:
        decision = await client.decisions.create(model=MODEL, input="Where is my parcel?", questions=QUESTIONS)
        return decision.to_dict()


def refused(client: OpenAI, **request) -> dict:
    try:
        client.decisions.create(**request)
    except APIStatusError as error:
        return {"kind": type(error).__name__, "status": error.status_code, "body": error.body, "id": error.request_id}
    return {}


with OpenAI(api_key=KEY, base_url=f"{URL}/v1") as client:
    text = client.decisions.create(model=MODEL, input="Where is my parcel?", questions=QUESTIONS)
    heard = {
        "text": text.to_dict(),
        "request_id": text._request_id,
        "async": asyncio.run(awaited()),
        "conversation": client.decisions.create(model=MODEL, input=CONVERSATION, questions=QUESTIONS).to_dict(),
        "models": [model.id for model in client.models.list()],
        "unknown": refused(client, model="no-such-model", input="x", questions=QUESTIONS),
        "empty": refused(client, model=MODEL, input="x", questions=[]),
        "fetch": refused(
            client,
            model=MODEL,
            input=[{"role": "user", "content": [{"type": "input_image", "image_url": "https://example.com/a.png"}]}],
            questions=QUESTIONS,
        ),
    }
    if PICTURES:
        parts = [
            {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURES[0]}"},
            {"type": "input_text", "text": "The parcel."},
        ]
        asked = client.decisions.create(model=MODEL, input=[{"role": "user", "content": parts}], questions=QUESTIONS)
        heard["picture"] = asked.to_dict()
json.dump(heard, sys.stdout)
