"""The project of the soak test: tools that behave, and tools that do not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
    "keyed": "async def execute(self, request, context):\n"
    "        from generated.models.keyed import KeyedResponse\n"
    "        done = self.__dict__.setdefault('done', set())\n"
    "        number = -1 if request.number in done else request.number\n"
    "        done.add(number)\n"
    "        return KeyedResponse(number=number)",
    "limited": "def execute(self, request, context):\n"
    "        from generated.models.limited import LimitedResponse\n"
    "        return LimitedResponse(number=request.number)",
    "waiting": "async def execute(self, request, context):\n"
    "        from generated.models.waiting import WaitingResponse\n"
    "        await asyncio.sleep(request.number % 100 / 500)\n"
    "        return WaitingResponse(number=request.number)",
    "lines": "async def execute(self, request, context):\n"
    "        for line in range(3):\n            yield f'{request.number}.{line}'",
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
    "cancelled_waiting": "async def execute(self, request, context):\n        await asyncio.sleep(60)",
    "cancelled_thread": "def execute(self, request, context):\n        time.sleep(1)\n        sys.exit(3)",
}
MORE = {
    "echo": ECHO,
    "keyed": ECHO + "idempotency: {ttl: 60}\n",
    "limited": ECHO + "rate_limit: {per_second: 1000}\n",
    "waiting": ECHO,
    "lines": CHUNKS,
    "flood": CHUNKS,
    "cancelled_stream": CHUNKS,
    "cancelled_thread": "concurrency: 4\n",
    "hang": "timeout: 1\nconcurrency: 2\n",
}
# Seconds between calls, otherwise 1. A tool that takes all of a processor may take a tenth of the time.
PAUSES = {"block": 20.0, "hang": 5.0, "huge": 10.0, "flood": 45.0}
PATIENCE = {"flood": 5.0} | {  # seconds until the client disconnects, which cancels the call; otherwise 60
    name: 0.2 for name in BODIES if name.startswith("cancelled_")
}


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
