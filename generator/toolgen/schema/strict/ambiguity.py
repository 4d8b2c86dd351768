"""Whether a strict value can be restored to one author's value, whichever alternative it was written for.

In strict form objects are closed and null stands for an absent property. Two alternatives that one value
satisfies must therefore agree on which nulls were added.
"""

from __future__ import annotations

from itertools import combinations

from toolgen.schema.strict.constraints import ValueLocation
from toolgen.schema.strict.normal_form import (
    DISCRIMINATOR_DEPTH,
    Alternative,
    NormalForm,
    disjoint_by_type,
)


def is_restorable(form: NormalForm, location: ValueLocation) -> bool:
    """True only if a strict value at `location` is restored to the same value by every alternative."""
    alternatives = form.alternatives(location)
    if len(alternatives) < 2:
        return True
    seen: set[tuple[int, int]] = set()
    compared: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()  # properties of many pairs share them
    waiting = list(combinations(alternatives, 2))
    while waiting:  # every pair of alternatives that one value could satisfy, each once
        a, b = waiting.pop()
        pair = (id(a), id(b))
        if a is b or pair in seen or pair in form.restorable:
            continue
        seen.add(pair)
        if a.type != b.type or _strictly_disjoint(form, a, b):
            continue
        for m, n in _shared_locations(form, a, b):
            left, right = form.alternatives(m), form.alternatives(n)
            both = (tuple(map(id, left)), tuple(map(id, right)))
            if both not in compared:
                compared.add(both)
                waiting += [(x, y) for x in left for y in right]
        if a.type == "object" and not all(_agree_on_null(form, a, b, name) for name in form.properties(a)):
            return False
    form.restorable |= seen
    return True


def accepts_null(form: NormalForm, location: ValueLocation) -> bool:
    """True if the author's schema accepts null at `location`."""
    return any(each.type == "null" for each in form.alternatives(location))


def _strictly_disjoint(form: NormalForm, a: Alternative, b: Alternative, depth: int = 0) -> bool:
    """True only if no value satisfies both in strict form."""
    form.count_step()
    by_type = disjoint_by_type(a, b)
    if by_type is not None or depth > DISCRIMINATOR_DEPTH:
        return bool(by_type)
    names = form.properties(a).keys()
    if names != form.properties(b).keys():
        return True
    key = ("strict", id(a), id(b))
    if key not in form.overlap_cache:
        form.overlap_cache[key] = False
        form.overlap_cache[key] = any(_is_discriminator(form, a, b, name, depth=depth + 1) for name in names)
    return form.overlap_cache[key]


def _is_discriminator(form: NormalForm, a: Alternative, b: Alternative, name: str, *, depth: int) -> bool:
    """True if the property `name` has no strict value in common."""
    left, right = a.properties[name], b.properties[name]
    if _may_be_null(form, a, name) and _may_be_null(form, b, name):
        return False
    return all(
        _strictly_disjoint(form, x, y, depth)
        for x in form.alternatives(left)
        for y in form.alternatives(right)
    )


def _may_be_null(form: NormalForm, alternative: Alternative, name: str) -> bool:
    return name not in alternative.required or accepts_null(form, alternative.properties[name])


def _shared_locations(
    form: NormalForm, a: Alternative, b: Alternative
) -> list[tuple[ValueLocation, ValueLocation]]:
    if a.type == "array":
        return [(a.items, b.items)] if a.items is not None and b.items is not None else []
    left, right = form.properties(a), form.properties(b)
    return [(left[name], right[name]) for name in left]


def _agree_on_null(form: NormalForm, a: Alternative, b: Alternative, name: str) -> bool:
    """True if null at `name` is removed from both or kept in both, provided that both accept it."""

    def treatment(alternative: Alternative) -> str | None:
        if name not in alternative.required:
            return "removed"
        return "kept" if accepts_null(form, alternative.properties[name]) else None

    treatments = {treatment(a), treatment(b)}
    return None in treatments or len(treatments) == 1
