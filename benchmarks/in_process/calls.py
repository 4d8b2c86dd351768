"""Measure one call many times in one process: the runtime, the adapter, and by hand. Prints JSON.

`python calls.py ROUNDS [cpu]`, with a project on PYTHONPATH; `cpu` measures processor time. Figures are
seconds per call, one per round. Before that, every case must give the same answer.
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
from mcp import Client

CALLS = 30  # in a round of one case; in one process, 20 times as many
Call = Callable[[], Awaitable[Any]]  # returns the answer: JSON text or data


async def main(rounds: int) -> None:
    """Measure, and print the figures."""
    for quiet in (None, "mcp"):
        logging.getLogger(quiet).setLevel(logging.CRITICAL)
    async with AsyncExitStack() as stack:
        cases = {**_in_process(), **await _through_mcp(stack)}
        expected = json.loads(servers.answer().model_dump_json(by_alias=True, exclude_unset=True))
        for name, call in cases.items():
            got = await call()
            got = json.loads(got) if isinstance(got, str) else got
            if got != expected:
                raise SystemExit(f"{name} answered {got!r}, not {expected!r}")
        print(json.dumps(await measure(cases, rounds)))


async def measure(cases: dict[str, Call], rounds: int) -> dict[str, list[float]]:
    """Return seconds per call, one figure a round."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    names = list(cases)
    clock = time.process_time if "cpu" in sys.argv else time.perf_counter
    for number in range(rounds + 1):
        at = number % len(names)
        for name in (*names[at:], *names[:at]):
            call = cases[name]
            count = CALLS * 20 if name in ("runtime", "by hand") else CALLS
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
    toolkit = catalog.toolkit()
    request_model, given = servers.models(definition)[0], servers.answer()

    async def execute(request: Any) -> Any:
        return given

    async def by_hand() -> Any:
        response = await execute(request_model.model_validate(arguments))
        return response.model_dump_json(by_alias=True, exclude_unset=True)

    async def runtime() -> Any:
        return (await toolkit.call(name, arguments)).as_text()

    return {"by hand": by_hand, "runtime": runtime}


async def _through_mcp(stack: AsyncExitStack) -> dict[str, Call]:
    """Return calls of servers in this process, each with the client of the same project."""
    from generated import mcp_server

    name, arguments = _tool()

    def through(client: Any) -> Call:
        async def call() -> Any:
            return (await client.call_tool(name, arguments)).structured_content

        return call

    servers_of: dict[str, Any] = {
        "low-level server by hand": Client(servers.lowlevel(servers.tools())),
        "MCP adapter": Client(mcp_server.build_server()),
    }
    return {kind: through(await stack.enter_async_context(client)) for kind, client in servers_of.items()}


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
