"""A schema document, prepared for creating values: references, subschema validators, least nesting."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

from toolgen.schema.document import Draft, JsonPath, Schema, draft_of, resolve_reference
from toolgen.schema.graph import Graph, Node
from toolgen.schema.keywords import REFERENCES
from toolgen.schema.validator import SubschemaValidators, compiled

T = TypeVar("T")

_ERRORS: Final = 50  # of one value that are looked at
_BUILT: Final = 150_000  # subschemas compiled for validators of parts, one validator after another
_ROUNDS: Final = 200  # of computing heights: more than values may be nested


@dataclass(frozen=True, slots=True, eq=False)
class Not:
    """A requirement: the value is refused by `schema`."""

    schema: Any


class Derived(dict[str, Any]):
    """A schema object that is no part of the document; it may hold parts of it, and requirements."""


Requirement = Schema | bool | Not
"""Something that a value must satisfy: a schema of the document, a derived one, or the negation of one."""


def key_of(requirement: Requirement) -> Hashable:
    """Return what tells a requirement from others, for as long as its schema exists."""
    if isinstance(requirement, Not):
        return ("not", key_of(requirement.schema))
    return requirement if isinstance(requirement, bool) else id(requirement)


class PreparedSchema:
    """A schema document whose parts can be asked whether they accept a value.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, if the document cannot be enforced.
    """

    def __init__(self, schema: Schema | bool) -> None:
        try:
            self.root: Schema = _unshared(schema if isinstance(schema, Mapping) else {"allOf": [schema]})
            self.validators = SubschemaValidators(self.root)
        except RecursionError as error:
            raise ValueError("the schema is nested too deeply") from error
        self.draft = draft_of(self.root) or Draft.DRAFT_2020_12
        self.is_draft_7 = self.draft is Draft.DRAFT_7
        self.graph = Graph(self.root)
        self._nodes: dict[int, Node] = {}
        for node in self.graph.nodes:
            self._nodes.setdefault(id(node.schema), node)
        self._checks: dict[int, Any] = {}
        self._built: dict[JsonPath, Any] = {}
        self._most_built = _BUILT
        self._patterns: dict[str, Any] = {}
        self._matches: dict[tuple[str, str], bool] = {}
        self._heights = _heights(self.graph, self.is_draft_7)
        self._derived: dict[Hashable, Any] = {}

    def node(self, schema: Any) -> Node | None:
        """Return the node of a schema object of the document."""
        return self._nodes.get(id(schema))

    def is_valid(self, value: Any) -> bool:
        """True if the whole schema accepts `value`."""
        try:
            return self.validators.root.is_valid(value)
        except ValueError:  # a lone surrogate, or too deep
            return False

    def accepts(self, requirement: Requirement, value: Any) -> bool | None:
        """Return whether `value` satisfies a requirement; None if that cannot be asked for it alone."""
        if isinstance(requirement, bool):
            return requirement
        if isinstance(requirement, Not):
            accepted = self.accepts(requirement.schema, value)
            return None if accepted is None else not accepted
        key = id(requirement)
        check = self._checks.get(key)
        if check is None:
            node = self._nodes.get(key)
            validator = None if node is None else self._validator(node)
            check = self._checks[key] = False if validator is None else validator.is_valid
        if not callable(check):
            return None
        try:
            return bool(check(value))
        except ValueError:
            return False

    def _validator(self, node: Node) -> Any:
        """Return the validator of a node; None where building validators becomes expensive."""
        if node.path not in self._built:
            reachable = self.graph.count_reachable(node, self._most_built)
            self._most_built -= reachable
            self._built[node.path] = self.validators.at(node.path) if self._most_built > 0 else None
        return self._built[node.path]

    def satisfies(self, requirements: Iterable[Requirement], value: Any) -> bool:
        """True if no requirement is known to be violated."""
        return all(self.accepts(each, value) is not False for each in requirements)

    def violated_keywords(self, node: Node, value: Any) -> set[str]:
        """Return the keywords of one schema object that refuse `value`, those behind references left out."""
        validator = self._validator(node)
        size = len(node.path)
        if validator is None:
            return set()
        paths = [tuple(error.schema_path) for error in islice(validator.iter_errors(value), _ERRORS)]
        return {str(path[size]) for path in paths if len(path) > size and path[:size] == node.path}

    def count_errors(self, value: Any, most: int) -> int:
        """Return the number of errors of a value, at most `most`."""
        return sum(1 for _ in islice(self.validators.root.iter_errors(value), most))

    def references(self, schema: Schema) -> list[Any]:
        """Return what the references of a schema object lead to, as far as it is in the document."""
        node = self._nodes.get(id(schema))
        if node is None:
            return []
        found: list[Any] = [self.graph.nodes[index].schema for index in node.references]
        for keyword in REFERENCES:
            target = resolve_reference(self.root, schema.get(keyword))
            if target is not None and isinstance(target.value, bool):
                found.append(target.value)
        return found

    def matches(self, pattern: str, name: str) -> bool:
        """True if the validator finds `pattern` in `name`."""
        key = (pattern, name)
        known = self._matches.get(key)
        if known is None:
            validator = self._patterns.get(pattern)
            if validator is None:
                validator = self._patterns[pattern] = compiled({"pattern": pattern})
            try:
                known = bool(validator.is_valid(name))
            except ValueError:
                known = False
            self._matches[key] = known
        return known

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returned for `key` at first: derived schemas are told apart by identity."""
        if key not in self._derived:
            self._derived[key] = make()
        found: T = self._derived[key]
        return found

    def height(self, requirement: Requirement) -> float:
        """Return how many levels a value must at least have; infinite if no finite value will do."""
        if requirement is False:
            return math.inf
        node = self._nodes.get(id(requirement))
        return 0 if node is None else self._heights[node.path]


def _unshared(value: Any) -> Any:
    """Return a copy in which no object occurs twice: subschemas are told apart by identity."""
    if isinstance(value, Mapping):
        return {key: _unshared(inner) for key, inner in value.items()}
    return [_unshared(inner) for inner in value] if isinstance(value, list) else value


def _heights(graph: Graph, is_draft_7: bool) -> dict[Any, float]:
    """Return a lower bound of the levels of a value for each node, by its path."""
    found: list[float] = [math.inf] * len(graph.nodes)
    index_of = {node.path: index for index, node in enumerate(graph.nodes)}
    for _ in range(_ROUNDS):
        changed = False
        for index in range(len(graph.nodes) - 1, -1, -1):
            if found[index] == math.inf or found[index] > 0:
                height = _height(graph.nodes[index], found, index_of, is_draft_7)
                if height < found[index]:
                    found[index], changed = height, True
        if not changed:
            break
    return {node.path: found[index] for index, node in enumerate(graph.nodes)}


def _height(node: Node, found: list[float], index_of: Mapping[Any, int], is_draft_7: bool) -> float:
    schema, path = node.schema, node.path

    def at(value: Any, *steps: str | int) -> float:
        if isinstance(value, bool):
            return 0 if value else math.inf
        index = index_of.get((*path, *steps))
        return 0 if index is None else found[index]

    behind = max((found[index] for index in node.references), default=0)
    if is_draft_7 and "$ref" in schema:
        return behind
    height: float = max(behind, _height_of_own(schema, at))
    for number, part in enumerate(_list(schema.get("allOf"))):
        height = max(height, at(part, "allOf", number))
    for keyword in ("anyOf", "oneOf"):
        branches = [at(part, keyword, number) for number, part in enumerate(_list(schema.get(keyword)))]
        height = max(height, min(branches, default=0))
    return height


def _height_of_own(schema: Schema, at: Callable[..., float]) -> float:
    """Return the levels that the type, required properties and items of a schema object demand."""
    types = schema.get("type")
    if types == "object":
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        needed = [name for name in _list(schema.get("required")) if name in properties]
        return 1 + max((at(properties[name], "properties", name) for name in needed), default=-1)
    least = schema.get("minItems", 0)
    if types == "array" and isinstance(least, int | float) and least > 0:
        items = schema.get("items", True)
        if isinstance(items, dict | bool) and "prefixItems" not in schema:
            return 1 + at(items, "items")
    return 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
