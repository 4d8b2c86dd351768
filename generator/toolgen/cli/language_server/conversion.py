"""Values of toolgen as types of LSP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from lsprotocol import types

from toolgen.base.escaping.characters import printable
from toolgen.cli.language_server.analysis import Findings
from toolgen.cli.language_server.completion import Completion
from toolgen.cli.language_server.cursor import places
from toolgen.cli.language_server.links import Replacement, as_written
from toolgen.cli.language_server.positions import Buffer, Edit
from toolgen.cli.report.entry import Entry
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Source, Span

SOURCE: Final = "toolgen"
_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_KINDS: Final = {
    "field": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "reference": types.CompletionItemKind.Reference,
}

Locate = Callable[[Span], types.Location | None]
"""Returns where a span is for the editor; None for a file that it does not know."""


def range_of(buffer: Buffer, start: tuple[int, int], end: tuple[int, int]) -> types.Range:
    """Return a range, given in lines and columns from 0."""
    return types.Range(
        buffer.to_editor(*start),
        buffer.to_editor(*end),
    )


def span_range(buffer: Buffer, span: Span) -> types.Range:
    """Return the range of a span."""
    line, column = span.line - 1, span.column - 1
    return range_of(buffer, (line, column), (line, column + span.length))


def text_edits(buffer: Buffer, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return edits of a buffer."""
    return [types.TextEdit(range_of(buffer, edit.start, edit.end), edit.text) for edit in edits]


def diagnostics(findings: Findings, buffer: Buffer, locate: Locate) -> list[types.Diagnostic]:
    """Return what is found in a file as diagnostics."""
    return [diagnostic(entry, findings.origin(entry), buffer, locate) for entry in findings.entries]


def diagnostic(entry: Entry, origin: Diagnostic | None, buffer: Buffer, locate: Locate) -> types.Diagnostic:
    """Return one finding: its hint is the second line of the message, its notes are related places."""
    related = [
        types.DiagnosticRelatedInformation(place, printable(note.message))
        for note in (origin.notes if origin is not None else ())
        if (place := locate(note.span)) is not None
    ]
    hints = [f"{label}: {text}" for label, text in entry.labels if label != "note"]
    return types.Diagnostic(
        range=span_range(buffer, entry.span),
        message="\n".join((entry.message, *hints)),
        severity=_SEVERITIES[entry.severity],
        code=entry.code,
        source=SOURCE,
        related_information=related or None,
    )


def completion_item(item: Completion, buffer: Buffer, line: int, column: int) -> types.CompletionItem:
    """Return a completion at a position, which replaces the word before it."""
    start = (line, column - len(item.word))
    return types.CompletionItem(
        label=printable(item.label),
        kind=_KINDS[item.kind],
        detail=printable(item.detail) or None,
        documentation=printable(item.about) or None,
        filter_text=item.label,
        text_edit=types.TextEdit(range_of(buffer, start, (line, column)), item.text),
    )


def replacement_edits(source: Source, changes: Sequence[Replacement]) -> list[Edit]:
    """Return the edits of a file that write other texts in the place of scalars."""
    wanted: Mapping[tuple[object, bool], str] = {(each.path, each.is_key): each.text for each in changes}
    lines = source.lines
    return [
        Edit(place.start, place.end, as_written(text, lines[place.start[0]][place.start[1] :]))
        for place in places(source.text)
        if (text := wanted.get((place.path, place.is_key))) is not None
    ]
