"""The typed client of a server in TypeScript: one module over the official SDK of MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from toolgen.compile.printing.client_source import ClientSource
from toolgen.compile.printing.render import render_template
from toolgen.compile.stubs.catalogue import ToolTypes, call_text, catalogue_types
from toolgen.compile.stubs.typescript import WORDS, argument_text, doc_comment, result_text, type_definitions
from toolgen.runtime.contract.content_rules import declares_blocks
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema

FILE: Final = "client.ts"
_TEMPLATE: Final = "_client.ts.jinja"
_MEMBERS: Final = frozenset(("call", "client", "connect", "constructor", "prototype", "name", "length"))
"""Members of the class, of all its instances, or of every function in JavaScript."""
_CLASSES: Final = ("CallToolResult", "Client", "RequestOptions", "ToolError", "Transport")


@dataclass(frozen=True, slots=True)
class TypeScriptMethod:
    """The method of one tool, as the template prints it."""

    name: str
    listed_name: str  # a literal
    doc: str
    argument: str  # the parameter; empty: there is none
    result: str
    reads: str  # the function of the module that reads the result


def typescript_client(client: ClientSource, templates: Mapping[str, str]) -> dict[str, str]:
    """Return the file of a client."""
    definitions = {
        each.tool.wire_name: cast("ToolDefinition", each.tool.definition) for each in client.methods
    }
    listed = {each.tool.wire_name: each.listed_name for each in client.methods}
    words = WORDS | _MEMBERS
    catalogue = catalogue_types([*definitions.values()], words, classes={*_CLASSES, client.class_name})
    methods = [_method(tool, definitions[tool.name], listed[tool.name]) for tool in catalogue.tools]
    types = type_definitions(catalogue, open_objects=True)
    text = render_template(
        templates,
        _TEMPLATE,
        client=client,
        doc=doc_comment(f"Client of {client.server}, with one method for each tool.").rstrip("\n"),
        types=types,
        methods=methods,
        reads={each.reads for each in methods},
    )
    return {FILE: text}


def _method(tool: ToolTypes, definition: ToolDefinition, listed_name: str) -> TypeScriptMethod:
    schema = definition.get("output_schema")
    if schema is None and tool.chunk is None:
        result, reads = "CallToolResult", "whole"
    elif declares_blocks(definition):
        result, reads = f"CallToolResult & {{ structuredContent: {result_text(tool)} }}", "whole"
    else:
        is_object = schema is not None and is_object_schema(SchemaDocument(schema))
        result, reads = result_text(tool), "response" if is_object else "unwrapped"
    doc = doc_comment(call_text(tool), "  ").rstrip("\n")
    return TypeScriptMethod(tool.function, json.dumps(listed_name), doc, argument_text(tool), result, reads)
