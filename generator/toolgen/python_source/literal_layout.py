"""Lay out JSON data as the formatter lays out Python literals, so that it need not run over them.

A value fits on a line or is split in its outermost brackets. Long text with line breaks is one string for
each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolgen.python_source.layout import INDENT, WIDTH
from toolgen.python_source.literals import literal, string_lines
from toolgen.python_source.text_width import width


class Code(str):
    """A Python expression among JSON data, printed as it is."""

    __slots__ = ()


class _Container(NamedTuple):
    """A list or a dict, or text of several lines in parentheses."""

    brackets: str  # "[]", "{}" or "()"
    items: Sequence[tuple[str, _Node]]  # the text before each item, such as '"key": ', and the item
    flat: str | None  # on one line; None if it is longer than a line, or if it is text


_Node = _Container | str


def laid_out(value: Any, head: str = "", *, indent: int = 0, tail: str = "") -> str:
    """Return the lines of JSON data between `head` and `tail`, all but the first one indented.

    Raises `TypeError` for anything that is not JSON data.
    """
    lines: list[str] = []
    _add_lines(lines, _node(value), indent, head, tail)
    return "\n".join(lines)[indent:]


def _node(value: Any) -> _Node:
    if isinstance(value, dict):
        return _container("{}", [(f"{literal(key)}: ", _item(item)) for key, item in value.items()])
    if isinstance(value, list | tuple):
        return _container("[]", [("", _item(item)) for item in value])
    return literal(value)


def _item(value: Any) -> _Node:
    if not isinstance(value, str):
        return _node(value)
    if isinstance(value, Code):
        return value
    lines = string_lines(value)
    return _Container("()", [("", line) for line in lines], None) if lines else literal(value)


def _container(brackets: str, items: Sequence[tuple[str, _Node]]) -> _Node:
    if not items:
        return brackets
    texts: list[str] = []
    room = WIDTH
    for before, item in items:
        text = item if isinstance(item, str) else item.flat
        if text is None or (room := room - len(before) - len(text)) < 0:
            return _Container(brackets, items, None)
        texts.append(before + text)
    return _Container(brackets, items, f"{brackets[0]}{', '.join(texts)}{brackets[1]}")


def _add_lines(lines: list[str], node: _Node, indent: int, before: str, after: str) -> None:
    margin = " " * indent
    text = node if isinstance(node, str) else node.flat
    if text is not None:
        line = f"{margin}{before}{text}{after}"
        if isinstance(node, str) or width(line) <= WIDTH:
            lines.append(line)
            return
    assert isinstance(node, _Container)
    lines.append(f"{margin}{before}{node.brackets[0]}")
    comma = "," if len(node.items) > 1 and node.brackets != "()" else ""
    for key, item in node.items:
        _add_lines(lines, item, indent + INDENT, key, comma)
    lines.append(f"{margin}{node.brackets[1]}{after}")
