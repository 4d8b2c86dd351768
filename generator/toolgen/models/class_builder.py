"""JSON Schema to model classes, as the model engine is asked for them.

The result is a flat table of classes. Every value that the author's schema accepts is accepted by its shape,
unchanged; where the engine could not guarantee that, the shape is wider than the schema, which the runtime
enforces in any case. Only types, names, constraints and defaults get through: no prose, no `$ref` of the
author's, no unknown keyword.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from toolgen.models.class_names import NameHint, ancestors, class_names
from toolgen.models.constraints import Defaults, constraints
from toolgen.models.local_references import LocalReferences
from toolgen.models.object_schema import ObjectSchema, object_schema
from toolgen.models.shapes import (
    ANY,
    OBJECT,
    Shape,
    class_name,
    classes_in,
    enumeration,
    names_in,
    nullable,
    renamed,
    union,
    without_constraints,
)
from toolgen.python_source.names import pascal, snake, unique_name

_TAKEN_FIELDS = frozenset({"int", "str", "float", "bool", "list", "dict", "field", "self", *dir(BaseModel)})
"""Names that mean something else inside a model class: types of other fields, pydantic's own attributes."""
_MAX_DEPTH = 60  # nested lists, maps and unions; anything deeper is of type Any
_NARROWNESS = ("$ref", "enum", "anyOf", "type")


@dataclass(frozen=True, slots=True)
class ModelClass:
    """One model class, as the engine is asked for it."""

    shape: Shape  # an object with `properties`, or the type of a root model
    names: Mapping[str, str] = field(default_factory=dict)  # wire name → Python name, in order
    docs: Mapping[str, str] = field(default_factory=dict)  # wire name → description
    doc: str = ""
    ancestors: tuple[str, ...] = field(default=(), compare=False)  # names around it, nearest first

    @property
    def base(self) -> str:
        """Return the shared class of which this is only another name; empty if there is none."""
        return class_name(self.shape["allOf"][0]) if "allOf" in self.shape else ""


@dataclass(frozen=True, slots=True)
class SharedClass:
    """A class of a shared file, or a type that has a name there, as other modules see it."""

    key: str  # in shapes: "purchasing.Money"; no class of a module has such a name
    module: str  # in `models/shared/`
    name: str
    doc: str
    type: Shape | None = None  # None: a class

    def as_shape(self) -> Shape:
        """Return what fields refer to it with."""
        return {"$ref": f"#/$defs/{self.key}"} if self.type is None else {**self.type, "name": self.key}


NO_CLASSES: Mapping[str, SharedClass] = MappingProxyType({})
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnnamedClasses:
    """The classes of one schema by keys, which their shapes refer to, and what they want to be called."""

    classes: Mapping[str, ModelClass]
    types: Mapping[str, ModelClass]  # of definitions without a class, each after those that it refers to
    hints: Mapping[str, NameHint]  # of those that have no name yet
    names: Mapping[str, str]  # of the others
    definitions: Mapping[str, str]  # pointer of a definition → key of its class or type
    shared: frozenset[str]  # keys of the shared classes and types that they refer to

    def choose_names(self, reserved: Iterable[str]) -> dict[str, str]:
        """Return the names of the classes by their keys; no new one is in `reserved`."""
        return {**self.names, **class_names(self.hints, reserved)}

    def named_types(self, names: Mapping[str, str]) -> dict[str, ModelClass]:
        """Return the types by their `names`."""
        return {
            names[key]: replace(made, shape=renamed(made.shape, names)) for key, made in self.types.items()
        }

    def named(self, names: Mapping[str, str]) -> dict[str, ModelClass]:
        """Return the classes by their `names`."""
        return {
            names[key]: replace(
                made,
                shape=renamed(made.shape, names),
                ancestors=ancestors(key, self.hints) if key in self.hints else (),
            )
            for key, made in self.classes.items()
        }


def root_classes(
    schema: Mapping[str, Any],
    root: str,
    *,
    defaults: bool,
    shared: Mapping[str, SharedClass] = NO_CLASSES,
) -> UnnamedClasses:
    """Return the classes of a schema, that of the name `root` first: a root model if values are no objects.

    `shared` has the classes of other modules, by the pointers to their definitions in `schema`.
    """
    builder = _ClassBuilder(LocalReferences(schema), shared, defaults=defaults)
    return builder.of_root(root)


def definition_classes(
    schema: Mapping[str, Any], hints: Mapping[str, NameHint], shared: Mapping[str, SharedClass] = NO_CLASSES
) -> UnnamedClasses:
    """Return the classes of the definitions of a schema that have a hint, by their pointers."""
    return _ClassBuilder(LocalReferences(schema), shared, defaults=True).of_definitions(hints)


def reachable(classes: Mapping[str, ModelClass], roots: Iterable[str]) -> set[str]:
    """Return the names of the classes that `roots` are or lead to."""
    used: set[str] = set()
    waiting = [*roots]
    while waiting:
        name = waiting.pop()
        if name not in used and name in classes:
            used.add(name)
            waiting += classes_in(classes[name].shape)
    return used


def as_class(shape: Shape) -> Shape:
    """Return the shape of a class of its own: that of any object keeps every key."""
    return {**OBJECT, "properties": {}, "additionalProperties": True} if shape == OBJECT else shape


def extension(base: SharedClass, doc: str) -> ModelClass:
    """Return a class that adds nothing to `base` but a name."""
    return ModelClass(
        {"type": "object", "properties": {}, "allOf": [{"$ref": f"#/$defs/{base.key}"}]}, doc=doc
    )


class _ClassBuilder:
    """Classes under construction. They wait in a queue, so that deep nesting needs no deep stack."""

    def __init__(self, refs: LocalReferences, shared: Mapping[str, SharedClass], *, defaults: bool) -> None:
        self.refs = refs
        self.shared = shared
        self.defaults = Defaults(refs.root) if defaults else None
        self.classes: dict[str, ModelClass] = {}
        self.queue: deque[tuple[str, ObjectSchema]] = deque()
        self.hints: dict[str, NameHint] = {}  # of the classes that have no name yet, by their keys
        self.equal: dict[str, str] = {}  # name and content of a class → its key
        self.named = {  # pointer of a definition → key of its class
            pointer: each.key for pointer, each in shared.items() if each.type is None
        }
        self.own_types: Mapping[str, NameHint] = {}  # by pointers: of definitions that get a name as types
        self.types: dict[str, ModelClass] = {}  # by keys
        self.type_keys: dict[str, str] = {}  # by pointers
        self.depth = 0
        self.inlined: dict[str, Shape] = {}  # definitions without a class; Any while under construction

    def of_root(self, root: str) -> UnnamedClasses:
        schema = self.refs.root
        found = object_schema(schema, self.refs)
        base = self.shared_class(schema)
        if base is not None and base.type is None and found is not None and not found.nullable:
            self.classes[root] = extension(base, doc=_text(schema, "description"))
        elif found is not None and found.values is None and not found.nullable:
            self.named["#"] = root
            self.queue.append((root, found))
        else:
            shape = self.shape(schema, NameHint(root, root))
            self.classes[root] = ModelClass(as_class(shape), doc=_text(schema, "description"))
        self.describe_waiting()
        return self.result([root], {root: root})

    def of_definitions(self, hints: Mapping[str, NameHint]) -> UnnamedClasses:
        for pointer, hint in hints.items():
            target = self.refs.follow(pointer)[1]
            found = None if target is None else object_schema(target, self.refs)
            if target is not None and found is not None and found.properties:
                self.named[pointer] = self.claim(hint.titled(target, hint.name), found)
        definitions = {pointer: self.named[pointer] for pointer in hints if pointer in self.named}
        self.own_types = {pointer: hint for pointer, hint in hints.items() if pointer not in definitions}
        for pointer, hint in self.own_types.items():
            self.reference(pointer, hint)
        self.describe_waiting()
        return self.result([*definitions.values()], {}, {**definitions, **self.type_keys})

    def describe_waiting(self) -> None:
        while self.queue:
            key, waiting = self.queue.popleft()
            self.classes[key] = self.describe(key, waiting)

    def result(
        self, roots: Iterable[str], names: Mapping[str, str], definitions: Mapping[str, str] = _NO_NAMES
    ) -> UnnamedClasses:
        """Return the classes that `roots` lead to."""
        used = reachable(self.classes, roots)
        classes = {
            key: replace(made, docs=self.without_repetition(made))
            for key, made in self.classes.items()
            if key in used
        }
        made = [*classes.values(), *self.types.values()]
        others = {name for each in made for name in names_in(each.shape)} - classes.keys() - self.types.keys()
        hints = {key: hint for key, hint in self.hints.items() if key in used or key in self.types}
        return UnnamedClasses(classes, self.types, hints, names, definitions, frozenset(others))

    def without_repetition(self, made: ModelClass) -> dict[str, str]:
        """Return the descriptions of fields, without those that the field's class has already."""
        own: dict[str, str] = {}
        for wire, text in made.docs.items():
            mentioned = classes_in(made.shape["properties"][wire])
            if text not in [self.doc_of(name) for name in mentioned]:
                own[wire] = text
        return own

    def doc_of(self, key: str) -> str:
        if key in self.classes:
            return self.classes[key].doc
        return next(each.doc for each in self.shared.values() if each.key == key)

    def describe(self, key: str, found: ObjectSchema) -> ModelClass:
        names: dict[str, str] = {}
        used: set[str] = set()
        numbers: dict[str, int] = {}
        docs: dict[str, str] = {}
        properties: dict[str, Shape] = {}
        for wire, schema in found.properties.items():
            names[wire] = unique_name(_field_name(wire), used, numbers)
            used.add(names[wire])
            shape = self.shape(schema, NameHint(pascal(wire, "Field"), key))
            shape = ANY if shape == {"type": "null"} else shape  # a field of type None is less readable
            if self.defaults is not None and wire not in found.required:
                shape = self.defaults.attach(shape, schema)
            properties[wire] = shape
            if text := self.description(schema):
                docs[wire] = text
        shape = {"type": "object", "properties": properties, "additionalProperties": not found.closed}
        if required := [wire for wire in properties if wire in found.required]:
            shape["required"] = required
        return ModelClass(shape, names, docs, found.description)

    def shape(self, schema: object, hint: NameHint) -> Shape:
        """Return the shape of a schema; `hint` names a class, if one is needed."""
        if not isinstance(schema, Mapping) or self.depth >= _MAX_DEPTH:
            return ANY
        self.depth += 1
        shape = self.shape_of(schema, hint)
        self.depth -= 1
        return shape

    def shape_of(self, schema: Mapping[str, Any], hint: NameHint) -> Shape:
        """Return the shape of a schema that is not too deep."""
        if (shared := self.shared_class(schema)) is not None:
            found = object_schema(schema, self.refs) if shared.type is None else None
            return nullable(shared.as_shape(), found is not None and found.nullable)
        if (ref := self.refs.only_reference(schema)) is not None:
            return self.reference(ref, hint)
        if "$ref" not in schema and "allOf" not in schema:
            return self.single(schema, hint)
        merged = object_schema(schema, self.refs)
        if merged is not None:
            return self.record(merged, hint.titled(schema))
        shapes = [self.shape(part, hint) for part in self.refs.conjuncts(schema)]
        return max(shapes, key=_narrowness)  # each accepts what they all accept

    def shared_class(self, schema: Mapping[str, Any]) -> SharedClass | None:
        """Return the shared class of a schema that is a reference to it, whatever annotations it has."""
        if schema.get("type") == "object":  # says nothing that the class does not say
            schema = {key: value for key, value in schema.items() if key != "type"}
        ref = self.refs.only_reference(schema) if self.shared else None
        return None if ref is None else self.shared.get(ref)

    def reference(self, ref: str, hint: NameHint) -> Shape:
        pointer, target = self.refs.follow(ref)
        if target is None:
            return ANY
        found = object_schema(target, self.refs)
        if pointer in self.named:
            return nullable({"$ref": f"#/$defs/{self.named[pointer]}"}, found is not None and found.nullable)
        if found is not None and found.properties:
            self.named[pointer] = self.claim(hint.titled(target, self.refs.name(pointer)), found)
            return nullable({"$ref": f"#/$defs/{self.named[pointer]}"}, found.nullable)
        if pointer not in self.inlined:  # once: a class inside may refer back to it
            self.inlined[pointer] = ANY
            shape = self.shape(target, hint.titled({}, self.refs.name(pointer)))
            self.inlined[pointer] = self.named_type(pointer, shape, _text(target, "description"))
        return self.inlined[pointer]

    def named_type(self, pointer: str, shape: Shape, doc: str) -> Shape:
        """Return the shape of a definition without a class, with a name if it gets one."""
        if pointer not in self.own_types or shape in (ANY, {"type": "null"}) or classes_in(shape):
            return shape
        key = self.type_keys[pointer] = f"type {len(self.types)}"
        self.types[key] = ModelClass(shape, doc=doc)
        self.hints[key] = self.own_types[pointer]
        return {**shape, "name": key}

    def single(self, schema: Mapping[str, Any], hint: NameHint) -> Shape:
        """One schema without references."""
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return enumeration(values if isinstance(values, list) else [])
        kinds = schema.get("type")
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches and not schema.get("properties"):
                inherited = {} if kinds is None else {"type": kinds}
                hints = hint.of_branches(branches)
                return union(
                    [self.branch(b, inherited, each) for b, each in zip(branches, hints, strict=True)]
                )
        kinds = kinds if isinstance(kinds, list) else [kinds]
        kinds = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
        return union([self.kind(kind, schema, hint) for kind in kinds])

    def branch(self, branch: object, inherited: Mapping[str, Any], hint: NameHint) -> Shape:
        if isinstance(branch, Mapping) and "$ref" not in branch and "type" not in branch:
            branch = {**inherited, **branch}
        return self.shape(branch, hint)

    def kind(self, kind: object, schema: Mapping[str, Any], hint: NameHint) -> Shape:
        match kind:
            case "null" | "boolean":
                return {"type": kind}
            case "string" | "integer":
                return {"type": kind, **constraints(kind, schema)}
            case "number":
                return {"type": ["integer", "number"], **constraints(kind, schema)}
            case "array":
                items = schema.get("items", True) if "prefixItems" not in schema else True
                item_hint = hint if isinstance(items, bool) else hint.of_item()
                return {
                    "type": "array",
                    "items": without_constraints(self.shape(items, item_hint)),
                    **constraints(kind, schema),
                }
            case "object":
                found = object_schema({**schema, "type": "object"}, self.refs)
                return self.record(found, hint.titled(schema)) if found is not None else OBJECT
        return ANY

    def record(self, found: ObjectSchema, hint: NameHint) -> Shape:
        if found.properties:
            return nullable({"$ref": f"#/$defs/{self.claim(hint, found)}"}, found.nullable)
        values = (
            without_constraints(self.shape(found.values, hint.of_item())) if found.values is not None else ANY
        )
        shape = OBJECT if values == ANY else {"type": "object", "additionalProperties": values}
        return nullable(shape, found.nullable)

    def claim(self, hint: NameHint, found: ObjectSchema) -> str:
        """Return the key of the class for `found`, which is that of an equal one of the same name."""
        content = [hint.name, list(found.properties.items()), sorted(found.required), found.closed]
        equal = json.dumps([*content, found.description])
        if equal not in self.equal:
            key = self.equal[equal] = f"{len(self.equal)}"
            self.hints[key] = hint
            self.queue.append((key, found))
        return self.equal[equal]

    def description(self, schema: object) -> str:
        if not isinstance(schema, Mapping):
            return ""
        if text := _text(schema, "description"):
            return text
        ref = self.refs.only_reference(schema)
        if ref in self.shared or ref in self.named or ref in self.type_keys:
            return ""
        target = None if ref is None else self.refs.follow(ref)[1]
        return "" if target is None else _text(target, "description")


def _field_name(wire: str) -> str:
    name = snake(wire, "field")
    if name.startswith(("model_dump", "model_validate")):  # pydantic warns of such fields
        return f"field_{name}"
    return f"{name}_" if name in _TAKEN_FIELDS else name


def _narrowness(shape: Shape) -> int:
    return 0 if shape in (ANY, OBJECT) else next(4 - n for n, key in enumerate(_NARROWNESS) if key in shape)


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""
