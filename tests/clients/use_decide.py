"""pydecide against both dialects of the server at the given address; prints what it understood, as JSON."""

import json
import sys

from decide import Choice, Client, Noul, Score
from decide.backends.openai_decisions import OpenAIDecisionsBackend
from decide.backends.typesafe import TypeSafeBackend

URL, KEY, MODEL = sys.argv[1:]
QUESTIONS = {
    "refund": Noul("Does the customer ask for money back?", {"true": "They want money"}),
    "team": Choice("Which team should answer?", ["billing", "shipping"]),
    "mood": Score("How does the customer feel?", ["calm", "cross", "furious"]),
    "bare": Noul(""),
}


def told(backend) -> dict:
    response = Client([backend]).decide("Where is my parcel?", QUESTIONS)
    answers = response.answers
    return {
        "noul": answers["refund"].noul,
        "choice": answers["team"].choice,
        "shares": answers["team"].probabilities,
        "score": answers["mood"].score,
        "levels": answers["mood"].probabilities,
        "model": response.meta.model,
    }


heard = {
    "systemone": told(TypeSafeBackend(KEY, base_url=URL)),
    "decisions": told(OpenAIDecisionsBackend(KEY, base_url=f"{URL}/v1", model=MODEL)),
}
json.dump(heard, sys.stdout)
