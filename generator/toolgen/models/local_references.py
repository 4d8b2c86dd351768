"""References inside one schema document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from toolgen.schema.document import Draft, draft_of

_TYPING = ("$ref", "allOf", "anyOf", "oneOf", "type", "enum", "const", "items", "prefixItems")
_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties")
_SHAPING = frozenset((*_TYPING, *_OBJECTS))
"""Keywords that decide a type."""


class LocalReferences:
    """Where the `$ref`s of `root` lead. All of them are local (`#…`); the step `resolve` saw to that."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.siblings_count = draft_of(root) is not Draft.DRAFT_7  # which ignores them beside a $ref
        self._anchors: dict[str, object] = {}
        self._nested_ids = False
        for depth, schema in _walk(root):
            if isinstance(anchor := schema.get("$anchor"), str):
                self._anchors["#" + anchor] = schema
            if isinstance(address := schema.get("$id"), str):
                if address.startswith("#"):
                    self._anchors[address] = schema  # draft-07's anchors
                else:
                    self._nested_ids |= depth > 0

    def follow(self, ref: object) -> tuple[str, Mapping[str, Any] | None]:
        """The reference, and the schema it names; None where it names none that we can be sure of."""
        if not isinstance(ref, str) or self._nested_ids:  # a nested $id moves the root that `#` means
            return str(ref), None
        target: object = self._anchors.get(ref)
        if target is None and (ref == "#" or ref.startswith("#/")):
            target = self.root
            for part in unquote(ref[2:]).split("/") if ref != "#" else ():
                target = _child(target, part.replace("~1", "/").replace("~0", "~"))
        return ref, target if isinstance(target, Mapping) else None

    def name(self, pointer: str) -> str:
        """What the author calls the definition at `pointer`; empty where it has no name."""
        parts = unquote(pointer).split("/")
        return parts[2] if len(parts) == 3 and parts[1] in ("$defs", "definitions") else ""

    def alone(self, schema: Mapping[str, Any]) -> str | None:
        """The reference that `schema` is, where nothing else about it decides a type."""
        if "$ref" in schema and not self.siblings_count:
            return str(schema["$ref"])
        says = _SHAPING.intersection(schema)
        if says == {"$ref"}:
            return str(schema["$ref"])
        match schema.get("allOf"):
            case [dict(only)] if says == {"allOf"}:
                return self.alone(only)
        return None

    def conjuncts(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The schemas that must all hold: the one named by `$ref`, those of `allOf`, the rest of `schema`."""
        if "$ref" in schema:
            yield {"$ref": schema["$ref"]}
            if not self.siblings_count:
                return
        inner = schema.get("allOf")
        if isinstance(inner, list):
            yield from (part for part in inner if isinstance(part, Mapping))
        yield {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}


def _child(node: object, key: str) -> object:
    if isinstance(node, Mapping):
        return node.get(key)
    if isinstance(node, list) and key.isdigit() and int(key) < len(node):
        return node[int(key)]
    return None


def _walk(root: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    waiting: list[tuple[int, object]] = [(0, root)]
    while waiting:
        depth, node = waiting.pop()
        if isinstance(node, Mapping):
            yield depth, node
            waiting += ((depth + 1, value) for value in node.values())
        elif isinstance(node, list):
            waiting += ((depth + 1, value) for value in node)
