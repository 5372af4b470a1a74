"""clef-evals, which speaks Cloudflare's envelope, against the server; prints what it understood, as JSON."""

import json
import sys

from clef_evals import Choice, ClefAPIError, ClefClient, ClefConfig, Noul, Score

URL, KEY, *PICTURES = sys.argv[1:]
QUESTIONS = {
    "refund": Noul("Does the customer ask for money back?", criteria_true="They want money"),
    "team": Choice("Which team should answer?", {"billing": "Payments", "shipping": "Parcels"}),
    "mood": Score("How does the customer feel?", ["calm", "cross"]),
}


def config(**changes) -> ClefConfig:
    given = {"account_id": "0123456789abcdef", "api_token": KEY, "base_url": f"{URL}/client/v4", "max_retries": 0}
    return ClefConfig(**given | changes)


def told(response) -> dict:
    answers = response.answers
    return {
        "model": response.model,
        "noul": answers["refund"].probability,
        "choice": answers["team"].choice,
        "score": answers["mood"].score,
        "legend": answers["mood"].legend,
        "tokens": [response.usage.input_tokens, response.usage.output_tokens],
    }


heard = {}
for model in ("@cf/cloudflare/clef", "@cf/cloudflare/clef-flash"):
    with ClefClient(config(model=model)) as client:
        heard[model] = told(client.run("Where is my parcel?", QUESTIONS))
with ClefClient(config()) as client:
    if PICTURES:
        pictures = [{"content_type": "image/png", "base64": picture} for picture in PICTURES]
        heard["pictures"] = told(client.run("The parcel.", QUESTIONS, images=pictures))
    try:
        client.run("x", QUESTIONS, images=[{"content_type": "image/png", "base64": "!"}])
    except ClefAPIError as error:
        heard["refusal"] = {"status": error.status_code, "code": error.error_code, "text": str(error)}
json.dump(heard, sys.stdout)
