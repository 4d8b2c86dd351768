"""The template prints the fields that datamodel-code-generator prints for the same shapes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Marks, Source
from toolgen.language.spec import Spec

from tests.corpora import corpus, is_shared
from tests.models.helpers import TARGETS, documents, models_of, module
from tests.models.reference import differences

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


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.parent.name)
def test_classes_of_every_case_are_those_of_the_reference(folder: Path) -> None:
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.yaml")}
    program = analyze(texts, TARGETS)
    assert differences(lower(program, PackageSettings()), program.shared) == []


def test_classes_of_public_tools_are_those_of_the_reference() -> None:
    tools = [(tool["inputSchema"], tool.get("outputSchema")) for tool in sample("mcp_tools.public.jsonl")]
    functions = [line.get("function", line) for line in sample("openai_functions.public.jsonl")]
    tools += [(function.get("parameters") or OBJECT, None) for function in functions]
    assert differences(of_schemas(tools)) == []


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
