"""Limit the work of validating a value, and of listing its faults.

Both block the interpreter and cannot be cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from time import thread_time
from typing import Any, Final

from toolgen.schema.document import SchemaDocument, as_list, count_parts, in_place_subschemas
from toolgen.schema.graph import MAX_CHECKS
from toolgen.schema.validation_cost import MAX_TEXT, ValidationCost
from toolgen.schema.validator import compiled

MAX_STEPS: Final = 10_000
"""Limit for listing all faults of a value: checks of a part by a subschema, of which each may be a fault."""

_PARTS_IN_A_STEP: Final = 30  # the validator copies the part into each of its faults, which takes 6 µs
_MATCHING_SECONDS: Final = 0.1  # of processor time, for all texts of a value
_SHORT_TEXT: Final = 16  # characters: patterns take no time for it
_WORD: Final = 2**63  # integers below it are compared at once
_MAX_LONG_BITS: Final = 100_000  # of integers beyond 64 bits: in pairs, 1,500 are compared in 0.7 s
_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")
_ITEMS: Final = ("items", "contains", "additionalItems", "unevaluatedItems")


def is_too_expensive(cost: ValidationCost, value: Any) -> bool:
    """True if validating a JSON value with a schema of this cost would take too long."""
    most = MAX_CHECKS // cost.checks
    return (
        (cost.checks > 1 and count_parts(value, most) > most)
        or (cost.computes and _bits_of_long_integers(value) > _MAX_LONG_BITS)
        or (bool(cost.patterns) and _takes_long_to_match(cost, value))
    )


@lru_cache(1_000)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a text matches `pattern`, as the validator reads it."""
    return compiled({"pattern": pattern}).is_valid


def _parts(value: Any) -> Iterator[Any]:
    """Yield a JSON value and everything in it, with the names of properties."""
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        if type(part) is dict:
            stack += part
            stack += part.values()
        elif type(part) is list:
            stack += part


def _bits_of_long_integers(value: Any) -> int:
    """Return the length of the integers of a JSON value that need more than 64 bits."""
    integers = (part for part in _parts(value) if type(part) is int)
    return sum(part.bit_length() for part in integers if not -_WORD < part < _WORD)


def _takes_long_to_match(cost: ValidationCost, value: Any) -> bool:
    """True if matching the texts of a JSON value with the patterns that backtrack takes too long.

    No estimate tells texts that backtrack apart from harmless ones, so each is matched.
    """
    texts = [part for part in _parts(value) if type(part) is str and len(part) > _SHORT_TEXT]
    if cost.is_text_limited and any(len(text) > MAX_TEXT for text in texts):
        return True
    until = thread_time() + _MATCHING_SECONDS
    for text in texts:
        for pattern in cost.patterns:
            matcher(pattern)(text)
        if thread_time() > until:
            return True
    return False


def explains(document: SchemaDocument, value: Any, part: Any = None) -> bool:
    """True if the validator lists all faults of a value by a schema, or a `part` of it, in MAX_STEPS."""
    plain = document.plain
    steps = 0
    stack: list[tuple[Any, Any]] = [(plain.schema if part is None else part, value)]
    while stack and len(stack) + steps < MAX_STEPS:
        schema, inner = stack.pop()
        steps += 1 + _copying_steps(schema, inner)
        if isinstance(schema, dict):
            stack += islice(_applied(plain, schema, inner), MAX_STEPS)
    return not stack and steps < MAX_STEPS


def _copying_steps(schema: Any, part: Any) -> int:
    """Return the steps of copying a part into each fault that keywords of one schema may find in it."""
    faults = 1
    if isinstance(schema, dict) and isinstance(part, dict):
        required = schema.get("required")
        faults += sum(name not in part for name in required) if isinstance(required, list) else 0
    parts = count_parts(part, MAX_STEPS * _PARTS_IN_A_STEP // faults)
    return faults * parts // _PARTS_IN_A_STEP + faults - 1


def _applied(document: SchemaDocument, schema: dict[str, Any], part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the subschemas of one schema that apply to a part, or to what is in it, with that."""
    for _, target in document.references(schema):
        yield target.value, part
    for _, inner in in_place_subschemas(schema, ()):
        yield inner, part
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for step, inner in inside:
        # matching takes time itself
        for each in subschemas_for(schema, step, every_pattern=True):
            yield each, inner
        if isinstance(step, str) and "propertyNames" in schema:
            yield schema["propertyNames"], step


def subschemas_for(
    schema: Mapping[str, Any], step: str | int, *, every_pattern: bool = False
) -> Iterator[Any]:
    """Yield the subschemas that may apply to the property or item `step` of a value."""
    if isinstance(step, str):
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if isinstance(properties, dict) and step in properties:
            yield properties[step]
        if isinstance(patterns, dict):
            found = patterns.items()
            yield from (inner for pattern, inner in found if every_pattern or _matches(pattern, step))
        yield from (schema[keyword] for keyword in _OTHERS if keyword in schema)
        return
    for keyword in ("prefixItems", "items"):
        listed = schema.get(keyword)
        if isinstance(listed, list) and step < len(listed):
            yield listed[step]
    yield from (schema[keyword] for keyword in _ITEMS if keyword in schema)


def _matches(pattern: str, name: str) -> bool:
    """True if a property name matches a pattern, or if the pattern cannot be compiled."""
    try:
        return matcher(pattern)(name)
    except ValueError:
        return True


def is_for_other(document: SchemaDocument, branch: Any, part: Mapping[str, Any]) -> bool:
    """True if a branch is for objects with other properties, or another tag, than `part`."""
    schema = document.resolved(branch)
    if not isinstance(schema, dict):
        return False
    named = schema.get("properties", {})
    return any(name not in part for name in as_list(schema.get("required"))) or any(
        name in part and isinstance(tag, dict) and not _is_one(tag, part[name]) for name, tag in named.items()
    )


def _is_one(schema: Mapping[str, Any], part: Any) -> bool:
    """True unless `part` is a string that `const` or `enum` of `schema` excludes."""
    if not isinstance(part, str):
        return True
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    return not isinstance(options, list) or part in options
