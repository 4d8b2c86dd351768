"""A schema as a graph: its subschemas, which of them apply to the same value, and which to parts of it.

Every subschema is one node, however many references lead to it: a walk over the graph is linear in the size
of the document. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Final

from toolgen.schema.document import JsonPath, Located, Schema, SchemaDocument, as_list, is_type, subschemas
from toolgen.schema.keywords import (
    IN_PLACE,
    IN_PLACE_LISTS,
    IN_PLACE_MAPS,
    IN_PLACE_SINGLE,
    REFERENCES,
    TYPES,
)

MAX_CHECKS: Final = 10_000_000
"""Limit for validating one value: checks of a part by a subschema, about a second."""

_NAMED: Final = frozenset(("properties", "prefixItems"))  # each schema is for another part of a value
_PARTS: Final = frozenset(
    (
        *("patternProperties", "propertyNames", "additionalProperties", "unevaluatedProperties"),
        *("items", "contains", "additionalItems", "unevaluatedItems"),
    )
)
_LEADING: Final = frozenset((*REFERENCES, *IN_PLACE, *_NAMED, *_PARTS))
"""Keywords that lead to other nodes."""


@dataclass(slots=True)
class Node:
    """One subschema, with the indices of the nodes that it leads to."""

    path: JsonPath
    schema: Mapping[str, Any]
    in_place: list[int] = field(default_factory=list)  # they apply to the same value
    references: list[int] = field(default_factory=list)  # those of `in_place` that a reference leads to
    named: list[int] = field(default_factory=list)  # each applies to another property or item
    others: list[int] = field(default_factory=list)  # each may apply to any property or item

    def children(self) -> Iterator[int]:
        """Yield the nodes that apply to parts of the value."""
        yield from self.named
        yield from self.others


class Graph:
    """The nodes of one schema document. The root is `nodes[0]`."""

    def __init__(self, document: SchemaDocument) -> None:
        self.document = document
        self.nodes: list[Node] = []
        self._index: dict[JsonPath, int] = {}
        self._add(document.schema, ())
        for node in self.nodes:  # grows: a reference may lead to a place that no keyword makes a schema
            self._connect(node)

    def _add(self, schema: Any, path: JsonPath) -> None:
        for here, node in subschemas(schema, path):
            if here not in self._index:
                self._index[here] = len(self.nodes)
                self.nodes.append(Node(here, node))

    def _connect(self, node: Node) -> None:
        if _LEADING.isdisjoint(node.schema):
            return
        for keyword, value in node.schema.items():
            if keyword not in _LEADING:
                continue
            path = (*node.path, keyword)
            if keyword in REFERENCES:
                self._connect_reference(keyword, node)
            elif keyword in IN_PLACE_SINGLE:
                node.in_place += self._at(path)
            elif keyword in IN_PLACE_LISTS or keyword in IN_PLACE_MAPS:
                node.in_place += self._below(path, value)
            elif keyword in _NAMED or (keyword == "items" and isinstance(value, list)):
                node.named += self._below(path, value)
            elif keyword == "patternProperties":
                node.others += self._below(path, value)
            else:
                node.others += self._at(path)

    def _connect_reference(self, keyword: str, node: Node) -> None:
        target = self.document.target(node.schema[keyword], node.path, keyword)
        is_known = isinstance(target, Located)
        for located in (target,) if isinstance(target, Located) else target.candidates:
            if located.path not in self._index:
                self._add(located.value, located.path)
            node.in_place += self._at(located.path)
            node.references += self._at(located.path) if is_known else ()

    def _at(self, path: JsonPath) -> list[int]:
        index = self._index.get(path)
        return [] if index is None else [index]

    def _below(self, path: JsonPath, value: Any) -> list[int]:
        steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        return [index for step in steps for index in self._at((*path, step))]

    def count_reachable(self, node: Node, most: int) -> int:
        """Return the number of nodes that a node leads to, itself included; `most` if there are more."""
        seen = {self._index[node.path]}
        waiting = list(seen)
        while waiting and len(seen) < most:
            node = self.nodes[waiting.pop()]
            new = [index for index in (*node.in_place, *node.children()) if index not in seen]
            seen.update(new)
            waiting += new
        return min(len(seen), most)

    def bottom_up(self, *, with_parts: bool = False) -> Iterator[int]:
        """Yield every node after those that it leads to in place; a loop is entered at any of its nodes.

        With `with_parts`, also after those that apply to parts of the value.
        """
        state = bytearray(len(self.nodes))  # 0: new, 1: in progress, 2: done
        for start in range(len(self.nodes)):
            stack = [start]
            while stack:
                index = stack[-1]
                if state[index] == 0:
                    state[index] = 1
                    node = self.nodes[index]
                    inside = chain(node.in_place, node.children() if with_parts else ())
                    stack += [inner for inner in inside if state[inner] == 0]
                    continue
                stack.pop()
                if state[index] == 1:
                    state[index] = 2
                    yield index

    @cached_property
    def checks(self) -> int:
        """How many subschemas check one part of a value, at most; MAX_CHECKS if there are more.

        Where branches apply to the same part, as in `anyOf: [{items: A}, {items: A}]`, every level doubles
        them. It does not in a recursion: the validator remembers what a reference to a schema that it is in
        the middle of has found.
        """
        total = [1] * len(self.nodes)  # 1 for a reference back into a recursion
        for index in self.bottom_up(with_parts=True):
            node = self.nodes[index]
            found = 1 + sum(total[inner] for inner in chain(node.in_place, node.others))
            total[index] = min(found + max((total[inner] for inner in node.named), default=0), MAX_CHECKS)
        return total[0]

    def levels(self) -> list[int]:
        """Return, for each node, how deep inside a value it first applies; -1 if nothing leads to it."""
        found = [-1] * len(self.nodes)
        found[0] = 0
        here, below = [0], list[int]()
        level = 0
        while here:
            for index in here:  # grows: nodes in place are on the same level
                node = self.nodes[index]
                for inner in node.in_place:
                    if found[inner] < 0:
                        found[inner] = level
                        here.append(inner)
                below += node.children()
            level += 1
            new = dict.fromkeys(index for index in below if found[index] < 0)
            for index in new:
                found[index] = level
            here, below = list(new), []
        return found


# The types of a value


_ALL_TYPES: Final = frozenset(TYPES)
_NO_TYPES: Final = frozenset[str]()


def accepted_types(document: SchemaDocument) -> frozenset[str]:
    """Return JSON types that cover every value a schema accepts. They depend little on how it is written.

    `type`, `const`, `enum`, references, `allOf`, `anyOf` and `oneOf` decide. Conditions and `not` may leave
    fewer types than returned. `properties` alone leaves all: a string is valid, too.
    """
    graph, known = Graph(document), dict[JsonPath, frozenset[str]]()
    for index in graph.bottom_up():
        node = graph.nodes[index]
        parts = [known.get(graph.nodes[target].path, _ALL_TYPES) for target in node.references]
        if "$ref" not in node.schema or document.siblings_apply:
            parts += _stated_types(node.schema)
            for keyword in IN_PLACE_LISTS & node.schema.keys():
                branches = [
                    known.get((*node.path, keyword, place), _ALL_TYPES) if branch is not False else _NO_TYPES
                    for place, branch in enumerate(as_list(node.schema[keyword]))
                ]
                parts += branches if keyword == "allOf" or not branches else [_NO_TYPES.union(*branches)]
        known[node.path] = _ALL_TYPES.intersection(*parts)
    return known.get((), _ALL_TYPES)


def _stated_types(schema: Schema) -> Iterator[frozenset[str]]:
    """Yield the types that each of `type`, `const` and `enum` leaves."""
    if "type" in schema:
        types = as_list(schema["type"]) or [schema["type"]]
        # a type that JSON Schema does not have may stand for any
        named = {name for name in TYPES if name in types or (name == "integer" and "number" in types)}
        yield frozenset(named) or _ALL_TYPES
    for values in ([schema["const"]] if "const" in schema else None, schema.get("enum")):
        if isinstance(values, list):
            yield frozenset(name for name in TYPES if any(is_type(value, name) for value in values))


def is_object_schema(document: SchemaDocument) -> bool:
    """True if `accepted_types` has objects only. Results of any other schema are wrapped for old MCP clients.

    `type: object` counts behind a reference, in a branch of `allOf`, and in all of `anyOf` or `oneOf`.
    """
    schema = document.schema
    is_stated = schema.get("type") == "object" and "$ref" not in schema  # the rest can only narrow it
    return is_stated or accepted_types(document) <= {"object"}


# Names that refer to others: files of shared schemas, or references within one schema


def all_uses(direct: Mapping[str, Set[str]]) -> dict[str, frozenset[str]]:
    """Return the names that each name refers to, directly or not; itself only if it is in a circle."""
    found: dict[str, frozenset[str]] = {}
    for name in direct:
        used: set[str] = set()
        waiting = [*direct[name]]
        while waiting:
            other = waiting.pop()
            if other not in used:
                used.add(other)
                waiting += found[other] if other in found else direct[other]
        found[name] = frozenset(used)
    return found


def references_in(schema: Any) -> set[str]:
    """Return the values of every `$ref` in a schema."""
    return {node["$ref"] for _, node in subschemas(schema) if isinstance(node.get("$ref"), str)}
