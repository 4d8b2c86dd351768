"""Measure one call many times in one process: the runtime, the adapter, other libraries. Prints JSON.

`python calls.py ROUNDS CALLS [ours] [cpu]`, with a project on PYTHONPATH; `ours` omits other libraries,
`cpu` measures processor time. Figures are seconds per call, one per round. Before that, every case must
give the same answer.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import servers
from jsonschema_rs import Draft202012Validator
from pydantic_core import to_json
from toolgen.runtime import ToolConfig

Call = Callable[[], Awaitable[Any]]  # returns the answer: JSON text or data


async def main(rounds: int, calls: int, *, with_peers: bool) -> None:
    """Measure, and print the figures."""
    for quiet in (None, "fastmcp", "mcp"):
        logging.getLogger(quiet).setLevel(logging.CRITICAL)
    async with AsyncExitStack() as stack:
        cases = {**_in_process(), **await _through_mcp(stack, with_peers)}
        expected = json.loads(servers.answer().model_dump_json(by_alias=True, exclude_unset=True))
        for name, call in cases.items():
            got = await call()
            got = json.loads(got) if isinstance(got, str) else got
            if got != expected:
                raise SystemExit(f"{name} answered {got!r}, not {expected!r}")
        print(json.dumps(await _measure(cases, rounds, calls)))


async def _measure(cases: dict[str, Call], rounds: int, calls: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in cases}
    names = list(cases)
    clock = time.process_time if "cpu" in sys.argv else time.perf_counter
    for number in range(rounds + 1):
        at = number % len(names)
        for name in (*names[at:], *names[:at]):
            call = cases[name]
            count = calls * 20 if name.startswith(("runtime", "by hand")) else calls
            gc.collect()
            began = clock()
            for _ in range(count):
                await call()
            if number:  # the first round warms up
                found[name].append((clock() - began) / count)
    return found


def _tool() -> tuple[str, Any]:
    """Return the name of the implemented tool, and a request."""
    name = next(tool["name"] for tool in servers.tools() if tool["name"].endswith("_0000"))
    return name, json.loads(Path("call.json").read_text("utf-8"))


def _in_process() -> dict[str, Call]:
    """Return the calls of the runtime and by hand. All return JSON text."""
    from generated import catalog

    name, arguments = _tool()
    definition = catalog.TOOLS[name]
    toolkit, logged = catalog.toolkit(), catalog.toolkit(config=ToolConfig(logger=_logger()))
    request_model, given = servers.models(definition)[0], servers.answer()
    asked, answered = (
        Draft202012Validator(definition[key], validate_formats=True)
        for key in ("input_schema", "output_schema")
    )

    async def execute(request: Any) -> Any:
        return given

    async def by_hand() -> Any:
        response = await execute(request_model.model_validate(arguments))
        return response.model_dump_json(by_alias=True, exclude_unset=True)

    async def by_hand_with_schemas() -> Any:
        if not asked.is_valid(arguments):
            raise ValueError("the arguments break their schema")
        response = await execute(request_model.model_validate(arguments))
        content = response.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if not answered.is_valid(content):
            raise ValueError("the response breaks its schema")
        return to_json(content).decode()

    async def runtime() -> Any:
        return (await toolkit.call(name, arguments)).as_text()

    async def runtime_logged() -> Any:
        return (await logged.call(name, arguments)).as_text()

    return {
        "by hand": by_hand,
        "by hand, with both schemas": by_hand_with_schemas,
        "runtime": runtime,
        "runtime, logged": runtime_logged,
    }


def _logger() -> logging.Logger:
    """Return a logger that formats the record of each call."""
    logger = logging.getLogger("bench")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(_Formatting())
    return logger


class _Formatting(logging.Handler):
    """Formats records and writes them nowhere."""

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)


async def _through_mcp(stack: AsyncExitStack, with_peers: bool) -> dict[str, Call]:
    """Return calls of servers in this process, each with the client of the same project."""
    from mcp import Client

    from generated import mcp_server

    name, arguments = _tool()
    every = servers.tools()

    def through(client: Any) -> Call:
        async def call() -> Any:
            return (await client.call_tool(name, arguments)).structured_content

        return call

    servers_of: dict[str, Any] = {
        "low-level handler by hand": Client(servers.lowlevel(every)),
        "MCP adapter": Client(mcp_server.build_server()),
    }
    if with_peers:
        from fastmcp import Client as FastClient

        servers_of["MCPServer"] = Client(servers.mcpserver(every))
        servers_of["fastmcp"] = FastClient(servers.fastmcp(every))
    return {kind: through(await stack.enter_async_context(client)) for kind, client in servers_of.items()}


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), with_peers="ours" not in sys.argv))
