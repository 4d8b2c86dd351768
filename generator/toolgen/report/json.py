"""Diagnostics as JSON, with the same content as the text format."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolgen.data.codes import CODES
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Span


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one JSON document: `{"diagnostics": [...]}`, in the given order."""
    return json.dumps({"diagnostics": as_data(diagnostics)}, ensure_ascii=False, indent=2) + "\n"


def as_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return each diagnostic as plain data. Lines and columns count from 1, `length` is in characters."""
    return [
        {
            "code": diagnostic.code,
            "severity": CODES[diagnostic.code].severity,
            "message": diagnostic.message,
            "hint": diagnostic.hint,
            **_location(diagnostic.span),
            "notes": [{"message": note.message, **_location(note.span)} for note in diagnostic.notes],
        }
        for diagnostic in diagnostics
    ]


def _location(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}
