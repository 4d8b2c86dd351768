"""Completion: what may be written at a position."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.cli.language_server.cursor import Typed, place_at, typed_at
from toolgen.cli.language_server.language import documentation, is_in_schema, kind_of, schemas_at, values_of
from toolgen.cli.language_server.links import Files
from toolgen.cli.language_server.project_files import FileAnalysis
from toolgen.language.codes import lint_codes
from toolgen.language.spec import is_shared_file
from toolgen.language.yaml12.writer import is_plain
from toolgen.schema.document import JsonPath, format_pointer, locate


@dataclass(frozen=True, slots=True)
class Completion:
    """A text to write at the cursor, in the place of the word that ends there."""

    label: str
    text: str
    kind: str  # "field", "value" or "reference"
    detail: str = ""
    about: str = ""
    word: str = ""  # that it replaces


def complete(files: Files, path: str, text: str, line: int, column: int) -> list[Completion]:
    """Return what may be written at a position of a file.

    Args:
        files: The project as it was when each file was last valid.
        path: The file, below the specs folder.
        text: Its text now, which need not be YAML.
        line: From 0.
        column: In characters, from 0.
    """
    found: dict[str, Completion] = {}
    rest = text.split("\n")[line][column:]
    has_colon = rest.lstrip().startswith(":")
    place = place_at(text, line, column)
    here = place.text if place is not None and place.is_key else ""
    for typed in typed_at(text, line, column):
        context = _Context(files, path, text, typed, here)
        for each in context.keys(has_colon) if typed.is_key else context.values():
            found.setdefault(each.label, each)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Context:
    files: Files
    path: str
    text: str
    typed: Typed
    here: str  # the key that the cursor is in, which may be written anew

    @property
    def _file(self) -> FileAnalysis:
        return self.files.files.get(self.path, FileAnalysis(None, None))

    @property
    def _data(self) -> Any:
        source = self._file.source
        return source.data if source is not None else None

    @property
    def _is_shared(self) -> bool:
        data = self._data
        if isinstance(data, Mapping) and data:
            return is_shared_file(data)
        return self.text.lstrip().startswith("$")

    def _at(self, path: JsonPath) -> Any:
        """Return the value at a path of the last valid data; None if there is none."""
        found = locate(self._data, path)
        return None if found is None else found.value

    def _completion(self, value: str, kind: str, detail: str = "", about: str = "") -> Completion:
        quote = self.typed.quote
        if quote:
            text = json.dumps(value, ensure_ascii=False)[1:-1] if quote == '"' else value.replace("'", "''")
        else:
            text = value if is_plain(value, flow=True) else json.dumps(value, ensure_ascii=False)
        return Completion(value, text, kind, detail, about, self.typed.word)

    # Keys

    def keys(self, has_colon: bool) -> Iterator[Completion]:
        """Yield the keys that the mapping may have, and does not have yet."""
        path = self.typed.path
        there = self._at(path)
        written = self.typed.keys | (set(there) if isinstance(there, Mapping) else set()) - {self.here}
        if path[-1:] == ("ignore",) and "x-lint" in path:
            yield from self._as_keys({code: about.title for code, about in lint_codes().items()}, has_colon)
            return
        names: dict[str, str] = {}
        details: dict[str, str] = {}
        for node in self._schemas(path):
            properties = node.get("properties")
            for name in properties if isinstance(properties, dict) else ():
                inner = self._schemas((*path, name))
                names[name], details[name] = documentation(inner), kind_of(inner)
        if path == () or is_in_schema(path, is_shared=self._is_shared):
            names.setdefault("x-lint", "Rules of `toolgen lint` that are ignored here, each with its reason.")
        left = {name: about for name, about in names.items() if name not in written}
        yield from self._as_keys(left, has_colon, details)

    def _schemas(self, path: JsonPath) -> list[dict[str, Any]]:
        return schemas_at(path, is_shared=self._is_shared, tool=self._file.tool)

    def _as_keys(
        self, names: Mapping[str, str], has_colon: bool, details: Mapping[str, str] | None = None
    ) -> Iterator[Completion]:
        for name, about in names.items():
            made = self._completion(name, "field", (details or {}).get(name, ""), about)
            end = "" if has_colon or self.typed.quote else ": "
            yield Completion(name, made.text + end, "field", made.detail, about, made.word)

    # Values

    def values(self) -> Iterator[Completion]:
        """Yield the values that the place may have."""
        path = self.typed.path
        if is_in_schema(path, is_shared=self._is_shared) and path[-1:] in (("$ref",), ("$dynamicRef",)):
            yield from self._references(path)
            return
        yield from self._names(path)
        for value in values_of(self._schemas(path)):
            if isinstance(value, str):
                yield self._completion(value, "value")
            elif not self.typed.quote:
                shown = json.dumps(value)
                yield Completion(shown, shown, "value", word=self.typed.word)

    def _names(self, path: JsonPath) -> Iterator[Completion]:
        match path:
            case ("examples", int(), "error"):
                errors = self._at(("errors",))
                for each in errors if isinstance(errors, list) else ():
                    if isinstance(each, Mapping) and isinstance(each.get("code"), str):
                        about = str(each.get("description", ""))
                        yield self._completion(each["code"], "value", "declared error", about)
            case ("examples", int(), "not", int()) | ("deprecated", "replaced_by"):
                for name, file in sorted(self.files.tools().items()):
                    if file != self.path:
                        yield self._completion(name, "value", file)
            case (*above, "required", int()) if is_in_schema(path, is_shared=self._is_shared):
                properties = self._at((*above, "properties"))
                required = self._at((*above, "required"))
                for name in properties if isinstance(properties, Mapping) else ():
                    if not isinstance(required, list) or name not in required:
                        yield self._completion(str(name), "value", "property")

    def _references(self, path: JsonPath) -> Iterator[Completion]:
        """Yield references to the schemas in `$defs` of this schema, and of shared files."""
        root: JsonPath = () if self._is_shared else path[: 2 if path[0] == "stream" else 1]
        own = self._at((*root, "$defs"))
        for name in own if isinstance(own, Mapping) else ():
            ref = "#" + format_pointer(("$defs", name))
            yield self._completion(ref, "reference", "this file", _about(own[name]))
        folder = posixpath.dirname(self.path) or "."
        for source in self.files.sources():
            if source.path == self.path or not is_shared_file(source.data):
                continue
            definitions: Any = source.data
            for name, schema in (definitions.get("$defs") or {}).items():
                file = posixpath.relpath(source.path, folder)
                ref = f"{file}#{format_pointer(('$defs', name))}"
                yield self._completion(ref, "reference", source.path, _about(schema))


def _about(schema: Any) -> str:
    return documentation([schema]) if isinstance(schema, dict) else ""
