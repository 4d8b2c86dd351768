"""The fields of our model classes beside those that datamodel-code-generator prints for the same shapes."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, assert_never

from datamodel_code_generator import generate
from datamodel_code_generator.enums import DataModelType, InputFileType
from datamodel_code_generator.format import PythonVersion
from datamodel_code_generator.parser import LiteralType
from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import Body, Extension, Record
from toolgen.compile.models.shapes import Shape, written_out
from toolgen.compile.models.shared_classes import ModuleClasses
from toolgen.compile.printing.models import PackageClasses, package_classes
from toolgen.compile.printing.render import render_shared, render_tools
from toolgen.compile.printing.template_data import package_sources
from toolgen.language.package import Package
from toolgen.language.program import SharedFile

from tests.models.helpers import TARGETS

OPTIONS: dict[str, Any] = {
    "input_file_type": InputFileType.JsonSchema,
    "output_model_type": DataModelType.PydanticV2BaseModel,
    "target_python_version": PythonVersion.PY_311,
    "preset": "standard-py311-20261027",
    "enum_field_as_literal": LiteralType.All,
    "skip_root_model": True,
    "strict_refs": True,
    "allow_remote_refs": False,
    "allow_population_by_field_name": False,
    "formatters": [],
    "custom_file_header": "",
}
Classes = Mapping[str, list[str]]
"""Name of a class → its fields, in their order."""


def differences(package: Package, shared: Mapping[str, SharedFile] = MappingProxyType({})) -> list[str]:
    """Return the classes whose fields the reference prints otherwise: names, types, aliases, defaults."""
    classes = package_classes(package, shared)
    tools = {name: _without_types(made) for name, made in classes.tools.items()}
    files = {path: _without_types(made) for path, made in classes.shared.items() if made.classes}
    package = replace(package, shared=tuple(file for file in package.shared if file.path in files))
    sources = package_sources(package, PackageClasses(tools, files), shared)
    rendered = {
        **render_tools(package, TARGETS[:1], sources),
        **render_shared(package, TARGETS[:1], sources),
    }
    found = []
    for key, made in {**tools, **files}.items():
        (text,) = (text for path, text in rendered[key].items() if path.startswith("models/"))
        ours, theirs = _classes(text, made), _classes(_reference(made), made)
        found += [f"{key}: {name}" for name in made.classes if ours.get(name) != theirs.get(name)]
    return found


def _without_types(module: ModuleClasses) -> ModuleClasses:
    """Return a module whose named types, which the reference does not have, are written out."""
    classes = {name: made.with_shapes(written_out) for name, made in module.classes.items()}
    return replace(module, classes=classes, types={}, aliases={})


def _classes(code: str, made: ModuleClasses) -> Classes:
    nodes = [
        node for node in ast.parse(code).body if isinstance(node, ast.ClassDef) and node.name in made.classes
    ]
    return {
        node.name: [_field(each) for each in node.body if isinstance(each, ast.AnnAssign)]
        for node in nodes
        # of a root model, the reference uses `conint` without importing it
        if not made.classes[node.name].is_root_model
    }


def _field(node: ast.AnnAssign) -> str:
    """Return a field without its description, and without the factory of its default."""
    annotation, value = node.annotation, node.value
    match annotation:
        case ast.Subscript(
            value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[inner, ast.Call(keywords=keywords) as call])
        ):
            call.keywords = [each for each in keywords if each.arg != "description"]
            annotation = annotation if call.keywords else inner
    match value:
        case ast.Call(keywords=[ast.keyword(arg="default_factory", value=ast.Lambda(body=default))]):
            value = default
    return f"{ast.unparse(node.target)}: {ast.unparse(annotation)} = {ast.unparse(value) if value else ''}"


def _reference(module: ModuleClasses) -> str:
    definitions = dict.fromkeys(module.imported, _class_schema(Record({})))
    definitions |= {name: _class_schema(each.body) for name, each in module.classes.items()}
    aliases = {
        f"{name}.{wire}": field.name
        for name, each in module.classes.items()
        for wire, field in each.fields.items()
        if wire != field.name
    }
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(generate(input_=schema, aliases=aliases, **OPTIONS))


def _class_schema(body: Body) -> dict[str, Any]:
    match body:
        case Extension(base):
            return {"type": "object", "properties": {}, "allOf": [_schema(shapes.ClassRef(base))]}
        case Record(fields, required, closed):
            properties = {
                wire: _schema(each.shape) | ({} if each.default is None else {"default": each.default})
                for wire, each in fields.items()
            }
            schema = {"type": "object", "properties": properties, "additionalProperties": not closed}
            return schema | ({"required": list(required)} if required else {})
        case shape:
            return _schema(shape)


def _schema(shape: Shape) -> dict[str, Any]:
    """Return a shape without named types as a JSON Schema that the reference prints faithfully."""
    match shape:
        case shapes.Anything():
            return {}
        case shapes.Null():
            return {"type": "null"}
        case shapes.Scalar(kind, constraints):
            return {"type": ["integer", "number"] if kind == "number" else kind, **dict(constraints)}
        case shapes.Literals(values):
            return {"enum": list(values)}
        case shapes.Array(items, constraints):
            return {"type": "array", "items": _schema(items), **dict(constraints)}
        case shapes.Map(values):
            return {"type": "object"} | (
                {} if values == shapes.ANY else {"additionalProperties": _schema(values)}
            )
        case shapes.ClassRef(name):
            return {"$ref": f"#/$defs/{name}"}
        case shapes.UnionShape():
            return _union_schema(shape)
        case shapes.NamedType():
            raise TypeError("the reference has no types with names")
        case _:
            assert_never(shape)


def _union_schema(shape: shapes.UnionShape) -> dict[str, Any]:
    schemas = [_schema(member) for member in shape.members]
    match shape.members:
        case (shapes.Literals(values), shapes.Null()):
            return {"enum": [*values, None]}
        case (shapes.Map(values), shapes.Null()) if values != shapes.ANY:
            return {"anyOf": schemas}  # from a list of types the reference forgets the values
    types = [_as_list(each.get("type", [])) for each in schemas]
    if shapes.is_list_of_types(shape):
        return {**schemas[0], "type": [kind for kinds in types for kind in kinds]}
    alternatives = (
        [{"type": kind} for kind in kinds] if len(kinds) > 1 else [each]
        for each, kinds in zip(schemas, types, strict=True)
    )
    return {"anyOf": [each for several in alternatives for each in several]}


def _as_list(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types
