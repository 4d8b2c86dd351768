"""Read `example` and `examples` beside the schema of a parameter, a request body or a response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.sources.imported_tool import SourceError
from toolgen.sources.openapi.document import ObjectNode, OpenApiDocument, RepairLog

_VALUES = ("value", "dataValue")  # the second since 3.2

NamedValues = Mapping[str, Any]
"""Name → value; the name of a single `example` is empty."""


def named_values(node: ObjectNode, document: OpenApiDocument, repairs: RepairLog) -> NamedValues:
    """Return the examples of a node: its own, or the one of the schema in it."""
    if "example" in node.data:
        return {"": node.data["example"]}
    written = node.data.get("examples")
    if isinstance(written, dict) and written:
        return dict(_listed(node, written, document, repairs))
    return _of_schema(node, document)


def _listed(
    node: ObjectNode, written: Mapping[str, Any], document: OpenApiDocument, repairs: RepairLog
) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in written:
        location = node / "examples" / name
        try:
            example = document.object_at(location).data
        except SourceError as error:
            repairs.add(f"{error.message}: left out", location)
            continue
        key = next((key for key in _VALUES if key in example), None)
        if key is not None:
            found.append((name, example[key]))
        elif "externalValue" in example:
            repairs.add("an example is in another file (`externalValue`): left out", location)
    return found


def _of_schema(node: ObjectNode, document: OpenApiDocument) -> NamedValues:
    if "schema" not in node.data:
        return {}
    schema = document.value_at(document.follow_refs(node / "schema"))
    if not isinstance(schema, dict):
        return {}
    if "example" in schema:
        return {"": schema["example"]}
    listed = schema.get("examples")
    return {"": listed[0]} if isinstance(listed, list) and listed else {}
