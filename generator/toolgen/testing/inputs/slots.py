"""The places of a request where a value is, or may be added."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, Schema, SchemaDocument

_MAX_DEPTH: Final = 8  # of slots in a request, and of references to references


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a request where a value is, or may be added."""

    path: JsonPath
    schema: Mapping[str, Any]  # as far as it is found by properties, items and references
    value: Any = None
    is_missing: bool = False

    @property
    def name(self) -> str:
        """Return the name of the property, of the array for its items."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")


def slots(schema: Schema, arguments: JsonObject) -> list[Slot]:
    """Return the places of a request: its values, arrays too, and the properties that it leaves out."""
    document = SchemaDocument(schema if isinstance(schema, Mapping) else {}).plain
    found: list[Slot] = []
    _collect(document, document.schema, arguments, (), found)
    first: dict[JsonPath, Slot] = {}
    for each in found:
        # One slot for all items of an array: a thousand of them would leave no calls for other parameters.
        first.setdefault(general_path(each.path), each)
    return list(first.values())


def with_value(request: JsonObject, path: JsonPath, value: Any) -> JsonObject:
    """Return a copy of a request with another value at a place."""
    changed = copy.deepcopy(request)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = copy.deepcopy(value)
    return changed


def with_member(value: Any, path: Sequence[str], new: Any) -> JsonObject:
    """Return a copy of an object with another value at a path of names, with the objects that are missing."""
    step, *rest = path
    members = dict(value) if isinstance(value, Mapping) else {}
    return {**members, step: with_member(members.get(step), rest, new) if rest else new}


def general_path(path: JsonPath) -> JsonPath:
    """Return a path that is the same for all items of an array."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def _collect(
    document: SchemaDocument, schema: Mapping[str, Any], value: Any, path: JsonPath, found: list[Slot]
) -> None:
    schema = _resolved(document, schema)
    if path:
        found.append(Slot(path, schema, value))
    if len(path) >= _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        for name, inner in value.items():
            _collect(document, properties.get(name, {}), inner, (*path, name), found)
        for name, inner in properties.items():
            if name not in value:
                found.append(Slot((*path, name), _resolved(document, inner), is_missing=True))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _collect(document, schema.get("items", {}), inner, (*path, index), found)


def _resolved(document: SchemaDocument, schema: Any) -> Mapping[str, Any]:
    found = document.resolved(schema)
    return found if isinstance(found, Mapping) else {}
