"""The official Python SDK against the server at the given address; prints what it understood, as JSON."""

import asyncio
import json
import sys

from backports.zstd import decompress
from typesafe_sdk import AsyncTypeSafeClient, Choice, Image, Noul, Score, TypeSafeClient, TypeSafeError
from typesafe_sdk._core.compression import COMPRESSORS

URL, KEY, *PICTURES = sys.argv[1:]
LONG = "The parcel came late and the box was torn. " * 60
QUESTIONS = {
    "refund": Noul(instructions="Does the customer ask for money back?"),
    "team": Choice(instructions="Which team should answer?", criteria={"billing": "Payments", "shipping": None}),
    "mood": Score(instructions="How does the customer feel?", criteria=["calm", {"label": "cross"}, ["furious"]]),
}


def told(response) -> dict:
    return {
        "model": response.model,
        "noul": response.nouls["refund"].noul,
        "choice": response.choices["team"].choice,
        "shares": response.choices["team"].probabilities,
        "score": response.scores["mood"].score,
        "legend": response.scores["mood"].legend,
        "input_tokens": response.usage.input_tokens,
        "output_tokens": response.usage.output_tokens,
        "request_id": response.request_id,
    }


def compressed() -> dict:
    """The same long state with and without zstd; the compressor is watched to be sure it ran."""
    sent = []

    def compress(body: bytes) -> bytes:
        sent.append(zstd(body))
        return sent[-1]

    zstd, COMPRESSORS["zstd"] = COMPRESSORS["zstd"], compress
    with TypeSafeClient(api_key=KEY, base_url=URL, compression="zstd") as client:
        squeezed = client.system_one(state=LONG, questions=QUESTIONS)
    with TypeSafeClient(api_key=KEY, base_url=URL, compression=False) as client:
        plain = client.system_one(state=LONG, questions=QUESTIONS)
    same = [told(answer) | {"request_id": ""} for answer in (squeezed, plain)]
    return {"bodies": len(sent), "smaller": len(sent[0]) < len(decompress(sent[0])), "same": same[0] == same[1]}


async def several() -> list[dict]:
    async with AsyncTypeSafeClient(api_key=KEY, base_url=URL) as client:
        asked = [client.system_one(state=f"Ticket {number}", questions=QUESTIONS) for number in range(8)]
        return [told(response) for response in await asyncio.gather(*asked)]


def with_pictures() -> dict:
    """One in the state, one named in text, both sent as parts of a multipart body."""
    first, second = (Image.from_base64(picture) for picture in PICTURES)
    with TypeSafeClient(api_key=KEY, base_url=URL) as client, client.attach_assets(second):
        state = {"photo": first, "note": f"and the back: {second}"}
        return told(client.system_one(state=state, questions=QUESTIONS))


def refusal() -> dict:
    with TypeSafeClient(api_key=KEY, base_url=URL) as client:
        try:
            client.system_one(state="x", questions={"q": Score(instructions="?", criteria=["level"] * 11)})
        except TypeSafeError as error:
            return {"kind": type(error).__name__, "status": error.status, "text": str(error)}
    return {}


with TypeSafeClient(api_key=KEY, base_url=URL) as client:
    heard = {
        "text": told(client.system_one(state="Where is my parcel?", questions=QUESTIONS)),
        "models": [[model.name, model.release_date] for model in client.models.list().models],
    }
heard |= {"compressed": compressed(), "several": asyncio.run(several()), "refusal": refusal()}
if PICTURES:
    heard["pictures"] = with_pictures()
json.dump(heard, sys.stdout)
