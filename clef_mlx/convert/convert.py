"""A release of any layout -> an MLX folder, streamed, checked, proven and then named: the whole flow, once through."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from clef_mlx.convert import recipes
from clef_mlx.convert.calibration import read_requests
from clef_mlx.convert.card import card
from clef_mlx.convert.check import Check, check_decision, check_values, check_written
from clef_mlx.convert.fidelity import Fidelity, compare
from clef_mlx.convert.job import Job, make_job
from clef_mlx.convert.pictures import draw
from clef_mlx.convert.record import Hashes, licence_of, write_card, write_record
from clef_mlx.convert.settings import Settings
from clef_mlx.convert.sidecars import REPORT, sidecars, write_json, write_sidecars
from clef_mlx.convert.staging import Staging, in_one_line, refuse_output, refuse_small_disk
from clef_mlx.convert.tables import markdown
from clef_mlx.convert.watch import Watch
from clef_mlx.convert.write import write_shards
from clef_mlx.engine import thread
from clef_mlx.errors import CheckpointError
from clef_mlx.weights.adapters.spec import adapter_specs
from clef_mlx.weights.files import read_folder
from clef_mlx.weights.hub import resolve
from clef_mlx.weights.inspect import Share, inspect_release
from clef_mlx.weights.provenance import Provenance, read_provenance

# Larger releases are run layer by layer. That reads no weight twice, so a conversion need not take a model's memory.
REPORT_BYTES = 2 << 30


@dataclass(frozen=True)
class Conversion:
    """What was made. `bits` are mean stored bits of the text matrices, `mb_per_s` counts the source's bytes.

    `changed` has a row for every parameter that an adapter changed, and by how much.
    """

    out: Path
    source: str
    revision: str | None
    recipe: str
    bits: float
    source_bytes: int
    nbytes: int
    seconds: float
    mb_per_s: float
    shares: tuple[Share, ...]
    vision: bool
    skipped_mtp_tensors: int
    adapters: tuple[dict[str, Any], ...]
    changed: tuple[dict[str, Any], ...]
    checks: tuple[Check, ...]
    chosen: dict[str, Any] | None
    fidelity: Fidelity | None = None

    def to_dict(self) -> dict[str, Any]:
        """For programs, and for conversion_report.json."""
        facts = {name: value for name, value in vars(self).items() if name != "fidelity"}
        return facts | {
            "out": str(self.out),
            "shares": [asdict(share) for share in self.shares],
            "checks": [asdict(check) for check in self.checks],
            "fidelity": None if self.fidelity is None else self.fidelity.to_dict(),
        }


def convert(
    model: str | Path, out: Path | None = None, settings: Settings | None = None, watch: Watch | None = None
) -> Conversion:
    """Convert a folder, hub id or alias into the folder `out` (None: named after source and recipe, here).

    Nothing of that name exists until the weights are written, checked and have decided; a full disk and an interrupt
    leave nothing behind. The report is made afterwards, in place. Raises CheckpointError, AdapterError, RequestError,
    MemoryBudgetError or ClefError; whatever can be known before writing is said before.
    """
    settings, watch = settings or Settings(), watch or Watch()
    source = resolve(str(model))
    files = read_folder(source)
    provenance = read_provenance(files.path, files.config)
    known_as = (provenance.source or source.resolve().name).rpartition("/")[2]
    out = Path(f"{known_as}-{settings.name}") if out is None else Path(out)
    refuse_output(source, out, force=settings.force)
    if settings.report:
        read_requests(settings.calibration)  # a mistake in them is said before hours of work
    job = make_job(files, settings, watch)
    record, made = _staged(job, source, provenance, out, settings, watch)
    return _reported(job, source, record, made, settings, watch)


def _staged(
    job: Job, source: Path, provenance: Provenance, out: Path, settings: Settings, watch: Watch
) -> tuple[dict[str, Any], Conversion]:
    """Write, prove, record and name the folder. -> its record, and what was made."""
    with in_one_line(out):
        refuse_small_disk(out, job.needed_bytes)
        hashes = Hashes(job.source.files)
        with Staging(out, force=settings.force, note=watch.note) as staging:
            started = time.monotonic()
            watch.begin("Writing", job.nbytes)
            thread.run_to_end(write_shards, staging.folder, job, watch)
            seconds = time.monotonic() - started
            write_sidecars(job, staging.folder)
            checks = _proven(job, staging.folder, watch)
            record = write_record(staging.folder, provenance, source, hashes.result(), settings.to_dict(), job.adapters)
            made = _conversion(job, out, staging.folder, record, checks, seconds)
            _write_card(staging.folder, source, record, made)
            staging.publish()
    return record, made


def _proven(job: Job, folder: Path, watch: Watch) -> tuple[Check, ...]:
    """Names, shapes and element counts against config and plan, every value, and a decision. Raises CheckpointError."""
    watch.begin("Checking", job.nbytes)
    checks = [
        thread.run(check_written, folder, job.shards),
        thread.run(check_values, read_folder(folder), watch.advance),
    ]
    if all(check.passed for check in checks):
        watch.begin("Deciding", 0)
        checks.append(check_decision(folder))
    if wrong := next((check for check in checks if check.passed is False), None):
        raise CheckpointError(f"{wrong.name}: {wrong.detail} Nothing was kept of the conversion.")
    return tuple(checks)


def _conversion(
    job: Job, out: Path, folder: Path, record: dict[str, Any], checks: tuple[Check, ...], seconds: float
) -> Conversion:
    return Conversion(
        out=out,
        source=record["source"],
        revision=record["revision"],
        recipe=record["recipe"],
        bits=recipes.bits_per_weight(job.choice, job.plan),
        source_bytes=job.source.nbytes,
        nbytes=job.nbytes,
        seconds=seconds,
        mb_per_s=job.source.nbytes / 1e6 / seconds,
        shares=inspect_release(folder).shares,
        vision=job.vision,
        skipped_mtp_tensors=len(job.plan.mtp),
        adapters=tuple(record["adapters"]),
        changed=tuple(row._asdict() for row in job.adapters.changed()),
        checks=checks,
        chosen=None if job.chosen is None else job.chosen.to_dict(),
    )


def _write_card(folder: Path, source: Path, record: dict[str, Any], made: Conversion) -> None:
    licence_files = [file.name for file in sidecars(folder) if file.name.startswith(("LICENSE", "NOTICE"))]
    text = card(
        made.out.name,
        record,
        made.shares,
        made.bits,
        licence=licence_of(source),
        licence_files=licence_files,
        fidelity=None if made.fidelity is None else markdown(made.fidelity),
        vision=made.vision,
    )
    write_card(folder, text)


def _reported(
    job: Job, source: Path, record: dict[str, Any], made: Conversion, settings: Settings, watch: Watch
) -> Conversion:
    """Measure what changed in the decisions, and leave that beside the weights, which are complete already."""
    if not settings.report:
        return made
    try:
        found = compare(
            source,
            made.out,
            read_requests(settings.calibration),
            adapters=adapter_specs(settings.adapters),
            base_head=settings.base_head,
            memory_bytes=REPORT_BYTES,
            progress=watch.step,
        )
    except KeyboardInterrupt:
        watch.note(f"{made.out}: is complete, but without a report.")
        raise
    made = replace(made, fidelity=found)
    write_json(made.out / REPORT, made.to_dict() | {"out": made.out.name})
    if why := draw(made.out, found):
        watch.note(why)
    _write_card(made.out, source, record, made)
    return made
