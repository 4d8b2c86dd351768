"""Names of generated Python code that callers import: classes of models, their fields, and the fields' types.

Two versions of a class are at the same place: fields of the same wire names lead to both from the request,
the response or the chunk. So a class is the same one under another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from toolgen.changes.finding import Cause, Places
from toolgen.language.source import Source, Span
from toolgen.schema.document import JsonPath

# Values are no names: `Literal["Address"]` says nothing about a class.
_LITERAL = re.compile(r"Literal\[(?:[^\[\]\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*\]")
_NAME = re.compile(r"[A-Za-z_]\w*")


Place = tuple[str | int, ...]
"""The schema of the contract; then, of each field on the way, its wire name, and which class of how many."""


@dataclass(frozen=True, slots=True)
class PythonField:
    """A field of a class."""

    name: str
    type: str  # without constraints: "list[Item] | None"


@dataclass(frozen=True, slots=True)
class PythonClass:
    """A class of a module of models."""

    module: str  # below `models`: "create_order", "shared.purchasing"
    name: str

    @property
    def key(self) -> str:
        """Return the name with the module."""
        return f"{self.module}.{self.name}"

    @property
    def key_if_shared(self) -> str:
        """Return the key of a class of a shared file; empty for one of a tool."""
        return self.key if self.module.startswith("shared.") else ""


@dataclass(frozen=True, slots=True)
class SharedName:
    """A class or a named type of a shared file."""

    schema: str  # as JSON
    source: Source
    definition: str  # its name in `$defs`

    @property
    def place(self) -> Span:
        """Return where it is written."""
        return self.source.nearest_key(("$defs", self.definition))


@dataclass(frozen=True, slots=True)
class PythonNames:
    """The classes of a tool's models."""

    classes: Mapping[Place, PythonClass]  # each at the first place that leads to it
    fields: Mapping[Place, PythonField]  # by the place of the class and their wire names
    imports: frozenset[str]  # names in the tool's own module: its classes, and those that it imports
    shared: Mapping[str, SharedName] = field(default_factory=dict)  # of all files: "shared.shop.Sku" → it
    uses: frozenset[str] = frozenset()  # keys of those that the tool uses, or no tool


class NameChangeKind(StrEnum):
    """The changes for Python code that imports generated names."""

    CLASS = "class"
    FIELD = "field"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class NameChange:
    """A class or a field that has another name, or a field that has another type."""

    kind: NameChangeKind
    schema: str  # of the contract, from which the class was found
    path: JsonPath  # from the schema to the property, as far as it is one of the root
    before: str  # "Address", "Address.zip_code", "Address.zip_code: str"
    now: str  # empty: it was removed
    shared: str = ""  # the class, if it is one of a shared file, in which each tool finds the change
    places: Places | None = None  # in shared files; None: in the specs of the tool

    @property
    def message(self) -> str:
        """Return the change in words."""
        if self.kind is NameChangeKind.TYPE:
            (place, _, old), (field, _, new) = self.before.partition(": "), self.now.partition(": ")
            new = new if field == place else self.now
            return f"field {place} changed from {old} to {new}"
        noun = "class" if self.kind is NameChangeKind.CLASS else "field"
        what = f"was renamed to {self.now}" if self.now else "was removed"
        return f"{noun} {self.before} {what}"

    @property
    def cause(self) -> Cause | None:
        """Return the change as one for all tools."""
        module, _, name = self.shared.rpartition(".")
        return Cause(f"models/{module.replace('.', '/')}.py#/{name}", self.message) if self.shared else None


def find_name_changes(old: PythonNames | None, new: PythonNames | None) -> Iterator[NameChange]:
    """Yield what code that imports the classes of `old` does not find in `new`. Each change comes once."""
    if old is None or new is None:
        return
    renamed = {
        before.name: now.name
        for place, before in old.classes.items()
        if (now := new.classes.get(place)) and before.key not in new.shared
    }
    yield from _lost_classes(old, new)
    yield from _lost_shared_names(old, new)
    for place, one in old.fields.items():
        if (other := new.fields.get(place)) is None:
            continue
        before, now = old.classes[place[:-1]], new.classes[place[:-1]]
        own, own_now = f"{before.name}.{one.name}", f"{now.name}.{other.name}"
        schema, path = str(place[0]), _path_of(place)
        shared = (before.key_if_shared, _places(old, new, before.key, now.key))
        if one.name != other.name:
            yield NameChange(NameChangeKind.FIELD, schema, path, own, own_now, *shared)
        if _plain(one.type, renamed) != _plain(other.type, {}):
            types = (f"{own}: {one.type}", f"{own_now}: {other.type}")
            yield NameChange(NameChangeKind.TYPE, schema, path, *types, *shared)


def _path_of(place: Place) -> JsonPath:
    """Return the path from the schema to the property of its root that leads to a place."""
    return ("properties", place[1]) if len(place) > 1 and place[1] else ()


def _lost_classes(old: PythonNames, new: PythonNames) -> Iterator[NameChange]:
    """Yield the classes of a tool's own module that can no longer be imported by their names."""
    for place, before in old.classes.items():
        if before.key_if_shared or before.name in new.imports:
            continue
        now = new.classes.get(place)
        schema, path = (str(place[0]), _path_of(place)) if now else (str(next(iter(old.classes))[0]), ())
        if now is None or now.name != before.name:
            yield NameChange(NameChangeKind.CLASS, schema, path, before.key, now.key if now else "")


def _lost_shared_names(old: PythonNames, new: PythonNames) -> Iterator[NameChange]:
    """Yield the classes and named types of shared files that can no longer be imported."""
    added = {each.schema: key for key, each in new.shared.items() if key not in old.shared}
    for key, shared in old.shared.items():
        if key in old.uses and key not in new.shared:
            # Its new name is that of an equal schema, or the same one in another file.
            name = key.rpartition(".")[2]
            moved = next((each for each in new.shared if each.rpartition(".")[2] == name), "")
            now = added.get(shared.schema, moved if moved not in old.shared else "")
            schema, places = str(next(iter(old.classes))[0]), _places(old, new, key, now)
            yield NameChange(NameChangeKind.CLASS, schema, (), key, now, key, places)


def _places(old: PythonNames, new: PythonNames, before: str, now: str) -> Places | None:
    """Return the places of a name of shared files; None if it is none of their definitions."""
    one, other = old.shared.get(before), new.shared.get(now)
    return Places(other.place if other else None, one.place) if one else None


def _plain(type_: str, renamed: Mapping[str, str]) -> str:
    """Return a type for comparing: with today's names of classes, and without the values of enums."""
    return _NAME.sub(lambda found: renamed.get(found[0], found[0]), _LITERAL.sub("Literal", type_))
