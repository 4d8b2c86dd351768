"""The MCP server as a process: stdio and HTTP, calls and signals."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from tests.preloaded import python_command

SCRIPT = str(Path(__file__).parent / "serve_samples.py")
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
SECONDS = 60


async def yes(context: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"confirm": True})


def start(*arguments: str, preloaded: bool = True) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = python_command(environment) if preloaded else [sys.executable]
    return subprocess.Popen(
        [*command, SCRIPT, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@contextmanager
def http(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server process; return it and its URL."""
    process = start("--http", "--port", "0", *arguments)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+/mcp", line)
        assert found, line + process.stderr.read()
        yield process, found[0]
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def ask(process: subprocess.Popen[str], *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the raw answers to requests written to stdin."""
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    return answers


HELLO: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
]


@ERAS
@pytest.mark.parametrize("stateless", [False, True])
def test_http(era: str, stateless: bool) -> None:
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async def run(url: str) -> Any:
        async with Client(url, mode=era, elicitation_callback=yes, read_timeout_seconds=SECONDS) as client:
            when = {"when": {"asap": True}}
            booked = await client.call_tool("book", when, progress_callback=progress)
            assert booked.structured_content == {"given": when, "nothing": None}
            return await client.call_tool("wipe", {"disk": "a"})

    with http(*(["--stateless"] if stateless else [])) as (_, url):
        wiped = asyncio.run(run(url))
    assert seen == [1]
    if era == "legacy" and stateless:  # stateless: the client cannot be asked
        assert wiped.meta["toolgen/error"]["code"] == "confirmation_required"
    else:
        assert wiped.content[0].text == '{"wiped":"a"}'


def test_stdout_contains_only_protocol_messages() -> None:
    process = start("loud")
    params = {"name": "renamed", "arguments": {}}
    ask(process, *HELLO, {"id": 2, "method": "tools/call", "params": params})
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert out == ""
    printed = [line for line in err.splitlines() if " INFO toolgen.runtime: " not in line]
    assert sorted(printed) == ["printed before", "printed while building", "printed while called"]


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--port", "1"], "--host, --port, --metrics-port and --stateless need --http"),
        (
            ["--http", "--insecure-no-auth", "--host", "no.such.host.invalid"],
            "cannot listen on no.such.host.invalid:8000: ",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], reported: str) -> None:
    process = start(*arguments)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert reported in err
    assert "Traceback" not in err
