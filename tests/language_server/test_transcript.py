"""One session with `toolgen lsp`, message by message: `pytest --record` writes `transcript.txt`; review it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter

from tests.language_server.conftest import FIND as TEXT
from tests.language_server.editor import Editor, editor

FIND = "specs/find_orders.yaml"
TRANSCRIPT = Path(__file__).with_name("transcript.txt")


class Transcript:
    """What was sent and what came back, a line each."""

    def __init__(self, root: Path) -> None:
        self._root = root.as_uri()
        self.lines: list[str] = []

    def note(self, arrow: str, method: str, data: Any) -> None:
        plain = json.dumps(get_converter().unstructure(data), ensure_ascii=False)
        self.lines.append(f"{arrow} {method} {plain}".replace(self._root, "file:///shop"))


async def session(editor: Editor, said: Transcript) -> None:
    async def typed(why: str, text: str) -> None:
        said.note("→", "textDocument/didChange", why)
        editor.type(FIND, text)
        said.note("←", "textDocument/publishDiagnostics", await editor.diagnostics(FIND))

    said.note("→", "textDocument/didOpen", FIND)
    editor.open(FIND)
    said.note("←", "textDocument/publishDiagnostics", await editor.diagnostics(FIND))
    await typed("a misspelt field", TEXT.replace("use_when", "use_wen"))
    at = types.Range(types.Position(3, 0), types.Position(3, 0))
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(editor.uri(FIND)), at, types.CodeActionContext([])
    )
    said.note("→", "textDocument/codeAction", at)
    said.note("←", "textDocument/codeAction", await editor.client.text_document_code_action_async(params))
    await typed("corrected, and no title", TEXT.replace("title: Find orders\n", ""))
    await typed("all is well", TEXT)
    said.note("→", "textDocument/definition", {"position": editor.position(FIND, "schemas/shop", 3)})
    said.note("←", "textDocument/definition", await editor.ask("definition", FIND, "schemas/shop", 3))


async def test_a_session_is_as_recorded(shop: Path, record: bool) -> None:
    said = Transcript(shop)

    async with editor(shop) as opened:
        await session(opened, said)
    text = "\n".join([*said.lines, ""])
    if record:
        TRANSCRIPT.write_text(text)
    assert text == TRANSCRIPT.read_text()
