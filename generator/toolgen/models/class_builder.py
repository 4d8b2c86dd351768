"""The author's schema to the narrow language that the model engine prints faithfully.

What comes out is one flat table of classes. A value that the author's schema accepts is always accepted by
its shape, and never rewritten by it; where the engine could not promise that, the shape is wider than the
schema and the runtime enforces the rest with the schema itself. Nothing but types, names, constraints and
defaults gets through: no prose, no `$ref` of the author's, no unknown keyword.
"""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from toolgen.models.constraints import Defaults, bounds
from toolgen.models.local_references import LocalReferences
from toolgen.models.object_schema import ObjectSchema, object_schema
from toolgen.models.shapes import ANY, OBJECT, Shape, bare, enumeration, named_in, nullable, union
from toolgen.python_source.names import pascal, singular, snake, unused

_TAKEN_FIELDS = frozenset({"int", "str", "float", "bool", "list", "dict", "field", "self", *dir(BaseModel)})
"""Names that mean something else inside a model class: types of other fields, pydantic's own attributes."""
_GENERAL_CLASSES = frozenset(
    {"BaseModel", "ConfigDict", "Field", "RootModel", "Annotated", "Any", "Literal", *dir(builtins)}
)
_DEEPEST = 60  # lists, maps and unions inside one another; what is deeper may be anything
_NARROWNESS = ("$ref", "enum", "anyOf", "type")


@dataclass(frozen=True, slots=True)
class ModelClass:
    """One model class, as the engine is asked for it."""

    shape: Shape  # an object with `properties`, or the type of a root model
    names: Mapping[str, str] = field(default_factory=dict)  # wire name → Python name, in order
    docs: Mapping[str, str] = field(default_factory=dict)  # wire name → description
    doc: str = ""


def model_classes(
    schema: Mapping[str, Any], root: str, reserved: frozenset[str], defaults: bool
) -> dict[str, ModelClass]:
    """Return classes by name, `root` first: an object, or a root model if `schema` is not an object."""
    return _ClassBuilder(
        LocalReferences(schema), root, reserved, Defaults(schema) if defaults else None
    ).run()


def as_class(shape: Shape) -> Shape:
    """The shape of a class of its own: one for any object says that it keeps whatever there is."""
    return {**OBJECT, "properties": {}, "additionalProperties": True} if shape == OBJECT else shape


class _ClassBuilder:
    """Work in progress: classes wait in a queue, so that depth of nesting costs no stack."""

    def __init__(
        self, refs: LocalReferences, root: str, reserved: frozenset[str], defaults: Defaults | None
    ) -> None:
        self.refs = refs
        self.root = root
        self.reserved = reserved
        self.defaults = defaults
        self.classes: dict[str, ModelClass] = {}
        self.queue: deque[tuple[str, ObjectSchema]] = deque()
        self.taken: set[str] = {root, *reserved, *_GENERAL_CLASSES}
        self.named: dict[str, str] = {}  # pointer of a definition → class name
        self.depth = 0
        self.inlined: dict[str, Shape] = {}  # definitions that are no class; Any while in the making

    def run(self) -> dict[str, ModelClass]:
        schema = self.refs.root
        found = object_schema(schema, self.refs)
        if found is not None and found.values is None and not found.nullable:
            self.named["#"] = self.root
            self.queue.append((self.root, found))
        else:
            shape = self.shape(schema, self.root)
            self.classes[self.root] = ModelClass(as_class(shape), doc=_text(schema, "description"))
        while self.queue:
            name, waiting = self.queue.popleft()
            self.classes[name] = self.describe(name, waiting)
        return {name: replace(made, docs=self.undoubled(made)) for name, made in self.classes.items()}

    def undoubled(self, made: ModelClass) -> dict[str, str]:
        """The descriptions of fields, without those that the field's own class tells already."""
        kept: dict[str, str] = {}
        for wire, text in made.docs.items():
            mentioned = named_in(made.shape["properties"][wire])
            if text not in [self.classes[name].doc for name in mentioned]:
                kept[wire] = text
        return kept

    def describe(self, name: str, found: ObjectSchema) -> ModelClass:
        names: dict[str, str] = {}
        used: set[str] = set()
        docs: dict[str, str] = {}
        properties: dict[str, Shape] = {}
        for wire, schema in found.properties.items():
            names[wire] = unused(_field_name(wire), used)
            used.add(names[wire])
            shape = self.shape(schema, name + pascal(wire, "Field"))
            shape = ANY if shape == {"type": "null"} else shape  # a type of nothing but null reads worse
            if self.defaults is not None and wire not in found.required:
                shape = self.defaults.attach(shape, schema)
            properties[wire] = shape
            if text := self.description(schema):
                docs[wire] = text
        shape = {"type": "object", "properties": properties, "additionalProperties": not found.closed}
        if required := [wire for wire in properties if wire in found.required]:
            shape["required"] = required
        return ModelClass(shape, names, docs, found.description)

    def shape(self, schema: object, hint: str) -> Shape:
        """What the engine is asked for; `hint` names a class, should one be needed."""
        if not isinstance(schema, Mapping) or self.depth >= _DEEPEST:
            return ANY
        self.depth += 1
        shape = self.shape_of(schema, hint)
        self.depth -= 1
        return shape

    def shape_of(self, schema: Mapping[str, Any], hint: str) -> Shape:
        """The shape of one schema, `shape` asked for those inside."""
        if (ref := self.refs.alone(schema)) is not None:
            return self.reference(ref, hint)
        if "$ref" not in schema and "allOf" not in schema:
            return self.single(schema, hint)
        merged = object_schema(schema, self.refs)
        if merged is not None:
            return self.record(merged, hint)
        shapes = [self.shape(part, hint) for part in self.refs.conjuncts(schema)]
        return max(shapes, key=_narrowness)  # any one of them takes whatever they all take

    def reference(self, ref: str, hint: str) -> Shape:
        pointer, target = self.refs.follow(ref)
        if target is None:
            return ANY
        found = object_schema(target, self.refs)
        if pointer in self.named:
            return nullable({"$ref": f"#/$defs/{self.named[pointer]}"}, found is not None and found.nullable)
        if found is not None and found.properties:
            name = self.claim(self.refs.name(pointer) or hint)
            self.named[pointer] = name
            self.queue.append((name, found))
            return nullable({"$ref": f"#/$defs/{name}"}, found.nullable)
        if pointer not in self.inlined:  # once: a class inside may lead back here, when its turn comes
            self.inlined[pointer] = ANY
            hint = pascal(self.refs.name(pointer) or hint, "Model")
            self.inlined[pointer] = self.shape(target, hint)
        return self.inlined[pointer]

    def single(self, schema: Mapping[str, Any], hint: str) -> Shape:
        """One schema without references."""
        if "enum" in schema or "const" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return enumeration(values if isinstance(values, list) else [])
        kinds = schema.get("type")
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list) and branches and not schema.get("properties"):
                inherited = {} if kinds is None else {"type": kinds}
                hints = [f"{hint}{_option(branch, i)}" for i, branch in enumerate(branches, 1)]
                return union(
                    [self.branch(b, inherited, name) for b, name in zip(branches, hints, strict=True)]
                )
        kinds = kinds if isinstance(kinds, list) else [kinds]
        kinds = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
        return union([self.kind(kind, schema, hint) for kind in kinds])

    def branch(self, branch: object, inherited: Mapping[str, Any], hint: str) -> Shape:
        if isinstance(branch, Mapping) and "$ref" not in branch and "type" not in branch:
            branch = {**inherited, **branch}
        return self.shape(branch, hint)

    def kind(self, kind: object, schema: Mapping[str, Any], hint: str) -> Shape:
        match kind:
            case "null" | "boolean":
                return {"type": kind}
            case "string" | "integer":
                return {"type": kind, **bounds(kind, schema)}
            case "number":
                return {"type": ["integer", "number"], **bounds(kind, schema)}
            case "array":
                items = schema.get("items", True) if "prefixItems" not in schema else True
                item_hint = hint if isinstance(items, bool) else singular(hint)
                return {"type": "array", "items": bare(self.shape(items, item_hint)), **bounds(kind, schema)}
            case "object":
                found = object_schema({**schema, "type": "object"}, self.refs)
                return self.record(found, hint) if found is not None else OBJECT
        return ANY

    def record(self, found: ObjectSchema, hint: str) -> Shape:
        if found.properties:
            name = self.claim(hint)
            self.queue.append((name, found))
            return nullable({"$ref": f"#/$defs/{name}"}, found.nullable)
        values = bare(self.shape(found.values, singular(hint))) if found.values is not None else ANY
        shape = OBJECT if values == ANY else {"type": "object", "additionalProperties": values}
        return nullable(shape, found.nullable)

    def claim(self, words: str) -> str:
        name = pascal(words, "Model")
        if name in self.taken:
            name = f"{self.root}{name}"
        name = unused(name, self.taken)
        self.taken.add(name)
        return name

    def description(self, schema: object) -> str:
        if not isinstance(schema, Mapping):
            return ""
        if text := _text(schema, "description"):
            return text
        ref = self.refs.alone(schema)
        target = None if ref is None or ref in self.named else self.refs.follow(ref)[1]
        return "" if target is None else _text(target, "description")


def _field_name(wire: str) -> str:
    name = snake(wire, "field")
    if name.startswith(("model_dump", "model_validate")):  # pydantic warns of fields that begin so
        return f"field_{name}"
    return f"{name}_" if name in _TAKEN_FIELDS else name


def _narrowness(shape: Shape) -> int:
    return 0 if shape in (ANY, OBJECT) else next(4 - n for n, key in enumerate(_NARROWNESS) if key in shape)


def _text(schema: Mapping[str, Any], key: str) -> str:
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def _option(branch: object, number: int) -> str:
    title = branch.get("title") if isinstance(branch, Mapping) else None
    return pascal(title, "Option") if isinstance(title, str) and title.strip() else f"Option{number}"
