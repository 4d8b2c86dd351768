"""Constraints on a text, as a formula of patterns without lookaround."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from toolgen.proof.containment.regular.syntax import (
    Anchor,
    BackReference,
    Choice,
    Look,
    Node,
    NotRegularError,
    Repeat,
    Sequence,
)


@dataclass(frozen=True, slots=True)
class Matches:
    """Somewhere in the text there is a match of `node`."""

    node: Node


@dataclass(frozen=True, slots=True)
class Not:
    """The other does not hold."""

    other: Formula


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of these hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of these holds."""

    parts: tuple[Formula, ...]


Formula = Matches | Not | AllOf | AnyOf


def evaluate(formula: Formula, known: Callable[[Node], bool | None]) -> bool | None:
    """Return the truth of `formula`, None if it is open; `known` returns that of a pattern."""
    match formula:
        case Matches(node):
            return known(node)
        case Not(other):
            value = evaluate(other, known)
            return None if value is None else not value
        case AllOf(parts):
            return _combine((evaluate(part, known) for part in parts), decisive=False)
        case AnyOf(parts):
            return _combine((evaluate(part, known) for part in parts), decisive=True)


def _combine(values: Iterable[bool | None], *, decisive: bool) -> bool | None:
    is_open = False
    for value in values:
        if value is decisive:
            return decisive
        is_open = is_open or value is None
    return None if is_open else not decisive


def patterns_in(formula: Formula) -> Iterator[Node]:
    """Yield the patterns of a formula."""
    match formula:
        case Matches(node):
            yield node
        case Not(other):
            yield from patterns_in(other)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from patterns_in(part)


def formula_of(node: Node) -> Formula:
    """Return `node` as a formula: lookaround at the start or end of the text becomes a part of its own.

    `^(?=a)b` is `^a` and `^b`, and `a(?<!b)$` is `a$` and not `b$`. Raises `NotRegularError` for
    other lookaround.
    """
    if _has(node, BackReference):
        raise NotRegularError("a back-reference")
    if not _has_look(node):
        return Matches(node)
    if isinstance(node, Choice):
        return AnyOf(tuple(formula_of(branch) for branch in node.branches))
    parts = _flatten(node)
    leading = _count_fixed(parts, "start")
    trailing = _count_fixed(parts[leading:][::-1], "end")
    body = parts[leading : len(parts) - trailing]
    if any(map(_has_look, body)):
        raise NotRegularError("lookaround within a pattern")
    start, end = Anchor("start"), Anchor("end")
    looks = [_look(part, (start, part.part)) for part in parts[:leading] if isinstance(part, Look)]
    looks += [
        _look(part, (part.part, end)) for part in parts[len(parts) - trailing :] if isinstance(part, Look)
    ]
    whole = Sequence((*([start] if leading else []), *body, *([end] if trailing else [])))
    return AllOf((Matches(whole), *looks))


def _look(look: Look, parts: tuple[Node, ...]) -> Formula:
    seen = Matches(Sequence(parts))
    if _has_look(look.part):
        raise NotRegularError("lookaround within lookaround")
    return Not(seen) if look.negative else seen


def _count_fixed(parts: list[Node], kind: str) -> int:
    """Count the first parts that are at the start, or at the end, of the text and take no character."""
    count = 0
    while count < len(parts):
        part = parts[count]
        if isinstance(part, Look):
            if part.ahead != (kind == "start"):
                break
        elif part != Anchor("start" if kind == "start" else "end"):
            break
        count += 1
    is_fixed = any(isinstance(part, Anchor) for part in parts[:count])
    return count if is_fixed else 0


def _flatten(node: Node) -> list[Node]:
    """Return the parts of a sequence, and of the sequences within it."""
    if isinstance(node, Sequence):
        return [inner for part in node.parts for inner in _flatten(part)]
    return [node]


def _has_look(node: Node) -> bool:
    return _has(node, Look)


def _has(node: Node, kind: type[Look | BackReference]) -> bool:
    """True if `node` is of `kind`, or a part of it."""
    if isinstance(node, kind):
        return True
    match node:
        case Sequence(parts):
            return any(_has(part, kind) for part in parts)
        case Choice(branches):
            return any(_has(branch, kind) for branch in branches)
        case Repeat(part) | Look(part):
            return _has(part, kind)
        case _:
            return False


def loosen(node: Node) -> Node:
    """Return a regular pattern that matches at least the texts that `node` matches."""
    match node:
        case Look():
            return Sequence()
        case BackReference(group):
            return Choice((loosen(group), Sequence()))  # empty where the group has matched nothing
        case Sequence(parts):
            return Sequence(tuple(map(loosen, parts)))
        case Choice(branches):
            return Choice(tuple(map(loosen, branches)))
        case Repeat(part, least, most):
            return Repeat(loosen(part), least, most)
        case _:
            return node
