"""Import function definitions of OpenAI: Chat Completions, Responses, bare, in lists or one per line.

Schemas written by people who do not know JSON Schema are repaired, and each repair is noted: the repaired
schema is the contract.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.importers.imported_tool import ImportedTool, SourceError, in_spec_order
from toolgen.importers.json_source import JsonDocument
from toolgen.importers.names import ExistingNames, choose_names
from toolgen.importers.schema_repair import repair_schema
from toolgen.importers.schema_rewrites import copy_json, move_misplaced_keywords, rewrite_type_names
from toolgen.schema.budget import BUDGET
from toolgen.suggestions import quoted
from toolgen.targets.definition import TARGET_NAME

CARRIED = "x-openai"
OWNED = ("description", "input_schema", CARRIED)
"""Spec fields that `--sync` takes from the source, beside those under `targets.openai`."""

_LISTS = ("tools", "functions")
_WRAPPERS = ("function", "function_raw")  # of Chat Completions; of collections of functions
_FIELDS = frozenset(("type", "name", "description", "parameters", "strict"))
_OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_EXPECTED = "give functions of Chat Completions or Responses, a list of them, or one per line"


@dataclass(slots=True)
class _ListedFunction:
    definition: dict[str, Any]
    origin: str
    count: int = 0  # how often the source has it


def import_openai(
    documents: Sequence[JsonDocument], name: str, existing: ExistingNames
) -> list[ImportedTool]:
    """Return the functions in `documents`; messages call the source `name`. Raises `SourceError`."""
    functions: dict[str, _ListedFunction] = {}  # by their JSON text
    for function in _read_functions(documents, name):
        key = json.dumps(function.definition)
        if len(functions) == BUDGET.tools and key not in functions:
            message = f"{name}: more than {BUDGET.tools:,} functions"
            raise SourceError(message, "import a part of them", "too-complex")
        function.count = functions[key].count + 1 if key in functions else 1
        functions[key] = function
    if not functions:
        raise SourceError(f"{name} has no functions", _EXPECTED)
    names = choose_names([function.definition["name"] for function in functions.values()], existing)
    published: set[str] = set()
    imported: list[ImportedTool] = []
    for function, spec_name in zip(functions.values(), names, strict=True):
        imported.append(_to_spec(function, spec_name, function.definition["name"] not in published))
        published.add(function.definition["name"])
    return imported


def _read_functions(documents: Sequence[JsonDocument], name: str) -> Iterator[_ListedFunction]:
    for document in documents:
        where = f"{name}:{document.line}" if document.line else name
        for function in _list_functions(document.value, where):
            _check_function(function.definition, where)
            yield function


def _list_functions(value: Any, where: str) -> Iterator[_ListedFunction]:
    """Yield the functions in one document, however they are wrapped."""
    if isinstance(value, list):
        for item in value:
            yield from _list_functions(item, where)
        return
    if not isinstance(value, dict):
        raise SourceError(f"{where}: expected a function, found {quoted(json.dumps(value))}", _EXPECTED)
    for key in _LISTS:
        if isinstance(value.get(key), list) and "name" not in value:
            yield from _list_functions(value[key], where)
            return
    for key in _WRAPPERS:
        if isinstance(value.get(key), dict):
            inner = dict(value[key])
            if "strict" in value and "strict" not in inner:
                inner["strict"] = value["strict"]
            yield _ListedFunction(inner, value["source"] if isinstance(value.get("source"), str) else "")
            return
    kind = value.get("type", "function")
    if kind != "function" and "parameters" not in value:
        raise SourceError(
            f"{where}: a tool of type {quoted(str(kind))} is built into OpenAI and cannot be imported",
            _EXPECTED,
        )
    yield _ListedFunction(value, "")


def _check_function(function: dict[str, Any], where: str) -> None:
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise SourceError(
            f"{where}: a function without a name: {quoted(json.dumps(function), 80)}", _EXPECTED
        )
    if len(name) > 256 or not name.isprintable():
        raise SourceError(
            f"{where}: {quoted(name)} cannot be the name of a function",
            "use printable characters, at most 256 of them",
        )
    if not isinstance(function.get("parameters", {}), dict | None):
        raise SourceError(f"{where}: `parameters` of {quoted(name)} must be an object", _EXPECTED)
    if not isinstance(function.get("description", ""), str | None):
        raise SourceError(f"{where}: the description of {quoted(name)} must be a string")
    if not isinstance(function.get("strict", False), bool | None):
        raise SourceError(f"{where}: `strict` of {quoted(name)} must be true or false")


def _to_spec(function: _ListedFunction, spec_name: str, is_first: bool) -> ImportedTool:
    """Return the spec of `function`; `is_first` is False if an earlier function has the same name."""
    definition = function.definition
    name = definition["name"]
    notes = [f"is listed {function.count} times; imported once"] if function.count > 1 else []
    fields: dict[str, Any] = {"toolgen": 1, "name": spec_name}
    options: dict[str, Any] = {}
    if spec_name != name and not is_first:
        notes.append(f"renamed from {quoted(name, 256)}, the name of another function")
    elif spec_name != name:
        fields["aliases"] = [name]
        keeps_name = _OPENAI_NAME.fullmatch(name) and re.match(TARGET_NAME, name)
        if keeps_name:
            options["name"] = name
        published_name = name if keeps_name else spec_name
        notes.append(f"renamed from {quoted(name, 256)}; published as {quoted(published_name, 256)}")
    fields["description"] = definition.get("description") or name
    if not definition.get("description"):
        notes.append("has no description; write one, since models choose tools by it")
    fields["input_schema"] = _input_schema(definition, notes)
    if definition.get("strict") is not None:
        options["strict"] = definition["strict"]
    if options:
        fields["targets"] = {"openai": options}
    carried = {key: value for key, value in definition.items() if key not in _FIELDS}
    if carried:
        fields[CARRIED] = carried
    return ImportedTool(
        in_spec_order(fields), tuple(f"{spec_name}: {note}" for note in notes), function.origin
    )


def _input_schema(definition: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    # omitted parameters mean an empty list: https://platform.openai.com/docs/api-reference/chat/create
    schema = copy_json(definition.get("parameters") or {"type": "object", "properties": {}})
    notes += rewrite_type_names(schema, "input_schema")
    notes += move_misplaced_keywords(schema, "input_schema")
    repaired = repair_schema(schema, "input_schema")
    notes += repaired.notes
    return repaired.schema
