"""Lay out statements of model classes as the formatter does, so that it need not run over them.

An expression fits on a line or is split in its outermost brackets, and a union at its operators. The rules
are ruff's; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_INDENT = 4
_MARGIN = " " * _INDENT
_ROOM = 88 - _INDENT  # characters of a line inside a class


@dataclass(frozen=True, slots=True)
class Brackets:
    """An expression that can be split after its opening bracket: `list[int]`, `Field(ge=1)`, `[1, 2]`."""

    opening: str  # "list["
    items: Sequence[Expression]
    closing: str


@dataclass(frozen=True, slots=True)
class Union:
    """Two or more types, joined by `|`."""

    members: Sequence[Expression]


Expression = str | Brackets | Union


def flat(expression: Expression) -> str:
    """Return the expression on one line."""
    match expression:
        case Brackets(opening, items, closing):
            return f"{opening}{', '.join(map(flat, items))}{closing}"
        case Union(members):
            return " | ".join(map(flat, members))
        case _:
            return expression


def class_statement(name: str, base: str) -> str:
    """Return the line `class name(base):`, or three lines if it is too long."""
    line = f"class {name}({base}):"
    return line if len(line) <= _INDENT + _ROOM else f"class {name}(\n{_MARGIN}{base}\n):"


def annotated_assignment(name: str, annotation: Expression, value: Expression | None) -> str:
    """Return the statement `name: annotation = value` of a class, on as many lines as it needs."""
    end = "" if value is None else f" = {flat(value)}"
    line = f"{name}: {flat(annotation)}{end}"
    if len(line) <= _ROOM:
        lines = [line]
    elif value is None:
        lines = _declaration(name, annotation)
    elif isinstance(annotation, str):
        lines = _split_value(line.removesuffix(flat(value)), value)
    else:
        lines = _split_assignment(name, annotation, value)
    return "\n".join(_MARGIN + line for line in lines)


def _declaration(name: str, annotation: Expression) -> list[str]:
    """Return the lines of a long `name: annotation`."""
    inside = [_MARGIN + line for line in _lines(annotation, _INDENT)]
    parenthesized = [f"{name}: (", *inside, ")"]
    match annotation:
        case Union():
            return parenthesized
        case Brackets():
            split = list(_split(annotation, 0, f"{name}: "))
            return split if len(split[0]) <= _ROOM or not _fit(parenthesized) else parenthesized
        case _:
            return parenthesized if _fit(parenthesized) else [f"{name}: {annotation}"]


def _split_value(head: str, value: Expression) -> list[str]:
    """Return the lines of a long assignment after whose `head` only the value can be split."""
    if isinstance(value, Brackets):
        return list(_split(value, 0, head)) if value.items else [head + flat(value)]
    parenthesized = [f"{head}(", _MARGIN + flat(value), ")"]
    return parenthesized if _fit(parenthesized) else [head + flat(value)]


def _split_assignment(name: str, annotation: Brackets | Union, value: Expression) -> list[str]:
    """Return the lines of a long assignment: the value is split, or else the annotation."""
    head = f"{name}: {flat(annotation)} = "
    if isinstance(value, Brackets) and value.items and len(head) < _ROOM:
        return list(_split(value, 0, head))
    if isinstance(value, str) and not value.startswith("-") and len(head) < _ROOM:
        return [f"{head}(", _MARGIN + value, ")"]
    if isinstance(annotation, Union):
        inside = (_MARGIN + line for line in _lines(annotation, _INDENT))
        lines, last = [f"{name}: (", *inside], ")"
    else:
        *lines, last = _split(annotation, 0, f"{name}: ")
    if isinstance(value, Brackets) and value.items and len(f"{last} = {flat(value)}") > _ROOM:
        return [*lines, *_split(value, 0, f"{last} = ")]
    return [*lines, f"{last} = {flat(value)}"]


def _fit(lines: Sequence[str]) -> bool:
    return all(len(line) <= _ROOM for line in lines)


def _lines(expression: Expression, indent: int, before: str = "", after: str = "") -> Iterator[str]:
    """Yield the lines of an expression inside brackets, between two texts."""
    line = f"{before}{flat(expression)}{after}"
    if len(line) <= _ROOM - indent or isinstance(expression, str):
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
    inner = indent + _INDENT
    together = ", ".join(map(flat, expression.items))
    several = len(expression.items) > 1
    if len(together) <= _ROOM - inner and not (several and expression.opening == "["):
        yield _MARGIN + together
    else:
        for item in expression.items:
            for line in _lines(item, inner, after="," if several else ""):
                yield _MARGIN + line
    yield expression.closing + after
