"""A generated MCP server as users start it, and a client by hand: over stdio and HTTP, in both eras."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WAYS = ("stdio, 2025-11-25", "stdio, 2026-07-28", "http, 2025-11-25", "http, 2026-07-28")
MODERN = "2026-07-28"
_STARTING = 120.0  # seconds, on a busy machine
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}


class NoAnswerError(Exception):
    """The server has ended, or does not answer in time."""


class Wire:
    """A running server and one way to reach it. Threads may make calls at the same time."""

    def __init__(self, process: subprocess.Popen[bytes], way: str, log: Path) -> None:
        self.process = process
        self.way = way
        self.port = 0
        self._log = log
        self._session: dict[str, str] = {}
        self._numbers = iter(range(1, 10**9))
        self._answers: dict[Any, bytes] = {}
        self._arrived = threading.Condition()
        self._writing = threading.Lock()
        self._ended = False

    def start(self, seconds: float = _STARTING) -> None:
        """Wait until the server can be called. Raises NoAnswerError."""
        if self.way.startswith("stdio"):
            threading.Thread(target=self._read, daemon=True).start()
        else:
            until = time.monotonic() + seconds
            while (
                found := re.search(r"http://127\.0\.0\.1:(\d+)/mcp", self._log.read_text(errors="replace"))
            ) is None:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise NoAnswerError(self._log.read_text(errors="replace")[-2_000:])
                time.sleep(0.02)
            self.port = int(found[1])
        if MODERN not in self.way:
            self.send("initialize", json.dumps(_INITIALIZE), seconds)
            if self.port:
                self._post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', {}, seconds)
            else:
                self._write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def call(self, tool: str, arguments: str, seconds: float) -> bytes:
        """Call a tool with arguments as JSON text; return the answer. Raises NoAnswerError."""
        meta = f', "_meta": {json.dumps(_META)}' if MODERN in self.way else ""
        return self.send(
            "tools/call", f'{{"name": {json.dumps(tool)}, "arguments": {arguments}{meta}}}', seconds, tool
        )

    def send(
        self,
        method: str,
        params: str,
        seconds: float,
        name: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Send a request with parameters as JSON text; return the answer. Raises NoAnswerError."""
        number = next(self._numbers)
        body = f'{{"jsonrpc": "2.0", "id": {number}, "method": {json.dumps(method)}, "params": {params}}}'
        if not self.port:
            self._write(body.encode("utf-8", "replace"))
            return self._answer(number, seconds)
        own = (
            {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": name}
            if MODERN in self.way
            else {}
        )
        return self._post(body.encode("utf-8", "replace"), {**own, **(headers or {})}, seconds)

    def _post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        common = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        try:
            connection.request("POST", "/mcp", body, {**common, **self._session, **headers})
            answer = connection.getresponse()
            if session := answer.getheader("mcp-session-id"):
                self._session = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
            return answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(repr(error)) from None
        finally:
            connection.close()

    def _write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        try:
            with self._writing:
                self.process.stdin.write(line + b"\n")
                self.process.stdin.flush()
        except OSError as error:
            raise NoAnswerError(repr(error)) from None

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(rb'"id":\s*(\d+)', line[:60]) or re.search(
                rb'"id":\s*(\d+)\}?$', line[-40:].strip()
            )
            with self._arrived:
                self._answers[int(found[1]) if found else None] = line
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def _answer(self, number: int, seconds: float) -> bytes:
        with self._arrived:
            # a request that cannot be parsed is answered without its id
            self._arrived.wait_for(
                lambda: number in self._answers or None in self._answers or self._ended, seconds
            )
            found = self._answers.pop(number, None) or self._answers.pop(None, None)
        if found is None:
            raise NoAnswerError("the server has ended" if self._ended else f"no answer in {seconds:g} s")
        return found

    def processor_time(self) -> float:
        """Return seconds of processor time of the server. Linux only."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        with suppress(OSError):
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9
        return 0.0

    def forget_peak(self) -> None:
        """Let `memory("VmHWM")` begin anew. Linux only."""
        with suppress(OSError):
            Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def memory(self, name: str) -> int:
        """Return a line of the server's status in bytes: `VmRSS`, or `VmHWM` for the peak; 0 at its end."""
        with suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) * 1024
        return 0


@contextmanager
def served(
    folder: Path,
    way: str,
    environment: Mapping[str, str],
    *,
    python: str = sys.executable,
    package: str = "generated",
) -> Iterator[Wire]:
    """Run the server of a project, and reach it in one way of `WAYS`."""
    words = ["--http", "--port", "0"] if way.startswith("http") else []
    log = folder / ".server-log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [python, "-m", f"{package}.mcp_server", *words],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if not words else file,
            stderr=file,
        )
        wire = Wire(process, way, log)
        try:
            wire.start()
            yield wire
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close() if pipe else None
