"""Import tools of an MCP server. `toolgen export mcp` returns every tool as it was.

The spec's own fields hold what the language can express. Fields that only MCP has, and values that the
language refuses, are carried verbatim under `x-mcp`: the MCP adapter publishes those instead, and omits a
field that is null there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.check import is_valid_field
from toolgen.runtime.response import ERRORS_KEY
from toolgen.serving.listed_tool import readable_output
from toolgen.sources.definitions import (
    OF_A_SERVER,
    SourceDefinition,
    import_definitions,
    key_of,
    unwrapped,
)
from toolgen.sources.examples import add_examples, examples_of_schema
from toolgen.sources.imported_tool import ImportedTool, LeftOut, SourceError, in_spec_order
from toolgen.sources.json_source import (
    MAX_NAME,
    JsonDocument,
    check_definition,
    declared_errors,
    errors_at,
    read_json_documents,
)
from toolgen.sources.schema_repair import repair_schema
from toolgen.sources.spec_names import ExistingNames

CARRIED = "x-mcp"
UPSTREAM = "x-upstream"
"""Key of a spec whose calls are forwarded: SERVER/TOOL, the server's module and its own name of the tool."""
OWNED = (
    "title", "icons", "description", "annotations", "input_schema", "output_schema", "meta", CARRIED,
)  # fmt: skip
"""Spec fields that `--sync` takes from the source, beside those under `targets.mcp`."""

_FIELDS = frozenset(
    ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta")
)
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_EXPECTED = "give a tools/list result, a list of tools, or one tool per line"


def import_mcp(
    documents: Sequence[JsonDocument],
    name: str,
    existing: ExistingNames,
    left_out: LeftOut | None = None,
    *,
    upstream: str = "",
) -> list[ImportedTool]:
    """Return the tools in `documents`; messages call the source `name`.

    With `upstream`, the module of a server, the specs say that calls are forwarded there. Raises
    `SourceError`; for one tool only without `left_out`.
    """
    left_out = left_out or LeftOut(raises=True)
    found = _read_tools(documents, name, left_out)
    to_spec = partial(_to_spec, upstream=upstream)
    return import_definitions(found, to_spec, name, "tool", existing, _EXPECTED, left_out)


def import_listed(
    listed: Sequence[Any], name: str, existing: ExistingNames, left_out: LeftOut, *, upstream: str = ""
) -> list[ImportedTool]:
    """Return the tools that a server lists, with the same limits as for a file.

    A name that is listed more than once is left out: a call would reach one of its tools. Raises as
    `import_mcp` does.
    """
    keys = [key_of(tool, OF_A_SERVER, (index,)) for index, tool in enumerate(listed)]
    numbers, found = Counter(keys), list[Any]()
    for key, tool in zip(keys, listed, strict=True):
        with left_out.reading(key):
            if numbers[key] > 1:
                raise SourceError("listed more than once, and a call would reach one of them")
            found += (each.value for each in read_json_documents(json.dumps(tool).encode(), name))
    return import_mcp([JsonDocument(found, 0)], name, existing, left_out, upstream=upstream)


def _read_tools(
    documents: Sequence[JsonDocument], name: str, left_out: LeftOut
) -> Iterator[SourceDefinition]:
    for document in documents:
        for path, tool in unwrapped(document.value, document.place(name)):
            with left_out.reading(key_of(tool, document, path)), errors_at(document.place, name, path):
                check_definition(tool, "tool", ("inputSchema", "outputSchema"), _EXPECTED)
                # in JSONL, collections of tools say beside each tool which server it is from
                origin = tool.get("source") if document.line and document.value is tool else None
                if isinstance(origin, str):
                    tool = {key: value for key, value in tool.items() if key != "source"}
                yield SourceDefinition(tool, document, path, origin if isinstance(origin, str) else "")


def _to_spec(tool: SourceDefinition, upstream: str) -> ImportedTool:
    definition, spec_name = tool.data, tool.spec_name
    notes = [f"is listed {tool.count} times; imported once"] if tool.count > 1 else []
    fields: dict[str, Any] = {"toolgen": 1, "name": spec_name}
    carried = {key: value for key, value in definition.items() if key not in _FIELDS}
    options: dict[str, Any] = {}
    if spec_name != tool.name:
        original = quoted(tool.name, MAX_NAME)
        if tool.is_first:
            options["name"] = tool.name
            fields["aliases"] = [tool.name]
            notes.append(f"renamed from {original}; still published and called as {original}")
        else:
            notes.append(f"renamed from {original}, the name of another tool")
    _add_texts(definition, fields, carried, notes)
    _add_annotations(definition, fields, carried, options)
    _add_icons_and_meta(definition, fields, carried)
    _add_schemas(definition, fields, carried, notes)
    notes += add_examples(fields, examples_of_schema(fields["input_schema"]))
    fields["content"] = "any"  # servers do not declare it
    if options:
        fields["targets"] = {"mcp": options}
    if carried:
        fields[CARRIED] = carried
    if upstream:
        fields[UPSTREAM] = f"{upstream}/{tool.name}"
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
            declared = declared_errors(meta)
            if declared is not None:
                fields["errors"] = declared
                meta = {key: value for key, value in meta.items() if key != ERRORS_KEY}
            if meta:
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
        # the order of keys counts, and 1 is not 1.0
        if original is not None and json.dumps(repaired.schema) != json.dumps(original):
            carried[key] = original
            notes += repaired.notes
    output = fields.get("output_schema", {})
    if readable_output(output) != output:
        notes.append(
            "output_schema: published without details, which clients in JavaScript or Python cannot compile"
        )
