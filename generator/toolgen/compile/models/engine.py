"""The model engine, datamodel-code-generator, and the checks on what it prints.

The engine is given shapes and none of the author's prose. It must print exactly the classes, fields and
aliases that it is asked for; anything else is an `EngineBug`. docs/model-engine.md says what it is for.
"""

from __future__ import annotations

import ast
import warnings
from functools import cache
from importlib.metadata import version
from typing import Any, assert_never

from toolgen.compile.models import shapes
from toolgen.compile.models.annotations import default_factory, description
from toolgen.compile.models.model_classes import Body, Extension, ModelClass, Record
from toolgen.compile.models.module_source import (
    ClassSource,
    ModuleSource,
    StatementSource,
    model_config,
    source_of_classes,
)
from toolgen.compile.models.shapes import Shape
from toolgen.compile.models.shared_classes import ModuleClasses
from toolgen.compile.python_source.layout import flat
from toolgen.language.internal_error import EngineBug

_OPEN_MODEL = "toolgen.runtime.model.OpenModel"
_MODULES = {"__future__", "pydantic", "typing", "toolgen.runtime.model"}


@cache
def engine_version() -> str:
    """Return the version of the engine, which is part of every cache key."""
    return version("datamodel-code-generator")


def engine_input(module: ModuleClasses) -> dict[str, Any]:
    """Return what the engine is asked for: the classes of a module, and those that it imports."""
    made = module.without_types()
    # imported classes first: the engine prints a class after those that it refers to
    definitions = dict.fromkeys(made.imported, _class_schema(Record({})))
    definitions |= {name: _class_schema(each.body) for name, each in made.classes.items()}
    aliases = {
        f"{name}.{wire}": field.name
        for name, each in made.classes.items()
        for wire, field in each.fields.items()
        if wire != field.name
    }
    bases = {name: _OPEN_MODEL for name, each in made.classes.items() if _may_confuse_keys(each)}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
    return {"input_": schema, "aliases": aliases, "base_class_map": bases}


def print_classes(module: ModuleClasses) -> str:
    """Return what the engine prints for the classes of a module, and for those that it imports."""
    generate, options = _engine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(generate(**engine_input(module), **options))


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
    """Return a shape without named types as a JSON Schema that the engine prints faithfully."""
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
            raise TypeError("the engine has no types with names")
        case _:
            assert_never(shape)


def _union_schema(shape: shapes.UnionShape) -> dict[str, Any]:
    schemas = [_schema(member) for member in shape.members]
    match shape.members:
        case (shapes.Literals(values), shapes.Null()):
            return {"enum": [*values, None]}
        case (shapes.Map(values), shapes.Null()) if values != shapes.ANY:
            return {"anyOf": schemas}  # from a list of types the engine forgets the values
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


@cache
def _engine() -> tuple[Any, dict[str, Any]]:
    # imported on first use: it takes a quarter of a second, which `--help` and a warm cache do not need
    from datamodel_code_generator import generate
    from datamodel_code_generator.enums import DataModelType, InputFileType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    return generate, {
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


def engine_source(module: ModuleClasses, code: str) -> ModuleSource:
    """Return the source of a module from what the engine printed. Raises `EngineBug` if that is not it."""
    made = module.without_types()
    classes: dict[str, ClassSource] = {}
    rebuilt: list[str] = []
    lines = code.split("\n")
    for node in ast.parse(code).body:
        match node:
            case ast.ClassDef(name=name) if name in made.imported:
                pass
            case ast.ClassDef(name=name) if name in made.classes and name not in classes:
                classes[name] = _class(node, made.classes[name], lines)
            case ast.ImportFrom(module=str(source), level=0) if source in _MODULES:
                pass
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="model_rebuild"), args=[], keywords=[]
                )
            ) if name in classes:
                rebuilt.append(name)
            case _:
                raise EngineBug(f"the engine printed what was not requested: {ast.unparse(node)[:200]}")
    if missing := made.classes.keys() - classes.keys():
        raise EngineBug(f"the engine left out {', '.join(sorted(missing))}")
    return source_of_classes(module, tuple(classes.values()), tuple(rebuilt))


def _class(node: ast.ClassDef, made: ModelClass, lines: list[str]) -> ClassSource:
    """Return a class with the bases and fields of the engine; the rest is as in every other class."""
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    if not made.is_root_model:  # of which the engine names the field
        _check_names(node.name, fields, made)
    docs = [each.doc for each in made.fields.values()] or [""] * len(fields)
    return ClassSource(
        statement="".join(lines[node.lineno - 1 : node.body[0].lineno - 1]),
        base=made.base,
        config=model_config(made.body) if isinstance(made.body, Record) else "",
        doc=made.doc,
        fields=tuple(
            StatementSource(_statement(each, made, lines, doc))
            for each, doc in zip(fields, docs, strict=True)
        ),
    )


def _may_confuse_keys(made: ModelClass) -> bool:
    return isinstance(made.body, Record) and made.body.may_confuse_keys


def _statement(field: ast.AnnAssign, made: ModelClass, lines: list[str], doc: str) -> str:
    """Return the text of a described field, without a list as default if its class is not pydantic's own."""
    text = "\n".join(lines)
    annotation = str(ast.get_source_segment(text, field.annotation))
    default = ast.get_source_segment(text, field.value) if field.value is not None else None
    if isinstance(field.value, ast.List) and _may_confuse_keys(made):
        default = flat(default_factory(ast.literal_eval(field.value)))
    if doc.strip() and annotation.startswith("Annotated["):
        annotation = f"{annotation.rpartition(')')[0]}, {flat(description(doc))})]"
    elif doc.strip():
        annotation = f"Annotated[{annotation}, Field({flat(description(doc))})]"
    return f"    {ast.unparse(field.target)}: {annotation}" + ("" if default is None else f" = {default}")


def _check_names(name: str, fields: list[ast.AnnAssign], made: ModelClass) -> None:
    """Raise `EngineBug` unless the fields have the requested order, names and aliases."""
    printed = [(_alias(each), ast.unparse(each.target)) for each in fields]
    wanted = [(wire if wire != each.name else None, each.name) for wire, each in made.fields.items()]
    if printed != wanted:
        differing = [pair for pair in zip(printed, wanted, strict=False) if pair[0] != pair[1]]
        raise EngineBug(f"the engine named fields of {name} otherwise than asked: {differing[:3]}")


def _alias(field: ast.AnnAssign) -> str | None:
    for call in ast.walk(field.annotation):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Field":
            for keyword in call.keywords:
                if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
    return None
