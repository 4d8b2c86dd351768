"""The template prints modules that Python can import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from toolgen.compile.printing.lower import lower
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Marks, Source
from toolgen.language.spec import Spec

from tests.models.helpers import documents, models_of, module

OBJECT = {"type": "object"}
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


@pytest.mark.parametrize(
    "schema",
    [
        {**OBJECT, "properties": {"p": UNION}},
        {**OBJECT, "properties": {"p": {"anyOf": [{"type": "null"}, UNION]}}},
        UNION,
        {"type": ["number", "null"], "maximum": 3},
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
