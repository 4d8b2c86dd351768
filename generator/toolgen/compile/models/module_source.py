"""A module of models as data, which the template `models/_module.jinja` writes as classes and fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.compile.models.model_classes import ModelClass, ModelField, Record
from toolgen.compile.models.shapes import classes_in, field_constraints, type_text, without_constraints
from toolgen.compile.models.shared_classes import ModuleClasses
from toolgen.compile.python_source.literals import import_as

_IMPORTS = (
    "from typing import Annotated, Any, Literal, TypeAlias",
    "from pydantic import BaseModel, ConfigDict, Field, RootModel",
    "from toolgen.runtime.model import OpenModel",
)


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A field of a class, or a type that has a name."""

    name: str  # in Python
    type: str  # "list[str] | None"
    alias: str | None = None  # its name in JSON, if that is another one
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of pydantic's `Field`: {"ge": 1}
    description: str = ""
    is_required: bool = True
    default: Any = None  # JSON data
    has_factory: bool = False  # each instance needs a default of its own
    doc: str = ""  # of a type, instead of a description

    @property
    def is_annotated(self) -> bool:
        """True if there is more to say about it than its type and its default."""
        return self.alias is not None or bool(self.arguments) or bool(self.description)


@dataclass(frozen=True, slots=True)
class ClassSource:
    """A class."""

    name: str
    base: str  # "BaseModel", "OpenModel", "RootModel[list[str]]", or a shared class
    config: Mapping[str, Any]  # arguments of pydantic's `ConfigDict`; empty: those of the base
    doc: str
    fields: tuple[FieldSource, ...]


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """A module."""

    imports: tuple[str, ...] = ()  # lines, in any order; those that are not used are removed
    types: tuple[FieldSource, ...] = ()
    classes: tuple[ClassSource, ...] = ()
    aliases: tuple[FieldSource, ...] = ()  # types that refer to classes
    exports: tuple[str, ...] = ()  # classes that are imported for other modules
    rebuilt: tuple[str, ...] = ()  # classes that refer to later ones


def module_source(made: ModuleClasses) -> ModuleSource:
    """Return the source of classes."""
    order = dependency_order(made.classes)
    classes = tuple(_class(name, made.classes[name]) for name in order)
    types = tuple(_type(name, each) for name, each in made.types.items())
    aliases = tuple(_alias(name, each) for name, each in made.aliases.items())
    return ModuleSource(
        imports=(*_IMPORTS, *_shared_imports(made)),
        types=types,
        classes=classes,
        aliases=aliases,
        exports=made.exported,
        rebuilt=tuple(_with_later_classes(order, made.classes)),
    )


def dependency_order(classes: Mapping[str, ModelClass]) -> list[str]:
    """Return the names of the classes, each after those that it refers to.

    Of classes that refer to each other in a circle, root models come last: their types are read at once.
    """
    waiting = {name: {*made.classes()} & classes.keys() - {name} for name, made in classes.items()}
    order: dict[str, None] = {}
    while waiting:
        before = len(order)
        for name, needed in waiting.items():
            if needed <= order.keys():
                order[name] = None
        if len(order) == before:
            order |= dict.fromkeys(sorted(waiting, key=lambda name: classes[name].is_root_model))
        waiting = {name: needed for name, needed in waiting.items() if name not in order}
    return list(order)


def _with_later_classes(order: list[str], classes: Mapping[str, ModelClass]) -> Iterator[str]:
    """Yield the names of the classes that refer to a later one."""
    later = set(order)
    for name in order:
        later.remove(name)
        if not later.isdisjoint(classes[name].classes()):
            yield name


def _class(name: str, made: ModelClass) -> ClassSource:
    match made.body:
        case Record() as record:
            base = "OpenModel" if record.may_confuse_keys else "BaseModel"
            config: dict[str, Any] = {"extra": "forbid" if record.closed else "allow"}
            if record.has_aliases:
                config["validate_by_name"] = True  # Python code may set fields by their Python names, too
            fields = tuple(_field(record, wire, base) for wire in record.fields)
            return ClassSource(name, base, config, made.doc, fields)
        case _ if made.base:
            return ClassSource(name, made.base, {}, made.doc, ())
    (shape,) = made.shapes()
    root = FieldSource("root", type_text(shape), arguments=field_constraints(shape))
    return ClassSource(name, f"RootModel[{root.type}]", {}, made.doc, (root,))


def _field(record: Record, wire: str, base: str) -> FieldSource:
    made = record.fields[wire]
    is_required = wire in record.required
    arguments = field_constraints(made.shape)
    if isinstance(made.default, list) and classes_in(made.shape):
        arguments["validate_default"] = True
    return FieldSource(
        name=made.name,
        type=type_text(made.shape, optional=not is_required and made.default is None),
        alias=None if made.name == wire else wire,
        arguments=arguments,
        description=_description(made),
        is_required=is_required,
        default=made.default,
        # pydantic copies defaults, but ruff (RUF012) knows that only of pydantic's own base classes
        has_factory=isinstance(made.default, list) and base != "BaseModel",
    )


def _description(made: ModelField | ModelClass) -> str:
    return made.doc if made.doc.strip() else ""


def _type(name: str, made: ModelClass) -> FieldSource:
    (shape,) = made.shapes()
    constraints = field_constraints(shape)
    return FieldSource(name, type_text(shape), arguments=constraints, description=_description(made))


def _alias(name: str, made: ModelClass) -> FieldSource:
    (shape,) = made.with_shapes(without_constraints).shapes()
    return FieldSource(name, type_text(shape), doc=made.doc)


def _shared_imports(made: ModuleClasses) -> Iterator[str]:
    """Yield the lines that import the classes of shared files."""
    for name, each in made.imported.items():
        yield import_as(each.module, each.name, name)
