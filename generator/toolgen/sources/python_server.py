"""Import the tools of a Python MCP server: what it lists, and what only the server object knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from toolgen.base.suggestions import count
from toolgen.runtime.definition.check import is_valid_field
from toolgen.schema.document import subschemas
from toolgen.serving.listed_tool import ADOPTED_ERROR
from toolgen.sources.imported_tool import ImportedTool, SourceError, in_spec_order
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.mcp import CARRIED, import_mcp
from toolgen.sources.mcp import OWNED as OWNED_BY_LISTING
from toolgen.sources.spec_names import ExistingNames

OWNED = (*OWNED_BY_LISTING, "tags", "version", "timeout")
"""Spec fields that `--sync` takes from the source, beside those under `targets.mcp`."""
_LOOSE_FORMATS = ("date-time", "duration", "time")


@dataclass(frozen=True, slots=True)
class ServerDescription:
    """A server as the child process that imported its module has described it."""

    framework: str  # "fastmcp" or "mcp"
    framework_version: str
    module: str
    path: str  # of the server object, in the module
    file: str
    name: str
    version: str | None
    instructions: str | None
    tools: Sequence[dict[str, Any]]  # as `tools/list` has them
    details: Sequence[Mapping[str, Any]]  # of each tool, what the list does not say
    others: Mapping[str, int]  # resources, templates, prompts, skills
    stays: Sequence[str]  # further parts of the server that are not imported

    @property
    def origin(self) -> str:
        """MODULE:PATH."""
        return f"{self.module}:{self.path}"

    @property
    def features(self) -> list[str]:
        """Return the capabilities to serve beside the tools."""
        of_uris = self.others["resource"] + self.others["resource template"]
        of_arguments = self.others["resource template"] + self.others["prompt"]
        has = {"resources": of_uris, "prompts": self.others["prompt"], "completions": of_arguments}
        has["skills"] = self.others["skill"]
        return [name for name, number in has.items() if number]


def import_server(server: ServerDescription, existing: ExistingNames) -> list[ImportedTool]:
    """Return the server's tools. Raises `SourceError` if there are none, or too many."""
    if not server.tools and (others := other_features(server)):
        message = f"{server.origin} has no tools, only {', '.join(others)}"
        raise SourceError(message, "toolgen serves these beside tools: keep the server, or add a tool to it")
    documents = [JsonDocument(tool, 0) for tool in server.tools]
    tools = import_mcp(documents, server.origin, existing)
    return [_with_details(tool, details, server) for tool, details in zip(tools, server.details, strict=True)]


def forwarded(tool: ImportedTool) -> ImportedTool:
    """Return a tool whose calls are forwarded: with the error that it raises, and its own formats."""
    fields, notes = dict(tool.fields), list(tool.notes)
    declared = [each for each in fields.get("errors", ()) if each["code"] != ADOPTED_ERROR["code"]]
    fields["errors"] = [*declared, dict(ADOPTED_ERROR)]
    _relax_formats(fields, tool.name, notes)
    return ImportedTool(in_spec_order(fields), tuple(notes), tool.origin)


def _with_details(tool: ImportedTool, details: Mapping[str, Any], server: ServerDescription) -> ImportedTool:
    fields = dict(tool.fields)
    notes = list(tool.notes)
    fields["errors"] = [dict(ADOPTED_ERROR)]
    for key in ("tags", "version", "timeout"):
        value = details.get(key)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value and is_valid_field(key, value):
            fields[key] = value
        elif value:
            notes.append(f"{tool.name}: its {key} {value!r} cannot be written in a spec; left out")
    _relax_formats(fields, tool.name, notes)
    if "version" in fields:  # the server does not publish it under toolgen's key
        fields[CARRIED] = {**fields.get(CARRIED, {}), "_meta": fields.get("meta")}
    if details.get("auth"):
        notes.append(
            f"{tool.name}: keeps its own `auth` check; write auth.scopes, so that toolgen checks it, too"
        )
    if details.get("task"):
        notes.append(f"{tool.name}: runs in the foreground, not as a task")
    return ImportedTool(in_spec_order(fields), tuple(notes), server.origin)


def _relax_formats(fields: dict[str, Any], name: str, notes: list[str]) -> None:
    """Remove formats from the schemas that values need not have; the original schemas are published.

    Pydantic reads and writes times without a zone under `date-time`, which RFC 3339 does not allow.
    """
    removed: set[str] = set()
    for field, key in (("input_schema", "inputSchema"), ("output_schema", "outputSchema")):
        original = fields.get(field)
        if original is None:
            continue
        relaxed = deepcopy(original)
        found = {
            str(node.pop("format"))
            for _, node in list(subschemas(relaxed))
            if isinstance(node, dict) and node.get("format") in _LOOSE_FORMATS
        }
        if found:
            fields[field] = relaxed
            fields[CARRIED] = {key: original, **fields.get(CARRIED, {})}
            removed |= found
    if removed:
        formats = ", ".join(sorted(removed))
        notes.append(
            f"{name}: {formats} is published, and checked by the function alone: it may lack a time zone"
        )


def other_features(server: ServerDescription) -> list[str]:
    """Return what the server has besides tools: `2 resources`, `1 prompt`."""
    return [count(number, noun) for noun, number in server.others.items() if number]
