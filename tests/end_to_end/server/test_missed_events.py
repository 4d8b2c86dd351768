"""A client up to 2025-11-25 that reconnects gets the result of its call, even if its server was killed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import HttpServer, Project
from tests.end_to_end.raw_http import Connection, connect
from tests.end_to_end.slow_tools import begun, end, nap

VERSION = "2025-11-25"


async def open_session(connection: Connection) -> None:
    client = {"name": "raw", "version": "1"}
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
    answer = await connection.ask("initialize", params)
    connection.headers = {
        "mcp-session-id": answer.headers["mcp-session-id"],
        "mcp-protocol-version": VERSION,
    }
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await connection.request("POST", json.dumps(note).encode())
    assert (await connection.receive()).status == 202


async def begin_and_leave(server: HttpServer, file: Path) -> dict[str, str]:
    """Begin a call, disconnect, and return the headers with which its client reconnects."""
    async with connect(server.url) as connection:
        await open_session(connection)
        await connection.send("tools/call", {"name": "nap", "arguments": nap(300, file)}, number=7)
        assert (await connection.head())[0] == 200
        first = await connection.chunk() or b""  # it has the id of an event, and no message
        await begun(file)
        event_id = next(line[4:] for line in first.decode().splitlines() if line.startswith("id: "))
        return {**connection.headers, "last-event-id": event_id, "accept": "text/event-stream"}


async def reconnect(url: str, headers: dict[str, str]) -> tuple[int, dict[str, Any] | None]:
    """Reconnect; return the status and the message that was missed."""
    async with connect(url) as connection:
        await connection.request("GET", **headers)
        status, received = await connection.head()
        body = b""
        if received.get("transfer-encoding") == "chunked":
            while b'"result"' not in body and (part := await connection.chunk()) is not None:
                body += part
    data = [line[6:] for line in body.decode().splitlines() if line.startswith("data: {")]
    return status, json.loads(data[-1]) if data else None


async def until_done(server: HttpServer, file: Path) -> None:
    """End a call, and wait until its record says so."""
    end(file)
    async with asyncio.timeout(60):
        while "tool nap finished" not in server.log:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)  # the answer is stored after the record


def test_a_client_that_reconnects_gets_the_result_of_a_call_that_goes_on(
    serving: Project, tmp_path: Path
) -> None:
    async def run() -> None:
        async with serving.server(TOOLGEN_EVENT_STORE="memory") as server:
            headers = await begin_and_leave(server, tmp_path / "a")
            waiting = asyncio.create_task(reconnect(server.url, headers))
            await asyncio.sleep(0.3)
            end(tmp_path / "a")
            status, message = await waiting
            assert (status, message and message["id"]) == (200, 7)
            again = await reconnect(server.url, headers)
            assert again[1] == message  # also the second time

    asyncio.run(run())


def test_another_process_has_the_result_when_the_one_with_the_session_was_killed(
    serving: Project, tmp_path: Path
) -> None:
    store = f"sqlite:///{tmp_path / 'events.db'}"

    async def run() -> None:
        async with serving.server(TOOLGEN_EVENT_STORE=store) as server:
            headers = await begin_and_leave(server, tmp_path / "a")
            await until_done(server, tmp_path / "a")
            unfinished = await begin_and_leave(server, tmp_path / "b")
            server.process.kill()
        async with serving.server(TOOLGEN_EVENT_STORE=store) as other:
            status, message = await reconnect(other.url, headers)
            assert (status, message and message["id"]) == (200, 7)
            assert message is not None
            assert message["result"]["content"][0]["text"] == "rested"
            assert (await reconnect(other.url, unfinished))[0] == 404  # nobody will ever know its result
            stranger = {**headers, "mcp-session-id": "0" * 32}
            assert (await reconnect(other.url, stranger))[0] == 404
            guessed = {**headers, "last-event-id": "0" * 64 + ".0"}
            assert (await reconnect(other.url, guessed))[0] == 404
            foreign = {**headers, "origin": "http://evil.example.com"}
            assert (await reconnect(other.url, foreign))[0] == 403

    asyncio.run(run())


def test_a_client_whose_last_event_is_no_longer_known_needs_a_new_session(
    serving: Project, tmp_path: Path
) -> None:
    async def run() -> None:
        async with serving.server(TOOLGEN_EVENT_STORE="memory") as server:
            headers = await begin_and_leave(server, tmp_path / "a")
            stream, number = headers["last-event-id"].split(".")
            for event_id in f"{stream}.{int(number) - 1}", f"{stream}.{int(number) + 9}", "0" * 64 + ".1":
                assert (await reconnect(server.url, {**headers, "last-event-id": event_id}))[0] == 404
            end(tmp_path / "a")
            status, message = await reconnect(server.url, headers)
            assert (status, message and message["id"]) == (200, 7)

    asyncio.run(run())


def test_calls_go_on_without_the_store(serving: Project) -> None:
    async def run() -> str:
        async with (
            serving.server(TOOLGEN_EVENT_STORE="redis://127.0.0.1:9/0") as server,
            connect(server.url) as connection,
        ):
            await open_session(connection)
            assert (await connection.call("echo", text="x")).status == 200
        return server.log

    assert asyncio.run(run()).count("degraded: event store") == 1


@pytest.mark.parametrize("session", [False, True], ids=["modern", "legacy"])
def test_without_a_store_nothing_is_kept(serving: Project, session: bool) -> None:
    async def run() -> None:
        async with serving.server() as server, connect(server.url, session=session) as connection:
            await connection.send("tools/call", {"name": "echo", "arguments": {"text": "x"}})
            assert b"id: " not in (await connection.receive()).body

    asyncio.run(run())


@pytest.mark.slow
def test_a_store_that_cannot_be_used_ends_the_start(serving: Project) -> None:
    done = serving.python(
        "-m", "generated.mcp_server", "--http", "--port", "0", TOOLGEN_EVENT_STORE="mysql://user:secret@db"
    )

    assert done.returncode == 2
    assert (
        "TOOLGEN_EVENT_STORE must be memory, sqlite:///path or redis://host:port, not 'mysql'" in done.stderr
    )
    assert "secret" not in done.stderr
