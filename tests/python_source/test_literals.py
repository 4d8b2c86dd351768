"""Text of a spec is data in Python source: literals, docstrings and comments cannot be broken out of."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.compile.python_source.literals import comment, docstring, literal

TEXT = st.text(st.characters()) | st.text("\"\\'\n\r\t {}#%`N\u2028\x85\0aé😀\ud800", max_size=12)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)


@given(DATA)
def test_a_literal_evaluates_to_its_data(data: Any) -> None:
    source = literal(data)
    assert ast.literal_eval(source) == data
    assert repr(ast.literal_eval(source)) == repr(data)  # True is not 1, nor 1.0


@given(DATA, DATA)
def test_a_literal_has_no_control_characters(one: Any, other: Any) -> None:
    source = literal({"one": one, "other": other})
    source.encode("utf-8")
    assert not set(source) & set("\r\t\0\x0b\x0c\x1c\x85\u2028\u2029\u202e\ufeff")


def test_long_text_is_printed_line_by_line() -> None:
    text = "first line\n\nUse when: " + "x" * 80
    assert literal([text]).count("\n") == 2
    assert ast.literal_eval(literal([text])) == [text]


@pytest.mark.parametrize("value", [{1, 2}, b"x", float("nan"), float("inf"), object()])
def test_values_other_than_json_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        literal(value)


@given(TEXT, st.sampled_from([0, 4, 8]))
def test_a_docstring_is_one_expression(text: str, indent: int) -> None:
    source = docstring(text, indent)
    source.encode("utf-8")
    (only,) = ast.parse(source).body
    assert isinstance(only, ast.Expr)
    found = ast.literal_eval(source)
    assert found.split() == text.replace("\r\n", "\n").split() or _squeezed(found) == _squeezed(text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    "text", ['"', '""""', "\\", '\\"', 'ends with """', "a\\", '"""\nimport os\n"""', "", " "]
)
def test_quotes_and_backslashes_do_not_end_a_docstring(text: str) -> None:
    source = f"class A:\n    {docstring(text)}\n\n    b = 1\n"
    (made,) = ast.parse(source).body
    assert isinstance(made, ast.ClassDef)
    assert len(made.body) == 2


def test_docstrings_are_wrapped_and_indented() -> None:
    lines = docstring("word " * 60, 8).split("\n")
    assert len(lines) > 3
    assert all(len(line) <= 100 for line in lines[1:])
    assert all(line.startswith("        ") for line in lines[1:])


@given(TEXT)
def test_a_comment_stays_on_its_line(text: str) -> None:
    source = f"# {comment(text)}\n"
    source.encode("utf-8")
    assert len(source.splitlines()) == 1
    assert ast.parse(source).body == []
