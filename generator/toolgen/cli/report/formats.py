"""The formats of reports by name, beside text and JSON, which each command prints in its own shape."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolgen.base.escaping.places import document_lines

if TYPE_CHECKING:  # the command line imports the names for its help
    from toolgen.cli.report.entry import Report

FORMATS: Final = {
    "github": "toolgen.cli.report.github:as_github",
    "gitlab": "toolgen.cli.report.gitlab:as_gitlab",
    "junit": "toolgen.cli.report.junit:as_junit",
    "sarif": "toolgen.cli.report.sarif:as_sarif",
    "markdown": "toolgen.cli.report.pull_request:as_pull_request",
}
"""Name → module and function, which is imported when it is used."""


def formatted(report: Report, form: str) -> str:
    """Return a report in the format called `form`, a key of `FORMATS`."""
    module, function = FORMATS[form].split(":")
    text: str = getattr(import_module(module), function)(report)
    return text if form == "github" else document_lines(text)  # which consists of commands
