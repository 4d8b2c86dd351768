"""A real LSP client, with a project to edit: what the tests of the language server type and see."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from tests.preloaded import python_command
from tests.processes import PATIENCE


class Editor:
    """An editor with one connection to `toolgen lsp`."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client, self.root = client, root
        self.texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = self.published.put_nowait

    def uri(self, path: str) -> str:
        return from_fs_path(str(self.root / path)) or ""

    def open(self, path: str, text: str | None = None) -> None:
        self.texts[path] = (self.root / path).read_bytes().decode() if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(self.uri(path), "yaml", 1, self.texts[path])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, path: str, text: str) -> None:
        """Change the text of a document."""
        self.texts[path] = text
        self._versions[path] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[path], self.uri(path))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, path: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(path))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def diagnostics(
        self, path: str, wanted: Callable[[list[types.Diagnostic]], bool] = lambda found: True
    ) -> list[types.Diagnostic]:
        """Return the next diagnostics of the current text of a file that are as `wanted`."""
        async with asyncio.timeout(PATIENCE):
            while True:
                params = await self.published.get()
                is_current = params.version in (None, self._versions.get(path))
                if params.uri == self.uri(path) and is_current and wanted(list(params.diagnostics)):
                    return list(params.diagnostics)

    async def codes(self, path: str, *wanted: str) -> list[types.Diagnostic]:
        """Return diagnostics as soon as they have these codes."""
        return await self.diagnostics(path, lambda found: sorted(map(code, found)) == sorted(wanted))

    def position(self, path: str, needle: str, offset: int = 0) -> types.Position:
        """Return the position of a text in a document, in units of UTF-16, `offset` characters behind its start."""
        at = self.texts[path].index(needle) + offset
        before = self.texts[path][:at].replace("\r\n", "\n")
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    async def ask(self, kind: str, path: str, needle: str, offset: int = 0, **more: Any) -> Any:
        """Send a request about a position: `hover`, `completion`, `definition`."""
        made = {
            "hover": types.HoverParams,
            "completion": types.CompletionParams,
            "definition": types.DefinitionParams,
        }[kind]
        document = types.TextDocumentIdentifier(self.uri(path))
        params = made(text_document=document, position=self.position(path, needle, offset), **more)
        async with asyncio.timeout(PATIENCE):
            return await getattr(self.client, f"text_document_{kind}_async")(params)

    def shown(self, location: types.Location) -> str:
        """Return a location as `file:line:text`, in the text that the editor or the disk has."""
        path = next(
            each.relative_to(self.root).as_posix()
            for each in self.root.rglob("*.yaml")
            if self.uri(each.relative_to(self.root).as_posix()) == location.uri
        )
        lines = (self.texts.get(path) or (self.root / path).read_text()).splitlines()
        start, end = location.range.start, location.range.end
        return f"{path}:{start.line + 1}:{lines[start.line][start.character : end.character]}"


def code(found: types.Diagnostic) -> str:
    return str(found.code)


def capabilities() -> types.ClientCapabilities:
    return client_capabilities("visual-studio-code")


@asynccontextmanager
async def editor(
    root: Path, given: types.ClientCapabilities | None = None, *, command: Sequence[str] = (), path: str = ""
) -> AsyncIterator[Editor]:
    """Start `toolgen lsp`, or another server with this PATH, and end it as an editor does."""
    client = make_test_lsp_client()
    await client.start_io(
        *(command or [*python_command(os.environ), "-m", "toolgen", "lsp"]),
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )
    folder = types.WorkspaceFolder(from_fs_path(str(root)) or "", root.name)
    params = types.InitializeParams(capabilities=given or capabilities(), workspace_folders=[folder])
    async with asyncio.timeout(PATIENCE):
        await client.initialize_session(params)
    opened = Editor(client, root)
    yield opened
    async with asyncio.timeout(PATIENCE):
        await client.shutdown_session()
        await client.stop()
