"""The tools of `tools/list`: definitions with the keys of MCP. Needs no SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from toolgen.runtime.adapters.published_tools import options, published_name
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import DEPRECATED_KEY, ERRORS_KEY, VERSION_KEY
from toolgen.runtime.text import well_formed_value
from toolgen.runtime.validation.json_value import is_json
from toolgen.schema.document import SchemaDocument, subschemas
from toolgen.schema.graph import is_object_schema
from toolgen.schema.inline import inline_references, wrap_in_object

TARGET: Final = "mcp"
CARRIED: Final = "x-mcp"
"""Key of a definition: fields of MCP that an import has kept. They replace the tool's; null removes one."""
ADOPTED_ERROR: Final[Mapping[str, str]] = {
    "code": "failed",
    "description": "The tool could not do what was asked; the message says why.",
}
"""The error of adopted tools, with the text of the original one. It is not listed: nothing was before."""
_SCHEMAS: Final = ("inputSchema", "outputSchema")


def mcp_tools(definitions: Mapping[str, ToolDefinition]) -> list[dict[str, Any]]:
    """Return the `tools` of a `tools/list` result, in order, with all fields that an import has kept."""
    tools = [{**_tool(definition), **_carried(definition)} for definition in definitions.values()]
    return [{key: value for key, value in tool.items() if value is not None} for tool in tools]


def served_tools(definitions: Mapping[str, ToolDefinition]) -> list[dict[str, Any]]:
    """Return the list for clients. Fields that an import has kept are left out if they are not valid.

    Clients refuse the whole list if one tool is not valid. Text that is not valid Unicode cannot be sent.
    """
    tools = [
        _with_valid_fields(_tool(definition), _carried(definition)) for definition in definitions.values()
    ]
    for tool in tools:
        if "outputSchema" in tool:
            tool["outputSchema"] = readable_output(tool["outputSchema"])
    return [tool if is_json(tool) else well_formed_value(tool) for tool in tools]


def definition_digest(tool: Mapping[str, Any]) -> str:
    """Return a hash of a listed tool, by which a client sees that it is still the one it knows."""
    text = json.dumps(tool, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _with_valid_fields(tool: dict[str, Any], carried: Mapping[str, Any]) -> dict[str, Any]:
    if "icons" in tool and not _are_fields()({"icons": tool["icons"]}):
        del tool["icons"]  # the language checks only what it knows of them
    for key, value in carried.items():
        if value is None:
            tool.pop(key, None)
        # clients refuse the whole list if one field of one tool is not valid
        elif _are_fields()({key: well_formed_value(value)}) and not (
            key in _SCHEMAS and _has_faults(key, value)
        ):
            tool[key] = _as_object(value) if key == "inputSchema" else value
    return tool


def _has_faults(key: str, schema: Mapping[str, Any]) -> bool:
    """True for an output schema that is not valid, and an input schema with a reference to nothing."""
    # few tools have kept any
    from toolgen.runtime.definition.semantics.references import find_dangling
    from toolgen.runtime.definition.semantics.schema_faults import find_faults

    if key == "outputSchema":
        return bool(find_faults(schema))
    return any(fault.code == "dangling-ref" for fault in find_dangling(SchemaDocument(schema)))


def _carried(definition: ToolDefinition) -> Mapping[str, Any]:
    carried: Any = definition.get(CARRIED)
    if not isinstance(carried, Mapping):
        return {}
    if _hides_output_schema(definition):
        return {key: value for key, value in carried.items() if key != "outputSchema"}
    return carried


def has_output_schema(definition: ToolDefinition) -> bool:
    """True if the tool has an output schema that is published: its results have structured content."""
    return "output_schema" in definition and not _hides_output_schema(definition)


def _hides_output_schema(definition: ToolDefinition) -> bool:
    return options(definition, TARGET).get("output_schema") is False


@cache
def _are_fields() -> Callable[[Any], bool]:
    """Return a check of fields of a listed tool."""
    # few tools have kept any, and those of a typed client are listed without validation
    from toolgen.runtime.validation.compiled_schema import compile_schema

    text = files("toolgen.serving").joinpath("tool_fields.schema.json").read_text("utf-8")
    return compile_schema(json.loads(text)).accepts


def _as_object(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of objects with `type: object` at its root."""
    if schema.get("type") == "object":
        return schema
    # at the front where it is missing, as authors write it
    return {**schema, "type": "object"} if "type" in schema else {"type": "object", **schema}


def legacy_tools(definitions: Mapping[str, ToolDefinition]) -> list[dict[str, Any]]:
    """Return the list for clients up to 2025-11-25, with references in schemas inlined.

    Several of those clients drop `$defs`; `toolgen.schema.inline` names them.
    """
    inlined = [
        {
            key: inline_references(SchemaDocument(value)) if key in _SCHEMAS else value
            for key, value in tool.items()
        }
        for tool in served_tools(definitions)
    ]
    return for_handshake_era(inlined)


def for_handshake_era(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the list for clients up to 2025-11-25, which refuse output schemas without `type: object`.

    The schema of an object gets it. Any other output becomes the only property of one: `{"result": …}`.
    Their properties have no boolean schemas, which the TypeScript SDK refuses.
    """
    return [
        {
            key: _without_booleans(output_for_handshake_era(value) if key == "outputSchema" else value)
            if key in _SCHEMAS
            else value
            for key, value in tool.items()
        }
        for tool in tools
    ]


def _without_booleans(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not any(isinstance(each, bool) for each in properties.values()):
        return schema
    as_object: Mapping[bool, Any] = {True: {}, False: {"not": {}}}
    found = {name: as_object[each] if isinstance(each, bool) else each for name, each in properties.items()}
    return {**schema, "properties": found}


def output_for_handshake_era(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an output schema for clients up to 2025-11-25."""
    # https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
    document = SchemaDocument(schema)
    return _as_object(schema) if is_object_schema(document) else wrap_in_object(document)


def _tool(definition: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": published_name(definition, TARGET)}
    if "title" in definition:
        tool["title"] = definition["title"]
    tool["description"] = definition["description"]
    inline = options(definition, TARGET).get("inline", False)
    for key, field in (("inputSchema", "input_schema"), ("outputSchema", "output_schema")):
        schema: Any = definition.get(field)
        if schema is not None and (key == "inputSchema" or has_output_schema(definition)):
            tool[key] = inline_references(SchemaDocument(schema)) if inline else schema
    annotations = dict(definition.get("annotations", {}))
    if "title" in definition and options(definition, TARGET).get("annotations_title", True):
        annotations.setdefault("title", definition["title"])
    if annotations:
        tool["annotations"] = annotations
    if icons := definition.get("icons"):
        tool["icons"] = list(icons)
    own = {
        VERSION_KEY: definition.get("version"),
        DEPRECATED_KEY: definition.get("deprecated"),
        ERRORS_KEY: [each for each in definition.get("errors", ()) if each != ADOPTED_ERROR] or None,
    }
    meta = {**definition.get("meta", {}), **{key: value for key, value in own.items() if value is not None}}
    if meta:
        tool["_meta"] = meta
    return tool


_NAMES: Final = ("$id", "$anchor", "$dynamicAnchor")
_PORTABLE: Final = re.compile(
    r"""(?:\^|\$|\||\((?:\?[:=!])?|\\[bB]
        |(?:\\[dDwWsStnvfr^$\\.*+?()\[\]{}|/]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\.|\)|[^\\^$.*+?()\[\]{}|]
          |\[\^?-?(?:\\[dDwWsS](?!-[^\]])|\\[tnvfr^$\\.*+?()\[\]{}|/-]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}
            |(?!-\\[dDwWsS])[^\\\[\]])*\])
         (?:(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)?)*""",
    re.VERBOSE,
)


def readable_output(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an output schema, or one of any value of its kind if clients cannot compile it.

    The TypeScript SDK up to 1.x compiles the output schemas of all tools when it lists them, and refuses the
    list if it cannot; later ones, and the Python SDK, fail after the call. Ajv takes patterns in JavaScript's
    Unicode mode, and refuses some keywords that mean nothing to JSON Schema.
    """
    nodes = [node for _, node in subschemas(schema)]
    names = [str(node[key]) for node in nodes for key in _NAMES if key in node]
    if len({*names}) == len(names) and all(_is_readable(node, key) for node in nodes for key in node):
        return schema
    return {"type": "object"} if is_object_schema(SchemaDocument(schema)) else {}


def _is_readable(node: Mapping[str, Any], key: str) -> bool:
    value = node[key]
    if key in ("pattern", "patternProperties"):
        return all(map(_is_portable, [value] if isinstance(value, str) else value))
    if key == "nullable":  # of OpenAPI
        return value is True and "type" in node
    return key != "id" and (key != "enum" or bool(value))  # `id` is of draft 4


def _is_portable(pattern: str) -> bool:
    """True if JavaScript, in its Unicode mode, and Python compile a pattern."""
    with suppress(re.error, OverflowError, RecursionError):
        return _PORTABLE.fullmatch(pattern) is not None and re.compile(pattern) is not None
    return False
