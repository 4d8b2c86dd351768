"""The language server: what the editor sends, to the functions that answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from toolgen.base.escaping.characters import printable
from toolgen.cli.language_server.analysis import Findings
from toolgen.cli.language_server.completion import complete
from toolgen.cli.language_server.conversion import (
    completion_item,
    diagnostic,
    diagnostics,
    range_of,
    replacement_edits,
    span_range,
    text_edits,
)
from toolgen.cli.language_server.cursor import Place, place_at
from toolgen.cli.language_server.documents import Document, Documents
from toolgen.cli.language_server.fixes import find_fixes
from toolgen.cli.language_server.hover import hover
from toolgen.cli.language_server.links import Files, Link, RenameError, Target, renamable, rename
from toolgen.cli.language_server.positions import Buffer, Edit
from toolgen.cli.language_server.project_files import ProjectFiles
from toolgen.cli.report.entry import entry_of
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.formatting import format_spec
from toolgen.language.source import Span
from toolgen.project import FILE, PYPROJECT, UnableError

QUIET: Final = 0.2  # seconds without a keystroke: less than between those of most people
_OPTIONS: Final[Mapping[str, Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[*' :/#"$']),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
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
            types.TEXT_DOCUMENT_PREPARE_RENAME: self._prepare_rename,
            types.TEXT_DOCUMENT_RENAME: self._rename,
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

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        asked = self._ask(params.text_document.uri, params.position)
        try:
            target = renamable(asked.target if asked else None)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        assert asked is not None  # or there is no target
        shown = range_of(asked.document.buffer, asked.place.start, asked.place.end)
        return types.PrepareRenamePlaceholder(shown, str(target.path[-1]))

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        asked = self._ask(params.text_document.uri, params.position)
        try:
            target = renamable(asked.target if asked else None)
            assert asked is not None  # or there is no target
            project = asked.document.project
            if broken := project.broken():
                raise RenameError(f"{broken[0]} is not valid YAML, and may use the schema: correct it first")
            changes = rename(asked.files, target, params.new_name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        edits: dict[str, Sequence[Edit]] = {}
        for source in {change.source.path: change.source for change in changes}.values():
            of_file = [change for change in changes if change.source.path == source.path]
            edits[source.path] = replacement_edits(source, of_file)
        return self._workspace_edit(project, edits)

    def _workspace_edit(
        self, project: ProjectFiles, edits: Mapping[str, Sequence[Edit]]
    ) -> types.WorkspaceEdit:
        """Return one edit of several files; the editor refuses it if one of them has changed meanwhile."""
        changes = {
            self.documents.uri_of(project, path): text_edits(self.documents.buffer_of(project, path), each)
            for path, each in edits.items()
        }
        workspace = self.client_capabilities.workspace
        if not (workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes):
            return types.WorkspaceEdit(changes=changes)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri, self._version(uri)), each
                )
                for uri, each in changes.items()
            ]
        )

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
                edit=self._workspace_edit(project, {path: fix.edits}),
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
