"""Code mode over HTTP: each caller has a share of the processes, and the scopes of its request now."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from tests.end_to_end.project import Project, bearer, text_of, token_of

ACTS = "async def execute(self, request, context): pass"
TWICE = "order()\nrefund()"
LOOP = "while True: pass"


async def test_each_caller_has_a_share_and_the_scopes_of_now(tmp_path: Path) -> None:
    async def run(name: str, code: str) -> str:
        async def confirm(*_: Any) -> ElicitResult:
            http.headers |= bearer(token_of("demoted"))
            return ElicitResult(action="accept", content={"confirm": True})

        async with httpx2.AsyncClient(headers=bearer(token_of(name)), timeout=60) as http:
            transport = streamable_http_client(server.url, http_client=http)
            async with Client(transport, elicitation_callback=confirm) as client:
                return text_of(await client.call_tool("run_code", {"code": code}))

    project = Project.create(tmp_path)
    project.add_plain_tool("order", ACTS, more="confirm: {message: Order?}")
    project.add_plain_tool("refund", ACTS, more="auth: {scopes: [money]}")
    project.generate()
    tokens = Path(project.write_tokens(ada=["money"], demoted=[], eve=[]))
    tokens.write_text(tokens.read_text().replace('"demoted"', '"ada"'))
    async with project.server("--auth-tokens", str(tokens), "--code-mode") as server:
        assert "refund needs permissions that this caller lacks" in await run("ada", TWICE)
        loops = [asyncio.create_task(run("eve", LOOP)) for _ in range(9)]
        await asyncio.sleep(2)
        assert '"result":2' in await run("ada", "1 + 1")
        for each in loops:
            each.cancel()
        await asyncio.wait(loops)
