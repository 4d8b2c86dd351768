"""Every place of the spec language that accepts text, found in the output of `toolgen export schema`.

New fields of the language are found without a change here. A field whose smallest valid value cannot be
derived from its schema raises `UnknownShapeError`, so that it is not forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = Any
Step = str | int
KEY = "<key>"
"""Last step of a path: the place is a member's name, not its value."""
SHARED = "shared "
EXTENSION = "x-"
"""Field of the place that is an extension's name; its value is also a text."""
_PLAIN = "plain"
_SPECIAL: Mapping[str, str] = {
    "Inject.type": "sqlite3.Connection",
    "Example.error": _PLAIN,
    "Anthropic.allowed_callers[]": "direct",
    "Confirm.only_if": "/items",
    "Deprecated.sunset": "2027-01-31",
    "Page.items": "/items",
    "Page.cursor": "/next",
    "Page.from": "/next",
}


class UnknownShapeError(Exception):
    """A part of the language for which the fuzzer cannot create a value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place for a text in a spec, and the value that surrounds it."""

    label: str
    field: str  # the top-level field; with SHARED before it in a file of shared schemas
    below: tuple[Step, ...]  # path to the text in it; ends in KEY for a member's name
    around: Json  # the value of the field, with a harmless text at the place


def places_of(language: Mapping[str, Any]) -> tuple[Place, ...]:
    """Return every place of the language whose JSON Schema is `language`."""
    walk = _Walk(language["definitions"])
    tool = language["definitions"]["Tool"]
    found = [place for name, part in tool["properties"].items() for place in walk.field(name, part)]
    found += list(walk.extensions())
    found += list(walk.shared(language["definitions"]["Shared"]))
    return tuple({place.label: place for place in found}.values())


@dataclass(frozen=True, slots=True)
class _Found:
    """A place below a value: its path, and the value."""

    path: tuple[Step, ...]
    value: Json
    label: str


class _Walk:
    """Walks the definitions of the language from a field downwards."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def field(self, name: str, part: Json) -> Iterator[Place]:
        for found in self.below(part, name):
            yield Place(found.label, name, found.path, found.value)

    def extensions(self) -> Iterator[Place]:
        for found in _anything("x-*"):
            yield Place(found.label, "x-fuzz", found.path, found.value)
        yield Place("x-* (its name)", EXTENSION, (), 1)

    def shared(self, part: Json) -> Iterator[Place]:
        for name, inner in part["properties"].items():
            for found in self.below(inner, f"shared {name}"):
                yield Place(found.label, SHARED + name, found.path, found.value)

    def below(self, part: Json, label: str) -> Iterator[_Found]:
        """Return every place below a value of this part of the language."""
        part = self._resolved(part)
        if "JsonSchema" in str(part.get("allOf", "")) or part.get("title") == "JSON Schema":
            yield from self._schema(label)
        elif "enum" in part:
            yield _Found((), part["enum"][0], label)
        elif part.get("type") == "string":
            yield _Found((), self._text(part, label), label)
        elif part.get("type") == "array":
            for found in self.below(part["items"], f"{label}[]"):
                yield _Found((0, *found.path), [found.value], found.label)
        elif part.get("type") == "object" and "properties" in part:
            yield from self._object(part, label)
        elif part.get("type") == "object" and isinstance(part.get("additionalProperties"), dict):
            yield _Found((KEY,), {_PLAIN: {"type": "string"}}, f"{label} (a name)")
            for found in self.below(part["additionalProperties"], f"{label}.*"):
                yield _Found((_PLAIN, *found.path), {_PLAIN: found.value}, found.label)
        elif part.get("type") == "object" or "type" not in part:
            yield from _anything(label, mapping=part.get("type") == "object")
        elif part["type"] not in ("boolean", "integer", "number"):
            raise UnknownShapeError(f"{label}: {part}")

    def _resolved(self, part: Json) -> Json:
        if "$ref" in part:
            return self._definitions[part["$ref"].rpartition("/")[2]]
        if len(part.get("allOf", ())) == 1:
            return self._resolved(part["allOf"][0])
        choices = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
        return self._resolved(choices[0]) if choices else part

    def _text(self, part: Json, label: str) -> str:
        field = label.rpartition(".")[2]
        for name, text in _SPECIAL.items():
            if name.rpartition(".")[2] == field and name.partition(".")[0].lower() in label.lower():
                return text
        if not re.search(part.get("pattern", ""), _PLAIN):
            raise UnknownShapeError(f"{label}: no plain text fits {part['pattern']}")
        return _PLAIN

    def _object(self, part: Json, label: str) -> Iterator[_Found]:
        least = {
            name: self.smallest(part["properties"][name], f"{label}.{name}")
            for name in part.get("required", ())
        }
        for name, inner in part["properties"].items():
            for found in self.below(inner, f"{label}.{name}"):
                yield _Found((name, *found.path), {**least, name: found.value}, found.label)
        if part.get("additionalProperties") is True:
            yield _Found((KEY,), {**least, _PLAIN: "x"}, f"{label} (a name)")
            yield _Found((_PLAIN,), {**least, _PLAIN: "x"}, f"{label}.*")

    def smallest(self, part: Json, label: str) -> Json:
        """A valid value."""
        part = self._resolved(part)
        if "const" in part or "enum" in part:
            return part["const"] if "const" in part else part["enum"][0]
        match part.get("type"):
            case "string":
                return self._text(part, label)
            case "object":
                return {
                    name: self.smallest(part["properties"][name], f"{label}.{name}")
                    for name in part.get("required", ())
                }
            case "array":
                least = part.get("minItems", 0)
                return [self.smallest(part["items"], f"{label}[]") for _ in range(least)]
            case "integer" | "number":
                return part.get("minimum", 1)
            case "boolean":
                return True
        if part.get("title") == "JSON Schema" or "JsonSchema" in str(part):
            return {"type": "object"}
        raise UnknownShapeError(f"{label}: {part}")

    def _schema(self, label: str) -> Iterator[_Found]:
        """Return every keyword with text: of the schema itself, and of a property in it."""
        keywords = self._definitions["JsonSchema"]["properties"]
        for keyword, part in keywords.items():
            for found in self._keyword(keyword, part):
                name = f"{label}: {found.label}"
                yield _Found(found.path, {"type": "object", **found.value}, f"{name} at the root")
                inner = {"type": "object", "properties": {"p": found.value}}
                yield _Found(("properties", "p", *found.path), inner, f"{name} of a property")

    def _keyword(self, keyword: str, part: Json) -> Iterator[_Found]:
        schema, plain = {"type": "string"}, _PLAIN
        kinds = set(_types(part))
        if "string" in kinds:
            yield _Found((keyword,), {keyword: plain}, keyword)
        if "names" in kinds:
            yield _Found((keyword, 0), {keyword: [plain]}, f"{keyword}[]")
        if "map" in kinds:
            inner: Json = [plain] if keyword == "dependentRequired" else schema
            yield _Found((keyword, KEY), {keyword: {plain: inner}}, f"{keyword} (a name)")
            if keyword in ("dependentRequired", "dependencies"):
                yield _Found((keyword, plain, 0), {keyword: {plain: [plain]}}, f"{keyword}.*[]")
        if "values" in kinds:
            yield _Found((keyword, 0), {keyword: [plain]}, f"{keyword}[]")
            yield _Found((keyword, 0, KEY), {keyword: [{plain: 1}]}, f"{keyword}[] (a name)")
            yield _Found((keyword, 0, "x"), {keyword: [{"x": plain}]}, f"{keyword}[].x")
        if "value" in kinds:
            yield _Found((keyword,), {keyword: plain}, keyword)
            yield _Found((keyword, KEY), {keyword: {plain: 1}}, f"{keyword} (a name)")
            yield _Found((keyword, 0), {keyword: [plain]}, f"{keyword}[0]")


def _types(part: Json) -> Iterator[str]:
    """Return the kind of a keyword's value: string, names, map, values or value."""
    for choice in [part, *part.get("anyOf", ()), *part.get("allOf", ())]:
        shape = {key for key in choice if key != "description"}
        if choice.get("type") == "string" or "enum" in choice:
            yield "string"
        elif (choice.get("type") == "array" and choice.get("items", {}).get("type") == "string") or (
            choice.get("type") == "array" and "enum" in choice.get("items", {})
        ):
            yield "names"
        elif choice.get("type") == "array" and "items" not in choice:
            yield "values"
        elif choice.get("type") == "object":
            yield "map"
        elif not shape:
            yield "value"


def _anything(label: str, *, mapping: bool = False) -> Iterator[_Found]:
    """Return the places of a value of any kind."""
    if not mapping:
        yield _Found((), _PLAIN, label)
        yield _Found((0,), [_PLAIN], f"{label}[0]")
    yield _Found((KEY,), {_PLAIN: 1}, f"{label} (a name)")
    yield _Found(("x",), {"x": _PLAIN}, f"{label}.x")
    yield _Found(("x", 0, KEY), {"x": [{_PLAIN: 1}]}, f"{label}.x[] (a name)")


class ConflictError(Exception):
    """Two places, or a place and a text, cannot be combined in one value."""


def filled(value: Json, paths: Iterable[tuple[Step, ...]], text: str) -> Json:
    """Return a copy of `value` with `text` at each path; names are replaced last, innermost first."""
    for path in sorted(paths, key=lambda each: (each[-1:] == (KEY,), -len(each))):
        value = _put(value, path, text)
    return value


def _put(value: Json, path: tuple[Step, ...], text: str) -> Json:
    if not path:
        return text
    step, rest = path[0], path[1:]
    if step == KEY:
        if text in value and text != _PLAIN:
            raise ConflictError(text)
        return {text if key == _PLAIN else key: inner for key, inner in value.items()}
    if isinstance(value, list):
        return [_put(inner, rest, text) if index == step else inner for index, inner in enumerate(value)]
    return {**value, step: _put(value[step], rest, text)}


def merged(left: Json, right: Json) -> Json:
    """Merge two values. Raises `ConflictError`."""
    if type(left) is type(right) and left == right:
        return left
    if isinstance(left, dict) and isinstance(right, dict):
        both = {key: merged(left[key], right[key]) for key in left.keys() & right.keys()}
        return {**left, **right, **both}
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [merged(*pair) for pair in zip(left, right, strict=True)]
    raise ConflictError(f"{left!r} and {right!r}")
