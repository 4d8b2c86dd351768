"""Names of generated Python code that callers import: classes of models, their fields, and the fields' types.

Two versions of a class are found by following fields of the same wire name from the request, the response and
the chunk. So a class is the same one under another name.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from toolgen.changes.finding import Cause
from toolgen.schema.document import JsonPath

# Values are no names: `Literal["Address"]` says nothing about a class.
_LITERAL = re.compile(r"Literal\[(?:[^\[\]\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*\]")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class PythonField:
    """A field of a class."""

    name: str
    type: str  # without constraints: "list[Item] | None"
    classes: tuple[str, ...] = ()  # that the type refers to, as keys of `PythonNames.classes`, in order


@dataclass(frozen=True, slots=True)
class PythonClass:
    """A class of a module of models."""

    module: str  # below `models`: "create_order", "shared.purchasing"
    name: str
    fields: Mapping[str, PythonField]  # by wire name, those of the base class included

    @property
    def key(self) -> str:
        """Return the name with the module."""
        return f"{self.module}.{self.name}"

    @property
    def key_if_shared(self) -> str:
        """Return the key of a class of a shared file; empty for one of a tool."""
        return self.key if self.module.startswith("shared.") else ""


@dataclass(frozen=True, slots=True)
class PythonNames:
    """The classes of a tool's models."""

    roots: Mapping[str, str]  # schema of the contract → the key of its class
    classes: Mapping[str, PythonClass]  # by key
    imports: frozenset[str]  # names in the tool's own module: its classes, and those that it imports
    shared: Mapping[str, str] = field(default_factory=dict)  # "shared.shop.Sku" → its schema, of all files
    uses: frozenset[str] = frozenset()  # modules of shared files that the tool uses: "shared.shop"


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
    renamed: dict[str, str] = {}
    pairs = list(_pairs(old, new))
    for pair in pairs:
        before, now = old.classes[pair.old], new.classes[pair.new]
        if before.name != now.name and before.key not in new.shared:
            renamed[before.name] = now.name
        if change := _class_change(pair, old, new):
            yield change
    yield from _lost_classes(pairs, old, new)
    yield from _lost_shared_names(old, new)
    for pair in pairs:
        before, now = old.classes[pair.old], new.classes[pair.new]
        for wire, one in before.fields.items():
            if (other := now.fields.get(wire)) is None:
                continue
            path = pair.path or ("properties", wire)
            own, own_now = f"{before.name}.{one.name}", f"{now.name}.{other.name}"
            if one.name != other.name:
                yield NameChange(
                    NameChangeKind.FIELD, pair.schema, path, own, own_now, shared=before.key_if_shared
                )
            if _plain(one.type, renamed) != _plain(other.type, {}):
                types = (f"{own}: {one.type}", f"{own_now}: {other.type}")
                yield NameChange(NameChangeKind.TYPE, pair.schema, path, *types, shared=before.key_if_shared)


@dataclass(frozen=True, slots=True)
class _ClassPair:
    """A class of both versions."""

    schema: str
    path: JsonPath
    old: str
    new: str


def _pairs(old: PythonNames, new: PythonNames) -> Iterator[_ClassPair]:
    """Yield each pair of classes once, in the order of fields."""
    waiting = deque(
        _ClassPair(schema, (), key, new.roots[schema])
        for schema, key in old.roots.items()
        if schema in new.roots
    )
    seen: set[tuple[str, str]] = set()
    while waiting:
        pair = waiting.popleft()
        if (pair.old, pair.new) in seen or pair.old not in old.classes or pair.new not in new.classes:
            continue
        seen.add((pair.old, pair.new))
        yield pair
        others = new.classes[pair.new].fields
        for wire, own in old.classes[pair.old].fields.items():
            other = others.get(wire)
            # Types with other numbers of classes have no pairs: `field-type-changed` is about these.
            if other is not None and len(own.classes) == len(other.classes):
                path = pair.path or ("properties", wire)
                waiting += [
                    _ClassPair(pair.schema, path, one, two)
                    for one, two in zip(own.classes, other.classes, strict=True)
                ]


def _class_change(pair: _ClassPair, old: PythonNames, new: PythonNames) -> NameChange | None:
    """Return the change if a class of a tool's own module can no longer be imported by its name."""
    before, now = old.classes[pair.old], new.classes[pair.new]
    if before.key_if_shared or before.name == now.name or before.name in new.imports:
        return None
    return NameChange(
        NameChangeKind.CLASS,
        pair.schema,
        pair.path,
        before.key,
        now.key,
    )


def _lost_classes(pairs: Sequence[_ClassPair], old: PythonNames, new: PythonNames) -> Iterator[NameChange]:
    """Yield the removed classes of a tool's own module to which no field leads."""
    found = {pair.old for pair in pairs}
    for key, before in old.classes.items():
        is_there = key in found or before.name in new.imports
        # It has no place in a schema, so it is shown at the first one.
        if not is_there and not before.key_if_shared:
            yield NameChange(NameChangeKind.CLASS, next(iter(old.roots)), (), before.key, "")


def _lost_shared_names(old: PythonNames, new: PythonNames) -> Iterator[NameChange]:
    """Yield the classes and named types of shared files that can no longer be imported."""
    added = {schema: key for key, schema in new.shared.items() if key not in old.shared}
    for key, schema in old.shared.items():
        module, _, name = key.rpartition(".")
        if module in old.uses and key not in new.shared:
            # Its new name is that of an equal schema, or the same one in another file.
            moved = next((each for each in new.shared if each.rpartition(".")[2] == name), "")
            now = added.get(schema, moved if moved not in old.shared else "")
            yield NameChange(NameChangeKind.CLASS, next(iter(old.roots)), (), key, now, shared=key)


def _plain(type_: str, renamed: Mapping[str, str]) -> str:
    """Return a type for comparing: with today's names of classes, and without the values of enums."""
    return _NAME.sub(lambda found: renamed.get(found[0], found[0]), _LITERAL.sub("Literal", type_))
