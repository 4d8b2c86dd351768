"""Clients that disconnect, open many sessions, or send invalid or slow requests."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.end_to_end.project import HttpServer, Project
from tests.end_to_end.raw_http import connect
from tests.end_to_end.slow_tools import NEWEST, begun, end, line_of, nap, stdio

IMPATIENT = (
    "-c",
    "from runpy import run_module\n"
    "from toolgen.serving.transports import body\n"
    "assert body.START_SECONDS == 10\n"
    "body.START_SECONDS = 4.0\n"
    "run_module('generated.mcp_server', run_name='__main__', alter_sys=True)\n",
)
"""A server that waits four seconds for the rest of a request, instead of ten."""
SESSIONS = pytest.mark.parametrize("session", [False, True], ids=["modern", "legacy"])


@SESSIONS
def test_an_endless_stream_ends_when_its_client_disconnects(
    serving: Project, tmp_path: Path, session: bool
) -> None:
    async def run() -> None:
        async with serving.server() as server:
            async with connect(server.url, session=session) as connection:
                params = {"name": "count", "arguments": {"file": str(tmp_path / "a")}}
                await connection.send("tools/call", {**params, "_meta": {"progressToken": 1}})
                await begun(tmp_path / "a")
            async with asyncio.timeout(60):
                await begun(tmp_path / "a.ended")
            async with connect(server.url, session=session) as connection:
                assert (await connection.call("echo", text="x")).message["result"]["isError"] is False

    asyncio.run(run())


def test_a_call_without_a_stream_continues_after_its_client_disconnects(
    serving: Project, tmp_path: Path
) -> None:
    """Up to 2025-11-25, losing the connection does not cancel a request."""

    async def run() -> None:
        async with serving.server() as server, connect(server.url, session=True) as connection:
            async with connect(server.url, like=connection) as leaving:
                await leaving.send("tools/call", {"name": "nap", "arguments": nap(300, tmp_path / "a")}, 7)
                await begun(tmp_path / "a")
            await asyncio.sleep(0.3)
            again = await connection.call("echo", number=7, text="not the other answer")
            assert (
                again.message["error"]["message"]
                == "A request with this id is still running in this session."
            )
            end(tmp_path / "a")
            async with asyncio.timeout(60):
                while "error" in (again := await connection.call("echo", number=7, text="mine")).message:
                    await asyncio.sleep(0.05)
            assert again.message["result"]["structuredContent"] == {"text": "mine"}

    asyncio.run(run())


def resident(server: HttpServer) -> int:
    """Return the server's resident memory in KiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def test_new_sessions_replace_abandoned_ones(serving: Project) -> None:
    async def run() -> None:
        async with serving.server("--sessions", "50", preloaded=False) as server:  # noqa: SIM117
            async with connect(server.url, session=True) as first, connect(server.url) as opening:
                async with connect(server.url, like=first) as listening:
                    await listening.request("GET", accept="text/event-stream")
                    assert (await listening.head())[0] == 200
                    sizes = []
                    for number in range(600):
                        opening.headers = {}
                        await opening.initialize()
                        if number in (200, 599):
                            sizes.append(resident(server) if sys.platform == "linux" else 0)
                    assert sizes[1] - sizes[0] < 12_000, sizes  # 400 sessions were 18 MiB
                    assert (await first.call("echo", text="still here")).status == 200
                    last = dict(opening.headers)
                    opening.headers = {**last, "mcp-session-id": "0" * 32}
                    assert (await opening.call("echo", text="x")).status == 404
                    opening.headers = last
                    assert (await opening.call("echo", text="x")).status == 200

    asyncio.run(run())


def test_the_session_idle_longest_is_replaced_first_and_never_one_in_use(
    serving: Project, tmp_path: Path
) -> None:
    async def run() -> None:
        async with (
            serving.server("--sessions", "2") as server,
            connect(server.url, session=True) as one,
            connect(server.url, session=True) as two,
        ):
            assert (await one.call("echo", text="x")).status == 200  # now `two` is idle longest
            async with connect(server.url, session=True) as three:
                assert (await two.call("echo", text="x")).status == 404
                assert (await one.call("echo", text="x")).status == 200
                for number, each in enumerate((one, three)):
                    file = tmp_path / str(number)
                    await each.send("tools/call", {"name": "nap", "arguments": nap(300, file)})
                    await begun(file)
                async with connect(server.url) as four:
                    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
                    client = {"clientInfo": {"name": "raw", "version": "1"}}
                    refused = await four.ask("initialize", {**hello, **client})
                    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
                    assert refused.message["id"] == 1
                for number, each in enumerate((one, three)):
                    end(tmp_path / str(number))
                    assert (await each.receive()).message["result"]["content"][0]["text"] == "rested"

    asyncio.run(run())


def test_an_idle_session_ends(serving: Project) -> None:
    async def run() -> None:
        async with (
            serving.server("--session-idle", "0.3") as server,
            connect(server.url, session=True) as one,
        ):
            async with asyncio.timeout(60):
                while (await one.call("echo", text="x")).status != 404:
                    await asyncio.sleep(1.5)

    asyncio.run(run())


@NEWEST
def test_a_request_that_arrives_too_slowly_is_refused(serving: Project, session: bool) -> None:
    async def run() -> None:
        async with (
            serving.server(run=IMPATIENT) as server,
            connect(server.url, session=session) as body,
        ):
            await body.request("POST", b"", content_length="100")
            late = await body.receive()
            assert (late.status, late.message["error"]["code"]) == (408, -32600)

    asyncio.run(run())


@SESSIONS
def test_an_oversized_request_is_refused_before_it_is_read(serving: Project, session: bool) -> None:
    async def run() -> None:
        async with serving.server("--max-request-bytes", "2000") as server:
            async with connect(server.url, session=session) as connection:
                await connection.request("POST", b"{", content_length="3000")  # the rest is never sent
                refused = await connection.receive()
                assert (refused.status, refused.message["error"]["code"]) == (413, -32600)
                assert "2000 bytes" in refused.message["error"]["message"]
            async with connect(server.url, session=session) as connection:
                assert (await connection.call("echo", text="x" * 1000)).status == 200
                assert (await connection.call("echo", text="x" * 3000)).status == 413

    asyncio.run(run())


def test_a_repeated_request_id_is_refused_while_the_first_runs(serving: Project, tmp_path: Path) -> None:
    async def run() -> None:
        async with serving.server() as server, connect(server.url, session=True) as one:  # noqa: SIM117
            async with connect(server.url, like=one) as two:
                await one.send("tools/call", {"name": "nap", "arguments": nap(300, tmp_path / "a")}, 9)
                await begun(tmp_path / "a")
                for number in (9, "9"):
                    async with connect(server.url, like=one) as again:
                        refused = await again.call("echo", number=number, text="x")
                        assert (refused.status, refused.message["error"]["code"]) == (400, -32600)
                        assert refused.message["id"] == number
                assert (await two.call("echo", number=10, text="x")).status == 200
                end(tmp_path / "a")
                assert (await one.receive()).message["result"]["content"][0]["text"] == "rested"
                async with asyncio.timeout(
                    60
                ):  # the id is free when the other connection has its answer whole
                    while (await two.call("echo", number=9, text="x")).status != 200:
                        await asyncio.sleep(0.05)

    asyncio.run(run())


def test_invalid_lines_on_stdio_are_answered_with_an_error(serving: Project) -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_a_closed_stdout_ends_the_server_quietly(serving: Project) -> None:
    async def run() -> None:
        async with stdio(serving) as (process, write):
            transport = process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
            transport.close()
            for number in range(5, 9):
                write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
            assert process.stderr is not None
            assert await process.stderr.read() == b""
            assert await process.wait() == 0

    asyncio.run(run())


@pytest.mark.parametrize(
    "repeated",
    [
        {"mcp_protocol_version": "2025-06-18\r\nMcp-Protocol-Version: 2026-07-28"},
        {"mcp_protocol_version": "2026-07-28\r\nMcp-Protocol-Version: 2025-06-18"},
        {"mcp_session_id": f"{'0' * 32}\r\nMcp-Session-Id: {'1' * 32}"},
        {"origin": "http://127.0.0.1\r\nOrigin: http://evil.example.com"},
    ],
    ids=["version", "reversed", "session", "origin"],
)
def test_a_repeated_header_is_refused_and_opens_no_session(
    serving: Project, repeated: dict[str, str]
) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": hello}

    async def run() -> None:
        async with serving.server() as server, connect(server.url) as connection:
            for method in ("POST", "GET", "DELETE"):
                await connection.request(method, json.dumps(body).encode(), **repeated)
                answer = await connection.receive()
                assert (answer.status, answer.message["error"]["code"]) == (400, -32020)
                assert answer.message["id"] == (7 if method == "POST" else None)
                assert "mcp-session-id" not in answer.headers
            async with connect(server.url, session=True) as another:
                assert (await another.call("echo", text="x")).status == 200
        assert server.log.count("refused with 400: The header ") == 3

    asyncio.run(run())


def test_the_body_of_any_method_is_bounded_in_bytes_and_time(serving: Project) -> None:
    async def refused(server: HttpServer, method: str, size: int) -> int:
        async with connect(server.url) as connection:
            await connection.request(method, b"only the first bytes", content_length=str(size))
            async with asyncio.timeout(60):
                return (await connection.head())[0]

    async def run() -> None:
        methods = ("GET", "DELETE", "PUT", "OPTIONS", "HEAD")
        async with serving.server(run=IMPATIENT) as server, connect(server.url, session=True) as good:
            late = [refused(server, method, 100) for method in methods]
            large = [refused(server, method, 70_000) for method in methods]
            assert await asyncio.gather(*late, *large) == [408] * 5 + [413] * 5
            await good.request("DELETE", b"{}")  # a short body has no meaning, and does no harm
            assert (await good.receive()).status == 200

    asyncio.run(run())


BAD_ID = '{"jsonrpc":"2.0","id":[1],"method":"tools/list","params":{}}'


def test_a_request_whose_id_is_not_valid_is_answered_on_stdio(serving: Project) -> None:
    async def run() -> None:
        async with stdio(serving) as (process, write):
            write(BAD_ID)
            async with asyncio.timeout(60):
                answer = json.loads(await process.stdout.readline())
            assert (answer["id"], answer["error"]["code"]) == (None, -32600)
            assert answer["error"]["message"] == "The id of a request must be a string or an integer."

    asyncio.run(run())


def test_a_request_whose_id_is_not_valid_is_answered_over_http(serving: Project) -> None:
    async def run() -> None:
        async with serving.server() as server, connect(server.url, session=True) as connection:
            await connection.request("POST", BAD_ID.encode())
            answer = await connection.receive()
            assert (answer.status, answer.message["error"]["code"]) == (400, -32600)

    asyncio.run(run())


def test_the_id_of_a_session_is_not_logged(serving: Project) -> None:
    async def run() -> None:
        async with serving.server(TOOLGEN_LOG_FORMAT="json") as server:
            async with connect(server.url, session=True) as connection:
                assert (await connection.call("echo", text="x")).status == 200
                session_id = connection.headers["mcp-session-id"]
            async with asyncio.timeout(60):
                while '"session_id"' not in server.log:
                    await asyncio.sleep(0.05)
            assert session_id not in server.log

    asyncio.run(run())
