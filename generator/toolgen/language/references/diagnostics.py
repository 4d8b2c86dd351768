"""Diagnostics of the faults that `runtime/definition` finds in a spec: their paths, as places in files."""

from __future__ import annotations

from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.source import Source, Span
from toolgen.runtime.definition.faults import SpecFault

from .bundle import Bound


def diagnostic_of(fault: SpecFault, written: Source | Bound) -> Diagnostic:
    """Return a fault with its place in what is written: a file, or a schema that has been bound."""
    span = written.key(fault.path) if fault.of_key else written.value(fault.path)
    if fault.part and isinstance(written, Source):
        span = _part_of(span, written.lines, fault.part)
    notes = tuple(Note(written.value(other), fault.about_other) for other in fault.others)
    return Diagnostic(span, fault.code, fault.message, fault.hint, notes)


def _part_of(span: Span, lines: list[str], part: str) -> Span:
    """Return the place of `part` in a text; that of the whole text if the part is escaped in the file."""
    # A text of several lines is a block scalar, whose lines follow the place of the value.
    for number in range(span.line, min(span.line + 20, len(lines)) + 1):
        column = lines[number - 1].find(part, span.column - 1 if number == span.line else 0)
        if column >= 0:
            return Span(span.file, number, column + 1, len(part))
    return span
