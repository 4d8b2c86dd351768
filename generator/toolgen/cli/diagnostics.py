"""Show errors and warnings: as text with source lines, as JSON, or as a bug report."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.base.files import FileKind
from toolgen.cli.output import emit, emit_document, emit_json, say, say_text
from toolgen.cli.report.entry import Report, entry_of, relocated
from toolgen.cli.report.formats import FORMATS, formatted
from toolgen.cli.report.json import diagnostics_data
from toolgen.cli.report.text import lines_of_findings, render, summary_of_findings
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.project import UnableError, find_root, kind_of, read_text
from toolgen.project.inputs.discovery import repository

if TYPE_CHECKING:
    from toolgen.changes.comparing.sides import Judgement


def show_error(error: Exception, args: argparse.Namespace | None) -> None:
    """Show an error in the format that the command's flags ask for."""
    form = getattr(args, "format", "text")
    as_json = form == "json"
    if isinstance(error, SpecErrors):
        if as_json:
            emit_json({"diagnostics": diagnostics_data(error.diagnostics)})
        else:
            if args is not None and form in FORMATS and getattr(args, "of_report", False):
                # programs expect a document on stdout; people read the errors on stderr
                command, texts = args.run.__module__.rpartition(".")[2], error.texts or {}
                entries = tuple(map(entry_of, error.diagnostics))
                emit_report(Report(command, entries, failed=True, texts=texts), form, args.start)
            show(error.diagnostics, getattr(args, "start", "."), error.texts)
    elif isinstance(error, UnableError):
        if as_json:
            fault = {"code": error.code, "severity": "error", "message": error.message, "hint": error.hint}
            emit_json({"diagnostics": [fault]})
        else:
            first, *more = lines_of_error(error)
            say(f"toolgen: {first}", *more, always=True)


def lines_of_error(error: UnableError) -> list[str]:
    """Return an error without a place as lines, the second one with its hint."""
    return [f"error[{error.code}] {error.message}", *([f"  = help: {error.hint}"] if error.hint else [])]


def emit_report(report: Report, form: str, start: str) -> None:
    """Print a report in one of `FORMATS`, whose files are relative to the project.

    Code hosts show findings by the paths in the repository, so that is what files are printed relative to;
    outside of a repository, it is the folder that the command runs in, if that is above the project.
    """
    own = Path(os.path.realpath(find_root(Path(start))))
    top = repository(own) or Path(os.path.realpath("."))
    folder = own.relative_to(top).as_posix() if own.is_relative_to(top) else "."
    emit_document(formatted(relocated(report, "" if folder == "." else folder), form))


def show(
    diagnostics: Iterable[Diagnostic], start: str, texts: Mapping[str, bytes | str] | None = None
) -> None:
    """Show errors or warnings on stderr, with source lines; nothing without any.

    Source lines are read from the project at or above `start`, unless `texts` (file → text) is given.
    """
    found = tuple(diagnostics)
    if texts is None:
        texts = source_texts(found, start)
    say(*render(found, texts, color=has_color()).splitlines(), styled=True, always=True)


def emit_findings(judgement: Judgement) -> str:
    """Print the findings of a comparison; return how many there are, in words."""
    emit(*lines_of_findings(judgement, color=has_color()), styled=True)
    return summary_of_findings(judgement)


def report_bug(error: Exception) -> None:
    """Print an unexpected error with its traceback, which a report of the bug needs."""
    say(f"toolgen: this is a bug in toolgen, not in your specs: {type(error).__name__}", always=True)
    say_text("".join(traceback.format_exception(error)))
    say("  = help: please report it, with these lines and the spec", always=True)


def has_color() -> bool:
    """True if stderr is a terminal and NO_COLOR is not set (https://no-color.org)."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def source_texts(diagnostics: Iterable[Diagnostic], start: str) -> dict[str, str]:
    """Return the current texts of the files that these point into, in the project at or above `start`."""
    root = find_root(Path(start))
    texts: dict[str, str] = {}
    for file in {span.file for d in diagnostics for span in (d.span, *(note.span for note in d.notes))}:
        try:
            if kind_of(root, file) is FileKind.LINK:  # its target may be private
                continue
            texts[file] = read_text(root, file) or ""
        except UnableError:  # not text: no line to show
            continue
    return texts
