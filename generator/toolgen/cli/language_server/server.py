"""The language server: what the editor sends, to the functions that answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from toolgen.base.escaping.characters import printable
from toolgen.cli.language_server.completion import Completion, complete
from toolgen.cli.language_server.cursor import Place, place_at
from toolgen.cli.language_server.documents import Buffer, Document, Documents, Edit
from toolgen.cli.language_server.fixes import find_fixes
from toolgen.cli.language_server.hover import hover
from toolgen.cli.language_server.links import (
    Files,
    Link,
    Target,
)
from toolgen.cli.language_server.project_files import Findings, ProjectFiles
from toolgen.cli.report.entry import Entry, entry_of
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.formatting import format_spec
from toolgen.language.source import Span
from toolgen.project import FILE, PYPROJECT, UnableError

SOURCE: Final = "toolgen"
_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_KINDS: Final = {
    "field": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "reference": types.CompletionItemKind.Reference,
}

Locate = Callable[[Span], types.Location | None]
"""Returns where a span is for the editor; None for a file that it does not know."""


def range_of(buffer: Buffer, start: tuple[int, int], end: tuple[int, int]) -> types.Range:
    """Return a range, given in lines and columns from 0."""
    return types.Range(
        buffer.to_editor(*start),
        buffer.to_editor(*end),
    )


def span_range(buffer: Buffer, span: Span) -> types.Range:
    """Return the range of a span."""
    line, column = span.line - 1, span.column - 1
    return range_of(buffer, (line, column), (line, column + span.length))


def text_edits(buffer: Buffer, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return edits of a buffer."""
    return [types.TextEdit(range_of(buffer, edit.start, edit.end), edit.text) for edit in edits]


def diagnostics(findings: Findings, buffer: Buffer, locate: Locate) -> list[types.Diagnostic]:
    """Return what is found in a file as diagnostics."""
    return [diagnostic(entry, findings.origin(entry), buffer, locate) for entry in findings.entries]


def diagnostic(entry: Entry, origin: Diagnostic | None, buffer: Buffer, locate: Locate) -> types.Diagnostic:
    """Return one finding: its hint is the second line of the message, its notes are related places."""
    related = [
        types.DiagnosticRelatedInformation(place, printable(note.message))
        for note in (origin.notes if origin is not None else ())
        if (place := locate(note.span)) is not None
    ]
    hints = [f"{label}: {text}" for label, text in entry.labels if label != "note"]
    return types.Diagnostic(
        range=span_range(buffer, entry.span),
        message="\n".join((entry.message, *hints)),
        severity=_SEVERITIES[entry.severity],
        code=entry.code,
        source=SOURCE,
        related_information=related or None,
    )


def completion_item(item: Completion, buffer: Buffer, line: int, column: int) -> types.CompletionItem:
    """Return a completion at a position, which replaces the word before it."""
    start = (line, column - len(item.word))
    return types.CompletionItem(
        label=printable(item.label),
        kind=_KINDS[item.kind],
        detail=printable(item.detail) or None,
        documentation=printable(item.about) or None,
        filter_text=item.label,
        text_edit=types.TextEdit(range_of(buffer, start, (line, column)), item.text),
    )


QUIET: Final = 0.2  # seconds without a keystroke: less than between those of most people
_OPTIONS: Final[Mapping[str, Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[*' :/#"$']),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix]
    ),
}


class SpecServer(LanguageServer):
    """A server for the specs of all projects that an editor opens files of."""

    def __init__(self) -> None:
        super().__init__(
            "toolgen",
            version("toolgen"),
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self.documents = Documents()
        self._looks: dict[ProjectFiles, asyncio.TimerHandle] = {}  # those that are due
        # folder of a project → URI → the diagnostics that were sent last, and the version they are about
        self._published: dict[object, dict[str, tuple[list[types.Diagnostic], int | None]]] = {}
        self._shown: set[str] = set()  # messages that a user has seen
        self.was_shut_down = False  # the editor has asked for it, before it sends `exit`
        for method, handler in self._handlers().items():
            # pygls marks what it is given, which a method does not allow
            self.feature(method, _OPTIONS.get(method))(partial(handler))

    def _handlers(self) -> Mapping[str, Callable[[Any], Any]]:
        return {
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shut_down,
            types.TEXT_DOCUMENT_DID_OPEN: self._opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self._changed,
            types.TEXT_DOCUMENT_DID_CLOSE: self._closed,
            types.TEXT_DOCUMENT_DID_SAVE: self._saved,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._files_changed,
            types.TEXT_DOCUMENT_COMPLETION: self._complete,
            types.TEXT_DOCUMENT_HOVER: self._hover,
            types.TEXT_DOCUMENT_DEFINITION: self._definition,
            types.TEXT_DOCUMENT_REFERENCES: self._references,
            types.TEXT_DOCUMENT_CODE_ACTION: self._code_actions,
            types.TEXT_DOCUMENT_FORMATTING: self._format,
        }

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error in the editor: of a message that is none, or a bug."""
        message = f"a message could not be handled: {type(error).__name__}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def _shut_down(self, _: None) -> None:
        self.was_shut_down = True

    # Documents

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

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self.documents.units = types.PositionEncodingKind(encoding).value
        self._take(params.text_document.uri)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._take(params.text_document.uri)

    def _take(self, uri: str) -> None:
        document = self.documents.set_text(uri, self.workspace.get_text_document(uri).source)
        self._publish_refused()
        if document is not None:
            self._look_later(document.project)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self.documents.close(params.text_document.uri)
        if document is not None:
            self._look_later(document.project)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self._reread([params.text_document.uri])

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        self._reread([change.uri for change in params.changes])

    def _reread(self, uris: Sequence[str]) -> None:
        """Read the files on disk again, and the configurations if one of these is one."""
        if any(uri.endswith((f"/{FILE}", f"/{PYPROJECT}")) for uri in uris):
            self._reload()
        for project in self.documents.projects.values():
            project.read_disk()
            self._look_later(project)

    def _reload(self) -> None:
        """Find all projects anew, and forget what was said about those that are gone."""
        for look in self._looks.values():
            look.cancel()
        self._looks.clear()
        self.documents.reload()
        for owner in self._published.keys() - self.documents.projects.keys() - {FILE}:
            self._publish(owner, {})
            del self._published[owner]
        self._publish_refused()

    def _look_later(self, project: ProjectFiles) -> None:
        """Say what is found in a project when nobody types."""
        if project in self._looks:
            self._looks[project].cancel()
        self._looks[project] = asyncio.get_running_loop().call_later(QUIET, self._look, project)

    def _look(self, project: ProjectFiles) -> None:
        try:
            project.refresh()
            root, found = project.project.root, self._diagnostics(project, project.findings())
            for file, fault in project.unreadable.items():
                findings = Findings((entry_of(fault),), (fault,))
                uri = from_fs_path(str(root / file)) or ""
                found[uri] = diagnostics(findings, Buffer(""), self._locator(project))
            self._publish(root, found)
        except Exception as error:  # the event loop would only log it
            self.report_server_error(error, PyglsError)

    # What the editor is told

    def _diagnostics(
        self, project: ProjectFiles, findings: Mapping[str, Findings]
    ) -> dict[str, list[types.Diagnostic]]:
        """Return the diagnostics of files by their URIs."""
        locate = self._locator(project)
        return {
            self.documents.uri_of(project, path): diagnostics(
                found, self.documents.buffer_of(project, path), locate
            )
            if found.entries
            else []
            for path, found in findings.items()
        }

    def _publish(self, owner: object, found: Mapping[str, list[types.Diagnostic]]) -> None:
        """Send the diagnostics that have changed since they were last sent; files without any have none."""
        before = self._published.setdefault(owner, {})
        for uri, wanted in {**{each: [] for each in before}, **found}.items():
            # an editor waits for an answer to each version, even if nothing new was found
            current = self._version(uri)
            if (wanted, current) != before.get(uri, ([], None)):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, wanted, current))
                before[uri] = (wanted, current)

    def _version(self, uri: str) -> int | None:
        """Return the version of an open document."""
        return None if self.documents[uri] is None else self.workspace.get_text_document(uri).version

    def _publish_refused(self) -> None:
        """Say what is wrong with configurations, and nothing more about those that are right again."""
        found: dict[str, list[types.Diagnostic]] = {}
        for root, error in self.documents.refused.items():
            if isinstance(error, SpecErrors):
                for each in error.diagnostics:
                    findings = Findings((entry_of(each),), (each,))
                    uri = from_fs_path(str(root / each.span.file)) or ""
                    found.setdefault(uri, []).extend(diagnostics(findings, Buffer(""), lambda span: None))
            elif isinstance(error, UnableError) and error.message not in self._shown:
                self._shown.add(error.message)
                message = printable(f"{error.message}; {error.hint}" if error.hint else error.message)
                self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
        self._publish(FILE, found)

    def _locator(self, project: ProjectFiles) -> Callable[[Span], types.Location | None]:
        def locate(span: Span) -> types.Location | None:
            path = project.path_shown(span.file)
            if path is None:
                return None
            buffer = self.documents.buffer_of(project, path)
            return types.Location(self.documents.uri_of(project, path), span_range(buffer, span))

        return locate

    # Answers

    def _files(self, document: Document) -> Files:
        """Return the files of the document's project, each analyzed as it is now."""
        document.project.refresh()
        return Files(document.project.readable())

    def _complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        document = self.documents[params.text_document.uri]
        if document is None:
            return []
        files, buffer = self._files(document), document.buffer
        line, column = buffer.from_editor(params.position)
        found = complete(files, document.path, buffer.source_text, line, column)
        return [completion_item(each, buffer, line, column) for each in found]

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self.documents[params.text_document.uri]
        place = _place(document, params.position)
        if document is None or place is None:
            return None
        text = hover(self._files(document), document.path, place)
        about = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(about, range_of(document.buffer, place.start, place.end)) if text else None

    def _ask(self, uri: str, position: types.Position) -> _Question | None:
        """Return what the key or value at a position stands for, or names; None if that is no target."""
        document = self.documents[uri]
        place = _place(document, position)
        if document is None or place is None:
            return None
        files = self._files(document)
        source = files.source(document.path)
        target = source and files.target_at(source, place.path, is_key=place.is_key)
        return _Question(document, files, place, target) if target else None

    def _location(self, project: ProjectFiles, files: Files, link: Link | Target) -> types.Location | None:
        """Return where a link, or a target, is written."""
        source = link.source if isinstance(link, Link) else files.source(link.file)
        if source is None:
            return None
        span = source.value(link.path) if isinstance(link, Link) else source.key(link.path)
        return self._locator(project)(span)

    def _definition(self, params: types.DefinitionParams) -> types.Location | None:
        asked = self._ask(params.text_document.uri, params.position)
        return self._location(asked.document.project, asked.files, asked.target) if asked else None

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        asked = self._ask(params.text_document.uri, params.position)
        if asked is None:
            return []
        found: list[Link | Target] = list(asked.files.uses(asked.target))
        found += [asked.target] if params.context.include_declaration else []
        places = (self._location(asked.document.project, asked.files, each) for each in found)
        return [place for place in places if place is not None]

    def _code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = self.documents[params.text_document.uri]
        if document is None:
            return []
        project, path = document.project, document.path
        project.refresh()
        source, locate = project.analysis(path).source, self._locator(project)
        first, last = params.range.start.line, params.range.end.line
        return [
            types.CodeAction(
                title=printable(fix.title),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(fix.entry, None, document.buffer, locate)],
                is_preferred=True,
                edit=types.WorkspaceEdit({document.uri: text_edits(document.buffer, fix.edits)}),
            )
            for fix in find_fixes(project.findings()[path], source, document.buffer, first, last)
        ]

    def _format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = self.documents[params.text_document.uri]
        if document is None:
            return None
        buffer = document.buffer
        try:
            new = format_spec(document.path, buffer.source_text)
        except SpecErrors:  # diagnostics say why
            return None
        return text_edits(buffer, [buffer.replaced(new)] if new != buffer.source_text else [])


@dataclass(frozen=True, slots=True)
class _Question:
    """What a user has asked about."""

    document: Document
    files: Files
    place: Place
    target: Target


def _place(document: Document | None, position: types.Position) -> Place | None:
    if document is None:
        return None
    buffer = document.buffer
    return place_at(buffer.source_text, *buffer.from_editor(position))
