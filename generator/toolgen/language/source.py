"""A parsed source file: its data, and the location of every value in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a check of unchanged specs needs no schema
    from toolgen.schema.document import JsonPath, SchemaDocument


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A location in a file: line and column count from 1, as in editors."""

    file: str  # posix path as the user would type it
    line: int
    column: int
    length: int = 1  # characters on that line


@dataclass(frozen=True)
class Marks:
    """The location of each key and each value of a document."""

    keys: Mapping[JsonPath, Span]
    values: Mapping[JsonPath, Span]

    @cached_property
    def paths(self) -> Mapping[Span, JsonPath]:
        """The first path at each location: a value's before a key's."""
        places = (*self.values.items(), *self.keys.items())
        return {span: path for path, span in reversed(places)}


@dataclass(frozen=True)
class Source:
    """A file below the specs folder: its JSON data and the locations of its values.

    Locations are as expensive as parsing, so they are computed when the first diagnostic needs them.
    """

    file: str  # as the user would type it; used in spans
    text: str  # line ends are "\n", no byte order mark
    data: object
    mark: Callable[[], Marks]
    path: str = ""  # posix path below the specs folder; what a `$ref` is relative to
    suppressions: Mapping[JsonPath, object] = field(default_factory=dict)  # path of an `x-lint` → its value

    @cached_property
    def marks(self) -> Marks:
        return self.mark()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends. A file may have a fault on each."""
        return self.text.split("\n")

    @cached_property
    def document(self) -> SchemaDocument:
        """The data of a file of shared schemas, as one schema."""
        from toolgen.schema.document import SchemaDocument  # only files of shared schemas need it

        return SchemaDocument(self.data if isinstance(self.data, Mapping) else {})

    def value(self, path: JsonPath = ()) -> Span:
        """Return the location of the value at `path`, or of its nearest ancestor in the file."""
        return self.marks.values.get(self._written(path), Span(self.file, 1, 1))

    def path_at(self, span: Span) -> JsonPath:
        """Return the path of the value or key at `span`; that of the file for another place."""
        return self.marks.paths.get(span, ())

    def nearest_key(self, path: JsonPath) -> Span:
        """Return the location of the key at `path`, or of its nearest ancestor that is written."""
        return self.key(self._written(path))

    def _written(self, path: JsonPath) -> JsonPath:
        # Values behind an alias have no location of their own.
        while path and path not in self.marks.values:
            path = path[:-1]
        return path

    def key(self, path: JsonPath) -> Span:
        """Return the location of the key at `path`; of the value if it has no key."""
        return self.marks.keys.get(path) or self.value(path)
