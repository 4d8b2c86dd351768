"""Find the faults of a value that is too much work for the validator to explain.

A walk along the schema, which asks only whether parts of the value are valid: the parts that are not are
looked into, until their faults can be said or the work is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jsonschema_rs

from toolgen.schema.document import JsonPath, format_pointer, resolve_reference
from toolgen.schema.keywords import CONSTRAINING

from .compiled_schema import compiled
from .complexity import Effort

_PARTS: Final = 2_000  # of a value that are asked about
_PLACES: Final = 60  # schemas that are compiled for it
_SECONDS: Final = 0.1  # of processor time, for what the numbers above do not bound
_DEPTH: Final = 150
_ROOT: Final = "urn:toolgen:schema"
_APPLYING: Final = frozenset(
    {
        "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
        "properties", "patternProperties", "additionalProperties", "unevaluatedProperties",
        "propertyNames", "dependentSchemas", "dependencies", "items", "additionalItems", "prefixItems",
        "unevaluatedItems", "contains", "minContains", "maxContains",
    }
)  # fmt: skip
_NOTHING: Final[Mapping[str, Any]] = {"enum": []}
_TAGS: Final = frozenset(("const", "enum"))

OWN: Final = CONSTRAINING - _APPLYING
"""Keywords that look at nothing inside of a value."""

Report = Callable[[JsonPath, Mapping[str, Any], Any], Iterator[Any]]
"""The faults of the part at a path by those keywords of one schema that are in `OWN`."""


class Spent(Exception):  # noqa: N818  not an error: the answer is a general one
    """The work for one value is spent."""


class BoundedFaults:
    """One search. `own` says the faults of a part; `unfit`, that it fits none of several branches."""

    def __init__(
        self,
        schema: Mapping[str, Any],
        own: Report,
        unknown: Callable[[JsonPath, str, Mapping[str, Any], Any], Any],
        unfit: Callable[[JsonPath, int], Any],
    ) -> None:
        self._schema = schema
        self._own, self._unknown, self._unfit = own, unknown, unfit
        self._effort = Effort(schema)
        self._validators: dict[JsonPath, jsonschema_rs.Validator] = {}
        self.complete = False  # all of the value was looked at
        self._parts = 0
        self._until = time.thread_time() + _SECONDS

    def find(self, value: Any) -> Iterator[Any]:
        """The faults that were found before the work was spent; none where nothing can be said."""
        try:
            yield from self._faults(self._schema, (), value, (), _DEPTH)
            self.complete = True
        except (Spent, ValueError, jsonschema_rs.ReferencingError):
            return

    def _valid(self, at: JsonPath, part: Any) -> bool:
        self._parts += 1
        if self._parts > _PARTS or time.thread_time() > self._until:
            raise Spent
        if at not in self._validators:
            if len(self._validators) >= _PLACES:
                raise Spent
            named = {"$schema": self._schema["$schema"]} if "$schema" in self._schema else {}
            schema = {**named, "$ref": f"{_ROOT}#{format_pointer(at)}"}
            self._validators[at] = compiled(schema, retrieve=lambda uri: dict(self._schema))
        return bool(self._validators[at].is_valid(part))

    def _faults(self, schema: Any, at: JsonPath, part: Any, path: JsonPath, depth: int) -> Iterator[Any]:
        """The faults of `part`, at `path` of the value, by `schema`, at `at` of the root's."""
        if not depth:
            raise Spent
        if not isinstance(schema, dict):
            if schema is False:
                yield from self._own(path, _NOTHING, part)
            return
        yield from self._own(path, schema, part)
        for keyword in ("$ref", "$recursiveRef", "$dynamicRef"):
            if keyword in schema and (found := resolve_reference(self._schema, schema[keyword])):
                yield from self._faults(found[0], found[1], part, path, depth - 1)
        for index, each in enumerate(schema.get("allOf", ())):
            if not self._valid((*at, "allOf", index), part):
                yield from self._faults(each, (*at, "allOf", index), part, path, depth - 1)
        if isinstance(part, dict):
            yield from self._of_properties(schema, at, part, path, depth)
        elif isinstance(part, list):
            yield from self._of_items(schema, at, part, path, depth)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema and not self._accepted(schema[keyword], (*at, keyword), part):
                yield from self._of_branches(schema[keyword], (*at, keyword), part, path, depth)

    def _of_properties(
        self, schema: dict[str, Any], at: JsonPath, part: dict[str, Any], path: JsonPath, depth: int
    ) -> Iterator[Any]:
        named = schema.get("properties", {})
        for name, inner in part.items():
            if name in named:
                here: JsonPath = (*at, "properties", name)
                each = named[name]
            elif "additionalProperties" in schema and not schema.get("patternProperties"):
                here, each = (*at, "additionalProperties"), schema["additionalProperties"]
                if each is False:
                    yield self._unknown(path, name, schema, part)
                    continue
            else:
                continue
            if not self._valid(here, inner):
                yield from self._faults(each, here, inner, (*path, name), depth - 1)

    def _of_items(
        self, schema: dict[str, Any], at: JsonPath, part: list[Any], path: JsonPath, depth: int
    ) -> Iterator[Any]:
        items, first = schema.get("items"), schema.get("prefixItems", [])
        listed = items if isinstance(items, list) else first
        for index, inner in enumerate(part):
            if index < len(listed):
                here: JsonPath = (*at, "items" if listed is items else "prefixItems", index)
                each = listed[index]
            elif items is not None and listed is not items:
                here, each = (*at, "items"), items
            else:
                return
            if not self._valid(here, inner):
                yield from self._faults(each, here, inner, (*path, index), depth - 1)

    def _accepted(self, branches: list[Any], at: JsonPath, part: Any) -> bool:
        return any(self._valid((*at, index), part) for index in range(len(branches)))

    def _of_branches(
        self, branches: list[Any], at: JsonPath, part: Any, path: JsonPath, depth: int
    ) -> Iterator[Any]:
        """The faults by the one branch that is meant, as far as its type and its constants tell."""
        meant: dict[int, tuple[Any, JsonPath]] = {}
        for index, branch in enumerate(branches):
            target, place = self._followed(branch, (*at, index))
            if target is not False and not self._effort.is_other(target, part):
                meant[id(target)] = (target, place)
        if len(meant) == 1:
            ((target, place),) = meant.values()
            yield from self._faults(target, place, part, path, depth - 1)
            return
        choices = [] if meant else self._tags(branches, at, part)
        if choices:
            name, options = choices[0]
            yield from self._own((*path, name), {"enum": options}, part[name])
        else:
            yield self._unfit(path, len(branches))

    def _tags(self, branches: list[Any], at: JsonPath, part: Any) -> list[tuple[str, list[Any]]]:
        """The properties that came and that every branch has its own values for, with all these values."""
        found: dict[str, list[Any]] = {}
        for number, branch in enumerate(branches):
            target = self._followed(branch, (*at, number))[0]
            named = target.get("properties", {}) if isinstance(target, dict) else {}
            tags = {
                name: [each["const"]] if "const" in each else list(each["enum"])
                for name, each in named.items()
                if isinstance(part, dict)
                and name in part
                and isinstance(each, dict)
                and not _TAGS.isdisjoint(each)
            }
            found = {name: found.get(name, []) + tags[name] for name in tags if not number or name in found}
        return [(name, options) for name, options in found.items() if part[name] not in options]

    def _followed(self, schema: Any, at: JsonPath) -> tuple[Any, JsonPath]:
        for _ in range(_DEPTH):
            if (
                not isinstance(schema, dict)
                or "$ref" not in schema
                or not CONSTRAINING.isdisjoint(schema.keys() - {"$ref"})
            ):
                break
            found = resolve_reference(self._schema, schema["$ref"])
            if found is None:
                break
            schema, at = found
        return schema, at
