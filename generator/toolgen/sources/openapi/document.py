"""An OpenAPI document and the files beside it: locations, `$ref`, examples, and the log of repairs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from toolgen.base.suggestions import quoted
from toolgen.schema.document import JsonPath, follow, format_pointer, parse_pointer
from toolgen.sources.imported_tool import SourceError

_OUTSIDE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:")
_VERSION = re.compile(r"3\.[012](\.[0-9]+)?([-+].*)?")
_VERSIONS_HINT = "give OpenAPI 3.0, 3.1 or 3.2"
_SWAGGER_HINT = (
    "convert it to OpenAPI 3 (https://converter.swagger.io, or `npx swagger2openapi`), and import the result"
)
_BUNDLE_HINT = "put the file below that folder, or bundle the document (`npx @redocly/cli bundle`)"

LoadFile = Callable[[str], Any]
"""Path below the document's folder → the parsed content of that file. Raises `SourceError`."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the document: a file ("" is the document itself) and the path into it."""

    file: str
    path: JsonPath

    def __truediv__(self, step: str | int) -> Location:
        return Location(self.file, (*self.path, step))


@dataclass(frozen=True, slots=True)
class ObjectNode:
    """An object of the document and its location."""

    data: dict[str, Any]
    location: Location

    def __truediv__(self, step: str | int) -> Location:
        return self.location / step


class OpenApiDocument:
    """A parsed document, called `name` in messages; the files it refers to are loaded when first used."""

    def __init__(self, name: str, data: Any, load: LoadFile) -> None:
        self.name = name
        self._load = load
        self._files: dict[str, Any] = {"": data}
        self.version = _check_version(data, name)
        self.root = ObjectNode(data, Location("", ()))

    def label(self, location: Location) -> str:
        """Return `location` as messages show it: `api.yaml#/paths/~1pets/get`."""
        return f"{location.file or self.name}#{format_pointer(location.path)}"

    def error(self, location: Location, why: str, hint: str = "fix the document") -> SourceError:
        """Return an error at `location`, to be raised."""
        return SourceError(f"{self.label(location)}: {why}", hint)

    def resolve_ref(self, ref: str, location: Location) -> Location:
        """Return the location that `ref`, written at `location`, refers to. Raises `SourceError`."""
        written, _, fragment = ref.partition("#")
        file = location.file
        if written:
            if _OUTSIDE.match(written) or "\\" in written:
                raise self._outside(ref, location)
            file = posixpath.normpath(posixpath.join(posixpath.dirname(location.file), unquote(written)))
            if file == ".." or file.startswith("../"):
                raise self._outside(ref, location)
            if file == posixpath.basename(self.name):
                file = ""
            elif file not in self._files:
                self._files[file] = self._load(file)
        if fragment and not fragment.startswith("/"):
            raise self.error(location, f"{quoted(ref)} is not a JSON Pointer", "write #/components/…")
        target = Location(file, parse_pointer(fragment))
        try:
            follow(self._files[file], target.path)
        except LookupError:
            raise self.error(location, f"{quoted(ref)} refers to nothing") from None
        return target

    def _outside(self, ref: str, location: Location) -> SourceError:
        return self.error(location, f"{quoted(ref)} is outside the document's folder", _BUNDLE_HINT)

    def value_at(self, location: Location) -> Any:
        """Return the value at `location`, a `$ref` unresolved."""
        return follow(self._files[location.file], location.path)

    def follow_refs(self, location: Location) -> Location:
        """Return `location`, or the end of the chain of `$ref` that begins there. Raises `SourceError`."""
        seen = [location]
        while isinstance(value := self.value_at(location), dict) and isinstance(value.get("$ref"), str):
            location = self.resolve_ref(value["$ref"], location)
            if location in seen:
                raise self.error(seen[0], f"{quoted(value['$ref'])} refers back to itself")
            seen.append(location)
        return location

    def object_at(self, location: Location) -> ObjectNode:
        """Return the object at `location`, references resolved. Raises `SourceError`."""
        found = self.follow_refs(location)
        value = self.value_at(found)
        if not isinstance(value, dict):
            raise self.error(found, "must be an object")
        return ObjectNode(value, found)

    def member(self, node: ObjectNode, key: str) -> dict[str, Any]:
        """Return the object under `key` of `node`, empty if it is missing. Raises `SourceError`."""
        value = node.data.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.error(node / key, "must be an object")
        return value or {}


def _check_version(data: Any, name: str) -> str:
    """Return the minor version (`3.1`). Raises `SourceError` for other formats."""
    if not isinstance(data, dict):
        raise SourceError(f"{name} is not an OpenAPI document: it is not an object", _VERSIONS_HINT)
    if "swagger" in data and "openapi" not in data:
        raise SourceError(
            f"{name} is a Swagger {str(data['swagger'])[:8]} document, another format", _SWAGGER_HINT
        )
    version = data.get("openapi")
    if version is None:
        raise SourceError(f"{name} is not an OpenAPI document: it has no `openapi`", _VERSIONS_HINT)
    if not isinstance(version, str | float) or not _VERSION.fullmatch(str(version)):
        shown = quoted(str(version), 20)
        raise SourceError(f"{name}: OpenAPI {shown} is not supported", _VERSIONS_HINT)
    return str(version)[:3]


class RepairLog:
    """What was repaired or ignored in a document: each kind once, with its count and first location."""

    def __init__(self, document: OpenApiDocument) -> None:
        self._document = document
        self._places: dict[str, list[Location]] = {}

    def add(self, message: str, location: Location) -> None:
        """Count one more repair described by `message`."""
        self._places.setdefault(message, []).append(location)

    def messages(self) -> list[str]:
        """Return one sentence per kind, in the order of first occurrence."""
        return [
            f"{self._document.label(places[0])}: {message}"
            + (f" ({len(places):,} places)" if len(places) > 1 else "")
            for message, places in self._places.items()
        ]


# Examples beside the schema of a parameter, a request body or a response


def shown_examples(node: ObjectNode, document: OpenApiDocument, repairs: RepairLog) -> list[Any]:
    """Return the examples of a node: its own, or the one of the schema in it."""
    if "example" in node.data:
        return [node.data["example"]]
    written = node.data.get("examples")
    if isinstance(written, dict) and written:
        return list(_listed(node, written, document, repairs))
    if "schema" not in node.data:
        return []
    schema = document.value_at(document.follow_refs(node / "schema"))
    if isinstance(schema, dict) and "example" in schema:
        return [schema["example"]]
    listed = schema.get("examples") if isinstance(schema, dict) else None
    return listed[:1] if isinstance(listed, list) else []


def _listed(
    node: ObjectNode, written: Mapping[str, Any], document: OpenApiDocument, repairs: RepairLog
) -> Iterator[Any]:
    for name in written:
        location = node / "examples" / name
        try:
            example = document.object_at(location).data
        except SourceError as error:
            repairs.add(f"{error.message}: left out", location)
            continue
        yield from (example[key] for key in ("value", "dataValue") if key in example)  # the second since 3.2
