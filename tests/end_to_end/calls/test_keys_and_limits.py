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

import pytest
from mcp import Client

from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.end_to_end.raw_http import connect
from tests.end_to_end.replicas import replicas
from tests.end_to_end.stores import RedisServer

ORDER = """
async def execute(self, request, context):
    with Path("orders.txt").open("a") as orders:
        orders.write(request.article + "\\n")
    await asyncio.sleep(request.seconds or 0)
    return {"number": len(Path("orders.txt").read_text().split())}
"""
ORDER_MORE = """
output_schema: {type: object, required: [number], properties: {number: {type: integer}}}
idempotency: {ttl: 600}
"""
ANSWER = "async def execute(self, request, context): return 'here'"


@pytest.fixture
def shop(project: Project) -> Project:
    before, properties = (
        "import asyncio\nfrom pathlib import Path",
        "article: {type: string}, seconds: {type: number}",
    )
    project.add_plain_tool("order", ORDER, before=before, more=ORDER_MORE, properties=properties)
    project.add_plain_tool("look", ANSWER, more="rate_limit: {per_minute: 10}")
    project.add_plain_tool("ping", ANSWER)
    project.generate()
    return project


def orders(shop: Project) -> list[str]:
    file = shop.root / "orders.txt"
    return file.read_text().split() if file.exists() else []


def key(text: str) -> dict[str, Any]:
    return {"toolgen/idempotency_key": text}


@ERAS
async def test_the_second_call_with_a_key_gets_the_first_answer(shop: Project, era: Any) -> None:
    async with asyncio.timeout(90), shop.server() as server, Client(server.url, mode=era) as client:
        first = await client.call_tool("order", {"article": "cup"}, meta=key("k"))
        second = await client.call_tool("order", {"article": "cup"}, meta=key("k"))
        other = await client.call_tool("order", {"article": "pot"}, meta=key("k"))
        assert first.structured_content == second.structured_content == {"number": 1}
        assert second.meta["toolgen/replayed"] is True
        assert error_code(other) == "idempotency_conflict"
        refused = await client.call_tool("ping", {}, meta=key("k"))
        assert error_code(refused) == "invalid_request"
        assert "takes no idempotency keys" in text_of(refused)
    assert orders(shop) == ["cup"]


async def test_a_key_may_come_in_a_header_and_a_server_has_a_limit_of_its_own(shop: Project) -> None:
    limit = {"TOOLGEN_RATE_LIMIT": "3/minute"}
    async with asyncio.timeout(90), shop.server(**limit) as server:
        async with connect(server.url) as connection:
            connection.headers = {"idempotency-key": "h"}
            answers = [await connection.call("order", article="cup") for _ in range(3)]
            refused = await connection.call("order", article="cup")
        assert [each.message["result"]["structuredContent"] for each in answers] == [{"number": 1}] * 3
        assert refused.status == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.message["error"]["message"] == "There were too many requests."
    assert orders(shop) == ["cup"]


def sharing(store: str) -> dict[str, str]:
    """Return the environment of replicas that share a store."""
    return {"TOOLGEN_IDEMPOTENCY_STORE": store, "TOOLGEN_RATE_LIMIT_STORE": store}


async def test_a_limit_is_never_exceeded_over_two_replicas(shop: Project, store: str) -> None:
    async with asyncio.timeout(120), replicas(shop, **sharing(store)) as servers, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(each.url)) for each in servers]
        calls = [client.call_tool("look", {}) for client in clients for _ in range(15)]
        results = await asyncio.gather(*calls)
        refused = [each for each in results if each.is_error]
        assert {error_code(each) for each in refused} == {"rate_limited"}
        assert all(0 < each.meta["toolgen/error"]["retry_after"] <= 60 for each in refused)
        found = [each.is_error for each in results]
    assert found.count(False) == 10


@pytest.mark.parametrize("tries", [60, pytest.param(1000, marks=pytest.mark.slow)])
async def test_many_tries_with_one_key_over_two_replicas_execute_once(
    shop: Project, store: str, tries: int
) -> None:
    async with asyncio.timeout(240), replicas(shop, **sharing(store)) as servers, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(each.url)) for each in servers for _ in range(5)]
        work = {"article": "cup", "seconds": 0.5}
        calls = [
            clients[number % len(clients)].call_tool("order", work, meta=key("one"))
            for number in range(tries)
        ]
        results = await asyncio.gather(*calls)
    assert orders(shop) == ["cup"]
    assert [each.structured_content for each in results] == [{"number": 1}] * tries
    assert sum("toolgen/replayed" not in (each.meta or {}) for each in results) == 1


@pytest.mark.slow
async def test_a_call_of_a_replica_that_was_killed_is_never_executed_again(shop: Project, store: str) -> None:
    async with asyncio.timeout(240), replicas(shop, preloaded=False, **sharing(store)) as (one, two):
        work = {"article": "cup", "seconds": 60}
        async with connect(one.url) as connection:
            connection.headers = {"idempotency-key": "k"}
            await connection.send("tools/call", {"name": "order", "arguments": work})
            while not orders(shop):
                await asyncio.sleep(0.05)
            one.process.send_signal(signal.SIGKILL)
        async with Client(two.url) as client:
            codes = set()
            began = time.monotonic()
            while "outcome_unknown" not in codes and time.monotonic() - began < 90:
                result = await client.call_tool("order", work, meta=key("k"))
                codes.add(error_code(result))
            assert codes <= {"overloaded", "outcome_unknown"}
            assert "outcome_unknown" in codes
    assert orders(shop) == ["cup"]


@pytest.mark.redis
@pytest.mark.parametrize("trouble", ["stopped", "frozen", "emptied"])
async def test_trouble_of_redis_refuses_keys_and_limits_and_nothing_else(
    shop: Project, tmp_path: Path, trouble: str
) -> None:
    with RedisServer(tmp_path) as redis:
        async with (
            asyncio.timeout(240),
            replicas(shop, 1, **sharing(redis.url)) as (server,),
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
            else:
                assert error_code(keyed) == "not_ready"
                assert error_code(limited) == "rate_limited"
                redis.restored()
                after = await client.call_tool("order", {"article": "cup"}, meta=key("before"))
                assert after.structured_content == before.structured_content
                assert after.meta["toolgen/replayed"] is True
    assert orders(shop) == ["cup"]
