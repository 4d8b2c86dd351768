"""Find the faults of a value that the validator would take too long to explain.

The search follows the schema and validates parts of the value with parts of the schema. It descends into the
parts that are not valid, until it finds their faults or exceeds a limit.
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

_MAX_PARTS: Final = 2_000  # parts of a value that are validated
_MAX_SCHEMAS: Final = 60  # subschemas that are compiled
_SECONDS: Final = 0.1  # of processor time, for work that the other limits do not bound
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
_FALSE: Final[Mapping[str, Any]] = {"enum": []}
_TAGS: Final = frozenset(("const", "enum"))

OWN: Final = CONSTRAINING - _APPLYING
"""Keywords without subschemas."""

Report = Callable[[JsonPath, Mapping[str, Any], Any], Iterator[Any]]
"""Yields the faults of the part at a path by the keywords of one schema that are in `OWN`."""


class LimitReached(Exception):  # noqa: N818  not an error: the faults found so far are used
    """A limit of the search for one value is reached."""


class BoundedFaults:
    """One search.

    `own` yields the faults of a part by keywords without subschemas; `unknown` returns the fault of an
    unknown property; `no_branch` returns the fault of a part that no branch of `anyOf` or `oneOf` accepts.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        own: Report,
        unknown: Callable[[JsonPath, str, Mapping[str, Any], Any], Any],
        no_branch: Callable[[JsonPath, int], Any],
    ) -> None:
        self._schema = schema
        self._own, self._unknown, self._no_branch = own, unknown, no_branch
        self._effort = Effort(schema)
        self._validators: dict[JsonPath, jsonschema_rs.Validator] = {}
        self.complete = False  # the search ended without reaching a limit
        self._parts = 0
        self._until = time.thread_time() + _SECONDS

    def find(self, value: Any) -> Iterator[Any]:
        """Yield the faults that were found before a limit was reached."""
        try:
            yield from self._faults(self._schema, (), value, (), _DEPTH)
            self.complete = True
        except (LimitReached, ValueError, jsonschema_rs.ReferencingError):
            return

    def _valid(self, at: JsonPath, part: Any) -> bool:
        self._parts += 1
        if self._parts > _MAX_PARTS or time.thread_time() > self._until:
            raise LimitReached
        if at not in self._validators:
            if len(self._validators) >= _MAX_SCHEMAS:
                raise LimitReached
            named = {"$schema": self._schema["$schema"]} if "$schema" in self._schema else {}
            schema = {**named, "$ref": f"{_ROOT}#{format_pointer(at)}"}
            self._validators[at] = compiled(schema, retrieve=lambda uri: dict(self._schema))
        return bool(self._validators[at].is_valid(part))

    def _faults(self, schema: Any, at: JsonPath, part: Any, path: JsonPath, depth: int) -> Iterator[Any]:
        """Yield the faults of `part`, at `path` in the value, by `schema`, at `at` in the root schema."""
        if not depth:
            raise LimitReached
        if not isinstance(schema, dict):
            if schema is False:
                yield from self._own(path, _FALSE, part)
            return
        yield from self._own(path, schema, part)
        for keyword in ("$ref", "$recursiveRef", "$dynamicRef"):
            if keyword in schema and (found := resolve_reference(self._schema, schema[keyword])):
                yield from self._faults(found[0], found[1], part, path, depth - 1)
        for index, each in enumerate(schema.get("allOf", ())):
            if not self._valid((*at, "allOf", index), part):
                yield from self._faults(each, (*at, "allOf", index), part, path, depth - 1)
        if isinstance(part, dict):
            yield from self._in_properties(schema, at, part, path, depth)
        elif isinstance(part, list):
            yield from self._in_items(schema, at, part, path, depth)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema and not self._accepted(schema[keyword], (*at, keyword), part):
                yield from self._in_branch(schema[keyword], (*at, keyword), part, path, depth)

    def _in_properties(
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

    def _in_items(
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

    def _in_branch(
        self, branches: list[Any], at: JsonPath, part: Any, path: JsonPath, depth: int
    ) -> Iterator[Any]:
        """Yield the faults by the branch that the value is intended for, judged by type and constants."""
        intended: dict[int, tuple[Any, JsonPath]] = {}
        for index, branch in enumerate(branches):
            target, place = self._resolve(branch, (*at, index))
            if target is not False and not self._effort.is_other(target, part):
                intended[id(target)] = (target, place)
        if len(intended) == 1:
            ((target, place),) = intended.values()
            yield from self._faults(target, place, part, path, depth - 1)
            return
        choices = [] if intended else self._tags(branches, at, part)
        if choices:
            name, options = choices[0]
            yield from self._own((*path, name), {"enum": options}, part[name])
        else:
            yield self._no_branch(path, len(branches))

    def _tags(self, branches: list[Any], at: JsonPath, part: Any) -> list[tuple[str, list[Any]]]:
        """Return properties of `part` for which every branch has its own values, with all these values."""
        found: dict[str, list[Any]] = {}
        for number, branch in enumerate(branches):
            target = self._resolve(branch, (*at, number))[0]
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

    def _resolve(self, schema: Any, at: JsonPath) -> tuple[Any, JsonPath]:
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
