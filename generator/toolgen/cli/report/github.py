"""A report as workflow commands of GitHub Actions, which show findings beside the lines of a change.

See "Workflow commands for GitHub Actions" in GitHub's documentation.
"""

from __future__ import annotations

from typing import Final

from toolgen.cli.report.entry import Entry, Report

_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def as_github(report: Report) -> str:
    """Return a command for each finding that is not accepted."""
    return "".join(f"{_command(each)}\n" for each in report.entries if not each.accepted)


def _command(entry: Entry) -> str:
    span = entry.span
    properties = {
        "file": span.file,
        "line": str(span.line),
        "col": str(span.column),
        "endColumn": str(span.column + max(span.length, 1)),
        "title": f"toolgen: {entry.code}",
    }
    text = "\n".join((entry.message, *(f"{label}: {words}" for label, words in entry.labels)))
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[entry.severity]} {shown}::{_data(text)}"


def _data(text: str) -> str:
    """Escape the message of a command: https://github.com/actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
