"""The names that generated Python code has for a tool's models, without generating it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolgen.changes.contract import CHUNK, REQUEST, RESPONSE
from toolgen.changes.python_names import PythonClass, PythonField, PythonNames
from toolgen.compile.models.annotations import type_text
from toolgen.compile.models.model_classes import ModelClass, Record
from toolgen.compile.models.shapes import classes_in, without_constraints, written_out
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
    return {tool.wire_name: replace(_names_of(tool, shared, modules), shared=names) for tool in package.tools}


def _shared_names(program: Program, shared: SharedClasses) -> dict[str, str]:
    """Return the classes and named types of all shared files, each with its schema as JSON."""
    found: dict[str, str] = {}
    for path, file in program.shared.items():
        for bundled, schema in file.origins.items():
            if schema.path == path and (made := shared.by_schema.get(schema)) is not None:
                definition = file.document.schema["$defs"][bundled]
                found[f"shared.{made.module}.{made.name}"] = json.dumps(definition, sort_keys=True)
    return found


def _names_of(
    tool: Tool,
    shared: SharedClasses,
    modules: Mapping[str, ModuleClasses],
) -> PythonNames:
    own = tool_classes(tool, shared)
    table = _ClassTable({**modules, tool.py_name: own})
    roots = {
        REQUEST: tool.request_class,
        RESPONSE: tool.response_class,
        CHUNK: tool.chunk_class,
    }
    keys = {schema: table.add(tool.py_name, name) for schema, name in roots.items() if name}
    return PythonNames(
        {schema: key for schema, key in keys.items() if key},
        table.classes,
        frozenset((*own.classes, *own.aliases, *own.imported)),
        uses=frozenset(
            f"shared.{shared.by_schema[schema].module}"
            for origins in tool.origins.values()
            for schema in origins.values()
            if schema in shared.by_schema
        ),
    )


@dataclass(frozen=True, slots=True)
class _FoundClass:
    """A class, and where it is defined."""

    module: str
    name: str
    made: ModelClass

    @property
    def key(self) -> str:
        return f"{self.module}.{self.name}"


class _ClassTable:
    """The classes that some roots lead to."""

    def __init__(self, modules: Mapping[str, ModuleClasses]) -> None:
        self.classes: dict[str, PythonClass] = {}
        self._modules = modules

    def add(self, module: str, name: str) -> str | None:
        """Add a class and all that it refers to; return its key, or None if it is not a class."""
        found = self._find(module, name)
        if found is None:
            return None
        waiting = [found]
        while waiting:
            each = waiting.pop()
            if each.key not in self.classes:
                self.classes[each.key] = PythonClass(each.module, each.name, self._fields(each))
                waiting += self._referred(each)
        return found.key

    def _find(self, module: str, name: str) -> _FoundClass | None:
        """Return where a name of a module is defined."""
        # Each step is an import from another module: more steps than modules would be a circle.
        for _ in range(len(self._modules) + 1):
            made = self._modules.get(module)
            if made is None:
                return None
            if name in made.classes:
                return _FoundClass(module, name, made.classes[name])
            imported = made.imported.get(name)
            if imported is None:
                return None
            module, name = f"shared.{imported.module.rpartition('.')[2]}", imported.name
        return None

    def _referred(self, each: _FoundClass) -> list[_FoundClass]:
        return [found for name in each.made.classes() if (found := self._find(each.module, name)) is not None]

    def _fields(self, each: _FoundClass) -> dict[str, PythonField]:
        if each.made.base:
            base = self._find(each.module, each.made.base)
            return self._fields(base) if base else {}
        if not isinstance(each.made.body, Record):
            return {}
        return {wire: self._field(each.module, each.made.body, wire) for wire in each.made.body.fields}

    def _field(self, module: str, record: Record, wire: str) -> PythonField:
        field = record.fields[wire]
        may_be_none = wire not in record.required and field.default is None
        annotation = type_text(without_constraints(written_out(field.shape)), optional=may_be_none)
        found = (self._find(module, name) for name in classes_in(field.shape))
        keys = tuple(other.key for other in found if other is not None)
        return PythonField(field.name, annotation, keys)
