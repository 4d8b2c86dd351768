"""Positions in texts of every kind: line ends, byte order marks, characters of two units."""

from __future__ import annotations

import pytest
from lsprotocol.types import Position
from toolgen.cli.language_server.documents import Buffer

UNITS = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8": "utf-8"}
BYTES = {"utf-16": 2, "utf-32": 4, "utf-8": 1}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_places_are_where_the_editor_counts_them(units: str, mark: str) -> None:
    buffer = Buffer(f"{mark}a🍳é: x\r\n🍳\u2028b: y\rc: z", units)
    for line, text in enumerate([f"{mark}a🍳é: x", "🍳\u2028b: y", "c: z"]):
        column = text.removeprefix(mark).index(":")
        before = text[: text.index(":")].encode(UNITS[units])
        place = Position(line, len(before) // BYTES[units])
        assert buffer.to_editor(line, column) == place
        assert buffer.from_editor(place) == (line, column)


def test_positions_outside_of_the_text_are_at_its_ends() -> None:
    buffer = Buffer("a\nbc")
    assert buffer.from_editor(Position(0, 99)) == (0, 1)
    assert buffer.from_editor(Position(99, 0)) == (1, 2)
    assert buffer.to_editor(9, 9) == Position(1, 2)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_new_text_has_the_line_ends_and_the_mark_of_the_old_one(mark: str) -> None:
    edit = Buffer(f"{mark}a\r\nb\r\n").replaced("a\nx\n")
    assert (edit.start, edit.end, edit.text) == ((0, 0), (2, 0), "a\r\nx\r\n")
