"""Shapes: the types of model fields as a closed union of values, and their text in Python.

Pydantic accepts `"1"` as an `int` and `1.0` as a `bool` where no member of a union fits better. A union is
therefore formed only where each value has a member of exactly its own type, so that it converts no value.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from toolgen.compile.python_source.literals import literal

ScalarKind: TypeAlias = Literal["string", "boolean", "integer", "number"]
Constraints: TypeAlias = tuple[tuple[str, Any], ...]
"""Keywords of JSON Schema and their values."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


@dataclass(frozen=True, slots=True)
class Null:
    """Only null."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """Texts, booleans, integers, or numbers: integers and floats, each kept as what it is."""

    kind: ScalarKind
    constraints: Constraints = ()


@dataclass(frozen=True, slots=True)
class Literals:
    """Some texts and integers."""

    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Lists."""

    items: Shape = Anything()
    constraints: Constraints = ()


@dataclass(frozen=True, slots=True)
class Map:
    """Objects with any keys."""

    values: Shape = Anything()


@dataclass(frozen=True, slots=True)
class ClassRef:
    """Objects of a class, by its key or name."""

    name: str


@dataclass(frozen=True, slots=True)
class NamedType:
    """A type that has a name: that of a definition without a class."""

    name: str
    type: Shape


@dataclass(frozen=True, slots=True)
class UnionShape:
    """Values of any member: no union, null as the last; one that is alone with null may have constraints."""

    members: tuple[Shape, ...]


Shape: TypeAlias = Anything | Null | Scalar | Literals | Array | Map | ClassRef | NamedType | UnionShape

ANY = Anything()
NULL = Null()
OBJECT = Map()
LARGE = sys.maxsize + 1  # pydantic refuses larger literals
_KINDS: tuple[ScalarKind, ...] = ("string", "boolean", "integer", "number")


def enumeration(values: Sequence[Any]) -> Shape:
    """Return a literal type for strings, integers and null; the types of the values for anything else."""
    if not values:
        return ANY
    integers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    parts: list[Shape] = []
    if any(isinstance(v, bool) for v in values):
        parts.append(Scalar("boolean"))
    if any(isinstance(v, float) for v in values) or (parts and integers) or any(map(_is_big, integers)):
        parts.append(Scalar("number"))
        integers = []
    if any(isinstance(v, dict) for v in values):
        parts.append(OBJECT)
    if any(isinstance(v, list) for v in values):
        parts.append(Array())
    kinds = (str, int) if integers else (str,)
    if literals := [v for v in values if isinstance(v, kinds) and not isinstance(v, bool)]:
        parts.insert(0, Literals(tuple(dict.fromkeys(literals))))
    if None in values:
        parts.append(NULL)
    return union(parts)


def _is_big(value: int) -> bool:
    return not -LARGE <= value < LARGE


def union(parts: Sequence[Shape]) -> Shape:
    """Return one shape that accepts what any of `parts` accepts."""
    if len(parts) == 1:
        return parts[0]
    if ANY in parts or not parts:
        return ANY
    rest = [part for part in dict.fromkeys(parts) if part != NULL]
    if len(rest) <= 1:  # keeps its constraints and its name
        return nullable(rest[0], NULL in parts) if rest else NULL
    atoms = list(dict.fromkeys(atom for part in rest for atom in _atoms(part)))
    members = (*_literals_and_scalars(atoms), *_containers(atoms))
    only = members[0] if len(members) == 1 else UnionShape(members)
    return nullable(only, NULL in parts or NULL in atoms)


def nullable(shape: Shape, null: bool) -> Shape:
    """Return the shape, extended by null if `null`."""
    match shape:
        case _ if not null or accepts_null(shape):
            return shape
        case UnionShape(members):
            return UnionShape((*members, NULL))
        case _:
            return UnionShape((shape, NULL))


def accepts_null(shape: Shape) -> bool:
    """True if null is a value of the shape."""
    match shape:
        case Anything() | Null():
            return True
        case NamedType(type=inner):
            return accepts_null(inner)
        case UnionShape(members):
            return any(map(accepts_null, members))
        case _:
            return False


def _atoms(shape: Shape) -> Iterator[Shape]:
    """Yield the members of a union, without names and constraints."""
    match shape:
        case UnionShape(members):
            for member in members:
                yield from _atoms(member)
        case NamedType(type=inner):
            yield from _atoms(inner)
        case Null():
            yield shape
        case _:
            yield without_constraints(shape)


def _literals_and_scalars(atoms: Sequence[Shape]) -> list[Shape]:
    kinds = {atom.kind for atom in atoms if isinstance(atom, Scalar)}
    values = [value for atom in atoms if isinstance(atom, Literals) for value in atom.values]
    if "boolean" in kinds and ("integer" in kinds or any(isinstance(value, int) for value in values)):
        kinds.add("number")  # or 1.0 would become True
    if "number" in kinds:
        kinds.discard("integer")  # numbers keep integers, or big ones would lose digits
    covered = (*([str] if "string" in kinds else []), *([int] if kinds & {"integer", "number"} else []))
    values = [value for value in dict.fromkeys(values) if not isinstance(value, covered)]
    literals: list[Shape] = [Literals(tuple(values))] if values else []
    return [*literals, *(Scalar(kind) for kind in _KINDS if kind in kinds)]


def _containers(atoms: Sequence[Shape]) -> list[Shape]:
    arrays: list[Shape] = [atom for atom in atoms if isinstance(atom, Array)]
    maps = [atom for atom in atoms if isinstance(atom, Map)]
    classes = [atom for atom in atoms if isinstance(atom, ClassRef)]
    if len(arrays) > 1:
        arrays = [Array()]
    objects = [OBJECT] if maps and len(maps) + len(classes) > 1 else [*maps, *classes]
    return [*arrays, *objects]


def without_constraints(shape: Shape) -> Shape:
    """Return the shape without constraints: inside a list or a union the engine would make each a class.

    A type of null alone is any: `list[None]` is less readable.
    """
    match shape:
        case Null():
            return ANY
        case Scalar() | Array() if shape.constraints:
            return replace(shape, constraints=())
        case UnionShape((single, Null())):
            return UnionShape((without_constraints(single), NULL))
        case _:
            return shape


def constrained(shape: Shape) -> Scalar | Array | None:
    """Return the part of the shape that may have constraints; a named type has its own."""
    match shape:
        case Scalar() | Array():
            return shape
        case UnionShape((Scalar() | Array() as single, Null())):
            return single
        case _:
            return None


def is_list_of_types(shape: UnionShape) -> bool:
    """True if JSON Schema can state the union as a list of types, which takes fewer words than `anyOf`."""
    rest = [member for member in shape.members if member != NULL]
    return all(isinstance(member, Scalar) for member in rest) or (
        len(rest) == 1 and isinstance(rest[0], Array | Map)
    )


def inner_shapes(shape: Shape) -> tuple[Shape, ...]:
    """Return the shapes that a shape directly consists of."""
    match shape:
        case Scalar() | ClassRef() | Literals() | Anything() | Null():
            return ()
        case Array(items=inner) | Map(values=inner) | NamedType(type=inner):
            return (inner,)
        case UnionShape(members):
            return members
        case _:
            assert_never(shape)


def with_inner(shape: Shape, change: Callable[[Shape], Shape]) -> Shape:
    """Return the shape with each of its `inner_shapes` changed; itself if none is."""
    before = inner_shapes(shape)
    after = tuple(map(change, before))
    if all(map(operator.is_, before, after)):
        return shape
    match shape:
        case Array():
            return replace(shape, items=after[0])
        case Map():
            return Map(after[0])
        case NamedType(name):
            return NamedType(name, after[0])
        case UnionShape():
            return UnionShape(after)
        case Anything() | Null() | Scalar() | Literals() | ClassRef():
            return shape
        case _:
            assert_never(shape)


def named_parts(shape: Shape) -> list[ClassRef | NamedType]:
    """Return the classes and named types that a shape refers to, in their order."""
    match shape:
        case ClassRef() | NamedType():
            return [shape]
        case _:
            return [part for inner in inner_shapes(shape) for part in named_parts(inner)]


def classes_in(shape: Shape) -> list[str]:
    """Return the names of the classes that a shape refers to; named types have none."""
    return [part.name for part in named_parts(shape) if isinstance(part, ClassRef)]


def written_out(shape: Shape, *, is_field: bool = True) -> Shape:
    """Return a shape with named types written out."""
    match shape:
        case NamedType(type=inner):
            plain = written_out(inner)
            return plain if is_field else without_constraints(plain)
        case UnionShape((NamedType() as named, Null())):
            return nullable(written_out(named, is_field=is_field), null=True)
        case _:
            return with_inner(shape, lambda inner: written_out(inner, is_field=False))


def renamed(shape: Shape, names: Mapping[str, str]) -> Shape:
    """Return a shape with the classes and types in `names` renamed."""
    shape = with_inner(shape, lambda inner: renamed(inner, names))
    if isinstance(shape, ClassRef | NamedType) and shape.name in names:
        return replace(shape, name=names[shape.name])
    return shape


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
    if isinstance(shape, Scalar):
        return ClassRef("float") if shape.kind == "number" else shape
    return with_inner(shape, with_floats)


def field_constraints(shape: Shape) -> dict[str, Any]:
    """Return the constraints of a shape as arguments of pydantic's `Field`, sorted."""
    part = constrained(shape)
    if part is None:
        return {}
    of_numbers = isinstance(part, Scalar) and part.kind == "number"
    found = {_ARGUMENTS[key]: float(value) if of_numbers else value for key, value in part.constraints}
    return dict(sorted(found.items()))


def _members(shape: Shape) -> Iterator[str]:
    """Yield the types whose union is the type of `shape`."""
    match shape:
        case NamedType(name) | ClassRef(name):
            yield name
        case Literals(values):
            yield f"Literal[{', '.join(map(literal, values))}]"
        case UnionShape(members):
            for member in members:
                yield from _members(member)
        case Scalar(kind):
            yield from _SCALARS[kind]
        case Array(items):
            yield f"list[{type_text(items)}]"
        case Map(values):
            yield f"dict[str, {type_text(values)}]"
        case Null():
            yield "None"
        case Anything():
            yield "Any"
        case _:
            assert_never(shape)
