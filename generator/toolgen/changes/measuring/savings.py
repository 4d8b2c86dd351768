"""What would make definitions smaller, computed: each definition is published again with other schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.compile.publishing.request_limits import published_entries
from toolgen.language.package import Tool
from toolgen.language.targets.builtin import MCP
from toolgen.schema.document import Schema, SchemaDocument, subschemas, unshared
from toolgen.schema.inline import inline_references


@dataclass(frozen=True, slots=True)
class Saving:
    """What one way of making definitions smaller would save, in all tools that it makes smaller."""

    way: str
    saved: Mapping[str, int]  # target → size that would no longer be sent
    tools: int  # that are smaller for any target


@dataclass(frozen=True, slots=True)
class _Way:
    name: str
    input: Callable[[Schema], Schema]
    output: Callable[[Schema], Schema | None]
    inline: bool | None = None  # MCP's option; None: as it is


def _same(schema: Schema) -> Schema:
    return schema


def _none(_: Schema) -> None:
    return None


def _inlined(schema: Schema) -> Schema:
    return inline_references(SchemaDocument(schema))


def _without_nested_descriptions(schema: Schema) -> Schema:
    """Return the schema without descriptions, but for its own and those of its properties."""
    copy: dict[str, Any] = unshared(schema)
    nested = [
        node for path, node in subschemas(copy) if len(path) > 2 or path[:1] not in ((), ("properties",))
    ]
    found = [node for node in nested if isinstance(node, dict) and "description" in node]
    for node in found:
        del node["description"]
    return copy if found else schema


_WAYS: Final = (
    _Way("without output schemas", _same, _none),
    _Way("references inlined", _inlined, _inlined, inline=True),
    _Way("without descriptions of nested fields", _without_nested_descriptions, _without_nested_descriptions),
)


def savings(
    tools: Sequence[Tool], sizes: Mapping[str, Mapping[str, int]], measure: Callable[[Any], int]
) -> tuple[Saving, ...]:
    """Return what each way would save. `sizes` are those of the tools, by name and target."""
    return tuple(_saving(way, tools, sizes, measure) for way in _WAYS)


def _saving(
    way: _Way, tools: Sequence[Tool], sizes: Mapping[str, Mapping[str, int]], measure: Callable[[Any], int]
) -> Saving:
    saved: dict[str, int] = {}
    smaller = set()
    for tool in tools:
        for target, size in sizes[tool.wire_name].items():
            saved.setdefault(target, 0)
            changed = _changed(tool, target, way)
            if changed is None:
                continue
            less = size - sum(map(measure, published_entries(changed, target)))
            # a tool that would be larger is left as it is
            if less > 0:
                saved[target] += less
                smaller.add(tool.wire_name)
    return Saving(way.name, saved, len(smaller))


def _changed(tool: Tool, target: str, way: _Way) -> Tool | None:
    """Return the tool with what it publishes for a target changed; None if nothing is."""
    if target != MCP.name:
        published = tool.published[target]
        own, output = published.input_schema, published.output_schema
        changed, changed_output = way.input(own), None if output is None else way.output(output)
        if changed is own and changed_output is output:
            return None
        made = replace(published, input_schema=changed, output_schema=changed_output)
        return replace(tool, published={target: made})
    definition = dict(tool.definition)
    for key, change in (("input_schema", way.input), ("output_schema", way.output)):
        if key in definition and (schema := change(definition[key])) is not definition[key]:
            definition[key] = schema
    if (inline := way.inline) is not None:
        targets = definition.get("targets", {})
        definition["targets"] = {**targets, target: {**targets.get(target, {}), "inline": inline}}
    definition = {key: value for key, value in definition.items() if value is not None}
    return None if definition == tool.definition else replace(tool, definition=definition)
