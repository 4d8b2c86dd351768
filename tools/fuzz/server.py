"""Invalid requests to a generated server, over stdio and HTTP: after each one it must answer a valid call."""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import command
from tools.fuzz.project import Project, project
from tools.fuzz.strings import fresh
from tools.fuzz.workers import Workers

PART = "server"
_PATIENCE = 20.0  # seconds for a valid call
_MEGABYTES = 400.0
_AT_ONCE = 25  # requests between two restarts
_SPEC = """
name: echo
description: Return the text that was given.
input_schema: {type: object, required: [text], properties: {text: {type: string}}}
"""
_TOOL = """
from generated.tools.echo import EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        return {"text": request.text}
"""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "start",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
}
_METHODS = (
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "resources/list",
    "server/discover",
    "tasks/get",
    "notifications/cancelled",
    "notifications/initialized",
    "logging/setLevel",
    "completion/complete",
    "",
    "\x00",
    "rpc.x",
)


def _call(number: Any, text: Any = "hello") -> dict[str, Any]:
    params = {"name": "echo", "arguments": {"text": text}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def piece(source: random.Random) -> str:
    """Return an invalid line; latin-1 stands for bytes."""
    request: Any = _call(
        source.choice([1, "x", 10**300, -1, 1.5, None, [], {}, True, "\x00", "x" * 10_000, "start"])
    )
    request["method"] = source.choice(_METHODS)
    for _ in range(source.randint(0, 3)):
        request = _changed(request, source)
    text = json.dumps(request)
    match source.randrange(14):
        case 0:
            return text[: source.randrange(len(text))]
        case 1:
            return json.dumps([request] * source.choice((0, 1, 3, 2_000)))
        case 2:
            return (
                '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": '
                + "[" * 100_000
                + "]" * 100_000
                + "}"
            )
        case 3:
            return text.replace('"id": ', '"id": ' + "9" * 5_000, 1)
        case 4:
            return text.replace('"id"', '"id": 5, "id"', 1)
        case 5:
            return "\x00" * source.randint(1, 500)
        case 6:
            return "".join(chr(source.randrange(256)) for _ in range(source.randint(1, 400))).replace(
                "\n", ""
            )
        case 7:
            return text.replace(": ", ": NaN, ", 1)
        case 8:
            return json.dumps(_call(7, "x" * 6_000_000))
        case 9:
            return json.dumps(_call(7, fresh(source)))
        case 10:
            return "\xff\xfe" + text
        case 11:
            return "{" * source.randint(1, 50_000)
    return text


def _changed(value: Any, source: random.Random) -> Any:
    values: list[Any] = [None, True, -1, 10**400, 1e308, "", [], {}, [[]], fresh(source), {fresh(source): 1}]
    if isinstance(value, dict) and value and source.random() < 0.9:
        key = source.choice(list(value))
        if source.random() < 0.15:
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, key: _changed(value[key], source)}
    return source.choice(values)


def head(source: random.Random) -> str:
    """Return the head of an HTTP request with odd headers, without its end; latin-1 stands for bytes."""
    names = (
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "Content-Type",
        "Accept",
        "Origin",
        "Mcp-Session-Id",
        "Mcp-Protocol-Version",
        "MCP-Method",
        "Mcp-Name",
        "Last-Event-ID",
        "Authorization",
        "Expect",
        "Connection",
        "Upgrade",
        "Content-Encoding",
        "X" * 300,
    )
    values = (
        "",
        "x",
        "-1",
        "99999999999999999999",
        "chunked",
        "chunked, chunked",
        "application/json",
        "text/event-stream",
        "null",
        "evil.example",
        "\x00",
        "\xff",
        "100-continue",
        "websocket",
        "gzip",
        "Bearer \x1b[2J",
        "a" * 20_000,
        "2099-01-01",
        "../..",
        "'\"",
    )
    lines = [f"{source.choice(names)}: {source.choice(values)}" for _ in range(source.randint(0, 6))]
    method = source.choice(
        ("POST", "GET", "DELETE", "PUT", "OPTIONS", "HEAD", "PRI", "\x00", "post", "POST" * 50)
    )
    path = source.choice(
        (
            "/mcp",
            "/mcp",
            "/",
            "//mcp",
            "/mcp/../x",
            "/%00",
            "*",
            "http://x/mcp",
            "/" + "a" * 9_000,
            "/mcp?x=\xff",
        )
    )
    version = source.choice(("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "HTTP/2", ""))
    return "\r\n".join([f"{method} {path} {version}", *lines])


@dataclass(slots=True)
class _Server:
    """A server process and its address."""

    process: asyncio.subprocess.Process
    url: str = ""
    calls: int = 0
    port: int = 0
    background: list[Any] = field(default_factory=list)

    def megabytes(self) -> float:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", text)
        return int(found[1]) / 1024 if found else 0.0


def _prepared() -> Any:
    return project()


def _write(here: Project) -> None:
    here.write("specs/echo.yaml", _SPEC)
    here.write("tools/echo.py", _TOOL)
    here.write("toolgen.toml", 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    ran = here.toolgen("generate")
    if ran.code != 0:
        raise RuntimeError(ran.err)


@asynccontextmanager
async def _started(here: Project, way: str) -> AsyncIterator[_Server]:
    words = ["--http", "--port", "0"] if way == "http" else []
    log = (here.root / f"{way}.log").open("w+b")
    process = await asyncio.create_subprocess_exec(
        *command("generated.mcp_server", *words),
        cwd=here.root,
        env=here.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        limit=2**26,
    )
    server = _Server(process)
    try:
        if way == "http":
            for _ in range(600):
                found = re.search(rb"http://127\.0\.0\.1:(\d+)/mcp", (here.root / "http.log").read_bytes())
                if found:
                    server.port = int(found[1])
                    break
                await asyncio.sleep(0.05)
        else:
            await _send_line(server, json.dumps(_INITIALIZE))
            await _send_line(server, '{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield server
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        log.close()


async def _send_line(server: _Server, line: str) -> None:
    assert server.process.stdin is not None
    server.process.stdin.write(line.encode("latin-1", "replace").replace(b"\n", b" ") + b"\n")
    await server.process.stdin.drain()


async def _stdio(server: _Server, line: str) -> None:
    """Send the line, then a valid call, and await its answer. Raises TimeoutError or ConnectionError."""
    assert server.process.stdout is not None
    await _send_line(server, line)
    server.calls += 1
    number = f"valid-{server.calls}"
    await _send_line(server, json.dumps(_call(number)))
    while True:
        answer = await server.process.stdout.readline()
        if not answer:
            raise ConnectionError("the server closed its output")
        with suppress(ValueError):
            data = json.loads(answer)
            if isinstance(data, dict) and data.get("id") == number:
                if "result" not in data or data["result"].get("isError"):
                    raise ConnectionError(f"a valid call is answered {answer[:300]!r}")
                return


async def _http(server: _Server, text: str) -> None:
    """Send the bytes as a request, disconnect, make a valid call. Raises TimeoutError or ConnectionError."""
    with suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(text.encode("latin-1", "replace"))
        with suppress(TimeoutError, ValueError):
            await asyncio.wait_for(writer.drain(), 1)
            await asyncio.wait_for(reader.read(65_536), 0.05)
        writer.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    body = json.dumps(_INITIALIZE).encode()
    top = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
        "Content-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(top.encode() + body)
    await writer.drain()
    answer = await reader.read(65_536)
    writer.close()
    if b" 200 " not in answer[:20]:
        raise ConnectionError(f"a valid request is answered {answer[:300]!r}")


_WAYS: dict[str, Callable[[_Server, str], Awaitable[None]]] = {"stdio": _stdio, "http": _http}


def _plain_head(length: int) -> str:
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {length}",
    ]
    return "\r\n".join(lines)


def inputs(source: random.Random, way: str) -> list[str]:
    """Return the inputs for one server, in order."""
    if way == "stdio":
        return [piece(source) for _ in range(_AT_ONCE)]
    made = []
    for _ in range(_AT_ONCE):
        body = piece(source)[:200_000]
        start = source.choice((_plain_head(len(body)), head(source)))
        end = source.choice(("\r\n\r\n", "\r\n\r\n", "\n\n", ""))
        made.append(start + end + body)
    return made


async def _try_all(here: Project, way: str, texts: list[str], tally: Tally) -> None:
    async with _started(here, way) as server:
        for at, text in enumerate(texts):
            fault = None
            try:
                async with asyncio.timeout(_PATIENCE):
                    await _WAYS[way](server, text)
            except (OSError, TimeoutError, ValueError) as error:
                fault = f"no answer: {type(error).__name__} {error}"
            tally.counts[f"{way} answered"] += fault is None
            if fault is None and server.megabytes() > _MEGABYTES:
                fault = f"memory: {server.megabytes():.0f} MB"
            if fault is not None:
                log = (here.root / f"{way}.log").read_text(errors="replace")[-500:]
                first = max(0, at - 3)
                reproduction = {"way": way, "sent": [each[:300_000] for each in texts[first : at + 1]]}
                tally.findings.append(Finding(PART, fault.partition(":")[0], f"{fault} {log}", reproduction))
                return


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Start servers one after the other, each with its inputs, until the deadline."""
    tally = Tally()
    with project() as here:
        _write(here)
        while not deadline.is_over and not tally.findings:
            for way in _WAYS:
                asyncio.run(_try_all(here, way, inputs(source, way), tally))
    return tally


def try_sent(data: Any) -> Tally:
    """Send the inputs of a reproduction to a server."""
    tally = Tally()
    with project() as here:
        _write(here)
        asyncio.run(_try_all(here, data["way"], data["sent"], tally))
    return tally
