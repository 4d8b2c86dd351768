"""A server that is stopped answers calls in flight, refuses new ones, and ends in time."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from tests.end_to_end.project import Project
from tests.end_to_end.raw_http import connect
from tests.end_to_end.slow_tools import NEWEST, begun, end, line_of, nap, stdio
from tests.samples import sample

LONG = "300"  # seconds; longer than any test waits for the end of a server
PATIENCE = 60


@pytest.mark.parametrize("session", sample([False, True], (0,)), ids=["modern", "legacy"])
async def test_a_call_in_flight_is_answered_after_sigterm(
    serving: Project, tmp_path: Path, session: bool
) -> None:
    async with serving.server("--grace", "20") as server:
        async with connect(server.url, session=session) as connection:
            await connection.send("tools/call", {"name": "nap", "arguments": nap(4, tmp_path / "a")})
            await begun(tmp_path / "a")
            server.process.send_signal(signal.SIGTERM)
            answer = await connection.receive()
        assert answer.message["result"]["content"][0]["text"] == "rested"
        assert await asyncio.to_thread(server.process.wait, 30) == 0
        assert "Traceback" not in server.log


@NEWEST
async def test_later_calls_are_refused_with_a_json_rpc_error(
    serving: Project, tmp_path: Path, session: bool
) -> None:
    async with (
        serving.server("--grace", LONG) as server,
        connect(server.url, session=session) as connection,
        connect(server.url, like=connection) as other,
    ):
        assert (await other.call("echo", text="x")).status == 200
        await connection.send("tools/call", {"name": "nap", "arguments": nap(300, tmp_path / "a")})
        await begun(tmp_path / "a")
        server.process.send_signal(signal.SIGTERM)
        while (refused := await other.call("echo", number="late", text="x")).status == 200:
            await asyncio.sleep(0.05)
        assert refused.status == 503
        assert refused.headers["retry-after"].isdigit()
        assert refused.message["id"] == "late"
        assert refused.message["error"]["message"] == "The server is stopping."
        try:
            async with connect(server.url, like=connection) as new:
                assert (await new.call("echo", text="x")).status == 503
        except OSError:
            pass  # refused
        end(tmp_path / "a")
        assert (await connection.receive()).message["result"]["content"][0]["text"] == "rested"


@NEWEST
async def test_a_call_past_the_grace_period_gets_a_json_rpc_error(
    serving: Project, tmp_path: Path, session: bool
) -> None:
    async with serving.server("--grace", "1", TOOLGEN_GRACE=LONG) as server:
        async with connect(server.url, session=session) as connection:
            number = await connection.send(
                "tools/call", {"name": "nap", "arguments": nap(300, tmp_path / "a")}
            )
            await begun(tmp_path / "a")
            server.process.send_signal(signal.SIGTERM)
            answer = await connection.receive()
        assert answer.message["id"] == number
        assert answer.message["error"]["message"] == "The server is stopping."
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0


@pytest.mark.parametrize("tool", ["hang", "block"])
@pytest.mark.parametrize(("number", "code"), sample([(signal.SIGTERM, 0), (signal.SIGINT, 130)], (0,)))
async def test_a_hanging_thread_or_a_blocked_loop_does_not_delay_the_end(
    serving: Project, tmp_path: Path, tool: str, number: signal.Signals, code: int
) -> None:
    async with (
        serving.server("--grace", "1", TOOLGEN_GRACE=LONG) as server,
        connect(server.url) as connection,
    ):
        await connection.send("tools/call", {"name": tool, "arguments": nap(300, tmp_path / "a")})
        await begun(tmp_path / "a")
        server.process.send_signal(number)
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == code


async def test_a_second_signal_ends_the_process_at_once(serving: Project, tmp_path: Path) -> None:
    async with serving.server("--grace", LONG) as server, connect(server.url) as connection:
        await connection.send("tools/call", {"name": "hang", "arguments": nap(300, tmp_path / "a")})
        await begun(tmp_path / "a")
        server.process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.5)
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(server.process.wait, PATIENCE) != 0


async def test_open_notification_streams_do_not_delay_the_end(serving: Project, tmp_path: Path) -> None:
    async with serving.server("--grace", LONG) as server, connect(server.url, session=True) as connection:
        await connection.request("GET", accept="text/event-stream")
        assert (await connection.head())[0] == 200
        async with connect(server.url) as listening:
            await listening.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            assert (await listening.head())[0] == 200
            server.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0
            rest = b""
            while (part := await listening.chunk()) is not None:
                rest += part
            assert b'"result"' in rest  # a subscription that is ended regularly is answered
        while await connection.chunk() is not None:
            pass


async def test_stdio_answers_calls_in_flight_and_refuses_later_ones(serving: Project, tmp_path: Path) -> None:
    async with stdio(serving, "--grace", LONG) as (process, write):
        write(call_of("nap", nap(300, tmp_path / "a")))
        await begun(tmp_path / "a")
        process.send_signal(signal.SIGTERM)
        echo = call_of("echo", {"text": "x"}, 3)
        write(echo)
        while "result" in (refused := await line_of(process)):
            write(echo)
        assert (refused["id"], refused["error"]["message"]) == (3, "The server is stopping.")
        end(tmp_path / "a")
        rested = await line_of(process)
        assert (rested["id"], rested["result"]["content"][0]["text"]) == (2, "rested")
        assert await process.wait() == 0


@pytest.mark.parametrize("tool", sample(["hang", "swallow"], (1,)))
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (None, 0)])
async def test_a_tool_that_cannot_be_cancelled_does_not_delay_the_end_of_a_stdio_server(
    serving: Project, tmp_path: Path, tool: str, number: signal.Signals | None, code: int
) -> None:
    async with stdio(serving, "--grace", "1", TOOLGEN_GRACE=LONG) as (process, write):
        write(call_of(tool, nap(300, tmp_path / "a")))
        await begun(tmp_path / "a")
        if number is None:
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == code


async def test_a_call_in_flight_is_answered_after_the_client_closed_stdin(
    serving: Project, tmp_path: Path
) -> None:
    async with stdio(serving, "--grace", LONG) as (process, write):
        write(call_of("nap", nap(300, tmp_path / "a")))
        await begun(tmp_path / "a")
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.sleep(0.5)
        assert process.returncode is None
        end(tmp_path / "a")
        assert (await line_of(process))["result"]["content"][0]["text"] == "rested"
        assert await process.wait() == 0


def call_of(tool: str, arguments: dict[str, object], number: int = 2) -> str:
    """Return the line of a call."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
