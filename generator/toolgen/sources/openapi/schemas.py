"""Convert schemas of OpenAPI to JSON Schema 2020-12, and bundle the definitions that they use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from toolgen.base.suggestions import quoted
from toolgen.runtime.definition.semantics.json_schema import check_schema
from toolgen.schema.document import follow, format_pointer, parse_pointer
from toolgen.schema.keywords import FORMATS, MIXED, SCHEMA_LISTS, SCHEMA_MAPS, SINGLE_SCHEMA
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.openapi.document import Location, OpenApiDocument, RepairLog
from toolgen.sources.schema_rewrites import rewrite_boolean_bound

Direction = Literal["request", "response"]
Schema = dict[str, Any]

_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]")
_OPENAPI_ONLY = frozenset(
    ("$schema", "$id", "$defs", "definitions", "discriminator", "example", "externalDocs", "nullable", "xml")
)
ANNOTATIONS = frozenset(
    ("title", "description", "summary", "default", "deprecated", "readOnly", "writeOnly", "examples")
)
_OTHER_DIRECTION = {"request": "readOnly", "response": "writeOnly"}

# what `nullable: true` leaves outside of the `anyOf` that it becomes
_BESIDE_NULL = ANNOTATIONS - {"summary"}
_COMBINED = ("allOf", "anyOf", "oneOf", "not", "$ref", "const")

_CONTENT_ENCODINGS = {"byte": "base64", "binary": "base64"}
_NUMBER_WIDTHS = frozenset(
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double"]
)
_MASKED = frozenset(["password"])  # the runtime masks these texts in descriptions of faults
_MAX_DEPTH = 9  # of branches in branches that are looked at


@dataclass(frozen=True, slots=True)
class Definition:
    """A schema in `$defs`."""

    schema: Schema | bool
    references: tuple[str, ...]  # names of other definitions
    size: int  # characters as JSON


class SchemaConverter:
    """Converts the schemas of one document. Each `$ref` becomes one to `$defs`, under a unique name.

    Without `formats`, those that JSON Schema defines are kept as `x-format`: what an API takes and sends may
    differ from them.
    """

    def __init__(self, document: OpenApiDocument, repairs: RepairLog, *, formats: bool = False) -> None:
        self.document = document
        self.repairs = repairs
        self._formats = FORMATS if formats else frozenset[str]()
        self._is_3_0 = document.version == "3.0"  # a dialect of its own; 3.1 and 3.2 are JSON Schema
        self._names: dict[tuple[Location, bool], str] = {}
        self._locations: dict[str, tuple[Location, bool]] = {}
        self._unions: dict[Location, dict[Location, list[str]]] = {}
        self._definitions: dict[tuple[Direction, str], Definition] = {}

    def definition(self, direction: Direction, name: str) -> Definition | None:
        """Return `#/$defs/<name>`; None if no reference was converted to that name."""
        if name in self._locations and (direction, name) not in self._definitions:
            location, is_base = self._locations[name]
            schema = (
                self._convert(self.document.value_at(location), location, direction)
                if is_base
                else self.convert(location, direction)
            )
            for fault in check_schema(schema, ()) if isinstance(schema, dict) else ():
                # by itself: in a file of shared schemas, no other schema of a tool declares the name
                if fault.code == "misspelt-required":
                    *where, index = fault.path
                    owner = follow(schema, tuple(where[:-1]))
                    owner["required"] = [
                        each for each in owner["required"] if each != owner["required"][int(index)]
                    ]
                    self.repairs.add(f"{fault.message}: left out", location)
            references = tuple(dict.fromkeys(referenced_names(schema)))
            self._definitions[direction, name] = Definition(schema, references, len(json.dumps(schema)))
        return self._definitions.get((direction, name))

    def convert(self, location: Location, direction: Direction) -> Schema | bool:
        """Return the schema at `location`. Raises `SourceError` for a `$ref` that cannot be resolved."""
        if self._children(location):
            return self._union(location)
        return self._convert(self.document.value_at(location), location, direction)

    def _convert(self, node: Any, location: Location, direction: Direction) -> Schema | bool:
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            self.repairs.add("not a schema: any value is accepted", location)
            return {}
        if isinstance(node.get("$ref"), str):
            return self._convert_reference(node, location, direction)
        schema = {
            key: self._convert_keyword(key, value, location / key, direction)
            for key, value in node.items()
            if key not in _OPENAPI_ONLY and not key.startswith("x-")
        }
        if "example" in node and "examples" not in schema:
            schema["examples"] = [node["example"]]
        elif not isinstance(schema.get("examples", []), list):
            del schema["examples"]
        if self._is_3_0:
            for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
                if isinstance(schema.get(key), bool):
                    rewrite_boolean_bound(schema, key, bound)
        self._convert_format(schema, location)
        self._remove_other_direction(node, schema, location, direction)
        if isinstance(node.get("discriminator"), dict):
            self._convert_discriminator(node, schema, location)
        elif isinstance(schema.get("oneOf"), list) and "anyOf" not in schema:
            branches = [location / "oneOf" / index for index in range(len(schema["oneOf"]))]
            # what only formats keep apart, or what another branch has whole, never fits exactly one
            if any(map(self._loses_format, branches)) or self._overlap(branches, direction):
                schema = {"anyOf" if key == "oneOf" else key: value for key, value in schema.items()}
        return _allow_null(schema) if self._lacks_null(node, location) else schema

    def _lacks_null(self, node: Schema, location: Location) -> bool:
        """True if null is meant to be accepted and is not, as by a `oneOf` with two branches for it."""
        is_nullable = node.get("nullable") is True
        key = next((key for key in ("oneOf", "anyOf") if isinstance(node.get(key), list)), None)
        if key is None or {*_COMBINED, "type", "enum"} & node.keys() != {key}:
            return is_nullable
        found = [self._accepts_null(location / key / index) for index in range(len(node[key]))]
        if key == "anyOf" or None not in found:
            is_nullable = is_nullable and True not in found
        return is_nullable or (key == "oneOf" and found.count(True) > 1)

    def _accepts_null(self, location: Location) -> bool | None:
        """Return whether the schema at `location` accepts null; None if its type and values do not tell."""
        node = self.document.value_at(location)
        if isinstance(node, dict) and node.get("nullable") is not True:
            node = self.document.value_at(self.document.follow_refs(location))
        if not isinstance(node, dict) or node.get("nullable") is True:
            return node is not False
        types, values = node.get("type"), node.get("enum")
        if types is not None and types != "null" and not (isinstance(types, list) and "null" in types):
            return False
        return None in values if isinstance(values, list) else None if types is None else True

    def _loses_format(self, location: Location, depth: int = _MAX_DEPTH) -> bool:
        """True if the schema at `location`, or one for the same value or its items, has an ignored format."""
        node = self.document.value_at(location)
        if not isinstance(node, dict) or not depth:
            return False
        if isinstance(node.get("$ref"), str):
            location = self.document.follow_refs(location)
            node = self.document.value_at(location)
        if isinstance(node.get("format"), str) and node["format"] not in self._formats:
            return True
        lists = {key: node[key] for key in ("allOf", "anyOf", "oneOf") if isinstance(node.get(key), list)}
        inner = [location / key / index for key, each in lists.items() for index in range(len(each))]
        inner += [location / "items"] if "items" in node else []
        return any(self._loses_format(each, depth - 1) for each in inner)

    def _overlap(self, branches: list[Location], direction: Direction) -> bool:
        """True if one of `branches` is a whole type, of which another is a part: an integer is a number.

        In answers, whose shape alone is checked, also if two branches may accept the same value.
        """
        nodes = [self.document.value_at(self.document.follow_refs(each)) for each in branches]
        typed = [node for node in nodes if isinstance(node, dict) and isinstance(node.get("type"), str)]
        types = [node["type"] for node in typed]
        whole = {node["type"] for node in typed if node.keys() - {"type"} <= ANNOTATIONS | {"example"}}
        if direction == "response" and not self._formats:
            return len({*types}) < len(branches) or {"number", "integer"} <= {*types}
        return any(types.count(each) > 1 or (each == "number" and "integer" in types) for each in whole)

    def _convert_keyword(self, key: str, value: Any, location: Location, direction: Direction) -> Any:
        if key in SINGLE_SCHEMA or (key in MIXED and isinstance(value, bool)):
            return self._convert(value, location, direction)
        if key in SCHEMA_LISTS or (key in MIXED and isinstance(value, list)):
            if not isinstance(value, list):
                return value
            return [self._convert(inner, location / index, direction) for index, inner in enumerate(value)]
        if key in SCHEMA_MAPS or key == "dependencies":
            if not isinstance(value, dict):
                return value
            return {
                name: inner if isinstance(inner, list) else self._convert(inner, location / name, direction)
                for name, inner in value.items()
            }
        return self._convert(value, location, direction) if key == "items" else value

    def _convert_reference(self, node: Schema, location: Location, direction: Direction) -> Schema:
        target = self.document.follow_refs(location)
        # an heir has the properties of its base; what else refers to it means any of its heirs
        is_base = Location(location.file, location.path[:-2]) in self._children(target)
        schema = self._reference(target, is_base=is_base)
        for key, value in node.items():
            if key == "$ref" or key in _OPENAPI_ONLY or key.startswith("x-"):
                continue
            if key in ANNOTATIONS:
                schema[key] = value
            elif self._is_3_0:
                self.repairs.add(f"{quoted(key)} beside a $ref is ignored in OpenAPI 3.0: left out", location)
            else:
                schema[key] = self._convert_keyword(key, value, location / key, direction)
        return _allow_null(schema) if node.get("nullable") is True else schema

    def _reference(self, location: Location, *, is_base: bool = False) -> Schema:
        """Return a reference to the schema at `location` in `$defs`, by its name in the document if possible.

        `is_base`: to itself, not to the union of those that inherit from it.
        """
        name = self._names.get((location, is_base))
        if name is None:
            base, path = self.document.schema_name(location), location.path
            if len(path) > 3 and base == str(path[-1]):
                base = "_".join(map(str, path[-3:]))
            base = _UNSAFE_NAME.sub("_", base)
            base = f"{base}Base" if is_base else base
            name, number = base or "schema", 2
            while name in self._locations:
                name, number = f"{base}_{number}", number + 1
            self._names[location, is_base], self._locations[name] = name, (location, is_base)
        return {"$ref": "#" + format_pointer(("$defs", name))}

    def _convert_format(self, schema: Schema, location: Location) -> None:
        """Remove a `format` that nothing would enforce."""
        name = schema.get("format")
        if not isinstance(name, str) or name in self._formats or name in _MASKED:
            return
        del schema["format"]
        if name in FORMATS:
            schema["x-format"] = name
            return
        encoding = _CONTENT_ENCODINGS.get(name)
        if encoding and schema.get("type", "string") in ("string", ["string", "null"]):
            schema.setdefault("contentEncoding", encoding)
            done = f"is written as contentEncoding: {encoding}"
        elif name in _NUMBER_WIDTHS and schema.get("type") != "string":
            done = "is the width of a number: left out"
        else:
            schema["x-format"] = name
            done = "is unknown to JSON Schema: kept as x-format, not enforced"
        self.repairs.add(f"the format {quoted(name)} {done}", location)

    def _remove_other_direction(
        self, node: Schema, schema: Schema, location: Location, direction: Direction
    ) -> None:
        """Remove `readOnly` properties from requests, `writeOnly` ones from responses.

        A response with `additionalProperties: false` keeps them as optional: the API may send them after all.
        """
        properties = node.get("properties")
        if not isinstance(properties, dict):
            return
        flag = _OTHER_DIRECTION[direction]
        removed = [name for name in properties if self.has_flag(location / "properties" / name, flag)]
        if not removed:
            return
        if direction == "request" or schema.get("additionalProperties") is not False:
            schema["properties"] = {
                name: inner for name, inner in schema["properties"].items() if name not in removed
            }
            self.repairs.add(f"{flag}, so not in {direction}s", location / "properties" / removed[0])
        if isinstance(schema.get("required"), list):
            schema["required"] = [name for name in schema["required"] if name not in removed]
            if not schema["required"]:
                del schema["required"]

    def has_flag(self, location: Location, flag: str) -> bool:
        """True if the schema at `location`, or the one it refers to, has `flag: true`."""
        node = self.document.value_at(location)
        if not isinstance(node, dict):
            return False
        if flag not in node and isinstance(node.get("$ref"), str):
            node = self.document.value_at(self.document.follow_refs(location))
        return isinstance(node, dict) and node.get(flag) is True

    def _convert_discriminator(self, node: Schema, schema: Schema, location: Location) -> None:
        """Constrain the discriminator property in each branch of a union to the branch's values."""
        key = next((key for key in ("oneOf", "anyOf") if isinstance(node.get(key), list)), None)
        if key is None or not isinstance(node["discriminator"].get("propertyName"), str):
            if not self._children(location):
                message = "a discriminator without `oneOf` or `anyOf` beside it: left out"
                self.repairs.add(message, location / "discriminator")
            return
        mapping = self._mapping_values(node["discriminator"], location)
        is_open = False  # a branch may accept what another one is meant for
        for index, branch in enumerate(node[key]):
            if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
                target = self.document.follow_refs(location / key / index)
                tagged = self._tagged(schema[key][index], target, node["discriminator"], mapping)
                schema[key][index], is_open = tagged or schema[key][index], is_open or tagged is None
        if is_open and "anyOf" not in node:
            schema["anyOf"] = schema.pop("oneOf")

    def _union(self, parent: Location) -> Schema:
        """Return the union of the schemas that inherit from `parent`, which has a discriminator."""
        discriminator = self.document.value_at(parent)["discriminator"]
        children = self._children(parent)
        branches = [self._reference(each, is_base=each == parent) for each in children]
        return {
            "anyOf": [
                self._tagged(branch, each, discriminator, children) or branch
                for branch, each in zip(branches, children, strict=True)
            ]
        }

    def _children(self, parent: Location) -> dict[Location, list[str]]:
        """Return the schemas that a discriminator without a union chooses from: schema → mapped values."""
        if parent not in self._unions:
            node = self.document.value_at(parent)
            discriminator = node.get("discriminator") if isinstance(node, dict) else None
            found: dict[Location, list[str]] = {}
            if (
                isinstance(discriminator, dict)
                and isinstance(discriminator.get("propertyName"), str)
                and not {"oneOf", "anyOf"} & node.keys()
            ):
                mapped = self._mapping_values(discriminator, parent)
                queue = [parent, *mapped]
                for each in queue:  # grows in the loop: heirs may have heirs
                    queue += [heir for heir in self._heirs.get(each, ()) if heir not in queue]
                found = {each: mapped.get(each, []) for each in queue if each != parent or parent in mapped}
            self._unions[parent] = found
        return self._unions[parent]

    @cached_property
    def _heirs(self) -> dict[Location, list[Location]]:
        """Return the components that have each schema in their `allOf`."""
        heirs: dict[Location, list[Location]] = {}
        for _, here in self.document.schemas():
            node = self.document.value_at(here)
            branches = node.get("allOf") if isinstance(node, dict) else None
            for index in range(len(branches) if isinstance(branches, list) else 0):
                with suppress(SourceError):
                    base = self.document.follow_refs(here / "allOf" / index)
                    heirs.setdefault(base, []).append(here)
        return heirs

    def _tagged(
        self, branch: Schema, target: Location, discriminator: Schema, mapping: dict[Location, list[str]]
    ) -> Schema | None:
        """Return a branch of a union with the values of its discriminator, unless it names them itself.

        None if nothing says which these are.
        """
        name = discriminator["propertyName"]
        own = self._own_values(target, name)
        values = mapping.get(target, [])
        if own and (len(own) == 1 or not values):
            return branch
        if not values and not discriminator.get("mapping"):
            values = [self.document.schema_name(target)]
        if not values:
            message = f"the mapping of the discriminator {quoted(name)} does not name this schema"
            self.repairs.add(message, target)
            return None
        tag = {"const": values[0]} if len(values) == 1 else {"enum": values}
        # without a title, models call it by the property that has it
        titled = {"title": self.document.schema_name(target), **branch}
        return {**titled, "properties": {name: tag}, "required": [name]}

    def _mapping_values(self, discriminator: Schema, location: Location) -> dict[Location, list[str]]:
        """Return schema → discriminator values; a mapping names schemas by `$ref` or by component name."""
        found: dict[Location, list[str]] = {}
        mapping = discriminator.get("mapping")
        mapping_location = location / "discriminator" / "mapping"
        for value, written in mapping.items() if isinstance(mapping, dict) else ():
            if not isinstance(written, str):
                continue
            try:
                target = self.document.component("schemas", written, mapping_location / value)
            except SourceError:
                message = f"the mapping to {quoted(written)} refers to nothing: left out"
                self.repairs.add(message, mapping_location / value)
                continue
            found.setdefault(target, []).append(value)
        return found

    def _own_values(self, location: Location, name: str, depth: int = _MAX_DEPTH) -> list[Any]:
        """Return the values of the property `name` that the schema at `location`, or its `allOf`, lists."""
        node = self.document.value_at(location)
        properties = node.get("properties") if isinstance(node, dict) else None
        own = properties.get(name) if isinstance(properties, dict) else None
        if isinstance(own, dict) and ("const" in own or isinstance(own.get("enum"), list)):
            return [own["const"]] if "const" in own else own["enum"]
        branches = node.get("allOf") if isinstance(node, dict) and depth else None
        inherited = (
            self._own_values(self.document.follow_refs(location / "allOf" / index), name, depth - 1)
            for index in range(len(branches) if isinstance(branches, list) else 0)
        )
        return next(filter(None, inherited), [])


def _allow_null(schema: Schema) -> Schema:
    """Return `schema` accepting null too, as `nullable: true` means wherever it is written."""
    kind = schema.get("type")
    if isinstance(kind, str) and not any(key in schema for key in _COMBINED):
        values = schema.get("enum")
        with_null = [*values, None] if isinstance(values, list) and None not in values else values
        return {**schema, "type": [kind, "null"]} | ({"enum": with_null} if "enum" in schema else {})
    branches = schema.get("anyOf")
    if isinstance(branches, list) and not any(key in schema for key in ("type", "enum", "allOf", "oneOf")):
        return {**schema, "anyOf": [*branches, {"type": "null"}]}
    beside = {key: value for key, value in schema.items() if key in _BESIDE_NULL}
    inner = {key: value for key, value in schema.items() if key not in _BESIDE_NULL}
    return {**beside, "anyOf": [inner, {"type": "null"}]}


# Definitions in `$defs`

MAX_RESPONSE_SCHEMA = 100_000
"""Characters of one response schema as JSON, beyond which definitions are cut off: clients read no more."""

_DEFS = "#/$defs/"


@dataclass(frozen=True, slots=True)
class BundledSchema:
    """A schema with its `$defs`."""

    schema: Schema
    cut_off: int  # definitions that accept anything, since the schema would be too long with them


@dataclass(frozen=True, slots=True)
class SchemaBundler:
    """Bundles the schemas of one document."""

    converter: SchemaConverter

    def bundle(self, schema: Schema, direction: Direction) -> BundledSchema:
        """Return `schema` with the definitions that it uses; of a response, the outermost ones that fit."""
        size = len(json.dumps(schema)) if direction == "response" else 0
        definitions: dict[str, Any] = {}
        queue = list(dict.fromkeys(referenced_names(schema)))
        cut_off = 0
        for name in queue:  # grows in the loop: breadth first, so that outer definitions are kept
            found = self.converter.definition(direction, name)
            if found is None or name in definitions:
                continue
            if direction == "response" and size + found.size > MAX_RESPONSE_SCHEMA:
                definitions[name] = _cut_off(found.schema)
                cut_off += 1
                continue
            size += found.size
            definitions[name] = found.schema
            queue.extend(found.references)
        if definitions:
            schema = {**schema, "$defs": dict(sorted(definitions.items()))}
        return BundledSchema(schema, cut_off)


def _cut_off(schema: Any) -> Schema:
    """Return only the title and type of `schema`."""
    kept = ("title", "type") if isinstance(schema, dict) else ()
    return {key: schema[key] for key in kept if key in schema}


def definition_name(ref: str) -> str:
    """Return the name of the definition that a reference to `$defs` means."""
    return str(parse_pointer(ref[1:])[1])


def referenced_names(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that `schema` refers to, in their order."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_DEFS):
                yield definition_name(value)
            else:
                yield from referenced_names(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from referenced_names(value)
