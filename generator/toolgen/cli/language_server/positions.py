"""Positions of LSP in a buffer, and those of toolgen in the same text without its byte order mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lsprotocol.types import Position
from pygls.workspace import PositionCodec

_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_BOM: Final = "\ufeff"


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
    def _codec(self) -> PositionCodec:
        return PositionCodec(self.units)

    def _mark(self, line: int) -> str:
        return _BOM if line == 0 and self.text.startswith(_BOM) else ""

    def to_editor(self, line: int, column: int) -> Position:
        """Return the editor's position of a place, given as line and column from 0."""
        line = min(line, len(self.lines) - 1)
        return Position(line, self._codec.client_num_units(self._mark(line) + self.lines[line][:column]))

    def from_editor(self, position: Position) -> tuple[int, int]:
        """Return line and column from 0 of an editor's position; one behind a line is its end."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        mark = self._mark(position.line)
        line = mark + self.lines[position.line]
        character = min(position.character, self._codec.client_num_units(line))
        found = self._codec.position_from_client_units([line], Position(0, character))
        return position.line, max(found.character - len(mark), 0)

    def replaced(self, new: str) -> Edit:
        """Return the edit that makes `new`, a text with "\\n", of the whole text, with its line ends."""
        found = _LINE_ENDS.search(self.text)
        text = new.removeprefix(_BOM).replace("\n", found[0] if found else "\n")
        return Edit((0, 0), (len(self.lines) - 1, len(self.lines[-1])), text)
