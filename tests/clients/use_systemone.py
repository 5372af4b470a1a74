"""systemone-client against the server at the given address; prints what it understood, as JSON."""

import asyncio
import json
import sys

from systemone import AsyncClient, Choice, Client, Noul, Score, SystemOneError

URL, KEY = sys.argv[1:]
QUESTIONS = {
    "refund": Noul("Does the customer ask for money back?"),
    "team": Choice("Which team should answer?", {"billing": None, "shipping": "Parcels"}),
    "mood": Score("How does the customer feel?", ["calm", "cross"]),
}


def told(response) -> dict:
    return {
        "noul": response.nouls["refund"].noul,
        "choice": response.choices["team"].choice,
        "score": response.scores["mood"].score,
        "legend": response.scores["mood"].legend,
        "tokens": response.usage.input_tokens,
    }


async def awaited() -> dict:
    async with AsyncClient(URL, api_key=KEY or None) as client:
        return told(await client.system_one({"ticket": "Where is my parcel?"}, QUESTIONS))


with Client(URL, api_key=KEY or None) as client:
    heard = {
        "sync": told(client.system_one({"ticket": "Where is my parcel?"}, QUESTIONS)),
        "async": asyncio.run(awaited()),
    }
    try:
        client.system_one("x", {"q": Noul("Is it?", criteria="a text")})
    except SystemOneError as error:
        heard["refusal"] = {"status": error.status, "text": error.detail}
json.dump(heard, sys.stdout)
