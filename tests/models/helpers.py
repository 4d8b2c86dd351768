"""Helpers that turn schemas into importable models without files."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any

import yaml
from pydantic import BaseModel
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import package_classes
from toolgen.compile.printing.render import render_tools
from toolgen.compile.printing.template_data import package_sources
from toolgen.language.identifiers import models_module
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.source import Marks, Source, Span
from toolgen.language.spec import Spec
from toolgen.language.targets.builtin import BASE, BUILT_IN
from toolgen.language.targets.definition import Target
from toolgen.schema.document import SchemaDocument

_numbers = itertools.count()


def program(*specs: str) -> Program:
    """Return a program of specs whose schemas have no file references."""
    return Program(tuple(sorted((_tool(text) for text in specs), key=lambda tool: tool.spec.name)))


def _tool(text: str) -> ProgramTool:
    data = yaml.safe_load(text)
    spec = Spec.model_validate({key: value for key, value in data.items() if not key.startswith("x-")})
    file = f"specs/{spec.name}.yaml"
    source = Source(file, text, data, lambda: Marks({}, {("name",): Span(file, 1, 7)}))
    chunk = None if spec.stream is None else spec.stream.chunk_schema
    return ProgramTool(spec, source, documents(spec.input_schema, spec.output_schema, chunk))


def documents(
    request: Mapping[str, Any], response: Mapping[str, Any] | None, chunk: Mapping[str, Any] | None = None
) -> dict[str, SchemaDocument]:
    """Return the documents of a tool by the fields that have them."""
    found = {"input_schema": request, "output_schema": response, "chunk_schema": chunk}
    return {name: SchemaDocument(schema) for name, schema in found.items() if schema is not None}


def lowered(*specs: str, settings: PackageSettings | None = None) -> Package:
    return lower(program(*specs), settings or PackageSettings())


def classes_of(schema: Mapping[str, Any], response: Mapping[str, Any] | None = None) -> ModuleType:
    """A module with `ToolRequest`-like classes `ProbeRequest` and `ProbeResponse`."""
    spec = {"name": "probe", "description": "d", "input_schema": dict(schema)}
    if response is not None:
        spec["output_schema"] = dict(response)
    tool = ProgramTool(
        Spec.model_validate(spec),
        Source("specs/probe.yaml", "", spec, lambda: Marks({}, {})),
        documents(schema, response),
    )
    return module(models_of(lower(Program((tool,)), PackageSettings()))["probe"])


def models_of(package: Package) -> dict[str, str]:
    """Return the text of the models of each tool, not formatted."""
    sources = package_sources(package, package_classes(package, {}), {})
    rendered = render_tools(package, TARGETS[:1], sources)
    return {name: files[f"models/{models_module(name)}.py"] for name, files in rendered.items()}


def module(code: str) -> ModuleType:
    made = ModuleType(f"probe_{next(_numbers)}")
    sys.modules[made.__name__] = made
    try:
        exec(compile(code, made.__name__, "exec"), made.__dict__)
    finally:
        del sys.modules[made.__name__]
    made.__dict__["code"] = code
    return made


def there_and_back(model: type[BaseModel], value: Any) -> Any:
    """Return what is dumped of a value from the wire, which has no Python names of fields."""
    read = model.model_validate(value, by_name=False)
    return read.model_dump(mode="json", by_alias=True, exclude_unset=True)


def same(left: Any, right: Any) -> bool:
    """True if both are the same JSON value: 1 equals 1.0, and true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and bool(left == right)


def _target(name: str) -> Target:
    return Target(BUILT_IN.get(name, BASE), dict(_texts(files("toolgen.templates") / name, "")))


def _texts(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _texts(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".jinja"):
            yield prefix + entry.name, entry.read_text("utf-8")


TARGETS = tuple(map(_target, (BASE.name, *BUILT_IN)))
