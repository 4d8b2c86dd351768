"""Names of model classes and their fields.

A class is called by a title, the name of a definition, the constant of a tag, or the property's name.

Classes that want one name are told apart by the class that refers to them. A name depends neither on the
order of properties nor on parts of a schema that want other names, and nothing is cut.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from toolgen.language.identifiers import pascal, singular, snake, unique_name
from toolgen.schema.document import as_mapping

_GENERAL = frozenset(
    {"BaseModel", "ConfigDict", "Field", "OpenModel", "RootModel"}
    | {"Annotated", "Any", "Literal", "TypeAlias", *dir(builtins)}
)
"""Names that mean something else in a module of models."""
_TAKEN_FIELDS = frozenset(
    {"int", "str", "float", "bool", "list", "dict", "field", "self", *dir(BaseModel), *dir(type(BaseModel))}
)
"""Names that mean something else inside a model class: types of other fields, pydantic's own attributes.

Attributes of the metaclass, `register` for one, are found in a class, too: pydantic warns of such fields.
"""
_TITLE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+){0,3}")
_MAX_TITLE = 40  # characters; longer titles are sentences


@dataclass(frozen=True, slots=True)
class NameHint:
    """The name that a schema suggests for its class, and the class that refers to it."""

    name: str
    parent: str  # key of the class; a name that has no hint, around the outermost classes
    is_explicit: bool = False  # the author named the class, not a property
    depth: int = 0  # lists, maps, unions and references between the field and the place of the hint

    def titled(self, schema: Mapping[str, Any], definition: str = "") -> NameHint:
        """Return the hint with the schema's title, or else the name of its definition, if it has one."""
        title = schema.get("title")
        if isinstance(title, str) and len(title) <= _MAX_TITLE and _TITLE.fullmatch(title):
            return replace(self, name=pascal(title, "Model"), is_explicit=True)
        if definition:
            return replace(self, name=pascal(definition, "Model"), is_explicit=True)
        return self

    def of_item(self) -> NameHint:
        """Return the hint for one of several values."""
        return replace(self, name=singular(self.name), depth=self.depth + 1)

    def deeper(self) -> NameHint:
        """Return the hint for another schema of the same name at the same place."""
        return replace(self, depth=self.depth + 1)

    def of_branches(self, branches: Sequence[object]) -> list[NameHint]:
        """Return hints for the branches of a union: its own for a single object, or a tag, or a number."""
        objects = [branch for branch in branches if isinstance(branch, Mapping) and _is_object(branch)]
        if len(objects) < 2:
            return [self.deeper()] * len(branches)
        tags = _tags(objects)
        names = (tags.get(id(branch)) or f"{self.name}Option{n}" for n, branch in enumerate(branches, 1))
        return [replace(self, name=name, depth=self.depth + 1) for name in names]


def class_names(hints: Mapping[str, NameHint], reserved: Iterable[str]) -> dict[str, str]:
    """Return the name of each class by its key.

    A name belongs to the only class that wants it, or to the only one that the author named so. All others
    have the name of the class that refers to them before their own, and of the one before that, if needed.
    """
    names: dict[str, str] = {}
    taken = {*reserved, *_GENERAL}
    waiting = {key: [hint.name, *ancestors(key, hints)] for key, hint in hints.items()}
    length = 1
    while waiting:
        wanted: dict[str, list[str]] = {}
        for key, words in waiting.items():
            wanted.setdefault("".join(reversed(words[:length])), []).append(key)
        occupied, numbers = {*taken, *wanted}, dict[str, int]()
        for name, keys in wanted.items():
            owner = _owner(keys, hints, explicit_first=length == 1)
            if owner is not None and name not in taken:
                names[owner] = name
            for key in keys:
                if key not in names and length == len(waiting[key]):
                    names[key] = unique_name(name, occupied, numbers)
                    occupied.add(names[key])
        taken.update(names.values())
        waiting = {key: words for key, words in waiting.items() if key not in names}
        length += 1
    return names


def _owner(keys: Sequence[str], hints: Mapping[str, NameHint], *, explicit_first: bool) -> str | None:
    """Return the class that gets the name that all of `keys` want; None if it would be a choice."""
    explicit = [key for key in keys if explicit_first and hints[key].is_explicit]
    # of several classes, only one that its author named may take the name from the others
    owners = explicit if len(keys) > 1 else keys
    return owners[0] if len(owners) == 1 else None


def ancestors(key: str, hints: Mapping[str, NameHint]) -> tuple[str, ...]:
    """Return the names that the classes around a class want, the nearest first; the last has no hint."""
    found: list[str] = []
    parent = hints[key].parent
    while parent in hints:
        found.append(hints[parent].name)
        parent = hints[parent].parent
    return (*found, parent)


def longer_name(name: str, around: Sequence[str], taken: Container[str]) -> str:
    """Return `name` after as many names of the classes around it as it takes to be free; else numbered."""
    for ancestor in around:
        name = f"{ancestor}{name}"
        if name not in taken:
            return name
    return unique_name(name, taken)


def _is_object(branch: Mapping[str, Any]) -> bool:
    return "$ref" not in branch and ("properties" in branch or branch.get("type") == "object")


def _tags(objects: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return names by the `id` of each object: of a property whose constant differs in all of them."""
    for wire in as_mapping(objects[0].get("properties")):
        values = [_constant(as_mapping(each.get("properties")).get(wire)) for each in objects]
        names = [pascal(value, "") for value in values]
        if all(name[:1].isalpha() for name in names) and len(set(names)) == len(names):
            return {id(each): name for each, name in zip(objects, names, strict=True)}
    return {}


def _constant(schema: object) -> str:
    """Return the only string that a schema accepts; empty if there are others."""
    match schema:
        case {"const": str(value)} | {"enum": [str(value)]}:
            return value
    return ""


def field_names(properties: Iterable[str]) -> dict[str, str]:
    """Return the Python name of each property, none of which is the JSON name of another one.

    Fields are set by either name: if `X` were `x` beside a property `x`, `Model(x=1)` would set both.
    """
    taken = {*properties}
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for wire in properties:
        name = _field_name(wire)
        names[wire] = name if name == wire else unique_name(name, taken, numbers)
        taken.add(names[wire])
    return names


def _field_name(wire: str) -> str:
    name = snake(wire, "field")
    if name.startswith(("model_dump", "model_validate")):  # pydantic warns of such fields
        return f"field_{name}"
    return f"{name}_" if name in _TAKEN_FIELDS else name
