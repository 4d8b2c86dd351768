"""Positions and edits in texts of every kind: line ends, byte order marks, characters of two units."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolgen.cli.language_server.positions import Buffer, line_edits
from toolgen.language.source import Span

from tests.samples import examples

PIECES = ["a", "b", "🍳", "é", "\u2028", "\x85", "\t", " ", "\n", "\r\n"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
UNITS = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8": "utf-8"}
BYTES = {"utf-16": 2, "utf-32": 4, "utf-8": 1}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_places_are_where_the_editor_counts_them(units: str, mark: str) -> None:
    buffer = Buffer(f"{mark}a🍳é: x\r\n🍳\u2028b: y\rc: z", units)
    for line, text in enumerate([f"{mark}a🍳é: x", "🍳\u2028b: y", "c: z"]):
        column = text.removeprefix(mark).index(":")
        start, end = buffer.span(Span("f", line + 1, column + 1))
        before = text[: text.index(":")].encode(UNITS[units])
        assert start == (line, len(before) // BYTES[units])
        assert end == (line, start[1] + 1)
        assert buffer.from_editor(*start) == (line, column)


def test_positions_outside_of_the_text_are_at_its_ends() -> None:
    buffer = Buffer("a\nbc")
    assert buffer.from_editor(0, 99) == (0, 1)
    assert buffer.from_editor(99, 0) == (1, 2)
    assert buffer.from_editor(0, -1) == (0, 0)
    assert buffer.to_editor(9, 9) == (1, 2)


def applied(buffer: Buffer, new: str) -> str:
    lines = [line + "\n" for line in buffer.lines]
    lines[-1] = lines[-1][:-1]
    text = "".join(lines)

    def index(place: tuple[int, int]) -> int:
        return sum(map(len, lines[: place[0]])) + place[1]

    for edit in reversed(line_edits(buffer, new)):
        text = text[: index(edit.start)] + edit.text.replace("\r\n", "\n") + text[index(edit.end) :]
    return text


@settings(max_examples=examples(400), deadline=None)
@given(TEXTS, TEXTS)
@example("a", "")
@example("a\nb", "a")
@example("", "a\n")
def test_edits_of_lines_make_the_new_text(old: str, new: str) -> None:
    new = new.replace("\r\n", "\n")
    assert applied(Buffer(old), new) == new


def test_edits_have_the_line_ends_of_the_text_and_leave_equal_lines_alone() -> None:
    (edit,) = line_edits(Buffer("a\r\nb\r\nc\r\n"), "a\nx\ny\nc\n")
    assert (edit.start, edit.end, edit.text) == ((1, 0), (2, 0), "x\r\ny\r\n")
    assert line_edits(Buffer("a\r\nb"), "a\nb") == []
