"""A report as Markdown for a comment on a pull request: a line of numbers, and a table of findings."""

from __future__ import annotations

from collections import Counter
from typing import Final

from toolgen.base.escaping.places import markdown_cell, markdown_text
from toolgen.base.suggestions import count
from toolgen.cli.report.entry import Entry, Report, location

_MAX_ROWS: Final = 30  # a comment has at most 65,536 characters
_MAX_TEXT: Final = 300  # characters of a text in a row
_ORDER: Final = ("error", "warning", "info", "accepted")


def as_pull_request(report: Report) -> str:
    """Return the comment; errors first. Texts of specs format nothing, link nothing and notify nobody."""
    found = sorted(report.entries, key=lambda each: _ORDER.index(_verdict(each)))
    numbers = Counter(map(_verdict, found))
    shown = [count(numbers[each], each) for each in ("error", "warning") if numbers[each]]
    accepted = [f"{numbers['accepted']} accepted"] if numbers["accepted"] else []
    lines = [f"**toolgen {report.command}**: {', '.join([*(shown or ['no findings']), *accepted])}"]
    if found:
        lines += ["", "| where | what |", "|---|---|", *map(_row, found[:_MAX_ROWS])]
    if len(found) > _MAX_ROWS:
        lines.append(f"| | and {len(found) - _MAX_ROWS:,} more |")
    lines += ["", *map(markdown_text, report.summary)] if report.summary else []
    return "\n".join(lines) + "\n"


def _verdict(entry: Entry) -> str:
    return "accepted" if entry.accepted else entry.severity


def _row(entry: Entry) -> str:
    labels = dict(entry.labels)
    further = (entry.accepted or labels.get("help"), labels.get("witness"))
    text = "; ".join((f"{_verdict(entry)}[{entry.code}] {entry.message}", *filter(None, further)))
    text = text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"
    return f"| {markdown_cell(location(entry.span))} | {markdown_text(text)} |"
