"""A first decision of all three types: it proves a loaded model, and takes the cost of a first time."""

from __future__ import annotations

from clef_mlx.engine.clef import Clef
from clef_mlx.engine.options import Options
from clef_mlx.errors import ClefError
from clef_mlx.schema import parse_request

WARM_UP = {
    "state": "The kettle is on and the cups are ready.",
    "questions": {
        "ready": {"type": "noul", "instructions": "Can tea be made?"},
        "drink": {"type": "choice", "criteria": {"tea": None, "coffee": None}},
        "heat": {"type": "score", "criteria": ["cold", "warm", "hot"]},
    },
}


def decide_once(clef: Clef) -> None:
    """Raises what a request would."""
    for finished in clef.decide_together([clef.prepare(parse_request(WARM_UP), Options())]):
        for outcome in finished.values():
            if isinstance(outcome, ClefError):
                raise outcome
