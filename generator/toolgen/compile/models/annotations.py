"""Types, constraints and defaults of model fields as Python expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, assert_never

from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import ModelField
from toolgen.compile.models.shapes import Shape
from toolgen.compile.python_source.layout import INDENT, WIDTH, Brackets, Expression, UnionExpression, flat
from toolgen.compile.python_source.literals import literal, wrapped_strings
from toolgen.compile.python_source.text_width import width

_SCALARS = {"string": ("str",), "boolean": ("bool",), "integer": ("int",), "number": ("int", "float")}
_ARGUMENTS = {
    "exclusiveMaximum": "lt",
    "exclusiveMinimum": "gt",
    "maxItems": "max_length",
    "maxLength": "max_length",
    "maximum": "le",
    "minItems": "min_length",
    "minLength": "min_length",
    "minimum": "ge",
    "multipleOf": "multiple_of",
    "pattern": "pattern",
}
"""Constraints of JSON Schema → arguments of pydantic's `Field`."""
_ROOM: Final = WIDTH - 3 * INDENT  # of an argument in `Field(`, in `Annotated[`, in a class


def field_annotation(field: ModelField, *, alias: str | None, optional: bool) -> Expression:
    """Return the annotation of a field; None is allowed if the field is `optional` and has no default."""
    members = list(_members(field.shape))
    if optional and field.default is None and "None" not in members:
        members.append("None")
    python = _union(members)
    arguments = list(_arguments(field, alias))
    return Brackets("Annotated[", (python, Brackets("Field(", arguments, ")")), "]") if arguments else python


def type_annotation(shape: Shape, doc: str = "") -> str:
    """Return the type of a shape with its constraints and its description, on one line."""
    return flat(field_annotation(ModelField("", shape, doc=doc), alias=None, optional=False))


def description(doc: str) -> Expression:
    """Return the argument `description` of `Field`, in several strings if it is longer than a line."""
    line = f"description={literal(doc)}"
    if width(line) < _ROOM:  # a comma may follow
        return line
    return Brackets("description=(", wrapped_strings(doc, _ROOM - INDENT), ")", separator=" ")


def field_default(default: Any, *, factory: bool) -> Expression:
    """Return the default of an optional field; a list is made by a `factory` if that is wanted."""
    if not isinstance(default, list):
        return literal(default)
    return default_factory(default) if factory else Brackets("[", [*map(literal, default)], "]")


def default_factory(default: list[Any]) -> Expression:
    """Return a default that makes a new list.

    Models need none, since pydantic copies defaults. But ruff (RUF012) knows that only of pydantic's own base
    classes. For `default_factory=list`, pyright does not know the type of a list of literals.
    """
    return Brackets("Field(", [Brackets("default_factory=lambda: [", [*map(literal, default)], "]")], ")")


def _arguments(field: ModelField, alias: str | None) -> Iterator[Expression]:
    """Yield the arguments of `Field`, in the order of their names after the alias."""
    if alias is not None:
        yield f"alias={literal(alias)}"
    found: dict[str, Any] = {}
    if (part := shapes.constrained(field.shape)) is not None:
        of_numbers = isinstance(part, shapes.Scalar) and part.kind == "number"
        found = {_ARGUMENTS[key]: float(value) if of_numbers else value for key, value in part.constraints}
    yield from (f"{name}={literal(found[name])}" for name in sorted(found))
    if isinstance(field.default, list) and shapes.classes_in(field.shape):
        yield "validate_default=True"
    if field.doc.strip():
        yield description(field.doc)


def _union(members: list[Expression]) -> Expression:
    return members[0] if len(members) == 1 else UnionExpression(members)


def _members(shape: Shape) -> Iterator[Expression]:
    """Yield the types whose union is the type of `shape`."""
    match shape:
        case shapes.NamedType(name) | shapes.ClassRef(name):
            yield name
        case shapes.Literals(values):
            yield Brackets("Literal[", [*map(literal, values)], "]")
        case shapes.UnionShape(members):
            for member in members:
                yield from _members(member)
        case shapes.Scalar(kind):
            yield from _SCALARS[kind]
        case shapes.Array(items):
            yield Brackets("list[", [_union(list(_members(items)))], "]")
        case shapes.Map(values):
            yield Brackets("dict[", ["str", _union(list(_members(values)))], "]")
        case shapes.Null():
            yield "None"
        case shapes.Anything():
            yield "Any"
        case _:
            assert_never(shape)
