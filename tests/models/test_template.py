"""The template prints the classes that the model engine prints for the same description, laid out by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from toolgen.compile.models.module_source import ClassSource, ModuleSource
from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import model_modules
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Marks, Source
from toolgen.language.spec import Spec

from tests.corpora import corpus, is_shared
from tests.models.comparison import compare_models, compare_specs
from tests.models.helpers import TARGETS, documents, models_of
from tests.models.test_lossless import schemas
from tests.samples import examples

ROOT = Path(__file__).parents[2]
BASE = TARGETS[:1]
OBJECT = {"type": "object"}
PROJECTS = [ROOT / "specs", *sorted((ROOT / "tests/cases").glob("accepted/*/specs"))]
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


SHARE = 0.97 if is_shared("mcp_tools.public.jsonl") else 0.8
"""Of the tools, at least: the small corpus has a union among seven tools."""


def of_mcp() -> Package:
    tools = sample("mcp_tools.public.jsonl")
    return of_schemas((tool["inputSchema"], tool.get("outputSchema")) for tool in tools)


def of_openai() -> Package:
    functions = [line.get("function", line) for line in sample("openai_functions.public.jsonl")]
    return of_schemas((function.get("parameters") or OBJECT, None) for function in functions)


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.parent.name)
def test_classes_of_every_case_are_those_of_the_engine(folder: Path) -> None:
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.yaml")}
    assert compare_specs(texts, TARGETS).differing == []


@pytest.mark.parametrize("package_of", [of_mcp, of_openai])
def test_classes_of_public_tools_are_those_of_the_engine(package_of: Any) -> None:
    compared = compare_models(package_of(), BASE)
    assert compared.differing == []
    assert compared.by_template > SHARE * (compared.by_template + compared.by_engine), compared


@pytest.mark.parametrize("package_of", [of_mcp, of_openai])
def test_models_of_public_tools_are_laid_out_by_the_template(package_of: Any) -> None:
    package = package_of()
    laid_out = [name for name, module in model_modules(package, {}).tools.items() if module.laid_out]
    printed = models_of(package, {})
    tree = {f"{name}.py": printed[name] for name in laid_out}
    assert len(tree) > SHARE * len(package.tools)
    assert format_tree(tree) == tree


MAPS = {
    "nullable": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
    "listed": {"type": "array", "items": {"type": ["object", "null"], "additionalProperties": {"type": "integer"}}},
    "nested": {"type": ["object", "null"], "additionalProperties": {"type": ["object", "null"], "additionalProperties": {"type": "boolean"}}},
}  # fmt: skip


@pytest.mark.parametrize("required", [[], ["nullable"]])
def test_values_of_nullable_maps_have_types_by_both_ways(required: list[str]) -> None:
    package = of_schemas([({**OBJECT, "properties": MAPS, "required": required}, None)])
    assert "nullable: dict[str, str] | None" in models_of(package, {})["tool_0000"]
    assert compare_models(package, BASE).differing == []


def test_a_class_that_differs_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ClassSource("class Tool0000Request(BaseModel):", "BaseModel", "", "Other.", ())
    monkeypatch.setattr(
        "tests.models.comparison.engine_source", lambda module, code: ModuleSource(classes=(other,))
    )
    compared = compare_models(of_schemas([(OBJECT, None)]), BASE)
    assert compared.differing == ["tool_0000: Tool0000Request is not what the model engine prints"]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas(), schemas(depth=2))
def test_classes_of_any_schema_are_those_of_the_engine(schema: Any, one: Any) -> None:
    assume(isinstance(schema, dict))
    root = {**OBJECT, "properties": {"p": schema, "q": {"items": one}}, "$defs": {"One": one, "Two": {}}}
    package = of_schemas([(root, {**root, "required": ["p"]})])
    assert compare_models(package, BASE).differing == []
    (module,) = model_modules(package, {}).tools.values()
    tree = {f"{name}.py": text for name, text in models_of(package, {}).items()}
    if module.laid_out:
        assert format_tree(tree) == tree


@pytest.mark.parametrize(
    "schema",
    [
        {**OBJECT, "properties": {"p": UNION}},
        {**OBJECT, "properties": {"p": {"type": "array", "items": UNION}}},
        {**OBJECT, "properties": {"p": {"anyOf": [{"type": "null"}, UNION]}}},
        {**OBJECT, "properties": {"p": {"$ref": "#"}}},
        UNION,
        {"type": "array", "items": {"type": "string"}},
    ],
)
def test_the_engine_prints_unions_of_classes_root_models_and_circles(schema: dict[str, Any]) -> None:
    cache: dict[str, bytes] = {}
    (module,) = model_modules(of_schemas([(OBJECT, schema)]), cache).tools.values()
    (printed,) = cache.values()
    assert b"class Tool0000Response(" in printed
    assert not module.laid_out


def test_the_formatter_would_not_change_wide_characters() -> None:
    schema = {
        **OBJECT,
        "properties": {"p": {"enum": ["거실, 에어컨, 실행", "에어컨, 냉방 실행", "다용도실, 통돌이"]}},
    }
    package = of_schemas([(schema, None)])
    (printed,) = models_of(package, {}).values()
    assert format_tree({"a.py": printed}) == {"a.py": printed}
    assert "= (\n        None\n    )" in printed  # by the number of characters, it would fit on the line


ENGINE = "datamodel_code_generator"
COMPILE = """
import sys
from toolgen.language.package import PackageSettings
from toolgen.compile.pipeline import compile_project
from tests.models.helpers import TARGETS
compile_project({"tool.yaml": sys.argv[1]}, TARGETS, PackageSettings(), {})
print(*sys.modules)
"""


@pytest.mark.parametrize(("schema", "needed"), [({"type": "string"}, False), (UNION, True)])
def test_the_engine_is_imported_only_when_it_is_needed(schema: dict[str, Any], needed: bool) -> None:
    spec = {"name": "tool", "description": "d", "input_schema": {**OBJECT, "properties": {"p": schema}}}
    command = [sys.executable, "-c", COMPILE, json.dumps(spec)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (ENGINE in done.stdout.split()) is needed


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


@pytest.mark.parametrize("further", [{}, {"either": UNION}], ids=["by template", "by the engine"])
def test_defaults_of_a_class_whose_base_is_not_pydantics_own_are_made_anew(further: dict[str, Any]) -> None:
    schema = {**LISTS, "properties": {**LISTS["properties"], **further}}
    package = of_schemas([(schema, None)])
    assert not compare_models(package, TARGETS).differing
    text = models_of(package, {})["tool_0000"]
    assert "none: list[str] = Field(default_factory=lambda: [])" in text
    assert "some: list[int] = Field(default_factory=lambda: [-1, 2])" in text
