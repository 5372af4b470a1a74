"""How far each group of modules, quantized alone, moves the decisions.

One pass through the layers measures many groups and widths at once: each keeps hidden states of its own from its first
changed layer on. The weights are read once a pass, or once in all where they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from clef_mlx.convert.distance import mean_divergence
from clef_mlx.convert.groups import Group
from clef_mlx.engine.layerwise import Logits, Variant, hidden_bytes, layered_logits
from clef_mlx.record import EncodedRecord
from clef_mlx.weights.parted import PartedRelease

HIDDEN_BYTES = 1 << 30  # of hidden states in a pass

Damages = dict[tuple[str, int], float]  # (group, bits) -> mean KL divergence of the answers, in nats
Progress = Callable[[str, int, int], None]  # what is done, steps done, steps in all


class Records(NamedTuple):
    """Encoded calibration requests, and the tokenizer's pad id."""

    records: Sequence[EncodedRecord]
    pad_token_id: int


def measure(
    release: PartedRelease, groups: Sequence[Group], calibration: Records, progress: Progress | None = None
) -> Damages:
    """How far each group at each of its widths moves the answers from those of the release as it is."""
    tasks = [(group, bits) for group in groups for bits in group.bits]
    logits = run_variants(release, [group.choice(bits) for group, bits in tasks], calibration, progress)
    plain = logits.pop()
    return {(group.name, bits): mean_divergence(plain, mine) for (group, bits), mine in zip(tasks, logits, strict=True)}


def run_variants(
    release: PartedRelease, variants: Sequence[Variant], calibration: Records, progress: Progress | None = None
) -> list[Logits]:
    """Logits of every variant and, last, of the release as it is; in as many passes as memory asks for."""
    records, pad_token_id = calibration
    size = max(1, HIDDEN_BYTES // hidden_bytes(release, records))
    passes = [variants[start : start + size] for start in range(0, len(variants), size)]
    made: list[Logits] = []
    for number, mine in enumerate(passes):

        def told(done: int, layers: int, before: int = number) -> None:
            if progress is not None:
                progress("Measuring", before * layers + done, len(passes) * layers)

        *logits, plain = layered_logits(release, records, pad_token_id, [*mine, {}], told)
        made += logits
    return [*made, plain]
