"""Import function definitions of OpenAI: Chat Completions, Responses, bare, in lists or one per line.

Schemas written by people who do not know JSON Schema are repaired, and each repair is noted: the repaired
schema is the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.spec_schema import GROUP, TARGET_NAME
from toolgen.schema.document import JsonPath, follow
from toolgen.schema.providers import PROVIDERS
from toolgen.sources.definitions import SourceDefinition, import_definitions, key_of, unwrapped
from toolgen.sources.examples import add_examples, examples_of_schema
from toolgen.sources.imported_tool import ImportedTool, LeftOut, SourceError, in_spec_order
from toolgen.sources.json_source import MAX_NAME, JsonDocument, check_definition, errors_at
from toolgen.sources.schema_repair import repair_foreign_schema
from toolgen.sources.spec_names import ExistingNames

CARRIED = "x-openai"
OWNED = ("description", "input_schema", CARRIED)
"""Spec fields that `--sync` takes from the source, beside those under `targets.openai`.

It takes `output_schema`, `group` and `load`, too, where the source has them.
"""

_WRAPPERS = ("function", "function_raw")  # of Chat Completions; of collections of functions
_FIELDS = frozenset(("type", "name", "description", "parameters", "strict"))
_SEARCH = "tool_search"  # stands beside deferred functions, and is published with them again
_GROUP = re.compile(GROUP)
_CALLERS = ("direct", "programmatic")
_OPENAI_NAME = re.compile(PROVIDERS["openai"].tool_name)
_EXPECTED = "give functions of Chat Completions or Responses, a list of them, or one per line"


def import_openai(
    documents: Sequence[JsonDocument], name: str, existing: ExistingNames, left_out: LeftOut | None = None
) -> list[ImportedTool]:
    """Return the functions in `documents`; messages call the source `name`.

    Raises `SourceError`; for one function only without `left_out`.
    """
    left_out = left_out or LeftOut(raises=True)
    found = _read_functions(documents, name, left_out)
    return import_definitions(found, _to_spec, name, "function", existing, _EXPECTED, left_out)


def _read_functions(
    documents: Sequence[JsonDocument], name: str, left_out: LeftOut
) -> Iterator[SourceDefinition]:
    for document in documents:
        for function in _list_functions(document, name, left_out):
            data, path = function.data, function.path
            with left_out.reading(key_of(data, document, path)), errors_at(document.place, name, path):
                check_definition(data, "function", ("parameters",), _EXPECTED)
                if not isinstance(data.get("strict", False), bool | None):
                    raise SourceError(f"`strict` of {quoted(function.name)} must be true or false")
                yield function


def _list_functions(
    document: JsonDocument, name: str, left_out: LeftOut, at: JsonPath = ()
) -> Iterator[SourceDefinition]:
    """Yield the functions at `at` in one document, however they are wrapped."""
    for path, each in unwrapped(follow(document.value, at), document.place(name), at):
        if not isinstance(each, dict):
            yield SourceDefinition(each, document, path)  # refused with its place
            continue
        kind = each.get("type", "function")
        wrapper = next((key for key in _WRAPPERS if isinstance(each.get(key), dict)), None)
        if kind == "namespace" and isinstance(each.get("tools"), list):
            for function in _list_functions(document, name, left_out, (*path, "tools")):
                function.namespace = each["name"] if isinstance(each.get("name"), str) else None
                yield function
        elif wrapper is not None:
            inner = dict(each[wrapper])
            if "strict" in each and "strict" not in inner:
                inner["strict"] = each["strict"]
            origin = each.get("source")
            yield SourceDefinition(inner, document, path, origin if isinstance(origin, str) else "")
        elif kind == "function" or "parameters" in each:
            yield SourceDefinition(each, document, path)
        elif kind != _SEARCH:
            message = f"a tool of type {quoted(str(kind))} is built into OpenAI and cannot be imported"
            with left_out.reading(key_of(each, document, path)), errors_at(document.place, name, path):
                raise SourceError(message, _EXPECTED)


def _to_spec(function: SourceDefinition) -> ImportedTool:
    definition, name, spec_name = function.data, function.name, function.spec_name
    notes = [f"is listed {function.count} times; imported once"] if function.count > 1 else []
    fields: dict[str, Any] = {"toolgen": 1, "name": spec_name}
    options: dict[str, Any] = {}
    if spec_name != name and not function.is_first:
        notes.append(f"renamed from {quoted(name, MAX_NAME)}, the name of another function")
    elif spec_name != name:
        fields["aliases"] = [name]
        keeps_name = _OPENAI_NAME.fullmatch(name) and re.match(TARGET_NAME, name)
        if keeps_name:
            options["name"] = name
        published_name = name if keeps_name else spec_name
        notes.append(
            f"renamed from {quoted(name, MAX_NAME)}; published as {quoted(published_name, MAX_NAME)}"
        )
    fields["description"] = definition.get("description") or name
    if not definition.get("description"):
        notes.append("has no description; write one, since models choose tools by it")
    # omitted parameters mean an empty list: https://platform.openai.com/docs/api-reference/chat/create
    parameters = definition.get("parameters") or {"type": "object", "properties": {}}
    repaired = repair_foreign_schema(parameters, "input_schema")
    fields["input_schema"] = repaired.schema
    notes += repaired.notes
    notes += add_examples(fields, examples_of_schema(fields["input_schema"]))
    if definition.get("strict") is not None:
        options["strict"] = definition["strict"]
    carried = {key: value for key, value in definition.items() if key not in _FIELDS}
    fields |= _fields_of_responses(carried, notes)
    if function.namespace is not None:
        if _GROUP.match(function.namespace) and function.namespace not in (name, spec_name):
            fields["group"] = function.namespace
        else:
            notes.append(f"the namespace {quoted(function.namespace)} cannot be a group; left out")
    options |= _options_of_responses(carried)
    if options:
        fields["targets"] = {"openai": options}
    if carried:
        fields[CARRIED] = carried
    return ImportedTool(
        in_spec_order(fields), tuple(f"{spec_name}: {note}" for note in notes), function.origin
    )


def _fields_of_responses(carried: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the fields of the spec for keys that only Responses has, and remove these from `carried`."""
    fields: dict[str, Any] = {}
    if isinstance(carried.get("output_schema"), dict):
        repaired = repair_foreign_schema(carried.pop("output_schema"), "output_schema")
        fields["output_schema"] = repaired.schema
        notes += repaired.notes
    if isinstance(deferred := carried.get("defer_loading"), bool):
        del carried["defer_loading"]
        if deferred:
            fields["load"] = "deferred"
    return fields


def _options_of_responses(carried: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `targets.openai` for keys of Responses, and remove these from `carried`."""
    callers = carried.get("allowed_callers")
    options: dict[str, Any] = {}
    if isinstance(callers, list) and callers and all(caller in _CALLERS for caller in callers):
        options["allowed_callers"] = carried.pop("allowed_callers")
    if isinstance(carried.get("async"), bool):
        options["async"] = carried.pop("async")
    return options
