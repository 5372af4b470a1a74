"""A finished conversion as a model card: README.md with what it is, what it cost, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clef_mlx.weights.inspect import Share

CARD = """\
---
library_name: mlx
{licence}{base}tags:
- mlx
- clef
- decisions
---

# {name}

{origin}, converted to MLX with clef-mlx {version}, recipe `{recipe}`: {size}, {bits:.2f} bits a text weight.
It answers typed questions and generates no text.

{lm_head}

## What it cost

{fidelity}

## What is stored how

| modules | parameters | size | stored as |
|---|---:|---:|---|
{rows}

## Use

```bash
clef-mlx decide --model {name} request.json
clef-mlx verify {name}
```

The weights' origin, their hashes and all settings are in `conversion.json`. {vision}
The licence is that of the source; see its model card{files}.
"""
NOT_MEASURED = "Not measured: the conversion ran without a report."


def card(
    name: str,
    record: Mapping[str, Any],
    shares: Sequence[Share],
    bits: float,
    *,
    licence: str | None,
    licence_files: Sequence[str],
    fidelity: str | None,
    vision: bool,
) -> str:
    """The text of README.md. `fidelity` is a table in Markdown, None where nothing was measured."""
    source, revision = record["source"], record["revision"]
    total = sum(share.stored_bytes for share in shares)
    return CARD.format(
        name=name,
        licence=f"license: {licence}\n" if licence else "",
        base=f"base_model: {source}\n" if "/" in source else "",
        origin=f"`{source}`" + (f" at revision `{revision}`" if revision else "") + _adapters(record["adapters"]),
        version=record["tool"]["version"],
        recipe=record["recipe"],
        size=size(total),
        bits=bits,
        lm_head=_lm_head(shares),
        fidelity=fidelity or NOT_MEASURED,
        rows="\n".join(map(_row, shares)),
        vision="Pictures work as in the source." if vision else "Text only: the vision tower was left out.",
        files=f" and {', '.join(licence_files)} here" if licence_files else "",
    )


def _adapters(adapters: Sequence[Mapping[str, Any]]) -> str:
    return f" with {len(adapters)} adapter{'s' if len(adapters) > 1 else ''} merged" if adapters else ""


def _lm_head(shares: Sequence[Share]) -> str:
    """The head reads lm_head's rows, so its bits are worth a sentence."""
    found = {share.kind: share for share in shares}
    share = found.get("lm_head") or found["embed_tokens"]
    return f"The decision head reads rows of {share.kind}, which is stored as {', '.join(share.storage)}."


def _row(share: Share) -> str:
    return f"| {share.kind} | {share.parameters:,} | {size(share.stored_bytes)} | {storage_words(share)} |"


def storage_words(share: Share) -> str:
    """Such as "4-bit affine g64 (67%), 6-bit affine g64 (33%)"."""
    several = len(share.storage) > 1
    return ", ".join(
        f"{word} ({count / share.parameters:.0%})" if several else word for word, count in share.storage.items()
    )


def size(nbytes: float) -> str:
    """Decimal units, as disks and the model pages count."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6)):
        if nbytes >= scale:
            return f"{nbytes / scale:.2f} {unit}"
    return f"{nbytes / 1e3:.1f} kB"
