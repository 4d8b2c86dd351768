"""Types and constraints of model fields in the words of Python and Pydantic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from toolgen.compile.models import shapes
from toolgen.compile.models.shapes import Shape
from toolgen.compile.python_source.literals import literal

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


def type_text(shape: Shape, *, optional: bool = False) -> str:
    """Return the type of a shape without its constraints; None is allowed, too, if it is `optional`."""
    members = list(_members(shape))
    if optional and "None" not in members:
        members.append("None")
    return " | ".join(members)


def with_floats(shape: Shape) -> Shape:
    """Return a shape whose numbers are `float`, which takes an `int`, too: linters want it written so."""
    if isinstance(shape, shapes.Scalar):
        return shapes.ClassRef("float") if shape.kind == "number" else shape
    return shapes.with_inner(shape, with_floats)


def field_constraints(shape: Shape) -> dict[str, Any]:
    """Return the constraints of a shape as arguments of pydantic's `Field`, sorted."""
    part = shapes.constrained(shape)
    if part is None:
        return {}
    of_numbers = isinstance(part, shapes.Scalar) and part.kind == "number"
    found = {_ARGUMENTS[key]: float(value) if of_numbers else value for key, value in part.constraints}
    return dict(sorted(found.items()))


def _members(shape: Shape) -> Iterator[str]:
    """Yield the types whose union is the type of `shape`."""
    match shape:
        case shapes.NamedType(name) | shapes.ClassRef(name):
            yield name
        case shapes.Literals(values):
            yield f"Literal[{', '.join(map(literal, values))}]"
        case shapes.UnionShape(members):
            for member in members:
                yield from _members(member)
        case shapes.Scalar(kind):
            yield from _SCALARS[kind]
        case shapes.Array(items):
            yield f"list[{type_text(items)}]"
        case shapes.Map(values):
            yield f"dict[str, {type_text(values)}]"
        case shapes.Null():
            yield "None"
        case shapes.Anything():
            yield "Any"
        case _:
            assert_never(shape)
