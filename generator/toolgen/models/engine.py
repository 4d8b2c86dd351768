"""The model engine, datamodel-code-generator, and the checks on what it prints.

It is handed shapes of our own making and nothing of the author's prose; what it prints must be the classes,
fields and aliases that were asked for and nothing else, or we stop. Docstrings are added here, by the rules
of all other text.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from typing import Any

from toolgen.data.bug import EngineBug
from toolgen.models.class_builder import ModelClass
from toolgen.models.shapes import named_in, renamed
from toolgen.python_source.literals import docstring

_MOST = 16  # modules; more save nothing
_OPEN_MODEL = "toolgen.runtime.model.OpenModel"
_MODULES = {"__future__", "pydantic", "typing", "toolgen.runtime.model"}

Module = Mapping[str, ModelClass]
"""The classes of one module by their names."""


@cache
def engine_version() -> str:
    """The version of the engine, part of every cache key."""
    return version("datamodel-code-generator")


def print_modules(modules: Sequence[Module]) -> list[str]:
    """Python source of each module, not yet laid out: imports, some of which it may not need, and classes.

    Several are printed in one run of the engine, which takes half the time; what is printed of a module does
    not depend on its company.
    """
    printed: dict[int, str] = {}
    for batch in batches(modules):
        company = [modules[index] for index in batch]
        printed.update(zip(batch, _together(company) or map(_alone, company), strict=True))
    return [printed[index] for index in range(len(modules))]


def batches(modules: Sequence[Module]) -> Iterator[list[int]]:
    """Every position in `modules` once, in groups.

    A module whose classes refer to one another in a circle is alone: the engine's order of classes is then no
    longer a matter of each module by itself.
    """
    batch: list[int] = []
    for index, module in enumerate(modules):
        if _is_circular(module):
            yield [index]
            continue
        if len(batch) == _MOST:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _is_circular(module: Module) -> bool:
    waiting = {name: set(named_in(made.shape)) & module.keys() for name, made in module.items()}
    while waiting:
        free = {name for name, needed in waiting.items() if not needed & waiting.keys()}
        if not free:
            return True
        waiting = {name: needed for name, needed in waiting.items() if name not in free}
    return False


def _alone(module: Module) -> str:
    return _print([module])[0]


def _together(modules: Sequence[Module]) -> list[str] | None:
    """The source of each module, from one run; None where that does not work."""
    asked = [[name, made.shape, *made.names.items()] for module in modules for name, made in module.items()]
    if len(modules) == 1 or _MARK.search(json.dumps(asked)):
        return None
    try:
        return _print([_marked(module, f"Zz{number:02}") for number, module in enumerate(modules)])
    except EngineBug:
        return None


_MARK = re.compile(r"Zz\d\d")
"""Begins the names of classes while several modules are printed, which may have the same names."""


def _marked(module: Module, mark: str) -> Module:
    names = {name: mark + name for name in module}
    return {names[name]: replace(made, shape=renamed(made.shape, names)) for name, made in module.items()}


def _print(modules: Sequence[Module]) -> list[str]:
    classes = {name: made for module in modules for name, made in module.items()}
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
        code = generate(
            document, aliases=aliases, base_class_map=bases, custom_file_header='""""""', **options
        )
    return _apart(str(code), modules, classes)


def _has_namesakes(made: ModelClass) -> bool:
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


def load_engine() -> None:
    """Import the engine now: before there are several processes that would each do it."""
    _engine()


def _apart(code: str, modules: Sequence[Module], classes: Module) -> list[str]:
    """What was printed for all modules, as the text of each."""
    unmarked = partial(_MARK.sub, "") if len(modules) > 1 else str
    lines = unmarked(code).split("\n")
    imports: list[str] = []
    bodies: dict[str, str] = {}
    rebuilt: list[str] = []
    for node in ast.parse(code).body[1:]:  # all but the module's docstring, which is ours
        text = lines[node.lineno - 1 : node.end_lineno]
        match node:
            case ast.ClassDef(name=name):
                if name not in classes or name in bodies:
                    raise EngineBug(f"the engine printed a class {name!r} that nobody asked for")
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
                *(text for name, text in bodies.items() if name in module),
                "\n".join(f"{unmarked(name)}.model_rebuild()" for name in rebuilt if name in module),
            ]
        )
        for module in modules
    ]


def _documented(lines: list[str], node: ast.ClassDef, made: ModelClass) -> str:
    """The text of a class with the docstrings of itself and of its fields."""
    insertions = sorted(_insertions(node, made), key=lambda found: found[0], reverse=True)
    for line, text in insertions:
        lines.insert(line - node.lineno + 1, text)
    return "\n".join(lines)


def _insertions(node: ast.ClassDef, made: ModelClass) -> Iterator[tuple[int, str]]:
    """The docstrings of a class and its fields, and the empty lines that set them apart."""
    if made.doc:
        yield node.lineno, f"    {docstring(made.doc)}"
    first = node.body[0]
    if isinstance(first, ast.Assign) and len(node.body) > 1:  # the model's configuration
        yield first.end_lineno or first.lineno, ""
    for field, wire in zip(_fields(node, made), made.names, strict=True):
        if wire in made.docs:
            yield field.end_lineno or field.lineno, f"    {docstring(made.docs[wire])}\n"


def _fields(node: ast.ClassDef, made: ModelClass) -> list[ast.AnnAssign]:
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
