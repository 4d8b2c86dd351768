"""The documents that an editor has opened, and the projects that they are in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from lsprotocol.types import Position
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from toolgen.cli.language_server.project_files import ProjectFiles
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import decode_text
from toolgen.language.yaml12.reader import DocumentError
from toolgen.project import UnableError, find_root

_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a buffer: lines and columns count from 0, columns in characters of the source text."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Buffer:
    """The text of a document as an editor has it.

    Args:
        text: With the editor's line ends, and its byte order mark if it keeps one.
        units: `utf-16`, `utf-8` or `utf-32`: what the editor counts in a line.
    """

    text: str
    units: str = "utf-16"

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines as `Source.text` has them: without line ends and byte order mark."""
        return _LINE_ENDS.split(self.text.removeprefix(_BOM))

    @cached_property
    def source_text(self) -> str:
        """The text as `Source.text` has it."""
        return "\n".join(self.lines)

    @cached_property
    def _codec(self) -> PositionCodec:
        return PositionCodec(self.units)

    def _mark(self, line: int) -> str:
        return _BOM if line == 0 and self.text.startswith(_BOM) else ""

    def to_editor(self, line: int, column: int) -> Position:
        """Return the editor's position of a place, given as line and column from 0."""
        line = min(line, len(self.lines) - 1)
        return Position(line, self._codec.client_num_units(self._mark(line) + self.lines[line][:column]))

    def from_editor(self, position: Position) -> tuple[int, int]:
        """Return line and column from 0 of an editor's position; one behind a line is its end."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        mark = self._mark(position.line)
        line = mark + self.lines[position.line]
        character = min(position.character, self._codec.client_num_units(line))
        found = self._codec.position_from_client_units([line], Position(0, character))
        return position.line, max(found.character - len(mark), 0)

    def replaced(self, new: str) -> Edit:
        """Return the edit that makes `new`, a text with "\\n", of the whole text, with its line ends."""
        found = _LINE_ENDS.search(self.text)
        text = new.removeprefix(_BOM).replace("\n", found[0] if found else "\n")
        return Edit((0, 0), (len(self.lines) - 1, len(self.lines[-1])), text)


@dataclass(frozen=True, slots=True)
class Document:
    """A spec that is open in the editor."""

    uri: str
    project: ProjectFiles
    path: str  # below the specs folder
    buffer: Buffer


class Documents:
    """The open documents by their URIs, and the projects by their folders."""

    def __init__(self) -> None:
        self.units = "utf-16"
        self.projects: dict[Path, ProjectFiles] = {}
        self.refused: dict[Path, Exception] = {}  # folder → why its configuration is not used
        self._texts: dict[str, str] = {}
        self._documents: dict[str, Document] = {}

    def __getitem__(self, uri: str) -> Document | None:
        return self._documents.get(uri)

    def set_text(self, uri: str, text: str) -> Document | None:
        """Take the text of a document; return it if it is a spec of a project."""
        self._texts[uri] = text
        document = self._find(uri, text)
        if document is None:
            self._documents.pop(uri, None)
            return None
        self._documents[uri] = document
        document.project.set_text(document.path, text)
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document: its text on disk counts again."""
        self._texts.pop(uri, None)
        document = self._documents.pop(uri, None)
        if document is not None:
            document.project.set_text(document.path, None)
        return document

    def reload(self) -> None:
        """Read all configurations again, and find the projects of open documents anew."""
        self.projects.clear()
        self.refused.clear()
        for uri, text in list(self._texts.items()):
            self.set_text(uri, text)

    def _find(self, uri: str, text: str) -> Document | None:
        known = self._documents.get(uri)
        if known is not None and known.project in self.projects.values():
            return Document(uri, known.project, known.path, Buffer(text, self.units))
        name = to_fs_path(uri) if uri.startswith("file:") else None
        if not name:
            return None
        file = Path(os.path.realpath(name))
        project = self._project(file.parent)
        path = project.path_of(file) if project is not None else None
        if project is None or path is None:
            return None
        return Document(uri, project, path, Buffer(text, self.units))

    def _project(self, folder: Path) -> ProjectFiles | None:
        while not folder.is_dir() and folder != folder.parent:  # a document may not be saved yet
            folder = folder.parent
        root = Path(os.path.realpath(find_root(folder)))
        if root not in self.projects and root not in self.refused:
            try:
                found = ProjectFiles.find(folder)
            except (SpecErrors, UnableError) as error:
                self.refused[root] = error
                return None
            if found is None:
                return None
            self.projects[root] = found
        return self.projects.get(root)

    # Places

    def uri_of(self, project: ProjectFiles, path: str) -> str:
        """Return the URI of a spec: as the editor calls it, if it has it open."""
        for document in self._documents.values():
            if document.project is project and document.path == path:
                return document.uri
        return from_fs_path(str(project.file_of(path))) or ""

    def buffer_of(self, project: ProjectFiles, path: str) -> Buffer:
        """Return the text of a spec, as the editor counts it."""
        text = project.text_of(path)
        try:
            return Buffer(text if isinstance(text, str) else decode_text(path, text), self.units)
        except DocumentError:  # not UTF-8: its fault is at the first line
            return Buffer("", self.units)
