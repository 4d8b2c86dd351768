"""A report as Markdown for a comment on a pull request: a line of numbers, and a table of findings."""

from __future__ import annotations

from collections import Counter
from typing import Final

from toolgen.base.escaping.places import markdown_cell, markdown_text
from toolgen.base.suggestions import count
from toolgen.cli.report.entry import Entry, Report, location

_MAX_ROWS: Final = 30  # a comment has at most 65,536 characters
_MAX_TEXT: Final = 300
_ORDER: Final = {"error": 0, "warning": 1, "info": 2}


def as_pull_request(report: Report) -> str:
    """Return the comment; errors first. Texts of specs format nothing, link nothing and notify nobody."""
    left = sorted(
        (each for each in report.entries if not each.accepted), key=lambda each: _ORDER[each.severity]
    )
    numbers = Counter(each.severity for each in left)
    shown = [count(numbers[each], each) for each in ("error", "warning") if numbers[each]]
    accepted = len(report.entries) - len(left)
    verdict = ", ".join([*(shown or ["no findings"]), *([f"{accepted} ignored"] if accepted else [])])
    lines = [f"**toolgen {report.command}**: {verdict}"]
    if left:
        lines += ["", "| where | what |", "|---|---|", *map(_row, left[:_MAX_ROWS])]
    if len(left) > _MAX_ROWS:
        lines.append(f"| | and {len(left) - _MAX_ROWS:,} more |")
    lines += ["", *map(markdown_text, report.summary)] if report.summary else []
    return "\n".join(lines) + "\n"


def _row(entry: Entry) -> str:
    help_ = dict(entry.labels).get("help", "")
    text = f"{entry.severity}[{entry.code}] {entry.message}" + (f"; {help_}" if help_ else "")
    text = text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
    return f"| {markdown_cell(location(entry.span))} | {markdown_text(text).replace('|', '&#124;')} |"
