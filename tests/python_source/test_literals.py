"""Text of a spec is data in Python source: literals, docstrings and comments cannot be broken out of."""

from __future__ import annotations

import ast
from typing import Any

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


@given(TEXT)
def test_a_comment_stays_on_its_line(text: str) -> None:
    source = f"# {comment(text)}\n"
    source.encode("utf-8")
    assert len(source.splitlines()) == 1
    assert ast.parse(source).body == []
