"""HTTP requests that well-behaved clients do not send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

MODERN = "2026-07-28"
LEGACY = "2025-06-18"


@dataclass
class Answer:
    """An HTTP response with one JSON-RPC message: JSON, or the last event of a stream."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        text = self.body.decode()
        if "data: " in text:
            text = [line[6:] for line in text.splitlines() if line.startswith("data: ")][-1]
        found: dict[str, Any] = json.loads(text)
        return found


@dataclass
class Connection:
    """One keep-alive connection to a server."""

    url: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    headers: dict[str, str] = field(default_factory=dict)
    last_id: int = 0

    async def request(self, method: str, body: bytes = b"", **headers: str) -> None:
        """Send a request."""
        parts = urlsplit(self.url)
        fields = {
            "host": parts.netloc,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(body)),
            **self.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"{method} {parts.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        await self.writer.drain()

    async def send(self, method: str, params: dict[str, Any] | None = None, number: Any = None) -> Any:
        """Send a JSON-RPC request as its POST; return its id."""
        self.last_id += 1
        number = self.last_id if number is None else number
        headers, params = {}, dict(params or {})
        if "mcp-session-id" not in self.headers and method != "initialize":
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                **params.get("_meta", {}),
            }
            headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
            if "name" in params:
                headers["mcp-name"] = params["name"]
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        await self.request("POST", json.dumps(message).encode(), **headers)
        return number

    async def receive(self) -> Answer:
        """Receive a whole response."""
        status, headers = await self.head()
        if "content-length" in headers:
            return Answer(status, headers, await self.reader.readexactly(int(headers["content-length"])))
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while (part := await self.chunk()) is not None:
                body += part
        return Answer(status, headers, body)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Receive the status and the headers of a response."""
        raw = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = raw.strip().split("\r\n")
        return int(first.split()[1]), {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)
        }

    async def chunk(self) -> bytes | None:
        """Receive a chunk of a response; None at its end."""
        size = int((await self.reader.readline()).split(b";")[0], 16)
        part = await self.reader.readexactly(size + 2)
        return part[:-2] if size else None

    async def ask(self, method: str, params: dict[str, Any] | None = None, number: Any = None) -> Answer:
        """Send a JSON-RPC request and receive its response."""
        await self.send(method, params, number)
        return await self.receive()

    async def call(self, tool: str, /, number: Any = None, **arguments: Any) -> Answer:
        """Call a tool."""
        return await self.ask("tools/call", {"name": tool, "arguments": arguments}, number)

    async def initialize(self) -> None:
        """Open a session (MCP up to 2025-11-25) for later requests of this connection."""
        params = {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        answer = await self.ask("initialize", params)
        assert answer.status == 200, answer
        session = answer.headers["mcp-session-id"]
        self.headers |= {"mcp-session-id": session, "mcp-protocol-version": LEGACY}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self.request("POST", json.dumps(note).encode())
        assert (await self.receive()).status == 202

    def close(self) -> None:
        """Close the connection without a message."""
        self.writer.transport.abort()


@asynccontextmanager
async def connect(
    url: str, *, session: bool = False, like: Connection | None = None
) -> AsyncIterator[Connection]:
    """Connect. `session` opens a session (MCP up to 2025-11-25); `like` shares the session of another connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    connection = Connection(url, reader, writer)
    if like is not None:
        connection.headers = dict(like.headers)
    try:
        async with asyncio.timeout(120):
            if session:
                await connection.initialize()
            yield connection
    finally:
        connection.close()
