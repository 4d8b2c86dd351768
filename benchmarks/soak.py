"""Calls over HTTP beside misbehaving tools: no answer may be lost or wrong, and memory must not grow.

`python -m benchmarks.soak [--calls N] [--in-flight N] [--minutes N] [--without TOOL,…]`, from an environment
with toolgen and its extras `cli` and `mcp`; see `make soak`. Exit code 1 if a call was lost or wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SPEC = """\
name: {name}
description: A tool of the soak test.
input_schema:
  type: object
  additionalProperties: false
  required: [number]
  properties: {{number: {{type: integer}}}}
{more}"""
ECHO = "output_schema: {type: object, required: [number], properties: {number: {type: integer}}}\n"
CHUNKS = "stream: {chunk_schema: {type: string}}\n"
TOOL = """\
import asyncio, os, sys, time
from generated.tools.{name} import {class_name}

class Tool({class_name}):
    {body}
"""
# Behaviour of each tool by name; specs of tools that stream or return data have more.
BODIES = {
    "echo": "async def execute(self, request, context):\n"
    "        from generated.models.echo import EchoResponse\n"
    "        return EchoResponse(number=request.number)",
    "leave": "async def execute(self, request, context):\n        sys.exit(3)",
    "leave_thread": "def execute(self, request, context):\n        sys.exit(3)",
    "cancel": "async def execute(self, request, context):\n"
    "        task = asyncio.create_task(asyncio.sleep(10))\n        task.cancel()\n        await task",
    "hang": "def execute(self, request, context):\n        time.sleep(20)\n        return 1",
    "flood": "async def execute(self, request, context):\n        while True:\n            yield 'x' * 1000",
    "huge": "async def execute(self, request, context):\n        return 'x' * 30_000_000",
    "block": "async def execute(self, request, context):\n        time.sleep(2)\n        return 1",
    "undeclared": "async def execute(self, request, context):\n        raise RuntimeError('undeclared')",
    "child_leaves": "async def execute(self, request, context):\n"
    "        async def leave():\n            sys.exit(3)\n        await asyncio.gather(leave())",
    **{
        f"cancelled_{name}": "async def execute(self, request, context):\n"
        "        try:\n            await asyncio.sleep(60)\n"
        f"        except BaseException:\n            {leave}"
        for name, leave in {
            "raises": "raise OSError('no space left')",
            "cancels": "raise asyncio.CancelledError",
            "groups": "raise BaseExceptionGroup('g', [asyncio.CancelledError(), OSError()])",
            "exits": "sys.exit(3)",
            "interrupts": "raise KeyboardInterrupt",
            "returns": "return 1",
        }.items()
    },
    "cancelled_stream": "async def execute(self, request, context):\n"
    "        try:\n            yield 'x'\n            await asyncio.sleep(60)\n"
    "        finally:\n            raise OSError('no space left')",
    "cancelled_thread": "def execute(self, request, context):\n        time.sleep(1)\n        sys.exit(3)",
}
MORE = {
    "echo": ECHO,
    "flood": CHUNKS,
    "cancelled_stream": CHUNKS,
    "cancelled_thread": "concurrency: 4\n",
    "hang": "timeout: 1\nconcurrency: 2\n",
}
PAUSES = {"block": 20.0, "hang": 2.0, "huge": 5.0, "flood": 2.0}  # seconds between calls; otherwise 0.1
PATIENCE = {"flood": 10.0} | {  # seconds until the client disconnects, which cancels the call; otherwise 60
    name: 0.2 for name in BODIES if name.startswith("cancelled_")
}
HEADERS = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Soak:
    """Figures of a run."""

    port: int
    calls: int
    without: frozenset[str]
    sent: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)

    async def callers(self, count: int) -> None:
        """Make all calls of `echo`, so many concurrently."""
        await asyncio.gather(*(self._caller() for _ in range(count)))

    async def _caller(self) -> None:
        connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        while self.sent < self.calls:
            self.sent += 1
            number = self.sent
            try:
                connection = connection or await asyncio.open_connection("127.0.0.1", self.port)
                async with asyncio.timeout(120):
                    answer = await call(connection, "echo", number)
            except (OSError, EOFError, TimeoutError, ValueError) as error:
                self.lost.append(f"{number}: {error!r}")
                connection = None
                continue
            if answer.get("result", {}).get("structuredContent") == {"number": number}:
                self.right += 1
            else:
                self.wrong.append(f"{number}: {json.dumps(answer)[:300]}")
        if connection is not None:
            connection[1].close()

    async def misbehave(self, tool: str) -> None:
        """Call a misbehaving tool again and again until the task is cancelled."""
        number = 0
        while True:
            number += 1
            with contextlib.suppress(OSError, EOFError, TimeoutError, ValueError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    async with asyncio.timeout(PATIENCE.get(tool, 60)):
                        answer = await call((reader, writer), tool, number)
                    meta = answer.get("result", {}).get("_meta", {})
                    code = (
                        meta.get("toolgen/error", {}).get("code") or str(answer.get("error", "answered"))[:60]
                    )
                    self.others[f"{tool}: {code}"] += 1
                except TimeoutError:
                    self.others[f"{tool}: disconnected"] += 1
                finally:
                    writer.close()
            await asyncio.sleep(PAUSES.get(tool, 0.1))


async def call(
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], tool: str, number: int
) -> dict[str, Any]:
    """Call a tool on an open connection; return the JSON-RPC message that answers."""
    reader, writer = connection
    params = {"name": tool, "arguments": {"number": number}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    writer.write(
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n{HEADERS}mcp-protocol-version: 2026-07-28\r\n"
        f"mcp-method: tools/call\r\nmcp-name: {tool}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = re.search(r"content-length: (\d+)", head)
    if " 200 " not in head.split("\r\n", 1)[0]:
        raise ValueError(head)
    if length is not None:
        answer: dict[str, Any] = json.loads(await reader.readexactly(int(length[1])))
        return answer
    last = b""
    while size := int((await reader.readline()).strip() or b"0", 16):
        last = (await reader.readexactly(size + 2))[:-2]
    found: dict[str, Any] = json.loads(last.decode().partition("data: ")[2])
    return found


def lay_out(folder: Path) -> None:
    """Write and generate the project."""
    (folder / "specs").mkdir()
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    for name, body in BODIES.items():
        class_name = "".join(part.title() for part in name.split("_")) + "Tool"
        (folder / "specs" / f"{name}.yaml").write_text(SPEC.format(name=name, more=MORE.get(name, "")))
        tool = TOOL.format(name=name, class_name=class_name, body=body)
        (folder / "tools" / f"{name}.py").write_text(tool)
    subprocess.run([sys.executable, "-m", "toolgen", "generate"], cwd=folder, check=True)


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB; 0 if the system does not report it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


async def soak(process: subprocess.Popen[bytes], run: Soak, in_flight: int, minutes: float) -> None:
    """Run the calls, and print a line every few seconds."""
    tools = [asyncio.create_task(run.misbehave(name)) for name in BODIES if name not in run.without]
    began = time.monotonic()

    async def watch() -> None:
        while True:
            await asyncio.sleep(5)
            seconds = time.monotonic() - began
            print(
                f"{seconds:6.0f} s  {run.right:8,} right  {len(run.wrong)} wrong  {len(run.lost)} lost  "
                f"{resident(process.pid):6.0f} MiB",
                flush=True,
            )
            if process.poll() is not None:
                raise RuntimeError(f"the server has ended with {process.returncode}")

    watching = asyncio.create_task(watch())
    calling = asyncio.create_task(run.callers(in_flight))
    try:
        async with asyncio.timeout(minutes * 60):
            done, _ = await asyncio.wait((watching, calling), return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
    finally:
        for task in (watching, calling, *tools):
            task.cancel()


def main() -> int:
    """Run the command. Return 0 if every call was answered correctly, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="calls of the tool that behaves")
    parser.add_argument("--in-flight", type=int, default=64, help="of these at the same time")
    parser.add_argument("--minutes", type=float, default=30, help="that it may take")
    parser.add_argument("--without", default="", help="misbehaving tools that are left out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(folder)
        log = folder / "server.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "generated.mcp_server", "--http", "--port", "0"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        try:
            until = time.monotonic() + 60
            while (found := re.search(r"http://127\.0\.0\.1:(\d+)/mcp", log.read_text())) is None:
                if process.poll() is not None or time.monotonic() > until:
                    print(log.read_text()[-2000:], file=sys.stderr)
                    return 1
                time.sleep(0.05)
            run = Soak(int(found[1]), args.calls, frozenset(args.without.split(",")) | {"echo"})
            began, before = time.monotonic(), resident(process.pid)
            try:
                asyncio.run(soak(process, run, args.in_flight, args.minutes))
            except (RuntimeError, TimeoutError) as error:
                print(f"given up: {error!r}\n{log.read_text()[-2000:]}", file=sys.stderr)
            return report(run, process, before, time.monotonic() - began)
        finally:
            process.kill()
            process.wait()


def report(run: Soak, process: subprocess.Popen[bytes], before: float, seconds: float) -> int:
    """Print the figures; return the exit code."""
    for each in (*run.wrong[:5], *run.lost[:5]):
        print(each)
    for name, count in sorted(run.others.items()):
        print(f"  {name} {count}")
    print(
        f"{run.right:,} of {run.calls:,} calls right, {len(run.wrong)} wrong, {len(run.lost)} lost; "
        f"{run.right / seconds:,.0f} calls/s; {before:.0f} to {resident(process.pid):.0f} MiB"
    )
    return 0 if run.right == run.calls else 1


if __name__ == "__main__":
    sys.exit(main())
