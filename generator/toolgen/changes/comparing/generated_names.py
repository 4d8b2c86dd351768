"""The names that generated Python code has for a tool's models, without generating it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from toolgen.changes.contract import CHUNK, REQUEST, RESPONSE
from toolgen.changes.python_names import Place, PythonClass, PythonField, PythonNames, SharedName
from toolgen.compile.models.model_classes import Extension, ModelClass, Record
from toolgen.compile.models.shapes import classes_in, type_text, without_constraints, written_out
from toolgen.compile.models.shared_classes import ModuleClasses, SharedClasses, shared_classes
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import tool_classes
from toolgen.language.package import PackageSettings, Tool
from toolgen.language.program import Program


def python_names(program: Program) -> dict[str, PythonNames]:
    """Return the names of each tool's models by wire name.

    Raises `SpecErrors` where two tools need one name.
    """
    package = lower(program, PackageSettings())
    shared = shared_classes(program.shared)
    names = _shared_names(program, shared)
    modules = {f"shared.{file.py_name}": shared.modules[path] for path, file in program.shared.items()}
    found = {tool.wire_name: _names_of(tool, shared, modules) for tool in package.tools}
    unused = names.keys() - {key for each in found.values() for key in each.uses}
    for name, each in found.items():
        # code may import what no tool uses: tools of the same file report it
        used = {_module_of(key) for key in each.uses}
        uses = each.uses | {key for key in unused if _module_of(key) in used}
        found[name] = replace(each, shared=names, uses=uses)
    return found


def _module_of(key: str) -> str:
    return key.rpartition(".")[0]


def _shared_names(program: Program, shared: SharedClasses) -> dict[str, SharedName]:
    """Return the classes and named types of all shared files."""
    found: dict[str, SharedName] = {}
    for path, file in program.shared.items():
        for bundled, schema in file.origins.items():
            if schema.path == path and (made := shared.by_schema.get(schema)) is not None:
                text = json.dumps(file.document.schema["$defs"][bundled], sort_keys=True)
                found[f"shared.{made.module}.{made.name}"] = SharedName(text, file.source, schema.name)
    return found


def _names_of(tool: Tool, shared: SharedClasses, modules: Mapping[str, ModuleClasses]) -> PythonNames:
    own = tool_classes(tool, shared)
    modules = {**modules, tool.py_name: own}
    roots = {REQUEST: tool.request_class, RESPONSE: tool.response_class, CHUNK: tool.chunk_class}
    places: deque[tuple[Place, PythonClass]] = deque(
        ((schema,), PythonClass(tool.py_name, name)) for schema, name in roots.items() if name
    )
    classes: dict[PythonClass, Place] = {}
    fields: dict[Place, PythonField] = {}
    while places:
        place, named = places.popleft()
        found = _definition(named, modules)
        if found is None or found in classes:
            continue
        classes[found] = place
        made = modules[found.module].classes[found.name]
        home = found
        while isinstance(made.body, Extension):  # has the fields of its base
            home = _definition(PythonClass(home.module, made.base), modules) or home
            made = modules[home.module].classes[home.name]
        if isinstance(made.body, Record):
            fields |= {(*place, wire): _field(made.body, wire) for wire in made.body.fields}
        for wire, names in _classes_of(made).items():
            for number, name in enumerate(names):
                # types with other numbers of classes are no pairs: `field-type-changed` is about these
                places.append(((*place, wire, number, len(names)), PythonClass(home.module, name)))
    return PythonNames(
        {place: each for each, place in classes.items()},
        fields,
        frozenset((*own.classes, *own.aliases, *own.imported)),
        uses=frozenset(
            f"shared.{made.module}.{made.name}"
            for origins in tool.origins.values()
            for made in shared.of(origins).values()
        ),
    )


def _classes_of(made: ModelClass) -> dict[str, list[str]]:
    """Return the names of the classes that each field refers to, by wire name; "" for a root model."""
    wires = [*made.fields] or [""]
    return {wire: [*classes_in(shape)] for wire, shape in zip(wires, made.shapes(), strict=False)}


def _definition(named: PythonClass, modules: Mapping[str, ModuleClasses]) -> PythonClass | None:
    """Return the class that a name of a module means, where it is defined; None if it is not a class."""
    module, name = named.module, named.name
    # Each step is an import from another module: more steps than modules would be a circle.
    for _ in range(len(modules) + 1):
        if name in modules[module].classes:
            return PythonClass(module, name)
        imported = modules[module].imported.get(name)
        if imported is None:
            return None
        module, name = f"shared.{imported.module.rpartition('.')[2]}", imported.name
    return None


def _field(record: Record, wire: str) -> PythonField:
    field = record.fields[wire]
    may_be_none = wire not in record.required and field.default is None
    annotation = type_text(without_constraints(written_out(field.shape)), optional=may_be_none)
    return PythonField(field.name, annotation)
