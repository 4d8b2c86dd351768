"""Every place escapes what controls, hides or imitates; each also what is active there."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.base.escaping.places import (
    json_document,
    json_line,
    log_text,
    markdown_cell,
    markdown_code,
    markdown_text,
    quoted_text,
    styled_line,
    terminal_line,
    terminal_lines,
)
from toolgen.base.escaping.streams import write_lines, write_prompt, write_status, write_text

from tests.samples import load_beside

from .test_characters import ESCAPED, SHOWN, TEXTS

ROOT = Path(__file__).parents[2]
PLACES: dict[str, Callable[[str], str]] = {
    "terminal line": terminal_line,
    "lines of a terminal": lambda text: "\n".join(terminal_lines(text)),
    "coloured line": styled_line,
    "log record": log_text,
    "log record as JSON": lambda text: json_line(json.dumps(text)),
    "JSON": json_document,
    "value in a message": lambda text: quoted_text(text, len(text)),
    "Markdown text": markdown_text,
    "Markdown code": markdown_code,
    "Markdown table": markdown_cell,
}
COMMANDS = {
    "::error file=a::b": "\\u003a:error file=a::b",
    "  ::add-mask::x": "  \\u003a:add-mask::x",
    "x ##[error]y": "x \\u0023#[error]y",
    "##vso[task.setvariable]x": "\\u0023#vso[task.setvariable]x",
    "a::b": "a::b",
    "## heading": "## heading",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("char", ESCAPED.values(), ids=ESCAPED)
def test_no_place_shows_a_raw_character(place: str, char: str) -> None:
    shown = PLACES[place](f"a{char}b\n{char}c")
    allowed = {"\n"} if place in ("lines of a terminal", "log record") else set()
    kept = (
        {"\t"} if place in ("terminal line", "lines of a terminal", "coloured line", "log record") else set()
    )
    if char not in allowed | kept:
        assert char not in shown
    assert all(each.isprintable() or each in allowed | kept for each in shown), ascii(shown)


@pytest.mark.parametrize(
    "place", [place for place in PLACES if "Markdown" not in place and "as JSON" not in place]
)
@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_every_place_shows_legitimate_text(place: str, text: str) -> None:
    text = text.replace("\\", "/").replace('"', "'")
    assert text in PLACES[place](text)


@pytest.mark.parametrize("text", COMMANDS)
def test_a_line_is_no_command_of_a_ci_service(text: str) -> None:
    assert terminal_line(text) == COMMANDS[text]
    assert terminal_line(COMMANDS[text]) == COMMANDS[text]


def test_lines_of_others_are_indented() -> None:
    assert terminal_lines("a\r\nb\rc\n\n::error::d\n") == ["a", "  b", "  c", "", "  \\u003a:error::d"]


def test_a_text_cannot_begin_a_record_of_the_log() -> None:
    forged = "x\n2026-01-01T00:00:00.000Z INFO toolgen: all is well\x1b[1A"
    assert log_text(forged) == "x\n  2026-01-01T00:00:00.000Z INFO toolgen: all is well\\u001b[1A"


def test_a_styled_line_has_colours_and_nothing_else() -> None:
    assert styled_line("\x1b[1;31merror\x1b[0m x\x1b[2Jy\x1b]0;t\x07") == (
        "\x1b[1;31merror\x1b[0m x\\u001b[2Jy\\u001b]0;t\\u0007"
    )


@given(
    st.recursive(
        TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
    )
)
def test_json_has_the_same_value_and_no_raw_character(value: object) -> None:
    shown = json_document(value)
    assert json.loads(shown) == json.loads(json.dumps(value))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028\u2029\ufeff]", shown)


def test_json_is_no_command_of_a_ci_service() -> None:
    shown = json_document({"a": "##[error]x", "::error::": "::b"})
    assert "##[" not in shown
    assert json.loads(shown) == {"a": "##[error]x", "::error::": "::b"}


@pytest.mark.parametrize(("text", "shown"), load_beside(__file__, "places.yaml"))
def test_markdown_shows_the_text_and_does_nothing(text: str, shown: str) -> None:
    assert markdown_text(text) == shown


def test_a_code_span_of_markdown_ends_where_it_ends() -> None:
    assert markdown_code("a`b``c") == "``` a`b``c ```"
    assert markdown_code("\n") == "` `"
    assert markdown_code("a\x1b") == "`a\\u001b`"


def test_what_is_written_is_escaped() -> None:
    stream = io.StringIO()
    write_lines(stream, "a\nb", "\x1b[1mc", styled=False)
    write_lines(stream, "\x1b[1mc\x1b[0m\x1b[2J", styled=True)
    write_text(stream, "d\n\x9be")
    write_prompt(stream, "f\r? ")
    assert stream.getvalue() == ("a\\nb\n\\u001b[1mc\n\x1b[1mc\x1b[0m\\u001b[2J\nd\n  \\u009be\nf\\r? ")
    stream = io.StringIO()
    write_status(stream, "\x1b]x")
    assert stream.getvalue() == "\r\x1b[K\\u001b]x"


def test_the_table_in_the_docs_has_every_place() -> None:
    text = (ROOT / "docs" / "escaping.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)
    assert [row for row in rows if row in PLACES] == list(PLACES)
