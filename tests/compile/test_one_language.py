"""A spec in YAML and a definition in Python are valid for the same reasons."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from toolgen.language import spec
from toolgen.language.checking.check import check
from toolgen.language.checking.resolve import resolve
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.language.targets import definition, options
from toolgen.runtime.definition.check import definition_faults
from toolgen.runtime.definition.faults import EXPLANATIONS
from toolgen.runtime.definition.spec_schema import DEFINITIONS, FIELDS
from toolgen.schema.providers import MCP_TOOL_NAME

OF_FILES = ("toolgen", "enabled")  # fields about a file in YAML, not about a tool
FULL: Any = read({"full_spec.yaml": Path(__file__).with_name("full_spec.yaml").read_bytes()})[0].data
TOOL = {key: value for key, value in FULL.items() if key not in (*OF_FILES, "page")}  # it streams
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
UNTYPED = ("input_schema", "output_schema", "chunk_schema", "meta", "input", "output", "x-mine")


def test_the_published_name_of_mcp_is_what_mcp_takes() -> None:
    assert DEFINITIONS["McpOptions"]["properties"]["name"]["pattern"] == f"^{MCP_TOOL_NAME}$"


def is_valid_spec(data: Any) -> bool:
    try:
        check(resolve(parse(read({"a.yaml": json.dumps(data)}))))
    except SpecErrors:
        return False
    return True


def is_valid_definition(data: Any) -> bool:
    return not definition_faults(data)


CHANGES: list[tuple[dict[str, Any], bool]] = [
    ({"concurrency": 50_000}, False),
    ({"max_result_bytes": 1}, False),
    ({"deprecated": {"foo": 1}}, False),
    ({"deprecated": {"sunset": "soon"}}, False),
    ({"deprecated": {"sunset": "2027-02-29"}}, False),
    ({"deprecated": {"sunset": "2028-02-29"}}, True),
    ({"annotations": {"readOnlyHint": "yes"}}, False),
    ({"icons": [{}]}, False),
    ({"targets": {"openai": {"strct": True}}}, False),
    ({"targets": {"opnai": {}}}, False),
    ({"examples": [{"nme": 1}]}, False),
    ({"examples": [{"name": "a", "input": {}}, {"name": "a", "input": {}}]}, False),
    ({"inject": [{"name": "Db"}]}, False),
    ({"inject": [{"name": "d" * 65}]}, False),
    ({"content": [{"type": "link", "max_bytes": 5}]}, False),
    ({"content": [{"type": "image", "media_types": ["audio/wav"]}]}, False),
    ({"load": "deferred", "targets": {"anthropic": {"cache_control": {}}}}, False),
    ({"concurrency": 8.0}, False),
    ({"rate_limit": {}}, False),
    ({"rate_limit": {"per_second": 61, "per_minute": 60}}, False),
    ({"rate_limit": {"per_hour": 5}}, False),
    ({"rate_limit": {"per_minute": 60}}, True),
    ({"idempotency": {}}, False),
    ({"idempotency": {"ttl": 0}}, False),
    ({"background": {"result_ttl": 2_592_001}}, False),
    ({"annotations": {"weight": {"of": None}}}, False),
    ({"description": " "}, False),
    ({"title": " "}, False),
    ({"tags": ["\n"]}, False),
    ({"confirm": {"message": "Close {shop}?"}}, False),
    ({"confirm": {"message": "Close {a|count} shops?"}}, False),
    ({"confirm": {"message": "Close {a}?"}}, True),
    ({"max_result_bytes": 500, "page": {"items": "/a", "cursor": "/b", "from": "/a"}}, False),
    ({"output_schema": {"$ref": "#/$defs/a"}}, False),
    ({"output_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}}}, False),
    ({"output_schema": {"type": "object", "propertes": {}}}, False),
    ({"output_schema": {"type": "string", "pattern": "("}}, False),
    ({"output_schema": {"$schema": "http://json-schema.org/draft-04/schema#"}}, False),
    ({"examples": [{"name": "a", "input": {"a": 1}}]}, False),
    ({"examples": [{"name": "a", "input": {}, "error": "gone"}]}, False),
    ({"examples": [{"name": "a", "input": {}, "not": ["b"]}]}, False),
    ({"tags": ["a", "a"]}, True),
    ({"auth": {"scopes": ["a", "a"]}}, True),
    ({"annotations": {"weight": 8.0}}, True),
]


@pytest.mark.parametrize(("change", "is_valid"), CHANGES, ids=str)
def test_a_value_is_valid_in_both_or_in_neither(change: dict[str, Any], is_valid: bool) -> None:
    data = {"name": "a", "description": "A.", "input_schema": SCHEMA, **change}
    assert (is_valid_spec(data), is_valid_definition(data)) == (is_valid, is_valid)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if not path or path[-1] not in UNTYPED:
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, item in inner:
            yield from _paths(item, (*path, key))


PATHS = [path for path in _paths(TOOL) if path and path[-1] not in ("output", "x-mine")]
VALUES: list[Any] = [
    None, True, 0, 1, 8, 8.0, 0.5, -1, 10**30, "", " ", "x", "two words", "X_1", "\n", "é", "/a", "image/png", "{n}", "{n|count}", "{zzz}",
    [], {}, ["x"], ["x", "x"], [1], [[]], {"zzz": 1}, {"zzz": None}, {"name": "x"},
]  # fmt: skip
EDITS = st.tuples(st.sampled_from(PATHS), st.sampled_from(["put", "add", "remove"]), st.sampled_from(VALUES))


def edited(edits: list[tuple[tuple[str | int, ...], str, Any]]) -> Any:
    """Return the tool after some edits; those of what an earlier one removed do nothing."""
    data = copy.deepcopy(TOOL)
    for path, edit, value in edits:
        place: Any = data
        try:
            for step in path[:-1]:
                place = place[step]
            place[path[-1]]
        except (LookupError, TypeError):
            continue
        if edit == "remove":
            del place[path[-1]]
        elif edit == "put" or not isinstance(place, dict):
            place[path[-1]] = copy.deepcopy(value)
        else:
            place["zzz"] = copy.deepcopy(value)
    return data


@given(st.lists(EDITS, max_size=3))
@example([])
def test_a_random_tool_is_valid_in_both_or_in_neither(edits: list[Any]) -> None:
    data = edited(edits)
    assert is_valid_spec(data) == is_valid_definition(data), data


def test_tuples_and_mappings_are_those_of_json() -> None:
    from enum import StrEnum
    from types import MappingProxyType

    load = StrEnum("Load", {"ALWAYS": "always"})
    data = {"name": "a", "description": "A.", "input_schema": MappingProxyType(SCHEMA), "tags": ("a",)}
    assert definition_faults({**data, "load": load.ALWAYS, "x-own": object()}) == []  # type: ignore[attr-defined]
    assert definition_faults({**data, "tags": {"a"}}) == [
        "expected JSON, got a collection that is not a JSON array"
    ]


@pytest.mark.parametrize("field", OF_FILES)
def test_fields_about_files_are_not_for_definitions(field: str) -> None:
    assert definition_faults({**TOOL, field: FULL[field]})[0].startswith(f"unknown field {field!r}")


CLASSES: dict[str, type[BaseModel]] = {
    name: found
    for module in (spec, options, definition)
    for name in DEFINITIONS
    if isinstance(found := getattr(module, name, None), type)
} | {"Tool": spec.Spec}


def written_name(name: str, field: FieldInfo) -> str:
    return field.alias or name


def default(field: FieldInfo) -> Any:
    """Return what the language says of the default: None and empty options are not shown."""
    return None if field.is_required() or isinstance(field.default, BaseModel) else field.default or None


def test_every_definition_has_a_class() -> None:
    assert CLASSES.keys() == DEFINITIONS.keys()


@pytest.mark.parametrize("name", DEFINITIONS)
def test_classes_have_the_fields_of_the_language(name: str) -> None:
    fields = {
        written_name(key, field): field
        for key, field in CLASSES[name].model_fields.items()
        if key != "extensions"
    }
    schema: Mapping[str, Any] = DEFINITIONS[name]
    assert list(fields) == list(schema["properties"])
    assert [key for key, field in fields.items() if field.is_required()] == schema.get("required", [])
    shown = {key: part.get("default") or None for key, part in schema["properties"].items()}
    assert {key: default(field) for key, field in fields.items()} == shown


def test_every_keyword_of_the_language_is_explained() -> None:
    found = {key for part in DEFINITIONS.values() for key in _keywords(part)}
    annotations = {"description", "default", "title"}
    structure = {"items", "properties", "patternProperties", "allOf", "oneOf", "$ref"}
    assert found - annotations - structure == EXPLANATIONS.keys() | {"required", "additionalProperties"}


def _keywords(schema: Any) -> Iterator[str]:
    for key, value in schema.items():
        yield key
        if key in ("properties", "patternProperties"):
            inner = list(value.values())
        else:
            inner = value if isinstance(value, list) else [value]
        for part in inner:
            if isinstance(part, dict) and key != "default":
                yield from _keywords(part)


def test_every_field_of_a_definition_is_typed() -> None:
    from toolgen.runtime import ToolDefinition

    assert set(FIELDS) - set(OF_FILES) == set(ToolDefinition.__annotations__) - {"py_name", "class_name"}
