"""Diagnostics for programs: the same as the text says, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolgen.data.codes import CODES
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Span


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """One JSON document: `{"diagnostics": [...]}`, in the order given."""
    return json.dumps({"diagnostics": as_data(diagnostics)}, ensure_ascii=False, indent=2) + "\n"


def as_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Each diagnostic as plain data; lines and columns count from 1, `length` in characters."""
    return [
        {
            "code": diagnostic.code,
            "severity": CODES[diagnostic.code].severity,
            "message": diagnostic.message,
            "hint": diagnostic.hint,
            **_place(diagnostic.span),
            "notes": [{"message": note.message, **_place(note.span)} for note in diagnostic.notes],
        }
        for diagnostic in diagnostics
    ]


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}
