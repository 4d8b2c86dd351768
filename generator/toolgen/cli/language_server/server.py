"""The language server: diagnostics, fixes, definitions, formatting and completion for the specs of projects.

Names in `required` are completed here. Other completion and hover come from the YAML language server, by the
JSON Schema of the spec language.
"""

from __future__ import annotations

import asyncio
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import Suggestion
from toolgen.cli.language_server.project_files import ProjectFiles
from toolgen.cli.linting import Found
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.formatting import format_spec
from toolgen.language.lint.fixes import FIXES, fixed_text
from toolgen.language.reading.read import read
from toolgen.language.source import Source, Span
from toolgen.language.spec import is_shared_file
from toolgen.language.yaml12.writer import is_plain
from toolgen.project import FILE, PYPROJECT, UnableError, find_root
from toolgen.runtime.definition.spec_schema import SCHEMA_FIELDS
from toolgen.schema.document import JsonPath, Located, SchemaDocument, locate

QUIET: Final = 0.2  # seconds without a keystroke: less than between those of most people
_COMPLETION: Final = types.CompletionOptions(trigger_characters=["[", ","])
_REQUIRED: Final = re.compile(r"\brequired:\s*\[[^][]*$")
"""A list of names, from its keyword to where somebody types."""
_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


class SpecServer(LanguageServer):
    """A server for the specs of all projects that an editor has files of.

    Every look reads the projects anew: a configuration or a file that has changed counts at once.
    """

    def __init__(self) -> None:
        super().__init__(
            "toolgen", version("toolgen"), text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self.was_shut_down = False  # the editor has asked for it, before it sends `exit`
        self._due: asyncio.TimerHandle | None = None  # the next look
        self._documents: dict[Path, TextDocument] = {}  # open files, links resolved
        self._projects: dict[Path, ProjectFiles] = {}  # by their folders
        self._published: set[str] = set()  # URIs of files with diagnostics
        self._shown: set[str] = set()  # messages that a user has seen
        handlers: Mapping[str, Callable[[Any], Any]] = {
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.TEXT_DOCUMENT_DID_OPEN: self._look_later,
            types.TEXT_DOCUMENT_DID_CHANGE: self._look_later,
            types.TEXT_DOCUMENT_DID_CLOSE: self._look_later,
            types.TEXT_DOCUMENT_DID_SAVE: self._look_later,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._look_later,
            types.TEXT_DOCUMENT_DEFINITION: self._definition,
            types.TEXT_DOCUMENT_COMPLETION: self._completion,
            types.TEXT_DOCUMENT_CODE_ACTION: self._code_actions,
            types.TEXT_DOCUMENT_FORMATTING: self._format,
        }
        for method, handler in handlers.items():
            # pygls marks what it is given, which a method does not allow
            options = _COMPLETION if method == types.TEXT_DOCUMENT_COMPLETION else None
            self.feature(method, options)(partial(handler))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error in the editor: of a message that is none, or a bug."""
        message = f"a message could not be handled: {type(error).__name__}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def _shut_down(self, _: None) -> None:
        self.was_shut_down = True

    def _initialized(self, _: types.InitializedParams) -> None:
        watching = self.client_capabilities.workspace and (
            self.client_capabilities.workspace.did_change_watched_files
        )
        if watching and watching.dynamic_registration:
            patterns = ("**/*.yaml", "**/*.yml", f"**/{FILE}", f"**/{PYPROJECT}")
            options = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(pattern) for pattern in patterns]
            )
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("watched-files", method, options)
            self.client_register_capability(types.RegistrationParams([registration]))

    # Diagnostics

    def _look_later(self, _: Any) -> None:
        """Find what is wrong when nobody types."""
        if self._due is not None:
            self._due.cancel()
        self._due = asyncio.get_running_loop().call_later(QUIET, self._look)

    def _look(self) -> None:
        """Read all projects, and publish what is found in them."""
        self._due = None
        try:
            self._read_projects()
            found = self._diagnostics()
            versions = {document.uri: document.version for document in self._documents.values()}
            for uri, shown in {**{uri: [] for uri in self._published}, **found}.items():
                params = types.PublishDiagnosticsParams(uri, shown, versions.get(uri))
                self.text_document_publish_diagnostics(params)
            self._published = {*found}
        except Exception as error:  # the event loop would only log it
            self.report_server_error(error, PyglsError)

    def _read_projects(self) -> None:
        opened = {_file_of(document.uri): document for document in self.workspace.text_documents.values()}
        self._documents = {file: document for file, document in opened.items() if file}
        unsaved = {file: document.source for file, document in self._documents.items()}
        before, self._projects = self._projects, {}
        for file in self._documents:
            folder = next(each for each in file.parents if each.is_dir())  # it may not be saved yet
            root = Path(os.path.realpath(find_root(folder)))
            if root in self._projects:
                continue
            files = before.get(root, ProjectFiles())
            try:
                files.look(folder, unsaved)
                self._projects[root] = files
            except UnableError as error:
                message = printable(f"{error.message}; {error.hint}" if error.hint else error.message)
                if error.code != "no-configuration" and message not in self._shown:
                    self._shown.add(message)
                    params = types.ShowMessageParams(types.MessageType.Warning, message)
                    self.window_show_message(params)

    def _diagnostics(self) -> dict[str, list[types.Diagnostic]]:
        """Return the diagnostics of all files that have some, and of open specs, by their URIs."""
        found: dict[str, list[types.Diagnostic]] = {}
        for root, files in self._projects.items():
            # an editor waits for an answer to each version, even if nothing was found
            found |= {self._documents[file].uri: [] for file in self._documents if files.path_of(file)}
            for file, faults in files.found.items():
                found[self._uri(root / file)] = [self._diagnostic(root, each) for each in faults]
        return found

    def _diagnostic(self, root: Path, found: Found) -> types.Diagnostic:
        """Return one finding: its hint is the second line of the message, its notes are related places."""
        entry = found.entry
        related = [
            types.DiagnosticRelatedInformation(self._location(root, note.span), printable(note.message))
            for note in found.diagnostic.notes
        ]
        hints = [f"{label}: {text}" for label, text in entry.labels if label != "note"]
        return types.Diagnostic(
            range=self._location(root, entry.span).range,
            message="\n".join((entry.message, *hints)),
            severity=_SEVERITIES[entry.severity],
            code=entry.code,
            source="toolgen",
            related_information=related or None,
        )

    def _uri(self, file: Path) -> str:
        """Return the URI of a file: as the editor calls it, if it has it open."""
        document = self._documents.get(file)
        return document.uri if document else from_fs_path(str(file)) or ""

    def _location(self, root: Path, span: Span) -> types.Location:
        """Return a place in a file of a project, as the editor counts it."""
        files = self._projects[root]
        lines = files.lines_of(files.path_of(root / span.file))
        line, column = min(span.line, len(lines)) - 1, span.column - 1
        place = types.Range(types.Position(line, column), types.Position(line, column + span.length))
        units = self.workspace.position_codec.range_to_client_units(lines, place)
        return types.Location(self._uri(root / span.file), units)

    # Answers

    def _opened(self, uri: str, *, is_known_enough: bool = False) -> tuple[Path, ProjectFiles, str] | None:
        """Return the project of an open spec as it is now: its folder, its files, the path of the spec.

        With `is_known_enough`, as it was at the last look, which had the spec: nothing is waited for.
        """
        file = _file_of(uri)
        if self._due is not None and not (is_known_enough and file in self._documents):
            self._due.cancel()
            self._look()
        for root, files in self._projects.items():
            if file in self._documents and (path := files.path_of(file)):
                return root, files, path
        return None

    def _definition(self, params: types.DefinitionParams) -> types.Location | None:
        opened = self._opened(params.text_document.uri)
        if opened is None:
            return None
        root, files, path = opened
        codec = self.workspace.position_codec
        at = codec.position_from_client_units(files.lines_of(path), params.position)
        span = find_definition(files.sources(), path, at.line + 1, at.character + 1)
        return self._location(root, span) if span else None

    def _completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        opened = self._opened(params.text_document.uri, is_known_enough=True)
        if opened is None:
            return None
        text = self.workspace.get_text_document(params.text_document.uri).source
        lines = text.replace("\r\n", "\n").split("\n")
        at = self.workspace.position_codec.position_from_client_units(lines, params.position)
        found = enumerate(find_completions(lines, at.line, at.character))
        items = [types.CompletionItem(word, sort_text=f"{number:04}") for number, word in found]
        return types.CompletionList(is_incomplete=False, items=items)

    def _code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the safe fixes of lint rules, and the words that hints suggest."""
        opened = self._opened(params.text_document.uri)
        if opened is None:
            return []
        root, files, path = opened
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        return [
            types.CodeAction(
                title=printable(title),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self._diagnostic(root, found)],
                is_preferred=True,
                edit=types.WorkspaceEdit({params.text_document.uri: [edit]}),
            )
            for found in files.found.get(files.shown(path), ())
            if found.entry.span.line in lines
            for title, edit in self._fixes(root, path, found)
        ]

    def _fixes(self, root: Path, path: str, found: Found) -> Iterator[tuple[str, types.TextEdit]]:
        files, span, hint = self._projects[root], found.entry.span, found.diagnostic.hint
        lines = files.lines_of(path)
        if isinstance(hint, Suggestion) and hint.word:
            written = lines[span.line - 1][span.column - 1 : span.column - 1 + span.length]
            new = written.replace(hint.word, hint.instead)
            if written == hint.word and not is_plain(new, flow=True):
                new = json.dumps(new, ensure_ascii=False)
            if written.count(hint.word) == 1:
                yield f"Write {new}", types.TextEdit(self._location(root, span).range, new)
        if found.entry.code in FIXES:
            text = "\n".join(lines)
            fixed = fixed_text(text, [(found.entry.code, found.path)])
            if fixed != text:
                yield f"Fix {found.entry.code}", self._whole(root, path, fixed)

    def _format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        opened = self._opened(params.text_document.uri)
        if opened is None:
            return None
        root, files, path = opened
        text = "\n".join(files.lines_of(path))
        try:
            new = format_spec(path, text)
        except SpecErrors:  # diagnostics say why
            return None
        return [self._whole(root, path, new)] if new != text else []

    def _whole(self, root: Path, path: str, new: str) -> types.TextEdit:
        """Return the edit that makes `new` of the whole text of a spec, with its line ends."""
        files = self._projects[root]
        lines = files.lines_of(path)
        last = Span(files.shown(path), len(lines), len(lines[-1]) + 1)
        whole = types.Range(types.Position(0, 0), self._location(root, last).range.start)
        text = files.texts[path]
        has_crlf = isinstance(text, str) and "\r\n" in text  # what is open in an editor is text
        return types.TextEdit(whole, new.replace("\n", "\r\n") if has_crlf else new)


def _file_of(uri: str) -> Path | None:
    """Return the file of a document, links resolved; None for a document that is in none."""
    name = to_fs_path(uri) if uri.startswith("file:") else None
    return Path(os.path.realpath(name)) if name and "\0" not in name else None


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


def find_completions(lines: Sequence[str], line: int, column: int) -> list[str]:
    """Return the names of properties for a position, from 0, of a spec, if it is in `required`."""
    text = [*lines]
    before, after = text[line][:column], text[line][column:]
    started = _REQUIRED.search(before)
    if started is not None:  # the list may be unfinished: it is read as an empty one
        column = started.start() + len("required: ")
        text[line] = before[: started.start()] + "required: []" + re.sub(r"^[^][{}]*\]", "", after)
    try:
        (source,) = read({"": "\n".join(text)})
    except SpecErrors:
        return []
    match _place_at(source, line + 1, column + 1):
        case (*schema, "required") | (*schema, "required", int()):
            found = locate(source.data, (*schema, "properties"))
            names = found.value if found and isinstance(found.value, dict) else ()
            return [each if is_plain(each, flow=True) else json.dumps(each) for each in names]
    return []


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
