"""Diagnostics as text: location, message, source line and hint."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolgen.data.codes import CODES
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Span
from toolgen.escaping.characters import printable

MAX_WIDTH = 160  # characters of a source line that are shown
_TAB = "\t"

_BREAK = re.compile("\r\n|\r|\n")
_COLOURS = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;34m",
    "bold": "\x1b[1m",
    "dim": "\x1b[36m",
    "end": "\x1b[0m",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """The first line of a block, beside its place."""

    severity: str  # "error", "warning" or "info"
    code: str
    message: str


def render(diagnostics: Iterable[Diagnostic], texts: Mapping[str, bytes | str], color: bool = False) -> str:
    """Return every diagnostic with its source line; `texts` maps the files in the spans to their contents."""
    lines: dict[str, list[str]] = {}
    blocks = []
    for diagnostic in diagnostics:
        file = diagnostic.span.file
        if file not in lines:
            lines[file] = split_lines(texts.get(file, ""))
        blocks.append(_block(diagnostic, lines[file], color))
    return "".join(blocks)


def _block(diagnostic: Diagnostic, lines: list[str], color: bool) -> str:
    labels = [("note", f"{location(note.span)}: {printable(note.message)}") for note in diagnostic.notes]
    if diagnostic.hint:
        labels.append(("help", printable(diagnostic.hint)))
    heading = Heading(CODES[diagnostic.code].severity, diagnostic.code, printable(diagnostic.message))
    return block(diagnostic.span, heading, labels, lines, color=color)


def block(
    span: Span, heading: Heading, labels: Iterable[tuple[str, str]], lines: list[str], *, color: bool
) -> str:
    """Return one block: place and message, the source line, and labelled lines below it."""
    mark = _COLOURS if color else dict.fromkeys(_COLOURS, "")
    out = [
        f"{mark['bold']}{location(span)}{mark['end']}: "
        f"{mark[heading.severity]}{heading.severity}[{heading.code}]{mark['end']} {heading.message}"
    ]
    margin = ""
    if 1 <= span.line <= len(lines) and lines[span.line - 1].strip():
        text, column, length = _window(lines[span.line - 1], span.column - 1, span.length)
        margin = " " * len(str(span.line))
        before, marked = (
            printable(text[:column], keep=_TAB),
            printable(text[column : column + length], keep=_TAB),
        )
        out.append(f"{mark['dim']}{span.line} |{mark['end']} {printable(text, keep=_TAB)}".rstrip())
        carets = "^" * max(1, sum(map(_width, marked)))
        under = f"{_padding(before)}{mark[heading.severity]}{carets}{mark['end']}"
        out.append(f"{mark['dim']}{margin} |{mark['end']} {under}")
    out += [f"{margin or ' '} {mark['dim']}= {label}:{mark['end']} {text}" for label, text in labels]
    return "\n".join(out) + "\n"


def location(span: Span) -> str:
    """Return file, line and column."""
    return f"{printable(span.file)}:{span.line}:{span.column}"


def split_lines(raw: bytes | str) -> list[str]:
    """Return the lines of a file."""
    if isinstance(raw, bytes):
        wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = raw.decode("utf-16" if wide else "utf-8", errors="replace")
    else:
        text = raw
    return _BREAK.split(text.removeprefix("\ufeff"))


def _window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """Cut a long line around the span; return the part, and the span's column and length in it."""
    if len(line) <= MAX_WIDTH:
        return line, column, length
    start = max(0, min(column - MAX_WIDTH // 4, len(line) - MAX_WIDTH))
    shown = line[start : start + MAX_WIDTH]
    if start:
        shown = "…" + shown[1:]
    if start + MAX_WIDTH < len(line):
        shown = shown[:-1] + "…"
    return shown, column - start, min(length, MAX_WIDTH - (column - start))


def _padding(text: str) -> str:
    """Return blanks as wide as `text`; tabs are kept, so that tab stops do not matter."""
    return "".join("\t" if char == "\t" else " " * _width(char) for char in text)


def _width(char: str) -> int:
    """Return the width of a character in terminal columns."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
