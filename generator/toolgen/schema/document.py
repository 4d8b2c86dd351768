"""A JSON Schema document: its draft, its subschemas, JSON Pointers and anchors into it, and JSON types.

Everything that asks "where are the schemas?", "what does this reference name?" or "of which type is this
value?" asks here, so that a property called `$ref` is never taken for a reference.
"""

from __future__ import annotations

import enum
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin

from toolgen.schema.keywords import (
    ALL_REFERENCES,
    CONSTRAINING,
    DRAFT_7_ONLY,
    DRAFT_2020_12_ONLY,
    IN_PLACE,
    IN_PLACE_LISTS,
    IN_PLACE_MAPS,
    IN_PLACE_SINGLE,
    MIXED,
    REFERENCES,
    SCHEMA_HOLDING,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
    SINGLE_SCHEMA,
)

JsonPath = tuple[str | int, ...]
"""The way from the root of a document to a part of it: keys and list positions."""

JsonObject = dict[str, Any]
Schema = Mapping[str, Any]
"""A JSON Schema object as plain data, keys in the author's order."""


EXACT: Final = 2**sys.float_info.mant_dig
"""Integers up to here survive as floats."""

MAX_VALUE_DEPTH: Final = 200
"""Maximum nesting of objects and arrays in a value: validators recurse on the C stack."""


class Draft(enum.Enum):
    """A draft of JSON Schema that specs may be written in, by the URI of its meta-schema."""

    DRAFT_7 = "http://json-schema.org/draft-07/schema#"
    DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"


DRAFT_URIS: Final[Mapping[str, Draft]] = {
    "https://json-schema.org/draft/2020-12/schema": Draft.DRAFT_2020_12,
    "https://json-schema.org/draft/2020-12/schema#": Draft.DRAFT_2020_12,
    "http://json-schema.org/draft-07/schema": Draft.DRAFT_7,
    "http://json-schema.org/draft-07/schema#": Draft.DRAFT_7,
    "https://json-schema.org/draft-07/schema": Draft.DRAFT_7,
    "https://json-schema.org/draft-07/schema#": Draft.DRAFT_7,
}
"""The values of `$schema` that are read."""


ASSERTED: Final[Mapping[Draft, frozenset[str]]] = {
    # Section 8 of draft-07's validation lets a validator check encodings and media types; ours does.
    Draft.DRAFT_7: (CONSTRAINING - DRAFT_2020_12_ONLY) | {"contentEncoding", "contentMediaType"},
    # `$recursiveRef` belongs to draft 2019-09. `dependencies` is still read.
    Draft.DRAFT_2020_12: CONSTRAINING - DRAFT_7_ONLY - {"$recursiveRef"},
}
"""The keywords by which the validator accepts or refuses values."""


def draft_of(schema: object) -> Draft | None:
    """Return the draft that `$schema` names, 2020-12 without one; None if it is neither draft of `Draft`."""
    uri = schema.get("$schema") if isinstance(schema, Mapping) else None
    if uri is None:
        return Draft.DRAFT_2020_12
    return DRAFT_URIS.get(uri) if isinstance(uri, str) else None


# Subschemas


def subschemas(schema: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    """Yield every schema object in `schema`, itself first, with its path. Boolean schemas are left out."""
    stack: list[tuple[JsonPath, Any]] = [(path, schema)]
    while stack:
        here, node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield here, node
        if not SCHEMA_HOLDING.isdisjoint(node):
            stack += reversed(_children(node, here))


def _children(node: Mapping[str, Any], here: JsonPath) -> list[tuple[JsonPath, Any]]:
    found: list[tuple[JsonPath, Any]] = []
    for keyword, value in node.items():
        if keyword not in SCHEMA_HOLDING:
            continue
        if keyword in SINGLE_SCHEMA or (keyword == "items" and not isinstance(value, list)):
            found.append(((*here, keyword), value))
        elif isinstance(value, dict) and (keyword in SCHEMA_MAPS or keyword in MIXED):
            found += [((*here, keyword, name), inner) for name, inner in value.items()]
        elif isinstance(value, list) and (keyword in SCHEMA_LISTS or keyword == "items"):
            found += [((*here, keyword, index), inner) for index, inner in enumerate(value)]
    return found


def in_place_subschemas(schema: Mapping[str, Any], path: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the schemas that apply to the same value as `schema`, except those behind a `$ref`."""
    if IN_PLACE.isdisjoint(schema):
        return
    for keyword, value in schema.items():
        if keyword in IN_PLACE_SINGLE:
            yield (*path, keyword), value
        elif keyword in IN_PLACE_LISTS and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (*path, keyword, index), inner
        elif keyword in IN_PLACE_MAPS and isinstance(value, dict):
            for name, inner in value.items():
                yield (*path, keyword, name), inner


def edited(schema: Any, edit: Callable[[JsonPath, JsonObject], JsonObject]) -> Any:
    """Return a copy of `schema` with each subschema as `edit` returns it, given its path and its copy."""
    paths = {path for path, _ in subschemas(schema)}

    def copied(value: Any, path: JsonPath) -> Any:
        if isinstance(value, list):
            return [copied(inner, (*path, index)) for index, inner in enumerate(value)]
        if not isinstance(value, dict):
            return value
        copy = {key: copied(inner, (*path, key)) for key, inner in value.items()}
        return edit(path, copy) if path in paths else copy

    return copied(schema, ())


def replace_refs(schema: Any, refs: Mapping[JsonPath, str]) -> Any:
    """Return a copy of `schema` with a new `$ref` at each path of `refs`; the order of keys is kept."""
    return edited(schema, lambda path, node: {**node, "$ref": refs[path]} if path in refs else node)


# JSON Pointers (RFC 6901) in URI fragments, and anchors


class Located(NamedTuple):
    """A part of a document, and its path."""

    value: Any
    path: JsonPath


def parse_pointer(fragment: str) -> JsonPath:
    """Return the reference tokens of a JSON Pointer in a URI fragment, `#` left out. All are text."""
    return pointer_tokens(unquote(fragment))


def pointer_tokens(pointer: str) -> tuple[str, ...]:
    """Return the reference tokens of a JSON Pointer (RFC 6901)."""
    tokens = pointer.split("/")[1:]
    if "~" not in pointer:
        return tuple(tokens)
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def format_pointer(path: JsonPath) -> str:
    """Return `path` as a JSON Pointer in a URI fragment, `#` left out."""
    return quote(plain_pointer(path), safe="/!$&'()*+,;=:@-._~")


def plain_pointer(path: JsonPath) -> str:
    """Return `path` as a JSON Pointer in plain text, not escaped for a URI."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def locate(document: Any, path: JsonPath) -> Located | None:
    """Return the part of `document` at `path`, list positions as numbers; None if there is none."""
    found, steps = document, list[str | int]()
    for step in path:
        if isinstance(found, dict | Mapping):  # `dict` is the fast case
            key = step if isinstance(step, str) else str(step)
            if key not in found:
                return None
            found = found[key]
            steps.append(key)
        elif isinstance(found, list):
            if isinstance(step, str) and not (step.isascii() and step.isdigit()):
                return None
            index = int(step)
            if index >= len(found):
                return None
            found = found[index]
            steps.append(index)
        else:
            return None
    return Located(found, tuple(steps))


def follow(document: Any, path: JsonPath) -> Any:
    """Return the value at `path`. Raises `LookupError` if there is none."""
    found = locate(document, path)
    if found is None:
        raise LookupError(format_pointer(path))
    return found.value


# Documents and their references


@dataclass(frozen=True, slots=True)
class NoTarget:
    """Why it is not known before a call what a reference names."""

    value: ClassVar[None] = None
    reason: str
    is_elsewhere: bool = False  # it names another document
    candidates: tuple[Located, ...] = ()  # a call decides which of these it names


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that a document offers to its references."""

    resources: Mapping[JsonPath, str]  # path of a subschema with an `$id` → its absolute address
    addresses: Mapping[str, JsonPath]
    anchors: Mapping[tuple[JsonPath, str], list[JsonPath]]  # resource and anchor → subschemas
    dynamic: Mapping[str, list[JsonPath]]  # `$dynamicAnchor` → subschemas
    are_plain: bool


@dataclass(frozen=True)
class SchemaDocument:
    """A JSON Schema, with one answer to each question about its draft and its references.

    Build one for each schema when its references are bound, and pass it on. Answers are computed when they
    are first asked for.

    Args:
        schema: The schema as the author wrote it. Definitions of other files have been copied into its
            `$defs`, so that every reference leads to a place inside.
    """

    schema: Schema
    _targets: dict[tuple[JsonPath, str, str], Located | NoTarget] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def draft(self) -> Draft | None:
        """The draft that `$schema` names; None if it is not one that specs can be written in."""
        return draft_of(self.schema)

    @cached_property
    def siblings_apply(self) -> bool:
        """False in draft-07, which ignores the keywords beside a `$ref`."""
        return self.draft is not Draft.DRAFT_7

    def target(self, reference: object, at: JsonPath = (), keyword: str = "$ref") -> Located | NoTarget:
        """Return the schema that `reference` names, the value of `keyword` in the subschema at `at`.

        See JSON Schema 2020-12 core, sections 8.2 and 9.2.
        """
        if not isinstance(reference, str):
            return NoTarget("a reference must be a string")
        resource = self.resource_of(at)
        key = (resource, keyword, reference)
        found = self._targets.get(key)
        if found is None:
            found = self._targets[key] = self._resolve(resource, keyword, reference)
        return found

    def resource_of(self, path: JsonPath) -> JsonPath:
        """Return the path of the schema that `#` means in the subschema at `path`: of the nearest `$id`."""
        return _resource_around(self._names.resources, path) if path else ()

    def references(self, node: Schema, at: JsonPath = ()) -> Iterator[tuple[str, Located | NoTarget]]:
        """Yield the keywords of `node`, the subschema at `at`, that refer to others, with their targets."""
        for keyword in _REFERENCES[self.draft]:
            if isinstance(node.get(keyword), str):
                yield keyword, self.target(node[keyword], at, keyword)

    def resolved(self, schema: Any) -> Any:
        """Return a schema of this document, or what its references lead to in the end; None if unknown.

        The document must be `plain`.
        """
        for _ in range(_MOST_HOPS):
            if not isinstance(schema, dict) or "$ref" not in schema:
                return schema
            schema = self.target(schema["$ref"]).value
        return None

    def same_value_schemas(self, schemas: Iterable[Any], unknown: Schema | None = None) -> list[Schema]:
        """Return the `schemas` of this document, and all that apply to the same value as one of them.

        The document must be `plain`. `unknown` stands for what a reference without a target may name.
        """
        seen: dict[int, Schema] = {}
        waiting = list(schemas)
        for node in waiting:  # grows
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen[id(node)] = node
            waiting += [inner for _, inner in in_place_subschemas(node, ())]
            for _, target in self.references(node):
                waiting.append(unknown if target.value is None else target.value)
        return list(seen.values())

    @property
    def is_plain(self) -> bool:
        """True if every reference is a JSON Pointer from the root, and nothing below it has another name."""
        return self._names.are_plain

    @cached_property
    def plain(self) -> SchemaDocument:
        """The same document with JSON Pointers from its root as references, and without names for others.

        Subschemas keep their paths. A `$dynamicRef` with one possible target becomes a `$ref`; one that
        depends on the call is left as it is.
        """
        return self if self.is_plain else SchemaDocument(_with_pointers(self))

    @property
    def rewritten(self) -> SchemaDocument:
        """`plain`, which accepts the same values; this document if a call decides what a reference names."""
        return self.plain if self.plain.is_plain else self

    def _resolve(self, resource: JsonPath, keyword: str, reference: str) -> Located | NoTarget:
        written, _, fragment = reference.partition("#")
        if written:
            found = None
            if self._names.addresses:  # joining them is expensive
                address = _join(self._names.resources.get(resource, _BASE), written)
                found = self._names.addresses.get(address)
            if found is None:
                return NoTarget("a reference leads out of the schema", is_elsewhere=True)
            resource = found
        name = unquote(fragment)
        if name and not name.startswith("/"):
            return self._anchored(resource, keyword, name)
        target = locate(self.schema, (*resource, *parse_pointer(fragment)))
        if target is None or not isinstance(target.value, dict | bool):
            return NoTarget("a reference names nothing in the schema")
        return target

    def _anchored(self, resource: JsonPath, keyword: str, name: str) -> Located | NoTarget:
        paths = self._names.anchors.get((resource, name), ())
        if len(paths) != 1:
            return NoTarget("several schemas have one anchor" if paths else "a reference names no anchor")
        target = Located(follow(self.schema, paths[0]), paths[0])
        if keyword == "$dynamicRef" and target.value.get("$dynamicAnchor") == name:
            found = [Located(follow(self.schema, path), path) for path in self._names.dynamic[name]]
            # The root is the outermost scope of every call, so that its anchor comes first (section 8.2.3.2).
            # Validators leave it out for a resource that is evaluated where it is written.
            if all(_DEFINITIONS.issuperset(path[::2]) for path in self._names.resources):
                found = [each for each in found if not self.resource_of(each.path)] or found
            if len(found) > 1:
                return NoTarget("`$dynamicRef` may name several schemas", candidates=tuple(found))
            return found[0]
        return target

    @cached_property
    def _names(self) -> _Names:
        resources: dict[JsonPath, str] = {}
        addresses: dict[str, JsonPath] = {}
        anchors: dict[tuple[JsonPath, str], list[JsonPath]] = {}
        dynamic: dict[str, list[JsonPath]] = {}
        are_plain = True
        for path, node in subschemas(self.schema):  # each before those inside
            if _NAMING.isdisjoint(node):
                continue
            are_plain = are_plain and _is_plain(node, path) and self._ignored(node).isdisjoint(node)
            address = node.get("$id")
            if isinstance(address, str) and address.partition("#")[0] and not self._ignored(node):
                base = resources.get(_resource_around(resources, path), _BASE)
                resources[path] = _join(base, address.rstrip("#"))
                addresses.setdefault(resources[path], path)
            names = {str(node[keyword]) for keyword in _NAMES if keyword in node}
            if isinstance(address, str) and address.startswith("#"):  # an anchor of draft-07
                names.add(address[1:])
            for name in names:
                anchors.setdefault((_resource_around(resources, path), name), []).append(path)
            if "$dynamicAnchor" in node:
                dynamic.setdefault(str(node["$dynamicAnchor"]), []).append(path)
        return _Names(resources, addresses, anchors, dynamic, are_plain)

    def _ignored(self, node: Schema) -> frozenset[str]:
        """Return the keywords that a subschema may have in vain, beside its `$ref`."""
        return _BESIDE if "$ref" in node and not self.siblings_apply else _NO_KEYWORDS


_MOST_HOPS: Final = 50  # references one after another; `Budget.references` allows 40
_REFERENCES: Final[Mapping[Draft | None, tuple[str, ...]]] = {
    Draft.DRAFT_7: ("$ref",),
    Draft.DRAFT_2020_12: REFERENCES,
    None: ALL_REFERENCES,
}
_NO_KEYWORDS: Final = frozenset[str]()
# `format: password` marks a secret even where it is ignored.
_BESIDE: Final = CONSTRAINING - {"$ref", "format"}
_NAMES: Final = ("$anchor", "$dynamicAnchor")
_DEFINITIONS: Final = frozenset(("$defs", "definitions"))
_NAMING: Final = frozenset((*REFERENCES, *_NAMES, "$id"))
_BASE: Final = "json-schema:///"
"""The address of a document without an `$id`, as the validator has it."""


def _resource_around(resources: Mapping[JsonPath, str], path: JsonPath) -> JsonPath:
    """Return the path of the nearest resource that holds `path`, the root if there is none."""
    if not resources:
        return ()
    return next((path[:size] for size in range(len(path), 0, -1) if path[:size] in resources), ())


def _join(base: str, reference: str) -> str:
    """Return the absolute address of `reference`, which is relative to `base` (RFC 3986, section 5)."""
    try:
        return urljoin(base, reference)
    except ValueError:  # not an address
        return reference


def _is_plain(node: Schema, path: JsonPath) -> bool:
    reference, address = node.get("$ref", "#"), node.get("$id")
    return (
        not any(keyword in node for keyword in (*_NAMES, "$dynamicRef"))
        and not (isinstance(address, str) and (path or address.startswith("#")))
        and isinstance(reference, str)
        and (reference == "#" or reference.startswith("#/"))
        and ("%" not in reference or reference == "#" + format_pointer(parse_pointer(reference[1:])))
    )


def _with_pointers(document: SchemaDocument) -> Schema:
    """Return the schema of `document.plain`."""
    nodes = dict(subschemas(document.schema))
    edits: dict[JsonPath, dict[str, str]] = {}  # keyword → the reference instead
    targets: set[JsonPath] = set()  # and the places around them
    is_decided = True
    waiting = list(nodes.items())
    for path, node in waiting:  # grows: a reference may lead to a place that no keyword makes a schema
        for keyword, target in document.references(node, path):
            if isinstance(target, NoTarget):
                is_decided = False
                continue
            edits.setdefault(path, {})[keyword] = "#" + format_pointer(target.path)
            targets.update(target.path[:size] for size in range(len(target.path) + 1))
            if isinstance(target.value, dict) and target.path not in nodes:
                new = dict(subschemas(target.value, target.path))
                nodes |= new
                waiting += new.items()

    def is_left_out(key: str, value: Any, path: JsonPath) -> bool:
        if key == "$id":
            return isinstance(value, str) and (bool(path) or value.startswith("#"))
        return key == "$anchor" or (key == "$dynamicAnchor" and is_decided)

    def written(value: Any, path: JsonPath) -> Any:
        if isinstance(value, list):
            return [written(inner, (*path, index)) for index, inner in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if path not in nodes:
            return {key: written(inner, (*path, key)) for key, inner in value.items()}
        edited, ignored, copy = edits.get(path, {}), document._ignored(value), {}
        for key, inner in value.items():
            if key in edited:
                copy["$ref" if "$ref" not in value else key] = edited[key]
            elif not is_left_out(key, inner, path) and (key not in ignored or (*path, key) in targets):
                copy[key] = written(inner, (*path, key))
        return copy

    made: Schema = written(document.schema, ())
    return made


# JSON types and equality


def json_type(value: object) -> str:
    """Return the JSON type of `value`; "integer" for whole numbers that are written as such."""
    return _JSON_TYPES[type(value)]


_JSON_TYPES: Final[Mapping[type, str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def is_type(value: object, name: str) -> bool:
    """True if `value` is of the JSON type `name`. 1 is a number, and 1.0 is an integer."""
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, int):
        return name in ("integer", "number")
    if isinstance(value, float):
        return name == "number" or (name == "integer" and value.is_integer())
    return _JSON_TYPES.get(type(value)) == name


def same_value(a: object, b: object) -> bool:
    """True if two JSON values are equal: 1 equals 1.0, and neither equals true."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(value, b[key]) for key, value in a.items())
    return a == b


def count_parts(value: object, most: float = math.inf) -> int:
    """Return the number of values in a JSON value: long texts and numbers count by their length.

    If there are more than `most`, the rest is not counted.
    """
    count, stack = 0, [value]
    while stack and count <= most:
        part = stack.pop()
        count += 1
        if isinstance(part, str):
            count += len(part) // 100
        elif isinstance(part, int):
            count += part.bit_length() // 64
        elif isinstance(part, list):
            stack += part
        elif isinstance(part, dict):
            stack += part.values()
            count += sum(map(len, part)) // 100
    return count


def is_deeper(value: object, levels: int) -> bool:
    """True if `value` has more than so many levels of objects and lists, scalars the last one."""
    # level by level: recursion would end at Python's own limit
    level, number = [value], 0
    while level and number < levels:
        level = [inner for outer in level for inner in _parts(outer)]
        number += 1
    return bool(level)


def _parts(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else as_list(value)


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty one: a keyword may have any value that means nothing."""
    return value if isinstance(value, list) else []


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one; see `as_list`."""
    return value if isinstance(value, Mapping) else {}


_SCALARS: Final = frozenset((str, int, float, bool, type(None)))


def unshared(value: Any) -> Any:
    """Return a deep copy of JSON data in which no object occurs twice."""
    if type(value) in _SCALARS:  # a fast exit: checks with the class Mapping take long
        return value
    if isinstance(value, dict | Mapping):  # `dict` is the fast case
        return {key: unshared(inner) for key, inner in value.items()}
    return [unshared(inner) for inner in value] if isinstance(value, list) else value


def value_key(value: object) -> object:
    """Return something hashable that is equal for two JSON values if `same_value` is true of them."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *map(value_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, value_key(inner)) for name, inner in value.items()))
    return value
