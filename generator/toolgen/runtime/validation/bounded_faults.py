"""Find the faults of a value that the validator would take too long to explain.

The search follows the schema and validates parts of the value with parts of the schema. It descends into the
parts that are not valid, until it finds their faults or exceeds a limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jsonschema_rs

from toolgen.schema.document import JsonPath, Located, SchemaDocument
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.validator import SubschemaValidators

from .complexity import is_for_other

_SECONDS: Final = 0.3  # of processor time
_DEPTH: Final = 150
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
    """The time or the depth of the search for one value is reached."""


@dataclass(frozen=True, slots=True)
class _SchemaAt:
    """A subschema, and its path in the root schema."""

    schema: Any
    path: JsonPath

    def child(self, schema: Any, *steps: str | int) -> _SchemaAt:
        """Return the subschema that `steps` reach."""
        return _SchemaAt(schema, (*self.path, *steps))


@dataclass(frozen=True, slots=True)
class _ValueAt:
    """A part of a value, and its path in the value."""

    value: Any
    path: JsonPath


class BoundedFaults:
    """One search.

    `own` yields the faults of a part by keywords without subschemas; `unknown` returns the fault of an
    unknown property; `no_branch` returns the fault of a part that no branch of `anyOf` or `oneOf` accepts.
    """

    def __init__(
        self,
        document: SchemaDocument,
        own: Report,
        unknown: Callable[[JsonPath, str, Mapping[str, Any], Any], Any],
        no_branch: Callable[[JsonPath, int], Any],
    ) -> None:
        self._document = document.plain
        self._own, self._unknown, self._no_branch = own, unknown, no_branch
        self._validators: dict[JsonPath, jsonschema_rs.Validator | None] = {}
        self.complete = False  # the search ended without reaching a limit
        self._until = time.thread_time() + _SECONDS

    def find(self, value: Any) -> Iterator[Any]:
        """Yield the faults that were found before a limit was reached."""
        try:
            self._subschemas = SubschemaValidators(self._document.schema)
            yield from self._faults(_SchemaAt(self._document.schema, ()), _ValueAt(value, ()), _DEPTH)
            self.complete = True
        except (LimitReached, ValueError, jsonschema_rs.ReferencingError):
            return

    def _is_valid(self, at: _SchemaAt, part: _ValueAt) -> bool:
        if time.thread_time() > self._until:
            raise LimitReached
        if at.path not in self._validators:
            self._validators[at.path] = self._subschemas.at(at.path)
        validator = self._validators[at.path]
        return validator is None or bool(validator.is_valid(part.value))

    def _faults(self, at: _SchemaAt, part: _ValueAt, depth: int) -> Iterator[Any]:
        """Yield the faults of `part` by the subschema `at`."""
        if not depth:
            raise LimitReached
        schema = at.schema
        if not isinstance(schema, dict):
            if schema is False:
                yield from self._own(part.path, _FALSE, part.value)
            return
        yield from self._own(part.path, schema, part.value)
        for _, found in self._document.references(schema):
            if isinstance(found, Located):
                yield from self._faults(_SchemaAt(*found), part, depth - 1)
        for index, each in enumerate(schema.get("allOf", ())):
            branch = at.child(each, "allOf", index)
            if not self._is_valid(branch, part):
                yield from self._faults(branch, part, depth - 1)
        if isinstance(part.value, dict):
            yield from self._in_properties(at, part, depth)
        elif isinstance(part.value, list):
            yield from self._in_items(at, part, depth)
        for keyword in ("anyOf", "oneOf"):
            branches = [at.child(each, keyword, index) for index, each in enumerate(schema.get(keyword, ()))]
            if keyword in schema and not any(self._is_valid(branch, part) for branch in branches):
                yield from self._in_branch(branches, part, depth)

    def _in_properties(self, at: _SchemaAt, part: _ValueAt, depth: int) -> Iterator[Any]:
        schema = at.schema
        named = schema.get("properties", {})
        for name, inner in part.value.items():
            if name in named:
                below = at.child(named[name], "properties", name)
            elif "additionalProperties" in schema and not schema.get("patternProperties"):
                below = at.child(schema["additionalProperties"], "additionalProperties")
                if below.schema is False:
                    yield self._unknown(part.path, name, schema, part.value)
                    continue
            else:
                continue
            yield from self._in_child(below, _ValueAt(inner, (*part.path, name)), depth)

    def _in_items(self, at: _SchemaAt, part: _ValueAt, depth: int) -> Iterator[Any]:
        items, first = at.schema.get("items"), at.schema.get("prefixItems", [])
        listed = items if isinstance(items, list) else first
        for index, inner in enumerate(part.value):
            if index < len(listed):
                below = at.child(listed[index], "items" if listed is items else "prefixItems", index)
            elif items is not None and listed is not items:
                below = at.child(items, "items")
            else:
                return
            yield from self._in_child(below, _ValueAt(inner, (*part.path, index)), depth)

    def _in_child(self, at: _SchemaAt, part: _ValueAt, depth: int) -> Iterator[Any]:
        if not self._is_valid(at, part):
            yield from self._faults(at, part, depth - 1)

    def _in_branch(self, branches: list[_SchemaAt], part: _ValueAt, depth: int) -> Iterator[Any]:
        """Yield the faults by the branch that the value is intended for, judged by type and constants."""
        intended: dict[int, _SchemaAt] = {}
        for branch in branches:
            target = self._resolve(branch)
            if target.schema is not False and not is_for_other(self._document, target.schema, part.value):
                intended[id(target.schema)] = target
        if len(intended) == 1:
            (target,) = intended.values()
            yield from self._faults(target, part, depth - 1)
            return
        tags = {} if intended else self._wrong_tags(branches, part.value)
        if tags:
            name, options = next(iter(tags.items()))
            yield from self._own((*part.path, name), {"enum": options}, part.value[name])
        else:
            yield self._no_branch(part.path, len(branches))

    def _wrong_tags(self, branches: list[_SchemaAt], value: Any) -> dict[str, list[Any]]:
        """Return the properties of `value` whose values no branch allows, with the allowed values."""
        found: dict[str, list[Any]] = {}
        for number, branch in enumerate(branches):
            target = self._resolve(branch).schema
            named = target.get("properties", {}) if isinstance(target, dict) else {}
            tags = {
                name: [each["const"]] if "const" in each else list(each["enum"])
                for name, each in named.items()
                if isinstance(value, dict)
                and name in value
                and isinstance(each, dict)
                and not _TAGS.isdisjoint(each)
            }
            found = {name: found.get(name, []) + tags[name] for name in tags if not number or name in found}
        return {name: options for name, options in found.items() if value[name] not in options}

    def _resolve(self, at: _SchemaAt) -> _SchemaAt:
        """Return the target of a subschema that is only a reference; another subschema itself."""
        for _ in range(_DEPTH):
            schema = at.schema
            if (
                not isinstance(schema, dict)
                or "$ref" not in schema
                or not CONSTRAINING.isdisjoint(schema.keys() - {"$ref"})
            ):
                break
            found = self._document.target(schema["$ref"])
            if not isinstance(found, Located):
                break
            at = _SchemaAt(*found)
        return at
