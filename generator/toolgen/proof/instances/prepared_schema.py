"""A schema document, prepared for creating values: references, subschema validators, least nesting."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from toolgen.proof.containment.strings import matches_pattern
from toolgen.schema.document import Draft, JsonPath, Located, Schema, SchemaDocument, unshared
from toolgen.schema.graph import Graph, Node
from toolgen.schema.validator import SubschemaValidators

T = TypeVar("T")

_BUILT: Final = 150_000  # subschemas compiled for validators of parts, one validator after another


@dataclass(frozen=True, slots=True, eq=False)
class RefusedBy:
    """A requirement: the value is refused by `schema`."""

    schema: Any


Requirement = Schema | bool | RefusedBy
"""Something that a value must satisfy: a schema of the document, a derived one, or the negation of one."""


def key_of(requirement: Requirement) -> Hashable:
    """Return what tells a requirement from others, for as long as its schema exists."""
    if isinstance(requirement, RefusedBy):
        return ("not", key_of(requirement.schema))
    return requirement if isinstance(requirement, bool) else id(requirement)


class PreparedSchema:
    """A schema document whose parts can be asked whether they accept a value.

    Raises ValueError, or `jsonschema_rs.ReferencingError`, if the document cannot be enforced.
    """

    def __init__(self, schema: Schema | bool) -> None:
        try:
            document = SchemaDocument(schema if isinstance(schema, Mapping) else {"allOf": [schema]})
            # Subschemas are told apart by identity.
            self.root: Schema = unshared(document.rewritten.schema)
            self.validators = SubschemaValidators(self.root)
        except RecursionError as error:
            raise ValueError("the schema is nested too deeply") from error
        document = SchemaDocument(self.root)
        self.draft = document.draft or Draft.DRAFT_2020_12
        self.is_draft_7 = self.draft is Draft.DRAFT_7
        self.graph = Graph(document)
        self._nodes: dict[int, Node] = {}
        for node in self.graph.nodes:
            self._nodes.setdefault(id(node.schema), node)
        self._checks: dict[int, Any] = {}
        self._built: dict[JsonPath, Any] = {}
        self._most_built = _BUILT
        self._derived: dict[Hashable, Any] = {}

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
        if isinstance(requirement, RefusedBy):
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

    def references(self, schema: Schema) -> list[Any]:
        """Return what the references of a schema object lead to, as far as it is in the document."""
        node = self._nodes.get(id(schema))
        if node is None:
            return []
        targets = [target for _, target in self.graph.document.references(schema, node.path)]
        return [target.value for target in targets if isinstance(target, Located)]

    def matches(self, pattern: str, name: str) -> bool:
        """True if the validator finds `pattern` in `name`."""

        def ask() -> bool:
            try:
                return matches_pattern(name, pattern)
            except ValueError:  # the name has a lone surrogate
                return False

        return self.derived(("matches", pattern, name), ask)

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returned for `key` at first: derived schemas are told apart by identity."""
        if key not in self._derived:
            self._derived[key] = make()
        found: T = self._derived[key]
        return found

    def size(self, requirement: Requirement) -> int:
        """Return how many subschemas a requirement leads to, itself included."""
        node = self._nodes.get(id(requirement))
        if node is None:
            return 0
        return self.derived(("size", node.path), lambda: self.graph.count_reachable(node, _BUILT))
