"""A schema as a graph: its subschemas, which of them apply to the same value, and which to parts of it.

Every subschema is one node, however many references lead to it: a walk over the graph is linear in the size
of the document. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urljoin

from toolgen.schema.document import JsonPath, anchor_names, locate, parse_pointer, subschemas
from toolgen.schema.keywords import IN_PLACE, IN_PLACE_LISTS, IN_PLACE_MAPS, IN_PLACE_SINGLE, REFERENCES

_PARTS: Final = {  # keyword → the parts of a value that its schemas apply to
    **dict.fromkeys(
        (
            *("properties", "patternProperties", "propertyNames"),
            *("additionalProperties", "unevaluatedProperties"),
        ),
        "property",
    ),
    **dict.fromkeys(("items", "prefixItems", "contains", "additionalItems", "unevaluatedItems"), "item"),
}
_FOR_ALL: Final = ("patternProperties", "propertyNames", "contains")
_LEADING: Final = frozenset((*REFERENCES, *IN_PLACE, *_PARTS))
"""Keywords that lead to other nodes."""


@dataclass(slots=True, eq=False)
class ChildNodes:
    """The nodes that apply to the properties, or to the items, of a value."""

    by_name: dict[str | int, list[int]] = field(default_factory=dict)  # property or index → nodes
    unnamed: list[int] = field(default_factory=list)  # for those without an entry in `by_name`
    all: list[int] = field(default_factory=list)  # in addition, for every property or item

    def __iter__(self) -> Iterator[int]:
        """Yield all of them."""
        for found in self.by_name.values():
            yield from found
        yield from self.unnamed
        yield from self.all


NO_NODES: Final = ChildNodes()
"""Of most subschemas. Never changed."""


@dataclass(slots=True)
class Node:
    """One subschema, with the indices of the nodes that it leads to."""

    path: JsonPath
    schema: Mapping[str, Any]
    in_place: list[int] = field(default_factory=list)  # they apply to the same value
    references: list[int] = field(default_factory=list)  # those of `in_place` that a reference leads to
    properties: ChildNodes = NO_NODES
    items: ChildNodes = NO_NODES

    def children_of(self, part: str) -> ChildNodes:
        """Return the group of nodes for "property" or "item", to be filled."""
        if part == "property":
            self.properties = ChildNodes() if self.properties is NO_NODES else self.properties
            return self.properties
        self.items = ChildNodes() if self.items is NO_NODES else self.items
        return self.items

    def children(self) -> Iterator[int]:
        """Yield the nodes that apply to parts of the value."""
        if self.properties is not NO_NODES:
            yield from self.properties
        if self.items is not NO_NODES:
            yield from self.items


class Graph:
    """The nodes of one schema document. The root is `nodes[0]`."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.nodes: list[Node] = []
        self._index: dict[JsonPath, int] = {}
        self._anchors: dict[str, int] = {}
        self._bases: dict[JsonPath, str] = {}
        self._root = schema
        self._add(schema, ())
        for node in self.nodes:  # grows: a reference may lead to a place that no keyword makes a schema
            self._connect(node)

    def _add(self, schema: Any, path: JsonPath) -> None:
        for here, node in subschemas(schema, path):
            if here in self._index:
                continue
            index = self._index[here] = len(self.nodes)
            self.nodes.append(Node(here, node))
            for name in anchor_names(node):
                self._anchors.setdefault(name, index)
            if isinstance(address := node.get("$id"), str) and not address.startswith("#"):
                self._bases[here] = _join(self._base(here)[1], address.rstrip("#"))

    def _connect(self, node: Node) -> None:
        if _LEADING.isdisjoint(node.schema):
            return
        for keyword, value in node.schema.items():
            if keyword not in _LEADING:
                continue
            path = (*node.path, keyword)
            if keyword in REFERENCES:
                target = self._target(value, node.path)
                if target is not None:
                    node.in_place.append(target)
                    node.references.append(target)
            elif keyword in IN_PLACE_SINGLE:
                node.in_place += self._at(path)
            elif keyword in IN_PLACE_LISTS or keyword in IN_PLACE_MAPS:
                node.in_place += self._below(path, value)
            else:
                self._connect_children(node.children_of(_PARTS[keyword]), keyword, value, path)

    def _connect_children(self, group: ChildNodes, keyword: str, value: Any, path: JsonPath) -> None:
        if keyword == "properties":
            if isinstance(value, dict):
                group.by_name.update((name, self._at((*path, name))) for name in value)
        elif keyword in ("items", "prefixItems") and isinstance(value, list):
            group.by_name.update((index, self._at((*path, index))) for index in range(len(value)))
        elif keyword == "patternProperties":
            group.all += self._below(path, value)
        elif keyword in _FOR_ALL:
            group.all += self._at(path)
        else:
            group.unnamed += self._at(path)

    def _target(self, reference: object, path: JsonPath) -> int | None:
        """Return the node that `reference`, written at `path`, leads to; None outside this document."""
        if not isinstance(reference, str):
            return None
        written, _, fragment = reference.partition("#")
        home, address = self._base(path)
        if written:
            wanted = _join(address, written)
            found = next((here for here, base in self._bases.items() if base == wanted), None)
            if found is None:
                return None
            home = found
        if (name := unquote(fragment)) and not name.startswith("/"):
            return self._anchors.get(name)
        target = locate(self._root, (*home, *parse_pointer(fragment)))
        if target is None:
            return None
        if target.path not in self._index:
            self._add(target.value, target.path)
        return self._index.get(target.path)

    def _base(self, path: JsonPath) -> tuple[JsonPath, str]:
        """Return the path and address of the nearest schema with an `$id` around `path`, else the root's."""
        if self._bases:
            for length in range(len(path), -1, -1):
                if (address := self._bases.get(path[:length])) is not None:
                    return path[:length], address
        return (), ""

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

    def bottom_up(self) -> Iterator[int]:
        """Yield every node after those that it leads to in place; a loop is entered at any of its nodes."""
        state = bytearray(len(self.nodes))  # 0: new, 1: in progress, 2: done
        for start in range(len(self.nodes)):
            stack = [start]
            while stack:
                index = stack[-1]
                if state[index] == 0:
                    state[index] = 1
                    stack += [inner for inner in self.nodes[index].in_place if state[inner] == 0]
                    continue
                stack.pop()
                if state[index] == 1:
                    state[index] = 2
                    yield index

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


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # not an address
        return reference
