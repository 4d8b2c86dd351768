"""Import tools of an MCP server. `toolgen export mcp` returns every tool as it was.

The spec's own fields hold what the language can express. Fields that only MCP has, and values that the
language refuses, are carried verbatim under `x-mcp`: the MCP adapter publishes those instead, and omits a
field that is null there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.check import is_valid_field
from toolgen.schema.limits import BUDGET
from toolgen.sources.examples import examples_of_schema, imported_examples
from toolgen.sources.imported_tool import ImportedTool, SourceError, in_spec_order
from toolgen.sources.json_source import JsonDocument, check_definition, check_list
from toolgen.sources.names import ExistingNames, choose_names
from toolgen.sources.schema_repair import repair_schema

CARRIED = "x-mcp"
OWNED = (
    "title", "icons", "description", "annotations", "input_schema", "output_schema", "meta", CARRIED,
)  # fmt: skip
"""Spec fields that `--sync` takes from the source, beside those under `targets.mcp`."""

_MAX_NAMESAKES = 100  # different tools of one name
_FIELDS = frozenset(
    ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta")
)
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_EXPECTED = "give a tools/list result, a list of tools, or one tool per line"


@dataclass(frozen=True, slots=True)
class _SourceTool:
    definition: dict[str, Any]  # as `tools/list` has it
    origin: str  # the server that a collection of tools names


def import_mcp(documents: Sequence[JsonDocument], name: str, existing: ExistingNames) -> list[ImportedTool]:
    """Return the tools in `documents`; messages call the source `name`. Raises `SourceError`."""
    tools: list[_SourceTool] = []
    duplicates: Counter[str] = Counter()
    namesakes: dict[str, list[dict[str, Any]]] = {}
    for tool in _read_tools(documents, name):
        tool_name = tool.definition["name"]
        others = namesakes.setdefault(tool_name, [])
        if any(_is_same_json(tool.definition, other) for other in others):
            duplicates[tool_name] += 1
            continue
        if len(tools) == BUDGET.tools:
            raise _too_many(f"{name}: more than {BUDGET.tools:,} tools")
        if len(others) == _MAX_NAMESAKES:
            raise _too_many(f"{name}: more than {_MAX_NAMESAKES} tools of the name {quoted(tool_name)}")
        others.append(tool.definition)
        tools.append(tool)
    if not tools:
        raise SourceError(f"{name} has no tools", _EXPECTED)
    names = choose_names([tool.definition["name"] for tool in tools], existing)
    published = set(existing.taken)
    imported: list[ImportedTool] = []
    for tool, spec_name in zip(tools, names, strict=True):
        tool_name = tool.definition["name"]
        is_first = tool_name not in published
        notes = []
        if is_first and duplicates[tool_name]:
            notes.append(f"{quoted(tool_name)} is listed {duplicates[tool_name] + 1} times; imported once")
        imported.append(_to_spec(tool, spec_name, is_first, notes))
        published.add(tool_name)
    return imported


def _too_many(message: str) -> SourceError:
    return SourceError(message, "import a part of them", "too-complex")


def _read_tools(documents: Sequence[JsonDocument], name: str) -> Iterator[_SourceTool]:
    for document in documents:
        where = document.place(name)
        for tool in _list_tools(document.value, where):
            check_definition(tool, where, "tool", ("inputSchema", "outputSchema"), _EXPECTED)
            # in JSONL, collections of tools say beside each tool which server it is from
            origin = tool.get("source") if document.line and document.value is tool else None
            if isinstance(origin, str):
                tool = {key: value for key, value in tool.items() if key != "source"}
            yield _SourceTool(tool, origin if isinstance(origin, str) else "")


def _list_tools(value: Any, where: str) -> list[Any]:
    """Return the tools in one document: a response, a result, a list of either, or a single tool."""
    if isinstance(value, list):
        return [tool for item in value for tool in _list_tools(item, where)]
    if not isinstance(value, dict):
        return [value]
    if isinstance(value.get("result"), dict):
        return _list_tools(value["result"], where)
    if "name" in value:
        return [value]
    check_list(value, where)
    tools = value.get("tools", [value])
    if not isinstance(tools, list):
        raise SourceError(f"{where}: `tools` must be a list", _EXPECTED)
    return tools


def _to_spec(tool: _SourceTool, spec_name: str, is_first: bool, notes: list[str]) -> ImportedTool:
    """Return the spec of `tool`; `is_first` is False if an earlier tool of the source has the same name."""
    definition = tool.definition
    fields: dict[str, Any] = {"toolgen": 1, "name": spec_name}
    carried = {key: value for key, value in definition.items() if key not in _FIELDS}
    options: dict[str, Any] = {}
    if spec_name != definition["name"]:
        original = quoted(definition["name"], 256)
        if is_first:
            options["name"] = definition["name"]
            fields["aliases"] = [definition["name"]]
            notes.append(f"renamed from {original}; still published and called as {original}")
        else:
            notes.append(f"renamed from {original}, the name of another tool")
    _add_texts(definition, fields, carried, notes)
    _add_annotations(definition, fields, carried, options)
    _add_icons_and_meta(definition, fields, carried)
    _add_schemas(definition, fields, carried, notes)
    examples = imported_examples(
        examples_of_schema(fields["input_schema"]), fields["input_schema"], fields.get("output_schema")
    )
    if examples.written:
        fields["examples"] = examples.written
    notes += examples.left_out
    fields["content"] = "any"  # servers do not declare it
    if options:
        fields["targets"] = {"mcp": options}
    if carried:
        fields[CARRIED] = carried
    return ImportedTool(in_spec_order(fields), tuple(f"{spec_name}: {note}" for note in notes), tool.origin)


def _add_texts(
    definition: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], notes: list[str]
) -> None:
    title = definition.get("title")
    if isinstance(title, str) and title:
        fields["title"] = title
    elif title is not None:
        carried["title"] = title
    description = definition.get("description")
    fields["description"] = description or fields.get("title") or definition["name"]
    if not description:
        carried["description"] = description
        notes.append("has no description; write one, since models choose tools by it")


def _add_annotations(
    definition: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], options: dict[str, Any]
) -> None:
    """Add the hints. A title that the source has in both places is written once, as `title`."""
    hints = definition.get("annotations")
    title = fields.get("title")
    if hints is not None and not (hints and is_valid_field("annotations", hints)):
        carried["annotations"] = hints
        hints = {
            key: hints[key] for key in _HINTS if isinstance(hints, dict) and isinstance(hints.get(key), bool)
        }
    annotations = dict(hints or {})
    if title is not None and "title" not in annotations:
        options["annotations_title"] = False
    elif title is not None and next(iter(annotations.items())) == ("title", title):
        del annotations["title"]
    if annotations:
        fields["annotations"] = annotations


def _add_icons_and_meta(definition: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any]) -> None:
    icons, meta = definition.get("icons"), definition.get("_meta")
    if icons is not None:
        is_valid = bool(icons) and is_valid_field("icons", icons)
        (fields if is_valid else carried)["icons"] = icons
    if meta is not None:
        if isinstance(meta, dict) and meta:
            fields["meta"] = meta
        else:
            carried["_meta"] = meta


def _add_schemas(
    definition: dict[str, Any], fields: dict[str, Any], carried: dict[str, Any], notes: list[str]
) -> None:
    if not definition.get("inputSchema") and definition.get("inputSchema") != {}:
        notes.append("has no inputSchema, which MCP requires; any arguments are accepted")
    for key, field in (("inputSchema", "input_schema"), ("outputSchema", "output_schema")):
        original = definition.get(key)
        if original is None and field == "output_schema":
            continue
        repaired = repair_schema({"type": "object"} if original is None else original, field)
        fields[field] = repaired.schema
        if original is not None and not _is_same_json(repaired.schema, original):
            carried[key] = original
            notes += repaired.notes


def _is_same_json(one: Any, other: Any) -> bool:
    """True if both are the same JSON text: key order counts, and 1 is not 1.0."""
    return json.dumps(one) == json.dumps(other)
