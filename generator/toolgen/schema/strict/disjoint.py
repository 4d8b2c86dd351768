"""Whether two cases can accept the same value, and whether it matters which of them is taken.

Asked of the author's schema (`disjoint`: is `oneOf` the same as `anyOf`?), and of its strict form, where
objects are closed and null stands for an absent property (`agree`: can added nulls be told from others?).
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from toolgen.schema.document import value_key
from toolgen.schema.strict.constraints import Node
from toolgen.schema.strict.normal_form import Case, Document

DEEPEST: Final = 12
"""Discriminators lie near the top: two cases that look alike down to here are taken to overlap."""


def disjoint(doc: Document, a: Case, b: Case, depth: int = 0) -> bool:
    """True only if no value fits both, as the author wrote them."""
    doc.step()
    apart = _apart(a, b)
    if apart is not None or depth > DEEPEST:
        return bool(apart)
    key = ("disjoint", id(a), id(b))  # cases are kept by `doc`
    if key not in doc.memo:
        doc.memo[key] = False  # for cases that contain themselves; it only errs on the safe side
        doc.memo[key] = _forbids(a, b) or _forbids(b, a) or _told_apart(doc, a, b, depth)
    return doc.memo[key]


def agree(doc: Document, node: Node) -> bool:
    """True only if a strict value at `node` is restored to the same value, whichever case is taken."""
    seen: set[tuple[int, int]] = set()
    left = list(combinations(doc.cases(node), 2))
    while left:  # every pair of cases that one value could bring together, each once
        a, b = left.pop()
        pair = (id(a), id(b))
        if a is b or pair in seen or pair in doc.agreed:
            continue
        seen.add(pair)
        if a.type != b.type or _strictly_disjoint(doc, a, b):
            continue
        for m, n in _places_of_both(doc, a, b):
            left += [(x, y) for x in doc.cases(m) for y in doc.cases(n)]
        if a.type == "object" and not all(_same_null(doc, a, b, name) for name in doc.fields(a)):
            return False
    doc.agreed |= seen
    return True


def accepts_null(doc: Document, node: Node) -> bool:
    """Whether the author's schema accepts null at `node`."""
    return any(case.type == "null" for case in doc.cases(node))


def _apart(a: Case, b: Case) -> bool | None:
    """Told by type and values alone; None where two objects must be looked into."""
    numbers = {"integer", "number"}
    if "any" in (a.type, b.type):
        return False
    if a.type != b.type and not {a.type, b.type} <= numbers:
        return True
    if a.values is not None and b.values is not None:
        return set(map(value_key, a.values)).isdisjoint(map(value_key, b.values))
    return None if a.type == b.type == "object" else False


def _forbids(a: Case, b: Case) -> bool:
    return a.extras == "closed" and any(name not in a.properties for name in b.required)


def _told_apart(doc: Document, a: Case, b: Case, depth: int) -> bool:
    """Whether a property that both require has no value in common."""
    for name in a.required & b.required & a.properties.keys() & b.properties.keys():
        left, right = doc.cases(a.properties[name]), doc.cases(b.properties[name])
        if all(disjoint(doc, x, y, depth + 1) for x in left for y in right):
            return True
    return False


def _strictly_disjoint(doc: Document, a: Case, b: Case, depth: int = 0) -> bool:
    """True only if no value fits both in strict form."""
    doc.step()
    apart = _apart(a, b)
    if apart is not None or depth > DEEPEST:
        return bool(apart)
    left, right = doc.fields(a), doc.fields(b)
    if left.keys() != right.keys():
        return True
    key = ("strictly", id(a), id(b))
    if key not in doc.memo:
        doc.memo[key] = False
        doc.memo[key] = any(_strictly_told_apart(doc, (a, left[n]), (b, right[n]), n, depth) for n in left)
    return doc.memo[key]


def _strictly_told_apart(
    doc: Document, left: tuple[Case, Node], right: tuple[Case, Node], name: str, depth: int
) -> bool:
    nulls = [name not in case.required or accepts_null(doc, node) for case, node in (left, right)]
    if all(nulls):
        return False
    return all(
        _strictly_disjoint(doc, x, y, depth + 1) for x in doc.cases(left[1]) for y in doc.cases(right[1])
    )


def _places_of_both(doc: Document, a: Case, b: Case) -> list[tuple[Node, Node]]:
    if a.type == "array":
        return [(a.items, b.items)] if a.items is not None and b.items is not None else []
    left, right = doc.fields(a), doc.fields(b)
    return [(left[name], right[name]) for name in left]


def _same_null(doc: Document, a: Case, b: Case, name: str) -> bool:
    """Whether null at `name` is taken out of both or kept in both, if both accept it."""

    def fate(case: Case) -> str | None:
        if accepts_null(doc, case.properties[name]):
            return "kept"
        return None if name in case.required else "taken out"

    fates = {fate(a), fate(b)}
    return None in fates or len(fates) == 1
