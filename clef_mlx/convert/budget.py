"""A size in bytes or bits -> the bits of every module, spent where decisions need them.

Each group of modules is measured alone at each width, the bytes go where a byte helps most, and the whole choice is
checked once against the same width everywhere, also on requests that had no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from clef_mlx.convert.account import Account, Target, size_words
from clef_mlx.convert.calibration import encode_all, thinned
from clef_mlx.convert.distance import mean_divergence
from clef_mlx.convert.groups import BITS, GROUP_SIZES, Group, group_up, stored_bytes
from clef_mlx.convert.recipes import Choice, bits_per_weight, matrices, uniform
from clef_mlx.convert.sensitivity import Damages, Progress, Records, measure, run_variants
from clef_mlx.convert.spend import Candidate, spend
from clef_mlx.engine import thread
from clef_mlx.tokenizer import ReleaseTokenizer
from clef_mlx.weights.adapters.spec import AdapterSpec
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.load import plan_adapted
from clef_mlx.weights.parted import PartedRelease
from clef_mlx.weights.plan import Plan
from clef_mlx.weights.quantize import Quantization

MEASURED_TOKENS = 8192  # taken in once for each group and width: some 300 times
HELD_OUT = 3  # every third request judges the choice and has no part in it


class Judged(NamedTuple):
    """Mean KL divergence in nats of the answers to `requests`, from those of the unquantized release.

    `uniform` is that of one width for all that is no larger, None where no width is.
    """

    requests: int
    chosen: float
    uniform: float | None


@dataclass(frozen=True)
class Chosen:
    """The bits of every module, and what was measured on the way.

    `nbytes` is the size of all tensors, `bits` the mean of the text model's matrices, `uniform_bits` the widest one
    width for all that is no larger. `groups` has a row per group: the bits chosen, its bytes, and the divergence
    measured at each width.
    """

    choice: Choice
    target: Target
    nbytes: int
    bits: float
    groups: tuple[dict[str, Any], ...]
    uniform_bits: int | None
    measured: Judged
    held_out: Judged | None

    def to_dict(self) -> dict[str, Any]:
        facts = vars(self) | {
            "target": {key: value for key, value in self.target._asdict().items() if value is not None},
            "measured": self.measured._asdict(),
            "held_out": self.held_out and self.held_out._asdict(),
        }
        del facts["choice"]
        return facts

    def sentence(self) -> str:
        """What the choice is worth, for people."""
        judged = self.held_out or self.measured
        where = f"{judged.requests} {'held-out' if self.held_out else 'calibration'} requests"
        text = f"{size_words(self.nbytes)}, {self.bits:.2f} bits a weight: KL {judged.chosen:.2g} nats on {where}"
        return text if judged.uniform is None else f"{text}, {judged.uniform:.2g} with {self.uniform_bits} bits for all"


@dataclass(frozen=True)
class _Task:
    """What is known before anything is measured. `plain` has the decided modules and leaves the others as they are.

    `uniform` is the widest width for all, as the common converters choose, that takes no more bytes; None if none does.
    """

    plan: Plan
    groups: Sequence[Group]
    account: Account
    room: int
    plain: Choice
    uniform: tuple[int, Choice] | None

    @classmethod
    def of(cls, plan: Plan, layers: int, target: Target, decided: Choice, text_only: bool) -> Self:
        """Raises RequestError for a target out of reach."""
        groups = group_up(plan, layers, decided)
        account = Account.of(plan, groups, decided, text_only)
        room = account.room(target)
        plain = dict.fromkeys(matrices(plan)) | decided
        return cls(plan, groups, account, room, plain, _uniform(plan, decided, room + account.matrices))

    def choice(self, bits: Mapping[str, int | None]) -> Choice:
        return self.plain | {name: q for group in self.groups for name, q in group.choice(bits[group.name]).items()}


class _Spent(NamedTuple):
    choice: Choice
    damages: Damages
    judged: list[Judged]


def choose(
    source: Path,
    requests: Sequence[Mapping[str, Any]],
    target: Target,
    *,
    decided: Choice | None = None,
    adapters: Sequence[AdapterSpec] = (),
    base_head: bool = False,
    text_only: bool = False,
    memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Choose the bits of every module of `source` so that decisions about `requests` move least at the target.

    `decided` modules are taken as they are. Never worse on the measured requests than the same width everywhere, which
    is taken where it is better.
    Raises RequestError for a target out of reach, before anything is measured, and what loading raises.
    """
    adapted = plan_adapted(read_folder(source), adapters, base_head=base_head)
    task = _Task.of(adapted.plan, adapted.config.text.num_hidden_layers, target, decided or {}, text_only)
    measured, held_out = _split(source, requests)
    open_release = partial(
        PartedRelease, source, adapters=adapters, base_head=base_head, unpack=True, memory_bytes=memory_bytes
    )
    spent = thread.run(_spend, open_release, task, measured, held_out, progress)
    return Chosen(
        choice=spent.choice,
        target=target,
        nbytes=task.account.rest + _nbytes(task.plan, spent.choice),
        bits=bits_per_weight(spent.choice, task.plan),
        groups=tuple(_row(group, spent) for group in task.groups),
        uniform_bits=task.uniform and task.uniform[0],
        measured=spent.judged[0],
        held_out=spent.judged[1] if held_out.records else None,
    )


def _uniform(plan: Plan, decided: Choice, most_bytes: int) -> tuple[int, Choice] | None:
    for bits in reversed(BITS):
        choice = uniform(plan, Quantization("affine", bits, GROUP_SIZES[0])) | decided
        if _nbytes(plan, choice) <= most_bytes:
            return bits, choice
    return None


def _nbytes(plan: Plan, choice: Choice) -> int:
    return sum(stored_bytes(recipe.shape, choice[module]) for module, recipe in matrices(plan).items())


def _split(source: Path, requests: Sequence[Mapping[str, Any]]) -> tuple[Records, Records]:
    """Records to measure on and records held out; fewer than `HELD_OUT` are all measured."""
    tokenizer = ReleaseTokenizer.from_folder(source)
    records = encode_all(tokenizer, requests)
    held_out = records[HELD_OUT - 1 :: HELD_OUT]
    measured = [record for index, record in enumerate(records, start=1) if index % HELD_OUT]
    return tuple(Records(thinned(part, MEASURED_TOKENS), tokenizer.pad_token_id) for part in (measured, held_out))


def _spend(
    open_release: partial[PartedRelease], task: _Task, measured: Records, held_out: Records, progress: Progress | None
) -> _Spent:
    """Everything that needs the model, in the thread that owns it."""
    release = open_release()
    damages = measure(release, task.groups, measured, progress)
    bought = spend(_candidates(task.groups, damages), task.room)
    choice = task.choice({name: candidate.bits for name, candidate in bought.items()})
    ways = [choice] if task.uniform is None else [choice, task.uniform[1]]
    judged = [_judge(release, ways, records) for records in (measured, held_out) if records.records]
    if task.uniform is not None and judged[0].chosen > judged[0].uniform:
        # Damages do not quite add up. Nobody should get less than the simple choice gives.
        return _Spent(ways[1], damages, [each._replace(chosen=each.uniform) for each in judged])
    return _Spent(choice, damages, judged)


def _candidates(groups: Sequence[Group], damages: Damages) -> dict[str, list[Candidate]]:
    return {
        group.name: [
            Candidate(None, group.nbytes(None), 0.0),
            *(Candidate(bits, group.nbytes(bits), damages[group.name, bits]) for bits in group.bits),
        ]
        for group in groups
    }


def _judge(release: PartedRelease, ways: Sequence[Choice], records: Records) -> Judged:
    changes = [{module: q for module, q in way.items() if q is not None} for way in ways]
    *logits, plain = run_variants(release, changes, records)
    chosen, *others = [mean_divergence(plain, mine) for mine in logits]
    return Judged(len(records.records), chosen, others[0] if others else None)


def _row(group: Group, spent: _Spent) -> dict[str, Any]:
    chosen = {module: spent.choice[module] for module in group.shapes}
    return {
        "group": group.name,
        "bits": next(q and q.bits for q in chosen.values()),
        "bytes": sum(stored_bytes(group.shapes[module], q) for module, q in chosen.items()),
        "divergence": {str(bits): spent.damages[group.name, bits] for bits in group.bits},
    }
