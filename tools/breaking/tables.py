"""The tables of the proof: for the terminal, and in Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from toolgen.changes.edit_space import Cell

from tools.breaking.suite import SuiteScore
from tools.breaking.tally import Tally

_FIGURES = ("pairs", "contained", "broken", "unanalysed", "samples", "refuted")


def of_cells(tallies: Mapping[Cell, Tally]) -> list[list[str]]:
    """Return one row for each cell."""
    head = ["keyword", "edit", "direction", *_FIGURES]
    rows = [
        [f"`{cell.keyword}`", cell.edit.value, cell.direction.value, *_figures(tally)]
        for cell, tally in tallies.items()
    ]
    return [head, *rows]


def of_keywords(tallies: Mapping[Cell, Tally]) -> list[list[str]]:
    """Return one row for each keyword, all its edits in both directions together."""
    by_keyword: dict[str, Tally] = {}
    for cell, tally in tallies.items():
        by_keyword.setdefault(cell.keyword, Tally()).add(tally)
    return [["keyword", *_FIGURES], *([f"`{keyword}`", *_figures(of)] for keyword, of in by_keyword.items())]


def _figures(tally: Tally) -> list[str]:
    numbers = (
        tally.pairs,
        tally.contained,
        tally.broken,
        tally.unanalysed,
        tally.samples,
        len(tally.refutations),
    )
    return [f"{number:,}" for number in numbers]


def of_suite(scores: Mapping[str, SuiteScore]) -> list[list[str]]:
    """Return one row for each folder of the containment suite."""
    head = ["draft and folder", "questions", "right", "wrong", "unanalysed", "contradicted", "not in a spec"]
    return [
        head,
        *(
            [
                name,
                *(
                    f"{n:,}"
                    for n in (
                        s.questions,
                        s.right,
                        len(s.wrong),
                        s.unanalysed,
                        len(s.contradicted),
                        len(s.refused),
                    )
                ),
            ]
            for name, s in scores.items()
        ),
    ]


def as_text(rows: Sequence[Sequence[str]]) -> str:
    """Lay a table out for the terminal: words to the left, figures to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if cell.replace(",", "").isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    head, *body = rows
    lines: Iterable[Sequence[str]] = (head, ["---"] * len(head), *body)
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
