"""Printing a schema in strict form, with a loss for everything that the form cannot say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.document import Path
from toolgen.schema.loss import Loss
from toolgen.schema.providers import OPENAI_STRICT
from toolgen.schema.strict.constraints import Node, Part
from toolgen.schema.strict.disjoint import accepts_null, agree
from toolgen.schema.strict.normal_form import Case, Document, UnfitError, overlapping

JsonObject = dict[str, Any]

_UNSAID: Final = (
    "Properties that are not declared cannot be sent; `additionalProperties: false` says that none are meant."
)

MOST_PLACES: Final = 4 * OPENAI_STRICT.properties
DEEPEST: Final = 64


def root_case(doc: Document) -> tuple[Case, str | None]:
    """The one object that the arguments are, and the combinator left out to see it so. Raises UnfitError."""
    cases = doc.cases(doc.root)
    if len(cases) == 1 and cases[0].type == "object":
        return cases[0], None
    plain = doc.plain(doc.root)
    if len(plain) == 1 and plain[0].type == "object" and cases:
        known = doc.fields(plain[0]).keys()
        if all(case.type == "object" and case.properties.keys() <= known for case in cases):
            return plain[0], "oneOf" if "oneOf" in doc.schema else "anyOf"
    raise UnfitError((), "type", "The arguments are not one plain object, and strict mode has no other.")


class Emitter:
    """One conversion: the strict definitions made so far, and the losses."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc
        self._losses: dict[Loss, None] = {}
        self._defs: dict[str, JsonObject] = {}
        self._names: dict[tuple[Path, ...], str] = {}  # place → its name in `$defs`
        self._taken = {"#"}
        self._open: set[tuple[Path, ...]] = set()  # places being printed; they may contain themselves
        self._places = 0

    @property
    def losses(self) -> tuple[Loss, ...]:
        return tuple(self._losses)

    def root(self) -> JsonObject:
        """The whole strict schema. Raises UnfitError."""
        case, dropped = root_case(self.doc)
        if dropped:
            self._lose((), dropped, f"Strict mode has no `{dropped}` at the root; toolgen still enforces it.")
        self._names[((),)] = "#"
        description = case.descriptions[0] if case.descriptions else None
        printed = _described(self._object(case, (), 0), description)
        return printed | ({"$defs": dict(sorted(self._defs.items()))} if self._defs else {})

    def _lose(self, path: Path, keyword: str, reason: str, *, fatal: bool = False) -> None:
        self._losses[Loss(path, keyword, reason, fatal)] = None

    def _node(self, node: Node, depth: int) -> JsonObject:
        self._places += 1
        if depth > DEEPEST or self._places > MOST_PLACES:
            raise UnfitError((), "$ref", "The schema is too large or too deep for strict mode.")
        target = self.doc.target(node)
        if target is not None:
            self.doc.cases(node)  # refuses a reference that leads only to itself
            return _described(self._reference((target,), depth), self._description(node))
        key = tuple(part.path for part in node)
        if key in self._open:
            return self._reference(node, depth)
        self._open.add(key)
        printed = self._inline(node, depth)
        self._open.discard(key)
        if key in self._names:  # something inside refers to it
            name = self._names[key]
            self._defs[name] = printed
            return {"$ref": f"#/$defs/{name}"}
        return printed

    def _reference(self, node: Node, depth: int) -> JsonObject:
        key = tuple(part.path for part in node)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self._free_name(node[0])
            if key not in self._open:
                self._open.add(key)
                self._defs[name] = self._inline(node, depth)
                self._open.discard(key)
        return {"$ref": "#" if name == "#" else f"#/$defs/{name}"}

    def _free_name(self, part: Part) -> str:
        last = str(part.path[-1]) if part.path else "root"
        stem = re.sub(r"[^A-Za-z0-9_-]", "_", last) or "schema"
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

    def _inline(self, node: Node, depth: int) -> JsonObject:
        if not agree(self.doc, node):
            reason = (
                "Which branch was meant cannot always be told from strict arguments, where absent is null."
            )
            self._lose(node[0].path, "anyOf", reason)
        union = self.doc.alternatives(node)
        if union is not None:
            printed = self._branches(node, union, depth)
        else:
            outer = self._description(node)
            printed = [self._case(case, node[0].path, depth, outer) for case in self.doc.cases(node)]
        if not printed:
            raise UnfitError(node[0].path, "type", "No value is accepted here.")
        return _described(_union(printed), self._description(node))

    def _branches(self, node: Node, union: tuple[str, tuple[Node, ...]], depth: int) -> list[JsonObject]:
        """Branches one by one, so that those which are references stay references."""
        keyword, branches = union
        if keyword == "oneOf" and not self.doc.exclusive(branches):
            self._losses[overlapping(node[0].path)] = None
        return [self._node(branch, depth + 1) for branch in branches if self.doc.cases(branch)]

    def _description(self, node: Node) -> str | None:
        """What the place itself is said to be, not what a branch or the target of a reference is."""
        schemas = (part.schema for part in node if isinstance(part.schema, Mapping))
        return next(
            (text for each in schemas if isinstance(text := each.get("description"), str) and text), None
        )

    def _case(self, case: Case, path: Path, depth: int, outer: str | None) -> JsonObject:
        if case.type == "object" and case.values is None:
            printed = self._object(case, path, depth)
        else:
            self._losses.update((loss, None) for loss in case.losses)
            printed = {"type": case.type, **case.keywords}
            if case.type == "array":
                printed |= self._array(case, path, depth)
            if case.values is not None:
                printed |= self._values(case, path)
        return _described(printed, next((text for text in case.descriptions if text != outer), None))

    def _values(self, case: Case, path: Path) -> JsonObject:
        if case.type in ("object", "array"):
            reason = f"Strict mode lists no {case.type}s as values."
            self._lose(path, "const" if case.is_const else "enum", reason, fatal=True)
        assert case.values is not None
        if case.type == "null":
            return {}
        return {"const": case.values[0]} if case.is_const else {"enum": list(case.values)}

    def _array(self, case: Case, path: Path, depth: int) -> JsonObject:
        if case.items is None:
            if case.values is None and not any(loss.fatal for loss in case.losses):
                self._lose(path, "items", "The items have no schema, and strict mode needs one.", fatal=True)
            return {}
        if not self.doc.cases(case.items):
            raise UnfitError(path, "items", "No item is accepted, and strict mode cannot say so.")
        return {"items": self._node(case.items, depth + 1)}

    def _object(self, case: Case, path: Path, depth: int) -> JsonObject:
        self._losses.update((loss, None) for loss in case.losses)
        fields = self.doc.fields(case)
        for name in sorted(case.required - fields.keys()):
            reason = f"{name!r} is required, and no schema says what it is."
            self._lose(path, "required", reason, fatal=True)
        if case.extras == "unsaid":
            if fields:
                self._lose(path, "additionalProperties", _UNSAID)
            else:
                reason = "An object without declared properties can only be empty in strict mode."
                self._lose(path, "properties", reason, fatal=True)
        for name in sorted(case.properties.keys() - fields.keys() - case.required):
            if all(part.schema is not False for part in case.properties[name]):
                self._lose(path, "properties", f"No value of {name!r} is accepted, so it is left out.")
        properties = {}
        for name, node in fields.items():
            printed = self._node(node, depth + 1)
            properties[name] = printed if name in case.required else self._optional(node, printed)
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def _optional(self, node: Node, printed: JsonObject) -> JsonObject:
        if accepts_null(self.doc, node):
            reason = (
                "It may be null and it may be absent; strict mode cannot tell these apart, and null is kept."
            )
            self._lose(node[0].path, "type", reason)
            return printed
        description = printed.get("description")
        bare = {key: value for key, value in printed.items() if key != "description"}
        branches = bare["anyOf"] if bare.keys() == {"anyOf"} else [bare]
        return _described(_union([*branches, {"type": "null"}]), description)


def _described(printed: JsonObject, description: str | None) -> JsonObject:
    """`printed` with a description in front; beside a `$ref` none is allowed."""
    if description is None:
        return printed
    if "$ref" in printed:
        printed = {"anyOf": [printed]}
    return {
        "description": description,
        **{key: value for key, value in printed.items() if key != "description"},
    }


def _union(branches: list[JsonObject]) -> JsonObject:
    """Any of `branches`; a single type and null as the guide writes them."""
    if len(branches) == 1:
        return branches[0]
    if len(branches) == 2 and branches[1] == {"type": "null"}:
        first = branches[0]
        scalar = first.get("type") in ("string", "number", "integer", "boolean")
        if scalar and not {"const", "description"} & first.keys():
            nullable = first | {"type": [first["type"], "null"]}
            return nullable | ({"enum": [*first["enum"], None]} if "enum" in first else {})
    return {"anyOf": branches}
