"""Measure MCP servers over stdio: from their start to the end of their first `tools/list`, and call by call.

The client side is written by hand, so that no client's time is included. It uses the handshake that every
server here supports.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from .process import Wrong, elapsed
from .project import Project

_HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def first_list(command: Sequence[str], project: Project, tools: int) -> float:
    """Return seconds. Raises `Wrong` unless the server lists `tools` tools, each with its schema."""
    with (project.folder / ".bench-log").open("w+b") as log:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=project.folder,
            env=project.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            _send(process, {"id": 1, "method": "initialize", "params": _HANDSHAKE})
            _answer(process, 1)
            _send(process, {"method": "notifications/initialized"})
            listed = _list(process)
            process.kill()
            seconds = elapsed(began, os.wait4(process.pid, 0)[2])
        except Wrong as error:
            log.seek(0)
            raise Wrong(f"{error}:\n{log.read().decode('utf-8', 'replace')[-2000:]}") from None
        finally:
            _end(process)
    found = [tool for line in listed for tool in json.loads(line)["result"]["tools"]]
    if len(found) != tools or not all(tool["inputSchema"]["properties"] for tool in found):
        raise Wrong(f"{' '.join(command)} listed {len(found)} tools, not {tools}")
    return seconds


class Conversation:
    """A running server, asked one request at a time. A context that ends the server."""

    def __init__(self, command: Sequence[str], project: Project) -> None:
        self._number = 0
        self._log = (project.folder / ".bench-log").open("ab")
        self._process = subprocess.Popen(
            command,
            cwd=project.folder,
            env=project.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self.pid = self._process.pid

    def __enter__(self) -> Conversation:
        self.ask("initialize", _HANDSHAKE)
        _send(self._process, {"method": "notifications/initialized"})
        return self

    def __exit__(self, *error: object) -> None:
        _end(self._process)
        self._log.close()

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        """Return the line that answers a request. Raises `Wrong` if the server ends before."""
        self._number += 1
        _send(self._process, {"id": self._number, "method": method, "params": params})
        return _answer(self._process, self._number)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and close its pipes."""
    process.kill()  # does nothing if it has ended
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # unwritten data is discarded
            pipe.close() if pipe else None


def _list(process: subprocess.Popen[bytes]) -> list[bytes]:
    """Return the pages of `tools/list`, parsed only as far as needed to find the next page."""
    pages = []
    params: dict[str, Any] = {}
    for number in range(2, 1000):
        _send(process, {"id": number, "method": "tools/list", "params": params})
        pages.append(_answer(process, number))
        if b'"nextCursor":"' not in pages[-1]:
            break
        params = {"cursor": json.loads(pages[-1])["result"]["nextCursor"]}
    return pages


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[bytes], number: int) -> bytes:
    """Return the line that answers request `number`."""
    assert process.stdout
    for line in process.stdout:
        ends = (line[:200] + line[-200:]).replace(b" ", b"")
        if f'"id":{number},'.encode() in ends or f'"id":{number}}}'.encode() in ends:
            return line
    raise Wrong(f"the server ended before it answered request {number}")
