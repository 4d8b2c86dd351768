"""Schemas without references, for readers that lose `$defs`; and schemas as the property of an object.

Both mean what the author's schema means. VS Code's Copilot and Claude Desktop drop `$defs`, as
PrefectHQ/fastmcp#2808 tells; so do Copilot CLI (github/copilot-cli#1876) and Codex (openai/codex#3152).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.document import Draft, Path, draft_of, replace_refs, resolve_reference, subschemas
from toolgen.schema.keywords import CONSTRAINING

Schema = Mapping[str, Any]

MOST_PLACES: Final = 5_000
"""Subschemas that inlining may come to; what would be larger keeps its references."""

DEEPEST: Final = 250
"""Objects and lists inside one another that inlining may come to; as `MOST_PLACES`."""

RESULT: Final = "result"
"""The property that a wrapped value stands in."""

_NAMED: Final = frozenset(
    {"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"}
)
_DEFINITIONS: Final = ("$defs", "definitions")


def wrapped(schema: Schema) -> dict[str, Any]:
    """The schema of an object whose one property is what `schema` describes."""
    moved = {
        path: f"#/properties/{RESULT}{node['$ref'][1:]}"
        for path, node in subschemas(schema)
        if _is_pointer(node.get("$ref")) and "$id" not in schema
    }
    inner: dict[str, Any] = replace_refs(schema, moved)
    draft = {"$schema": inner.pop("$schema")} if "$schema" in inner and "$id" not in inner else {}
    return {**draft, "type": "object", "properties": {RESULT: inner}, "required": [RESULT]}


def _is_pointer(reference: object) -> bool:
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def inlined(schema: Schema) -> Schema:
    """`schema` with every reference written out that does not lead back to itself."""
    nodes = [node for _, node in subschemas(schema)]
    if not any("$ref" in node for node in nodes) or any(_NAMED & node.keys() for node in nodes):
        return schema
    try:
        made: dict[str, Any] = _Inliner(schema).place(schema, ())
    except _TooLargeError:
        return schema
    return _without_unused(made)


class _TooLargeError(Exception):
    """More places than a schema is worth."""


class _Inliner:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._draft7 = draft_of(schema) is Draft.DRAFT_7
        self._schemas = {path for path, _ in subschemas(schema)}
        self._places = 0

    def place(self, value: Any, path: Path, following: tuple[Path, ...] = (), depth: int = 0) -> Any:
        """What stands at `path`; `following` are the places that references led through to it."""
        if isinstance(value, list):
            return [
                self.place(each, (*path, index), following, depth + 1) for index, each in enumerate(value)
            ]
        if not isinstance(value, Mapping):
            return value
        is_schema = path in self._schemas
        self._places += is_schema
        if self._places > MOST_PLACES or depth > DEEPEST:
            raise _TooLargeError
        found = resolve_reference(self._schema, value["$ref"]) if is_schema and "$ref" in value else None
        if found is None or any(found[1] == path[: len(found[1])] for path in (*following, path)):
            return {key: self.place(each, (*path, key), following, depth + 1) for key, each in value.items()}
        target = self.place(found[0], found[1], (*following, path), depth + 1)
        own = {
            key: self.place(each, (*path, key), following, depth + 1)
            for key, each in value.items()
            if key != "$ref" and not self._draft7
        }
        return _beside(target, own)


def _beside(target: Any, own: dict[str, Any]) -> Any:
    """What a reference to `target` means beside the keywords `own`."""
    if not own:
        return target
    if isinstance(target, Mapping) and CONSTRAINING.isdisjoint(own):
        return {**target, **own}
    return {**own, "allOf": [*own.get("allOf", ()), target]}


def _without_unused(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` without the definitions that nothing refers to any more."""
    kept = dict(schema)
    for keyword in _DEFINITIONS:
        if isinstance(kept.get(keyword), Mapping):
            used = _used(schema, keyword)
            kept[keyword] = {name: each for name, each in schema[keyword].items() if name in used}
            if not kept[keyword]:
                del kept[keyword]
    return kept


def _used(schema: dict[str, Any], keyword: str) -> set[str]:
    body = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    used: set[str] = set()
    waiting: list[Any] = [body]
    while waiting:
        for _, node in subschemas(waiting.pop()):
            found = resolve_reference(schema, node.get("$ref"))
            if found and len(found[1]) > 1 and found[1][0] in _DEFINITIONS:
                home, name = found[1][0], str(found[1][1])
                if f"{home}/{name}" not in used:
                    used.add(f"{home}/{name}")
                    waiting.append(schema[str(home)][name])
    return {each.partition("/")[2] for each in used if each.startswith(f"{keyword}/")}
