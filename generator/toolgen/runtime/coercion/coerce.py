"""Coerce arguments: turn strings that contain JSON into values if the schema leaves no doubt.

The only rule: if the schema does not accept a string, but the string is JSON of a type that it accepts, the
string is replaced by that value. The schema validates the result again. docs/runtime.md has the details.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.schema_lookup import SchemaLookup
from toolgen.runtime.validation.strict_json import MAX_CHARACTERS, NotStrictJsonError, json_type, parse_as
from toolgen.schema.document import JsonPath, follow

from .misplaced_strings import AcceptedTypes, find_misplaced_strings

MAX_ROUNDS = 4  # of strings inside values that were parsed from strings
MAX_ERRORS = 1000  # errors of the validator that are used in one round

_OBJECT = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Coerced:
    """Arguments after coercion, and what was changed."""

    value: dict[str, Any]
    notes: list[dict[str, str]]  # `path`, and the JSON types `from` and `to`
    valid: bool = True  # the schema accepts `value`

    def enclosing_string(self, path: str) -> str | None:
        """Return the path of the string that contained the value at `path`; None if none did."""
        strings = [note["path"] for note in self.notes if note["to"] in ("array", "object")]
        return next((string for string in strings if path.startswith((f"{string}.", f"{string}["))), None)


def coerce(schema: CompiledSchema, value: dict[str, Any]) -> Coerced:
    """Coerce `value`, which is JSON that `schema` refuses, as far as possible.

    `value` itself is not changed. Values that the schema marks as secret are never coerced.
    """
    lookup = SchemaLookup(schema.document)
    notes: list[dict[str, str]] = []
    for _ in range(MAX_ROUNDS):
        if not schema.explains(value):
            break
        found = find_misplaced_strings(islice(schema.errors(value), MAX_ERRORS), value)
        parsed = _parse_strings(found, value, lookup)
        if not parsed:
            break
        value = _replace_parts(value, parsed)
        notes += [_note(path, parsed[path], found[path]) for path in parsed]
        if schema.is_valid(value):
            return Coerced(value, notes)
    return Coerced(value, notes, valid=False)


def coerce_whole(text: str) -> Coerced | None:
    """Parse arguments that were sent as one string, without validation. None if it is not a JSON object."""
    try:
        value = parse_as(text, _OBJECT)
    except NotStrictJsonError:
        return None
    return Coerced(value, [_note((), value, _OBJECT)])


def _parse_strings(strings: AcceptedTypes, value: Any, lookup: SchemaLookup) -> dict[JsonPath, Any]:
    """Parse `strings`; return an empty dict if they are too long together."""
    texts = {path: follow(value, path) for path in strings}
    # all or nothing: coercing some strings would depend on the order of the validator
    if sum(map(len, texts.values())) > MAX_CHARACTERS:
        return {}
    parsed: dict[JsonPath, Any] = {}
    for path, text in texts.items():
        try:
            # the note about a coercion shows the type of the value
            if not lookup.is_secret(path):
                parsed[path] = parse_as(text, strings[path])
        except NotStrictJsonError:
            continue
    return parsed


def _note(path: JsonPath, value: Any, types: frozenset[str]) -> dict[str, str]:
    return {"path": show_path(path), "from": "string", "to": json_type(value, types)}


def _replace_parts(value: Any, changes: Mapping[JsonPath, Any]) -> Any:
    """Return a copy of `value` with the parts at the paths of `changes` replaced; other parts are shared."""
    if () in changes:
        return changes[()]
    inside: dict[str | int, dict[JsonPath, Any]] = {}
    for path, part in changes.items():
        inside.setdefault(path[0], {})[path[1:]] = part
    copied = value.copy()
    for step, below in inside.items():
        copied[step] = _replace_parts(value[step], below)
    return copied
