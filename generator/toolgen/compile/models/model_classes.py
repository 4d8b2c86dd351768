"""Model classes: a record with fields, the type of a root model, or another name of a shared class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from toolgen.compile.models.shapes import OBJECT, ClassRef, Shape, classes_in, named_parts, renamed


@dataclass(frozen=True, slots=True)
class ModelField:
    """One field of a record."""

    name: str  # in Python
    shape: Shape
    doc: str = ""
    default: Any = None  # None: the schema has none


@dataclass(frozen=True, slots=True)
class Record:
    """Objects with declared properties, by their names on the wire."""

    fields: Mapping[str, ModelField]
    required: tuple[str, ...] = ()
    closed: bool = False  # no other properties

    @property
    def has_aliases(self) -> bool:
        """True if a property has another name in Python."""
        return any(wire != each.name for wire, each in self.fields.items())

    @property
    def may_confuse_keys(self) -> bool:
        """True if an unknown key could be taken for a field, by the field's Python name."""
        return self.has_aliases and not self.closed


@dataclass(frozen=True, slots=True)
class Extension:
    """All that a shared class is, under another name."""

    base: str


Body: TypeAlias = Record | Extension | Shape
"""What a class consists of; a shape: the type of a root model, whose values are not (only) objects."""


@dataclass(frozen=True, slots=True)
class ModelClass:
    """One model class, or a type alias."""

    body: Body
    doc: str = ""
    ancestors: tuple[str, ...] = field(default=(), compare=False)  # names around it, nearest first

    @property
    def fields(self) -> Mapping[str, ModelField]:
        """Return the fields by their names on the wire; a root model has none."""
        return self.body.fields if isinstance(self.body, Record) else {}

    @property
    def is_root_model(self) -> bool:
        """True for the type of a value that is not an object."""
        return not isinstance(self.body, Record | Extension)

    @property
    def base(self) -> str:
        """Return the shared class of which this is only another name; empty if there is none."""
        return self.body.base if isinstance(self.body, Extension) else ""

    def shapes(self) -> list[Shape]:
        """Return the shapes of the fields, or that of the root model."""
        match self.body:
            case Record(fields):
                return [each.shape for each in fields.values()]
            case Extension(base):
                return [ClassRef(base)]
            case shape:
                return [shape]

    def classes(self) -> list[str]:
        """Return the names of the classes that this one refers to."""
        return [name for shape in self.shapes() for name in classes_in(shape)]

    def names(self) -> list[str]:
        """Return the names of the classes and named types that this class refers to."""
        return [part.name for shape in self.shapes() for part in named_parts(shape)]

    def with_shapes(self, change: Callable[[Shape], Shape]) -> ModelClass:
        """Return the class with each of its `shapes` changed."""
        match self.body:
            case Record(fields) as record:
                changed = {
                    wire: replace(each, shape=shape)
                    for wire, each in fields.items()
                    if (shape := change(each.shape)) is not each.shape  # few are: copies take time
                }
                return replace(self, body=replace(record, fields={**fields, **changed})) if changed else self
            case Extension():
                return self
            case shape:
                return replace(self, body=change(shape))

    def renamed(self, names: Mapping[str, str]) -> ModelClass:
        """Return the class with other names for the classes and types that it refers to."""
        if isinstance(self.body, Extension):
            return replace(self, body=Extension(names.get(self.base, self.base)))
        return self.with_shapes(lambda shape: renamed(shape, names)) if names else self


def as_body(body: Body) -> Body:
    """Return the body of a class of its own: that of any object keeps every key."""
    return Record({}) if body == OBJECT else body


def reachable(classes: Mapping[str, ModelClass], roots: Iterable[str]) -> set[str]:
    """Return the names of the classes that `roots` are or lead to."""
    used: set[str] = set()
    waiting = [*roots]
    while waiting:
        name = waiting.pop()
        if name not in used and name in classes:
            used.add(name)
            waiting += classes[name].classes()
    return used
