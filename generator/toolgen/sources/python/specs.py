"""Turn descriptions of Python functions into specs."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.language.identifiers import snake
from toolgen.runtime.definition.spec_schema import CODE, IDENTIFIER
from toolgen.sources.imported_tool import ImportedTool, in_spec_order
from toolgen.sources.python.docstring import ParsedDocstring
from toolgen.sources.python.signature import FunctionDescription
from toolgen.sources.schema_repair import repair_schema
from toolgen.sources.spec_names import ExistingNames, choose_names

OWNED = ("description", "returns", "input_schema", "output_schema", "inject", "stream", "deprecated")
"""Spec fields that `--sync` takes from the source. Errors are not among them: people write their hints."""


def import_python(functions: Sequence[FunctionDescription], existing: ExistingNames) -> list[ImportedTool]:
    """Return one tool per function. Raises `SourceError` for a schema that is too complex."""
    names = choose_names([function.name for function in functions], existing)
    return [_to_spec(function, name) for function, name in zip(functions, names, strict=True)]


def _to_spec(function: FunctionDescription, name: str) -> ImportedTool:
    notes = [*function.notes]
    docstring = function.docstring
    if name != function.name:
        notes.append(f"renamed from {quoted(function.name)}, which is taken or not a valid name of a tool")
    if not docstring.description:
        notes.append("has no docstring; write a description, since models choose tools by it")
    fields: dict[str, Any] = {
        "toolgen": 1,
        "name": name,
        "description": docstring.description or function.name,
        "returns": "\n".join(docstring.returns),
        "errors": list(_errors(docstring, notes)),
        "inject": list(_injected(function.inject, notes)),
        "deprecated": {"message": function.deprecated} if function.deprecated else docstring.deprecated,
    }
    schema = _with_descriptions(function.input_schema, docstring)
    fields["input_schema"] = _repaired(schema, "input_schema", notes)
    if function.output_schema is not None:
        fields["output_schema"] = _repaired(function.output_schema, "output_schema", notes)
    if function.chunk_schema is not None:
        fields["stream"] = {"chunk_schema": _repaired(function.chunk_schema, "chunk_schema", notes)}
    present = {key: value for key, value in fields.items() if value or key == "input_schema"}
    return ImportedTool(in_spec_order(present), tuple(f"{name}: {note}" for note in notes), function.origin)


def _repaired(schema: Mapping[str, Any], field: str, notes: list[str]) -> dict[str, Any]:
    repaired = repair_schema(schema, field)
    notes += repaired.notes
    return repaired.schema


def _with_descriptions(schema: Mapping[str, Any], docstring: ParsedDocstring) -> dict[str, Any]:
    """Return `schema` with the docstring's description of each property that has none in the signature."""
    properties: dict[str, Any] = {}
    for name, inner in schema.get("properties", {}).items():
        description = docstring.parameters.get(name)
        if description and "description" not in inner:
            inner = {**inner, "description": description}
        properties[name] = inner
    return {**schema, "properties": properties}


def _errors(docstring: ParsedDocstring, notes: list[str]) -> Iterator[dict[str, str]]:
    """Yield the field `errors`: one entry per code, with all that the docstring says of it."""
    descriptions: dict[str, list[str]] = {}
    for raised in docstring.raises:
        code = error_code(raised.name)
        if not re.match(CODE, code):
            notes.append(f"raises {quoted(raised.name)}, which is not the name of an exception; left out")
            continue
        descriptions.setdefault(code, []).append(raised.description)
    for code, texts in descriptions.items():
        description = " ".join(filter(None, texts)) or f"{code.replace('_', ' ').capitalize()}."
        yield {"code": code, "description": description}


def error_code(exception: str) -> str:
    """Return the code of an exception: `shop.SupplierNotFoundError` → `supplier_not_found`.

    Built-in exceptions keep their whole name: `ValueError` → `value_error`.
    """
    name = exception.strip().rpartition(".")[2]
    if not name.isidentifier():
        return ""
    if not hasattr(builtins, name):
        name = re.sub(r"(?<=.)(Error|Exception)$", "", name)
    return snake(name, "error")


def _injected(parameters: Sequence[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:
    for item in parameters:
        if re.match(IDENTIFIER, item["name"]):
            optional = {"optional": True} if item.get("optional") else {}
            yield {"name": item["name"], "type": item["type"], **optional}
        else:
            notes.append(f"{item['name']}: not a valid name of an injected value in a spec; left out")
