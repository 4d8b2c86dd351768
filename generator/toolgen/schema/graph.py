"""A schema as a graph: its subschemas, which of them judge the same value, and which judge parts of it.

Every subschema is one node, however many references lead to it: a walk over the graph is linear in the size
of the document. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urljoin

from toolgen.schema.document import Path, subschemas
from toolgen.schema.keywords import IN_PLACE_LISTS, IN_PLACE_MAPS, IN_PLACE_SINGLE

_REFERENCES: Final = ("$ref", "$dynamicRef")
_OTHERS: Final = {
    "additionalProperties": "property",
    "unevaluatedProperties": "property",
    "additionalItems": "item",
    "unevaluatedItems": "item",
}
_ALL: Final = {"patternProperties": "property", "propertyNames": "property", "contains": "item"}


@dataclass(slots=True)
class Parts:
    """Which nodes judge the properties, or the items, of a value."""

    named: dict[str | int, list[int]] = field(default_factory=dict)  # property or index → nodes
    others: list[int] = field(default_factory=list)  # those without an entry in `named`
    all: list[int] = field(default_factory=list)  # beside either


@dataclass(slots=True)
class Node:
    """One subschema, with the indices of the nodes that it leads to."""

    path: Path
    schema: Mapping[str, Any]
    in_place: list[int] = field(default_factory=list)  # they judge the same value
    references: list[int] = field(default_factory=list)  # those of `in_place` that a reference leads to
    properties: Parts = field(default_factory=Parts)
    items: Parts = field(default_factory=Parts)

    def children(self) -> Iterator[int]:
        """The nodes that judge parts of the value."""
        for parts in (self.properties, self.items):
            for found in parts.named.values():
                yield from found
            yield from parts.others
            yield from parts.all


class Graph:
    """The nodes of one schema document. The root is `nodes[0]`."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.nodes: list[Node] = []
        self._index: dict[Path, int] = {}
        self._anchors: dict[str, int] = {}
        self._bases: dict[Path, str] = {}
        self._root = schema
        self._add(schema, ())
        for node in self.nodes:  # grows where a reference leads to what no keyword holds
            self._connect(node)

    def _add(self, schema: Any, path: Path) -> None:
        for here, node in subschemas(schema, path):
            if here in self._index:
                continue
            index = self._index[here] = len(self.nodes)
            self.nodes.append(Node(here, node))
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(name := node.get(keyword), str):
                    self._anchors.setdefault(name, index)
            if isinstance(name := node.get("$id"), str):
                if name.startswith("#"):  # draft-07's anchors
                    self._anchors.setdefault(name[1:], index)
                else:
                    self._bases[here] = _join(self._base(here)[1], name.rstrip("#"))

    def _connect(self, node: Node) -> None:
        for keyword, value in node.schema.items():
            path = (*node.path, keyword)
            if keyword in _REFERENCES:
                target = self._target(value, node.path)
                if target is not None:
                    node.in_place.append(target)
                    node.references.append(target)
            elif keyword in IN_PLACE_SINGLE:
                node.in_place += self._at(path)
            elif keyword in IN_PLACE_LISTS or keyword in IN_PLACE_MAPS:
                node.in_place += self._below(path, value)
            elif keyword == "properties" and isinstance(value, dict):
                node.properties.named.update((name, self._at((*path, name))) for name in value)
            elif keyword in ("items", "prefixItems"):
                if isinstance(value, list):
                    node.items.named.update((index, self._at((*path, index))) for index in range(len(value)))
                else:
                    node.items.others += self._at(path)
            elif keyword in _OTHERS:
                parts = node.properties if _OTHERS[keyword] == "property" else node.items
                parts.others += self._at(path)
            elif keyword in _ALL:
                parts = node.properties if _ALL[keyword] == "property" else node.items
                parts.all += self._below(path, value) if keyword == "patternProperties" else self._at(path)

    def _target(self, reference: object, path: Path) -> int | None:
        """The node that `reference`, written at `path`, leads to; None where it is none of this document."""
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
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment)
        steps: list[str | int] = list(home)
        value: Any = self._root
        for step in home:
            value = value[step]
        for token in fragment.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
                steps.append(int(key))
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                steps.append(key)
                value = value[key]
            else:
                return None
        place = tuple(steps)
        if place not in self._index:
            self._add(value, place)
        return self._index.get(place)

    def _base(self, path: Path) -> tuple[Path, str]:
        """The schema whose `$id` is nearest around `path`, and that address; the root where there is none."""
        if self._bases:
            for length in range(len(path), -1, -1):
                if (address := self._bases.get(path[:length])) is not None:
                    return path[:length], address
        return (), ""

    def _at(self, path: Path) -> list[int]:
        index = self._index.get(path)
        return [] if index is None else [index]

    def _below(self, path: Path, value: Any) -> list[int]:
        steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        return [index for step in steps for index in self._at((*path, step))]

    def bottom_up(self) -> Iterator[int]:
        """Every node after those that it leads to in place; a loop is entered somewhere."""
        state = bytearray(len(self.nodes))  # 0: new, 1: open, 2: done
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
        """For each node, how deep inside a value it is first met; -1 where nothing leads to it."""
        found = [-1] * len(self.nodes)
        found[0] = 0
        here, below = [0], list[int]()
        level = 0
        while here:
            for index in here:  # grows: what is in place is on the same level
                node = self.nodes[index]
                for inner in node.in_place:
                    if found[inner] < 0:
                        found[inner] = level
                        here.append(inner)
                below += node.children()
            level += 1
            fresh = dict.fromkeys(index for index in below if found[index] < 0)
            for index in fresh:
                found[index] = level
            here, below = list(fresh), []
        return found


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # not an address
        return reference
