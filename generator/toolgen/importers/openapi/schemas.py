"""Schemas as OpenAPI has them, as JSON Schema 2020-12 of one side: of requests, or of responses."""

from __future__ import annotations

import re
from typing import Any, Literal

from toolgen.importers.openapi.dialect import either_null, numeric_bounds, without_format
from toolgen.importers.openapi.document import Library, Place
from toolgen.importers.openapi.repairs import Repairs
from toolgen.importers.openapi.variants import told_apart
from toolgen.schema.document import format_pointer
from toolgen.schema.keywords import MIXED, SCHEMA_LISTS, SCHEMA_MAPS, SINGLE_SCHEMA
from toolgen.suggestions import quoted

Side = Literal["request", "response"]
Schema = dict[str, Any]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_DROPPED = frozenset(
    ("$schema", "$id", "$defs", "definitions", "discriminator", "example", "externalDocs", "nullable", "xml")
)
_ANNOTATIONS = frozenset(
    ("title", "description", "summary", "default", "deprecated", "readOnly", "writeOnly", "examples")
)
_FOREIGN = {"request": "readOnly", "response": "writeOnly"}


class Schemas:
    """Converts the schemas of one document. A reference becomes one to `$defs`, by a name that is its own."""

    def __init__(self, library: Library, repairs: Repairs) -> None:
        self.library = library
        self.repairs = repairs
        self._old = library.version == "3.0"  # a dialect of its own; 3.1 and 3.2 are JSON Schema
        self._names: dict[Place, str] = {}
        self._places: dict[str, Place] = {}
        self._made: dict[tuple[Side, str], Schema | bool] = {}

    def definition(self, side: Side, name: str) -> Schema | bool | None:
        """What `#/$defs/<name>` is in schemas of `side`; None where nothing was called so."""
        place = self._places.get(name)
        if place is None:
            return None
        if (side, name) not in self._made:
            self._made[side, name] = self.convert(place, side)
        return self._made[side, name]

    def convert(self, at: Place, side: Side) -> Schema | bool:
        """The schema at `at`. Raises `SourceError` where a `$ref` in it leads nowhere, or in a circle."""
        return self._node(self.library.value(at), at, side)

    def _node(self, node: Any, at: Place, side: Side) -> Schema | bool:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self.repairs.note("no schema: any value is taken", at)
            return {}
        if isinstance(node.get("$ref"), str):
            return self._reference(node, at, side)
        made = {
            key: self._keyword(key, value, at / key, side)
            for key, value in node.items()
            if key not in _DROPPED and not key.startswith("x-")
        }
        if "example" in node and "examples" not in made:
            made["examples"] = [node["example"]]
        elif not isinstance(made.get("examples", []), list):
            del made["examples"]
        if self._old:
            numeric_bounds(made)
        without_format(made, at, self.repairs)
        self._one_side(node, made, at, side)
        if isinstance(node.get("discriminator"), dict):
            told_apart(node, made, at, self)
        if node.get("nullable") is True:
            made = either_null(made)
        return made

    def _keyword(self, key: str, value: Any, at: Place, side: Side) -> Any:
        if key in SINGLE_SCHEMA or (key in MIXED and isinstance(value, bool)):
            return self._node(value, at, side)
        if key in SCHEMA_LISTS or (key in MIXED and isinstance(value, list)):
            return self._list(value, at, side)
        if key in SCHEMA_MAPS or key == "dependencies":
            if not isinstance(value, dict):
                return value
            return {
                name: inner if isinstance(inner, list) else self._node(inner, at / name, side)
                for name, inner in value.items()
            }
        return self._node(value, at, side) if key == "items" else value

    def _list(self, value: Any, at: Place, side: Side) -> Any:
        if not isinstance(value, list):
            return value
        return [self._node(inner, at / index, side) for index, inner in enumerate(value)]

    def _reference(self, node: Schema, at: Place, side: Side) -> Schema | bool:
        target = self.library.followed(at)
        made: Schema = {"$ref": "#" + format_pointer(("$defs", self.name_of(target)))}
        for key, value in node.items():
            if key == "$ref" or key in _DROPPED or key.startswith("x-"):
                continue
            if key in _ANNOTATIONS:
                made[key] = value
            elif self._old:
                self.repairs.note(f"{quoted(key)} beside a $ref has no meaning in OpenAPI 3.0: left out", at)
            else:
                made[key] = self._keyword(key, value, at / key, side)
        if node.get("nullable") is True:
            made = either_null(made)
        return made

    def name_of(self, place: Place) -> str:
        """What the schema at `place` is called in `$defs`: as in the document, if it can be."""
        name = self._names.get(place)
        if name is None:
            words = [str(step) for step in place.path[-1:] or (place.file,)]
            if len(place.path) > 3:
                words = [str(step) for step in place.path[-3:]]
            plain = _UNSAFE.sub("_", "_".join(words))
            name, number = plain or "schema", 2
            while name in self._places:
                name, number = f"{plain}_{number}", number + 1
            self._names[place], self._places[name] = name, place
        return name

    def _one_side(self, node: Schema, made: Schema, at: Place, side: Side) -> None:
        """Take out the properties that the other side alone sends: `readOnly` of requests, `writeOnly` of
        responses, which stay where nothing else is allowed, since an answer may have them after all."""
        properties = node.get("properties")
        if not isinstance(properties, dict):
            return
        flag = _FOREIGN[side]
        foreign = [name for name in properties if self._has(at / "properties" / name, flag)]
        if not foreign:
            return
        if side == "request" or made.get("additionalProperties") is not False:
            made["properties"] = {
                name: schema for name, schema in made["properties"].items() if name not in foreign
            }
            self.repairs.note(f"{flag}, so not in {side}s", at / "properties" / foreign[0])
        if isinstance(made.get("required"), list):
            made["required"] = [name for name in made["required"] if name not in foreign]
            if not made["required"]:
                del made["required"]

    def _has(self, at: Place, flag: str) -> bool:
        node = self.library.value(at)
        if not isinstance(node, dict):
            return False
        if flag not in node and isinstance(node.get("$ref"), str):
            node = self.library.value(self.library.followed(at))
        return isinstance(node, dict) and node.get(flag) is True
