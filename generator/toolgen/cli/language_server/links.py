"""Links between places of specs: references to schemas, names of tools, codes of errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.cli.language_server.project_files import FileAnalysis
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.references.shared_files import resolve_file_reference
from toolgen.language.source import Source
from toolgen.language.spec import is_shared_file
from toolgen.language.yaml12.writer import is_plain
from toolgen.runtime.definition.spec_schema import schemas_of
from toolgen.schema.document import (
    JsonPath,
    Located,
    SchemaDocument,
    subschemas,
)

_MOST_CHARACTERS: Final = 200  # of a name


@dataclass(frozen=True, slots=True)
class Target:
    """A place that others name: an entry of `$defs`, a tool, an error of a tool."""

    file: str  # path below the specs folder
    path: JsonPath

    def holds(self, other: Target) -> bool:
        """True if `other` is this place, or inside of it."""
        return self.file == other.file and other.path[: len(self.path)] == self.path


@dataclass(frozen=True, slots=True)
class Link:
    """A value that names a target."""

    source: Source
    path: JsonPath  # of the value
    target: Target


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a project, as they were when they were last valid."""

    files: Mapping[str, FileAnalysis]

    def sources(self) -> Iterator[Source]:
        """Yield every file's text and data."""
        yield from (found.source for found in self.files.values() if found.source is not None)

    def source(self, path: str) -> Source | None:
        """Return the text and data of a file."""
        found = self.files.get(path)
        return None if found is None else found.source

    def links(self, source: Source) -> Iterator[Link]:
        """Yield the links in a file."""
        yield from self._references(source)
        data = source.data
        if not isinstance(data, Mapping) or is_shared_file(data):
            return
        tools = self.tools()
        codes = {str(each["code"]): at for at, each in _items(data, "errors") if "code" in each}
        for index, example in _items(data, "examples"):
            if example.get("error") in codes:
                target = Target(source.path, ("errors", codes[example["error"]], "code"))
                yield Link(source, ("examples", index, "error"), target)
            named = example.get("not")
            for number, name in enumerate(named if isinstance(named, list) else ()):
                if name in tools:
                    yield Link(source, ("examples", index, "not", number), Target(tools[name], ("name",)))
        deprecated = data.get("deprecated")
        instead = deprecated.get("replaced_by") if isinstance(deprecated, Mapping) else None
        if instead in tools:
            yield Link(source, ("deprecated", "replaced_by"), Target(tools[instead], ("name",)))

    def tools(self) -> dict[Any, str]:
        """Return the name of every tool, and its file."""
        return {
            source.data["name"]: source.path
            for source in self.sources()
            if isinstance(source.data, Mapping) and isinstance(source.data.get("name"), str)
        }

    def target_at(self, source: Source, path: JsonPath, *, is_key: bool) -> Target | None:
        """Return what the value at `path` names, or the target that the key or value is itself."""
        if not is_key and (link := next((each for each in self.links(source) if each.path == path), None)):
            return link.target
        if is_key and len(path) >= 2 and path[-2] == "$defs" and _is_in_schema(source, path):
            return Target(source.path, path)
        is_named = path == ("name",) or (path[:1] == ("errors",) and path[2:] == ("code",))
        return Target(source.path, path) if is_named else None

    def uses(self, target: Target) -> list[Link]:
        """Return every link to a target, or to what is inside of it."""
        found = (link for source in self.sources() for link in self.links(source))
        return [link for link in found if target.holds(link.target)]

    def _references(self, source: Source) -> Iterator[Link]:
        shared = {each.path: each for each in self.sources() if is_shared_file(each.data)}
        for base, document in _documents(source):
            for here, node in subschemas(document.schema):
                for keyword, found in document.references(node, here):
                    path = (*base, *here, keyword)
                    if isinstance(found, Located):
                        yield Link(source, path, Target(source.path, (*base, *found.path)))
                    elif found.is_elsewhere:
                        meant = resolve_file_reference(node[keyword], source, path, shared)
                        if not isinstance(meant, Diagnostic):
                            target = Target(meant.path, ("$defs", meant.name, *meant.rest))
                            yield Link(source, path, target)


def _documents(source: Source) -> Iterator[tuple[JsonPath, SchemaDocument]]:
    if is_shared_file(source.data):
        yield (), source.document
        return
    for path, schema in schemas_of(source.data):
        if isinstance(schema, Mapping):
            yield path, SchemaDocument(schema)


def _is_in_schema(source: Source, path: JsonPath) -> bool:
    return any(path[: len(base)] == base for base, _ in _documents(source))


def _items(data: Mapping[str, Any], field: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    value = data.get(field)
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, Mapping):
            yield index, each


def as_written(text: str, before: str) -> str:
    """Return text as YAML, in the quotes that `before` has; in others if it needs them."""
    if before.startswith("'"):
        return "'" + text.replace("'", "''") + "'"
    if before.startswith('"') or not is_plain(text, flow=True):
        return json.dumps(text, ensure_ascii=False)
    return text
