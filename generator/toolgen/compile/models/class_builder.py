"""JSON Schema to model classes.

The result is a flat table of classes. Every value that the author's schema accepts is accepted by its shape,
unchanged; where Pydantic could not guarantee that, the shape is wider than the schema, which the runtime
enforces in any case. Only types, names, constraints, defaults and descriptions get through: no `$ref` of the
author's, no unknown keyword.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, assert_never

from toolgen.compile.models import shapes
from toolgen.compile.models.class_names import NameHint, ancestors, class_names, field_names
from toolgen.compile.models.constraints import Defaults, constraints
from toolgen.compile.models.model_classes import Extension, ModelClass, ModelField, Record, as_body, reachable
from toolgen.compile.models.object_schema import LocalReferences, ObjectSchema, object_schema
from toolgen.compile.models.shapes import Shape
from toolgen.language.identifiers import pascal
from toolgen.schema.document import SchemaDocument

_MAX_DEPTH = 60  # nested lists, maps and unions; anything deeper is of type Any


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
        return shapes.ClassRef(self.key) if self.type is None else shapes.NamedType(self.key, self.type)


NO_CLASSES: Mapping[str, SharedClass] = MappingProxyType({})
_NO_NAMES: Mapping[str, str] = MappingProxyType({})
_NO_HINTS: Mapping[str, NameHint] = MappingProxyType({})


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
        return {names[key]: made.renamed(names) for key, made in self.types.items()}

    def named(self, names: Mapping[str, str]) -> dict[str, ModelClass]:
        """Return the classes by their `names`."""
        return {
            names[key]: replace(
                made.renamed(names), ancestors=ancestors(key, self.hints) if key in self.hints else ()
            )
            for key, made in self.classes.items()
        }


def root_classes(
    document: SchemaDocument,
    root: str,
    *,
    defaults: bool,
    shared: Mapping[str, SharedClass] = NO_CLASSES,
) -> UnnamedClasses:
    """Return the classes of a schema, that of the name `root` first: a root model if values are no objects.

    `shared` has the classes of other modules, by the pointers to their definitions in the schema.
    """
    builder = _ClassBuilder(document, shared, defaults=defaults)
    schema = document.plain.schema
    found = object_schema(schema, builder.refs)
    first: dict[str, ModelClass] = {}
    base = builder.shared_class(schema)
    if base is not None and base.type is None and found is not None and not found.nullable:
        first[root] = ModelClass(Extension(base.key), _text(schema, "description"))
    elif found is not None and found.values is None and not found.nullable:
        builder.named["#"] = root
        builder.objects[root] = found
    else:
        shape = builder.shape(schema, NameHint(root, root))
        first[root] = ModelClass(as_body(shape), _text(schema, "description"))
    return builder.result({**first, **builder.described()}, names={root: root})


def definition_classes(
    document: SchemaDocument, hints: Mapping[str, NameHint], shared: Mapping[str, SharedClass] = NO_CLASSES
) -> UnnamedClasses:
    """Return the classes of the definitions of a schema that have a hint, by their pointers."""
    builder = _ClassBuilder(document, shared, hints, defaults=True)
    definitions: dict[str, str] = {}
    for pointer, hint in hints.items():
        target = builder.refs.follow(pointer)[1]
        found = None if target is None else object_schema(target, builder.refs)
        if target is not None and found is not None and found.properties:
            definitions[pointer] = builder.claim(hint.titled(target, hint.name), found)
    builder.named |= definitions
    for pointer, hint in hints.items():
        if pointer not in definitions:
            builder.reference(pointer, hint)
    return builder.result(builder.described(), definitions=definitions)


class _ClassBuilder:
    """Classes under construction. Objects wait to be described, so that deep nesting needs no deep stack."""

    def __init__(
        self,
        document: SchemaDocument,
        shared: Mapping[str, SharedClass],
        types: Mapping[str, NameHint] = _NO_HINTS,
        *,
        defaults: bool,
    ) -> None:
        self.refs = LocalReferences(document)
        self.shared = shared
        self.type_hints = types  # by pointers: of definitions that get a name if they have no class
        self.defaults = Defaults(self.refs.root) if defaults else None
        self.objects: dict[str, ObjectSchema] = {}  # by the keys of their classes
        self.hints: dict[str, NameHint] = {}  # by keys: of the classes and types that have no name yet
        self.equal: dict[str, str] = {}  # name and content of a class → its key
        self.named = {  # pointer of a definition → key of its class
            pointer: each.key for pointer, each in shared.items() if each.type is None
        }
        self.types: dict[str, ModelClass] = {}  # by the pointers of their definitions, which are their keys
        self.inlined: dict[str, Shape] = {}  # definitions without a class; Any while under construction

    def described(self) -> dict[str, ModelClass]:
        """Return the classes of all objects. The description of a class may claim others."""
        classes: dict[str, ModelClass] = {}
        while waiting := [key for key in self.objects if key not in classes]:
            classes.update((key, self.describe(key, self.objects[key])) for key in waiting)
        return classes

    def result(
        self,
        classes: Mapping[str, ModelClass],
        *,
        names: Mapping[str, str] = _NO_NAMES,
        definitions: Mapping[str, str] = _NO_NAMES,
    ) -> UnnamedClasses:
        """Return all types, and the classes that `names` and `definitions` lead to."""
        # a union may have dropped the member that a class was claimed for
        used = reachable(classes, [*names, *definitions.values()])
        kept = {key: made for key, made in classes.items() if key in used}
        known = {**kept, **self.types}
        return UnnamedClasses(
            kept,
            self.types,
            {key: hint for key, hint in self.hints.items() if key in known},
            names,
            {**definitions, **{pointer: pointer for pointer in self.types}},
            frozenset(name for made in known.values() for name in made.names()) - known.keys(),
        )

    def describe(self, key: str, found: ObjectSchema) -> ModelClass:
        fields: dict[str, ModelField] = {}
        names = field_names(found.properties)
        for wire, schema in found.properties.items():
            shape = self.shape(schema, NameHint(pascal(wire, "Field"), key))
            shape = shapes.ANY if shape == shapes.NULL else shape  # a field of type None is less readable
            optional = self.defaults is not None and wire not in found.required
            default = self.defaults.of(shape, schema) if self.defaults is not None and optional else None
            fields[wire] = ModelField(names[wire], shape, self.description(schema), default)
        required = tuple(wire for wire in fields if wire in found.required)
        return ModelClass(Record(fields, required, found.closed), found.description)

    def shape(self, schema: object, hint: NameHint) -> Shape:
        """Return the shape of a schema; `hint` names a class, if one is needed."""
        if not isinstance(schema, Mapping) or hint.depth >= _MAX_DEPTH:
            return shapes.ANY
        # before all else: the file of the definition decides what its class is called
        if (shared := self.shared_class(schema)) is not None:
            found = object_schema(schema, self.refs) if shared.type is None else None
            return shapes.nullable(shared.as_shape(), found is not None and found.nullable)
        if (ref := self.refs.only_reference(schema)) is not None:
            return self.reference(ref, hint)
        if "$ref" not in schema and "allOf" not in schema:
            return self.single(schema, hint)
        merged = object_schema(schema, self.refs)
        if merged is not None:
            return self.record(merged, hint.titled(schema))
        parts = [self.shape(part, hint.deeper()) for part in self.refs.conjuncts(schema)]
        return max(parts, key=_narrowness)  # each accepts what they all accept

    def shared_class(self, schema: Mapping[str, Any]) -> SharedClass | None:
        """Return the shared class of a schema that is a reference to it, whatever annotations it has."""
        if schema.get("type") == "object":  # says nothing that the class does not say
            schema = {key: value for key, value in schema.items() if key != "type"}
        ref = self.refs.only_reference(schema) if self.shared else None
        return None if ref is None else self.shared.get(ref)

    def reference(self, ref: str, hint: NameHint) -> Shape:
        pointer, target = self.refs.follow(ref)
        if target is None:
            return shapes.ANY
        found = object_schema(target, self.refs)
        if pointer not in self.named and found is not None and found.properties:
            self.named[pointer] = self.claim(hint.titled(target, self.refs.name(pointer)), found)
        if pointer in self.named:
            return shapes.nullable(shapes.ClassRef(self.named[pointer]), found is not None and found.nullable)
        if pointer not in self.inlined:  # once: a class inside may refer back to it
            self.inlined[pointer] = shapes.ANY
            shape = self.shape(target, hint.titled({}, self.refs.name(pointer)).deeper())
            self.inlined[pointer] = self.named_type(pointer, shape, _text(target, "description"))
        return self.inlined[pointer]

    def named_type(self, pointer: str, shape: Shape, doc: str) -> Shape:
        """Return the shape of a definition without a class, with a name if it gets one."""
        if pointer not in self.type_hints or shape in (shapes.ANY, shapes.NULL) or shapes.classes_in(shape):
            return shape
        self.types[pointer] = ModelClass(shape, doc=doc)
        self.hints[pointer] = self.type_hints[pointer]
        return shapes.NamedType(pointer, shape)

    def single(self, schema: Mapping[str, Any], hint: NameHint) -> Shape:
        """One schema without references."""
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return shapes.enumeration(values if isinstance(values, list) else [])
        kinds = schema.get("type")
        # beside `properties`, branches mostly say which of these are required, and no type can
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches and not schema.get("properties"):
                inherited = {} if kinds is None else {"type": kinds}
                hints = hint.of_branches(branches)
                return shapes.union(
                    [self.branch(b, inherited, each) for b, each in zip(branches, hints, strict=True)]
                )
        kinds = kinds if isinstance(kinds, list) else [kinds]
        # every integer is a number
        kinds = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
        return shapes.union([self.kind(kind, schema, hint) for kind in kinds])

    def branch(self, branch: object, inherited: Mapping[str, Any], hint: NameHint) -> Shape:
        if isinstance(branch, Mapping) and "$ref" not in branch and "type" not in branch:
            branch = {**inherited, **branch}
        return self.shape(branch, hint)

    def kind(self, kind: object, schema: Mapping[str, Any], hint: NameHint) -> Shape:
        match kind:
            case "null":
                return shapes.NULL
            case "boolean" | "string" | "integer" | "number":
                return shapes.Scalar(kind, constraints(kind, schema))
            case "array":
                # a tuple is a list of anything: pydantic would refuse items beyond the declared ones
                items = schema.get("items", True) if "prefixItems" not in schema else True
                return shapes.Array(
                    shapes.without_constraints(self.shape(items, hint.of_item())), constraints(kind, schema)
                )
            case "object":
                found = object_schema({**schema, "type": "object"}, self.refs)
                return self.record(found, hint.titled(schema)) if found is not None else shapes.OBJECT
        return shapes.ANY

    def record(self, found: ObjectSchema, hint: NameHint) -> Shape:
        if found.properties:
            return shapes.nullable(shapes.ClassRef(self.claim(hint, found)), found.nullable)
        values = shapes.ANY if found.values is None else self.shape(found.values, hint.of_item())
        return shapes.nullable(shapes.Map(shapes.without_constraints(values)), found.nullable)

    def claim(self, hint: NameHint, found: ObjectSchema) -> str:
        """Return the key of the class for `found`, which is that of an equal one of the same name."""
        content = [hint.name, list(found.properties.items()), sorted(found.required), found.closed]
        # as text, since the properties are schemas of any depth, which cannot be hashed
        equal = json.dumps([*content, found.description])
        if equal not in self.equal:
            key = self.equal[equal] = f"{len(self.equal)}"
            self.hints[key] = hint
            self.objects[key] = found
        return self.equal[equal]

    def description(self, schema: object) -> str:
        if not isinstance(schema, Mapping):
            return ""
        if text := _text(schema, "description"):
            return text
        ref = self.refs.only_reference(schema)
        if ref in self.shared or ref in self.named or ref in self.types:
            return ""
        target = None if ref is None else self.refs.follow(ref)[1]
        return "" if target is None else _text(target, "description")


def _narrowness(shape: Shape) -> int:
    match shape:
        case shapes.Anything() | shapes.Map(shapes.Anything()):
            return 0
        case shapes.ClassRef():
            return 4
        case shapes.Literals() | shapes.UnionShape((shapes.Literals(), shapes.Null())):
            return 3
        case shapes.NamedType(type=inner):
            return max(1, _narrowness(inner))
        case shapes.UnionShape() if not shapes.is_list_of_types(shape):
            return 2
        case shapes.Null() | shapes.Scalar() | shapes.Array() | shapes.Map() | shapes.UnionShape():
            return 1
        case _:
            assert_never(shape)


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""
