"""Functions of Python as specs: signatures decide the schemas, docstrings the words."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.data.spec import CODE, IDENTIFIER
from toolgen.importers.imported_tool import ImportedTool, in_spec_order
from toolgen.importers.names import ExistingNames, choose_names
from toolgen.importers.python_docs import Docs
from toolgen.importers.python_types import laid_out
from toolgen.importers.schema_repair import repair_schema
from toolgen.python_source.names import snake
from toolgen.suggestions import quoted

OWNED = ("description", "returns", "input_schema", "output_schema", "inject", "stream", "deprecated")
"""The fields that the source decides. Errors are not among them: their hints are written by hand."""


def import_python(functions: Sequence[Mapping[str, Any]], decided: ExistingNames) -> list[ImportedTool]:
    """`functions` as `python_signature.describe` has them."""
    names = choose_names([function["name"] for function in functions], decided)
    return [_spec(function, name) for function, name in zip(functions, names, strict=True)]


def _spec(function: Mapping[str, Any], name: str) -> ImportedTool:
    notes = [*function["notes"]]
    docs = Docs(**function["docs"])
    if name != function["name"]:
        notes.append(f"stands for {quoted(function['name'])}, a name that is another tool's or not allowed")
    if not docs.description:
        notes.append("has no docstring: write a description, models choose by it")
    fields: dict[str, Any] = {
        "toolgen": 1,
        "name": name,
        "description": docs.description or function["name"],
        "returns": "\n".join(docs.returns),
        "errors": list(_errors(docs, notes)),
        "inject": list(_injected(function["inject"], notes)),
        "deprecated": {"message": function["deprecated"]} if function["deprecated"] else docs.deprecated,
    }
    schema = _with_words(function["input_schema"], docs)
    fields["input_schema"] = _usable(schema, "input_schema", notes)
    if function["output_schema"] is not None:
        fields["output_schema"] = _usable(function["output_schema"], "output_schema", notes)
    if function["chunk_schema"] is not None:
        fields["stream"] = {"chunk_schema": _usable(function["chunk_schema"], "chunk_schema", notes)}
    kept = {key: value for key, value in fields.items() if value or key == "input_schema"}
    return ImportedTool(
        in_spec_order(kept),
        tuple(f"{name}: {note}" for note in notes),
        f"{function['module']}:{function['path']}",
    )


def _usable(schema: Mapping[str, Any], field: str, notes: list[str]) -> dict[str, Any]:
    repaired = repair_schema(schema, field)
    notes += repaired.notes
    return laid_out(repaired.schema)


def _with_words(schema: Mapping[str, Any], docs: Docs) -> dict[str, Any]:
    """`schema`, its properties described as the docstring has it; what the signature says goes first."""
    properties: dict[str, Any] = {}
    for name, inner in schema.get("properties", {}).items():
        said = docs.parameters.get(name)
        if said and "description" not in inner:
            inner = {**inner, "description": said}
        properties[name] = inner
    return {**schema, "properties": properties}


def _errors(docs: Docs, notes: list[str]) -> Iterator[dict[str, str]]:
    """Exceptions that the docstring declares; one code for all that is said of one."""
    said: dict[str, list[str]] = {}
    for written, when in docs.raises:
        code = error_code(written)
        if not re.match(CODE, code):
            notes.append(f"raises {quoted(written)}, which is no name of an exception; left out")
            continue
        said.setdefault(code, []).append(when)
    for code, words in said.items():
        description = " ".join(filter(None, words)) or f"{code.replace('_', ' ').capitalize()}."
        yield {"code": code, "description": description}


def error_code(exception: str) -> str:
    """`shop.SupplierNotFoundError` → `supplier_not_found`; an exception of Python keeps its whole name."""
    name = exception.strip().rpartition(".")[2]
    if not name.isidentifier():
        return ""
    if not hasattr(builtins, name):
        name = re.sub(r"(?<=.)(Error|Exception)$", "", name)
    return snake(name, "error")


def _injected(parameters: Sequence[Mapping[str, str]], notes: list[str]) -> Iterator[dict[str, str]]:
    for item in parameters:
        if re.match(IDENTIFIER, item["name"]):
            yield {"name": item["name"], "type": item["type"]}
        else:
            notes.append(f"{item['name']}: the language has no such name for what is injected; left out")
