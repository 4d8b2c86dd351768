"""The model engine, datamodel-code-generator, and the checks on what it prints.

The engine is given shapes and none of the author's prose. It must print exactly the classes, fields and
aliases that it is asked for; anything else is an `EngineBug`. Docstrings are added here.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from typing import Any

from toolgen.data.internal_error import EngineBug
from toolgen.models.annotations import default_factory
from toolgen.models.class_builder import ModelClass, as_class
from toolgen.models.module_source import dependency_order, may_confuse_keys, model_config
from toolgen.models.shapes import OBJECT, renamed
from toolgen.python_source.layout import flat
from toolgen.python_source.literals import docstring

_MAX_BATCH = 16  # modules; larger batches save nothing
_OPEN_MODEL = "toolgen.runtime.model.OpenModel"
_NESTING = ("anyOf", "items", "additionalProperties")
_MODULES = {"__future__", "pydantic", "typing", "toolgen.runtime.model"}


@dataclass(frozen=True, slots=True)
class EngineModule:
    """The classes of one module, some of which are imported from others."""

    classes: Mapping[str, ModelClass]
    imported: frozenset[str] = frozenset()


@cache
def engine_version() -> str:
    """Return the version of the engine, which is part of every cache key."""
    return version("datamodel-code-generator")


def print_modules(modules: Sequence[EngineModule]) -> list[str]:
    """Return the source of each module, not yet formatted: imports, not all of them needed, and classes.

    One run of the engine prints several modules, in half the time; the text of a module does not depend on
    the others of its run.
    """
    printed: dict[int, str] = {}
    for batch in batches(modules):
        together = [modules[index] for index in batch]
        printed.update(zip(batch, _print_batch(together) or map(_print_one, together), strict=True))
    return [printed[index] for index in range(len(modules))]


def batches(modules: Sequence[EngineModule]) -> Iterator[list[int]]:
    """Yield batches of positions in `modules`, each position once.

    A module with circular references is a batch of its own: with them, the engine's order of classes depends
    on the other modules of a run.
    """
    batch: list[int] = []
    for index, module in enumerate(modules):
        if dependency_order(module.classes) is None:
            yield [index]
            continue
        if len(batch) == _MAX_BATCH:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _print_one(module: EngineModule) -> str:
    return _print([module])[0]


def _print_batch(modules: Sequence[EngineModule]) -> list[str] | None:
    """Return the source of each module, from one run; None where that does not work."""
    asked = [
        [name, made.shape, *made.names.items()] for module in modules for name, made in module.classes.items()
    ]
    if len(modules) == 1 or _PREFIX.search(json.dumps(asked)):
        return None
    try:
        return _print([_prefixed(module, f"Zz{number:02}") for number, module in enumerate(modules)])
    except EngineBug:
        return None


_PREFIX = re.compile(r"Zz\d\d")
"""The prefix of class names in a batch, whose modules may have classes of the same name."""


def _prefixed(module: EngineModule, prefix: str) -> EngineModule:
    names = {name: prefix + name for name in (*module.classes, *module.imported)}
    classes = {
        names[name]: replace(made, shape=renamed(made.shape, names)) for name, made in module.classes.items()
    }
    return EngineModule(classes, frozenset(names[name] for name in module.imported))


def _print(modules: Sequence[EngineModule]) -> list[str]:
    classes = {name: made for module in modules for name, made in module.classes.items()}
    imported = {name for module in modules for name in module.imported}
    definitions = {name: _in_words_of_the_engine(made.shape) for name, made in classes.items()}
    definitions |= dict.fromkeys(imported, as_class(OBJECT))
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}
    aliases = {
        f"{name}.{wire}": python
        for name, made in classes.items()
        for wire, python in made.names.items()
        if wire != python
    }
    bases = {name: _OPEN_MODEL for name, made in classes.items() if may_confuse_keys(made)}
    generate, options = _engine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = generate(
            document, aliases=aliases, base_class_map=bases, custom_file_header='""""""', **options
        )
    return _split(str(code), modules, imported)


def _in_words_of_the_engine(shape: Any) -> Any:
    """Return a shape with nullable maps as unions: else the engine forgets their values."""
    if isinstance(shape, list):
        return [_in_words_of_the_engine(item) for item in shape]
    if not isinstance(shape, dict):
        return shape
    inner = {key: _in_words_of_the_engine(shape[key]) for key in _NESTING if key in shape}
    if "properties" in shape:
        properties = shape["properties"].items()
        inner["properties"] = {wire: _in_words_of_the_engine(each) for wire, each in properties}
    if shape.get("type") == ["object", "null"] and isinstance(shape.get("additionalProperties"), dict):
        return {"anyOf": [{"type": "object", **inner}, {"type": "null"}]}
    return {**shape, **inner}


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
    }


def _split(code: str, modules: Sequence[EngineModule], imported: Set[str]) -> list[str]:
    """Split what was printed for all modules into the text of each, without `imported` classes."""
    classes = {name: made for module in modules for name, made in module.classes.items()}
    unprefixed = partial(_PREFIX.sub, "") if len(modules) > 1 else str
    lines = unprefixed(code).split("\n")
    imports: list[str] = []
    bodies: dict[str, str] = {}
    rebuilt: list[str] = []
    for node in ast.parse(code).body[1:]:  # all but the module's docstring, which is ours
        text = lines[node.lineno - 1 : node.end_lineno]
        match node:
            case ast.ClassDef(name=name) if name in imported:
                pass
            case ast.ClassDef(name=name):
                if name not in classes or name in bodies:
                    raise EngineBug(f"the engine printed a class {name!r} that was not requested")
                bodies[name] = _documented(text, node, classes[name])
            case ast.ImportFrom(module=str(module), level=0) if module in _MODULES:
                imports += text
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="model_rebuild"), args=[], keywords=[]
                )
            ) if name in bodies:
                rebuilt.append(name)
            case _:
                raise EngineBug(f"the engine printed more than classes: {ast.unparse(node)[:200]}")
    if missing := classes.keys() - bodies.keys():
        raise EngineBug(f"the engine left out {', '.join(sorted(missing))}")
    return [
        "\n\n\n".join(
            [
                "\n".join(imports),
                *(text for name, text in bodies.items() if name in module.classes),
                "\n".join(
                    f"{unprefixed(name)}.model_rebuild()" for name in rebuilt if name in module.classes
                ),
            ]
        )
        for module in modules
    ]


def _documented(lines: list[str], node: ast.ClassDef, made: ModelClass) -> str:
    """Return the text of a class with its configuration, and with docstrings for itself and its fields."""
    lines = _with_default_factories(lines, node) if may_confuse_keys(made) else lines.copy()
    insertions = sorted(_insertions(node, made), key=lambda found: found[0], reverse=True)
    for line, text in insertions:
        lines.insert(line - node.lineno + 1, text)
    match node.body[0]:
        case ast.Assign(lineno=first, end_lineno=int(last)) if "properties" in made.shape:
            start = first - node.lineno + bool(made.doc)
            lines[start : start + last - first + 1] = [f"    model_config = {model_config(made)}"]
        case ast.Pass() if made.doc:
            lines.pop()
    return "\n".join(lines)


def _with_default_factories(lines: Sequence[str], node: ast.ClassDef) -> list[str]:
    """Return the text of a class whose base class is not pydantic's own, without lists as defaults."""
    lines = list(lines)
    for item in node.body:
        match item:
            case ast.AnnAssign(
                value=ast.List(lineno=number, col_offset=start, end_col_offset=int(end)) as value
            ):
                line = lines[number - node.lineno].encode()  # columns are bytes
                made = flat(default_factory(ast.literal_eval(value))).encode()
                lines[number - node.lineno] = (line[:start] + made + line[end:]).decode()
    return lines


def _insertions(node: ast.ClassDef, made: ModelClass) -> Iterator[tuple[int, str]]:
    """Yield lines and the docstrings, or empty lines, to insert after them."""
    if made.doc:
        yield node.lineno, f"    {docstring(made.doc)}"
    first = node.body[0]
    if isinstance(first, ast.Assign) and len(node.body) > 1:  # the model's configuration
        yield first.end_lineno or first.lineno, ""
    for field, wire in zip(_fields(node, made), made.names, strict=True):
        if wire in made.docs:
            yield field.end_lineno or field.lineno, f"    {docstring(made.docs[wire])}\n"


def _fields(node: ast.ClassDef, made: ModelClass) -> list[ast.AnnAssign]:
    """Return the fields of a class, which must have the requested order, names and aliases."""
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    if not made.names and "properties" not in made.shape:
        return []  # a root model has one, which the engine names
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
