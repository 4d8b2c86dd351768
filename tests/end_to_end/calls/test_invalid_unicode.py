"""Text that is not valid Unicode, of the name of a file for example, leaves no connection mute."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest

from tests.end_to_end.project import ERAS, TRANSPORTS, Project, error_code, text_of

ESCAPED = "caf\\udce9"
BEFORE = """
import os
from toolgen.runtime import Link
from toolgen.runtime.errors import NotReadyError

ODD = os.fsdecode(b"caf\\xe9")
"""
BODIES = {
    "progress": "async def execute(self, request, context): await context.report_progress(1, 2, ODD)",
    "text": "async def execute(self, request, context): return ODD",
    "chunks": "async def execute(self, request, context): yield ODD",
    "link": "async def execute(self, request, context): return Link('https://example.com/', name=ODD)",
    "error": "async def execute(self, request, context): raise NotReadyError(ODD, details={ODD: ODD})",
    "metadata": "async def execute(self, request, context): context.metadata[ODD] = ODD",
    "preview": (
        "async def preview(self, request, context): return ODD\n"
        "async def execute(self, request, context): return 1"
    ),
}
MORE = {
    "chunks": "stream: {chunk_schema: {type: string}}",
    "link": "content: any",
    "preview": "confirm: {message: Really?, preview: true, on_unsupported: two_step}",
}
CODES = {
    "text": "invalid_response",
    "chunks": "invalid_response",
    "error": "not_ready",
    "metadata": "invalid_response",
}


@pytest.fixture
def odd(project: Project) -> Project:
    for name, body in BODIES.items():
        project.add_plain_tool(name, body, before=BEFORE, more=MORE.get(name, ""))
    project.generate()
    return project


async def call_each(client: Any, messages: list[str | None]) -> dict[str, str | None]:
    """Call each tool; after each, the server must answer."""

    async def progress(done: float, total: float | None, message: str | None) -> None:
        messages.append(message)

    codes = {}
    for name in BODIES:
        result = await client.call_tool(name, {}, progress_callback=progress)
        codes[name] = error_code(result)
        if name == "error":
            assert text_of(result) == f"Error [not_ready]: {ESCAPED}"
        assert text_of(await client.call_tool("echo", {"text": name})) == f'{{"text":"{name}"}}'
    return codes


@ERAS
@TRANSPORTS
async def test_a_server_answers_after_text_that_is_not_unicode(
    odd: Project, transport: str, era: str
) -> None:
    asked, messages = list[str](), list[str | None]()

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": True})

    async with odd.client(transport, era, elicitation_callback=agree) as client:
        codes = await call_each(client, messages)
    assert codes == {name: CODES.get(name) for name in BODIES}
    assert messages[0] == ESCAPED
    assert asked == [f"{ESCAPED}\n\nReally?"]
