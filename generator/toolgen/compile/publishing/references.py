"""Choose which tools MCP publishes with their references inlined (`[mcp] references`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from toolgen.compile.publishing.definition import definition
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.spec import imported_kind
from toolgen.language.targets.builtin import MCP
from toolgen.schema.inline import try_inlining
from toolgen.serving.listed_tool import served_tools

if TYPE_CHECKING:
    from toolgen.runtime.definition.tool_definition import ToolDefinition

_SCHEMAS: Final = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
_MOST_GROWTH: Final = 2
_SMALLER: Final = "make the schema smaller, or write `inline: false` below `targets.mcp`"
_CHOICE: Final = "write `inline: false` below `targets.mcp` to keep them without this warning"
_ANYWAY: Final = (
    "write `inline: true` below `targets.mcp` to inline them anyway, or `inline: false` to keep them"
)


def choose_references(program: Program, settings: PackageSettings) -> Program:
    """Return the program with `inline` of each tool, and a warning for each that keeps its references.

    A spec's `targets.mcp.inline` comes before the configuration. An imported spec keeps its references, so
    that it is published as its source writes it.
    """
    if settings.mcp_references == "keep" and not any(inline_option(tool) for tool in program.tools):
        return program
    return program.with_tools([_chosen(tool, settings) for tool in program.tools])


def _chosen(tool: ProgramTool, settings: PackageSettings) -> ProgramTool:
    asked = inline_option(tool)
    is_configured = settings.mcp_references == "inline" and imported_kind(tool.source.text) is None
    if not (is_configured if asked is None else asked):
        return tool
    inlined = {name: try_inlining(tool.documents[name]) for name in _SCHEMAS if name in tool.documents}
    kept = {name: each.kept_because for name, each in inlined.items() if each.kept_because}
    if kept:
        return _warned(tool, kept, _SMALLER if asked else _CHOICE)
    if asked or all(each.schema is tool.documents[name].schema for name, each in inlined.items()):
        return tool
    before = served_tools({tool.spec.name: cast("ToolDefinition", definition(tool, "", "", settings))})[0]
    after = {**before, **{key: inlined[name].schema for name, key in _SCHEMAS.items() if key in before}}
    sizes = [len(json.dumps(each, ensure_ascii=False)) for each in (before, after)]
    if sizes[1] > _MOST_GROWTH * sizes[0]:
        why = f"inlined, the tool would have {sizes[1]:,} characters instead of {sizes[0]:,}"
        return _warned(tool, {"input_schema": why}, _ANYWAY)
    return replace(tool, inline=True)


def _warned(tool: ProgramTool, kept: Mapping[str, str], hint: str) -> ProgramTool:
    warnings = [
        Diagnostic(tool.source.key((field,)), "references-kept", f"mcp: references are kept: {why}", hint)
        for field, why in kept.items()
    ]
    return replace(tool, warnings=(*tool.warnings, *warnings))


def inline_option(tool: ProgramTool) -> bool | None:
    """Return `targets.mcp.inline` of a spec; None if it is not set."""
    return getattr(tool.spec.options_of(MCP.name), "inline", None)
