"""Describe a schema fault in one sentence: what was expected and what was received."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError

from toolgen.runtime.text import (
    count,
    did_you_mean,
    either,
    nearest,
    quote,
    show,
    show_kind,
    show_literal,
    show_options,
)
from toolgen.schema.document import SchemaDocument, json_type, locate

from .strict_json import NotStrictJsonError, parse_as

_FORMATS = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "P1DT2H",
    "email": "name@example.com",
    "uri": "https://example.com/page",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
    "json-pointer": "/items/0",
    "regex": "^[a-z]+$",
}
_NAMES = 8  # of properties in a sentence


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a value."""

    path: str  # JSON path, such as `$.items[0].quantity`
    message: str  # one line: what was expected, what was received

    def __str__(self) -> str:
        return f"- {self.path}: {self.message}"


def sentence(error: ValidationError, schema: Mapping[str, Any], hide: bool) -> str:
    """Return a sentence on one error: what was expected and, unless `hide`, what was received."""
    kind: Any = error.kind
    name, value = type(kind).__name__, error.instance
    place = part_at(schema, error.schema_path[:-1])
    if name == "Not":
        return _unwanted(place.get("not"), value, hide)
    if name == "FalseSchema":
        names = error.schema_path[-1:] == ["propertyNames"]
        return "no property is allowed here" if names else "nothing is allowed here"
    if name in ("BacktrackLimitExceeded", "RegexEngineFailure"):
        return "too complicated to be checked against the pattern"
    if name == "Contains":
        expected = _contains(error, place)
    elif name == "Pattern":
        pattern = place.get("pattern", kind.pattern)
        expected = _MEANINGS.get(pattern) or f"text that matches the pattern {quote(pattern, 200)}"
    else:
        expected = _expected(name, kind)
    if hide:
        return f"expected {expected}" + (f", got {_type_of(value)}" if name == "Type" else "")
    if name == "Enum":
        return f"expected {expected}, got {show(value)}{did_you_mean(value, kind.options)}"
    return f"expected {expected}, got {_got(name, value)}"


# Texts that runtime/http/styles.py sends, as imports of OpenAPI write them. Without `minLength` and
# look-around, schemas keep their strict forms.
PATH_TEXT = r"^(?:[/\\]|(?:\.{0,2}[^./\\]|\.{3})[^/\\]*(?:[/\\]|$))+$"
HEADER_TEXT = r"^[^\x00-\x1f\x7f]*$"
_MEANINGS = {
    PATH_TEXT: "text for a path, which is not empty and has no . or .. between slashes",
    HEADER_TEXT: "text for a header, in one line and without control characters",
}

_EXPECTED: dict[str, Callable[[Any], str]] = {
    "Type": lambda kind: either(kind.types),
    "Enum": lambda kind: show_options(kind.options),
    "Constant": lambda kind: show_literal(kind.expected_value),
    "Minimum": lambda kind: f"at least {show(kind.limit)}",
    "Maximum": lambda kind: f"at most {show(kind.limit)}",
    "ExclusiveMinimum": lambda kind: f"more than {show(kind.limit)}",
    "ExclusiveMaximum": lambda kind: f"less than {show(kind.limit)}",
    "MultipleOf": lambda kind: f"a multiple of {kind.multiple_of}",
    "MinLength": lambda kind: f"at least {count(kind.limit, 'character')}",
    "MaxLength": lambda kind: f"at most {count(kind.limit, 'character')}",
    "MinItems": lambda kind: f"at least {count(kind.limit, 'item')}",
    "MaxItems": lambda kind: f"at most {count(kind.limit, 'item')}",
    "AdditionalItems": lambda kind: f"at most {count(kind.limit, 'item')}",
    "MinProperties": lambda kind: f"at least {count(kind.limit, 'property')}",
    "MaxProperties": lambda kind: f"at most {count(kind.limit, 'property')}",
    "Format": lambda kind: _format(kind.format),
    "UniqueItems": lambda kind: "items that are all different",
    "UnevaluatedItems": lambda kind: f"{count(len(kind.unexpected), 'item')} fewer",
}


def _contains(error: ValidationError, place: Mapping[str, Any]) -> str:
    inner = _brief(place.get("contains"))
    most = error.schema_path[-1] == "maxContains"
    limit, number = ("at most", place["maxContains"]) if most else ("at least", place.get("minContains", 1))
    fit = "fits" if number == 1 else "fit"
    return f"an array with {limit} {count(number, 'item')} that {fit}{f' ({inner})' if inner else ''}"


def _unwanted(schema: Any, value: Any, hide: bool) -> str:
    """Return the sentence for a value that the schema of `not` accepts."""
    inner = _brief(schema)
    got = "" if hide else f", got {show(value)}"
    if inner:
        return f"expected anything but {inner}{got}"
    names = schema.get("required") if isinstance(schema, dict) and set(schema) == {"required"} else None
    if isinstance(names, list) and names:
        words = " and ".join(map(quote, names[:_NAMES]))
        return f"{words} may not be given {'here' if len(names) == 1 else 'together'}"
    return "this value is not allowed here"


def instead_of_text(text: str, kinds: list[str], place: Mapping[str, Any]) -> str:
    """Return what to send in place of a string if an array or an object is expected."""
    wanted = [kind for kind in ("array", "object") if kind in kinds]
    if not wanted:
        return ""
    try:
        parse_as(text, wanted)
    except NotStrictJsonError as error:
        if text.lstrip()[:1] in ("{", "["):
            return f"; the text {error}"
        item = place.get("items")
        takes_text = isinstance(item, dict) and item.get("type") == "string"
        return f"; send one item as [{quote(text)}]" if takes_text and wanted == ["array"] else ""
    return f"; send the {either(wanted)} itself, not as text"


def _expected(name: str, kind: Any) -> str:
    say = _EXPECTED.get(name)
    return say(kind) if say else f"a value that fits {quote(kind.name)} of the schema"


def _got(name: str, value: Any) -> str:
    if name == "Type":
        return show_kind(value)
    if name in ("MinLength", "MaxLength"):
        return f"{len(value)} ({show(value)})"
    if name == "UniqueItems":
        return "the same value twice"
    return str(len(value)) if name.endswith(("Items", "Properties")) else show(value)


def _type_of(value: Any) -> str:
    kind = json_type(value).replace("integer", "number")
    return kind if kind == "null" else f"{'an' if kind in ('array', 'object') else 'a'} {kind}"


def _format(name: str) -> str:
    example = _FORMATS.get(name)
    return f"a valid {name}{f' such as {example}' if example else ''}"


def unknown_property(name: str, place: Mapping[str, Any], value: Any) -> str:
    """Return the sentence for a property that the object schema `place` does not allow."""
    known = place.get("properties", {})
    patterns = list(place.get("patternProperties", ()))
    near = nearest(name, known)
    if near is not None:
        return f"unknown property; did you mean {quote(near)}?"
    # there may be thousands of unknown names beside thousands of known ones
    others = (word for word in known if not isinstance(value, dict) or word not in value)
    free = list(islice(others, _NAMES + 1))
    if patterns:
        return f"unknown property; names that match {either([quote(text) for text in patterns])} are allowed"
    if not known:
        return "unknown property; none is allowed here"
    if not free:
        return "unknown property"
    more = ", …" if len(free) > _NAMES else ""
    return f"unknown property; still possible: {', '.join(map(quote, free[:_NAMES]))}{more}"


def expected_of(document: SchemaDocument, path: list[str | int], name: str) -> str:
    """Return what is expected of a missing property, by the schema that requires it or one around it."""
    for length in range(len(path) - 1, -1, -1):
        properties = part_at(document.schema, path[:length]).get("properties")
        if isinstance(properties, dict) and name in properties:
            inner = _brief(properties[name]) or _brief(document.resolved(properties[name]))
            return f", expected {inner}" if inner else ""
    return ""


def _brief(schema: Any) -> str:
    """Return a short description of the values that a schema accepts; an empty string if there is none."""
    if not isinstance(schema, dict):
        return ""
    if "const" in schema:
        return show_literal(schema["const"])
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return show_options(schema["enum"])
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    return either(kinds) if isinstance(kinds, list) and kinds else ""


def part_at(schema: Mapping[str, Any], path: Iterable[str | int]) -> Mapping[str, Any]:
    """Return the part of `schema` at `path`; an empty mapping if it is not an object."""
    found = locate(schema, tuple(path))
    return found.value if found is not None and isinstance(found.value, dict) else {}
