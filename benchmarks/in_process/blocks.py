"""Measure a result with an image of 20 MB over stdio: its longest hold on the event loop, and its memory.

`blocks.py ROUNDS CLOCK` prints JSON: samples of a server of toolgen and of a low-level server of the SDK.
`blocks.py serve toolgen|sdk FILE CLOCK` is such a server. Both send the image in the result.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import time
from base64 import b64decode, b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SIZE = 20_000_000
LIMIT = 7  # times the data
MIME = "image/png"
CASES = {
    "toolgen": ("blocks, longest stall", "blocks, peak memory"),
    "sdk": ("low-level server, longest stall", "low-level server, peak memory"),
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Heartbeat:
    """A task that notes the longest time for which the event loop did not run it."""

    def __init__(self, clock: str) -> None:
        self._longest = 0.0
        self._now = time.thread_time if clock == "cpu" else time.perf_counter
        self._task: asyncio.Task[None] | None = None

    def take(self) -> float:
        """Return the longest time since the last call, which starts the task."""
        longest, self._longest = self._longest, 0.0
        self._task = self._task or asyncio.create_task(self._beat())
        return longest

    async def _beat(self) -> None:
        last = self._now()
        while True:
            await asyncio.sleep(0.0005)
            now = self._now()
            self._longest, last = max(self._longest, now - last), now


def toolgen(file: Path, heartbeat: Heartbeat) -> int:
    """Serve two tools with the runtime."""
    from toolgen import serving
    from toolgen.runtime import BaseTool, Image, ToolContext, Toolkit, ToolSpec

    class Chart(BaseTool[Any, Any]):
        spec = ToolSpec(name="chart", description="Return the image.", content=[{"type": "image"}])

        async def execute(self, request: Any, context: ToolContext) -> Image:
            return Image(file)

    class Stall(BaseTool[Any, Any]):
        spec = ToolSpec(name="stall", description="Return the longest stall since the last time.")

        async def execute(self, request: Any, context: ToolContext) -> float:
            return heartbeat.take()

    return serving.main(lambda: serving.build_server(Toolkit([Chart(), Stall()]), name="bench"), [])


def sdk(file: Path, heartbeat: Heartbeat) -> int:
    """Serve the same with the SDK alone."""
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "stall":
            return types.CallToolResult(content=[types.TextContent(text=str(heartbeat.take()))])
        data = b64encode(file.read_bytes()).decode()
        return types.CallToolResult(content=[types.ImageContent(data=data, mime_type=MIME)])

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="chart", input_schema={"type": "object"})])

    async def serve() -> None:
        server: Server[Any] = Server("bench", version="1", on_call_tool=call, on_list_tools=list_tools)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(serve())
    return 0


def measure(kind: str, file: Path, clock: str) -> tuple[float, float]:
    """Return the longest stall in seconds and the bytes by which memory grew, for one call."""
    env = {**os.environ, "TOOLGEN_MAX_INLINE_BYTES": str(2 * SIZE), "TOOLGEN_LOG_LEVEL": "warning"}
    command = [sys.executable, __file__, "serve", kind, str(file), clock]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        ask(process, 1, "initialize", HANDSHAKE)
        ask(process, 2, "tools/call", {"name": "stall", "arguments": {}})
        before = memory(process.pid, "VmRSS")
        image = ask(process, 3, "tools/call", {"name": "chart", "arguments": {}})["content"][0]
        grown = memory(process.pid, "VmHWM") - before
        stall = ask(process, 4, "tools/call", {"name": "stall", "arguments": {}})["content"][0]["text"]
        process.kill()
    sent, received = file.read_bytes(), b64decode(image["data"])
    if hashlib.sha256(sent).digest() != hashlib.sha256(received).digest():
        raise ValueError(f"{kind} sent other data")
    return float(stall), grown


def ask(process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    result: dict[str, Any] = json.loads(process.stdout.readline())["result"]
    return result


def memory(pid: int, field: str) -> int:
    """Return a figure of /proc in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def main(rounds: int, clock: str) -> None:
    """Print the samples."""
    samples: dict[str, list[float]] = {name: [] for names in CASES.values() for name in names}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "chart.png"
        file.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + os.urandom(SIZE - 16))
        for _ in range(rounds):
            for kind, (stall, grown) in CASES.items():
                figures = measure(kind, file, clock)
                samples[stall].append(figures[0])
                samples[grown].append(figures[1])
    samples[f"{LIMIT} times the data"] = [float(LIMIT * SIZE)] * rounds
    print(json.dumps(samples))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _, _, kind, path, clock = sys.argv
        sys.exit((toolgen if kind == "toolgen" else sdk)(Path(path), Heartbeat(clock)))
    main(int(sys.argv[1]), sys.argv[2])
