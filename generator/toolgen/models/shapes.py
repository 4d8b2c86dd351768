"""Shapes: types of model fields in a narrow subset of JSON Schema; and unions of them that convert no value.

Pydantic accepts `"1"` as an `int` and `1.0` as a `bool` where no member of a union fits better. A union is
therefore formed only where each value has a member of exactly its own type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Shape = dict[str, Any]
"""A schema in the subset that the engine prints faithfully: `type`, `enum`, `anyOf`, `items`, `$ref`…

A type that has a name, that of a definition without a class, has it as `name` beside these.
"""

ANY: Shape = {}
OBJECT: Shape = {"type": "object"}
ARRAY: Shape = {"type": "array", "items": {}}
_SCALARS = ("string", "boolean", "integer", "number")
_INNER = ("allOf", "anyOf", "items", "additionalProperties")
_HOLDING = frozenset(("properties", *_INNER))
_NAMED = _HOLDING | {"$ref", "name"}
_TYPE_KEYS = ("type", "items", "additionalProperties")


def enumeration(values: list[Any]) -> Shape:
    """Return a literal type for strings, integers and null; the types of the values for anything else."""
    if not values:
        return ANY
    strings = [v for v in values if isinstance(v, str)]
    integers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    parts: list[Shape] = []
    if any(isinstance(v, bool) for v in values):
        parts.append({"type": "boolean"})
    if any(isinstance(v, float) for v in values) or (parts and integers) or any(map(_is_big, integers)):
        parts.append({"type": ["integer", "number"]})
        integers = []
    if any(isinstance(v, dict) for v in values):
        parts.append(OBJECT)
    if any(isinstance(v, list) for v in values):
        parts.append(ARRAY)
    if strings or integers:
        kinds = (str, int) if integers else (str,)
        literals = [v for v in values if isinstance(v, kinds) and not isinstance(v, bool)]
        parts.insert(0, {"enum": list(dict.fromkeys(literals))})
    if None in values:
        parts.append({"type": "null"})
    return union(parts)


def _is_big(value: int) -> bool:
    return not -(2**63) <= value < 2**63  # pydantic refuses larger literals


def union(parts: list[Shape]) -> Shape:
    """Return one shape that accepts what any of `parts` accepts."""
    if len(parts) == 1:
        return parts[0]
    if ANY in parts or not parts:
        return ANY
    parts = _unique(parts)
    null = {"type": "null"}
    rest = [part for part in parts if part != null]
    if len(rest) <= 1:
        return nullable(rest[0], null in parts) if rest else null
    atoms = _unique([atom for part in rest for atom in _atoms(part)])
    members = [*_literals_and_scalars(atoms), *_containers(atoms)]
    only = members[0] if len(members) == 1 else {"anyOf": members}
    if all("type" in member and _is_scalar(member) for member in members):
        only = {"type": [member["type"] for member in members]}
    return nullable(only, null in parts or null in atoms)


def nullable(shape: Shape, null: bool) -> Shape:
    """Return the shape, extended by null if `null`."""
    if not null or shape == ANY:
        return shape
    if "name" in shape:
        unnamed = without_name(shape)
        return shape if nullable(unnamed, null) == unnamed else {"anyOf": [shape, {"type": "null"}]}
    if "enum" in shape:
        return shape if None in shape["enum"] else {**shape, "enum": [*shape["enum"], None]}
    if "type" in shape:
        kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
        return shape if "null" in kinds else {**shape, "type": [*kinds, "null"]}
    members = shape.get("anyOf", [shape])
    return shape if {"type": "null"} in members else {"anyOf": [*members, {"type": "null"}]}


def without_constraints(shape: Shape) -> Shape:
    """Return the shape without constraints: inside a list or a union the engine would make each a class."""
    if shape.get("type") == "null":
        return ANY
    if "name" in shape:
        return shape
    if "type" in shape:
        return {key: shape[key] for key in _TYPE_KEYS if key in shape}
    return shape


def classes_in(shape: Shape) -> list[str]:
    """Return the names of the classes that a shape refers to."""
    return [class_name(part) for part in _named_parts(shape) if "$ref" in part]


def names_in(shape: Shape) -> list[str]:
    """Return the names of the classes and types that a shape refers to."""
    return [class_name(part) if "$ref" in part else part["name"] for part in _named_parts(shape)]


def _named_parts(shape: Shape) -> list[Shape]:
    """Return the parts of a shape that are classes, or types with a name, in their order."""
    found: list[Shape] = []
    waiting: list[Any] = [shape]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += reversed(part)
        elif not isinstance(part, dict):
            continue
        elif "$ref" in part or "name" in part:
            found.append(part)
        elif not _HOLDING.isdisjoint(part):
            waiting += reversed(part.get("properties", {}).values())
            waiting += [part[key] for key in reversed(_INNER) if key in part]
    return found


def without_name(shape: Shape) -> Shape:
    """Return the shape of a named type, written out."""
    return {key: value for key, value in shape.items() if key != "name"}


def written_out(shape: Any, *, is_field: bool = True) -> Any:
    """Return a shape, or a list of shapes, with named types written out as the engine can print them."""
    if isinstance(shape, list):
        return [written_out(item, is_field=False) for item in shape]
    if not isinstance(shape, dict):
        return shape
    if "name" in shape:
        return without_name(shape) if is_field else without_constraints(without_name(shape))
    match shape.get("anyOf"):
        case [{"name": _} as named, {"type": "null"}]:
            rest = {key: value for key, value in shape.items() if key != "anyOf"}
            return {**nullable(written_out(named, is_field=is_field), null=True), **rest}
    inner = {key: written_out(shape[key], is_field=False) for key in _INNER if key in shape}
    if "properties" in shape:
        inner["properties"] = {wire: written_out(each) for wire, each in shape["properties"].items()}
    return {**shape, **inner}


def class_name(shape: Shape) -> str:
    """Return the name of the class that a reference refers to."""
    return str(shape["$ref"]).removeprefix("#/$defs/")


def renamed(shape: Any, names: Mapping[str, str]) -> Any:
    """Return a shape, or a list of shapes, with the classes in `names` renamed; itself if it has none."""
    if isinstance(shape, list):
        return [renamed(item, names) for item in shape]
    if not isinstance(shape, dict) or _NAMED.isdisjoint(shape):
        return shape
    inner = {key: renamed(shape[key], names) for key in _INNER if key in shape}
    if "$ref" in shape:
        inner["$ref"] = f"#/$defs/{names.get(class_name(shape), class_name(shape))}"
    if "name" in shape:
        inner["name"] = names.get(shape["name"], shape["name"])
    if "properties" in shape:
        inner["properties"] = {wire: renamed(each, names) for wire, each in shape["properties"].items()}
    return {**shape, **inner}


def _atoms(shape: Shape) -> Iterator[Shape]:
    if "anyOf" in shape:
        for member in shape["anyOf"]:
            yield from _atoms(member)
    elif "enum" in shape:
        yield {"enum": [value for value in shape["enum"] if value is not None]}
        if None in shape["enum"]:
            yield {"type": "null"}
    elif isinstance(shape.get("type"), list):
        for kind in shape["type"]:
            keys = ("items",) if kind == "array" else ("additionalProperties",) if kind == "object" else ()
            yield {"type": kind, **{key: shape[key] for key in keys if key in shape}}
    else:
        yield {key: value for key, value in shape.items() if key in (*_TYPE_KEYS, "$ref")}


def _literals_and_scalars(atoms: list[Shape]) -> list[Shape]:
    kinds = {atom["type"] for atom in atoms if "type" in atom and _is_scalar(atom)}
    values = [value for atom in atoms for value in atom.get("enum", ())]
    if "boolean" in kinds and ("integer" in kinds or any(isinstance(value, int) for value in values)):
        kinds |= {"integer", "number"}  # or 1.0 would become True
    if "number" in kinds:
        kinds.add("integer")  # or big integers would lose digits
    covered = tuple(python for kind, python in (("string", str), ("integer", int)) if kind in kinds)
    values = [value for value in dict.fromkeys(values) if not isinstance(value, covered)]
    literals: list[Shape] = [{"enum": values}] if values else []
    return [*literals, *({"type": kind} for kind in _SCALARS if kind in kinds)]


def _containers(atoms: list[Shape]) -> list[Shape]:
    arrays = [atom for atom in atoms if atom.get("type") == "array"]
    maps = [atom for atom in atoms if atom.get("type") == "object"]
    classes = [atom for atom in atoms if "$ref" in atom]
    if len(arrays) > 1:
        arrays = [ARRAY]
    objects = [OBJECT] if maps and len(maps) + len(classes) > 1 else [*maps, *classes]
    return [*arrays, *objects]


def _is_scalar(shape: Shape) -> bool:
    return shape["type"] in _SCALARS


def _unique(shapes: list[Shape]) -> list[Shape]:
    first: dict[Any, Shape] = {}
    for shape in shapes:
        first.setdefault(_frozen(shape), shape)
    return list(first.values())


def _frozen(value: Any) -> Any:
    """Return a hashable that equals that of another value exactly where the values are equal."""
    if isinstance(value, dict):
        return frozenset((key, _frozen(inner)) for key, inner in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
