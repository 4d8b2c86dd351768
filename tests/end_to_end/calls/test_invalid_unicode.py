"""Text that is not valid Unicode, of the name of a file for example, leaves no connection mute."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
import pytest

from tests.end_to_end.project import ERAS, Project, error_code, text_of

ODD = "caf\udce9"  # os.fsdecode(b"caf\xe9")
ESCAPED = "caf\\udce9"
SPEC = """
name: {name}
description: Answer with text that is not valid Unicode.
input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
{more}
"""
MODULE = """
import os
from generated.tools.{name} import {cls}Tool
from toolgen.runtime import Link, Text
from toolgen.runtime.errors import NotReadyError

ODD = os.fsdecode(b"caf\\xe9")

class Tool({cls}Tool):
    {body}
"""
BODIES = {
    "progress": """async def execute(self, request, context):
        await context.report_progress(1, 2, ODD)
        return "done\"""",
    "threaded": """def execute(self, request, context):
        context.report_progress(1, 2, ODD)
        return "done\"""",
    "text": "async def execute(self, request, context): return ODD",
    "object": "async def execute(self, request, context): return {ODD: ODD}",
    "chunks": "async def execute(self, request, context): yield ODD",
    "objects": "async def execute(self, request, context): yield {'name': ODD}",
    "link": "async def execute(self, request, context): return Link('https://example.com/', name=ODD)",
    "block": "async def execute(self, request, context): return Text(ODD)",
    "error": "async def execute(self, request, context): raise NotReadyError(ODD, details={ODD: ODD})",
    "metadata": "async def execute(self, request, context): context.metadata[ODD] = ODD",
    "failed": """async def execute(self, request, context):
        context.metadata[ODD] = ODD
        raise NotReadyError(ODD)""",
    "extras": """async def execute(self, request, context):
        context.extras[ODD] = ODD
        return "done\"""",
    "preview": """async def preview(self, request, context): return ODD
    async def execute(self, request, context): return "done\"""",
}
MORE = {
    "chunks": "stream: {chunk_schema: {type: string}}",
    "objects": "stream: {chunk_schema: {}}",
    "link": "content: any",
    "block": "content: any",
    "preview": "confirm: {message: Really?, preview: true, on_unsupported: two_step}",
}
CODES = {
    "text": "invalid_response",
    "object": "invalid_response",
    "chunks": "invalid_response",
    "objects": "invalid_response",
    "error": "not_ready",
    "metadata": "invalid_response",
    "failed": "not_ready",
}
TEXTS = {
    "link": f"[link: {ESCAPED}] https://example.com/",
    "block": ESCAPED,
    "error": f"Error [not_ready]: {ESCAPED}",
}


@pytest.fixture
def odd(project: Project) -> Project:
    for name, body in BODIES.items():
        cls = name.capitalize()
        spec = SPEC.format(name=name, more=MORE.get(name, ""))
        project.add_tool(name, spec, MODULE.format(name=name, cls=cls, body=body))
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
        if name in ("block", "error"):
            assert text_of(result) == TEXTS[name]
        assert text_of(await client.call_tool("echo", {"text": name})) == f'{{"text":"{name}"}}'
    return codes


@ERAS
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_answers_after_text_that_is_not_unicode(odd: Project, transport: str, era: str) -> None:
    asked, messages = list[str](), list[str | None]()

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": True})

    async def run() -> dict[str, str | None]:
        if transport == "stdio":
            async with odd.stdio_client(era, elicitation_callback=agree) as client:
                return await call_each(client, messages)
        async with odd.server() as server, server.client(era, elicitation_callback=agree) as client:
            return await call_each(client, messages)

    assert asyncio.run(run()) == {name: CODES.get(name) for name in BODIES}
    assert messages[:2] == [ESCAPED, ESCAPED]
    assert asked == [f"{ESCAPED}\n\nReally?"]
