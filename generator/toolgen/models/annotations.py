"""Types, constraints and defaults of model fields as Python expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.models.shapes import Shape, class_name, classes_in
from toolgen.python_source.layout import Brackets, Expression, Union
from toolgen.python_source.literals import literal

_SCALARS = {"string": "str", "boolean": "bool", "integer": "int", "number": "float", "null": "None"}
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


def field_annotation(shape: Shape, *, alias: str | None, optional: bool) -> Expression:
    """Return the annotation of a field; None is allowed if the field is `optional` and has no default."""
    members = list(_members(shape))
    if optional and "default" not in shape and "None" not in members:
        members.append("None")
    python = _union(members)
    arguments = list(_arguments(shape, alias))
    return Brackets("Annotated[", (python, Brackets("Field(", arguments, ")")), "]") if arguments else python


def field_default(shape: Shape, *, optional: bool, base: str) -> Expression | None:
    """Return the default of a field in a class with the base class `base`; None if the field is required."""
    if not optional:
        return None
    default = shape.get("default")
    if not isinstance(default, list):
        return literal(default)
    return Brackets("[", [*map(literal, default)], "]") if base == "BaseModel" else default_factory(default)


def default_factory(default: list[Any]) -> Expression:
    """Return a default that makes a new list.

    Models need none, since pydantic copies defaults. But ruff (RUF012) knows that only of pydantic's own base
    classes.
    """
    made = Brackets("default_factory=lambda: [", [*map(literal, default)], "]")
    return Brackets("Field(", [made if default else "default_factory=list"], ")")


def _arguments(shape: Shape, alias: str | None) -> Iterator[str]:
    """Yield the arguments of `Field`, in the order of their names after the alias."""
    if alias is not None:
        yield f"alias={literal(alias)}"
    of_numbers = "number" in shape.get("type", ())
    found = {
        _ARGUMENTS[keyword]: float(value) if of_numbers else value
        for keyword, value in shape.items()
        if keyword in _ARGUMENTS and "name" not in shape  # else the named type has the constraints
    }
    yield from (f"{name}={literal(found[name])}" for name in sorted(found))
    if isinstance(shape.get("default"), list) and classes_in(shape):
        yield "validate_default=True"


def _union(members: list[Expression]) -> Expression:
    return members[0] if len(members) == 1 else Union(members)


def _members(shape: Shape) -> Iterator[Expression]:
    """Yield the types whose union is the type of `shape`."""
    if "name" in shape:
        yield shape["name"]
    elif "$ref" in shape:
        yield class_name(shape)
    elif "enum" in shape:
        yield Brackets("Literal[", [literal(value) for value in shape["enum"] if value is not None], "]")
        if None in shape["enum"]:
            yield "None"
    elif "anyOf" in shape:
        for member in shape["anyOf"]:
            yield from _members(member)
    else:
        kinds: Any = shape.get("type", ["any"])
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            yield _kind(kind, shape)


def _kind(kind: str, shape: Shape) -> Expression:
    match kind:
        case "array":
            return Brackets("list[", [_union(list(_members(shape["items"])))], "]")
        case "object":
            values = shape.get("additionalProperties")
            of_values = _union(list(_members(values))) if isinstance(values, dict) else "Any"
            return Brackets("dict[", ["str", of_values], "]")
        case "any":
            return "Any"
        case _:
            return _SCALARS[kind]
