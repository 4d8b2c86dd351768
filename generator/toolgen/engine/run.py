"""The model engine, datamodel-code-generator, and the checks on what it prints.

It is handed shapes of our own making and nothing of the author's prose; what it prints must be the classes,
fields and aliases that were asked for and nothing else, or we stop. Docstrings are added here, by the rules
of all other text.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from toolgen.data.bug import EngineBug
from toolgen.engine.shape import Class
from toolgen.python.source import docstring

_OPEN_MODEL = "toolgen.runtime.model.OpenModel"
_MODULES = {"__future__", "pydantic", "typing", "toolgen.runtime.model"}


@cache
def engine_version() -> str:
    """The version of the engine, part of every cache key."""
    return version("datamodel-code-generator")


def print_classes(classes: Mapping[str, Class], header: str) -> str:
    """Python source of the classes, not yet laid out, under `header`."""
    definitions = {name: made.shape for name, made in classes.items()}
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
    aliases = {
        f"{name}.{wire}": python
        for name, made in classes.items()
        for wire, python in made.names.items()
        if wire != python
    }
    bases = {name: _OPEN_MODEL for name, made in classes.items() if _has_namesakes(made)}
    generate, options = _engine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = generate(document, aliases=aliases, base_class_map=bases, custom_file_header=header, **options)
    return _documented(str(code), classes)


def _has_namesakes(made: Class) -> bool:
    """Could an unknown key be taken for a field that was left out, by the field's Python name?"""
    optional = made.names.keys() - set(made.shape.get("required", ()))
    return bool(made.shape.get("additionalProperties")) and any(made.names[wire] != wire for wire in optional)


@cache
def _engine() -> tuple[Any, dict[str, Any]]:
    # imported on first use: a quarter of a second that `--help` and a warm cache should not pay
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
    }


def _documented(code: str, classes: Mapping[str, Class]) -> str:
    lines = code.split("\n")
    insertions: list[tuple[int, str]] = []  # (after this line, text)
    found: set[str] = set()
    for node in ast.parse(code).body[1:]:  # all but the module's docstring, which is ours
        if isinstance(node, ast.ClassDef):
            if node.name not in classes or node.name in found:
                raise EngineBug(f"the engine printed a class {node.name!r} that nobody asked for")
            found.add(node.name)
            insertions += _insertions(node, classes[node.name])
        elif not _is_expected(node):
            raise EngineBug(f"the engine printed more than classes: {ast.unparse(node)[:200]}")
    if missing := classes.keys() - found:
        raise EngineBug(f"the engine left out {', '.join(sorted(missing))}")
    for line, text in sorted(insertions, key=lambda found: found[0], reverse=True):
        lines.insert(line, text)
    return "\n".join(lines)


def _insertions(node: ast.ClassDef, made: Class) -> Iterator[tuple[int, str]]:
    """The docstrings of a class and its fields, and the empty lines that set them apart."""
    if made.doc:
        yield node.lineno, f"    {docstring(made.doc)}"
    first = node.body[0]
    if isinstance(first, ast.Assign) and len(node.body) > 1:  # the model's configuration
        yield first.end_lineno or first.lineno, ""
    for field, wire in zip(_fields(node, made), made.names, strict=True):
        if wire in made.docs:
            yield field.end_lineno or field.lineno, f"    {docstring(made.docs[wire])}\n"


def _fields(node: ast.ClassDef, made: Class) -> list[ast.AnnAssign]:
    """The fields of a class, which must be the ones asked for, in that order and under those aliases."""
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    if not made.names and "properties" not in made.shape:
        return []  # a root model has but one, of the engine's making
    printed = [(_alias(field), ast.unparse(field.target)) for field in fields]
    wanted = [(wire if wire != python else None, python) for wire, python in made.names.items()]
    if printed != wanted:
        differing = [pair for pair in zip(printed, wanted, strict=False) if pair[0] != pair[1]]
        raise EngineBug(f"the engine named fields of {node.name} otherwise than asked: {differing[:3]}")
    return fields


def _alias(field: ast.AnnAssign) -> str | None:
    for call in ast.walk(field.annotation):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Field":
            for keyword in call.keywords:
                if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
    return None


def _is_expected(node: ast.stmt) -> bool:
    match node:
        case ast.ImportFrom(module=str(module), level=0):
            return module in _MODULES
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=method), args=[], keywords=[])
        ):
            return method == "model_rebuild"
    return False
