"""A fidelity report as a table on the terminal and as Markdown for the model card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clef_mlx.convert.card import size
from clef_mlx.convert.fidelity import Difference, Fidelity, Probabilities, Summary

SUMMARY_HEADINGS = ("questions", "count", "max dp", "mean dp", "mean KL", "changed", "score moved")
WORST_HEADINGS = ("request", "question", "before", "after", "dp")
SIZE_HEADINGS = ("modules", "before", "after", "share")
SHORTEST = 32  # characters of an id or answer


def terminal(fidelity: Fidelity) -> RenderableType:
    """Three small tables: by type, worst cases, sizes."""
    return Group(
        _table(SUMMARY_HEADINGS, list(_summary_rows(fidelity)), left=1),
        _table(WORST_HEADINGS, list(_worst_rows(fidelity)), left=4),
        _table(SIZE_HEADINGS, list(_size_rows(fidelity)), left=1),
    )


def markdown(fidelity: Fidelity) -> str:
    """The same but for the sizes, which a card has already."""
    requests = len({each.number for each in fidelity.differences})
    lines = [
        f"Measured on {requests} calibration requests, against the unquantized weights. dp is the largest change of "
        "an option's probability within a question, KL the divergence of the answers in nats.",
        "",
        *_markdown(SUMMARY_HEADINGS, _summary_rows(fidelity), left=1),
        "",
        "The questions that moved most:",
        "",
        *_markdown(WORST_HEADINGS, _worst_rows(fidelity), left=4),
    ]
    return "\n".join(lines)


def _summary_rows(fidelity: Fidelity) -> Iterator[tuple[str, ...]]:
    for name, summary in fidelity.by_type.items():
        yield name, *_summary_cells(summary)


def _summary_cells(summary: Summary) -> tuple[str, ...]:
    moved = "" if summary.mean_level is None else f"{summary.mean_level:.4f} (max {summary.max_level:.3f})"
    changed = f"{summary.changed} ({summary.changed / summary.questions:.1%})"
    dp = f"{summary.max_dp:.4f}", f"{summary.mean_dp:.4f}"
    return str(summary.questions), *dp, f"{summary.mean_kl:.2g}", changed, moved


def _worst_rows(fidelity: Fidelity) -> Iterator[tuple[str, ...]]:
    for each in fidelity.worst:
        before, after = _answers(each)
        yield _short(each.request), _short(each.question), before, after, f"{each.dp:.4f}"


def _answers(each: Difference) -> tuple[str, str]:
    """The answers before and after, in the words of each type."""
    if each.type == "noul":
        return f"{each.before['true']:.4f}", f"{each.after['true']:.4f}"
    return _top(each.before, each.type), _top(each.after, each.type)


def _top(p: Probabilities, question_type: str) -> str:
    option = max(p, key=p.__getitem__)
    return f"{'level ' if question_type == 'score' else ''}{_short(option)} {p[option]:.4f}"


def _size_rows(fidelity: Fidelity) -> Iterator[tuple[str, ...]]:
    total = [sum(side) for side in zip(*fidelity.sizes.values(), strict=True)]
    for kind, (before, after) in [*fidelity.sizes.items(), ("all", tuple(total))]:
        yield kind, size(before), size(after), f"{after / total[1]:.1%}"


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]], left: int) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _markdown(headings: tuple[str, ...], rows: Iterator[tuple[str, ...]], left: int) -> Iterator[str]:
    yield _line(headings)
    yield _line("---" if index < left else "---:" for index in range(len(headings)))
    yield from map(_line, rows)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _short(text: str) -> str:
    text = "".join(character if character.isprintable() else "�" for character in text)
    return text if len(text) <= SHORTEST else text[: SHORTEST - 1] + "…"
