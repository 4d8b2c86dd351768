"""A JSON Schema document: its draft, its subschemas, JSON Pointers and anchors into it, and JSON types.

Everything that asks "where are the schemas?", "what does this reference name?" or "of which type is this
value?" asks here, so that a property called `$ref` is never taken for a reference.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from toolgen.schema.keywords import (
    IN_PLACE,
    IN_PLACE_LISTS,
    IN_PLACE_MAPS,
    IN_PLACE_SINGLE,
    MIXED,
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


def replace_refs(schema: Any, refs: Mapping[JsonPath, str], path: JsonPath = ()) -> Any:
    """Return a copy of `schema` with a new `$ref` at each path of `refs`; the order of keys is kept."""
    if isinstance(schema, dict):
        copy = {key: replace_refs(value, refs, (*path, key)) for key, value in schema.items()}
        if path in refs:
            copy["$ref"] = refs[path]
        return copy
    if isinstance(schema, list):
        return [replace_refs(value, refs, (*path, index)) for index, value in enumerate(schema)]
    return schema


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
    return "".join("/" + _escape(str(step)) for step in path)


def plain_pointer(path: JsonPath) -> str:
    """Return `path` as a JSON Pointer in plain text, not escaped for a URI."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


_UNESCAPED: Final = frozenset("!$&'()*+,;=:@-._~")


def _escape(step: str) -> str:
    text = step.replace("~", "~0").replace("/", "~1")
    return "".join(
        char
        if (char.isascii() and char.isalnum()) or char in _UNESCAPED
        else "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))
        for char in text
    )


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


def has_schema_at(document: Any, path: JsonPath) -> bool:
    """True if a schema, an object or a boolean, is at `path`."""
    found = locate(document, path)
    return found is not None and isinstance(found.value, dict | bool)


def resolve_reference(document: Any, reference: object) -> Located | None:
    """Return the part that `#`, `#/a/json/pointer` or `#anchor` names; None if there is none.

    An `$id` below the root is not looked at, nor is `$dynamicAnchor`: what a dynamic reference names depends
    on the way that led to it.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    fragment = reference[1:]
    if fragment.startswith("/") or not (name := unquote(fragment)) or name.startswith("/"):
        return locate(document, parse_pointer(fragment))
    path = anchors(document, dynamic=False).get(name)
    return None if path is None else locate(document, path)


def anchors(schema: Any, *, dynamic: bool = True) -> dict[str, JsonPath]:
    """Return the path of each anchor in `schema`, `$dynamicAnchor` only if `dynamic`."""
    found: dict[str, JsonPath] = {}
    for path, node in subschemas(schema):
        for name in anchor_names(node, dynamic=dynamic):
            found.setdefault(name, path)
    return found


def anchor_names(node: Mapping[str, Any], *, dynamic: bool = True) -> Iterator[str]:
    """Yield the anchors of one subschema. Draft-07 writes them as `$id: "#name"`."""
    for keyword in ("$anchor", "$dynamicAnchor") if dynamic else ("$anchor",):
        if isinstance(name := node.get(keyword), str):
            yield name
    if isinstance(address := node.get("$id"), str) and address.startswith("#"):
        yield address[1:]


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


def count_parts(value: object) -> int:
    """Return the number of values in a JSON value: long texts and numbers count by their length."""
    count, stack = 0, [value]
    while stack:
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


def value_key(value: object) -> object:
    """Return something hashable that is equal for two JSON values if `same_value` is true of them."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *map(value_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, value_key(inner)) for name, inner in value.items()))
    return value
