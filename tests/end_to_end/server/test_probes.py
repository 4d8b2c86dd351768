"""`/healthz` and `/readyz`: for any Host, without a token, and true while a server starts, works and stops."""

from __future__ import annotations

import asyncio
import logging
import signal

import pytest
from mcp import Client
from toolgen.runtime.health import Health

from tests.end_to_end.auth.test_scopes import BOB, shop, tokens_of
from tests.end_to_end.project import Project, bearer
from tests.end_to_end.raw_http import Answer, connect

__all__ = ["shop"]


async def probe(url: str, path: str, **headers: str) -> Answer:
    """Send a probe on a connection of its own."""
    async with connect(url.removesuffix("/mcp") + path) as connection:
        await connection.request("GET", **headers)
        return await connection.receive()


async def test_strangers_get_one_word_for_any_host_and_without_a_token(shop: Project) -> None:
    async with shop.server("--auth-tokens", tokens_of(shop)) as server:
        for host in ("10.1.2.3:8000", "evil.example.com"):
            health = await probe(server.url, "/healthz", host=host)
            ready = await probe(server.url, "/readyz", host=host, authorization="Bearer of-nobody-at-all")
            assert (health.status, health.body) == (200, b"ok\n")
            assert (ready.status, ready.body) == (200, b"ready\n")
        assert (await probe(server.url, "/healthz/x")).status == 401
    assert "/healthz" not in server.log.replace("/healthz/x", "")


async def test_a_server_with_a_degraded_part_is_ready_and_logs_it(shop: Project) -> None:
    shop.add_plain_tool(
        "fails",
        "async def setup(self): raise OSError('no database')\n"
        "async def execute(self, request, context): return 1",
    )
    shop.generate()

    async with shop.server("--auth-tokens", tokens_of(shop)) as server:
        async with connect(server.url) as connection:
            connection.headers = bearer(BOB)
            await connection.call("fails")
        ready = await probe(server.url, "/readyz")
    assert (ready.status, ready.body) == (200, b"ready\n")
    assert server.log.count("degraded: tool fails: its set-up failed: OSError") == 1


async def test_a_server_that_stops_is_not_ready_before_it_refuses_anybody(shop: Project) -> None:
    async with shop.server("--drain-delay", "300", "--grace", "0") as server:
        async with connect(server.url) as connection:
            assert (await connection.call("echo", text="x")).status == 200
            server.process.send_signal(signal.SIGTERM)
            while (ready := await probe(server.url, "/readyz")).status == 200:
                await asyncio.sleep(0.05)
            late = await connection.call("echo", text="x")
        assert (ready.status, ready.body) == (503, b"stopping\n")
        assert (await probe(server.url, "/healthz")).status == 200
        assert late.status == 200
        assert late.headers["connection"] == "close"  # so that a proxy does not use it again
        async with Client(server.url) as client:
            assert (await client.call_tool("echo", {"text": "new"})).is_error is False
        server.process.send_signal(signal.SIGTERM)  # the second one ends it at once


async def test_the_interrupt_of_a_user_does_not_wait(shop: Project) -> None:
    async with shop.server("--drain-delay", "300") as server:
        server.process.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(server.process.wait, 60) == 130


def test_a_part_is_logged_when_it_fails_and_when_it_works_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    health = Health()
    health.degrade("a store", "it is away")
    health.degrade("a store", "it is still away")
    assert health.degraded == {"a store": "it is still away"}
    health.recover("a store")
    health.recover("a store")

    assert health.degraded == {}
    assert [record.getMessage() for record in caplog.records] == [
        "degraded: a store: it is away",
        "works again: a store",
    ]
