"""Where the value at a position is defined: the schema of a `$ref`, a tool, a declared error."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from urllib.parse import unquote

from toolgen.language.source import Source, Span
from toolgen.language.spec import is_shared_file
from toolgen.runtime.definition.spec_schema import SCHEMA_FIELDS
from toolgen.schema.document import JsonPath, Located, SchemaDocument, locate


def find_definition(sources: Mapping[str, Source], path: str, line: int, column: int) -> Span | None:
    """Return the place that the value at a position of a file names; None if it names none.

    Args:
        sources: The specs that can be read, by their paths below the specs folder.
        path: The file.
        line: From 1.
        column: From 1, in characters.
    """
    source = sources.get(path)
    place = _place_at(source, line, column) if source else None
    located = locate(source.data, place) if source and place else None
    if source is None or place is None or located is None or not isinstance(located.value, str):
        return None
    name = located.value
    match place:
        case (*_, "$ref"):
            return _schema(sources, source, place, name)
        case ("examples", int(), "not", int()) | ("deprecated", "replaced_by"):
            tools = (each for each in sources.values() if locate(each.data, ("name",)) == (name, ("name",)))
            return next((each.key(("name",)) for each in tools), None)
        case ("examples", int(), "error"):
            codes = (path for path in source.marks.values if path[::2] == ("errors", "code"))
            found = (path for path in codes if locate(source.data, path) == (name, path))
            return next(map(source.key, found), None)
    return None


def _place_at(source: Source, line: int, column: int) -> JsonPath | None:
    """Return the path of the value at a position, on whose line it begins."""
    places = (
        path
        for path, span in source.marks.values.items()
        if span.line == line and span.column <= column <= span.column + span.length
    )
    return max(places, key=len, default=None)


def _schema(sources: Mapping[str, Source], source: Source, place: JsonPath, ref: str) -> Span | None:
    """Return the place of the schema that a `$ref` names: in its own schema, or in a shared file."""
    file, _, fragment = ref.partition("#")
    if file:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), unquote(file)))
        other = sources.get(path)
        found = other.document.target(f"#{fragment}", ()) if other else None
        return other.key(found.path) if other and isinstance(found, Located) else None
    roots = ((),) if is_shared_file(source.data) else SCHEMA_FIELDS
    for root in roots:
        schema = locate(source.data, root)
        if schema and place[: len(root)] == root:
            found = SchemaDocument(schema.value).target(ref, place[len(root) : -1])
            return source.key((*root, *found.path)) if isinstance(found, Located) else None
    return None
