"""May the faults of a value be looked for? Whether it fits is found at once; why not can take for ever.

The validator tells every fault of every form of an `anyOf` or `oneOf`. Where forms hold themselves, as in
a tree of filters, each level of a value multiplies them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.schema.pointer import resolve
from toolgen.schema.walk import subschemas

PARTS = 20_000  # of a value: each fault costs the validator 20 µs or more
WAYS = 2_000  # in which a value may be meant: each costs it up to a millisecond
LEVELS = 4  # that any value may have: such values are cheap, whatever the schema

_UNIONS = ("anyOf", "oneOf")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def too_complex(schema: Mapping[str, Any], value: Any) -> str | None:
    """Why the faults of a JSON value are not to be looked for; None where they are."""
    parts, levels = _size(value)
    if parts > PARTS:
        return "it has too many parts for the fault to be found"
    if levels > LEVELS and _forms(schema) ** levels > WAYS:
        return "it can be meant in too many ways for the fault to be found"
    return None


def _size(value: Any) -> tuple[int, int]:
    """The number of parts of a value, counted a little beyond the limit, and of its levels."""
    parts = deepest = 0
    stack = [(value, 0)]
    while stack and parts <= PARTS:
        part, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(part, dict | list):
            parts += len(part)
            stack.extend((inner, level + 1) for inner in (part.values() if isinstance(part, dict) else part))
    return parts, deepest


def _forms(schema: Mapping[str, Any]) -> int:
    """The most forms that a part of the schema has, if it holds itself; 1 where none does."""
    most = 1
    for _, part in subschemas(schema):
        for keyword in _UNIONS:
            forms = part.get(keyword)
            if isinstance(forms, list) and len(forms) > most and _holds_itself(part, forms, schema):
                most = len(forms)
    return most


def _holds_itself(part: Mapping[str, Any], forms: list[Any], schema: Mapping[str, Any]) -> bool:
    seen: set[int] = set()
    left = list(forms)
    while left:
        for _, inner in subschemas(left.pop()):
            if inner is part:
                return True
            for target in _targets(inner, schema):
                if id(target) not in seen:
                    seen.add(id(target))
                    left.append(target)
    return False


def _targets(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in _REFERENCES:
        found = resolve(schema, part.get(keyword))
        if found is not None:
            yield found[0]
