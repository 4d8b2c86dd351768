"""The documents that an editor has opened, and the projects that they are in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pygls.uris import from_fs_path, to_fs_path

from toolgen.cli.language_server.positions import Buffer
from toolgen.cli.language_server.project_files import ProjectFiles
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import decode_text
from toolgen.language.yaml12.reader import DocumentError
from toolgen.project import UnableError, find_root


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
