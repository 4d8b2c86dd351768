"""One OpenAPI document and the files beside it: where everything is, and what `$ref` means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from toolgen.importers.imported_tool import SourceError
from toolgen.schema.document import Path, follow, format_pointer, parse_pointer
from toolgen.suggestions import quoted

_ELSEWHERE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:")
_VERSION = re.compile(r"3\.[012](\.[0-9]+)?([-+].*)?")
_SWAGGER = (
    "Swagger 2.0 is another format: convert it to OpenAPI 3 (https://converter.swagger.io, or "
    "`npx swagger2openapi`), and import that"
)

Load = Callable[[str], Any]
"""Path below the document's folder → the data in that file. Raises `SourceError`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file, "" for the document itself, and the way into it."""

    file: str
    path: Path

    def __truediv__(self, step: str | int) -> Place:
        return Place(self.file, (*self.path, step))


class Library:
    """The document that messages call `name`, and the files that it refers to, read when they are needed."""

    def __init__(self, name: str, data: Any, load: Load) -> None:
        self.name = name
        self._load = load
        self._files: dict[str, Any] = {"": data}
        self.version = _version(data, name)
        self.root: dict[str, Any] = data

    def shown(self, place: Place) -> str:
        """`place` as messages say it: `api.yaml#/paths/~1pets/get`."""
        return f"{place.file or self.name}#{format_pointer(place.path)}"

    def refuse(self, place: Place, why: str, hint: str = "mend the document") -> SourceError:
        """An error about what stands at `place`, to be raised."""
        return SourceError(f"{self.shown(place)}: {why}", hint)

    def target(self, ref: str, at: Place) -> Place:
        """What `ref`, which stands at `at`, leads to. Raises `SourceError` where there is nothing."""
        written, _, fragment = ref.partition("#")
        file = at.file
        if written:
            if _ELSEWHERE.match(written) or "\\" in written:
                raise self.refuse(at, f"{quoted(ref)} leads out of the document's folder", _BUNDLE)
            file = posixpath.normpath(posixpath.join(posixpath.dirname(at.file), unquote(written)))
            if file == ".." or file.startswith("../"):
                raise self.refuse(at, f"{quoted(ref)} leads out of the document's folder", _BUNDLE)
            if file == posixpath.basename(self.name):
                file = ""
            elif file not in self._files:
                self._files[file] = self._load(file)
        if fragment and not fragment.startswith("/"):
            raise self.refuse(at, f"{quoted(ref)} is no JSON Pointer", "write #/components/…")
        place = Place(file, parse_pointer(fragment))
        try:
            follow(self._files[file], place.path)
        except LookupError:
            raise self.refuse(at, f"{quoted(ref)} leads nowhere") from None
        return place

    def value(self, place: Place) -> Any:
        """What stands at `place`."""
        return follow(self._files[place.file], place.path)

    def followed(self, place: Place) -> Place:
        """`place`, or what the `$ref` there leads to in the end. Raises `SourceError` for a loop."""
        seen = [place]
        while isinstance(node := self.value(place), dict) and isinstance(node.get("$ref"), str):
            place = self.target(node["$ref"], place)
            if place in seen:
                raise self.refuse(seen[0], f"{quoted(node['$ref'])} leads back to itself")
            seen.append(place)
        return place

    def mapping(self, place: Place) -> tuple[dict[str, Any], Place]:
        """The object that is meant at `place`, references followed, and where it stands."""
        found = self.followed(place)
        value = self.value(found)
        if not isinstance(value, dict):
            raise self.refuse(found, "must be an object")
        return value, found

    def member(self, owner: dict[str, Any], place: Place, key: str) -> dict[str, Any]:
        """The object under `key` of `owner`, which stands at `place`; empty where there is none."""
        value = owner.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.refuse(place / key, "must be an object")
        return value or {}


_BUNDLE = "put what it refers to below that folder, or bundle the document (`npx @redocly/cli bundle`)"


def _version(data: Any, name: str) -> str:
    if not isinstance(data, dict):
        raise SourceError(f"{name} is no OpenAPI document: it is no object", "give OpenAPI 3.0, 3.1 or 3.2")
    if "swagger" in data and "openapi" not in data:
        raise SourceError(f"{name} is a Swagger {str(data['swagger'])[:8]} document", _SWAGGER)
    version = data.get("openapi")
    if version is None:
        raise SourceError(
            f"{name} is no OpenAPI document: it has no `openapi`", "give OpenAPI 3.0, 3.1 or 3.2"
        )
    if not isinstance(version, str | float) or not _VERSION.fullmatch(str(version)):
        shown = quoted(str(version), 20)
        raise SourceError(f"{name}: OpenAPI {shown} is not read", "give OpenAPI 3.0, 3.1 or 3.2")
    return str(version)[:3]
