"""References inside one schema document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from toolgen.schema.document import Draft, JsonPath, anchors, draft_of, locate, parse_pointer, subschemas

_TYPING = ("$ref", "allOf", "anyOf", "oneOf", "type", "enum", "const", "items", "prefixItems")
_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties")
_SHAPING = frozenset((*_TYPING, *_OBJECTS))
"""Keywords that decide the type of a value."""


class LocalReferences:
    """The targets of the `$ref`s of `root`. After `resolve`, all of them are local (`#…`)."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.siblings_apply = draft_of(root) is not Draft.DRAFT_7  # which ignores them beside a $ref

    @cached_property
    def _anchors(self) -> Mapping[str, JsonPath]:
        return anchors(self.root, dynamic=False)

    @cached_property
    def _nested_ids(self) -> bool:
        return any(
            path and isinstance(uri := node.get("$id"), str) and not uri.startswith("#")
            for path, node in subschemas(self.root)
        )

    def follow(self, ref: object) -> tuple[str, Mapping[str, Any] | None]:
        """Return the reference and its schema; None if the reference may lead elsewhere."""
        if not isinstance(ref, str) or self._nested_ids:  # a nested $id moves the root that `#` means
            return str(ref), None
        if ref == "#" or ref.startswith("#/"):
            path: JsonPath | None = parse_pointer(ref[1:])
        else:
            path = self._anchors.get(ref[1:]) if ref.startswith("#") else None
        target = None if path is None else locate(self.root, path)
        return ref, target.value if target is not None and isinstance(target.value, Mapping) else None

    def name(self, pointer: str) -> str:
        """Return the name of the definition at `pointer`; empty if `pointer` leads to something else."""
        # Unlike `parse_pointer`, this keeps `~1` and `~0`: class names are made of that text (`A~1B`: `A1B`).
        parts = unquote(pointer).split("/")
        return parts[2] if len(parts) == 3 and parts[1] in ("$defs", "definitions") else ""

    def only_reference(self, schema: Mapping[str, Any]) -> str | None:
        """Return the `$ref` of `schema` if nothing beside it decides the type."""
        if "$ref" not in schema and "allOf" not in schema:
            return None
        if "$ref" in schema and not self.siblings_apply:
            return str(schema["$ref"])
        shaping = _SHAPING.intersection(schema)
        if shaping == {"$ref"}:
            return str(schema["$ref"])
        match schema.get("allOf"):
            case [dict(only)] if shaping == {"allOf"}:
                return self.only_reference(only)
        return None

    def conjuncts(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the schemas that a value must all match: of `$ref`, of `allOf`, and the rest of `schema`."""
        if "$ref" in schema:
            yield {"$ref": schema["$ref"]}
            if not self.siblings_apply:
                return
        inner = schema.get("allOf")
        if isinstance(inner, list):
            yield from (part for part in inner if isinstance(part, Mapping))
        yield {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
