"""Text that has been read: plain data, and the place of every piece of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

Path = tuple[str | int, ...]
"""How to walk from the root of a document to a piece of it: keys and list positions."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a file as editors count it: lines and columns from 1."""

    file: str  # posix path as the user would type it
    line: int
    column: int
    length: int = 1  # characters on that line


@dataclass(frozen=True, slots=True)
class Marks:
    """Where each key and each value of a document was written."""

    keys: Mapping[Path, Span]
    values: Mapping[Path, Span]


@dataclass(frozen=True)
class Source:
    """One file below the specs folder: its JSON data, and how to find the place of any part.

    Places cost as much as reading does, so they are computed when a fault is shown, not before.
    """

    file: str  # as the user would type it; what spans say
    text: str  # line ends are "\n", no byte order mark
    data: object
    mark: Callable[[], Marks]
    path: str = ""  # posix path below the specs folder; what a `$ref` is relative to

    @cached_property
    def marks(self) -> Marks:
        return self.mark()

    def value(self, path: Path = ()) -> Span:
        """The place of the value at `path`, or of its nearest ancestor that was written down."""
        while path and path not in self.marks.values:
            path = path[:-1]
        return self.marks.values.get(path, Span(self.file, 1, 1))

    def key(self, path: Path) -> Span:
        """The place of the key at `path`; of the value where it has no key of its own."""
        return self.marks.keys.get(path) or self.value(path)
