"""The schemas that apply to a place in a spec: of the language, of JSON Schema, of the tool for examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from toolgen.language.program import ProgramTool
from toolgen.language.reading.editor_schema import editor_schema
from toolgen.runtime.definition.spec_schema import SCHEMA_FIELDS
from toolgen.schema.document import JsonObject, JsonPath, locate, parse_pointer

_FROM_TOOL: Final = {"input": "input_schema", "output": "output_schema"}
_MOST_NODES: Final = 200  # that apply to one place


@cache
def _language() -> JsonObject:
    return editor_schema()


def schemas_at(path: JsonPath, *, is_shared: bool, tool: ProgramTool | None = None) -> list[JsonObject]:
    """Return the schemas of a place in a spec, or in a file of shared schemas.

    `tool` is that of the spec, as it was when it was last valid: its examples have its own schemas.
    """
    if not is_shared and tool is not None and path[:1] == ("examples",) and len(path) > 2:
        schema = tool.documents.get(_FROM_TOOL.get(str(path[2]), ""))
        if schema is not None:
            return _walk(schema.schema, schema.schema, path[3:])
    language = _language()
    start = language["definitions"]["Shared" if is_shared else "Tool"]
    return _walk(language, start, path)


def is_in_schema(path: JsonPath, *, is_shared: bool) -> bool:
    """True for a path inside of a JSON Schema that an author has written."""
    if is_shared:
        return len(path) > 1 and path[0] == "$defs"
    return any(path[: len(field)] == field for field in SCHEMA_FIELDS)


def _walk(root: Mapping[str, Any], start: Any, path: JsonPath) -> list[JsonObject]:
    nodes = _expanded(root, [start])
    for step in path:
        nodes = _expanded(root, (inner for node in nodes for inner in _inside(node, step)))
    return nodes


def _expanded(root: Mapping[str, Any], nodes: Iterable[Any]) -> list[JsonObject]:
    """Return schemas, and all that apply to the same value."""
    found: list[JsonObject] = []
    seen: set[int] = set()
    waiting = list(nodes)
    while waiting and len(found) < _MOST_NODES:
        node = waiting.pop(0)
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        found.append(node)
        for keyword in ("allOf", "anyOf", "oneOf"):
            waiting += node[keyword] if isinstance(node.get(keyword), list) else ()
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            target = locate(root, parse_pointer(reference[1:]))
            waiting.append(target and target.value)
    return found


def _inside(node: JsonObject, step: str | int) -> Iterator[Any]:
    if isinstance(step, int):
        items = node.get("items")
        if isinstance(items, list):
            items = items[step] if step < len(items) else None
        yield items
        return
    properties = node.get("properties")
    if isinstance(properties, dict) and step in properties:
        yield properties[step]
        return
    # of patterns, the language has only that of extensions
    if step.startswith("x-") and "^x-" in node.get("patternProperties", {}):
        yield node["patternProperties"]["^x-"]
        return
    yield node.get("additionalProperties")


# In words


def documentation(nodes: Iterable[JsonObject]) -> str:
    """Return what schemas say in words: the first description, then the kinds of value and the default."""
    nodes = list(nodes)
    about = next((str(each["description"]) for each in nodes if each.get("description")), "")
    default = next((each["default"] for each in nodes if "default" in each), None)
    parts = [about]
    if kind := kind_of(nodes):
        parts.append(f"Type: {kind}.")
    if default not in (None, [], ""):
        parts.append(f"Default: {str(default).lower() if isinstance(default, bool) else default}.")
    return " ".join(filter(None, parts))


def kind_of(nodes: Iterable[JsonObject]) -> str:
    """Return the kinds of value that schemas take: `array or string`."""
    kinds: dict[str, None] = {}
    for node in nodes:
        written = node.get("type")
        for each in written if isinstance(written, list) else [written]:
            if isinstance(each, str):
                kinds[each] = None
    return " or ".join(kinds)


def values_of(nodes: Iterable[JsonObject]) -> Iterator[Any]:
    """Yield the values that schemas name: those of `enum` and `const`, and of a boolean."""
    for node in nodes:
        if "const" in node:
            yield node["const"]
        yield from node["enum"] if isinstance(node.get("enum"), list) else ()
        if node.get("type") == "boolean":
            yield from (True, False)
