"""Positions of LSP in a buffer, and those of toolgen in the same text without its byte order mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

from toolgen.language.source import Span

_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_BOM: Final = "\ufeff"
_MOST_LINES: Final = 20_000  # that are compared one by one: a longer text is replaced as a whole


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a buffer: lines and columns count from 0, columns in characters of the source text."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Buffer:
    """The text of a document as an editor has it.

    Args:
        text: With the editor's line ends, and its byte order mark if it keeps one.
        units: `utf-16`, `utf-8` or `utf-32`: what the editor counts in a line.
    """

    text: str
    units: str = "utf-16"

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines as `Source.text` has them: without line ends and byte order mark."""
        return _LINE_ENDS.split(self.text.removeprefix(_BOM))

    @cached_property
    def source_text(self) -> str:
        """The text as `Source.text` has it."""
        return "\n".join(self.lines)

    @cached_property
    def line_end(self) -> str:
        """The first line end of the text."""
        found = _LINE_ENDS.search(self.text)
        return found[0] if found else "\n"

    def to_editor(self, line: int, column: int) -> tuple[int, int]:
        """Return the editor's position of a place, given as line and column from 0."""
        line = min(line, len(self.lines) - 1)
        before = self.lines[line][:column]
        return line, self._offset(line) + sum(map(self._width, before))

    def from_editor(self, line: int, character: int) -> tuple[int, int]:
        """Return line and column from 0 of an editor's position; one behind a line is its end."""
        if line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        left = character - self._offset(line)
        for column, each in enumerate(self.lines[line]):
            if left < self._width(each):
                return line, column
            left -= self._width(each)
        return line, len(self.lines[line])

    def span(self, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return start and end of a span for the editor."""
        start = self.to_editor(span.line - 1, span.column - 1)
        return start, self.to_editor(span.line - 1, span.column - 1 + span.length)

    def _offset(self, line: int) -> int:
        return 3 if self.units == "utf-8" and self._has_mark(line) else int(self._has_mark(line))

    def _has_mark(self, line: int) -> bool:
        return line == 0 and self.text.startswith(_BOM)

    def _width(self, character: str) -> int:
        if self.units == "utf-16":
            return 2 if character > "\uffff" else 1
        return len(character.encode(errors="surrogatepass")) if self.units == "utf-8" else 1


def line_edits(buffer: Buffer, new: str) -> list[Edit]:
    """Return the edits that make `new`, a text with "\\n" and without byte order mark, of a buffer."""
    old, wanted = list(buffer.lines), new.removeprefix(_BOM).split("\n")
    if len(old) + len(wanted) > _MOST_LINES:
        changes = [(0, len(old), 0, len(wanted))]
    else:
        matcher = SequenceMatcher(None, old, wanted, autojunk=False)
        changes = [(*each[1:],) for each in matcher.get_opcodes() if each[0] != "equal"]
    return [_line_edit(buffer, first, last, wanted[start:end]) for first, last, start, end in changes]


def _line_edit(buffer: Buffer, first: int, last: int, lines: Sequence[str]) -> Edit:
    """Return the edit that puts `lines` in the place of the lines `first` to `last`."""
    old, end = buffer.lines, buffer.line_end
    if last < len(old):
        return Edit((first, 0), (last, 0), "".join(line + end for line in lines))
    behind = (len(old) - 1, len(old[-1]))
    if first == 0:
        return Edit((0, 0), behind, end.join(lines))
    # the end of the text has no line behind it: the line end before is part of the change
    return Edit((first - 1, len(old[first - 1])), behind, "".join(end + line for line in lines))
