"""Idempotency keys and limits of calls through MCP, by one server and by several with one store.

With SQLite always; with Redis by `make test-redis`.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from tests.end_to_end.project import ERAS, Project, error_code
from tests.end_to_end.stores import RedisServer

SPEC = """
name: order
description: Order an article.
input_schema:
  type: object
  additionalProperties: false
  required: [article]
  properties: {article: {type: string}, seconds: {type: number}}
output_schema: {type: object, required: [number], properties: {number: {type: integer}}}
idempotency: {ttl: 600}
"""
LIMITED = """
name: look
description: Look an article up.
input_schema: {type: object, additionalProperties: false, properties: {}}
rate_limit: {per_minute: 10}
"""
FREE = """
name: ping
description: Answer.
input_schema: {type: object, additionalProperties: false, properties: {}}
"""
ORDER = """
import asyncio
from pathlib import Path
from generated.tools.order import OrderResponse, OrderTool

class Order(OrderTool):
    async def execute(self, request, context):
        with Path("orders.txt").open("a") as orders:
            orders.write(request.article + "\\n")
        await asyncio.sleep(request.seconds or 0)
        return OrderResponse(number=len(Path("orders.txt").read_text().split()))
"""
LOOK = """
from generated.tools.{name} import {kind}Tool

class {kind}({kind}Tool):
    async def execute(self, request, context):
        return "here"
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.add_tool("order", SPEC, ORDER)
    project.add_tool("look", LIMITED, LOOK.format(name="look", kind="Look"))
    project.add_tool("ping", FREE, LOOK.format(name="ping", kind="Ping"))
    project.generate()
    return project


def orders(shop: Project) -> list[str]:
    file = shop.root / "orders.txt"
    return file.read_text().split() if file.exists() else []


def key(text: str) -> dict[str, Any]:
    return {"toolgen/idempotency_key": text}


@ERAS
def test_the_second_call_with_a_key_gets_the_first_answer(shop: Project, era: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(90), shop.server() as server, Client(server.url, mode=era) as client:
            first = await client.call_tool("order", {"article": "cup"}, meta=key("k"))
            second = await client.call_tool("order", {"article": "cup"}, meta=key("k"))
            other = await client.call_tool("order", {"article": "pot"}, meta=key("k"))
            assert first.structured_content == second.structured_content == {"number": 1}
            assert second.meta["toolgen/replayed"] is True
            assert error_code(other) == "idempotency_conflict"
            refused = await client.call_tool("ping", {}, meta=key("k"))
            assert error_code(refused) == "invalid_request"

    asyncio.run(run())
    assert orders(shop) == ["cup"]


async def posted(url: str, name: str, arguments: Any, **headers: str) -> httpx2.Response:
    """Return the response to a call of a client since 2026-07-28."""
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    standard = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
    }
    async with httpx2.AsyncClient(timeout=60) as client:
        return await client.post(url, json=message, headers={**standard, **headers})


def test_a_key_may_come_in_a_header_and_a_server_has_a_limit_of_its_own(shop: Project) -> None:
    async def run() -> None:
        limit = {"TOOLGEN_RATE_LIMIT": "3/minute"}
        async with asyncio.timeout(90), shop.server(**limit) as server:
            header = {"idempotency-key": "h"}
            answers = [await posted(server.url, "order", {"article": "cup"}, **header) for _ in range(3)]
            assert [each.json()["result"]["structuredContent"] for each in answers] == [{"number": 1}] * 3
            refused = await posted(server.url, "order", {"article": "cup"}, **header)
            assert refused.status_code == 429
            assert 1 <= int(refused.headers["retry-after"]) <= 60
            assert refused.json()["error"]["message"] == "There were too many requests."

    asyncio.run(run())
    assert orders(shop) == ["cup"]


class Replicas:
    """Servers of a project that share a store."""

    def __init__(self, project: Project, store: str, number: int = 2, *, preloaded: bool = True) -> None:
        self.env = {"TOOLGEN_IDEMPOTENCY_STORE": store, "TOOLGEN_RATE_LIMIT_STORE": store}
        self.project, self.number, self.preloaded = project, number, preloaded
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> list[Any]:
        return [
            await self.stack.enter_async_context(
                self.project.server("--stateless", preloaded=self.preloaded, **self.env)
            )
            for _ in range(self.number)
        ]

    async def __aexit__(self, *error: Any) -> None:
        await self.stack.aclose()


def test_a_limit_is_never_exceeded_over_two_replicas(shop: Project, store: str) -> None:
    async def run() -> list[str]:
        async with asyncio.timeout(120), Replicas(shop, store) as servers, AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(Client(each.url)) for each in servers]
            calls = [client.call_tool("look", {}) for client in clients for _ in range(15)]
            results = await asyncio.gather(*calls)
            refused = [each for each in results if each.is_error]
            assert {error_code(each) for each in refused} == {"rate_limited"}
            assert all(0 < each.meta["toolgen/error"]["retry_after"] <= 60 for each in refused)
            return [each.is_error for each in results]

    assert asyncio.run(run()).count(False) == 10


@pytest.mark.parametrize("tries", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_tries_with_one_key_over_two_replicas_execute_once(
    shop: Project, store: str, tries: int
) -> None:
    async def run() -> list[Any]:
        async with asyncio.timeout(240), Replicas(shop, store) as servers, AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(Client(each.url)) for each in servers for _ in range(5)
            ]
            work = {"article": "cup", "seconds": 0.5}
            calls = [
                clients[number % len(clients)].call_tool("order", work, meta=key("one"))
                for number in range(tries)
            ]
            return await asyncio.gather(*calls)

    results = asyncio.run(run())
    assert orders(shop) == ["cup"]
    assert [each.structured_content for each in results] == [{"number": 1}] * tries
    assert sum("toolgen/replayed" not in (each.meta or {}) for each in results) == 1


@pytest.mark.slow
def test_a_call_of_a_replica_that_was_killed_is_never_executed_again(shop: Project, store: str) -> None:
    async def run() -> None:
        async with asyncio.timeout(240), Replicas(shop, store, preloaded=False) as (one, two):
            work = {"article": "cup", "seconds": 60}
            first = asyncio.create_task(posted(one.url, "order", work, **{"idempotency-key": "k"}))
            while not orders(shop):
                await asyncio.sleep(0.05)
            one.process.send_signal(signal.SIGKILL)
            with pytest.raises(httpx2.HTTPError):
                await first
            async with Client(two.url) as client:
                codes = set()
                began = time.monotonic()
                while "outcome_unknown" not in codes and time.monotonic() - began < 90:
                    result = await client.call_tool("order", work, meta=key("k"))
                    codes.add(error_code(result))
                assert codes <= {"overloaded", "outcome_unknown"}
                assert "outcome_unknown" in codes

    asyncio.run(run())
    assert orders(shop) == ["cup"]


@pytest.mark.redis
@pytest.mark.parametrize("trouble", ["stopped", "frozen", "emptied"])
def test_trouble_of_redis_refuses_keys_and_limits_and_nothing_else(
    shop: Project, tmp_path: Path, trouble: str
) -> None:
    redis = RedisServer(tmp_path)

    async def run() -> None:
        async with (
            asyncio.timeout(240),
            Replicas(shop, redis.url, 1) as (server,),
            Client(server.url) as client,
        ):
            before = await client.call_tool("order", {"article": "cup"}, meta=key("before"))
            assert not before.is_error
            getattr(redis, trouble)()
            began = time.monotonic()
            keyed, limited, free = await asyncio.gather(
                client.call_tool("order", {"article": "cup"}, meta=key("before")),
                client.call_tool("look", {}),
                client.call_tool("ping", {}),
            )
            assert time.monotonic() - began < 30
            assert not free.is_error
            if trouble == "emptied":
                assert error_code(keyed) == "outcome_unknown"
                new = await client.call_tool("order", {"article": "pot"}, meta=key("new"))
                assert error_code(new) == "outcome_unknown", "it may have been used, and forgotten"
                assert not limited.is_error
                return
            assert error_code(keyed) == "not_ready"
            assert error_code(limited) == "rate_limited"
            redis.restored()
            after = await client.call_tool("order", {"article": "cup"}, meta=key("before"))
            assert after.structured_content == before.structured_content
            assert after.meta["toolgen/replayed"] is True

    with redis:
        asyncio.run(run())
    assert orders(shop) == ["cup"]
