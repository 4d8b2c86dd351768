"""The template prints the fields that datamodel-code-generator prints for the same shapes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Marks, Source
from toolgen.language.spec import Spec

from tests.corpora import corpus, is_shared
from tests.models.helpers import TARGETS, documents, models_of, module
from tests.models.reference import differences
from tests.models.test_lossless import schemas
from tests.samples import examples

ROOT = Path(__file__).parents[2]
OBJECT = {"type": "object"}
PROJECTS = [ROOT / "specs", *sorted((ROOT / "tests/cases").glob("accepted/*/specs"))]
CIRCLE = {
    "A": {**OBJECT, "properties": {"b": {"$ref": "#/$defs/B"}}},
    "B": {**OBJECT, "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}}},
}
UNION = {"oneOf": [{**OBJECT, "properties": {name: {"type": "string"}}, "required": [name]} for name in "ab"]}


def of_schemas(schemas: Iterable[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> Package:
    """Return a package with a tool for each pair of an input schema and an output schema."""
    tools = []
    for number, (request, response) in enumerate(schemas):
        spec = {"name": f"tool_{number:04}", "description": "d", "input_schema": dict(request)}
        if response is not None:
            spec["output_schema"] = dict(response)
        source = Source(f"specs/{spec['name']}.yaml", "", spec, lambda: Marks({}, {}))
        tools.append(ProgramTool(Spec.model_validate(spec), source, documents(request, response)))
    return lower(Program(tuple(tools)), PackageSettings())


def sample(name: str) -> list[dict[str, Any]]:
    """Return the tools of a corpus, every tenth of a large one."""
    lines = corpus(name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:: 10 if is_shared(name) else 1]]


def of_mcp() -> Package:
    tools = sample("mcp_tools.public.jsonl")
    return of_schemas((tool["inputSchema"], tool.get("outputSchema")) for tool in tools)


def of_openai() -> Package:
    functions = [line.get("function", line) for line in sample("openai_functions.public.jsonl")]
    return of_schemas((function.get("parameters") or OBJECT, None) for function in functions)


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.parent.name)
def test_classes_of_every_case_are_those_of_the_reference(folder: Path) -> None:
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.yaml")}
    program = analyze(texts, TARGETS)
    assert differences(lower(program, PackageSettings()), program.shared) == []


@pytest.mark.parametrize("package_of", [of_mcp, of_openai])
def test_classes_of_public_tools_are_those_of_the_reference(package_of: Any) -> None:
    assert differences(package_of()) == []


MAPS = {
    "nullable": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
    "listed": {"type": "array", "items": {"type": ["object", "null"], "additionalProperties": {"type": "integer"}}},
    "nested": {"type": ["object", "null"], "additionalProperties": {"type": ["object", "null"], "additionalProperties": {"type": "boolean"}}},
}  # fmt: skip


@pytest.mark.parametrize("required", [[], ["nullable"]])
def test_values_of_nullable_maps_have_types(required: list[str]) -> None:
    package = of_schemas([({**OBJECT, "properties": MAPS, "required": required}, None)])
    assert "nullable: dict[str, str] | None" in models_of(package)["tool_0000"]
    assert differences(package) == []


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas(), schemas(depth=2))
def test_classes_of_any_schema_are_those_of_the_reference(schema: Any, one: Any) -> None:
    assume(isinstance(schema, dict))
    root = {**OBJECT, "properties": {"p": schema, "q": {"items": one}}, "$defs": {"One": one, "Two": {}}}
    package = of_schemas([(root, {**root, "required": ["p"]})])
    assert differences(package) == []


@pytest.mark.parametrize(
    "schema",
    [
        {**OBJECT, "properties": {"p": UNION}},
        {**OBJECT, "properties": {"p": {"type": "array", "items": UNION}}},
        {**OBJECT, "properties": {"p": {"anyOf": [{"type": "null"}, UNION]}}},
        {**OBJECT, "properties": {"p": {"$ref": "#"}}},
        UNION,
        {"type": "array", "items": {"type": "string"}},
        {"type": ["number", "null"], "maximum": 3},
        {"type": "string", "maxLength": 3},
        {"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": CIRCLE},
    ],
)
def test_modules_with_unions_of_classes_root_models_and_circles_can_be_imported(
    schema: dict[str, Any],
) -> None:
    (code,) = models_of(of_schemas([(OBJECT, schema)])).values()
    response = module(code).Tool0000Response
    assert response.__pydantic_complete__
    assert response.model_json_schema()


LISTS = {
    **OBJECT,
    "properties": {
        "start-date": {"type": "string"},
        "none": {"type": "array", "items": {"type": "string"}, "default": []},
        "some": {"type": "array", "items": {"type": "integer"}, "default": [-1, 2]},
        "long": {
            "type": "array",
            "items": {"type": "string"},
            "default": ["x" * 30, "\N{SNOWMAN}" * 20, "z" * 9],
        },
    },
}


@pytest.mark.parametrize("further", [{}, {"either": UNION}], ids=["plain", "with a union of classes"])
def test_defaults_of_a_class_whose_base_is_not_pydantics_own_are_made_anew(further: dict[str, Any]) -> None:
    schema = {**LISTS, "properties": {**LISTS["properties"], **further}}
    package = of_schemas([(schema, None)])
    assert differences(package) == []
    text = models_of(package)["tool_0000"]
    assert "none: list[str] = Field(default_factory=lambda: [])" in text
    assert "some: list[int] = Field(default_factory=lambda: [-1, 2])" in text
