"""Headers of a caller: configured ones reach tools and upstreams; a token only one with the same audience."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from toolgen.upstream import Upstream

from tests.end_to_end.auth.test_jwt import AUDIENCE, flags, issuing
from tests.end_to_end.project import Project
from tests.end_to_end.raw_http import connect
from tests.samples import sample

MISSING = "missing_dependency"
SEES = """async def execute(self, request, context):
    return {"headers": {**context.headers}}
"""


@pytest.mark.parametrize("session", sample([False, True], (0,)), ids=["modern", "legacy"])
async def test_configured_headers_reach_tools_and_upstreams(tmp_path: Path, session: bool) -> None:
    async def seen(*tenants: str | None, audience: str = AUDIENCE) -> list[Any]:
        named = f'caller_headers=["X-Tenant", "Authorization"], audience="{audience}", lock='
        module.write_text(original.replace("lock=", named))
        found: list[Any] = []
        async with front.server(*flags(issuer, "--caller-header", "x-tenant,authorization")) as server:
            async with connect(server.url) as connection:
                connection.headers |= {"Authorization": f"Bearer {issuer.token()}", "X-Other": "no"}
                if session:
                    await connection.initialize()
                for tenant in tenants:
                    connection.headers |= {} if tenant is None else {"X-Tenant": tenant}
                    result = (await connection.call("sees")).message["result"]
                    error = result.get("_meta", {}).get("toolgen/error", {}).get("code")
                    found.append(error or result["structuredContent"]["headers"])
            logs.append(server.log)
        return found

    back, front = (Project.create(tmp_path / name) for name in ("back", "front"))
    back.add_plain_tool("sees", SEES, more="output_schema: {type: object}")
    back.generate()
    logs: list[str] = []
    async with back.server("--caller-header", "X-Tenant", "--caller-header", "authorization") as upstream:
        words = ("-m", "toolgen", "import", "mcp", upstream.url, "--implement")
        done = await asyncio.to_thread(front.python, *words)
        assert done.returncode == 0, done.stderr
        await asyncio.to_thread(front.python, "-m", "toolgen", "generate")
        (module,) = (front.root / "tools" / "_upstreams").glob("[!_]*.py")
        original = module.read_text()
        with issuing() as issuer:
            refused, one, two = await seen(None, "acme-7411", "other-6350")
            assert (refused, one["x-tenant"], two["x-tenant"]) == (MISSING, "acme-7411", "other-6350")
            assert one["authorization"].startswith("Bearer ey")
            assert len(one) == 2
            assert await seen("acme-7411", audience="https://other") == [MISSING]
        assert not any(
            secret in log for log in (*logs, upstream.log) for secret in ("acme-7411", "Bearer ey")
        )


def test_a_token_needs_an_audience_and_a_header_has_one_source() -> None:
    for options in (
        {"caller_headers": ["Authorization"]},
        {"caller_headers": ["X-A"], "headers": {"x-a": "1"}},
        {"caller_headers": ["X-A"], "shared": True},
    ):
        with pytest.raises(ValueError, match="caller_headers"):
            Upstream("http://127.0.0.1:1/mcp", lock="x.lock", **options)  # type: ignore[arg-type]
