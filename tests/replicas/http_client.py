"""A small client of an MCP server over HTTP, of either era, that knows whether a request was sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from tests.end_to_end.raw_http import LEGACY, MODERN


class SentError(Exception):
    """The connection ended after the request was sent."""


class RefusedError(Exception):
    """The request was not executed."""


class HttpClient:
    """One client with one connection, and a session if it is of the older era."""

    def __init__(self, url: str, era: str) -> None:
        self.url, self.era = url, era
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.session: str | None = None
        self.last_id = 0  # an id is used once in a session

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the JSON-RPC message that answers. Raises RefusedError or SentError.

        A client of the older era opens a session first, if it has none.
        """
        if self.era == "legacy" and self.session is None:
            await self._open_session()
        return await self._exchange(method, params)

    async def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        more = {} if params is None else {"params": params}
        await self._send({"jsonrpc": "2.0", "method": method, **more})
        await self._receive()

    async def _exchange(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        headers = {}
        if self.era == "modern":
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            params = {**params, "_meta": {**meta, **params.get("_meta", {})}}
            headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
            if "name" in params:
                headers["mcp-name"] = params["name"]
        self.last_id += 1
        await self._send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}, headers)
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
        parts, body = urlsplit(self.url), json.dumps(message).encode()
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
                self.close()
        except (OSError, EOFError, ValueError) as error:
            raise SentError(type(error).__name__) from None
        return int(first.split()[1]), headers, body

    def close(self) -> None:
        """Close the connection; a session stays open."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def _open_session(self) -> None:
        params = {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "client", "version": "1"},
        }
        try:
            await self._exchange("initialize", params)
            await self.notify("notifications/initialized")
        except SentError as error:  # to open a session twice does no harm
            self.close()
            raise RefusedError(f"no session ({error})") from None
