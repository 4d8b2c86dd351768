"""An OpenAPI document and the files beside it: locations, `$ref`, examples, and the log of repairs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import unquote, urljoin

from toolgen.base.suggestions import quoted
from toolgen.language.source import Source
from toolgen.schema.document import JsonPath, follow, format_pointer, parse_pointer
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import errors_at, place_in

_OUTSIDE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:")
_VERSION = re.compile(r"3\.[012](\.[0-9]+)?([-+].*)?")
_VERSIONS_HINT = "give OpenAPI 3.0, 3.1 or 3.2"
_SWAGGER_HINT = (
    "convert it to OpenAPI 3 (https://converter.swagger.io, or `npx swagger2openapi`), and import the result"
)
_BUNDLE_HINT = "put the file below that folder, or bundle the document (`npx @redocly/cli bundle`)"
_DANGLING_HINT = "write what it refers to into the document, or remove the reference"

_SCHEMAS = ("components", "schemas")

LoadFile = Callable[[str], Source]
"""Path below the document's folder → the parsed file. Raises `SourceError`."""


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
    """A parsed document; the files it refers to are loaded when first used."""

    def __init__(self, source: Source, load: LoadFile) -> None:
        self.name = source.file
        self._load = load
        self._files = {"": source}
        self._ends: dict[Location, Location] = {}  # of chains of references
        self.root = ObjectNode(cast("dict[str, Any]", source.data), Location("", ()))
        self.version = self._check_version()

    def _check_version(self) -> str:
        """Return the minor version (`3.1`). Raises `SourceError` for other formats."""
        data, here = self.root.data, self.root.location
        if not isinstance(data, dict):
            raise self.error(here, "not an OpenAPI document: it is not an object", _VERSIONS_HINT)
        if "swagger" in data and "openapi" not in data:
            message = f"Swagger {str(data['swagger'])[:8]} is another format"
            raise self.error(here / "swagger", message, _SWAGGER_HINT)
        version: Any = data.get("openapi")
        if version is None:
            raise self.error(here, "not an OpenAPI document: it has no `openapi`", _VERSIONS_HINT)
        if not isinstance(version, str | float) or not _VERSION.fullmatch(str(version)):
            message = f"OpenAPI {quoted(str(version))} is not supported"
            raise self.error(here / "openapi", message, _VERSIONS_HINT)
        return str(version)[:3]

    def label(self, location: Location) -> str:
        """Return `location` as messages show it: `api.yaml:9:5 (#/paths/~1pets/get)`."""
        return place_in(self._files[location.file], location.path)

    def error(self, location: Location, why: str, hint: str = "fix the document") -> SourceError:
        """Return an error at `location`, to be raised."""
        return SourceError(f"{self.label(location)}: {why}", hint)

    def resolve_ref(self, ref: str, location: Location) -> Location:
        """Return the location that `ref`, written at `location`, refers to. Raises `SourceError`."""
        written, _, fragment = ref.partition("#")
        # parts of a document that was split refer to the entry document as `#`
        files = [self._file(written, ref, location)] if written else [location.file, ""]
        if fragment and not fragment.startswith("/"):
            raise self.error(location, f"{quoted(ref)} is not a JSON Pointer", "write #/components/…")
        for file in files:
            with suppress(LookupError):
                return self._below(Location(file, ()), parse_pointer(fragment))
        raise self.error(location, f"{quoted(ref)} refers to nothing", _DANGLING_HINT)

    def _below(self, location: Location, path: JsonPath) -> Location:
        """Return the location of `path` below `location`, where objects may be references to their content.

        Raises `LookupError`.
        """
        for step in path:
            value = self.value_at(location)
            if isinstance(value, dict) and "$ref" in value and step not in value:
                location = self.follow_refs(location)
            location /= step
        self.value_at(location)
        return location

    def component(self, kind: str, name: str, location: Location) -> Location:
        """Return the component that `name`, written at `location`, means. Raises `SourceError`.

        It is one of the entry document, whichever file has the name; or else of another one, or a reference.
        https://spec.openapis.org/oas/v3.1.1#resolving-implicit-connections
        """
        path = ("components", kind, name)
        for file in ("", location.file, *self._files):
            with suppress(LookupError):
                return self.follow_refs(self._below(Location(file, ()), path))
        is_ref = "#" in name or "/" in name or "." in name
        return self.follow_refs(self.resolve_ref(name if is_ref else f"#{format_pointer(path)}", location))

    def schema_name(self, location: Location) -> str:
        """Return the name of the schema at `location`: as a component of the entry document if it is one."""
        step = location.path[-1] if location.path else PurePosixPath(location.file).name.partition(".")[0]
        return self._schema_names.get(location, str(step))

    @cached_property
    def _schema_names(self) -> dict[Location, str]:
        """Return the names of schemas that only refer to others: those of components win."""
        names = {found: name for name, found in reversed(list(self.schemas()))}
        return names | {found: str(found.path[-1]) for found in names if found.path[:-1] == _SCHEMAS}

    def schemas(self) -> Iterator[tuple[str, Location]]:
        """Yield the name and location of each schema among the components of the entry document."""
        with suppress(LookupError, SourceError):
            schemas = self.object_at(self._below(self.root.location, _SCHEMAS))
            for name in schemas.data:
                with suppress(SourceError):
                    yield name, self.follow_refs(schemas / name)

    def _file(self, written: str, ref: str, location: Location) -> str:
        """Return the file that the path `written` names, loaded."""
        file = posixpath.normpath(posixpath.join(posixpath.dirname(location.file), unquote(written)))
        if file == posixpath.basename(self.name) or written == self.name:
            return ""
        if _OUTSIDE.match(written) or "\\" in written or file == ".." or file.startswith("../"):
            message = f"{quoted(ref)} is outside the document's folder"
            raise self.error(location, message, _BUNDLE_HINT)
        if file not in self._files:
            with errors_at(self.label, location):
                self._files[file] = self._load(file)
        return file

    def value_at(self, location: Location) -> Any:
        """Return the value at `location`, a `$ref` unresolved."""
        return follow(self._files[location.file].data, location.path)

    def follow_refs(self, location: Location) -> Location:
        """Return `location`, or the end of the chain of `$ref` that begins there. Raises `SourceError`."""
        first, seen = location, {location}
        while isinstance(value := self.value_at(location), dict) and isinstance(value.get("$ref"), str):
            location = self._ends.get(location) or self.resolve_ref(value["$ref"], location)
            if location in seen:
                raise self.error(first, f"{quoted(value['$ref'])} refers back to itself")
            seen.add(location)
        self._ends |= dict.fromkeys(seen, location)
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


def joined_url(base: str, reference: str) -> str:
    """Return `reference` relative to `base`; as it is if one of them is not a URL."""
    try:
        return urljoin(base, reference)
    except ValueError:  # brackets that do not hold an IP address
        return reference


class RepairLog:
    """What was repaired or ignored in a document: each kind once, with its count and first location."""

    def __init__(self, document: OpenApiDocument) -> None:
        self._document = document
        self._places: dict[str, list[Location]] = {}

    def add(self, message: str, *location: Location) -> None:
        """Count one more repair described by `message`, which may have the location itself."""
        self._places.setdefault(message, []).extend(location)

    def messages(self) -> list[str]:
        """Return one sentence per kind, in the order of first occurrence."""
        return [
            "".join(f"{self._document.label(place)}: " for place in places[:1])
            + message
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
            repairs.add(f"{error.message}: left out")
            continue
        yield from (example[key] for key in ("value", "dataValue") if key in example)  # the second since 3.2
