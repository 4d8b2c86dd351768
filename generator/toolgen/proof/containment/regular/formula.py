"""Constraints on a text, as a formula of patterns without lookaround."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolgen.proof.containment.regular.syntax import (
    Anchor,
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


Formula = Matches | Not | AllOf


def evaluate(formula: Formula, known: Callable[[Node], bool | None]) -> bool | None:
    """Return the truth of `formula`, None if it is open; `known` returns that of a pattern."""
    match formula:
        case Matches(node):
            return known(node)
        case Not(other):
            value = evaluate(other, known)
            return None if value is None else not value
        case AllOf(parts):
            is_open = False
            for part in parts:
                value = evaluate(part, known)
                if value is False:
                    return False
                is_open = is_open or value is None
            return None if is_open else True


def patterns_in(formula: Formula) -> Iterator[Node]:
    """Yield the patterns of a formula."""
    match formula:
        case Matches(node):
            yield node
        case Not(other):
            yield from patterns_in(other)
        case AllOf(parts):
            for part in parts:
                yield from patterns_in(part)


def formula_of(node: Node) -> Formula:
    """Return `node` as a formula: lookaround at the start or end of the text becomes a part of its own.

    `^(?=a)b` is `^a` and `^b`, and `a(?<!b)$` is `a$` and not `b$`. Raises `NotRegularError` for
    other lookaround.
    """
    if not _has_look(node):
        return Matches(node)
    if isinstance(node, Choice):
        return Not(AllOf(tuple(Not(formula_of(branch)) for branch in node.branches)))
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
    """True if `node` is lookaround, or a part of it is."""
    match node:
        case Look():
            return True
        case Sequence(parts) | Choice(parts):
            return any(map(_has_look, parts))
        case Repeat(part):
            return _has_look(part)
        case _:
            return False


def loosen(node: Node) -> Node:
    """Return a regular pattern that matches at least the texts that `node` matches."""
    match node:
        case Look():
            return Sequence()
        case Sequence(parts):
            return Sequence(tuple(map(loosen, parts)))
        case Choice(branches):
            return Choice(tuple(map(loosen, branches)))
        case Repeat(part, least, most):
            return Repeat(loosen(part), least, most)
        case _:
            return node
