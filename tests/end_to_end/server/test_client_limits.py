"""Clients that disconnect, open many sessions, or send invalid or slow requests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.end_to_end.project import HttpServer, Project
from tests.end_to_end.raw_http import Answer, connect
from tests.end_to_end.slow_tools import SESSIONS, begun, end, line_of, nap, stdio


async def test_an_endless_stream_ends_when_its_client_disconnects(serving: Project, tmp_path: Path) -> None:
    async with serving.server() as server:
        async with connect(server.url) as connection:
            params = {"name": "count", "arguments": {"file": str(tmp_path / "a")}}
            await connection.send("tools/call", {**params, "_meta": {"progressToken": 1}})
            await begun(tmp_path / "a")
        async with asyncio.timeout(60):
            await begun(tmp_path / "a.ended")
        async with connect(server.url) as connection:
            assert (await connection.call("echo", text="x")).message["result"]["isError"] is False


async def test_a_call_without_a_stream_continues_after_its_client_disconnects(
    serving: Project, tmp_path: Path
) -> None:
    """Up to 2025-11-25, losing the connection does not cancel a request."""

    async with serving.server() as server, connect(server.url, session=True) as connection:
        async with connect(server.url, like=connection) as leaving:
            await leaving.send("tools/call", {"name": "nap", "arguments": nap(300, tmp_path / "a")}, 7)
            await begun(tmp_path / "a")
        await asyncio.sleep(0.3)
        assert (await connection.call("echo", text="x")).status == 200
        end(tmp_path / "a")
        async with asyncio.timeout(60):
            while "tool nap finished" not in server.log:
                await asyncio.sleep(0.05)


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}


async def open_session(server: HttpServer) -> Answer:
    """Return the answer to a request for a session."""
    async with connect(server.url) as connection:
        return await connection.ask("initialize", HELLO)


async def test_a_client_has_a_share_of_the_sessions_and_none_is_ended_for_another(serving: Project) -> None:
    async with (
        serving.server("--sessions", "4") as server,
        connect(server.url, session=True) as one,
        connect(server.url, session=True) as two,
    ):
        refused = await open_session(server)
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        assert refused.message["id"] == 1
        assert "too many sessions" in refused.message["error"]["message"]
        for each in one, two:
            assert (await each.call("echo", text="x")).status == 200
        await one.request("DELETE", b"{}")  # its body has no meaning
        assert (await one.receive()).status == 200
        assert (await open_session(server)).status == 200


async def test_an_idle_session_makes_room_for_another(serving: Project) -> None:
    async with serving.server("--sessions", "1", "--session-idle", "0.3") as server:
        assert (await open_session(server)).status == 200
        async with asyncio.timeout(60):
            while (await open_session(server)).status != 200:
                await asyncio.sleep(0.1)


@SESSIONS
async def test_an_oversized_request_is_refused_before_it_is_read(serving: Project, session: bool) -> None:
    async with serving.server("--max-request-bytes", "2000") as server:
        async with connect(server.url, session=session) as connection:
            await connection.request("POST", b"{", content_length="3000")  # the rest is never sent
            assert (await connection.receive()).status == 413
        async with connect(server.url, session=session) as connection:
            assert (await connection.call("echo", text="x" * 1000)).status == 200
            assert (await connection.call("echo", text="x" * 3000)).status == 413


async def test_invalid_lines_on_stdio_are_answered_with_an_error(serving: Project) -> None:
    async with stdio(serving, "--max-request-bytes", "3000") as (process, write):
        for line, number, code in (
            ("{not json", None, -32700),
            ('{"id": 4, "method": "ping"}', 4, -32600),
            ("[]", None, -32600),
            ("x" * 5000, None, -32600),
        ):
            write(line)
            answer = await line_of(process)
            assert (answer["id"], answer["error"]["code"]) == (number, code)
        write("")
        write(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "ping"}))
        assert await line_of(process) == {"jsonrpc": "2.0", "id": 5, "result": {}}


async def test_a_closed_stdout_ends_the_server_quietly(serving: Project) -> None:
    async with stdio(serving) as (process, write):
        transport = process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
        transport.close()
        for number in range(5, 9):
            write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
        assert process.stderr is not None
        said = (await process.stderr.read()).decode().splitlines()
        assert [line.split(": ")[1].split()[0] for line in said] == ["started", "stopping", "stopped"]
        assert await process.wait() == 0


async def test_of_a_repeated_header_the_first_one_counts(serving: Project) -> None:
    hello = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": HELLO}).encode()
    versions = "2025-06-18\r\nMcp-Protocol-Version: 2026-07-28"
    origins = "http://evil.example.com\r\nOrigin: http://127.0.0.1"

    async with serving.server("--sessions", "2") as server, connect(server.url) as connection:
        found = []
        for headers in ({"origin": origins}, {}, {}):
            await connection.request("POST", hello, mcp_protocol_version=versions, **headers)
            found.append((await connection.receive()).status)
    assert found == [403, 200, 503]  # the second session is beyond the share: the first one was counted


async def test_the_id_of_a_session_is_not_logged(serving: Project) -> None:
    async with serving.server(TOOLGEN_LOG_FORMAT="json") as server:
        async with connect(server.url, session=True) as connection:
            assert (await connection.call("echo", text="x")).status == 200
            session_id = connection.headers["mcp-session-id"]
        async with asyncio.timeout(60):
            while '"session_id"' not in server.log:
                await asyncio.sleep(0.05)
        assert session_id not in server.log


@SESSIONS
async def test_a_client_that_reads_json_alone_gets_json(
    serving: Project, tmp_path: Path, session: bool
) -> None:
    async with serving.server("--max-stream-chunks", "3") as server, connect(server.url) as connection:
        connection.headers = {"accept": "application/json;q=0.9, application/xml"}
        if session:
            await connection.initialize()
        assert len((await connection.ask("tools/list")).message["result"]["tools"]) > 3
        arguments = {"file": str(tmp_path / "count")}
        params = {"name": "count", "arguments": arguments, "_meta": {"progressToken": "a"}}
        answer = await connection.ask("tools/call", params)
        assert answer.headers["content-type"] == "application/json"
        assert json.loads(answer.body)["id"] == connection.last_id
        assert "too_large" in json.dumps(json.loads(answer.body)["result"])
