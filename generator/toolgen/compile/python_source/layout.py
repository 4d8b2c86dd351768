"""Lay out statements as the formatter does, so that it need not run over them.

An expression fits on a line or is split in its outermost brackets, and a union at its operators. The rules
are ruff's; tests compare the two. JSON data is split in its outermost brackets, too; long text with line
breaks is one string for each line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolgen.compile.python_source.literals import literal, string_lines
from toolgen.compile.python_source.text_width import width

WIDTH = 88
INDENT = 4
_MARGIN = " " * INDENT
_ROOM = WIDTH - INDENT  # columns of a line inside a class
_LITERALS = ("[", "{", "(")  # opening brackets whose items are never together on a line of their own


@dataclass(frozen=True, slots=True)
class Brackets:
    """An expression that can be split after its opening bracket: `list[int]`, `Field(ge=1)`, `[1, 2]`.

    A tuple of one item closes with `,)`. Strings that are one together have a blank as `separator`.
    """

    opening: str  # "list["
    items: Sequence[Expression]
    closing: str
    separator: str = ", "


@dataclass(frozen=True, slots=True)
class UnionExpression:
    """Two or more types, joined by `|`."""

    members: Sequence[Expression]


Expression = str | Brackets | UnionExpression


def flat(expression: Expression) -> str:
    """Return the expression on one line."""
    match expression:
        case Brackets(opening, items, closing, separator):
            return f"{opening}{separator.join(map(flat, items))}{closing}"
        case UnionExpression(members):
            return " | ".join(map(flat, members))
        case _:
            return expression


def type_expression(text: str) -> Expression:
    """Return the expression of a type without quotes, such as `str | list[int | None]`."""
    members = _split_outside_brackets(text, " | ")
    if len(members) > 1:
        return UnionExpression([type_expression(member) for member in members])
    name, bracket, inside = text.partition("[")
    if not bracket:
        return text
    items = _split_outside_brackets(inside.removesuffix("]"), ", ")
    return Brackets(name + bracket, [type_expression(item) for item in items], "]")


def _split_outside_brackets(text: str, separator: str) -> list[str]:
    parts: list[str] = []
    for part in text.split(separator):
        if parts and parts[-1].count("[") > parts[-1].count("]"):
            parts[-1] += separator + part
        else:
            parts.append(part)
    return parts


def class_statement(name: str, base: Expression) -> str:
    """Return the line `class name(base):`, or several lines if it is too long."""
    line = f"class {name}({flat(base)}):"
    if width(line) <= WIDTH:
        return line
    return "\n".join([f"class {name}(", *(_MARGIN + part for part in _lines(base, INDENT)), "):"])


def annotated_assignment(name: str, annotation: Expression, value: Expression | None) -> str:
    """Return the statement `name: annotation = value` of a class, on as many lines as it needs."""
    end = "" if value is None else f" = {flat(value)}"
    line = f"{name}: {flat(annotation)}{end}"
    if width(line) <= _ROOM:
        lines = [line]
    elif value is None:
        lines = _declaration(name, annotation)
    elif isinstance(annotation, str):
        lines = _split_value(line.removesuffix(flat(value)), value)
    else:
        lines = _split_assignment(name, annotation, value)
    return "\n".join(_MARGIN + line for line in lines)


def assignment(name: str, value: Expression) -> str:
    """Return the statement `name = value` of a class, on as many lines as it needs."""
    line = f"{name} = {flat(value)}"
    lines = [line] if _fits(line) else _split_value(f"{name} = ", value)
    return "\n".join(_MARGIN + line for line in lines)


def method_statement(name: str, parameters: Sequence[str], result: Expression) -> str:
    """Return the line `def name(parameters) -> result:` of a class, or several lines if it is too long."""
    together = ", ".join(parameters)
    line = f"def {name}({together}) -> {flat(result)}:"
    if _fits(line):
        return _MARGIN + line
    inner = _MARGIN + together
    inside = [inner] if _fits(inner) else [f"{_MARGIN}{each}," for each in parameters]
    last = f") -> {flat(result)}:"
    # ruff puts parentheses around a union before it splits it
    if _fits(last) or not isinstance(result, UnionExpression):
        ending = [last]
    else:
        ending = [") -> (", *(_MARGIN + part for part in _lines(result, 2 * INDENT)), "):"]
    return "\n".join(_MARGIN + part for part in [f"def {name}(", *inside, *ending])


def arguments(items: Sequence[str], indent: int) -> str:
    """Return the lines of arguments between the brackets of a call, indented by `indent`."""
    margin, together = " " * indent, ", ".join(items)
    if indent + width(together) <= WIDTH:
        return margin + together
    return "\n".join(f"{margin}{item}," for item in items)


def _declaration(name: str, annotation: Expression) -> list[str]:
    """Return the lines of a long `name: annotation`."""
    inside = [_MARGIN + line for line in _lines(annotation, 2 * INDENT)]
    parenthesized = [f"{name}: (", *inside, ")"]
    match annotation:
        case UnionExpression():
            return parenthesized
        case Brackets():
            split = list(_split(annotation, INDENT, f"{name}: "))
            return split if width(split[0]) <= _ROOM or not _fit(parenthesized) else parenthesized
        case _:
            return parenthesized if _fit(parenthesized) else [f"{name}: {annotation}"]


def _split_value(head: str, value: Expression) -> list[str]:
    """Return the lines of a long assignment after whose `head` only the value can be split."""
    if isinstance(value, Brackets):
        return list(_split(value, INDENT, head)) if value.items else [head + flat(value)]
    parenthesized = [f"{head}(", _MARGIN + flat(value), ")"]
    return parenthesized if _fit(parenthesized) else [head + flat(value)]


def _split_assignment(name: str, annotation: Brackets | UnionExpression, value: Expression) -> list[str]:
    """Return the lines of a long assignment: the value is split, or else the annotation."""
    head = f"{name}: {flat(annotation)} = "
    if isinstance(value, Brackets) and value.items and width(head) < _ROOM:
        return list(_split(value, INDENT, head))
    if isinstance(value, str) and not value.startswith("-") and width(head) < _ROOM:
        return [f"{head}(", _MARGIN + value, ")"]
    if isinstance(annotation, UnionExpression):
        inside = (_MARGIN + line for line in _lines(annotation, 2 * INDENT))
        lines, last = [f"{name}: (", *inside], ")"
    else:
        *lines, last = _split(annotation, INDENT, f"{name}: ")
    if isinstance(value, Brackets) and value.items and width(f"{last} = {flat(value)}") > _ROOM:
        return [*lines, *_split(value, INDENT, f"{last} = ")]
    return [*lines, f"{last} = {flat(value)}"]


def _fits(line: str) -> bool:
    return width(line) <= _ROOM


def _fit(lines: Sequence[str]) -> bool:
    return all(map(_fits, lines))


def _lines(expression: Expression, indent: int, before: str = "", after: str = "") -> Iterator[str]:
    """Yield the lines of an expression inside brackets, between two texts."""
    line = f"{before}{flat(expression)}{after}"
    if width(line) <= WIDTH - indent or isinstance(expression, str):
        yield line
    elif isinstance(expression, Brackets):
        yield from _split(expression, indent, before, after)
    else:
        last = len(expression.members) - 1
        for number, member in enumerate(expression.members):
            operator = "| " if number else before
            yield from _lines(member, indent, operator, after if number == last else "")


def _split(expression: Brackets, indent: int, before: str = "", after: str = "") -> Iterator[str]:
    """Yield the lines of an expression in brackets, split after the opening one."""
    yield before + expression.opening
    inner = indent + INDENT
    comma = expression.separator.rstrip()
    together = expression.separator.join(map(flat, expression.items))
    # one item has no comma behind it, except in a tuple
    needs_comma = comma and (len(expression.items) > 1 or expression.closing == ",)")
    if width(together) <= WIDTH - inner and not (needs_comma and expression.opening in _LITERALS):
        yield _MARGIN + together
    else:
        for item in expression.items:
            for line in _lines(item, inner, after="," if needs_comma else ""):
                yield _MARGIN + line
    yield expression.closing.lstrip(",") + after


class Subscript(NamedTuple):
    """An item of a dict among JSON data: `SCHEMAS["Sku"]`."""

    name: str  # of the dict
    key: str


class _Container(NamedTuple):
    """A list, a dict or a subscript, or text of several lines in parentheses."""

    opening: str  # "[", "{", "(" or `SCHEMAS[`
    closing: str
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
        return _container("{", "}", [(f"{literal(key)}: ", _item(item)) for key, item in value.items()])
    if isinstance(value, Subscript):
        return _container(f"{value.name}[", "]", [("", literal(value.key))])
    if isinstance(value, list | tuple):
        return _container("[", "]", [("", _item(item)) for item in value])
    return literal(value)


def _item(value: Any) -> _Node:
    if not isinstance(value, str):
        return _node(value)
    lines = string_lines(value)
    return _Container("(", ")", [("", line) for line in lines], None) if lines else literal(value)


def _container(opening: str, closing: str, items: Sequence[tuple[str, _Node]]) -> _Node:
    if not items:
        return opening + closing
    texts: list[str] = []
    room = WIDTH
    for before, item in items:
        text = item if isinstance(item, str) else item.flat
        if text is None or (room := room - len(before) - len(text)) < 0:
            return _Container(opening, closing, items, None)
        texts.append(before + text)
    return _Container(opening, closing, items, f"{opening}{', '.join(texts)}{closing}")


def _add_lines(lines: list[str], node: _Node, indent: int, before: str, after: str) -> None:
    margin = " " * indent
    text = node if isinstance(node, str) else node.flat
    if text is not None:
        line = f"{margin}{before}{text}{after}"
        if isinstance(node, str) or width(line) <= WIDTH:
            lines.append(line)
            return
    assert isinstance(node, _Container)
    lines.append(f"{margin}{before}{node.opening}")
    comma = "," if len(node.items) > 1 and node.opening != "(" else ""
    for key, item in node.items:
        _add_lines(lines, item, indent + INDENT, key, comma)
    lines.append(f"{margin}{node.closing}{after}")
