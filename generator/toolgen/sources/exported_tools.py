"""Read definitions of tools in the format of a provider: exported ones, or those that a server lists."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.runtime.response import DEPRECATED_KEY, ERRORS_KEY, VERSION_KEY
from toolgen.schema.budget import BUDGET
from toolgen.schema.document import JsonPath
from toolgen.sources.definitions import unwrapped
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import JsonDocument, check_definition, declared_errors, errors_at
from toolgen.sources.schema_repair import repair_foreign_schema

_EXPECTED: Final = "give what `toolgen export` prints: for mcp, openai-chat, openai-responses, anthropic, …"


@dataclass(frozen=True, slots=True)
class ExportFields:
    """A format: which fields of a spec it has, and where they are in a definition."""

    name: str  # of the format, as `toolgen export` calls it
    paths: Mapping[str, tuple[JsonPath, ...]]  # field of a spec → the paths that it may have

    @property
    def knows(self) -> frozenset[str]:
        """Return the fields of a spec that the format has."""
        return frozenset(self.paths)


def _format(name: str, **paths: Sequence[str | JsonPath]) -> ExportFields:
    own = {
        key: tuple(tuple(each.split("/")) if isinstance(each, str) else each for each in found)
        for key, found in paths.items()
    }
    return ExportFields(name, {"name": (("name",),), "description": (("description",),), **own})


MCP: Final = _format(
    "mcp",
    title=["title"],
    icons=["icons"],
    annotations=["annotations"],
    input_schema=["inputSchema"],
    output_schema=["outputSchema"],
    meta=["_meta"],
    deprecated=[("_meta", DEPRECATED_KEY)],
    errors=[("_meta", ERRORS_KEY)],
)
CHAT: Final = _format("openai-chat", input_schema=["parameters"])
RESPONSES: Final = _format("openai-responses", input_schema=["parameters"], output_schema=["output_schema"])
ANTHROPIC: Final = _format("anthropic", input_schema=["input_schema"])
GEMINI: Final = _format(
    "gemini",
    input_schema=["parameters_json_schema", "parametersJsonSchema", "parameters"],
    output_schema=["response_json_schema", "responseJsonSchema", "response"],
)
BEDROCK: Final = _format("bedrock", input_schema=["inputSchema/json"])


@dataclass(frozen=True, slots=True)
class ExportedTool:
    """One definition: the fields of a spec that it has, and where they are in the source."""

    format: ExportFields
    name: str
    fields: Mapping[str, Any]  # of a spec; schemas are repaired
    places: Mapping[str, JsonPath]  # field of a spec → its path in the document
    at: JsonPath  # of the definition in the document
    line: int  # of the document in the source; 0: the source is one document
    repairs: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # field of a spec → what was repaired

    @property
    def knows(self) -> frozenset[str]:
        """Return the fields of a spec that it can express. Only servers of toolgen list declared errors."""
        return self.format.knows if "errors" in self.fields else self.format.knows - {"errors"}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each repair."""
        return tuple(f"{self.name}: {note}" for notes in self.repairs.values() for note in notes)


@dataclass(frozen=True, slots=True)
class _FoundDefinition:
    format: ExportFields
    data: dict[str, Any]
    at: JsonPath


def read_exported(documents: Sequence[JsonDocument], name: str) -> list[ExportedTool]:
    """Return the tools in `documents`, all of one format; messages call the source `name`.

    Raises `SourceError` if a document is something else, formats are mixed, or a name has two definitions.
    """
    tools: dict[str, ExportedTool] = {}
    for document in documents:
        where = document.place(name)
        for found in _definitions(document.value, (), where):
            with errors_at(document.place, name, found.at):
                tool = _tool(found, document.line)
            known = tools.setdefault(tool.name, tool)
            if known.format is not tool.format:
                message = f"{where}: tools of {known.format.name} and of {tool.format.name} in one source"
                raise SourceError(message, _EXPECTED)
            if json.dumps(known.fields) != json.dumps(tool.fields):
                raise SourceError(f"{where}: two tools of the name {quoted(tool.name)} differ", _EXPECTED)
            if len(tools) > BUDGET.tools:
                raise SourceError(
                    f"{name}: more than {BUDGET.tools:,} tools", "give a part of them", "too-complex"
                )
    if not tools:
        raise SourceError(f"{name} has no tools", _EXPECTED)
    if len({tool.format.name for tool in tools.values()}) > 1:
        raise SourceError(f"{name} has tools of several formats", _EXPECTED)
    return list(tools.values())


def _definitions(value: Any, at: JsonPath, where: str) -> Iterator[_FoundDefinition]:
    """Yield the definitions in one document, however they are wrapped."""
    for path, each in unwrapped(value, where, at):
        if not isinstance(each, dict):
            raise SourceError(f"{where}: expected a tool, found {quoted(json.dumps(each))}", _EXPECTED)
        if each.get("type") == "namespace" and isinstance(each.get("tools"), list):
            yield from _definitions(each["tools"], (*path, "tools"), where)
        elif each.get("type") != "tool_search" and _BESIDE.isdisjoint(each):
            yield _definition(each, path, where)


_BESIDE = frozenset(("cachePoint", "googleSearch", "google_search"))
"""Keys of what providers list beside tools."""


def _definition(value: dict[str, Any], at: JsonPath, where: str) -> _FoundDefinition:
    for key, wrapped in (("toolSpec", BEDROCK), ("function", CHAT), ("function_raw", CHAT)):
        if isinstance(value.get(key), dict):
            return _FoundDefinition(wrapped, value[key], (*at, key))
    if "name" not in value:
        message = f"{where}: no tool of a known format: {quoted(json.dumps(value))}"
        raise SourceError(message, _EXPECTED)
    if "function_declarations" in at or "functionDeclarations" in at:
        return _FoundDefinition(GEMINI, value, at)
    for key, plain in (
        ("inputSchema", MCP),
        ("outputSchema", MCP),
        ("input_schema", ANTHROPIC),
        ("parameters_json_schema", GEMINI),
        ("parametersJsonSchema", GEMINI),
        ("parameters", RESPONSES),
    ):
        if key in value:
            return _FoundDefinition(plain, value, at)
    return _FoundDefinition(RESPONSES if value.get("type") == "function" else MCP, value, at)


def _tool(found: _FoundDefinition, line: int) -> ExportedTool:
    check_definition(found.data, "tool", (), _EXPECTED)
    name = found.data["name"]
    fields: dict[str, Any] = {}
    places: dict[str, JsonPath] = {}
    repairs: dict[str, tuple[str, ...]] = {}
    for key, paths in found.format.paths.items():
        for path in paths:
            value = _at(found.data, path)
            if value is not None:
                fields[key], places[key] = value, (*found.at, *path)
                break
    if found.format is MCP and isinstance(meta := fields.pop("meta", None), dict):
        own_keys = (DEPRECATED_KEY, VERSION_KEY, ERRORS_KEY)  # toolgen's, not the author's
        if authors := {key: value for key, value in meta.items() if key not in own_keys}:
            fields["meta"] = authors
        if declared_errors(meta) is None:
            fields.pop("errors", None)
    for key in ("input_schema", "output_schema"):
        if not isinstance(fields.get(key, {}), dict):
            raise SourceError(f"`{key}` of {quoted(name)} must be an object", _EXPECTED)
        if key in fields or key == "input_schema":
            repaired = repair_foreign_schema(fields.get(key, {"type": "object"}), key)
            fields[key] = repaired.schema
            repairs |= {key: tuple(repaired.notes)} if repaired.notes else {}
    return ExportedTool(found.format, name, fields, places, found.at, line, repairs)


def _at(data: Any, path: JsonPath) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data
