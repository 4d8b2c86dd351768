"""A server that does what a behaviour of `behaviours.yaml` says instead of answering as it should.

`python hostile_upstream.py FOLDER ERA [PORT]`: over stdio, or over HTTP at a port. `FOLDER/behaviours.json` has the
behaviours, `FOLDER/now` the name of one that is for another method than tools/call. Only the standard library.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER, ERA = Path(sys.argv[1]), sys.argv[2]
GONE: dict[str, dict[str, Any]] = {}  # sessions, and how all that is asked in them is answered
BEHAVIOURS = {each["name"]: each for each in json.loads((FOLDER / "behaviours.json").read_text())}
CONNECT = ("initialize", "server/discover")
INFO = {"name": "hostile", "version": "1"}
STAMP = (
    {}
    if ERA == "legacy"
    else {
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": INFO},
    }
)
SCHEMA = {"type": "object", "properties": {"does": {"type": "string"}, "n": {"type": "integer"}}}
TOOLS = [
    {"name": "act", "description": "Act.", "inputSchema": SCHEMA},
    {
        "name": "read",
        "description": "Read.",
        "inputSchema": SCHEMA,
        "annotations": {"readOnlyHint": True},
    },
    {"name": "fine", "description": "Answer.", "inputSchema": SCHEMA},
]


def answer_to(message: dict[str, Any]) -> dict[str, Any]:
    """Return the result or the error that a good server would send."""
    method, params = message["method"], message.get("params", {})
    given = params.get("arguments", {})
    text = f"{ERA if given.get('does') == 'who' else ''} {given.get('n', 'done')}".strip()
    can = {"tools": {"listChanged": True}}
    results: dict[str, Any] = {
        "tools/list": {"tools": TOOLS},
        "tools/call": {"content": [{"type": "text", "text": text}]},
        "ping": {},
    }
    if ERA == "legacy":
        results["initialize"] = {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": INFO}
    else:
        results["server/discover"] = {"supportedVersions": ["2026-07-28"], "capabilities": can}
    if method not in results:
        return {"error": {"code": -32601, "message": "Method not found"}}
    return {"result": {**STAMP, **results[method]}}


def behaviour_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be done with a request."""
    method, given = message["method"], message.get("params", {}).get("arguments", {})
    now = FOLDER / "now"
    name = given.get("does") if method == "tools/call" else now.read_text() if now.exists() else None
    found: dict[str, Any] = BEHAVIOURS.get(name or "", {})
    at = found.get("at", "tools/call")
    if not found or method not in (CONNECT if at == "connect" else (at,)):
        return {"does": ["$ok"]}
    was_done = FOLDER / "-".join(["done", str(os.getppid()), *sys.argv[2:], str(given.get("n"))])
    if found.get("once") and was_done.exists():
        return {"does": ["$ok"]}
    was_done.touch()
    return found


class Output:
    """Where the answer to one request goes."""

    def __init__(
        self,
        writer: asyncio.StreamWriter | None,
        request: dict[str, Any],
        session: str = "",
        asked_in: str = "",
    ) -> None:
        self.writer, self.request, self.session = writer, request, session
        self.asked_in = asked_in  # the session that the client names
        self.has_head = False

    async def write(self, data: bytes) -> None:
        if self.writer is None:
            await asyncio.to_thread(_write_all, data)
        else:
            self.writer.write(data)
            await self.writer.drain()

    async def head(self, status: int = 200, **headers: Any) -> None:
        """Write the head of a response of HTTP."""
        self.has_head = True
        if self.session and self.request["method"] == "initialize":
            headers["Mcp-Session-Id"] = self.session
        lines = [
            f"{key}: {'x' * value['fill'] if isinstance(value, dict) else value}"
            for key, value in headers.items()
        ]
        text = "\r\n".join([f"HTTP/1.1 {status} Status", *lines, "Connection: close", "", ""])
        await self.write(text.encode())

    async def message(self, text: str) -> None:
        """Send a line, or an event."""
        data = text.encode("latin-1", "surrogatepass")
        if self.writer is None:
            await self.write(data + b"\n")
            return
        if not self.has_head:
            await self.head(**{"Content-Type": "text/event-stream"})
        await self.write(b"data: " + data + b"\n\n")

    def filled(self, text: str) -> str:
        """Return a text with the answers that it names."""
        own, answer = json.dumps(self.request.get("id")), answer_to(self.request)
        good = json.dumps({"jsonrpc": "2.0", "id": self.request.get("id"), **answer})
        if text.startswith("$result"):
            value = text.removeprefix("$result")
            if ERA != "legacy" and "resultType" not in value:
                value = value.replace("{", '{"resultType":"complete",', 1)
            text = f'{{"jsonrpc":"2.0","id":$id,"result":{value}}}'
        return text.replace("$id", own).replace("$ok", good)

    async def step(self, step: Any) -> None:
        """Do one step."""
        match step:
            case str():
                await self.message(self.filled(step))
            case {"status": status, **more}:
                headers = dict(more.get("headers", {}))
                if "json" in more:
                    headers["Content-Type"] = "application/json"
                await self.head(status, **headers)
                await self.write(self.filled(more.get("json", more.get("body", ""))).encode("latin-1"))
                if "bomb" in more:
                    await self.write(gzip.compress(b" " * more["bomb"]))
            case {"json": text}:
                await self.head(**{"Content-Type": "application/json"})
                await self.write(self.filled(text).encode("latin-1"))
            case {"events": text}:
                await self.head(**{"Content-Type": "text/event-stream"})
                await self.write(self.filled(text).encode())
            case {"raw": text}:
                await self.write(self.filled(text).encode())
            case {"drip": seconds}:
                await self.head(**{"Content-Type": "application/json"})
                for each in self.filled("$ok").encode():
                    await self.write(bytes([each]))
                    await asyncio.sleep(seconds)
            case {"many": [number, text]}:
                await self.message(text)
                line = text.encode() + b"\n" if self.writer is None else b"data: " + text.encode() + b"\n\n"
                await self.write(line * (number - 1))
            case {"ping": seconds}:
                while True:
                    await self.write(b": ping\n\n")
                    await asyncio.sleep(seconds)
            case {"flood": [number, size]}:
                await self.head(**{"Content-Type": "application/json"}) if self.writer else None
                for _ in range(number):
                    await self.write(b" " * size)
            case {"nested": depth}:
                value = "[" * depth + "]" * depth
                await self.message(self.filled(f'$result{{"content":[],"_meta":{{"a/b":{value}}}}}'))
            case {"values": number}:
                await self.message(
                    self.filled(f'$result{{"content":[],"_meta":{{"a/b":[{"[]," * number}0]}}}}')
                )
            case {"page": cursor}:
                is_first = "cursor" not in self.request.get("params", {}) and cursor
                tools = TOOLS[:2] if is_first else TOOLS[2:] if cursor else TOOLS
                result = json.dumps({**STAMP, "tools": tools, "nextCursor": cursor})
                await self.message(self.filled(f'{{"jsonrpc":"2.0","id":$id,"result":{result}}}'))
            case {"sleep": seconds}:
                await asyncio.sleep(seconds)
            case {"exit": code}:
                os._exit(code)
            case {"signal": number}:
                os.kill(os.getpid(), number)
            case {"close": descriptor}:
                os.close(descriptor)
            case {"cut": _} if self.writer:
                self.writer.transport.abort()


def _write_all(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        os._exit(0)


async def respond(output: Output) -> None:
    """Answer a request."""
    try:
        found = GONE.get(output.asked_in) or behaviour_of(output.request)
        if found.get("gone"):
            GONE[output.asked_in] = found
        for step in found["does"]:
            await output.step(step)
    except OSError:
        pass


async def serve_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request of HTTP; each has a connection of its own."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = {
            key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines[1:])
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        message = json.loads(body or b"{}")
        if "method" in message and "id" in message:
            session = f"session-{os.urandom(6).hex()}" if ERA == "legacy" else ""
            await respond(Output(writer, message, session, headers.get("mcp-session-id", "")))
        else:
            status = "405 No" if lines[0].startswith("GET") else "202 Accepted"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def serve_stdio() -> None:
    """Answer the requests on stdin."""
    tasks = set()
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        message = json.loads(line)
        if "method" in message and "id" in message:
            tasks.add(asyncio.create_task(respond(Output(None, message))))
    os._exit(0)


async def main() -> None:
    if len(sys.argv) == 3:
        await serve_stdio()
    server = await asyncio.start_server(serve_http, "127.0.0.1", int(sys.argv[3]), limit=2**20)
    await server.serve_forever()


asyncio.run(main())
