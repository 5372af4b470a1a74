"""Waiting requests -> answers: batches as large as one pass holds, one request's fault kept from all others."""

from __future__ import annotations

import sys
import traceback

from clef_mlx.engine.clef import Clef
from clef_mlx.engine.decision import Decision
from clef_mlx.engine.thread import Abandoned
from clef_mlx.errors import ClefError, ModelFault
from clef_mlx.pipe.pending import Pending, Slot
from clef_mlx.pipe.protocol import answer, failure


def decide_pending(model: Clef, pending: Pending, batch_tokens: int) -> None:
    """Decide until there is nothing more to come."""
    while batch := pending.batch(batch_tokens):
        _decide(model, pending, batch, batch_tokens)


def told(fault: Exception) -> ModelFault:
    """What the other program is told of a fault of ours, which keeps its traceback on stderr."""
    traceback.print_exception(fault, file=sys.stderr)
    return ModelFault("model: failed at this request. stderr says where.")


def _decide(model: Clef, pending: Pending, batch: list[Slot], batch_tokens: int) -> None:
    """Answer every request; where a pass fails as a whole, its members are tried one by one."""
    left = [(slot, slot.asked) for slot in batch if slot.answer is None]
    done: set[int] = set()
    fault: Exception | None = None
    try:
        for finished in model.decide_together([asked for _, asked in left], batch_tokens=batch_tokens):
            for index, outcome in finished.items():
                _settle(model, pending, left[index][0], outcome)
            done |= finished.keys()
    except Abandoned:
        pass  # nobody waits for it, or no longer for some of it
    except Exception as error:  # noqa: BLE001 - whatever the model threw, the process lives
        fault = error
    if fault is not None and len(left) == 1:
        if left[0][0].answer is None:
            _settle(model, pending, left[0][0], told(fault))
        return
    for index, (slot, _) in enumerate(left):
        if index not in done and slot.answer is None:
            _decide(model, pending, [slot], batch_tokens)


def _settle(model: Clef, pending: Pending, slot: Slot, outcome: Decision | ClefError) -> None:
    if isinstance(outcome, ModelFault):
        model.forget()  # a kept prefix may be what is wrong
    if isinstance(outcome, Decision):
        pending.settle(slot, answer(slot.id, outcome))
    else:
        pending.settle(slot, failure(slot.id, outcome, slot.line))
