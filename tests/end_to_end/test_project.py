"""The project that these tests share works."""

from __future__ import annotations

from .project import ERAS, Project, error_code, text_of


@ERAS
async def test_a_tool_is_served_over_stdio_and_http(project: Project, era: str) -> None:
    project.generate()

    async with project.stdio_client(era) as client:
        assert text_of(await client.call_tool("echo", {"text": "hi"})) == '{"text":"hi"}'
    async with project.server(preloaded=False) as server, server.client(era) as client:
        assert text_of(await client.call_tool("echo", {"text": "hi"})) == '{"text":"hi"}'
        assert error_code(await client.call_tool("echo", {})) == "invalid_request"
