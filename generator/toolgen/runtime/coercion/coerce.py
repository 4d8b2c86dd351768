"""Coerce arguments: turn strings that hold JSON into values where the schema leaves no doubt.

The one rule: where the schema accepts no string, a string that is JSON for a value of a type that it does
accept is replaced by that value. The schema validates the result again. docs/runtime.md has the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.json_path import value_at
from toolgen.runtime.validation.schema_lookup import SchemaLookup
from toolgen.runtime.validation.strict_json import MAX_CHARACTERS, NotStrictJsonError, json_type, parse_as
from toolgen.schema.document import JsonPath

from .misplaced_strings import AcceptedTypes, find_misplaced_strings

MAX_ROUNDS = 4  # strings inside of what strings held
MAX_ERRORS = 1000  # of the validator, that are looked at in one round

_OBJECT = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Coerced:
    """Arguments after coercion, and what was changed."""

    value: dict[str, Any]
    notes: list[dict[str, str]]  # `path`, and the JSON types `from` (received) and `to` (taken)
    valid: bool = True  # the schema accepts `value`

    def enclosing_string(self, path: str) -> str | None:
        """Return the path of the string in which the value at `path` was found; None if it was in none."""
        strings = [note["path"] for note in self.notes if note["to"] in ("array", "object")]
        return next((string for string in strings if path.startswith((f"{string}.", f"{string}["))), None)


@dataclass(slots=True)
class _Budget:
    """How many more characters of strings may be parsed for one request."""

    characters: int = MAX_CHARACTERS

    def spend(self, characters: int) -> bool:
        """True if there was enough left."""
        self.characters -= characters
        return self.characters >= 0


def coerce(schema: CompiledSchema, value: dict[str, Any]) -> Coerced:
    """Coerce `value`, which is JSON that `schema` refuses, as far as that goes.

    `value` itself is not changed. What the schema marks as secret is never coerced.
    """
    lookup = SchemaLookup(schema.schema)
    notes: list[dict[str, str]] = []
    budget = _Budget()
    for _ in range(MAX_ROUNDS):
        if not schema.explains(value):
            break
        found = find_misplaced_strings(islice(schema.errors(value), MAX_ERRORS), value)
        parsed = _parse_strings(found, value, lookup, budget)
        if not parsed:
            break
        value = _replace_parts(value, parsed)
        notes += [_note(path, parsed[path], found[path]) for path in parsed]
        if schema.is_valid(value):
            return Coerced(value, notes)
    return Coerced(value, notes, valid=False)


def coerce_whole(text: str) -> Coerced | None:
    """Parse arguments that came as one string, without validating them. None if it is not a JSON object."""
    try:
        value = parse_as(text, _OBJECT)
    except NotStrictJsonError:
        return None
    return Coerced(value, [_note((), value, _OBJECT)])


def _parse_strings(
    strings: AcceptedTypes, value: Any, lookup: SchemaLookup, budget: _Budget
) -> dict[JsonPath, Any]:
    """Return the value that each of `strings` holds; nothing if the budget does not suffice for all."""
    parsed: dict[JsonPath, Any] = {}
    for path, types in strings.items():
        text = value_at(value, path)
        if not budget.spend(len(text)):
            return {}
        try:
            if not lookup.is_secret(path):
                parsed[path] = parse_as(text, types)
        except NotStrictJsonError:
            continue
    return parsed


def _note(path: JsonPath, value: Any, types: frozenset[str]) -> dict[str, str]:
    return {"path": show_path(path), "from": "string", "to": json_type(value, types)}


def _replace_parts(value: Any, changes: Mapping[JsonPath, Any]) -> Any:
    """Return a copy of `value` with other parts at the paths of `changes`; the rest is shared."""
    if () in changes:
        return changes[()]
    inside: dict[str | int, dict[JsonPath, Any]] = {}
    for path, part in changes.items():
        inside.setdefault(path[0], {})[path[1:]] = part
    copied = value.copy()
    for step, below in inside.items():
        copied[step] = _replace_parts(value[step], below)
    return copied
