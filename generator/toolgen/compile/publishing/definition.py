"""The definition of a tool in the catalog: JSON data, keys in the order of the spec language.

Also which tools MCP publishes with their references inlined (`[mcp] references`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.spec import Inject, Spec, imported_kind
from toolgen.language.targets.builtin import MCP
from toolgen.runtime.definition.description import join_description
from toolgen.runtime.definition.tool_definition import LOGGED, ToolDefinition, answers_of
from toolgen.schema.inline import try_inlining
from toolgen.serving.listed_tool import served_tools

_FIELDS: Final = (
    *(
        "name",
        "py_name",
        "class_name",
        "title",
        "description",
        "use_when",
        "avoid_when",
        "returns",
        "version",
    ),
    *("tags", "icons", "annotations", "input_schema", "output_schema", "errors", "confirm", "asks", "inject"),
    *("stream", "content", "max_result_bytes", "page", "auth", "timeout", "background", "rate_limit"),
    *("idempotency", "concurrency", "group", "load", "examples", "aliases", "deprecated", "final_answer"),
    *("coerce", "meta", "targets"),
)
_DUMPED: Final = {
    *("errors", "confirm", "auth", "background", "rate_limit", "idempotency", "deprecated", "targets"),
}
"""Fields of the definition in the order of their models, and not as the author wrote them."""
_MAY_BE_EMPTY: Final = ("input_schema", "output_schema")


def description(spec: Spec) -> str:
    """Return the description that every target publishes: with `use_when` and so on, a paragraph each."""
    texts = {"use_when": spec.use_when, "avoid_when": spec.avoid_when, "returns": spec.returns}
    written = spec.content
    content = (
        written if isinstance(written, str) else [each.model_dump(exclude_unset=True) for each in written]
    )
    deprecated = None if spec.deprecated is None else spec.deprecated.model_dump(exclude_none=True)
    return join_description(spec.description, texts, content, deprecated=deprecated)


def definition(tool: ProgramTool, py_name: str, class_name: str, settings: PackageSettings) -> dict[str, Any]:
    """Return the entry of a tool in `<package>.catalog.TOOLS`."""
    spec = tool.spec
    dumped = _DUMPED & spec.model_fields_set
    written_fields = spec.model_dump(mode="json", include=dumped, exclude_unset=True, by_alias=True)
    written: Any = tool.source.data  # keys in the author's order, which a model does not keep
    entry: dict[str, Any] = {
        **written,
        **written_fields,
        "py_name": py_name,
        "class_name": class_name,
        "description": description(spec),
        "annotations": _annotations(spec, written.get("annotations")),
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "asks": spec.asks or None,
        "inject": [_injected(item) for item in spec.inject],
        "stream": None if tool.chunk_schema is None else {"chunk_schema": tool.chunk_schema},
        "examples": _shown_examples(written.get("examples", [])),
        "final_answer": spec.final_answer or None,
        "coerce": None if (settings.coerce if spec.coerce is None else spec.coerce) else False,
        "targets": _targets(tool, written_fields.get("targets"), settings),
    }
    return {
        key: entry[key]
        for key in (*_FIELDS, *spec.extensions)
        if entry.get(key) is not None
        and (entry[key] not in ([], {}) or key in _MAY_BE_EMPTY or key.startswith("x-"))
    }


def _targets(
    tool: ProgramTool, written: dict[str, Any] | None, settings: PackageSettings
) -> dict[str, Any] | None:
    """Return the options of targets as the author wrote them, with what is said of MCP elsewhere."""
    mcp = (written or {}).get(MCP.name, {})
    configured: dict[str, bool] = {}
    # clients refuse answers that a published schema refuses
    is_kept = settings.mcp_output_schema and answers_of(tool.spec.extensions) != LOGGED
    if not is_kept and tool.output_schema is not None:
        configured["output_schema"] = False
    if tool.inline:
        configured["inline"] = True
    if configured.keys() <= mcp.keys():
        return written
    return {**(written or {}), MCP.name: {**configured, **mcp}}


def _injected(item: Inject) -> dict[str, Any]:
    optional = {"optional": True} if item.optional else {}
    return {"name": item.name, "type": item.type, **optional}


def _shown_examples(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parts of examples that a provider may show to models."""
    return [
        {"name": example["name"], "input": example["input"]} for example in examples if "error" not in example
    ]


def _annotations(spec: Spec, annotations: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the author's annotations with the title, where older MCP clients look for it."""
    options = spec.options_of(MCP.name)
    if (
        spec.title is None
        or "title" in (annotations or {})
        or not getattr(options, "annotations_title", True)
    ):
        return annotations
    return {"title": spec.title, **(annotations or {})}


# References

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
