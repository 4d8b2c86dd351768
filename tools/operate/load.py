"""A load of both protocol eras, by clients that do what a client must do when a server is lost.

A request that was refused, or whose session is gone, was not executed: it is sent again. One that was sent
and not answered is sent again only if it is idempotent, or has a key; else its outcome is unknown.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from tests.end_to_end.raw_http import LEGACY, MODERN

REPEATABLE = frozenset({"look", "order", "report"})
STOPPED = "JSON-RPC -32000"  # the call was ended by a server that stops
AGAIN = frozenset({"not_ready", "overloaded", STOPPED})
TRIES = 40
PAUSE = 0.25  # seconds before the next try
CALL_SECONDS = 90.0
KEY_META = "toolgen/idempotency_key"


class SentError(Exception):
    """The connection ended after the request was sent."""


class RefusedError(Exception):
    """The request was not executed."""


@dataclass
class Tally:
    """How the calls ended."""

    sent: int = 0
    ended: dict[int, str] = field(default_factory=dict)  # number → answered, outcome_unknown, or an error
    tools: dict[int, str] = field(default_factory=dict)
    eras: dict[int, str] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)  # of what clients had to cope with

    def counts(self, era: str, tool: str) -> Counter[str]:
        """Return the ends of the calls of a tool by clients of an era."""
        return Counter(
            end
            for number, end in self.ended.items()
            if (self.eras[number], self.tools[number]) == (era, tool)
        )


@dataclass
class Load:
    """Clients that make `calls` calls in all; `tools` in turn."""

    url: str
    calls: int
    tools: tuple[str, ...] = ("look", "pay", "order")
    tally: Tally = field(default_factory=Tally)
    name: str = field(default_factory=lambda: token_hex(4))  # begins the keys of its calls
    trace: str = ""  # a trace id for one call of the last tool

    async def run(self, *, modern: int = 8, legacy: int = 8) -> Tally:
        """Make all calls."""
        clients = [Client(self, "modern") for _ in range(modern)] + [
            Client(self, "legacy") for _ in range(legacy)
        ]
        await asyncio.gather(*(each.work() for each in clients))
        return self.tally

    def next_call(self, era: str) -> int | None:
        """Return the number of the next call; None after the last one."""
        tally = self.tally
        if tally.sent >= self.calls:
            return None
        tally.sent += 1
        number = tally.sent
        tally.tools[number] = self.tools[number % len(self.tools)]
        tally.eras[number] = era
        return number


@dataclass
class Client:
    """One client with one connection, and a session if it is of the older era."""

    load: Load
    era: str
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None
    session: str | None = None

    async def work(self) -> None:
        """Make calls until there are enough."""
        while (number := self.load.next_call(self.era)) is not None:
            began = time.perf_counter()
            end = await self._call(number, self.load.tally.tools[number])
            self.load.tally.ended[number] = end
            self.load.tally.seconds[number] = time.perf_counter() - began
        self._close()

    async def _call(self, number: int, tool: str) -> str:
        events = self.load.tally.events
        for _ in range(TRIES):
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    if self.era == "legacy" and self.session is None:
                        await self._open_session()
                    answer = await self._request("tools/call", self._params(number, tool), number)
            except RefusedError as error:
                events[f"refused: {error}"] += 1
            except (SentError, TimeoutError) as error:
                events[f"lost: {error or 'no answer in time'}"] += 1
                self._close()
                if tool not in REPEATABLE:
                    return "outcome_unknown"
            else:
                end = _end_of(answer, number)
                if end not in AGAIN:
                    return end
                if tool not in REPEATABLE:
                    return "outcome_unknown" if end == STOPPED else end
                events[f"repeated: {end}"] += 1
            await asyncio.sleep(PAUSE)
        return "no answer"

    def _params(self, number: int, tool: str) -> dict[str, Any]:
        meta: dict[str, Any] = {}
        if tool == "order":
            meta[KEY_META] = f"{self.load.name}-{number}"
        if self.load.trace and tool == self.load.tools[-1]:
            meta["traceparent"] = f"00-{self.load.trace}-00f067aa0ba902b7-01"
            self.load.trace = ""  # of one call
        return {"name": tool, "arguments": {"number": number}, **({"_meta": meta} if meta else {})}

    async def _open_session(self) -> None:
        params = {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "load", "version": "1"},
        }
        self.load.tally.events["sessions opened"] += 1
        try:
            await self._request("initialize", params, 0)
            await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            await self._receive()
        except SentError as error:  # to open a session twice does no harm
            self._close()
            raise RefusedError(f"no session ({error})") from None

    async def _request(self, method: str, params: dict[str, Any], number: int) -> dict[str, Any]:
        """Return the JSON-RPC message that answers. Raises RefusedError or SentError."""
        headers = {}
        if self.era == "modern":
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            params = {**params, "_meta": {**meta, **params.get("_meta", {})}}
            headers = {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": params["name"]}
        await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, headers)
        status, received, body = await self._receive()
        if method == "initialize" and status == 200:
            self.session = received["mcp-session-id"]
        if status == 503:
            raise RefusedError("503")
        if status == 404 and self.session is not None:
            self.session = None
            raise RefusedError("the session is gone")
        if status in (502, 504):
            raise SentError(str(status))
        text = body.decode()
        if "data: " in text:
            text = [line[6:] for line in text.splitlines() if line.startswith("data: ")][-1]
        found: dict[str, Any] = json.loads(text) if text else {}
        return found

    async def _send(self, message: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        parts, body = urlsplit(self.load.url), json.dumps(message).encode()
        fields = {
            "host": parts.netloc,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(body)),
            **(headers or {}),
        }
        if self.session is not None:
            fields |= {"mcp-session-id": self.session, "mcp-protocol-version": LEGACY}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        try:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection(parts.hostname, parts.port)
            self.writer.write(f"POST {parts.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            await self.writer.drain()
        except OSError as error:
            raise SentError(type(error).__name__) from None

    async def _receive(self) -> tuple[int, dict[str, str], bytes]:
        assert self.reader is not None
        try:
            raw = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            first, *rest = raw.strip().split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)
            }
            body = b""
            if headers.get("transfer-encoding") == "chunked":
                while size := int((await self.reader.readline()).split(b";")[0], 16):
                    body += (await self.reader.readexactly(size + 2))[:-2]
                await self.reader.readexactly(2)
            elif "content-length" in headers:
                body = await self.reader.readexactly(int(headers["content-length"]))
            if headers.get("connection") == "close":
                self._close()
        except (OSError, EOFError, ValueError) as error:
            raise SentError(type(error).__name__) from None
        return int(first.split()[1]), headers, body

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def _end_of(answer: dict[str, Any], number: int) -> str:
    """Return how a call ended by its answer: answered, an error code, or what is wrong."""
    if "error" in answer:
        return f"JSON-RPC {answer['error'].get('code')}"
    result = answer.get("result", {})
    if result.get("isError"):
        return str(result.get("_meta", {}).get("toolgen/error", {}).get("code", "error"))
    return "answered" if result.get("structuredContent") == {"number": number} else f"wrong: {answer}"[:200]
